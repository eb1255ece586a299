// Every number a figure shows, as the library computed it for a case.
import type { Attention } from 'attention-wasm';
import { type Case, type Matrix, sizeOf } from './case.js';
import { type Stage, isInput } from './steps.js';

export interface Frame {
  case: Case;
  matrices: Record<Stage, Matrix>;
  /** Of each query's row: the largest masked score, the exponentials and their sum. */
  rowMax: readonly number[];
  exponentials: Matrix;
  rowSum: readonly number[];
  /** The rules that keep query i from key j; empty where it may read it. */
  cause: readonly (readonly (readonly string[])[])[];
}

type Library = typeof import('attention-wasm');

const frames = new WeakMap<Case, Frame>();

/** The frame of a case; a case is computed once. */
export function frameOf(
  attention: Attention,
  { tensor }: Pick<Library, 'tensor'>,
  of: Case,
): Frame {
  const known = frames.get(of);
  if (known) return known;
  // float64, so that what the reader typed is what is computed with.
  const [query, key, value] = [of.query, of.key, of.value].map((rows) =>
    tensor(rows as number[][], 'float64'),
  ) as [ReturnType<typeof tensor>, ReturnType<typeof tensor>, ReturnType<typeof tensor>];
  const rules = of.causal ? (['causal'] as const) : [];
  const { steps } = attention.explain(query, key, value, { mask: rules });
  const [queries, keys] = [of.query.length, of.key.length];
  const width = { output: sizeOf(of.value)[1] } as Partial<Record<string, number>>;

  const rows = (name: string): Matrix => {
    const data = Array.from(steps[name as keyof typeof steps]!.data as ArrayLike<number>, Number);
    const columns = width[name] ?? keys;
    return Array.from({ length: queries }, (_, i) => data.slice(i * columns, (i + 1) * columns));
  };
  const perRow = (name: string) =>
    Array.from(steps[name as keyof typeof steps]!.data as ArrayLike<number>, Number);

  const mask = attention.mask(rules, { batch: 1, heads: 1, queries, keys });
  const frame: Frame = {
    case: of,
    matrices: {
      query: of.query,
      key: of.key,
      value: of.value,
      scores: rows('scores'),
      scaled: rows('scaled'),
      masked: rows('masked'),
      weights: rows('weights'),
      output: rows('output'),
    },
    rowMax: perRow('rowMax'),
    exponentials: rows('exponentials'),
    rowSum: perRow('rowSum'),
    cause: Array.from({ length: queries }, (_, i) =>
      Array.from({ length: keys }, (_, j) => mask.cause(0, 0, i, j)),
    ),
  };
  frames.set(of, frame);
  return frame;
}

/** Which cell of `stage` the reader sees, as text and number alike. */
export const valueAt = (frame: Frame, stage: Stage, row: number, column: number): number =>
  frame.matrices[stage][row]?.[column] ?? NaN;

export const isEditable = isInput;
