// Tensors as people have them: text from a console or a spreadsheet, and the files that the library
// reads. Every reader says in a plain sentence what is wrong; nothing is guessed.
import { AttentionError, type Tensor, toNested } from 'attention-wasm';
import { readTensors } from 'attention-wasm/files';
import { isTooLarge, parseNumber } from './parse.js';

export interface GivenTensor {
  shape: number[];
  /** Always float64: what the file held, without loss. */
  data: Float64Array;
  /** What it was before: a dtype of the library's, or text. */
  dtype: string;
}

/** What is wrong with a text or file; `word` names the sentence in the reader's language. */
export class ReadError extends Error {
  constructor(
    readonly word:
      | 'empty'
      | 'ragged'
      | 'notNumber'
      | 'tooLarge'
      | 'deep'
      | 'cut'
      | 'notJson'
      | 'file'
      | 'data'
      | 'dtype'
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

/** Words that are numbers, in any case: of Python, NumPy, PyTorch and JavaScript. */
const spelled = new Map([
  ['true', 1],
  ['false', 0],
  ['nan', NaN],
  ...['inf', '+inf', 'infinity'].map((name) => [name, Infinity] as const),
  ...['-inf', '-infinity'].map((name) => [name, -Infinity] as const),
]);
const numberOf = (token: string): number => {
  const parsed = spelled.get(token.toLowerCase()) ?? parseNumber(token);
  if (parsed === undefined) {
    const word = isTooLarge(token) ? 'tooLarge' : 'notNumber';
    throw new ReadError(word, { text: token.slice(0, 24) });
  }
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
  const tokens = text.match(/\[|\]|[^\s,[\]()"]+/g) ?? [];
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
        const row = (counts[depth - 1] ?? 0) + 1;
        throw new ReadError('ragged', { row, length: count, first: shape[depth]! });
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

/** What the library read, as this page keeps it. */
const givenOf = (tensor: Tensor): GivenTensor => ({
  shape: [...tensor.shape],
  data: Float64Array.from([toNested(tensor)].flat(Infinity) as unknown[], Number),
  dtype: tensor.dtype!,
});

/** The tensors of a file by their names, and the workbench's settings where it has some. */
export interface Found {
  tensors: Map<string, GivenTensor>;
  settings?: string;
}

/** Every tensor of a file, by name; a file of one tensor names it after itself. */
export async function readFile(file: File): Promise<Found> {
  const [, stem = file.name, ending = ''] = /^(.*)\.(\w+)$/.exec(file.name) ?? [];
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/^(json|csv|tsv|txt)$/i.test(ending)) return readTexts(new TextDecoder().decode(bytes), stem);
  try {
    const tensors = await readTensors(bytes, file.name);
    return { tensors: new Map([...tensors].map(([name, tensor]) => [name, givenOf(tensor)])) };
  } catch (error) {
    if (!(error instanceof AttentionError)) throw error;
    const isKnown = /^(npy|npz|safetensors)$/i.test(ending);
    const word = error.code === 'dtype' || error.code === 'data' ? error.code : 'file';
    throw new ReadError(isKnown ? word : 'unknownFile', { reason: error.message });
  }
}

/** A JSON object names several tensors; anything else is one. */
export function readTexts(text: string, stem: string): Found {
  if (!text.trimStart().startsWith('{')) return { tensors: new Map([[stem, readText(text)]]) };
  let table: Record<string, unknown>;
  try {
    table = JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ReadError('notJson', { reason: (error as Error).message });
  }
  const inner = (table.inputs ?? table) as Record<string, unknown>;
  const arrays = Object.entries(inner).filter(([, value]) => Array.isArray(value));
  if (arrays.length === 0) throw new ReadError('noTensor');
  return {
    tensors: new Map(arrays.map(([name, value]) => [name, readText(JSON.stringify(value))])),
    ...(typeof table.workbench === 'string' ? { settings: table.workbench } : {}),
  };
}
