// How the workbench's stages follow from one another, and the sum behind a cell spelled out. The
// results are the library's; only the single products inside a sum are multiplied here, for display.
import { type TemplateResult, html } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { type Written, written } from '../draw/ellipsis.js';
import { type Lineage, factorsOf } from '../draw/lineage.js';
import { equalsSign, exactNumber, givenNumber, operand } from '../draw/number.js';
import {
  type Line,
  addition,
  operation,
  rowText,
  share,
  softmaxLines,
  sumOfProducts,
} from '../draw/provenance.js';
import { indexed, root, vector } from '../draw/symbols.js';
import type { Result } from '../state/bench-result.js';
import { causesAt } from '../state/bench-causes.js';
import { type StageName, isInput, isPair, pairNames } from '../state/bench-settings.js';
import { fourAxes } from '../state/bench-head.js';
import { shortestOf } from '../state/bench-numbers.js';
import type { Cell } from '../state/case.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { stageName } from './workbench-comparison.js';
import type { Room } from './workbench-room.js';

export type BenchCell = Cell<StageName>;

const indices = (count: number) => Array.from({ length: count }, (_, index) => index);
const pairsOf = ({ stages }: Result) => pairNames.filter((name) => stages.has(name));
const stageOf = ({ stages, inputs }: Result, stage: StageName) =>
  isInput(stage) ? inputs[stage] : stages.get(stage)!;
const at = (result: Result, stage: StageName, row: number, column: number) => {
  const { data, columns } = stageOf(result, stage);
  return data[row * columns + column]!;
};
const isForbidden = (result: Result, row: number, column: number) =>
  result.causes.cells[row * stageOf(result, 'masked').columns + column] !== 0;
/** The keys that a query reads. */
const visibleTo = (result: Result, row: number) =>
  indices(stageOf(result, 'masked').columns).filter((j) => !isForbidden(result, row, j));

/** Of these keys, which a query reads, that with the largest weight. */
const largestOf = (result: Result, row: number, visible: readonly number[]) =>
  visible.reduce(
    (most, j) => (at(result, 'weights', row, j) > at(result, 'weights', row, most) ? j : most),
    visible[0] ?? 0,
  );

/** Of the keys that a query reads: those at both ends, that with the largest weight, and `column`. */
function writtenKeys(result: Result, row: number, column?: number): Written {
  const visible = visibleTo(result, row);
  const largest = largestOf(result, row, visible);
  return written(visible, column === undefined ? [largest] : [largest, column]);
}

/**
 * What is spelled while the reader looks at no cell: of the last query, as a rule with the most to read,
 * so that what is spelled of another takes no more room. Null where there is no number at all.
 */
export function exampleOf(result: Result, room: Room, shown: StageName): BenchCell | null {
  const stage = room === 'products' || room === 'all' ? 'output' : shown;
  const { rows, columns } = result.stages.get(stage)!;
  if (rows === 0 || columns === 0) return null;
  const row = rows - 1;
  const column = isPair(stage) ? largestOf(result, row, visibleTo(result, row)) : 0;
  return { stage, row, column };
}
const weightsOf = ({ stages }: Result): StageName =>
  stages.has('dropped') ? 'dropped' : 'weights';

function operandsIn(result: Result, cell: BenchCell): BenchCell[] {
  const { stage, row, column } = cell;
  const { stages } = result;
  const hasInputs = stages.has('query');
  if (stage === 'output') {
    const from = weightsOf(result);
    const visible = visibleTo(result, row);
    if (hasInputs) return factorsOf(cell, [from, 'value'], visible);
    return visible.map((j) => ({ stage: from, row, column: j }));
  }
  if (stage === 'scores') {
    const width = stages.get('query')?.columns ?? 0;
    return indices(width).flatMap((l): BenchCell[] => [
      { stage: 'query', row, column: l },
      { stage: 'key', row: column, column: l },
    ]);
  }
  const pairs = pairsOf(result);
  const before = pairs[pairs.indexOf(stage as (typeof pairs)[number]) - 1];
  if (!before) return [];
  const isBeforeMask = pairs.indexOf('masked') > pairs.indexOf(before) + 1;
  const visible = visibleTo(result, row);
  if (!isBeforeMask && !visible.includes(column)) return [];
  return (stage === 'weights' ? visible : [column]).map((j) => ({ stage: before, row, column: j }));
}

const lineages = new WeakMap<Result, Lineage<StageName>>();

/** Of a result that is shown in tables. */
export function lineageOf(result: Result): Lineage<StageName> {
  const known = lineages.get(result);
  if (known) return known;
  const sizes = [...result.stages].map(
    ([name, { rows, columns }]) => [name, [rows, columns] as const] as const,
  );
  const made: Lineage<StageName> = {
    shapes: new Map(sizes),
    operandsOf: (cell) => operandsIn(result, cell),
  };
  lineages.set(result, made);
  return made;
}

/** A bias, which may be broadcast, and ALiBi's share, as they are added. */
function addedTo(result: Result, before: number, row: number, column: number): string {
  const { bias, alibi, start } = result.call.shownOptions;
  const parts = [exactNumber(before)];
  if (bias && 'shape' in bias) {
    const [, , rows, columns] = fourAxes(bias.shape);
    const place = (rows > 1 ? row : 0) * columns + (columns > 1 ? column : 0);
    parts.push(`+ ${operand(exactNumber((bias.data as Float32Array)[place]!))}`);
  }
  if (alibi) {
    const { rows, columns } = result.stages.get('scores')!;
    const first = start === 'bottom-right' ? columns - rows : typeof start === 'number' ? start : 0;
    const distance = Math.abs(row + first - column);
    parts.push(`− ${operand(exactNumber((alibi as number[])[0]!))}×${distance}`);
  }
  return parts.join(' ');
}

/** The softmax of a row; a sink is one more term, of which the call gives no number. */
function softmaxOf(
  page: Page,
  result: Result,
  row: number,
  { of: visible, gaps }: Written,
): Line[] {
  const { rowMax, exponentials, rowSum } = result.softmax;
  const { columns } = stageOf(result, 'masked');
  const [max, sum] = [rowMax[row]!, rowSum[row]!];
  const sinks = (visible.length > 0 && result.call.shownOptions.sinks) || [];
  const sink = Array.from(sinks as ArrayLike<number>);
  return softmaxLines(page.words, {
    masked: [...visible.map((j) => at(result, 'masked', row, j)), ...sink],
    exponentials: [
      ...visible.map((j) => exponentials[row * columns + j]!),
      ...sink.map((x) => Math.exp(x - max)),
    ],
    ...{ max, sum, gaps },
  });
}

function weightText(
  page: Page,
  result: Result,
  [row, column]: readonly [number, number],
  keys: Written,
): TemplateResult {
  if (keys.of.length === 0) return emptyText(page);
  const { exponentials, rowSum } = result.softmax;
  const sum = rowSum[row]!;
  if (isForbidden(result, row, column)) return html`= 0 ÷ ${exactNumber(sum)} = <b>0</b>`;
  const power = exponentials[row * result.stages.get('masked')!.columns + column]!;
  return share(power, sum, at(result, 'weights', row, column));
}

const letters = {
  query: html`<var>Q</var>`,
  key: html`<var>K</var>`,
  value: html`<var>V</var>`,
};

const emptyText = ({ words }: Page) =>
  html`= <b>0</b> <span class="remark">${words.emptyRow}</span>`;

function textOf(page: Page, result: Result, cell: BenchCell, keys: Written): TemplateResult {
  const { stage, row, column } = cell;
  const value = at(result, stage, row, column);
  const { scale, softcap = 0, dropout } = result.call.options;
  if (stage === 'scores') {
    const { of, gaps } = written(indices(result.inputs.query.columns));
    const factors = of.map((l): [number, number] => [
      shortestOf(at(result, 'query', row, l)),
      shortestOf(at(result, 'key', column, l)),
    ]);
    return html`= ${vector('q', row)}·${vector('k', column)}
    ${sumOfProducts(factors, [givenNumber, givenNumber], value, gaps)}`;
  }
  if (stage === 'output') {
    const from = weightsOf(result);
    const factors = keys.of.map((j): [number, number] => [
      at(result, from, row, j),
      shortestOf(at(result, 'value', j, column)),
    ]);
    if (factors.length === 0) return emptyText(page);
    return sumOfProducts(factors, [exactNumber, givenNumber], value, keys.gaps);
  }
  if (stage === 'weights') return weightText(page, result, [row, column], keys);
  const pairs = pairsOf(result);
  const before = at(
    result,
    pairs[pairs.indexOf(stage as (typeof pairs)[number]) - 1]!,
    row,
    column,
  );
  if (stage === 'masked') {
    const { columns } = stageOf(result, stage);
    const isByRule = causesAt(result.allowed, row * columns + column).length > 0;
    const isMade = value === -Infinity && before !== -Infinity;
    const added = isByRule || isMade ? '(−∞)' : '0';
    return addition(`${exactNumber(before)} + ${added}`, [before], value);
  }
  const text: Partial<Record<StageName, unknown>> = {
    scaled:
      scale === undefined
        ? html`${exactNumber(before)} ÷ ${root(result.inputs.query.columns)}`
        : `${exactNumber(before)} × ${operand(exactNumber(scale))}`,
    capped: `${softcap} × tanh(${exactNumber(before)} ÷ ${softcap})`,
    biased: addedTo(result, before, row, column),
    dropped:
      value === 0
        ? `${exactNumber(before)} × 0`
        : `${exactNumber(before)} ÷ (1 − ${dropout?.p ?? 0})`,
  };
  return operation(text[stage], [before], value);
}

/** A row of a stage, where all of it counts. */
function rowLine(page: Page, result: Result, stage: StageName, row: number, keys: Written): Line {
  const { columns } = stageOf(result, stage);
  const all = indices(columns);
  const { of, gaps } = written(all, keys.of);
  const numbers = of.map((j) => at(result, stage, row, j));
  const isForced = (n: number) => isForbidden(result, row, of[n]!);
  return {
    stage,
    name: html`${fill(page.words.rowOf, { matrix: stageName(page, stage), row: row + 1 })}`,
    text: rowText(numbers, isForced, gaps),
  };
}

/** Which keys are written, where others are left out. */
function writtenLine({ language }: Page, row: number, { of, gaps }: Written): Line[] {
  if (!gaps) return [];
  const own = { en, zh }[language];
  const keys = of.map((j) => j + 1).join(own.comma);
  const text = fill(own.writtenKeys, { keys, row: row + 1 });
  return [
    { stage: '', name: html`${own.written}`, text: html`<span class="remark">${text}</span>` },
  ];
}

/** Everything that led to a cell. */
export function linesOf(page: Page, result: Result, cell: BenchCell): Line[] {
  const { stage, row, column } = cell;
  if (stage === 'query' || stage === 'key' || stage === 'value') {
    const { feeds, givenHere } = page.words;
    const value = shortestOf(at(result, stage, row, column));
    const says = fill(feeds[stage], { row: row + 1, column: column + 1 });
    const text = html`${equalsSign([value], givenNumber)} <b>${givenNumber(value)}</b>
      <span class="remark">${says}${givenHere}</span>`;
    return [{ stage, name: html`${indexed(letters[stage], row, column)}`, text }];
  }
  const isOutput = stage === 'output';
  const keys = writtenKeys(result, row, isOutput ? undefined : column);
  const line = (of: StageName): Line => ({
    stage: of,
    name: html`${stageName(page, of)}`,
    text: textOf(page, result, { ...cell, stage: of }, keys),
  });
  const pairs: readonly StageName[] = pairsOf(result);
  const led = isOutput ? pairs : pairs.slice(0, pairs.indexOf(stage) + 1);
  const lines = led.flatMap((of) => {
    const own = isOutput ? rowLine(page, result, of, row, keys) : line(of);
    if (of !== 'weights') return [own];
    const noted = isOutput ? [] : writtenLine(page, row, keys);
    return [...noted, ...softmaxOf(page, result, row, keys), own];
  });
  return isOutput ? [...writtenLine(page, row, keys), ...lines, line(stage)] : lines;
}
