// Asking the library for every step of a call on plain rows of numbers.
import type { AttentionOptions, DType, Diagnostics } from 'attention-wasm';
import type { Matrix } from './case.js';
import type { Page } from './page.js';

export interface Rows {
  query: Matrix;
  key: Matrix;
  value: Matrix;
}

/** The steps of explain() as rows of numbers. `dropped` only with dropout. */
export interface Explained {
  scores: number[][];
  scaled: number[][];
  masked: number[][];
  rowMax: number[];
  exponentials: number[][];
  rowSum: number[];
  weights: number[][];
  dropped?: number[][];
  output: number[][];
  lse: number[];
  diagnostics: Diagnostics;
}

/**
 * float64 unless said, so that what the reader typed is what is computed with. In float16 every step is
 * rounded to it, as that type's own arithmetic does.
 */
export function explain(
  { attention, library: { tensor, toNested } }: Pick<Page, 'attention' | 'library'>,
  { query, key, value }: Rows,
  options: AttentionOptions = {},
  dtype: DType = 'float64',
): Explained {
  const given = (rows: Matrix) => tensor(rows, dtype);
  const explained = attention.explain(given(query), given(key), given(value), options);
  const { steps, lse, diagnostics } = explained.unwidened ?? explained;
  const nested = Object.entries({ ...steps, lse }).map(([name, step]) => [name, toNested(step)]);
  return { ...(Object.fromEntries(nested) as Omit<Explained, 'diagnostics'>), diagnostics };
}
