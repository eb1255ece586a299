// What the workbench shows of a result: its stages, as tables or one as a picture, and the cell that
// is looked at through all of them.
import { type TemplateResult, html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { choiceView } from '../draw/controls.js';
import { byPointer, lineView, ownSumView } from '../draw/inspector.js';
import { matrixView } from '../draw/matrix.js';
import { cellNumber, cellWeight, exactNumber } from '../draw/number.js';
import { symbols, vector } from '../draw/symbols.js';
import { computedIn, shortestOf } from '../state/bench-numbers.js';
import type { Result } from '../state/bench-result.js';
import { type StageName, isInput, isPair } from '../state/bench-settings.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { comparisonView, factsView, stageName } from './workbench-comparison.js';
import { type BenchCell, linesOf } from './workbench-lineage.js';
import { causeText, causesIn, isHidden, legendView } from './workbench-hatches.js';
import { type Actions, type Looking, pictureOfStage } from './workbench-picture.js';
import { productColumns } from './workbench-room.js';

const cellsOfRow = <Made>(count: number, make: (index: number) => Made) =>
  Array.from({ length: count }, (_, index) => make(index));

/** What a cell is called, counted from 1. */
function cellName(page: Page, { stage, row, column }: BenchCell): string {
  const own = { en, zh }[page.language];
  const text = isPair(stage) ? own.cell : isInput(stage) ? own.inputCell : own.outputCell;
  return fill(text, { row: row + 1, column: column + 1 });
}

function symbolOf({ call }: Result, stage: StageName, isTransposed: boolean): TemplateResult {
  const { scale, bias, alibi } = call.options;
  if (stage === 'scaled' && scale !== undefined) return html`× ${cellNumber(scale)}`;
  if (stage === 'capped') return html`<var>c</var> tanh(· / <var>c</var>)`;
  if (stage === 'biased') {
    const distance = html`− <var>m</var>|<var>i</var> − <var>j</var>|`;
    return html`${bias ? html`+ <var>B</var> ` : nothing}${alibi ? distance : nothing}`;
  }
  if (stage === 'dropped') return html`dropout`;
  if (stage === 'key' && !isTransposed) return html`<var class="key">K</var>`;
  return symbols[stage];
}

function tableView(
  page: Page,
  result: Result,
  stage: StageName,
  { grid, room }: Pick<Looking, 'grid' | 'room'>,
) {
  const own = { en, zh }[page.language];
  const { data, rows, columns, domain } = result.stages.get(stage)!;
  const hidden = isHidden(result, stage);
  const isOutput = stage === 'output';
  const isWeights = stage === 'weights' || stage === 'dropped';
  const causesOf = causesIn(page, result);
  const isTransposed = stage === 'key' && room === 'products';
  const letter = stage === 'key' ? 'k' : stage === 'value' ? 'v' : 'q';
  const vectors = cellsOfRow(rows, (i) => vector(letter, i));
  const dimensions = cellsOfRow(columns, (j) => (isPair(stage) ? vector('k', j) : j + 1));
  return matrixView<StageName>(
    {
      stage,
      values: cellsOfRow(rows, (i) => cellsOfRow(columns, (j) => data[i * columns + j]!)),
      transposed: isTransposed,
      title: symbolOf(result, stage, isTransposed),
      name: '',
      spokenName: stageName(page, stage),
      rowHeads: isTransposed ? dimensions : vectors,
      columnHeads: isTransposed ? vectors : dimensions,
      spoken: (i, j) => cellName(page, { stage, row: i, column: j }),
      scale: isWeights ? 'weight' : 'signed',
      domain,
      cause: (i, j) => (hidden(i * columns + j) ? causesOf(i * columns + j) : []),
      caption: isTransposed
        ? page.words.axesOf.transposed
        : isInput(stage)
          ? page.words.axesOf[stage === 'query' ? 'query' : 'key']
          : isOutput
            ? own.outputAxes
            : page.words.axes,
      // What float32 and the types that are computed in it read as the same number.
      ...(computedIn(result.call.settings.dtype) === 'float32' ? { copied: shortestOf } : {}),
      sums: isWeights,
      ghost: false,
    },
    page.words,
    grid,
  );
}

/** One query and key through all the stages; of the output the one number. */
function cellView(
  page: Page,
  result: Result,
  { looked, isExample, pinned }: Looking,
  { pin }: Actions,
) {
  const own = { en, zh }[page.language];
  if (!looked) return nothing;
  const { row, column } = looked;
  const isOfPair = isPair(looked.stage);
  const name = cellName(page, looked);
  const shown = [...result.stages].filter(([stage]) =>
    isOfPair ? isPair(stage) : stage === looked.stage,
  );
  const lines = linesOf(page, result, looked);
  const ownLine = lines.findLast(({ stage }) => stage === looked.stage);
  const value = ([stage, { data, columns }]: (typeof shown)[number]) => {
    const x = data[row * columns + column]!;
    const isWeight = stage === 'weights' || stage === 'dropped';
    if (x === 0) return '0';
    return isWeight && x > 0 && x < 1e-4 ? cellWeight(x) : exactNumber(x);
  };
  const place = row * shown[0]![1].columns + column;
  const isForbidden = isOfPair && isHidden(result, 'masked')(place);
  return html`${ownLine && !isExample ? ownSumView(ownLine) : nothing}
    <div class="still bench-cell" ?data-kept=${pinned !== null}>
      <p>
        <b>${name}</b>
        ${isForbidden ? html`<span class="remark">${causeText(page, result, place)}</span>` : nothing}
        ${pinned ? html`<button type="button" @click=${() => pin(null)}>${own.letGo}</button>` : nothing}
      </p>
      <dl>
        ${shown.map(
          (entry) =>
            html`<div>
              <dt>${stageName(page, entry[0])}</dt>
              <dd><output data-stage=${entry[0]}>${value(entry)}</output></dd>
            </div>`,
        )}
      </dl>
      <div class="inspector">
        <dl>
          ${lines.map((line) => lineView(line, line.stage === looked.stage, line === ownLine))}
        </dl>
      </div>
      ${isExample ? html`<p class="hint">${byPointer(own.pointHint)}</p>` : nothing}
    </div>`;
}

export function resultView(page: Page, result: Result, looking: Looking, actions: Actions) {
  const own = { en, zh }[page.language];
  const names = [...result.stages.keys()];
  const { room, stage } = looking;
  const choice = choiceView<StageName>({
    label: own.stage,
    name: 'stage',
    options: names.map((name) => [name, stageName(page, name)]),
    value: stage,
    change: actions.stage,
  });
  const columns = Math.max(...[...result.stages.values()].map((each) => each.columns));
  const table = (name: StageName) => tableView(page, result, name, looking);
  const weights = result.stages.has('dropped') ? 'dropped' : 'weights';
  const between = names.filter(
    (name) => !isInput(name) && !['scores', weights, 'output'].includes(name),
  );
  const stages = {
    products: () =>
      html`<div class="bench-products" style="--columns:${productColumns(result)}">
        <div class="bench-product">${table('query')} ${table('key')} ${table('scores')}</div>
        ${between.map(table)}
        <div class="bench-product">${table(weights)} ${table('value')} ${table('output')}</div>
      </div>`,
    all: () =>
      html`<div class="bench-stages" style="--columns:${columns}">${names.map(table)}</div>`,
    one: () =>
      html`${choice}
        <div class="bench-stages" style="--columns:${columns}">${table(stage)}</div>`,
    picture: () => html`${choice} ${pictureOfStage(page, result, looking, actions)}`,
  };
  return html`${result.comparison ? comparisonView(page, result.comparison, actions) : nothing}
  ${stages[room]()}
  ${room === 'picture' ? nothing : legendView(page, result, room === 'one' ? stage : 'masked')}
  ${cellView(page, result, looking, actions)} ${factsView(page, result)}`;
}
