// A query that may read nothing, dealt with after softmax or before it, forwards and backwards. Every sum
// is the library's: softmax and QKᵀ, which is any product of matrices; what is written over is done here,
// as such a program does it.
import { type Lineage, shapesOf } from '../draw/lineage.js';
import type { Case, Cell, Matrix } from '../state/case.js';
import { type Explained, explain } from '../state/explain.js';
import { type Frame, frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { product, transpose } from '../state/product.js';
import { type Hidden, isEmpty, isHidden } from './hidden-row.js';
import { keepLast } from './traced-figure.js';

export const ways = ['late', 'early'] as const;
export type Way = (typeof ways)[number];
/** What softmax gives, what is made of that, the output, and of each the gradients. */
export const parts = ['Softmax', 'Weights', 'Output', 'Scores', 'Key', 'Value'] as const;
export type Part = (typeof parts)[number];
export type Name = `${Way}${Part}`;
export const nameOf = (way: Way, part: Part): Name => `${way}${part}`;
export const wayOf = (name: Name): Way => (name.startsWith('late') ? 'late' : 'early');
export const partOf = (name: Name) => name.slice(wayOf(name).length) as Part;

/** How the −∞ gets to the scores: added to them, or written over them. */
export type Entry = 'added' | 'filled';

export interface Path {
  /** Whose softmax it is. */
  frame: Frame;
  /** The softmax of the row that is all −∞, where it is taken. */
  bare?: Explained;
  /** Gradient at the weights that softmax gave, and each row's sum of it times the weights. */
  arriving: Matrix;
  sums: readonly number[];
  /** Gradient at the keys before it is scaled. */
  unscaled: Matrix;
  matrices: Record<Part, Matrix>;
}

/** With row i as it is where the row is empty. */
const withEmpty = (hidden: Hidden, rows: Matrix, row: (i: number) => readonly number[]): Matrix =>
  rows.map((same, i) => (isEmpty(hidden, i) ? row(i) : same));
const zeros = (rows: Matrix) => (i: number) => rows[i]!.map(() => 0);

/** Scores that are −∞ themselves, not by a mask: softmax as the formula says. */
const bareRow = (page: Page, keys: number): Explained => {
  const ones = Array.from({ length: keys }, () => [1]);
  return explain(page, { query: [[-Infinity]], key: ones, value: ones }, { scale: 1 });
};

function pathOf(page: Page, of: Case, hidden: Hidden, entry: Entry, way: Way): Path {
  const { query, key, value } = of;
  const { scale = 1 / Math.sqrt(query[0]!.length) } = of.options;
  const isFilled = way === 'late' && entry === 'filled';
  // Scores of 0 are those of a query of zeros. It reads everything then.
  const blocked = query.map((_, i) =>
    key.map((_key, j) => isHidden(hidden, i, j) && !(way === 'early' && isEmpty(hidden, i))),
  );
  const frame = frameOf(page, {
    query: way === 'early' ? withEmpty(hidden, query, zeros(query)) : query,
    key,
    value,
    options: { scale, mask: { kind: 'blocked', mask: blocked } },
  });
  const bare = way === 'late' && hidden === 'all' ? bareRow(page, key.length) : undefined;
  const softmax = bare
    ? withEmpty(hidden, frame.matrices.weights, () => bare.weights[0]!)
    : frame.matrices.weights;
  const weights = withEmpty(hidden, softmax, zeros(softmax));

  // The loss is the sum of all outputs, so that 1 arrives at each of them.
  const ones = query.map(() => value[0]!.map(() => 1));
  const atWeights = product(page, ones, transpose(value));
  // Behind what is written over nothing arrives.
  const arriving = withEmpty(hidden, atWeights, zeros(atWeights));
  const sums = product(page, softmax, transpose(arriving)).map((row, i) => row[i]!);
  // Each times its own weight: a diagonal in between.
  const scores = softmax.map((row, i) => {
    const less = arriving[i]!.map((g, j) => row.map((_, k) => (k === j ? g - sums[i]! : 0)));
    return product(page, [row], less)[0]!;
  });
  const passed = isFilled
    ? scores.map((row, i) => row.map((x, j) => (isHidden(hidden, i, j) ? 0 : x)))
    : scores;
  const atKeys = explain(
    page,
    { query: transpose(passed), key: transpose(query), value: transpose(query) },
    { scale },
  );
  return {
    frame,
    ...(bare ? { bare } : {}),
    arriving,
    sums,
    unscaled: atKeys.scores,
    matrices: {
      Softmax: softmax,
      Weights: weights,
      Output: product(page, weights, value),
      Scores: passed,
      Key: atKeys.scaled,
      Value: product(page, transpose(weights), ones),
    },
  };
}

export const results = keepLast((page, of: Case, hidden: Hidden, entry: Entry) => {
  const paths = {
    late: pathOf(page, of, hidden, entry, 'late'),
    early: pathOf(page, of, hidden, entry, 'early'),
  };
  const matrices = Object.fromEntries(
    ways.flatMap((way) => parts.map((part) => [nameOf(way, part), paths[way].matrices[part]])),
  ) as Record<Name, Matrix>;
  const queries = of.query.map((_, i) => i);
  const operandsOf = ({ stage, row, column }: Cell<Name>): Cell<Name>[] => {
    const way = wayOf(stage);
    const rowOf = (part: Part) =>
      matrices[nameOf(way, part)][row]!.map((_, j) => ({
        stage: nameOf(way, part),
        row,
        column: j,
      }));
    const columnOf = (part: Part) =>
      queries.map((i) => ({ stage: nameOf(way, part), row: i, column: row }));
    const isFilled = way === 'late' && entry === 'filled' && isHidden(hidden, row, column);
    const operands: Record<Part, () => Cell<Name>[]> = {
      Softmax: () => [],
      Weights: () => [{ stage: nameOf(way, 'Softmax'), row, column }],
      Output: () => rowOf('Weights'),
      Scores: () => (isFilled ? [] : rowOf('Softmax')),
      Key: () => columnOf('Scores'),
      Value: () => columnOf('Weights'),
    };
    return operands[partOf(stage)]();
  };
  const lineage: Lineage<Name> = { shapes: shapesOf(matrices), operandsOf };
  return { paths, matrices, lineage };
});
