// Tensors as text: what a console, a spreadsheet or a program writes. Nothing is guessed: what can be
// meant in two ways, or would be left out, is an error that names its place, counted from 1.
import { halfWidth, isTooLarge, parseNumber } from './parse.js';

export interface GivenTensor {
  shape: number[];
  /** Always float64: what the file held, without loss. */
  data: Float64Array;
  /** What it was before: a dtype of the library's, or text. */
  dtype: string;
  /** The most decimals that a number of a text was printed with. */
  decimals?: number;
  /** What a text had beside its numbers: the names of its columns, and maybe a column that numbers its rows. */
  header?: { names: string; hasIndex: boolean };
  /** The file that brought it, and when: what came in one go has one time. */
  came?: { file: string; at: number };
}

/** What is wrong with a text or file; `word` names the sentence in the reader's language. */
export class ReadError extends Error {
  constructor(
    readonly word:
      | 'empty'
      | 'ragged'
      | 'notNumber'
      | 'tooLarge'
      | 'missing'
      | 'comma'
      | 'mixed'
      | 'outside'
      | 'abridged'
      | 'deep'
      | 'cut'
      | 'notJson'
      | 'cutFile'
      | 'cutHeader'
      | 'cutEntry'
      | 'damaged'
      | 'badShape'
      | 'sameBytes'
      | 'damagedEntry'
      | 'noNpy'
      | 'zip64'
      | 'packed'
      | 'twoNames'
      | 'encrypted'
      | 'notText'
      | 'whole'
      | 'data'
      | 'dtype'
      | 'unknownFile'
      | 'noTensor'
      | 'unplaced'
      | 'skipped'
      | 'other',
    readonly values: Record<string, string | number> = {},
  ) {
    super(word);
  }
}

/** As the comparison names places. */
const placeText = (place: readonly number[]) => `[${place.join(', ')}]`;
const shortened = (text: string) => (text.length > 24 ? `${text.slice(0, 24)}…` : text);

/** Nested brackets (JSON, NumPy, PyTorch) or plain rows (CSV, a spreadsheet). */
export function readText(text: string): GivenTensor {
  const plain = halfWidth(text).trim();
  if (plain === '') throw new ReadError('empty');
  return plain.includes('[') ? readNested(plain) : readRows(plain);
}

/** The most digits behind a point; those of powers of ten say little of the last place. */
const decimalsOf = (text: string) => {
  let most = 0;
  for (const [, digits] of text.matchAll(/\.(\d+)(?![\d.]*e)/gi))
    most = Math.max(most, digits!.length);
  return most;
};

/** Words that are numbers, in any case: of Python, NumPy, PyTorch, JavaScript and this page. */
const spelled = new Map([
  ['true', 1],
  ['false', 0],
  ['nan', NaN],
  ...['inf', 'infinity', '∞'].flatMap(
    (name) =>
      [
        [name, Infinity],
        [`+${name}`, Infinity],
        [`-${name}`, -Infinity],
        [`−${name}`, -Infinity],
      ] as const,
  ),
]);

function numberOf(token: string, place: () => number[]): number {
  const parsed = spelled.get(token.toLowerCase()) ?? parseNumber(token);
  if (parsed !== undefined) return parsed;
  const where = { place: placeText(place()) };
  if (token === '') throw new ReadError('missing', where);
  if (/^(\.\.\.|…)$/.test(token)) throw new ReadError('abridged', where);
  const word = isTooLarge(token) ? 'tooLarge' : 'notNumber';
  throw new ReadError(word, { text: shortened(token), ...where });
}

const isName = (token: string) =>
  token !== '' &&
  !spelled.has(token.toLowerCase()) &&
  parseNumber(token) === undefined &&
  !isTooLarge(token) &&
  !/^(\.\.\.|…)$/.test(token);

/** Whether these are whole numbers in a row, from 0 or 1. */
const areCounted = (tokens: readonly string[]) =>
  [0, 1].some((first) => tokens.every((token, at) => token === `${first + at}`));

/**
 * The names of columns, as pandas, R and spreadsheets write them above the numbers: none is a number, or
 * they are counted as the rows are. Above the column that names the rows there is nothing.
 */
function headerOf(table: readonly (readonly string[])[]): GivenTensor['header'] {
  const [[corner, ...rest], ...below] = table as [string[], ...string[][]];
  const width = below[0]?.length;
  if (corner === undefined || width === undefined) return undefined;
  const names = corner === '' ? rest : [corner, ...rest];
  const hasIndex = width === names.length + 1;
  if (width !== names.length && !hasIndex) return undefined;
  const rows = below.map(([first = '']) => first);
  const areRows = areCounted(rows) || rows.every(isName);
  // A line of one word above two columns may as well be a title.
  const isIndex = corner === '' || (names.length > 1 && areRows);
  const isHeader = names.every(isName)
    ? !hasIndex || isIndex
    : hasIndex && areCounted(names) && areCounted(rows);
  return isHeader && names.length > 0
    ? { names: shortened(names.join(', ')), hasIndex }
    : undefined;
}

/** Cells that one and the same separator separates; lines that begin with # are remarks. */
function readRows(text: string): GivenTensor {
  const lines = text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw new ReadError('empty');
  // A column of decimal commas, as spreadsheets copy it, or two columns of whole numbers?
  if (lines.every((line) => /^[-+\u2212]?\d+,\d+$/.test(line))) {
    throw new ReadError('comma', { text: shortened(lines[0]!), place: placeText([1, 1]) });
  }
  const separator = [';', '\t', ','].find((sign) => text.includes(sign)) ?? /\s+/;
  const table = lines.map((line) => {
    const cells = line.replace(/\s*[,;]$/, '').split(separator);
    return cells.map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  });
  const header = headerOf(table);
  const [top, left] = [header ? 1 : 0, header?.hasIndex ? 1 : 0];
  const width = table[top]!.length;
  const numbers: number[] = [];
  for (const [row, cells] of table.entries()) {
    if (row < top) continue;
    if (cells.length !== width) {
      throw new ReadError('ragged', { row: row + 1, length: cells.length, first: width });
    }
    for (const [column, token] of cells.entries()) {
      if (column < left) continue;
      const place = () => [row + 1, column + 1];
      // A decimal comma, or one more separator?
      if (token.includes(',')) {
        throw new ReadError('comma', { text: shortened(token), place: placeText(place()) });
      }
      numbers.push(numberOf(token, place));
    }
  }
  return {
    shape: [lines.length - top, width - left],
    data: Float64Array.from(numbers),
    dtype: 'text',
    decimals: decimalsOf(lines.slice(top).join('\n')),
    ...(header ? { header } : {}),
  };
}

/** Around the brackets there may be names and calls, but no more numbers. */
function checkAround(before: string, after: string): void {
  const lost =
    /(?:^|[\s,;])[-+]?\.?\d.*/s.exec(before) ?? /^[\s,;]*([-+.\d].*)|[[\]].*/s.exec(after);
  if (lost)
    throw new ReadError('outside', { text: shortened(lost[0].replace(/^[\s,;]+|\s+$/g, '')) });
}

function readNested(text: string): GivenTensor {
  const start = text.indexOf('[');
  const shape: number[] = [];
  const numbers: number[] = [];
  /** Of each bracket that is open, how many entries are complete. */
  const counts: number[] = [];
  const place = () => counts.map((count) => count + 1);
  /** How deep numbers stand. */
  let depth: number | undefined;
  let isEntryDue = true;
  let end: number | undefined;
  const tokens = /[[(\])]|,|"[^"]*"|'[^']*'|[^\s,[\]()"']+/g;
  tokens.lastIndex = start;
  for (let match = tokens.exec(text); match && end === undefined; match = tokens.exec(text)) {
    const [token] = match;
    if (token === ',') {
      if (isEntryDue) throw new ReadError('missing', { place: placeText(place()) });
      isEntryDue = true;
    } else if (token === '[' || token === '(') {
      if (counts.length === depth) throw new ReadError('mixed', { place: placeText(place()) });
      counts.push(0);
      if (counts.length > 4) throw new ReadError('deep', { depth: counts.length });
      isEntryDue = true;
    } else if (token === ']' || token === ')') {
      const count = counts.pop()!;
      const axis = counts.length;
      shape[axis] ??= count;
      if (shape[axis] !== count) {
        const row = axis === 1 ? counts[0]! + 1 : placeText(place());
        throw new ReadError('ragged', { row, length: count, first: shape[axis] });
      }
      if (axis === 0) end = tokens.lastIndex;
      else counts[axis - 1]! += 1;
      isEntryDue = false;
    } else {
      depth ??= counts.length;
      if (counts.length !== depth || shape[depth] !== undefined) {
        throw new ReadError('mixed', { place: placeText(place()) });
      }
      numbers.push(numberOf(token.replace(/^(["'])(.*)\1$/, '$2'), place));
      counts[depth - 1]! += 1;
      isEntryDue = false;
    }
  }
  if (end === undefined) throw new ReadError('cut', { missing: ']' });
  checkAround(text.slice(0, start), text.slice(end));
  if (numbers.length !== shape.reduce((a, b) => a * b)) {
    throw new ReadError('mixed', { place: placeText([1]) });
  }
  return {
    shape,
    data: Float64Array.from(numbers),
    dtype: 'text',
    decimals: decimalsOf(text),
  };
}
