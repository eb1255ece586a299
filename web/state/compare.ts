// A result beside the one that was expected.
import type { FloatType } from './bench-numbers.js';
import type { GivenTensor } from './read-text.js';
import { slices } from './turns.js';

type What = 'output' | 'weights';

/** What is known of every comparison of two tensors of one shape. */
interface Compared {
  what: What;
  /** Whether the expected tensor has the shape of the other one as well. */
  fitsBoth: boolean;
  tolerance: Tolerance;
  largest: number;
  /** The NaN in the expected tensor, which are not compared: how many, and where the first is. */
  unknown: { count: number; place: number[] } | null;
}
export type Comparison =
  | ({ kind: 'same' } & Compared)
  | ({
      kind: 'differs';
      /** How many do. */
      count: number;
      /** The first, counted from 1. */
      place: number[];
      /** Where the difference is largest. */
      worst: number[];
      found: number;
      expected: number;
    } & Compared)
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

/** Beyond these two, one and one times what was expected, a difference is no rounding of the type. */
const tolerances: Record<FloatType, Tolerance> = {
  float64: [1e-5, 1e-4], // what is expected may come from float32
  float32: [1e-5, 1e-4],
  float16: [1e-3, 2e-3],
  bfloat16: [1e-2, 2e-2],
};
/** `decimals`, where half of the last one printed is what is let pass. */
type Tolerance = readonly [absolute: number, relative: number, decimals?: number];

/** The place of an element, counted from 1. */
export function placeIn(shape: readonly number[], at: number): number[] {
  const place: number[] = [];
  let rest = at;
  for (const length of [...shape].reverse()) {
    place.unshift((rest % length) + 1);
    rest = Math.floor(rest / length);
  }
  return place;
}

/** Numbers printed with so few decimals have lost more than a type loses. */
const PRINTED: readonly [least: number, most: number] = [2, 8];

/** What may lie between what is expected and what was computed. */
function toleranceFor({ decimals = 0 }: GivenTensor, dtype: FloatType): Tolerance {
  const [absolute, relative] = tolerances[dtype];
  const isPrinted = decimals >= PRINTED[0] && decimals <= PRINTED[1];
  // Half of the last place, and what a binary number is off from a decimal one.
  const half = isPrinted ? 0.5 * 10 ** -decimals : 0;
  return half > absolute ? [half, relative, decimals] : [absolute, relative];
}

/** Where two tensors first differ beyond rounding. `asked` decides where the shape fits both. */
export function* compare(
  expected: GivenTensor,
  output: Numbers,
  weights: Numbers,
  { expected: asked, dtype }: { expected: What; dtype: FloatType },
): Generator<void, Comparison> {
  const fits = (['output', 'weights'] as const).filter((what) =>
    sameShape(expected.shape, (what === 'output' ? output : weights).shape),
  );
  const what = fits.includes(asked) ? asked : fits[0];
  if (!what) {
    return {
      kind: 'noFit',
      shape: expected.shape,
      output: trimmed(output.shape),
      weights: trimmed(weights.shape),
    };
  }
  const tolerance = toleranceFor(expected, dtype);
  const { data } = what === 'output' ? output : weights;
  let [largest, worst] = [0, 0];
  let [first, off] = [-1, 0];
  let [count, firstUnknown] = [0, -1];
  yield* slices(data.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      const a = Number(data[at]);
      const b = expected.data[at]!;
      if (Number.isNaN(b)) {
        if (count++ === 0) firstUnknown = at;
        continue;
      }
      const gap = Object.is(a, b) ? 0 : Math.abs(a - b);
      if (gap > largest || (Number.isNaN(gap) && !Number.isNaN(largest)))
        [largest, worst] = [gap, at];
      // Nothing but itself is close to an infinity.
      const isClose = Number.isFinite(b) && gap <= tolerance[0] + tolerance[1] * Math.abs(b);
      const isOff = gap !== 0 && !isClose;
      if (isOff && off++ === 0) first = at;
    }
  });
  const unknown = count > 0 ? { count, place: placeIn(expected.shape, firstUnknown) } : null;
  const compared = { what, fitsBoth: fits.length === 2, tolerance, largest, unknown };
  if (first < 0) return { kind: 'same', ...compared };
  const [found, wanted] = [Number(data[first]), expected.data[first]!];
  const place = placeIn(expected.shape, first);
  const worstPlace = placeIn(expected.shape, worst);
  return {
    kind: 'differs',
    ...compared,
    ...{ count: off, place, worst: worstPlace, found, expected: wanted },
  };
}
