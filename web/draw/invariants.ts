// What must be true of all weights and outputs, checked on the numbers themselves and always in sight.
import { html, nothing } from 'lit';
import type { DType } from 'attention-wasm';
import type { Matrix } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { type Words, fill } from '../state/words.js';
import { grouped } from './number.js';

export interface Invariant {
  name:
    | 'rowsSum'
    | 'rowsSumOrEmpty'
    | 'inUnit'
    | 'maskedZero'
    | 'inHull'
    | 'keptScaled'
    | 'finite'
    | 'likeWhole';
  holds: boolean;
  /** How many cells or rows were looked at. */
  count: number;
  /** How many of them are not so. */
  wrong: number;
}

/** Whether it is so of all of them; NaN is never so. */
function checked<T>(
  name: Invariant['name'],
  all: readonly T[],
  isSo: (of: T, at: number) => boolean,
): Invariant {
  const wrong = all.filter((of, at) => !isSo(of, at)).length;
  return { name, holds: wrong === 0, count: all.length, wrong };
}

/** Weights, the rules that forbid each, and where they are shown the values and what becomes of them. */
export interface Checked {
  weights: Matrix;
  cause?: Frame['cause'];
  value?: Matrix;
  output?: Matrix;
  /** In which they were computed; float64 unless said. */
  dtype?: keyof typeof spacings | undefined;
}

export const checkedOf = ({ matrices, cause, case: { dtype } }: Frame): Checked => ({
  ...matrices,
  cause,
  dtype,
});

/** Rounding of a sum of a few terms; anything beyond is a fault. */
const spacings = {
  float16: 2 ** -10,
  bfloat16: 2 ** -7,
  float32: 2 ** -23,
  float64: Number.EPSILON,
} satisfies Partial<Record<DType, number>>;
const slackOf = (dtype: Checked['dtype'] = 'float64') => 8 * spacings[dtype];
const sumOf = (row: readonly number[]) => row.reduce((sum, x) => sum + x, 0);

export function invariantsOf({ weights, cause, value, output, dtype }: Checked): Invariant[] {
  const slack = slackOf(dtype);
  const isVisible = (i: number, j: number) => !cause?.[i]?.[j]?.length;
  const isEmpty = weights.map((row, i) => !row.some((_, j) => isVisible(i, j)));
  const masked = weights.flatMap((row, i) => row.filter((_, j) => !isVisible(i, j)));

  const isInHull = (values: Matrix, x: number, i: number, c: number) => {
    const column = values.map((row) => row[c] ?? NaN).filter((_, j) => isVisible(i, j));
    if (column.length === 0) return x === 0;
    const room = slack * Math.max(...column.map(Math.abs));
    return x >= Math.min(...column) - room && x <= Math.max(...column) + room;
  };
  const hull = (values: Matrix, mixed: Matrix): Invariant => {
    const cells = mixed.flatMap((row, i) => row.map((x, c) => [x, i, c] as const));
    return checked('inHull', cells, ([x, i, c]) => isInHull(values, x, i, c));
  };
  return [
    checked(
      isEmpty.includes(true) ? 'rowsSumOrEmpty' : 'rowsSum',
      weights,
      (row, i) => Math.abs(sumOf(row) - (isEmpty[i] ? 0 : 1)) <= slack,
    ),
    checked('inUnit', weights.flat(), (x) => x >= 0 && x <= 1),
    checked('maskedZero', masked, (x) => x === 0),
    ...(value && output ? [hull(value, output)] : []),
  ];
}

/** Neither NaN nor infinite. */
export const finite = (numbers: readonly number[]): Invariant =>
  checked('finite', numbers, Number.isFinite);

/** A row that was made a part at a time, and the same one made at once. */
export const likeWhole = (row: readonly number[], whole: readonly number[]): Invariant =>
  checked('likeWhole', row, (x, at) => Math.abs(x - whole[at]!) <= slackOf());

/** What dropout leaves of the weights: nothing, or what there was, grown by 1/(1 − p). */
export function keptScaled(weights: Matrix, dropped: Matrix, p: number): Invariant {
  const before = weights.flat();
  const isKept = (x: number, of: number) => Math.abs(x - of / (1 - p)) <= slackOf('float64');
  return checked('keptScaled', dropped.flat(), (x, at) => x === 0 || isKept(x, before[at]!));
}

/** One line of such a list, green or red; without `holds` a plain fact. */
export function checkView(words: Words, text: string, holds?: boolean) {
  const sign = html`<span class="sign" role="img" aria-label=${holds ? words.holds : words.fails}
    >${holds ? '✓' : '✗'}</span
  >`;
  return html`<li data-holds=${holds === undefined ? nothing : holds ? 'yes' : 'no'}>
    ${holds === undefined ? html`<span></span>` : sign} ${text}
  </li>`;
}

/** Without what there is none of. */
const listView = (invariants: readonly Invariant[], words: Words, of: string) => {
  const item = ({ name, holds, ...numbers }: Invariant) => {
    const [count, wrong] = [grouped(numbers.count), grouped(numbers.wrong)];
    return checkView(
      words,
      fill(words[holds ? 'invariant' : 'notSo'][name], { count, wrong }),
      holds,
    );
  };
  return html`<ul
    class="invariants"
    aria-label=${of ? `${words.invariants}, ${of}` : words.invariants}
  >
    ${invariants.filter(({ count }) => count > 0).map(item)}
  </ul>`;
};

/** The list below a figure, green or red; `names` where it does not show all that they speak of. */
export const invariantsView = (frame: Frame, words: Words, names?: readonly Invariant['name'][]) =>
  listView(
    invariantsOf(checkedOf(frame)).filter(({ name }) => !names || names.includes(name)),
    words,
    '',
  );

/** One of the tables of a figure, with its name where there are several. */
export interface Part {
  of: Checked | readonly Invariant[];
  name?: string;
}

/** The same of each of some tables. */
export function checksView(words: Words, ...parts: readonly Part[]) {
  const part = ({ of, name = '' }: Part) =>
    html`<div>
      ${name ? html`<p class="remark">${name}</p>` : nothing}
      ${listView('weights' in of ? invariantsOf(of) : of, words, name)}
    </div>`;
  return html`<div class="checked">${parts.map(part)}</div>`;
}
