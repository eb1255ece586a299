// What the workbench shows of a result: one stage of one head, the facts, and the comparison.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { pictureView } from '../draw/canvas.js';
import { choiceView } from '../draw/controls.js';
import { cellWeight, exactNumber } from '../draw/number.js';
import { matrixView } from '../draw/matrix.js';
import { symbols, vector } from '../draw/symbols.js';
import type { Comparison } from '../state/compare.js';
import { type Result, type Shown, type StageName, stageNames } from '../state/workbench.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';

/** Up to so many rows and columns the numbers themselves are shown. */
const READABLE = 16;

export interface Looking {
  stage: StageName;
  row: number;
  column: number;
}

const shapeText = (shape: readonly number[]) => (shape.length === 0 ? '1' : shape.join('×'));

const isReadable = ({ rows, columns }: Shown) => rows <= READABLE && columns <= READABLE;

/** The mask shows in the stages from it to the weights. */
const isHidden = ({ stages: { masked } }: Result, stage: StageName) =>
  stage === 'masked' || stage === 'weights'
    ? (at: number) => masked.data[at] === -Infinity
    : () => false;

function tableView(page: Page, result: Result, stage: StageName) {
  const own = { en, zh }[page.language];
  const { data, rows, columns, domain } = result.stages[stage];
  const hidden = isHidden(result, stage);
  const isOutput = stage === 'output';
  return matrixView<StageName>(
    {
      stage,
      values: Array.from({ length: rows }, (_, i) =>
        Array.from({ length: columns }, (_, j) => data[i * columns + j]!),
      ),
      title: symbols[stage],
      name: '',
      spokenName: page.words.stages[stage],
      rowHeads: Array.from({ length: rows }, (_, i) => vector('q', i)),
      columnHeads: Array.from({ length: columns }, (_, j) => (isOutput ? j + 1 : vector('k', j))),
      spoken: (i, j) => fill(isOutput ? own.outputCell : own.cell, { row: i + 1, column: j + 1 }),
      scale: stage === 'weights' ? 'weight' : 'signed',
      domain,
      cause: (i, j) => (hidden(i * columns + j) ? ['blocked'] : []),
      caption: isOutput ? own.outputAxes : page.words.axes,
      sums: stage === 'weights',
      ghost: false,
    },
    page.words,
  );
}

/** Among many keys a weight is small: the full colour is some times an even share. */
const EVEN_SHARES = 8;

function largeView(page: Page, result: Result, { stage, row, column }: Looking, look: Look) {
  const own = { en, zh }[page.language];
  const { data, rows, columns, domain: reach } = result.stages[stage];
  const domain = stage === 'weights' ? Math.min(EVEN_SHARES / columns, 1) : reach;
  const name = page.words.stages[stage];
  const value = data[row * columns + column]!;
  const box = (label: string, now: number, count: number, change: (to: number) => void) =>
    html`<label
      >${label}
      <input
        type="number"
        min="1"
        max=${String(count)}
        .value=${String(now + 1)}
        @change=${(event: Event) => {
          const asked = (event.target as HTMLInputElement).valueAsNumber;
          if (Number.isInteger(asked)) change(Math.min(Math.max(asked, 1), count) - 1);
        }}
    /></label>`;
  return html`<div class="bench-picture">
    ${pictureView({
      label: fill(own.pictureLabel, { stage: name, rows, columns }),
      data,
      rows,
      columns,
      scale: stage === 'weights' ? 'weight' : 'signed',
      domain,
      isBlocked: isHidden(result, stage),
      look: (i, j) => look({ stage, row: i, column: j }),
    })}
    <p class="bench-cell">
      ${box(own.queryIndex, row, rows, (i) => look({ stage, row: i, column }))}
      ${box(stage === 'output' ? own.dimensionIndex : own.keyIndex, column, columns, (j) =>
        look({ stage, row, column: j }),
      )}
      <output>${exactNumber(value)}</output>
      <span class="remark">${fill(own.fullColor, { value: exactNumber(domain) })}</span>
    </p>
  </div>`;
}

export type Look = (at: Looking) => void;

/** Where the comparison points to: the stage and cell of the batch element and head it names. */
export type Show = (at: Looking & { batch: number; head: number }) => void;

function comparisonView(page: Page, comparison: Comparison, result: Result, show: Show) {
  const own = { en, zh }[page.language];
  if (comparison.kind === 'noFit') {
    const { shape, output, weights } = comparison;
    return html`<p class="bench-problem">
      ${fill(own.compare.noFit, { shape: shapeText(shape), output: shapeText(output), weights: shapeText(weights) })}
    </p>`;
  }
  const what = own.compare[comparison.what];
  const largest = exactNumber(comparison.largest);
  if (comparison.kind === 'same') {
    return html`<p class="bench-same">✓ ${fill(own.compare.same, { what, value: largest })}</p>`;
  }
  const { place, found, expected } = comparison;
  const [column, row, head = result.head + 1, batch = result.batch + 1] = [...place].reverse();
  const values = {
    what,
    place: `[${place.join(', ')}]`,
    found: exactNumber(found),
    expected: exactNumber(expected),
    value: largest,
  };
  return html`<p class="bench-problem">
    ✗ ${fill(own.compare.differs, values)}
    <button
      type="button"
      @click=${() =>
        show({
          stage: comparison.what,
          row: row! - 1,
          column: column! - 1,
          head: head - 1,
          batch: batch - 1,
        })}
    >
      ${own.compare.show}
    </button>
  </p>`;
}

function factsView(page: Page, result: Result) {
  const own = { en, zh }[page.language];
  const { rowSums, emptyRows, largest, nonFinite, stages } = result;
  const [low, high] = rowSums.map(exactNumber);
  return html`<ul class="bench-facts">
    <li>${fill(own.facts.sums, { low: low!, high: high! })}</li>
    <li>${fill(own.facts.empty, { count: emptyRows, total: stages.weights.rows })}</li>
    <li>${fill(own.facts.largest, { value: cellWeight(largest) })}</li>
    <li>
      ${
        nonFinite
          ? fill(own.facts.nonFinite, {
              stage: page.words.stages[nonFinite.stage as StageName] ?? nonFinite.stage,
              row: nonFinite.row + 1,
              column: nonFinite.column + 1,
            })
          : own.facts.finite
      }
    </li>
  </ul>`;
}

export function resultView(page: Page, result: Result, at: Looking, look: Look, show: Show) {
  const own = { en, zh }[page.language];
  return html`${result.comparison ? comparisonView(page, result.comparison, result, show) : nothing}
  ${
    Object.values(result.stages).every(isReadable)
      ? html`<div class="bench-stages">
          ${stageNames.map((stage) => tableView(page, result, stage))}
        </div>`
      : html`${choiceView<StageName>({
          label: own.stage,
          name: 'stage',
          options: stageNames.map((name) => [name, page.words.stages[name]]),
          value: at.stage,
          change: (stage) => look({ ...at, stage }),
        })}
        ${largeView(page, result, inside(result, at), look)}`
  }
  ${factsView(page, result)}`;
}

/** The cell that is looked at, kept within a stage that may be smaller. */
function inside(result: Result, { stage, row, column }: Looking): Looking {
  const { rows, columns } = result.stages[stage];
  return { stage, row: Math.min(row, rows - 1), column: Math.min(column, columns - 1) };
}
