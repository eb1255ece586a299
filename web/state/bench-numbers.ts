// The workbench's numbers in the types that the library takes and gives.
import { type DType, type Tensor, type TensorData, tensor, toNested } from 'attention-wasm';
import { SLICE, slices } from './turns.js';

export type FloatType = Exclude<DType, 'bool'>;

/** In which the library computes what is of this type. */
export const computedIn = (dtype: FloatType) => (dtype === 'float64' ? 'float64' : 'float32');

export function* copied<Numbers extends Float32Array | Uint8Array>(
  data: Float64Array,
  to: Numbers,
): Generator<void, Numbers> {
  yield* slices(data.length, (from, end) => to.set(data.subarray(from, end), from));
  return to;
}

/** To round a number to 16 bits, or to read it from them, takes some times as long as to copy one. */
const BY_BITS = SLICE / 8;

/** Rounded to a type; float16 and bfloat16 as their bits. */
export function* numbersOf(data: Float64Array, dtype: FloatType): Generator<void, TensorData> {
  if (dtype === 'float64') return data;
  if (dtype === 'float32') return yield* copied(data, new Float32Array(data.length));
  const bits = new Uint16Array(data.length);
  const round = (from: number, end: number) => {
    const { data: part } = tensor(Array.from(data.subarray(from, end)), dtype);
    bits.set(new Uint16Array(part.buffer, part.byteOffset, part.length), from);
  };
  yield* slices(data.length, round, BY_BITS);
  return bits;
}

/** The numbers that the bits of float16 and bfloat16 stand for; other types as they are. */
export function* widened({
  shape,
  data,
  dtype,
}: Tensor): Generator<void, { shape: readonly number[]; data: Float32Array | Float64Array }> {
  if (dtype !== 'float16' && dtype !== 'bfloat16') return { shape, data: data as Float32Array };
  const numbers = new Float32Array(data.length);
  const widen = (from: number, end: number) => {
    const part = { shape: [end - from], data: data.subarray(from, end) as Uint16Array, dtype };
    numbers.set(toNested(part) as number[], from);
  };
  yield* slices(data.length, widen, BY_BITS);
  return { shape, data: numbers };
}

/** The shortest number that float32 rounds to this one; nine digits always do. */
export function shortestOf(x: number): number {
  const tries = [6, 7, 8, 9].map((digits) => Number(x.toPrecision(digits)));
  return tries.find((short) => Math.fround(short) === x) ?? x;
}
