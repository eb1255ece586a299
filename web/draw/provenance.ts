// The sum behind a cell, spelled out line by line. The results are the library's; only the single
// products inside a sum are multiplied here, for display, because no step of the library holds them.
import { type TemplateResult, html, nothing } from 'lit';
import type { Cell, Matrix } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { type Stage, isPair, pairStages, stepOf } from '../state/steps.js';
import { type Words, fill, rulesText } from '../state/words.js';
import { type Gaps, withGaps } from './ellipsis.js';
import { equalsSign, exactNumber, givenNumber, operand, sumTerms } from './number.js';
import { type Notation, manyQueries, root, vector } from './symbols.js';

export interface Line {
  /** Of the matrix it is about. */
  stage: string;
  name: TemplateResult;
  text: TemplateResult;
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Pieces that may be separated by a line break, but not broken themselves. */
const pieces = (parts: unknown[]) => parts.map((part) => html`<span class="term">${part}</span> `);
/** The result of what is written before it: of these numbers, if they were not written in full or not all. */
const equals = (value: number, of: readonly number[] = [], gaps?: Gaps) =>
  html`<span class="term"
    >${gaps ? '≈' : equalsSign([...of, value])} <b>${exactNumber(value)}</b></span
  >`;
/** The same number again, as it was written. */
const same = (value: number) => html`<span class="term">= <b>${exactNumber(value)}</b></span>`;
/** One operation on these numbers, and its result. */
export const operation = (text: unknown, of: readonly number[], result: number) =>
  html`${equalsSign(of)} ${pieces([text])}${equals(result, of)}`;
/** One that changes no number but by −∞. */
export const addition = (text: unknown, of: readonly number[], result: number) =>
  html`${equalsSign(of)} ${pieces([text])}${same(result)}`;
const cellOf = (matrix: Matrix, row: number, column: number) => matrix[row]?.[column] ?? NaN;

type Write = (x: number) => string;
/** How numbers of Q, K and V are written, and what belongs to a query is called. */
interface Style {
  write: Write;
  notation: Notation;
}

/** Σ a·b, first with its factors, then with its products, then the library's result. */
export function sumOfProducts(
  factors: [number, number][],
  [left, right]: readonly [Write, Write],
  result: number,
  gaps?: Gaps,
) {
  const terms = factors.map(
    ([a, b], index) => `${index ? '+ ' : ''}${operand(left(a))}×${operand(right(b))}`,
  );
  const products = factors.map(([a, b]) => a * b);
  const given = [
    equalsSign(
      factors.map(([a]) => a),
      left,
    ),
    equalsSign(
      factors.map(([, b]) => b),
      right,
    ),
  ];
  // A single product is the result; it is not written twice.
  const sum =
    products.length > 1
      ? html`${equalsSign(products)} ${pieces(withGaps(sumTerms(products), gaps, '+ …'))}`
      : nothing;
  return html`${given.includes('≈') ? '≈' : '='} ${pieces(withGaps(terms, gaps, '+ …'))}${sum}
  ${equals(result, products, gaps)}`;
}

function scoreLine(frame: Frame, i: number, j: number, { write, notation }: Style) {
  const { query, key, scores } = frame.matrices;
  const factors = (query[i] ?? []).map((q, l): [number, number] => [q, cellOf(key, j, l)]);
  return html`= ${notation.query(i)}·${vector('k', j)}
  ${sumOfProducts(factors, [write, write], cellOf(scores, i, j))}`;
}

function scaledLine({ matrices, case: { options } }: Frame, i: number, j: number) {
  const width = matrices.query[0]?.length ?? 0;
  const score = cellOf(matrices.scores, i, j);
  const by =
    options.scale === undefined ? html`÷ ${root(width)}` : `× ${givenNumber(options.scale)}`;
  return operation(html`${exactNumber(score)} ${by}`, [score], cellOf(matrices.scaled, i, j));
}

/** Whether a pair may be read, in words. */
export const permission = (rules: readonly string[], words: Words) =>
  html`<span class="remark"
    >${rules.length === 0 ? words.allowed : fill(words.forbidden, { rule: rulesText(rules, words) })}</span
  >`;

function maskedLine(frame: Frame, words: Words, i: number, j: number) {
  const { bias } = frame.case.options;
  const rules = frame.cause[i]?.[j] ?? [];
  const isAllowed = rules.length === 0;
  const number = cellOf(frame.matrices.scaled, i, j);
  const masked = cellOf(frame.matrices.masked, i, j);
  const added = bias && cellOf(bias as Matrix, i, j);
  const terms = [
    exactNumber(number),
    ...(added === undefined ? [] : [operand(exactNumber(added))]),
    ...(isAllowed ? [] : ['(−∞)']),
  ];
  if (added !== undefined && isAllowed) return operation(terms.join(' + '), [number], masked);
  if (isAllowed) terms.push('0');
  return html`${addition(terms.join(' + '), [number], masked)} ${permission(rules, words)}`;
}

/** A row of masked scores that are read, and what its softmax is made of. */
export interface SoftmaxRow {
  masked: readonly number[];
  exponentials: readonly number[];
  /** Subtracted from each, where anything is. */
  max: number | undefined;
  sum: number;
  /** How a score is written. */
  write?: Write;
  /** Where others are left out. */
  gaps?: Gaps | undefined;
}

/** The softmax of a row, in three lines: its maximum, its exponentials, their sum. */
export function softmaxLines(
  words: Words,
  { masked, exponentials, max, sum, gaps, write = exactNumber }: SoftmaxRow,
): Line[] {
  if (masked.length === 0) {
    return [{ stage: 'weights', name: html`${words.rowMax}`, text: html`${words.emptyRow}` }];
  }
  const texts = masked.map(write);
  const less = max === undefined ? '' : ` − ${operand(write(max))}`;
  const powers = exponentials.map((value, n) => {
    // No power of a number is 0: what is was too small for one.
    const zero = Number.isFinite(masked[n]) && Number.isFinite(max ?? 0) ? '≈ 0' : '= 0';
    return html`e<sup>${texts[n]}${less}</sup>
      ${value === 0 ? zero : `${equalsSign([value])} ${exactNumber(value)}`}`;
  });
  const listed = withGaps(powers, gaps, html`…`);
  const maximum = (of: number): Line => ({
    stage: 'weights',
    name: html`${words.rowMax}`,
    text: html`<span class="term">max(${withGaps(texts, gaps, '…').join(', ')})</span>
      <span class="term">= <b>${write(of)}</b></span>`,
  });
  return [
    ...(max === undefined ? [] : [maximum(max)]),
    {
      stage: 'weights',
      name: html`${words.exponentials}`,
      text: html`${pieces(listed.map((power, n) => html`${power}${n < listed.length - 1 ? ',' : ''}`))}`,
    },
    {
      stage: 'weights',
      name: html`${words.rowSum}`,
      text:
        exponentials.length > 1
          ? html`${equalsSign(exponentials)}
            ${pieces(withGaps(sumTerms([...exponentials]), gaps, '+ …'))}${equals(sum, exponentials, gaps)}`
          : equals(sum, exponentials),
    },
  ];
}

function softmaxOf(frame: Frame, words: Words, i: number): Line[] {
  const visible = range(frame.matrices.key.length).filter((j) => !frame.cause[i]?.[j]?.length);
  return softmaxLines(words, {
    masked: visible.map((j) => cellOf(frame.matrices.masked, i, j)),
    exponentials: visible.map((j) => cellOf(frame.exponentials, i, j)),
    max: frame.rowMax[i] ?? NaN,
    sum: frame.rowSum[i] ?? NaN,
  });
}

const isEmptyRow = ({ cause }: Frame, i: number) =>
  cause[i]?.every((rules) => rules.length > 0) ?? false;
const emptyLine = (words: Words) => html`= <b>0</b> <span class="remark">${words.emptyRow}</span>`;

/** An exponential's share of the sum. */
export const share = (power: number, sum: number, weight: number) =>
  operation(`${exactNumber(power)} ÷ ${exactNumber(sum)}`, [power, sum], weight);

function weightLine(frame: Frame, words: Words, i: number, j: number) {
  if (isEmptyRow(frame, i)) return emptyLine(words);
  const sum = frame.rowSum[i] ?? NaN;
  if ((frame.cause[i]?.[j]?.length ?? 0) > 0) {
    return html`= ${pieces([`0 ÷ ${exactNumber(sum)}`])} <span class="term">= <b>0</b></span>`;
  }
  return share(cellOf(frame.exponentials, i, j), sum, cellOf(frame.matrices.weights, i, j));
}

function outputLine(
  frame: Frame,
  words: Words,
  [i, c]: readonly [number, number],
  { write, notation }: Style,
) {
  if (isEmptyRow(frame, i)) return emptyLine(words);
  const { weights, value, output } = frame.matrices;
  const factors = (weights[i] ?? [])
    .map((a, j): [number, number] => [a, cellOf(value, j, c)])
    .filter((_, j) => !frame.cause[i]?.[j]?.length);
  const sum = html`<span class="term"
    >Σ<sub><var>j</var></sub> ${notation.weights(i)}·<var>V</var
    ><sub><var>j</var>${c + 1}</sub></span
  >`;
  return html`= ${sum} ${sumOfProducts(factors, [exactNumber, write], cellOf(output, i, c))}`;
}

function pairLine(
  { stage, row: i, column: j }: Cell,
  frame: Frame,
  words: Words,
  style: Style,
): TemplateResult {
  switch (stage) {
    case 'scores':
      return scoreLine(frame, i, j, style);
    case 'scaled':
      return scaledLine(frame, i, j);
    case 'masked':
      return maskedLine(frame, words, i, j);
    default:
      return weightLine(frame, words, i, j);
  }
}

/** A row of a matrix, in one piece with its sign; what a rule made 0 is a bare one. */
export const rowText = (
  row: readonly number[] = [],
  isForced: (column: number) => boolean = () => false,
  gaps?: Gaps,
) => {
  const texts = row.map((x, j) => (x === 0 && isForced(j) ? '0' : exactNumber(x)));
  const all = withGaps(texts, gaps, '…').join(', ');
  return html`<span class="term">${equalsSign(row)} (${all})</span>`;
};

/**
 * Everything that led to `cell`, in the order of the steps, as far as `step` has come. `write` is for
 * the numbers of Q, K and V: as the reader gave them, unless they were computed.
 */
export function spell(
  { stage, row, column }: Cell,
  frame: Frame,
  step: number,
  words: Words,
  write: Write = givenNumber,
  notation = manyQueries,
): Line[] {
  const style = { write, notation };
  // Where nothing is added, the masked scores are the scaled ones and have nothing of their own to say.
  const { mask, bias, scale } = frame.case.options;
  const scaling = scale === undefined ? undefined : `× ${givenNumber(scale)}`;
  const reached = (name: Stage) =>
    stepOf(name) <= step && (name !== 'masked' || mask !== undefined || bias !== undefined);
  if (isPair(stage)) {
    return pairStages.filter(reached).flatMap((name): Line[] => {
      const line = {
        stage: name,
        name: notation.cell(name, row, column, scaling),
        text: pairLine({ stage: name, row, column }, frame, words, style),
      };
      return name === 'weights' ? [...softmaxOf(frame, words, row), line] : [line];
    });
  }
  if (stage === 'output') {
    const rows = pairStages.filter(reached).flatMap((name): Line[] => {
      const line = {
        stage: name,
        name: html`${fill(words.rowOf, { matrix: words.stages[name], row: row + 1 })}`,
        text: rowText(frame.matrices[name][row], (j) => !!frame.cause[row]?.[j]?.length),
      };
      return name === 'weights' ? [...softmaxOf(frame, words, row), line] : [line];
    });
    if (!reached('output')) return rows;
    return [
      ...rows,
      {
        stage,
        name: notation.cell(stage, row, column),
        text: outputLine(frame, words, [row, column], style),
      },
    ];
  }
  const value = cellOf(frame.matrices[stage], row, column);
  const numbers = { row: row + 1, column: column + 1 };
  return [
    {
      stage,
      name: notation.cell(stage, row, column),
      text: html`${equalsSign([value], givenNumber)} <b>${givenNumber(value)}</b>
        <span class="remark">${fill(words.feeds[stage], numbers)}${words.givenHere}</span>`,
    },
  ];
}

/** The same for a cell of a figure that shows `stage` under a name of its own. */
export const spellAs = (
  stage: Stage,
  { stage: name, row, column }: Cell<string>,
  frame: Frame,
  words: Words,
): Line[] =>
  spell({ stage, row, column }, frame, stepOf(stage), words).map((line) =>
    line.stage === stage ? { ...line, stage: name } : line,
  );
