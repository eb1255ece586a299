// View ↔ URL fragment. Short keys, and only what differs from the article's own state:
//   #section&s=3&p=w.2.1&m=0&q=0.11,0.77;…     pins are counted from 1, as the page counts
// Where that gets long, address.ts shortens it.
import {
  type Case,
  type Cell,
  type Matrix,
  type View,
  sameCell,
  sameMatrix,
  sizeOf,
  withCausal,
} from './case.js';
import { fieldsOf, home as maskHome, maskOf, read, settingOf, write } from './mask-rules.js';
import { parseNumber } from './parse.js';
import { type Input, inputs, seedOf, seeded, seeds } from './random.js';
import { type Stage, stages, steps } from './steps.js';

/** Something in a link that could not be used as it stood: which words say so, and with what. */
export interface Remark {
  word:
    | 'linkStep'
    | 'linkPin'
    | 'linkMatrix'
    | 'linkMask'
    | 'linkShortened'
    | 'linkUnknown'
    | 'linkClamped'
    | 'linkUnusable';
  values: Record<string, string>;
}

const stageKeys: Record<Stage, string> = {
  query: 'q',
  key: 'k',
  value: 'v',
  scores: 's',
  scaled: 'd',
  masked: 'm',
  weights: 'w',
  output: 'o',
};
/** What a link says of the page's case, step and pin; all else belongs to a figure, by its key. */
const ownKeys = new Set(['s', 'p', 'm', 'z', 'seed', ...inputs.map((name) => stageKeys[name])]);
const figureKeys = new Set(
  'align bench bug cards cast causal cost cross dot drop exp finite fruit half it lab mask nan no online order quiz shape test true xw'.split(
    ' ',
  ),
);

/** Rows and columns of a stage's matrix, from the inputs alone. */
export function shapeOf(
  stage: Stage,
  { query, key, value }: View['case'],
): readonly [number, number] {
  if (stage === 'query') return sizeOf(query);
  if (stage === 'key') return sizeOf(key);
  if (stage === 'value') return sizeOf(value);
  return [query.length, stage === 'output' ? sizeOf(value)[1] : key.length];
}

export const writeMatrix = (matrix: Matrix) => matrix.map((row) => row.join(',')).join(';');

/** Undefined where the text is no matrix of this shape. */
export function readMatrix(
  text: string,
  [rows, columns]: readonly [number, number],
): Matrix | undefined {
  const matrix = text.split(';').map((row) => row.split(',').map(parseNumber));
  const fits =
    matrix.length === rows &&
    matrix.every((row) => row.length === columns && row.every((x) => x !== undefined));
  return fits ? (matrix as number[][]) : undefined;
}

/** A whole case as one setting: its matrices or the seed of those called `random`, and its options. */
export function writeCase(of: Case, random?: readonly Input[]): string {
  const seed = random && seedOf(of, random);
  const { query, key, value, options } = of;
  const numbers = seed === undefined ? [query, key, value].map(writeMatrix) : [`seed${seed}`];
  return [...numbers, JSON.stringify(options)].join('|');
}

/** Undefined where the text is no case of the same shape as `home`. */
export function readCase(text: string, home: Case, random?: readonly Input[]): Case | undefined {
  const [, seed, said] = /^seed(\d{1,4})\|(.*)$/.exec(text) ?? [];
  const [q = '', k = '', v = '', ...rest] = text.split('|');
  const query = readMatrix(q, sizeOf(home.query));
  const key = readMatrix(k, sizeOf(home.key));
  const value = readMatrix(v, sizeOf(home.value));
  const numbers = seed ? seeded(home, Number(seed), random) : { query, key, value };
  try {
    const options = JSON.parse(said ?? rest.join('|')) as Case['options'];
    const isWhole = numbers.query && numbers.key && numbers.value;
    return isWhole ? ({ ...numbers, options } as Case) : undefined;
  } catch {
    return undefined;
  }
}

/** A cell of a figure as one setting: matrix, row and column, counted from 1. */
export const writeCell = (cell: Cell<string> | null): string | undefined =>
  cell ? [cell.stage, cell.row + 1, cell.column + 1].join('.') : undefined;

/** Undefined where the text is no cell of matrices of these shapes. */
export function readCell<Name extends string>(
  text: string,
  shapes: ReadonlyMap<Name, readonly [rows: number, columns: number]>,
): Cell<Name> | undefined {
  const [name, ...indices] = text.split('.');
  const [row = NaN, column = NaN] = indices.map((index) => Number(index) - 1);
  for (const [stage, [rows, columns]] of shapes) {
    const isIn = (index: number, count: number) =>
      Number.isInteger(index) && index >= 0 && index < count;
    if (stage === name && isIn(row, rows) && isIn(column, columns)) return { stage, row, column };
  }
  return undefined;
}

/** A fragment can have these signs as they are: escaped they make up a quarter of a long link. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/%(2B|2C|3A|3B)/g, decodeURIComponent);

/** Of a case: 0 none, 1 causal, or what the mask painter calls it, without the sizes. */
function writeMask({ query, key, options }: Case): string {
  if (options.mask === undefined) return '0';
  if (options.mask === 'causal') return '1';
  const setting = settingOf(options.mask, [query.length, key.length])!;
  const { queries, keys } = maskHome;
  return write({ ...setting, queries, keys }) ?? `rules:${setting.rules.join('+')}`;
}

/** The same case with that mask; undefined where the text says none. */
function withMask(of: Case, text: string): Case | undefined {
  if (text === '0' || text === '1') return withCausal(of, text === '1');
  const said = [...fieldsOf(text).keys()];
  const setting = read(text, { queries: of.query.length, keys: of.key.length });
  if (said.includes('queries') || said.includes('keys') || write(setting, said) !== text)
    return undefined;
  return { ...of, options: { ...of.options, mask: maskOf(setting) } };
}

export function encode(view: View, home: View): string {
  const parts: string[] = [];
  if (view.step !== home.step) parts.push(`s=${view.step}`);
  if (view.pin && !sameCell(view.pin, home.pin)) {
    parts.push(`p=${stageKeys[view.pin.stage]}.${view.pin.row + 1}.${view.pin.column + 1}`);
  }
  const mask = writeMask(view.case);
  if (mask !== writeMask(home.case)) parts.push(`m=${escaped(mask)}`);
  const seed = seedOf(view.case);
  if (seed !== undefined) parts.push(`seed=${seed}`);
  for (const name of seed === undefined ? inputs : []) {
    if (!sameMatrix(view.case[name], home.case[name])) {
      parts.push(`${stageKeys[name]}=${writeMatrix(view.case[name])}`);
    }
  }
  for (const [name, text] of Object.entries(view.settings)) {
    parts.push(`${name}=${escaped(text)}`);
  }
  return parts.join('&');
}

const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

function readPin(text: string, of: View['case'], remarks: Remark[]): Cell | null {
  const [letter, ...indices] = text.split('.');
  const stage = stages.find((name) => stageKeys[name] === letter);
  const [row, column] = indices.map(parseNumber);
  if (!stage || indices.length !== 2 || row === undefined || column === undefined) {
    remarks.push({ word: 'linkUnusable', values: { name: 'p', asked: text } });
    return null;
  }
  const [rows, columns] = shapeOf(stage, of);
  const used = [clamp(Math.round(row), 1, rows), clamp(Math.round(column), 1, columns)] as const;
  if (used[0] !== row || used[1] !== column) {
    remarks.push({ word: 'linkPin', values: { asked: text, used: `${letter}.${used.join('.')}` } });
  }
  return { stage, row: used[0] - 1, column: used[1] - 1 };
}

/** What a fragment says. Anything unusable falls back to `home` and leaves a remark. */
export function decode(
  fragment: string,
  home: View,
): { view: View; anchor: string; remarks: Remark[] } {
  const remarks: Remark[] = [];
  const parts = fragment.replace(/^#/, '').split('&');
  const anchor = parts[0] && !parts[0].includes('=') ? parts[0] : '';
  const fields = new Map(
    parts
      .filter((part) => part.includes('='))
      .map((part) => [
        part.slice(0, part.indexOf('=')),
        safeDecode(part.slice(part.indexOf('=') + 1)),
      ]),
  );

  let { step } = home;
  const stepText = fields.get('s');
  if (stepText !== undefined) {
    const asked = parseNumber(stepText);
    step = asked === undefined ? home.step : clamp(Math.round(asked), 1, steps.length);
    if (step !== asked)
      remarks.push({ word: 'linkStep', values: { asked: stepText, used: `${step}` } });
  }

  const mask = fields.get('m');
  let newCase = { ...home.case };
  const masked = mask === undefined ? newCase : withMask(newCase, mask);
  if (masked) newCase = { ...masked };
  else remarks.push({ word: 'linkMask', values: { asked: mask! } });
  const seedText = fields.get('seed');
  if (seedText !== undefined) {
    const asked = parseNumber(seedText);
    const used = asked === undefined ? undefined : clamp(Math.round(asked), ...seeds);
    if (used !== undefined) newCase = seeded(newCase, used);
    const values = { name: 'seed', asked: seedText, used: String(used) };
    if (used === undefined) remarks.push({ word: 'linkUnusable', values });
    else if (used !== asked) remarks.push({ word: 'linkClamped', values });
  }
  for (const name of inputs) {
    const text = fields.get(stageKeys[name]);
    if (text === undefined) continue;
    const size = sizeOf(home.case[name]);
    const matrix = readMatrix(text, size);
    if (matrix) newCase[name] = matrix;
    else {
      const values = { name: stageKeys[name].toUpperCase(), shape: size.join('×') };
      remarks.push({ word: 'linkMatrix', values });
    }
  }

  // What can be read of a shortened link stands in full by now: see address.ts.
  if (fields.has('z')) remarks.push({ word: 'linkShortened', values: { anchor } });

  const pinText = fields.get('p');
  const pin = pinText === undefined ? home.pin : readPin(pinText, newCase, remarks);
  for (const name of parts.slice(anchor === '' ? 0 : 1)) {
    if (name !== '' && !name.includes('=')) remarks.push({ word: 'linkUnknown', values: { name } });
  }
  const isSetting = (name: string) => figureKeys.has(/^([a-z]+)\.[a-z]+$/.exec(name)?.[1] ?? '');
  const said = Object.fromEntries([...fields].filter(([name]) => isSetting(name)));
  const settings = { ...home.settings, ...said };
  for (const name of fields.keys()) {
    if (isSetting(name) || ownKeys.has(name)) continue;
    remarks.push({ word: 'linkUnknown', values: { name } });
  }
  return { view: { case: newCase, step, pin, settings }, anchor, remarks };
}

/** Unescaped, where that can be done. */
export function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
