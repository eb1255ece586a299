// The one case all figures share, and what the reader is looking at in it.
import type { AttentionOptions } from 'attention-wasm';
import type { Stage } from './steps.js';

export type Matrix = readonly (readonly number[])[];

export interface Case {
  query: Matrix;
  key: Matrix;
  value: Matrix;
  /** As the library takes them; masks and biases as rows. */
  options: AttentionOptions;
  /** From which its numbers were made, though some may have been changed since: see random.ts. */
  seed?: number;
  /** What it is computed in, every step of it; float64 unless said. */
  dtype?: 'float16' | 'float32' | 'float64';
}

export const isCausal = ({ options }: Case) => options.mask === 'causal';
export const withCausal = (of: Case, isOn: boolean): Case => ({
  ...of,
  options: { ...of.options, mask: isOn ? 'causal' : undefined },
});

/** A cell of a matrix, 0-based: row and column of the matrix as stored, also where it is drawn transposed. */
export interface Cell<Name extends string = Stage> {
  stage: Name;
  row: number;
  column: number;
}

export interface View {
  case: Case;
  /** 1 to 6. */
  step: number;
  pin: Cell | null;
  /** What the other figures are set to, as their links say it: "figure.setting" → text. */
  settings: Readonly<Record<string, string>>;
}

/** A worked example as web/examples/*.json holds it. */
export interface Example {
  inputs: { query: Matrix; key: Matrix; value: Matrix };
  options: object;
}

export const caseOf = ({ inputs, options }: Example): Case => ({
  ...inputs,
  options,
});

export const sameMatrix = (a: Matrix, b: Matrix) =>
  a === b ||
  (a.length === b.length &&
    a.every(
      (row, i) => row.length === b[i]?.length && row.every((x, j) => Object.is(x, b[i]?.[j])),
    ));

export const sameCase = (a: Case, b: Case) =>
  a === b ||
  (JSON.stringify(a.options) === JSON.stringify(b.options) &&
    sameMatrix(a.query, b.query) &&
    sameMatrix(a.key, b.key) &&
    sameMatrix(a.value, b.value));

export const sameCell = (a: Cell<string> | null, b: Cell<string> | null) =>
  a === b || (!!a && !!b && a.stage === b.stage && a.row === b.row && a.column === b.column);

/** The same matrix with a block of it replaced, from (row, column) on. */
export function withBlock(matrix: Matrix, row: number, column: number, block: Matrix): Matrix {
  return matrix.map((cells, i) => cells.map((x, j) => block[i - row]?.[j - column] ?? x));
}

export const sameShape = (a: Matrix, b: Matrix) => sizeOf(a).join() === sizeOf(b).join();

export const sizeOf = (matrix: Matrix) => [matrix.length, matrix[0]?.length ?? 0] as const;
