// The state of a case figure as data: JSON in the form of web/examples, which loads here again, and
// CSV.
import type { Case, Cell, Matrix } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { stages } from '../state/steps.js';

/** What an exported file says beside the case. */
export interface Shown {
  step?: number | undefined;
  pin: Cell | null;
}

/** JSON has no infinities and no NaN; here and in web/examples they are their names. */
const named = (_: string, x: unknown) =>
  typeof x === 'number' && !Number.isFinite(x) ? String(x) : x;

export function toJSON({ case: of, matrices, rowMax, exponentials, rowSum }: Frame, shown: Shown) {
  const { query, key, value, options } = of;
  const { scores, scaled, masked, weights, output } = matrices;
  const expected = { scores, scaled, masked, rowMax, exponentials, rowSum, weights, output };
  const whole = {
    title: 'Scaled dot-product attention',
    source: 'attention-wasm',
    inputs: { query, key, value },
    options,
    tolerance: 1e-12,
    expected,
    shown,
  };
  // A row of numbers on a line, as people write them.
  return JSON.stringify(whole, named, 2).replace(
    /\[\s+((?:"-?Infinity"|"NaN"|[-\d.e+]+)(?:,\s+(?:"-?Infinity"|"NaN"|[-\d.e+]+))*)\s+\]/g,
    (_, row: string) => `[${row.replace(/\s+/g, ' ')}]`,
  );
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

/** The case and what is shown of it, or the name of the part that is not as it should be. */
export function fromJSON(text: string): { case: Case; shown: Partial<Shown> } | string {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch (error) {
    return String(error);
  }
  if (!isObject(whole) || !isObject(whole.inputs)) return 'inputs';
  const { query, key, value } = whole.inputs;
  if (!isMatrix(query)) return 'inputs.query';
  if (!isMatrix(key)) return 'inputs.key';
  if (!isMatrix(value)) return 'inputs.value';
  const { options = {}, shown = {} } = whole;
  if (!isObject(options)) return 'options';
  if (!isObject(shown)) return 'shown';
  return { case: { query, key, value, options }, shown };
}

/** One line for each row of each matrix; columns are counted from 1. */
export function toCSV({ matrices }: Frame): string {
  const width = Math.max(...stages.map((stage) => matrices[stage][0]?.length ?? 0));
  const columns = Array.from({ length: width }, (_, index) => index + 1);
  const lines = stages.flatMap((stage) =>
    matrices[stage].map((row, index) => [stage, index + 1, ...row].join(',')),
  );
  return [`matrix,row,${columns.join(',')}`, ...lines, ''].join('\n');
}
