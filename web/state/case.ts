// The one case all figures share, and what the reader is looking at in it.
import type { Stage } from './steps.js';

export type Matrix = readonly (readonly number[])[];

export interface Case {
  query: Matrix;
  key: Matrix;
  value: Matrix;
  causal: boolean;
}

/** A cell of a matrix, 0-based: row and column of the matrix as stored, also where it is drawn transposed. */
export interface Cell {
  stage: Stage;
  row: number;
  column: number;
}

export interface View {
  case: Case;
  /** 1 to 6. */
  step: number;
  pin: Cell | null;
}

export interface Example {
  title: Record<string, string>;
  tokens: { queries: string[]; keys: string[] };
  inputs: { query: Matrix; key: Matrix; value: Matrix };
  options: { mask?: string };
}

export const caseOf = (example: Example): Case => ({
  ...example.inputs,
  causal: example.options.mask === 'causal',
});

export const sameMatrix = (a: Matrix, b: Matrix) =>
  a === b ||
  (a.length === b.length &&
    a.every(
      (row, i) => row.length === b[i]?.length && row.every((x, j) => Object.is(x, b[i]?.[j])),
    ));

export const sameCell = (a: Cell | null, b: Cell | null) =>
  a === b || (!!a && !!b && a.stage === b.stage && a.row === b.row && a.column === b.column);

/** The same matrix with a block of it replaced, from (row, column) on. */
export function withBlock(matrix: Matrix, row: number, column: number, block: Matrix): Matrix {
  return matrix.map((cells, i) => cells.map((x, j) => block[i - row]?.[j - column] ?? x));
}

export const sizeOf = (matrix: Matrix) => [matrix.length, matrix[0]?.length ?? 0] as const;
