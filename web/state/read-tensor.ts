// Tensors from files: text, JSON of several, and what the library reads. Every reader says in a plain
// sentence what is wrong.
import { AttentionError, type Tensor, toNested } from 'attention-wasm';
import { readTensors, repeatedName } from 'attention-wasm/files';
import { type GivenTensor, ReadError, readText } from './read-text.js';

/** The tensors of a file by their names, and the workbench's settings where it has some. */
export interface Found {
  tensors: Map<string, GivenTensor>;
  settings?: string;
  /** Parts of a JSON file that are no arrays. */
  skipped: string[];
}

/** What the library read, as this page keeps it: float64, row by row. */
function givenOf(tensor: Tensor): GivenTensor {
  const { data, strides } = tensor;
  const isPlain = !strides && /^(float(32|64)|bool)$/.test(tensor.dtype!);
  return {
    shape: [...tensor.shape],
    data: isPlain
      ? new Float64Array(data as Float32Array)
      : Float64Array.from([toNested(tensor)].flat(Infinity) as unknown[], Number),
    dtype: tensor.dtype!,
  };
}

/** The library's sentences about files, by the word that says the same in the reader's language. */
const sentences: readonly (readonly [ReadError['word'], RegExp])[] = [
  ['cutHeader', /^(?<name>.+?) (has a header that is cut|is cut off within its header)/],
  ['cutEntry', /^(?<name>.+?) has (?<entry>.+) cut off/],
  [
    'damagedEntry',
    /^(?<name>.+?) has (?<entry>.+) damaged: its CRC-32 is (?<found>\w+) and should be (?<sum>\w+)/,
  ],
  ['cutFile', /^(?<name>.+?) is (a zip archive that is )?cut off/],
  ['twoNames', / has the name (?<entry>.*) twice; save each /s],
  ['encrypted', /^(?<name>.+?) has (?<entry>.+) encrypted/],
  ['zip64', /^(?<name>.+?) is a zip64 archive/],
  ['packed', /^(?<name>.+?) has (?<entry>.+) packed by method (?<method>\d+)/],
  ['noNpy', /^(?<name>.+?) is a zip archive without \.npy files/],
  ['whole', /^(?<name>.+?) holds the whole number (?<value>-?\d+)/],
  ['dtype', /^(?<name>.+?) has elements of type '(?<kind>.*)'/],
  [
    'data',
    /^(?<name>.+?) has (?<found>\d+) bytes for (?<count>\S+) elements of (?<bytes>\d) bytes, shape (?<shape>.*)$/,
  ],
  ['unknownFile', /^(?<name>.+?) is neither a /],
  ['badShape', /^(?<name>.+?) is damaged: its shape is (?<shape>.+)$/],
  ['damaged', /^(?<name>.+?) is damaged/],
  ['sameBytes', /^(?<name>.+?) has (?<entry>.+) and (?<other>.+) in the same bytes/],
];

/** An error of the library's as one of this page's. */
function inWords(error: unknown): unknown {
  if (!(error instanceof AttentionError)) return error;
  for (const [word, sentence] of sentences) {
    const found = sentence.exec(error.message);
    if (found) return new ReadError(word, { ...found.groups });
  }
  return new ReadError('other', { reason: error.message });
}

/** Every tensor of a file, by name; a file of one tensor names it after itself. */
export async function readFile(file: File): Promise<Found> {
  const [, stem = file.name, ending = ''] = /^(.*)\.(\w+)$/.exec(file.name) ?? [];
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length === 0) throw new ReadError('empty');
  if (/^(json|csv|tsv|txt)$/i.test(ending)) return readTexts(textOf(bytes), stem);
  try {
    const tensors = await readTensors(bytes, file.name);
    if (tensors.size === 0) throw new ReadError('noTensor');
    const found = [...tensors].map(([name, tensor]) => [name, givenOf(tensor)] as const);
    return { tensors: new Map(found), skipped: [] };
  } catch (error) {
    throw inWords(error);
  }
}

/** UTF-8, or UTF-16 where its mark says so, as spreadsheets write it. No text has a byte 0 in it. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const text = new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes);
  if (text.includes('\0')) throw new ReadError('notText');
  return text;
}

/** A JSON object names several tensors; anything else is one. */
export function readTexts(text: string, stem: string): Found {
  if (!text.trimStart().startsWith('{')) {
    return { tensors: new Map([[stem, readText(text)]]), skipped: [] };
  }
  const table = readJSON(text);
  const twice = repeatedName(text);
  if (twice !== undefined) throw new ReadError('twoNames', { entry: twice });
  const isObject = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  // It may also be the name of a tensor.
  const inner = isObject(table.inputs) ? (table.inputs as typeof table) : table;
  const parts = Object.entries(inner);
  const arrays = parts.filter(([, value]) => Array.isArray(value));
  if (arrays.length === 0) throw new ReadError('noTensor');
  return {
    tensors: new Map(arrays.map(([name, value]) => [name, readNamed(name, value)])),
    ...(typeof table.workbench === 'string' ? { settings: table.workbench } : {}),
    skipped: parts.filter(([, value]) => isObject(value)).map(([name]) => name),
  };
}

/** What is wrong with one of several is said with its name. */
function readNamed(name: string, value: unknown): GivenTensor {
  try {
    return readText(JSON.stringify(value));
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    throw new ReadError(error.word, { ...error.values, name });
  }
}

/** Numbers that JSON does not have, or that would be lost in reading it, as strings. */
const kept = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"|[-+]?(?:\d[\d.eE+-]*|Infinity|NaN)/g, (token) =>
    token.startsWith('"') || Number.isFinite(Number(token)) ? token : `"${token}"`,
  );

/** Where a text stops being JSON: at its end where something is missing. */
function endOfJSON(text: string): number {
  const tokens = /\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:])/y;
  const open: string[] = [];
  let last = 'start';
  for (let end = 0; ; end = tokens.lastIndex) {
    const token = tokens.exec(text)?.[1];
    if (token === undefined) return end;
    const inside = open.at(-1);
    const isKeyDue = inside === '{' && /[{,]/.test(last);
    const isValueDue = !isKeyDue && /start|[[:,]/.test(last);
    const fits =
      token === ','
        ? last === 'value' && open.length > 0
        : token === ':'
          ? last === 'key'
          : token === ']' || token === '}'
            ? inside === (token === ']' ? '[' : '{') && /value|[[{]/.test(last)
            : isValueDue || (isKeyDue && token.startsWith('"'));
    if (!fits) return tokens.lastIndex - token.length;
    if (token === '[' || token === '{') open.push(token);
    if (token === ']' || token === '}') open.pop();
    last = /[[{,:]/.test(token[0]!) ? token : isKeyDue && token !== '}' ? 'key' : 'value';
  }
}

function readJSON(text: string): Record<string, unknown> {
  const json = kept(text);
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    const end = endOfJSON(json);
    if (json.slice(end).trim() === '') throw new ReadError('cut', { missing: '}' });
    throw new ReadError('notJson', { line: json.slice(0, end).split('\n').length });
  }
}
