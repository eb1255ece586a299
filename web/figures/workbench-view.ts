// What the workbench shows of a result: its stages, as tables or one as a picture, and the cell that
// is looked at through all of them.
import type { MaskRule } from 'attention-wasm';
import { type TemplateResult, html, nothing } from 'lit';
import { until } from 'lit/directives/until.js';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { pictureView } from '../draw/canvas.js';
import { choiceView } from '../draw/controls.js';
import { type GridState, matrixView } from '../draw/matrix.js';
import { cellNumber, cellWeight, exactNumber } from '../draw/number.js';
import { symbols, vector } from '../draw/symbols.js';
import { type Result, causesAt } from '../state/bench-result.js';
import { groupsOf } from '../state/bench-rules.js';
import { type StageName, inputNames, pairNames, stageNames } from '../state/bench-settings.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { comparisonView, factsView, stageName } from './workbench-comparison.js';
import type { Asking } from './workbench-boxes.js';
import { type BenchCell, linesOf } from './workbench-lineage.js';
import type { Room } from './workbench-room.js';
import { groupText } from './workbench-rules.js';

export interface Looking {
  /** The stage that is shown where only one is. */
  stage: StageName;
  /** What the pointer or the focus is on, else what is kept. */
  looked: BenchCell | null;
  pinned: BenchCell | null;
  grid?: GridState<StageName>;
  /** Which of the stages there is room for. */
  room: Room;
}

export interface Actions {
  stage: (stage: StageName) => void;
  hover: (cell: BenchCell | null) => void;
  pin: (cell: BenchCell | null) => void;
  show: () => void;
  ask: Asking['ask'];
}

const cellsOfRow = <Made>(count: number, make: (index: number) => Made) =>
  Array.from({ length: count }, (_, index) => make(index));

const isInput = (stage: StageName) => (inputNames as readonly string[]).includes(stage);
const isPair = (stage: StageName) => (pairNames as readonly string[]).includes(stage);

/** What a cell is called, counted from 1. */
function cellName(page: Page, { stage, row, column }: BenchCell): string {
  const own = { en, zh }[page.language];
  const text = isPair(stage) ? own.cell : isInput(stage) ? own.inputCell : own.outputCell;
  return fill(text, { row: row + 1, column: column + 1 });
}

/** From the mask on, a key that is not allowed shows as such. */
const isAfterMask = (stage: StageName) =>
  stageNames.indexOf(stage) >= stageNames.indexOf('masked') && stage !== 'output';

/** −∞ after the mask: by a rule, or by a bias. */
const isHidden = ({ stages }: Result, stage: StageName) => {
  const { data } = stages.get('masked')!;
  return isAfterMask(stage) ? (at: number) => data[at] === -Infinity : () => false;
};

function symbolOf({ call }: Result, stage: StageName): TemplateResult {
  const { scale, bias, alibi } = call.options;
  if (stage === 'scaled' && scale !== undefined) return html`× ${cellNumber(scale)}`;
  if (stage === 'capped') return html`<var>c</var> tanh(· / <var>c</var>)`;
  if (stage === 'biased') {
    const distance = html`− <var>m</var>|<var>i</var> − <var>j</var>|`;
    return html`${bias ? html`+ <var>B</var> ` : nothing}${alibi ? distance : nothing}`;
  }
  if (stage === 'dropped') return html`dropout`;
  if (stage === 'key') return html`<var class="key">K</var>`; // not transposed here
  return symbols[stage];
}

function tableView(page: Page, result: Result, stage: StageName, grid?: GridState<StageName>) {
  const own = { en, zh }[page.language];
  const { data, rows, columns, domain } = result.stages.get(stage)!;
  const hidden = isHidden(result, stage);
  const isOutput = stage === 'output';
  const isWeights = stage === 'weights' || stage === 'dropped';
  const groups = groupsOf(result.call.rules);
  const rules = result.call.options.mask as readonly MaskRule[];
  /** A rule by its kind, which has its hatching; several joined by “or”, and the tensor, by name. */
  const nameOf = (at: number) => {
    const [group, rule] = [groups[at]!, rules[at]!];
    const kind = typeof rule === 'string' ? rule : rule.kind;
    const isTensor = group[0]!.kind === 'tensor' && kind !== 'padding';
    return isTensor || !(kind in page.words.rules) ? groupText(page, group) : kind;
  };
  const causesOf = (i: number, j: number) => {
    const names = result.causes?.[i]?.[j]?.map(nameOf) ?? [];
    return names.length > 0 ? names : [own.biasCause];
  };
  return matrixView<StageName>(
    {
      stage,
      values: cellsOfRow(rows, (i) => cellsOfRow(columns, (j) => data[i * columns + j]!)),
      title: symbolOf(result, stage),
      name: '',
      spokenName: stageName(page, stage),
      rowHeads: cellsOfRow(rows, (i) =>
        vector(stage === 'key' ? 'k' : stage === 'value' ? 'v' : 'q', i),
      ),
      columnHeads: cellsOfRow(columns, (j) => (isPair(stage) ? vector('k', j) : j + 1)),
      spoken: (i, j) => cellName(page, { stage, row: i, column: j }),
      scale: isWeights ? 'weight' : 'signed',
      domain,
      cause: (i, j) => (hidden(i * columns + j) ? causesOf(i, j) : []),
      caption: isInput(stage)
        ? own.inputAxes[stage as 'query' | 'key' | 'value']
        : isOutput
          ? own.outputAxes
          : page.words.axes,
      sums: isWeights,
      ghost: false,
    },
    page.words,
    grid,
  );
}

/** Among many keys a weight is small: the full colour is some times an even share. */
const EVEN_SHARES = 8;

/** What the colours stand for. */
function barView(scale: 'weight' | 'signed', domain: number) {
  const full = exactNumber(domain);
  const low = scale === 'weight' ? '0' : exactNumber(-domain);
  return html`<p class="bench-bar" data-scale=${scale}>
    <span>${low}</span> <i></i>
    <span>${scale === 'weight' && domain < 1 ? `≥ ${full}` : full}</span>
  </p>`;
}

function largeView(
  page: Page,
  result: Result,
  { stage, looked, pinned }: Looking,
  { hover, pin }: Actions,
) {
  const own = { en, zh }[page.language];
  const { data, rows, columns, domain: reach } = result.stages.get(stage)!;
  const isWeights = stage === 'weights' || stage === 'dropped';
  const domain = isWeights ? Math.min(EVEN_SHARES / columns, 1) : reach;
  const { row, column } = looked ?? { row: 0, column: 0 };
  const at = (i: number, j: number) => ({ stage, row: i, column: j });
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
      label: fill(own.pictureLabel, { stage: stageName(page, stage), rows, columns }),
      data,
      rows,
      columns,
      scale: isWeights ? 'weight' : 'signed',
      domain,
      isBlocked: isHidden(result, stage),
      mark: looked ?? pinned,
      look: (i, j) => hover(at(i, j)),
      leave: () => hover(null),
      keep: (i, j) => pin(at(i, j)),
    })}
    <p class="axes">${stage === 'output' ? own.outputAxes : page.words.axes}</p>
    ${barView(isWeights ? 'weight' : 'signed', domain)}
    <p class="bench-place">
      ${box(own.queryIndex, row, rows, (i) => pin(at(i, column)))}
      ${box(stage === 'output' ? own.dimensionIndex : own.keyIndex, column, columns, (j) =>
        pin(at(row, j)),
      )}
    </p>
  </div>`;
}

/** The rules that forbid a cell, in words, when they are known. */
async function causeOf(page: Page, result: Result, { row, column }: BenchCell) {
  const own = { en, zh }[page.language];
  try {
    const texts = groupsOf(result.call.rules).map((group) => groupText(page, group));
    const said = (await causesAt(result, row, column)).map((at) => texts[at]!);
    return fill(own.forbidden, {
      rules: (said.length > 0 ? said : [own.biasCause]).join(own.comma),
    });
  } catch {
    return ''; // another result has come meanwhile, and this one's masks have gone
  }
}

/** One query and key through all the stages; of the output the one number. */
function cellView(page: Page, result: Result, { looked, pinned, room }: Looking, { pin }: Actions) {
  const own = { en, zh }[page.language];
  if (!looked) return html`<p class="remark">${own.pointHint}</p>`;
  const { row, column } = looked;
  const isOfPair = isPair(looked.stage);
  const name = cellName(page, looked);
  const shown = [...result.stages].filter(([stage]) =>
    isOfPair ? isPair(stage) : stage === looked.stage,
  );
  const lines = room === 'picture' ? [] : linesOf(page, result, looked);
  const value = ([stage, { data, columns }]: (typeof shown)[number]) => {
    const x = data[row * columns + column]!;
    const isWeight = stage === 'weights' || stage === 'dropped';
    if (x === 0) return '0';
    return isWeight && x > 0 && x < 1e-4 ? cellWeight(x) : exactNumber(x);
  };
  const forbidden = isOfPair && isHidden(result, 'masked')(row * shown[0]![1].columns + column);
  return html`<div class="bench-cell" ?data-kept=${pinned !== null}>
    <p>
      <b>${name}</b>
      ${forbidden ? html`<span class="remark">${until(causeOf(page, result, looked), nothing)}</span>` : nothing}
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
    ${
      lines.length > 0
        ? html`<div class="inspector">
            <dl>
              ${lines.map(
                (line) =>
                  html`<div ?data-main=${line.stage === looked.stage}>
                    <dt>${line.name}</dt>
                    <dd>${line.text}</dd>
                  </div>`,
              )}
            </dl>
          </div>`
        : nothing
    }
  </div>`;
}

export function resultView(page: Page, result: Result, looking: Looking, actions: Actions) {
  const own = { en, zh }[page.language];
  const names = [...result.stages.keys()];
  const { room, stage, grid } = looking;
  const choice = choiceView<StageName>({
    label: own.stage,
    name: 'stage',
    options: names.map((name) => [name, stageName(page, name)]),
    value: stage,
    change: actions.stage,
  });
  const columns = Math.max(...[...result.stages.values()].map((each) => each.columns));
  const stages = {
    all: () =>
      html`<div class="bench-stages" style="--columns:${columns}">
        ${names.map((name) => tableView(page, result, name, grid))}
      </div>`,
    one: () =>
      html`${choice}
        <div class="bench-stages" style="--columns:${columns}">
          ${tableView(page, result, stage, grid)}
        </div>`,
    picture: () => html`${choice} ${largeView(page, result, looking, actions)}`,
  };
  return html`${result.comparison ? comparisonView(page, result.comparison, actions) : nothing}
  ${stages[room]()} ${cellView(page, result, looking, actions)} ${factsView(page, result)}`;
}
