// Whether each number of the output lies between the smallest and the largest that its query reads of V.
import type { Shown } from './bench-result.js';
import { SLICE, slices } from './turns.js';

export interface Hull {
  count: number;
  /** Those that do not; NaN never does. */
  wrong: number;
}

/** The largest and the smallest of each column of V over the keys that one query reads. */
class Bounds {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Which keys that are, 1 for each. */
  readonly #keys: Uint8Array;

  constructor(readonly value: Shown) {
    this.low = new Float64Array(value.columns);
    this.high = new Float64Array(value.columns);
    this.#keys = new Uint8Array(value.rows);
    this.#clear();
  }

  #clear(): void {
    this.low.fill(Infinity);
    this.high.fill(-Infinity);
    this.#keys.fill(0);
  }

  #add(key: number): void {
    const { data, columns } = this.value;
    this.#keys[key] = 1;
    for (let column = 0; column < columns; ++column) {
      const x = data[key * columns + column]!;
      // NaN goes into both, and stays there.
      this.low[column] = Math.min(this.low[column]!, x);
      this.high[column] = Math.max(this.high[column]!, x);
    }
  }

  /** Goes on to the next query; what it reads as the last one did is not looked at again. */
  take(causes: Uint8Array): void {
    if (this.#keys.some((has, key) => has === 1 && causes[key] !== 0)) this.#clear();
    for (let key = 0; key < causes.length; ++key) {
      if (causes[key] === 0 && this.#keys[key] === 0) this.#add(key);
    }
  }
}

/** `causes` is 0 where a query reads a key, [T, S]; `near` is the rounding of a sum of that many terms. */
export function* hullOf(
  output: Shown,
  value: Shown,
  causes: Uint8Array,
  near: number,
): Generator<void, Hull> {
  const { data, rows, columns } = output;
  const bounds = new Bounds(value);
  const keys = value.rows;
  let wrong = 0;
  const look = (from: number, to: number) => {
    for (let row = from; row < to; ++row) {
      bounds.take(causes.subarray(row * keys, (row + 1) * keys));
      for (let column = 0; column < columns; ++column) {
        const x = data[row * columns + column]!;
        const [low, high] = [bounds.low[column]!, bounds.high[column]!];
        const room = near * Math.max(Math.abs(low), Math.abs(high));
        const isIn = (x >= low || low - x <= room) && (x <= high || x - high <= room);
        // A query that reads nothing gives 0.
        if (low > high ? x !== 0 : !isIn) wrong += 1;
      }
    }
  };
  yield* slices(rows, look, Math.max(1, Math.floor(SLICE / (keys * columns))));
  return { count: data.length, wrong };
}
