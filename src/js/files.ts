/**
 * Tensors from the files that NumPy and PyTorch write: `.npy`, `.npz` and `.safetensors`.
 *
 * @packageDocumentation
 */
import { AttentionError, type DType, type Tensor, type TensorData } from './index.js';
import { repeatedName } from './repeated-name.js';

export { repeatedName };

interface Elements {
  data: TensorData;
  dtype: DType;
}

/** How the elements of a kind are stored, little-endian: bytes of one, and what a buffer of them holds. */
type Kind = readonly [bytes: number, read: (buffer: ArrayBuffer, name: string) => Elements];

const whole = (numbers: ArrayLike<number>): Elements => ({
  data: Float64Array.from(numbers),
  dtype: 'float64',
});
const wholeOf = (numbers: BigInt64Array | BigUint64Array, name: string): Elements =>
  whole(Array.from(numbers, (integer) => exactNumber(integer, name)));

const kinds: { readonly [name: string]: Kind } = {
  f8: [8, (buffer) => ({ data: new Float64Array(buffer), dtype: 'float64' })],
  f4: [4, (buffer) => ({ data: new Float32Array(buffer), dtype: 'float32' })],
  f2: [2, (buffer) => ({ data: new Uint16Array(buffer), dtype: 'float16' })],
  bf2: [2, (buffer) => ({ data: new Uint16Array(buffer), dtype: 'bfloat16' })],
  b1: [1, (buffer) => ({ data: new Uint8Array(buffer), dtype: 'bool' })],
  i8: [8, (buffer, name) => wholeOf(new BigInt64Array(buffer), name)],
  i4: [4, (buffer) => whole(new Int32Array(buffer))],
  i2: [2, (buffer) => whole(new Int16Array(buffer))],
  i1: [1, (buffer) => whole(new Int8Array(buffer))],
  u8: [8, (buffer, name) => wholeOf(new BigUint64Array(buffer), name)],
  u4: [4, (buffer) => whole(new Uint32Array(buffer))],
  u2: [2, (buffer) => whole(new Uint16Array(buffer))],
  u1: [1, (buffer) => whole(new Uint8Array(buffer))],
};

/** What safetensors calls them. */
const safetensorsKinds: { readonly [name: string]: string } = {
  ...{ F64: 'f8', F32: 'f4', F16: 'f2', BF16: 'bf2', BOOL: 'b1' },
  ...{ I64: 'i8', I32: 'i4', I16: 'i2', I8: 'i1', U64: 'u8', U32: 'u4', U16: 'u2', U8: 'u1' },
};

/**
 * Every tensor of a file, by its name there. Which of the formats it is, its contents say. float64,
 * float32, float16, bfloat16 and bool stay what they are; whole numbers become float64.
 *
 * @param contents the bytes of the file
 * @param name the file's name, for errors; the one tensor of a `.npy` file is called by it, without
 *   folder and ending
 * @throws AttentionError with the code `'file'` when the file is of another format or damaged,
 *   `'data'` when it has not as many elements as its shape, `'dtype'` when no tensor can hold them
 */
export async function readTensors(
  contents: Uint8Array,
  name = 'file',
): Promise<Map<string, Tensor>> {
  const bytes = new Uint8Array(contents); // also a Buffer of Node's, whose slice() does not copy
  try {
    if (startsWith(bytes, '\x93NUMPY')) {
      return new Map([[name.replace(/^.*[\\/]/, '').replace(/\.npy$/i, ''), readNpy(bytes, name)]]);
    }
    if (startsWith(bytes, 'PK')) return await readNpz(bytes, name);
    if (bytes[8] === '{'.charCodeAt(0)) return readSafetensors(bytes, name);
  } catch (error) {
    // What reads behind the end of a file throws, and so does the JSON of a damaged header.
    if (error instanceof AttentionError) throw error;
    const cut = error instanceof RangeError;
    throw wrong(name, cut ? 'is cut off' : `is damaged: ${(error as Error).message}`);
  }
  throw wrong(name, 'is neither a .npy, .npz nor a .safetensors file');
}

/** The format's version, the length of its header, a Python dictionary, then the elements. */
function readNpy(bytes: Uint8Array<ArrayBuffer>, name: string): Tensor {
  const view = viewOf(bytes);
  const isFirst = view.getUint8(6) === 1;
  const start = isFirst ? 10 : 12;
  const length = isFirst ? view.getUint16(8, true) : view.getUint32(8, true);
  const header = textOf(bytes.subarray(start, start + length));
  // A list of fields, or a date, is no kind of number; it is named as it is written.
  const [, written = ''] = /'descr': *('[^']*'|\[.*?\](?=, *'|}))/s.exec(header) ?? [];
  const [, order = '', kind = written.replace(/^'|'$/g, '')] =
    /^'([<>|=]?)(\w+)'$/.exec(written) ?? [];
  const [, layout] = /'fortran_order': *(True|False)/.exec(header) ?? [];
  const [, lengths] = /'shape': *\(([-\d, ]*)\)/.exec(header) ?? [];
  if (layout === undefined || lengths === undefined) throw wrong(name, 'has a header that is cut');
  const shape = (lengths.match(/-?\d+/g) ?? []).map(Number);
  const stored = bytes.slice(start + length);
  const tensor = tensorOf(shape, kind, order === '>' ? swapped(stored, kind) : stored, name);
  return layout === 'True' ? { ...tensor, strides: columnMajor(shape) } : tensor;
}

/** A table of names in JSON, behind its length, then the elements of all of them. */
function readSafetensors(bytes: Uint8Array<ArrayBuffer>, name: string): Map<string, Tensor> {
  const start = 8 + Number(viewOf(bytes).getBigUint64(0, true));
  if (start > bytes.length) throw wrong(name, 'is cut off within its header');
  const header = textOf(bytes.subarray(8, start));
  const table = JSON.parse(header) as {
    [name: string]: { dtype: string; shape: number[]; data_offsets: [number, number] };
  };
  const twice = repeatedName(header);
  if (twice !== undefined) throw namedTwice(name, twice);
  const entries = Object.entries(table).filter(([key]) => key !== '__metadata__');
  checkBytes(entries, name);
  return new Map(
    entries.map(
      ([
        key,
        {
          dtype,
          shape,
          data_offsets: [from, to],
        },
      ]) => {
        const stored = bytes.slice(start + from, start + to);
        const kind = Object.hasOwn(safetensorsKinds, dtype) ? safetensorsKinds[dtype]! : dtype;
        return [key, tensorOf(shape, kind, stored, `${name}: ${key}`)];
      },
    ),
  );
}

/** Every byte belongs to one tensor at most, as the format has it; those without elements have none. */
function checkBytes(
  entries: readonly (readonly [key: string, { data_offsets: readonly [number, number] }])[],
  name: string,
): void {
  const places = entries
    .map(([key, { data_offsets: place }]) => ({ key, from: place[0], to: place[1] }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  for (const [at, { key, to }] of places.entries()) {
    const next = places[at + 1];
    if (next && next.from < to) {
      const advice = 'save each tensor with bytes of its own';
      throw wrong(name, `has ${key} and ${next.key} in the same bytes; ${advice}`);
    }
  }
}

/** A zip archive of .npy files. */
async function readNpz(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<Map<string, Tensor>> {
  const view = viewOf(bytes);
  let end = bytes.length - 22; // the end record, behind which there may be a comment
  const isEnd = (place: number) =>
    view.getUint32(place, true) === 0x06054b50 &&
    place + 22 + view.getUint16(place + 20, true) === bytes.length;
  while (end >= 0 && !isEnd(end)) end--;
  if (end < 0) throw wrong(name, 'is a zip archive that is cut off');
  const tensors = new Map<string, Tensor>();
  const [count, first] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)];
  if (count === 0xffff || first === inZip64) throw zip64(name);
  let at = first;
  for (let left = count; left > 0; left--) {
    if (view.getUint32(at, true) !== 0x02014b50)
      throw wrong(name, 'is a zip archive that is cut off');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) =>
      view.getUint16(at + place, true),
    ) as [number, number, number];
    const entry = textOf(bytes.subarray(at + 46, at + 46 + nameLength));
    const local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const [packedLength, length] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    if ([packedLength, length, local].includes(inZip64)) throw zip64(name);
    const packed = bytes.subarray(start, start + packedLength);
    const method = view.getUint16(at + 10, true);
    if (entry.endsWith('.npy')) {
      const key = entry.slice(0, -4);
      if (tensors.has(key)) throw namedTwice(name, key);
      if (view.getUint16(at + 8, true) & 1) {
        throw wrong(name, `has ${key} encrypted; save it without a password`);
      }
      if (method !== 0 && method !== 8) {
        throw wrong(name, `has ${key} packed by method ${method}; save it with numpy.savez()`);
      }
      if (packed.length < packedLength) throw wrong(name, `has ${key} cut off`);
      const content = method === 0 ? packed.slice() : await inflated(packed);
      if (content.length !== length) throw wrong(name, `has ${key} cut off`);
      const [sum, found] = [view.getUint32(at + 16, true), checksum(content)];
      if (found !== sum) {
        const sums = `its CRC-32 is ${hex(found)} and should be ${hex(sum)}`;
        throw wrong(name, `has ${key} damaged: ${sums}; copy or save the file again`);
      }
      tensors.set(key, readNpy(content, `${name}: ${key}`));
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  if (tensors.size > 0) return tensors;
  throw wrong(
    name,
    'is a zip archive without .npy files; save a PyTorch checkpoint with safetensors.torch.save_file()',
  );
}

const namedTwice = (name: string, key: string) =>
  wrong(name, `has the name ${key} twice; save each tensor under a name of its own`);

/** Stands for a number that is in zip64's own records, which only archives beyond 4 GB need. */
const inZip64 = 0xffffffff;
const zip64 = (name: string) =>
  wrong(name, 'is a zip64 archive; save the tensors as .npy or .safetensors files');

const hex = (sum: number): string => sum.toString(16).padStart(8, '0');

/** What each byte adds to a CRC-32, its polynomial written from the lowest bit up. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** The CRC-32 that a zip archive keeps of each entry: RFC 1952, section 8. */
function checksum(bytes: Uint8Array): number {
  let sum = ~0;
  for (const byte of bytes) sum = remainders[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return ~sum >>> 0;
}

async function inflated(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function tensorOf(
  shape: number[],
  kindName: string,
  stored: Uint8Array<ArrayBuffer>,
  name: string,
): Tensor {
  const kind = Object.hasOwn(kinds, kindName) ? kinds[kindName] : undefined;
  if (!kind) {
    const names = 'float64, float32, float16, bfloat16, bool and whole numbers';
    throw wrong(name, `has elements of type '${kindName}'; there can be ${names}`, 'dtype');
  }
  const [bytes, read] = kind;
  if (!shape.every((length) => Number.isInteger(length) && length >= 0)) {
    throw wrong(name, `is damaged: its shape is ${shape.join('×')}`);
  }
  const count = shape.reduce((product, length) => product * length, 1);
  if (stored.length !== count * bytes) {
    const needed = `${count} elements of ${bytes} bytes`;
    const found = `has ${stored.length} bytes for ${needed}, shape ${shape.join('×')}`;
    throw wrong(name, found, 'data');
  }
  return { shape, ...read(stored.buffer, name) };
}

/** The same elements with the bytes of each in the other order. */
function swapped(stored: Uint8Array<ArrayBuffer>, kind: string): Uint8Array<ArrayBuffer> {
  const [bytes] = kinds[kind] ?? [1];
  return stored.map((_, at) => stored[at - (at % bytes) + bytes - 1 - (at % bytes)]!);
}

const columnMajor = (shape: readonly number[]): number[] =>
  shape.map((_, axis) => shape.slice(0, axis).reduce((product, length) => product * length, 1));

function exactNumber(integer: bigint, name: string): number {
  const number = Number(integer);
  if (Number.isSafeInteger(number)) return number;
  throw wrong(name, `holds the whole number ${integer}, which float64 would round`, 'dtype');
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const startsWith = (bytes: Uint8Array, text: string): boolean =>
  [...text].every((letter, at) => bytes[at] === letter.charCodeAt(0));

const wrong = (name: string, what: string, code = 'file'): AttentionError =>
  new AttentionError(code, name, `${name} ${what}`);
