// A matrix product, computed by the library: X·W is the scores of X against the columns of W.
import type { Matrix } from './case.js';
import { explain } from './explain.js';
import type { Page } from './page.js';

export const transpose = (matrix: Matrix): number[][] =>
  (matrix[0] ?? []).map((_, column) => matrix.map((row) => row[column] ?? NaN));

export function product(
  page: Pick<Page, 'attention' | 'library'>,
  x: Matrix,
  w: Matrix,
): number[][] {
  const columns = transpose(w);
  return explain(page, { query: x, key: columns, value: columns }, { scale: 1 }).scores;
}
