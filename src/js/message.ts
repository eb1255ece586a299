// Writes a call into WebAssembly memory as one flat list of float64 words; src/wasm/value.h explains
// the format and is the reader. What a value means, and whether it is right, is decided there.

import { checkNumbers, deepest, isPlain, text, tooDeep } from './arguments.js';
import { AttentionError } from './errors.js';
import { dtypes, type DType } from './generated/options.js';
import { bitsOf, dtypeOf, isArray, isTensor, kindOf, sizeOf } from './tensor.js';
import type { Tensor, TensorData } from './tensor.js';

/** As `enum class Tag`. */
const enum Tag {
  nothing,
  boolean,
  number,
  bigint,
  string,
  list,
  object,
  numbers,
  tensor,
  function,
  other,
}

/** Where among the words of a tensor stand its shape, the elements to copy and the address for them. */
const shapeWord = 3;
const lengthWord = 12;
const addressWord = 13;

/** Of a function that threw or answered neither true nor false. */
const failed = -1;

const nothing: TensorData = new Uint8Array(0);

/** Arrays of integers that no dtype is stored in: a Uint8Array is bool, a Uint16Array 16-bit floats. */
const integers = /^(Uint8Clamped|Int(8|16|32)|Uint32|Big(Int|Uint)64)Array$/;

export type AnyFunction = (...args: never[]) => unknown;

/** A tensor's data, and at which word its address will be. */
interface Upload {
  dtype: number;
  data: TensorData;
  at: number;
  /** Its place in the tensor, of which the rest is not there. */
  first: number;
}

export class Message {
  /** How many words have been written. */
  length = 0;
  /** Kept and used again, so that a small call makes little garbage. */
  readonly #uploads: Upload[] = [];
  #uploadCount = 0;
  /** Of them are query, key and value. */
  #inputCount = 0;
  /** Called from C++, which an exception must not cross. */
  readonly functions: AnyFunction[] = [];
  /** What one of them threw. */
  failure: { reason: unknown } | undefined;
  #words: Float64Array = new Float64Array(0);
  readonly #room: (words: number) => Float64Array;

  /** @param room gives a view of at least so many words, holding what was written before. */
  constructor(room: (words: number) => Float64Array) {
    this.#room = room;
  }

  restart(): void {
    this.length = 0;
    this.#words = this.#room(1);
  }

  /** Lets go of what belongs to the caller. */
  forget(): void {
    for (let i = 0; i < this.#uploadCount; i++) this.#uploads[i]!.data = nothing;
    this.#uploadCount = this.#inputCount = 0;
    if (this.functions.length > 0) this.functions.length = 0;
    this.failure = undefined;
  }

  /** The dtype of the first tensor, which is the query's. */
  get dtype(): DType {
    return dtypes[this.#uploads[0]!.dtype]!;
  }

  /** Copies the tensors from number `first` on, whose addresses have been filled in. */
  upload(heap: readonly TensorData[], first: number, end = this.#uploadCount): void {
    this.#words = this.#room(1);
    for (let i = first; i < end; i++) this.#copy(heap, this.#uploads[i]!, 0, Infinity);
  }

  /**
   * Copies the inputs; those of options have been copied.
   *
   * @param needed as of uploadHeads()
   */
  uploadInputs(heap: readonly TensorData[], needed?: ArrayLike<number>): void {
    if (needed === undefined) this.upload(heap, 0, this.#inputCount);
    else this.uploadHeads(heap, 0, Infinity, needed);
  }

  /**
   * Copies keys and values of heads `begin` to `end` of [B·H_kv], and the queries that read them.
   *
   * @param needed first and last + 1 of the keys that are read of each batch element: of key and
   *   value no more is copied
   */
  uploadHeads(
    heap: readonly TensorData[],
    begin: number,
    end: number,
    needed?: ArrayLike<number>,
  ): void {
    this.#words = this.#room(1);
    const [query, key, value] = this.#uploads as [Upload, Upload, Upload];
    const [batch, kvHeads, keys] = this.#shape(key);
    end = Math.min(end, batch * kvHeads);
    for (const upload of [query, key, value]) {
      const size = sizeOf(this.#shape(upload)) / (batch * kvHeads);
      if (needed === undefined || upload === query) {
        this.#copy(heap, upload, begin * size, end * size);
        continue;
      }
      for (let head = begin; head < end; head++) {
        const element = 2 * Math.floor(head / kvHeads);
        const place = (key: number) => head * size + (key * size) / keys;
        this.#copy(heap, upload, place(needed[element]!), place(needed[element + 1]!));
      }
    }
  }

  #shape({ at }: Upload): [number, number, number, number] {
    const shape = this.#words.subarray(at + shapeWord, at + shapeWord + 4);
    return [shape[0]!, shape[1]!, shape[2]!, shape[3]!];
  }

  /** Copies elements begin ≤ element < end of a tensor, as far as they are there. */
  #copy(heap: readonly TensorData[], upload: Upload, begin: number, end: number): void {
    const { dtype, data, at, first } = upload;
    const into = heap[dtype]!;
    const start = this.#words[at + addressWord]! / into.BYTES_PER_ELEMENT + first;
    const length = Math.min(this.#words[at + lengthWord]! - first, data.length);
    begin = Math.max(begin - first, 0);
    end = Math.min(end - first, length);
    if (begin === 0 && end === data.length) into.set(data, start);
    else if (begin < end) into.set(data.subarray(begin, end), start + begin);
  }

  /** Any value; `name` is for messages. */
  value(value: unknown, name: string, depth = 0): void {
    switch (typeof value) {
      case 'undefined':
        return this.#nothing(0);
      case 'boolean':
        this.#put(Tag.boolean);
        return this.#put(value ? 1 : 0);
      case 'number':
        this.#put(Tag.number);
        return this.#put(value);
      case 'string':
        this.#put(Tag.string);
        return this.#text(value);
      case 'bigint':
        return this.#bigint(value);
      case 'function':
        this.#put(Tag.function);
        this.#put(this.functions.length);
        this.functions.push(this.#caught(value as AnyFunction));
        return;
      case 'object':
        if (value === null) return this.#nothing(1);
        if (depth > deepest) throw tooDeep();
        if (isArray(value)) return this.#array(value, name, depth);
        if (isTensor(value)) return this.tensor(value, name, true);
        if (!isPlain(value)) return this.#other(`${text(value)}, which is no plain object`);
        return this.#object(value as Record<string, unknown>, depth);
      default:
        return this.#other(`a ${typeof value}`);
    }
  }

  /** query, key or value; `first` as of tensor(). */
  input(value: unknown, name: string, first?: number): void {
    if (!isTensor(value)) return this.value(value, name);
    this.#inputCount++;
    this.tensor(value, name, false, first);
  }

  /**
   * @param numeric whole numbers in an array of integers are welcome, as numbers
   * @param first the data are the elements from this one on, not all; what is not there is not read
   */
  tensor(tensor: Tensor, name: string, numeric: boolean, first?: number): void {
    const { shape, data, strides } = tensor;
    const kind = kindOf(data);
    checkNumbers(shape, name, 'shape');
    if (strides) checkNumbers(strides, name, 'strides');
    if (numeric && !strides && integers.test(kind)) {
      return this.#integers(data, shape, name);
    }
    const rank = shape.length;
    if (strides && strides.length !== rank) {
      throw new AttentionError(
        'shape',
        name,
        `${name} has ${strides.length} strides but ${rank} axes; give one for each axis`,
      );
    }
    const dtype = dtypes.indexOf(dtypeOf(tensor, name));
    const upload = (this.#uploads[this.#uploadCount++] ??= {} as Upload);
    upload.dtype = dtype;
    upload.data = kind === 'Float16Array' ? bitsOf(data) : data;
    upload.at = this.length;
    upload.first = first ?? 0;
    this.#put(Tag.tensor);
    this.#put(dtype);
    this.#put(rank);
    for (let axis = rank - 4; axis < rank; axis++) this.#put(axis < 0 ? 1 : shape[axis]!);
    this.#put(strides ? 1 : 0);
    for (let axis = rank - 4; axis < rank; axis++) {
      this.#put(axis < 0 || !strides ? 0 : strides[axis]!);
    }
    this.#put(first === undefined ? data.length : sizeOf(shape));
    this.#put(0);
  }

  #object(object: Record<string, unknown>, depth: number): void {
    const names = Object.getOwnPropertyNames(object);
    this.#put(Tag.object);
    this.#put(names.length);
    for (const name of names) {
      this.#text(name);
      this.value(object[name], name, depth + 1);
    }
  }

  /** Numbers or booleans that fill a box are written as such, everything else one by one. */
  #array(array: ArrayLike<unknown>, name: string, depth: number): void {
    const shape: number[] = [];
    let first: unknown = array;
    for (; isArray(first) && shape.length < deepest; first = first[0]) shape.push(first.length);
    const start = this.length;
    if (first === undefined || isNumber(first)) {
      if (this.#numbers(array, shape)) return;
      this.length = start;
    }
    this.#put(Tag.list);
    this.#put(array.length);
    for (let i = 0; i < array.length; i++) this.value(array[i], name, depth + 1);
  }

  /** False, with something written, if the elements are not of that shape or not numbers. */
  #numbers(elements: ArrayLike<unknown>, shape: readonly number[]): boolean {
    this.#header(shape);
    const write = (part: ArrayLike<unknown>, axis: number): boolean => {
      if (part.length !== shape[axis]) return false;
      for (let i = 0; i < part.length; i++) {
        const element = part[i];
        if (axis + 1 < shape.length) {
          if (!isArray(element) || !write(element, axis + 1)) return false;
        } else {
          if (!isNumber(element)) return false;
          this.#put(Number(element));
        }
      }
      return true;
    };
    return write(elements, 0);
  }

  #integers(elements: ArrayLike<number | bigint>, shape: readonly number[], name: string): void {
    if (elements.length !== sizeOf(shape)) {
      throw new AttentionError(
        'data',
        name,
        `${name} has shape ${shape.join('×')} but ${elements.length} elements of data`,
      );
    }
    this.#header(shape);
    for (let i = 0; i < elements.length; i++) this.#put(Number(elements[i]));
  }

  #header(shape: readonly number[]): void {
    this.#put(Tag.numbers);
    this.#put(shape.length);
    for (const length of shape) this.#put(length);
  }

  #bigint(value: bigint): void {
    if (value < 0n || value >= 2n ** 64n) return this.#other(`the bigint ${value}`);
    this.#put(Tag.bigint);
    this.#put(Number(value >> 32n));
    this.#put(Number(value & 0xffffffffn));
  }

  #other(what: string): void {
    this.#put(Tag.other);
    this.#text(what);
  }

  /** 1 or 0 for true or false; once one has failed all say so, and are not called again. */
  #caught(call: AnyFunction): AnyFunction {
    return (...args) => {
      if (this.failure !== undefined) return failed;
      try {
        const answer = call(...args);
        if (typeof answer === 'boolean') return Number(answer);
        throw new AttentionError(
          'type',
          'mask.function.allows',
          `mask.function.allows(${args.join(', ')}) must return true or false, not ${text(answer)}`,
        );
      } catch (reason) {
        this.failure = { reason };
        return failed;
      }
    };
  }

  #nothing(isNull: 0 | 1): void {
    this.#put(Tag.nothing);
    this.#put(isNull);
  }

  #text(text: string): void {
    this.#put(text.length);
    for (let i = 0; i < text.length; i++) this.#put(text.charCodeAt(i));
  }

  #put(word: number): void {
    if (this.length === this.#words.length) this.#words = this.#room(this.length + 1);
    this.#words[this.length++] = word;
  }
}

function isNumber(value: unknown): value is number | boolean | bigint {
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
}
