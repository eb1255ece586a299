// A result beside the one that was expected.
import type { GivenTensor } from './read-tensor.js';
import { slices } from './turns.js';

type What = 'output' | 'weights';
export type Comparison =
  | { kind: 'same'; what: What; largest: number }
  | {
      kind: 'differs';
      what: What;
      largest: number;
      /** Counted from 1. */
      place: number[];
      found: number;
      expected: number;
    }
  | { kind: 'noFit'; shape: number[]; output: number[]; weights: number[] };

export interface Numbers {
  shape: readonly number[];
  data: ArrayLike<number>;
}

const trimmed = (shape: readonly number[]) => {
  const first = shape.findIndex((length, axis) => length !== 1 || axis >= shape.length - 2);
  return shape.slice(first);
};
/** Leading axes of length 1 aside. */
export const sameShape = (a: readonly number[], b: readonly number[]) =>
  trimmed(a).join() === trimmed(b).join();

/** Beyond these two a difference is no rounding of float32. */
const [ABSOLUTE, RELATIVE] = [1e-5, 1e-4];

/** Where two tensors first differ beyond rounding. */
export function* compare(
  expected: GivenTensor,
  output: Numbers,
  weights: Numbers,
): Generator<void, Comparison> {
  const fit = (['output', 'weights'] as const).find((what) =>
    sameShape(expected.shape, (what === 'output' ? output : weights).shape),
  );
  if (!fit) {
    return {
      kind: 'noFit',
      shape: expected.shape,
      output: trimmed(output.shape),
      weights: trimmed(weights.shape),
    };
  }
  const { data } = fit === 'output' ? output : weights;
  let largest = 0;
  let first = -1;
  yield* slices(data.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      const a = Number(data[at]);
      const b = expected.data[at]!;
      const gap = Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b)) ? 0 : Math.abs(a - b);
      if (gap > largest || Number.isNaN(gap)) largest = gap;
      // Nothing but itself is close to an infinity.
      const isClose = Number.isFinite(b) && gap <= ABSOLUTE + RELATIVE * Math.abs(b);
      const isOff = gap !== 0 && !isClose;
      if (isOff && first < 0) first = at;
    }
  });
  if (first < 0) return { kind: 'same', what: fit, largest };
  const place: number[] = [];
  let rest = first;
  for (const length of [...expected.shape].reverse()) {
    place.unshift((rest % length) + 1);
    rest = Math.floor(rest / length);
  }
  const [found, wanted] = [Number(data[first]), expected.data[first]!];
  return { kind: 'differs', what: fit, largest, place, found, expected: wanted };
}
