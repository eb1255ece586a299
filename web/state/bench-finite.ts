// Which of the workbench's inputs are not finite: as they came, or in the type that they are taken in.
import type { TensorData } from 'attention-wasm';
import type { Causes } from './bench-causes.js';
import type { FloatType } from './bench-numbers.js';
import type { Result } from './bench-result.js';
import { type InputName, inputNames } from './bench-settings.js';
import { placeIn } from './compare.js';
import { slices } from './turns.js';

/** Finite numbers that a type takes for infinite: how many, and the first of them. */
export interface Beyond {
  count: number;
  asked: number;
  used: number;
  /** Counted from 1. */
  place: number[];
  dtype: FloatType;
}

/** The bits of an infinity, without its sign, where a type has 16. */
const infinityBits: Partial<Record<FloatType, number>> = { float16: 0x7c00, bfloat16: 0x7f80 };

/** What became infinite when `given` was rounded to `made`. */
export function* beyondOf(
  { shape, data: given }: { shape: readonly number[]; data: Float64Array },
  made: TensorData,
  dtype: FloatType,
): Generator<void, Beyond | null> {
  if (dtype === 'float64') return null;
  const bits = infinityBits[dtype];
  const isInfinite = (at: number) => {
    const x = (made as Float32Array)[at]!;
    return bits === undefined ? Math.abs(x) === Infinity : (x & 0x7fff) === bits;
  };
  let [count, first] = [0, -1];
  yield* slices(given.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      if (isInfinite(at) && Number.isFinite(given[at]) && count++ === 0) first = at;
    }
  });
  if (first < 0) return null;
  const asked = given[first]!;
  return { count, asked, used: Math.sign(asked) * Infinity, place: placeIn(shape, first), dtype };
}

/** The first number of Q, K and V, among those that some query reads, that is not finite. */
export function* firstInput(
  inputs: Result['inputs'],
  { cells }: Causes,
): Generator<void, { stage: InputName; row: number; column: number } | undefined> {
  const [queries, keys] = [inputs.query.rows, inputs.key.rows];
  const reads = new Uint8Array(queries);
  const isRead = new Uint8Array(keys);
  yield* slices(cells.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      if (cells[at] === 0) reads[Math.floor(at / keys)] = isRead[at % keys] = 1;
    }
  });
  for (const stage of inputNames) {
    const { data, columns } = inputs[stage];
    const counts = stage === 'query' ? reads : isRead;
    let first = -1;
    yield* slices(data.length, (from, to) => {
      for (let at = from; at < to && first < 0; ++at) {
        if (!Number.isFinite(data[at]) && counts[Math.floor(at / columns)]) first = at;
      }
    });
    if (first >= 0) return { stage, row: Math.floor(first / columns), column: first % columns };
  }
  return undefined;
}
