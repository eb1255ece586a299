// Tensors as people have them: text from a console or a spreadsheet, .npy, .npz, .safetensors.
// Every reader says in a plain sentence what is wrong; nothing is guessed.
import { parseNumber } from './parse.js';

export interface GivenTensor {
  shape: number[];
  /** Always float64: what the file held, without loss (int64 beyond 2⁵³ excepted). */
  data: Float64Array;
  /** As the file called it. */
  dtype: string;
}

/** What is wrong with a text or file; `word` names the sentence in the reader's language. */
export class ReadError extends Error {
  constructor(
    readonly word:
      | 'empty'
      | 'ragged'
      | 'notNumber'
      | 'deep'
      | 'notNpy'
      | 'cut'
      | 'dtype'
      | 'notSafetensors'
      | 'notJson'
      | 'notZip'
      | 'unknownFile'
      | 'noTensor'
      | 'unplaced'
      | 'other',
    readonly values: Record<string, string | number> = {},
  ) {
    super(word);
  }
}

const size = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** Nested brackets (JSON, NumPy, PyTorch) or plain rows (CSV, a spreadsheet). */
export function readText(text: string): GivenTensor {
  const plain = text.normalize('NFKC').trim();
  if (plain === '') throw new ReadError('empty');
  const start = plain.search(/\[/);
  return start >= 0 ? readNested(plain.slice(start)) : readRows(plain);
}

const truth: Record<string, number> = { true: 1, false: 0 };
const numberOf = (token: string): number => {
  const value =
    truth[token.toLowerCase()] ??
    { nan: NaN, inf: Infinity, '-inf': -Infinity }[token.toLowerCase()];
  const parsed = value ?? parseNumber(token);
  if (parsed === undefined) throw new ReadError('notNumber', { text: token.slice(0, 24) });
  return parsed;
};

function readRows(text: string): GivenTensor {
  const rows = text
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/[,;]+$/, ''))
    .filter((line) => line !== '')
    .map((line) => line.split(/[\s,;]+/));
  const [first] = rows;
  const ragged = rows.findIndex((row) => row.length !== first!.length);
  if (ragged >= 0) {
    const values = { row: ragged + 1, length: rows[ragged]!.length, first: first!.length };
    throw new ReadError('ragged', values);
  }
  const tokens = rows.flat();
  return {
    shape: [rows.length, first!.length],
    data: Float64Array.from(tokens, numberOf),
    dtype: 'text',
  };
}

function readNested(text: string): GivenTensor {
  const tokens = text.match(/\[|\]|[^\s,[\]()]+/g) ?? [];
  const shape: number[] = [];
  const counts: number[] = [];
  const numbers: string[] = [];
  let depth = 0;
  for (const token of tokens) {
    if (token === '[') {
      counts[depth++] = 0;
      if (depth > 4) throw new ReadError('deep', { depth });
    } else if (token === ']') {
      const count = counts[--depth]!;
      if (shape[depth] === undefined) shape[depth] = count;
      else if (shape[depth] !== count) {
        throw new ReadError('ragged', { row: numbers.length, length: count, first: shape[depth]! });
      }
      if (depth === 0) break;
      counts[depth - 1]! += 1;
    } else {
      numbers.push(token);
      counts[depth - 1]! += 1;
    }
  }
  if (depth !== 0) throw new ReadError('cut', { missing: ']' });
  if (numbers.length !== size(shape)) {
    throw new ReadError('ragged', { row: 1, length: numbers.length, first: size(shape) });
  }
  return {
    shape,
    data: Float64Array.from(numbers, numberOf),
    dtype: 'text',
  };
}

/** One number of each element type, little-endian. */
const elements: Record<string, { bytes: number; read: (view: DataView, at: number) => number }> = {
  f8: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  f4: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  f2: { bytes: 2, read: (view, at) => fromHalf(view.getUint16(at, true)) },
  bf: { bytes: 2, read: (view, at) => fromBrain(view.getUint16(at, true)) },
  i8: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  i4: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  i2: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  i1: { bytes: 1, read: (view, at) => view.getInt8(at) },
  u1: { bytes: 1, read: (view, at) => view.getUint8(at) },
  b1: { bytes: 1, read: (view, at) => (view.getUint8(at) ? 1 : 0) },
};

function fromHalf(bits: number): number {
  const [sign, power, rest] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (power === 31) return rest ? NaN : sign * Infinity;
  return sign * (power === 0 ? rest * 2 ** -24 : (1 + rest / 1024) * 2 ** (power - 15));
}

const brain = new DataView(new ArrayBuffer(4));
function fromBrain(bits: number): number {
  brain.setUint32(0, bits << 16);
  return brain.getFloat32(0);
}

function readElements(
  view: DataView,
  at: number,
  kind: string,
  shape: number[],
  dtype: string,
): GivenTensor {
  const element = elements[kind]!;
  const count = size(shape);
  if (at + count * element.bytes > view.byteLength) {
    throw new ReadError('cut', { missing: at + count * element.bytes - view.byteLength });
  }
  const data = new Float64Array(count);
  for (let index = 0; index < count; ++index) {
    data[index] = element.read(view, at + index * element.bytes);
  }
  return { shape, data, dtype };
}

/** NumPy's format: magic, version, a Python dictionary, the numbers. */
export function readNpy(bytes: Uint8Array): GivenTensor {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isNpy = bytes.length > 10 && String.fromCharCode(...bytes.subarray(1, 6)) === 'NUMPY';
  if (!isNpy) throw new ReadError('notNpy');
  const long = bytes[6]! >= 2;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  const start = long ? 12 : 10;
  const header = new TextDecoder().decode(bytes.subarray(start, start + length));
  const dtype = /'descr':\s*'([^']+)'/.exec(header)?.[1] ?? '?';
  const shapeText = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1] ?? '';
  const shape = shapeText
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);
  const kind = dtype.replace(/^[<|=]/, '');
  if (!(kind in elements)) throw new ReadError('dtype', { dtype });
  const read = readElements(view, start + length, kind, shape, dtype);
  return /'fortran_order':\s*True/.test(header) ? rowMajor(read) : read;
}

/** What was stored with the first axis running fastest. */
function rowMajor({ shape, data, ...rest }: GivenTensor): GivenTensor {
  const ordered = new Float64Array(data.length);
  for (let at = 0; at < data.length; ++at) {
    let [left, stride, from] = [at, data.length, 0];
    for (let axis = shape.length - 1; axis >= 0; --axis) {
      stride /= shape[axis]!;
      from += (left % shape[axis]!) * stride;
      left = Math.floor(left / shape[axis]!);
    }
    ordered[at] = data[from]!;
  }
  return { shape, data: ordered, ...rest };
}

const safetensorsKinds: Record<string, string> = {
  F64: 'f8',
  F32: 'f4',
  F16: 'f2',
  BF16: 'bf',
  I64: 'i8',
  I32: 'i4',
  I16: 'i2',
  I8: 'i1',
  U8: 'u1',
  BOOL: 'b1',
};

/** A length, a JSON table of names, the numbers. */
export function readSafetensors(bytes: Uint8Array): Map<string, GivenTensor> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8) throw new ReadError('notSafetensors');
  const length = Number(view.getBigUint64(0, true));
  if (length > bytes.length - 8) throw new ReadError('notSafetensors');
  let table: Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;
  try {
    table = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as typeof table;
  } catch {
    throw new ReadError('notSafetensors');
  }
  const found = new Map<string, GivenTensor>();
  for (const [name, { dtype, shape, data_offsets: place }] of Object.entries(table)) {
    if (name === '__metadata__') continue;
    const kind = safetensorsKinds[dtype];
    if (!kind) throw new ReadError('dtype', { dtype });
    found.set(name, readElements(view, 8 + length + place[0], kind, shape, dtype));
  }
  return found;
}

export type Found = Map<string, GivenTensor>;

/** Every tensor of a file, by name; a file of one tensor names it after itself. */
export async function readFile(file: File): Promise<Found> {
  const [, stem = file.name, ending = ''] = /^(.*)\.(\w+)$/.exec(file.name) ?? [];
  const bytes = new Uint8Array(await file.arrayBuffer());
  switch (ending.toLowerCase()) {
    case 'npy':
      return new Map([[stem, readNpy(bytes)]]);
    case 'npz': {
      const { unzipSync } = await import('fflate');
      const parts = Object.entries(unzip(unzipSync, bytes)).filter(([name]) =>
        name.endsWith('.npy'),
      );
      return new Map(parts.map(([name, part]) => [name.slice(0, -4), readNpy(part)]));
    }
    case 'safetensors':
      return readSafetensors(bytes);
    case 'json':
    case 'csv':
    case 'tsv':
    case 'txt':
      return readTexts(new TextDecoder().decode(bytes), stem);
    default:
      throw new ReadError('unknownFile', { name: file.name });
  }
}

function unzip(unzipSync: (bytes: Uint8Array) => Record<string, Uint8Array>, bytes: Uint8Array) {
  try {
    return unzipSync(bytes);
  } catch {
    throw new ReadError('notZip');
  }
}

/** A JSON object names several tensors; anything else is one. */
export function readTexts(text: string, stem: string): Found {
  if (!text.trimStart().startsWith('{')) return new Map([[stem, readText(text)]]);
  let table: Record<string, unknown>;
  try {
    table = JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ReadError('notJson', { reason: (error as Error).message });
  }
  const inner = (table.inputs ?? table) as Record<string, unknown>;
  const arrays = Object.entries(inner).filter(([, value]) => Array.isArray(value));
  if (arrays.length === 0) throw new ReadError('noTensor');
  return new Map(arrays.map(([name, value]) => [name, readText(JSON.stringify(value))]));
}
