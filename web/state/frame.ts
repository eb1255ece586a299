// Every number a figure shows, as the library computed it for a case.
import { type Case, type Matrix } from './case.js';
import { explain } from './explain.js';
import type { Page } from './page.js';
import type { Stage } from './steps.js';

export interface Frame {
  case: Case;
  matrices: Record<Stage, Matrix>;
  /** Of each query's row: the largest masked score, the exponentials and their sum. */
  rowMax: readonly number[];
  exponentials: Matrix;
  rowSum: readonly number[];
  /** The weights after dropout, where there is one. */
  dropped?: Matrix;
  /** The rules that keep query i from key j; empty where it may read it. */
  cause: readonly (readonly (readonly string[])[])[];
}

/** What no rule forbids is not asked for one by one: that would take longer than the attention. */
function causesOf(
  { attention }: Pick<Page, 'attention'>,
  { query, key, options: { mask: rules, start } }: Case,
): Frame['cause'] {
  const none: readonly string[] = [];
  if (rules === undefined) return query.map(() => key.map(() => none));
  const mask = attention.mask(rules, { queries: query.length, keys: key.length, start });
  const causes = query.map((_, i) => {
    const ranges = mask.rowRanges(0, 0, i);
    const isRead = (j: number) => ranges.some(([begin, end]) => begin <= j && j < end);
    return key.map((_, j) => (isRead(j) ? none : mask.cause(0, 0, i, j)));
  });
  mask.dispose();
  return causes;
}

const frames = new WeakMap<Case, Frame>();

/** The frame of a case; a case is computed once. */
export function frameOf(page: Pick<Page, 'attention' | 'library'>, of: Case): Frame {
  const known = frames.get(of);
  if (known) return known;
  const { query, key, value, options } = of;
  const found = explain(page, of, options, of.dtype);
  const { scores, scaled, masked, weights, output, rowMax, exponentials, rowSum, dropped } = found;
  const cause = causesOf(page, of);
  const matrices = { query, key, value, scores, scaled, masked, weights, output };
  const frame: Frame = { case: of, matrices, rowMax, exponentials, rowSum, cause };
  if (dropped) frame.dropped = dropped;
  frames.set(of, frame);
  return frame;
}
