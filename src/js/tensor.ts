// Tensors as callers hold them: plain objects around typed arrays.

import { deepest, text } from './arguments.js';
import { AttentionError } from './errors.js';
import { dtypes, type DType } from './generated/options.js';
import { decode, encode, formats } from './half.js';

/** What the elements of a tensor can be in: {@link DType} says which dtype is held in which. */
export type TensorData =
  | Float32Array
  | Float64Array
  | Uint16Array
  | Uint8Array
  // Without ES2025 among its libraries TypeScript does not know Float16Array.
  | (typeof globalThis extends { Float16Array: { prototype: infer Array } } ? Array : Uint8Array);

/** A tensor as an argument. It is only read, and not kept. */
export interface Tensor {
  /** Lengths of the axes, outermost first. */
  readonly shape: readonly number[];
  /**
   * The elements. A view into a larger buffer is read through its own offset and length. Without
   * `strides` it holds as many elements as the shape, in row-major order.
   */
  readonly data: TensorData;
  /** Distance, in elements, between neighbours along each axis; default: row-major. */
  readonly strides?: readonly number[] | undefined;
  /** Has to be said for a `Uint16Array`; otherwise it follows from the data. */
  readonly dtype?: DType | undefined;
}

/** A tensor as a result: row-major, and its data belongs to the caller alone. */
export interface ResultTensor<Data extends TensorData = TensorData> extends Tensor {
  shape: number[];
  data: Data;
  dtype: DType;
}

/** Numbers or booleans in arrays within arrays, all of one length along each axis. */
export type Nested<Leaf = number | boolean> = readonly Leaf[] | readonly Nested<Leaf>[];

/** A mask over cells: a bool tensor, or nested arrays of true and false; 1 and 0 pass for them. */
export type Bools = Tensor | Nested<boolean>;

/** A list of numbers. */
export type Numbers =
  | readonly number[]
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** The dtypes that each kind of typed array can hold. */
const storage: { readonly [kind: string]: readonly DType[] | undefined } = {
  Float32Array: ['float32'],
  Float64Array: ['float64'],
  Float16Array: ['float16'],
  Uint16Array: ['float16', 'bfloat16'],
  Uint8Array: ['bool'],
};

/** `'Float32Array'` and so on; also for arrays of another realm, such as an iframe. */
export function kindOf(data: unknown): string {
  return ArrayBuffer.isView(data)
    ? ((data as unknown as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? 'DataView')
    : 'none';
}

export function isArray(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);
}

/** Whether something is meant as a tensor; its shape and data may be wrong. */
export function isTensor(value: unknown): value is Tensor {
  const { shape, data } = (value ?? {}) as { shape?: unknown; data?: unknown };
  return data !== undefined && isArray(shape);
}

/** A tensor's fields as they are now: a getter among the options could change them later. */
export function held<Input>(input: Input): Input {
  if (!isTensor(input)) return input;
  const { shape, data, strides, dtype } = input;
  return { shape: Array.isArray(shape) ? shape.slice() : shape, data, strides, dtype } as Input;
}

/** The dtype of a tensor's elements. */
export function dtypeOf({ data, dtype }: Tensor, argument: string): DType {
  const kind = kindOf(data);
  const possible = storage[kind];
  if (possible === undefined) {
    throw new AttentionError(
      'dtype',
      argument,
      `${argument} has its data in ${kind === 'none' ? 'no typed array' : `a ${kind}`}; give ` +
        `a Float32Array, Float64Array or Float16Array, a Uint16Array with dtype 'float16' or ` +
        `'bfloat16', or for masks a Uint8Array`,
    );
  }
  if (dtype === undefined && possible.length === 1) return possible[0]!;
  if (dtype === undefined || !possible.includes(dtype)) {
    throw new AttentionError(
      'dtype',
      argument,
      `${argument} has its data in a ${kind} ` +
        (dtype === undefined ? 'and does not say its dtype' : `but says its dtype is '${dtype}'`) +
        `; a ${kind} can hold ${possible.map((name) => `'${name}'`).join(' or ')}`,
    );
  }
  return dtype;
}

/** Of an element. */
export function bytesOf(dtype: DType): number {
  return dtype === 'float64' ? 8 : dtype === 'float32' ? 4 : dtype === 'bool' ? 1 : 2;
}

/** The typed array in which this engine keeps a dtype. */
function allocate(dtype: DType, length: number): TensorData {
  switch (dtype) {
    case 'float32':
      return new Float32Array(length);
    case 'float64':
      return new Float64Array(length);
    case 'bool':
      return new Uint8Array(length);
    default:
      return new Uint16Array(length);
  }
}

/** The elements of a Float16Array as bits: copying them as they are would convert them. */
export function bitsOf({ buffer, byteOffset, length }: TensorData): Uint16Array {
  return new Uint16Array(buffer, byteOffset, length);
}

/** float16 bits as the engine's own Float16Array where it has one and `like` is one. */
export function asFloat16(bits: Uint16Array): TensorData {
  const { Float16Array } = globalThis as {
    Float16Array?: new (buffer: ArrayBufferLike) => TensorData;
  };
  return Float16Array === undefined ? bits : new Float16Array(bits.buffer);
}

/**
 * A tensor from nested arrays: `tensor([[1, 2], [3, 4]])`.
 *
 * @param nested numbers, or booleans for a mask; arrays side by side have the same length
 * @param dtype default `'float32'`, and `'bool'` for booleans. float16 and bfloat16 are rounded to
 *   nearest, ties to even.
 */
export function tensor(nested: Nested, dtype?: DType): ResultTensor {
  const shape: number[] = [];
  let level: unknown = nested;
  for (; Array.isArray(level); level = level[0]) {
    if (shape.push(level.length) > deepest) {
      const message = `tensor() takes arrays at most ${deepest} deep; these go deeper or hold themselves`;
      throw new AttentionError('rank', 'nested', message);
    }
  }
  if (shape.length === 0) {
    throw new AttentionError('type', 'nested', 'tensor() needs an array, or arrays in arrays');
  }
  const type = dtype ?? (typeof level === 'boolean' ? 'bool' : 'float32');
  if (!dtypes.includes(type)) {
    throw new AttentionError(
      'dtype',
      'dtype',
      `dtype is '${type}'; the dtypes are ${dtypes.join(', ')}`,
    );
  }
  const data = allocate(type, sizeOf(shape));
  const format = formats[type];
  let at = 0;
  const fill = (part: unknown, axis: number): void => {
    if (axis === shape.length) {
      if (typeof part !== 'number' && typeof part !== 'boolean') {
        throw new AttentionError(
          'type',
          'nested',
          `tensor() takes numbers and booleans; element ${at} is ${text(part)}`,
        );
      }
      const number = type === 'bool' ? Number(part !== false && part !== 0) : Number(part);
      data[at++] = format === undefined ? number : encode(number, format);
      return;
    }
    if (!Array.isArray(part) || part.length !== shape[axis]) {
      const found = Array.isArray(part) ? `one of length ${part.length}` : text(part);
      throw new AttentionError(
        'shape',
        'nested',
        `tensor() needs arrays of one length along each axis: axis ${axis} has arrays of length ` +
          `${shape[axis]} and ${found}`,
      );
    }
    for (const inner of part) fill(inner, axis + 1);
  };
  fill(nested, 0);
  const float16 = type === 'float16' && data instanceof Uint16Array;
  return { shape, data: float16 ? asFloat16(data) : data, dtype: type };
}

/**
 * The elements of a tensor in nested arrays: numbers, or booleans where its dtype is bool. Follows
 * strides.
 */
export function toNested(tensor: Tensor): Nested {
  if (!isTensor(tensor)) {
    const found = `tensor must be a tensor { shape, data }, not ${text(tensor)}`;
    throw new AttentionError('type', 'tensor', found);
  }
  const dtype = dtypeOf(tensor, 'tensor');
  const { shape, data } = tensor;
  checkAxes(shape, 'shape', shape.length);
  const format = kindOf(data) === 'Uint16Array' ? formats[dtype] : undefined;
  const strides = tensor.strides ?? rowMajor(shape);
  checkAxes(strides, 'strides', shape.length);
  const needed = strides.reduce((end, stride, axis) => end + (shape[axis]! - 1) * stride, 1);
  if (sizeOf(shape) > 0 && data.length < needed) {
    const message = `has shape ${shape.join('×')}, for which it needs ${needed} elements of data, but has ${data.length}`;
    throw new AttentionError('data', 'tensor', `tensor ${message}`);
  }
  const read = (at: number): number | boolean => {
    const element = data[at]!;
    if (dtype === 'bool') return element !== 0;
    return format === undefined ? element : decode(element, format);
  };
  const walk = (axis: number, at: number): unknown =>
    axis === shape.length
      ? read(at)
      : Array.from({ length: shape[axis]! }, (_, i) => walk(axis + 1, at + i * strides[axis]!));
  return walk(0, 0) as Nested;
}

function checkAxes(numbers: ArrayLike<unknown>, what: string, rank: number): void {
  const fits = (number: unknown) => Number.isSafeInteger(number) && (number as number) >= 0;
  const odd = Array.from(numbers).findIndex((number) => !fits(number));
  if (odd < 0 && numbers.length === rank) return;
  const found = odd < 0 ? `${numbers.length} of them` : text(numbers[odd]);
  const message = `tensor.${what} must be ${rank} whole numbers from 0, not ${found}`;
  throw new AttentionError('shape', 'tensor', message);
}

function rowMajor(shape: readonly number[]): number[] {
  return shape.map((_, axis) => sizeOf(shape.slice(axis + 1)));
}

/** How many elements a shape has. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((size, length) => size * length, 1);
}

/** Of the last axis but one: queries or keys. */
export const lengthOf = ({ shape }: Tensor): number => shape[shape.length - 2]!;

/** Of the last axis: of a head. */
export const widthOf = ({ shape }: Tensor): number => shape[shape.length - 1]!;
