// What a figure shows as data: JSON, which loads here again, and CSV.
import { type Case, type Cell, type Matrix, sameShape } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { type Input, inputs as inputNames } from '../state/random.js';
import { type Words, fill } from '../state/words.js';
import type { Call, Exhibit } from './exhibit.js';

/** What a figure is set to, as its links say it. */
export type Settings = Readonly<Record<string, string>>;

/** What an exported file says beside the case. */
export interface Shown {
  step?: number | undefined;
  pin: Cell | null;
  /** What else the figure is set to. */
  settings?: Settings | undefined;
}

/** JSON has no infinities and no NaN; here and in web/examples they are their names. */
const named = (_: string, x: unknown) =>
  typeof x === 'number' && !Number.isFinite(x) ? String(x) : x;

/** A row of numbers on a line, as people write them. */
const written = (whole: object) =>
  JSON.stringify(whole, named, 2).replace(
    /\[\s+((?:"-?Infinity"|"NaN"|[-\d.e+]+)(?:,\s+(?:"-?Infinity"|"NaN"|[-\d.e+]+))*)\s+\]/g,
    (_, row: string) => `[${row.replace(/\s+/g, ' ')}]`,
  );

const head = { title: 'Scaled dot-product attention', source: 'attention-wasm' };

/** A call in the form of web/examples. */
function callData({ name, frame, projection }: Call) {
  const { case: of, matrices, rowMax, exponentials, rowSum, dropped } = frame;
  const { query, key, value, options, dtype } = of;
  const { scores, scaled, masked, weights, output } = matrices;
  const steps = { scores, scaled, masked, rowMax, exponentials, rowSum, weights };
  return {
    name,
    projection,
    inputs: { query, key, value },
    options,
    dtype,
    tolerance: { float16: 2e-3, float32: 1e-5, float64: 1e-12 }[dtype ?? 'float64'],
    expected: { ...steps, dropped, output },
  };
}

export const caseJSON = (frame: Frame, shown: Shown): string =>
  written({ ...head, ...callData({ frame }), shown });

/** A figure that is all settings: what it is set to, the page's case if it shows that, and what comes of it. */
export function settingsJSON(
  figure: string,
  settings: Settings,
  { calls, tables = [] }: Exhibit,
  mine?: Given,
): string {
  return written({ ...head, figure, settings, mine, calls: calls.map(callData), tables });
}

const isMatrix = (x: unknown): x is Matrix =>
  Array.isArray(x) &&
  x.length > 0 &&
  x.every(
    (row) =>
      Array.isArray(row) &&
      row.length > 0 &&
      row.length === (x[0] as unknown[]).length &&
      row.every((cell) => typeof cell === 'number'),
  );

const isObject = (x: unknown): x is Record<string, unknown> =>
  typeof x === 'object' && x !== null && !Array.isArray(x);

/** Why a figure cannot open a text. */
export class Misfit {
  constructor(
    readonly word: 'notJSON' | 'notThere' | 'otherFigure',
    /** The part of it that is not as it should be, or the figure that it is from. */
    readonly part = '',
  ) {}

  text({ export: own, figures }: Words): string {
    const names: Record<string, string> = figures;
    return fill(own[this.word], { part: this.part, figure: names[this.part] ?? this.part });
  }
}
const lacking = (part: string) => new Misfit('notThere', part);

/** What a figure has saved; one that says its name opens only what it has saved itself. */
function parsed(text: string, figure?: string): Record<string, unknown> | Misfit {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return new Misfit('notJSON');
  }
  if (!isObject(whole)) return lacking('{ … }');
  // The workbench's mask and options are said in its own way.
  const of = 'workbench' in whole ? 'attention-workbench' : whole.figure;
  if (of === figure) return whole;
  return typeof of === 'string'
    ? new Misfit('otherFigure', of.replace('attention-', ''))
    : lacking('figure');
}

/** The case and what is shown of it. */
export function caseFrom(text: string): { case: Case; shown: Partial<Shown> } | Misfit {
  const whole = parsed(text);
  if (whole instanceof Misfit) return whole;
  if (!isObject(whole.inputs)) return lacking('inputs');
  const { query, key, value } = whole.inputs;
  if (!isMatrix(query)) return lacking('inputs.query');
  if (!isMatrix(key)) return lacking('inputs.key');
  if (!isMatrix(value)) return lacking('inputs.value');
  const { options = {}, shown = {} } = whole;
  if (!isObject(options)) return lacking('options');
  if (!isObject(shown)) return lacking('shown');
  return { case: { query, key, value, options }, shown };
}

/** What `figure` was set to. */
export function settingsFrom(text: string, figure: string): Settings | Misfit {
  const whole = parsed(text, figure);
  if (whole instanceof Misfit) return whole;
  const { settings } = whole;
  if (!isObject(settings)) return lacking('settings');
  const wrong = Object.entries(settings).find(
    ([name, value]) => !/^[a-z]+$/.test(name) || typeof value !== 'string',
  );
  return wrong ? lacking(`settings.${wrong[0]}`) : (settings as Settings);
}

/** What a case gives to a call. */
export interface Given {
  inputs: Pick<Case, Input>;
  options: Case['options'];
}

/** The page's case as it was saved, if its numbers are of the sizes of `like`. */
export function givenFrom(text: string, figure: string, like: Case): Given | undefined {
  const whole = parsed(text, figure);
  const mine = !(whole instanceof Misfit) && isObject(whole.mine) ? whole.mine : {};
  const inputs = isObject(mine.inputs) ? mine.inputs : {};
  const fits = inputNames.every((name) => {
    const rows = inputs[name];
    return isMatrix(rows) && sameShape(rows, like[name]);
  });
  const { query, key, value } = inputs as Pick<Case, Input>;
  const options = isObject(mine.options) ? mine.options : {};
  return fits ? { inputs: { query, key, value }, options } : undefined;
}

/** A name with commas or quotes in it, as CSV wants it. */
const field = (x: number | string) =>
  typeof x === 'string' && /[",\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : String(x);
const line = (...fields: (number | string)[]) => fields.map(field).join(',');

/** One line for each row of each matrix, its columns counted from 1; a table has its own head. */
export function toCSV({ calls, tables = [] }: Exhibit): string {
  const matrices = calls.flatMap(({ name, frame, projection }): [string, Matrix][] => {
    const { query, key, value, weights, output, ...scores } = frame.matrices;
    const before: [string, Matrix][] = projection
      ? [
          ['x', projection.x],
          ...Object.entries(projection.weights).map(([role, w]): [string, Matrix] => [
            `w_${role}`,
            w,
          ]),
        ]
      : [];
    const all = { query, key, value, ...scores, weights, dropped: frame.dropped, output };
    const steps = Object.entries(all).filter((entry): entry is [string, Matrix] => !!entry[1]);
    return [...before, ...steps].map(([stage, rows]) => [name ? `${name}: ${stage}` : stage, rows]);
  });
  const width = Math.max(0, ...matrices.map(([, rows]) => rows[0]?.length ?? 0));
  const columns = Array.from({ length: width }, (_, index) => index + 1);
  const lines = [
    ...(matrices.length > 0 ? [line('matrix', 'row', ...columns)] : []),
    ...matrices.flatMap(([stage, rows]) => rows.map((row, at) => line(stage, at + 1, ...row))),
    ...tables.flatMap((table) => [
      line('table', 'row', ...table.head),
      ...table.rows.map((row, at) => line(table.name, at + 1, ...row)),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}
