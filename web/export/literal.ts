// A call's numbers as a programming language writes them.
import type { Matrix } from '../state/case.js';
import type { Call } from './exhibit.js';

/** How a language writes a matrix and what stands in it. */
export interface Notation {
  infinity: string;
  nan: string;
  truth: readonly [string, string];
  brackets: readonly [string, string];
}

export const notations: Record<'python' | 'javascript' | 'cpp', Notation> = {
  python: {
    infinity: "float('inf')",
    nan: "float('nan')",
    truth: ['False', 'True'],
    brackets: ['[', ']'],
  },
  javascript: {
    infinity: 'Infinity',
    nan: 'NaN',
    truth: ['false', 'true'],
    brackets: ['[', ']'],
  },
  cpp: { infinity: 'HUGE_VAL', nan: 'NAN', truth: ['false', 'true'], brackets: ['{', '}'] },
};

type Entry = number | boolean;

function literal(x: Entry, { infinity, nan, truth }: Notation): string {
  if (typeof x === 'boolean') return truth[x ? 1 : 0];
  if (Number.isNaN(x)) return nan;
  if (!Number.isFinite(x)) return x > 0 ? infinity : `-${infinity}`;
  return String(x);
}

/** On one line. */
export function list(cells: readonly Entry[], notation: Notation): string {
  const [open, close] = notation.brackets;
  return `${open}${cells.map((x) => literal(x, notation)).join(', ')}${close}`;
}

export function rows(matrix: readonly (readonly Entry[])[], notation: Notation): string {
  const [open, close] = notation.brackets;
  const row = (cells: readonly Entry[]) => `    ${list(cells, notation)},\n`;
  return `${open}\n${matrix.map(row).join('')}${close}`;
}

/** What the programs are made of: every matrix and the mask, as the language writes them. */
export function parts({ frame, projection }: Call, notation: Notation) {
  const { case: of, matrices, cause, dropped } = frame;
  const allowed = cause.map((row) => row.map((rules) => rules.length === 0));
  const write = (matrix: Matrix) => rows(matrix, notation);
  const { options } = of;
  return {
    query: write(matrices.query),
    key: write(matrices.key),
    value: write(matrices.value),
    weights: write(matrices.weights),
    output: write(matrices.output),
    projection: projection && {
      x: write(projection.x),
      query: write(projection.weights.query),
      key: write(projection.weights.key),
      value: write(projection.weights.value),
    },
    scale: literal(options.scale ?? 1 / Math.sqrt(of.query[0]?.length ?? 0), notation),
    bias: options.bias && write(options.bias as Matrix),
    allowed: allowed.flat().includes(false) ? rows(allowed, notation) : undefined,
    hasEmptyRow: allowed.some((row) => !row.includes(true)),
    /** Which weights dropout keeps. */
    kept:
      dropped &&
      rows(
        dropped.map((row) => row.map((x) => x !== 0)),
        notation,
      ),
    dropout: options.dropout,
    dtype: of.dtype ?? 'float64',
  };
}

/** How a C++ program is made to run, as its first lines say. */
export const compiling = `// With the core of attention-wasm, in its folder, and the headers of xsimd (Debian: libxsimd-dev):
// g++ -std=c++20 -O2 -I src -I path/to/xsimd/include this.cpp src/core/*.cpp -pthread`;

export const title =
  'Scaled dot-product attention with the numbers of a figure; fails where they differ.';
export const maskRemark = 'row = query, column = key; true where the query may read the key';
export const emptyRemark = 'a query that may read no key has weights 0';

/** The program of each call, under its name where there are several. */
export const each = (
  calls: readonly Call[],
  comment: string,
  program: (call: Call, index: number) => string,
): string =>
  calls
    .map((call, index) => `${call.name ? `${comment} ${call.name}\n` : ''}${program(call, index)}`)
    .join('\n');
