// Tensors as files: .safetensors and .npy, which NumPy, PyTorch and the workbench read, and text,
// written a slice at a time.
import type { DType } from 'attention-wasm';
import { SLICE, inTurns } from '../state/turns.js';

export interface Numbers {
  shape: readonly number[];
  data: Float32Array | Float64Array | Uint8Array | Uint16Array;
  /** Need not be said, but of float16 and bfloat16. */
  dtype?: DType | undefined;
}

const kinds: Record<DType, { npy?: string; safetensors: string }> = {
  float32: { npy: '<f4', safetensors: 'F32' },
  float64: { npy: '<f8', safetensors: 'F64' },
  float16: { npy: '<f2', safetensors: 'F16' },
  bfloat16: { safetensors: 'BF16' }, // NumPy has no such type
  bool: { npy: '|b1', safetensors: 'BOOL' },
};
const plain = new Map<unknown, DType>([
  [Float32Array, 'float32'],
  [Float64Array, 'float64'],
  [Uint8Array, 'bool'],
]);
const kindOf = ({ data, dtype }: Numbers) => kinds[dtype ?? plain.get(data.constructor)!];

/** What the elements are, in bytes. A Blob copies what it is made of, so it is made of slices. */
function* bytesOf({ data }: Numbers): Generator<void, Blob> {
  const parts: Blob[] = [];
  for (let from = 0; from < data.length; from += SLICE) {
    // A Blob does not take memory that threads share; none is.
    const part = data.subarray(from, from + SLICE) as typeof data & ArrayBufferView<ArrayBuffer>;
    parts.push(new Blob([part]));
    yield;
  }
  return new Blob(parts);
}

/** `text` and spaces, so that what follows begins at a multiple of `bytes`. */
const padded = (text: string, before: number, bytes: number) =>
  text + ' '.repeat((bytes - ((before + text.length) % bytes)) % bytes);

/** https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0 */
export async function toNpy(tensor: Numbers): Promise<Blob> {
  const shape = tensor.shape.map((length) => `${length},`).join(' ');
  const dictionary = `{'descr': '${kindOf(tensor).npy}', 'fortran_order': False, 'shape': (${shape}), }`;
  const header = `${padded(dictionary, 11, 64)}\n`;
  const start = new Uint8Array([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0, 0, 0]);
  new DataView(start.buffer).setUint16(8, header.length, true);
  return new Blob([start, header, await inTurns(bytesOf(tensor))]);
}

/** https://huggingface.co/docs/safetensors: the length of the header, a table, the elements. */
export async function toSafetensors(tensors: Readonly<Record<string, Numbers>>): Promise<Blob> {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, tensor]) => {
    const begin = end;
    end += tensor.data.byteLength;
    const { safetensors: dtype } = kindOf(tensor);
    return [name, { dtype, shape: tensor.shape, data_offsets: [begin, end] }] as const;
  });
  const header = padded(JSON.stringify(Object.fromEntries(entries)), 0, 8);
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(header.length), true);
  const elements: Blob[] = [];
  for (const tensor of Object.values(tensors)) elements.push(await inTurns(bytesOf(tensor)));
  return new Blob([length, header, ...elements]);
}

/** How a number is written. */
export type Write = (x: number) => string;

/** So many numbers are written in one turn: as text they take longer than to look at. */
const AT_ONCE = SLICE / 8;

/** Brackets within brackets, a row of numbers a line, all but the first indented. */
export function* toNested(
  { shape, data }: Pick<Numbers, 'shape' | 'data'>,
  write: Write,
  indent: string,
): Generator<void, string[]> {
  const width = shape.at(-1) ?? 1;
  const sizes = shape.map((_, axis) => shape.slice(axis).reduce((a, b) => a * b, 1));
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < data.length; at += width) {
    const begun = sizes.filter((size) => at % size === 0).length;
    const ended = sizes.filter((size) => (at + width) % size === 0).length;
    const row = Array.from(data.subarray(at, at + width), write).join(', ');
    const isLast = at + width >= data.length;
    part += '['.repeat(begun) + row + ']'.repeat(ended) + (isLast ? '' : `,\n${indent}`);
    if (part.length > AT_ONCE * 8 || isLast) {
      parts.push(part);
      part = '';
      yield;
    }
  }
  return parts.length > 0 ? parts : ['['.repeat(shape.length) + ']'.repeat(shape.length)];
}

/** Texts as a Blob stores them: to encode them takes as long as to write them. */
export function* toBlobs(texts: readonly string[]): Generator<void, Blob[]> {
  const parts: Blob[] = [];
  for (const text of texts) {
    parts.push(new Blob([text]));
    yield;
  }
  return parts;
}

/** A matrix, a row a line. */
export function* toRows({ shape, data }: Numbers): Generator<void, Blob[]> {
  const width = shape.at(-1)!;
  const rows = Math.max(Math.floor(AT_ONCE / width), 1);
  const parts: Blob[] = [];
  for (let at = 0; at < data.length; at += rows * width) {
    const end = Math.min(at + rows * width, data.length);
    let part = '';
    for (let row = at; row < end; row += width)
      part += `${data.subarray(row, row + width).join()}\n`;
    parts.push(new Blob([part]));
    yield;
  }
  return parts;
}
