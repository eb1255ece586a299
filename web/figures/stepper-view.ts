// The stepper as a pure function of what is shown: the prerendered page and the live element both
// draw it with this. Layout of a product: Kᵀ stands above the scores and Q to their left, so that
// the row and the column meet at the cell; V stands above the output in the same way.
import { type TemplateResult, html, nothing } from 'lit';
import { type GridState, type MatrixModel, matrixView } from '../draw/matrix.js';
import { seedView, switchView } from '../draw/controls.js';
import { hatchesView } from '../draw/hatches.js';
import { inspectorView } from '../draw/inspector.js';
import { invariantsView } from '../draw/invariants.js';
import { exactNumber } from '../draw/number.js';
import { spell } from '../draw/provenance.js';
import { railView } from '../draw/rail.js';
import { domainOf } from '../draw/scale.js';
import { symbols, vector } from '../draw/symbols.js';
import { type Cell, type View, isCausal, sameCell } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { seedOf } from '../state/random.js';
import { type Stage, type Step, isInput, stepOf, steps } from '../state/steps.js';
import { type Words, fill } from '../state/words.js';

export interface StepperView {
  frame: Frame;
  view: View;
  tokens: { queries: string[]; keys: string[] };
  words: Words;
}

/** What only the live figure has. */
export interface Live {
  grid: GridState;
  /** The cell the inspector explains: the reader's, or else the step's own example. */
  looked: Cell | null;
  isExample: boolean;
  canUndo: boolean;
  /** Something the reader should know: a bad entry, a link that was put right. */
  messages: string[];
  on: {
    step: (step: number) => void;
    mask: (isOn: boolean) => void;
    undo: () => void;
    reset: () => void;
    seed: (seed: number) => void;
    edit: (cell: Cell) => void;
    letGo: () => void;
    dismiss: () => void;
  };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const stepLabels: Record<Step, TemplateResult> = {
  inputs: html`<var>Q</var>, <var>K</var>, <var>V</var>`,
  scores: symbols.scores,
  scaled: symbols.scaled,
  masked: symbols.masked,
  weights: html`softmax`,
  output: html`× <var>V</var>`,
};

/** What each step points at while the reader points at nothing: a cell that shows what is new. */
export const exampleCells: Record<Step, Cell | null> = {
  inputs: null,
  scores: { stage: 'scores', row: 0, column: 0 },
  scaled: { stage: 'scaled', row: 0, column: 0 },
  masked: { stage: 'masked', row: 0, column: 1 },
  weights: { stage: 'weights', row: 1, column: 0 },
  output: { stage: 'output', row: 1, column: 0 },
};

/** One sentence per step, for the live region and for pages that bring no prose of their own. */
export function stepSentence({ frame, view, words }: StepperView, step = view.step): string {
  const name = steps[step - 1]!;
  const width = frame.matrices.query[0]?.length ?? 0;
  const count = frame.cause.flat().filter((rules) => rules.length > 0).length;
  const isOther = name === 'masked' && !isCausal(view.case);
  const word = isOther ? (count > 0 ? 'painted' : 'unmasked') : name;
  return fill(words.says[word], { width, root: exactNumber(Math.sqrt(width)), count });
}

function models({ frame, view, tokens, words }: StepperView): Record<Stage, MatrixModel> {
  const { matrices, cause } = frame;
  const inputDomain = domainOf(matrices.query, matrices.key, matrices.value);
  const scoreDomain = domainOf(matrices.scores, matrices.scaled);
  const dimensions = range(matrices.query[0]?.length ?? 0);
  const valueDimensions = range(matrices.value[0]?.length ?? 0);
  const dimension = (index: number) => html`<span class="quiet">${index + 1}</span>`;
  const queryHeads = tokens.queries.map((_, i) => vector('q', i));
  const keyHeads = tokens.keys.map((_, j) => vector('k', j));
  const { queryAxis, keyAxis } = words;
  const forQuery = (row: number, column: number) =>
    `${queryAxis} ${tokens.queries[row]}, ${words.dimension} ${column + 1}`;
  const forKey = (row: number, column: number) =>
    `${keyAxis} ${tokens.keys[row]}, ${words.dimension} ${column + 1}`;
  const forPair = (row: number, column: number) =>
    `${queryAxis} ${tokens.queries[row]}, ${keyAxis} ${tokens.keys[column]}`;

  const model = (stage: Stage, more: Partial<MatrixModel>): MatrixModel => ({
    stage,
    values: matrices[stage],
    title: symbols[stage],
    name: isInput(stage) ? '' : words.stages[stage],
    spokenName: words.stages[stage],
    isEditable: isInput(stage),
    rowHeads: queryHeads,
    columnHeads: keyHeads,
    spoken: forPair,
    scale: 'signed',
    domain: scoreDomain,
    ghost: stepOf(stage) > view.step,
    ...more,
  });
  const why = (row: number, column: number) => cause[row]?.[column] ?? [];
  const input = { domain: inputDomain, columnHeads: dimensions.map(dimension) };
  const axes = { caption: words.axes };
  return {
    query: model('query', { ...input, spoken: forQuery, caption: words.axesOf.query }),
    key: model('key', {
      domain: inputDomain,
      transposed: true,
      rowHeads: dimensions.map(dimension),
      columnHeads: keyHeads,
      spoken: forKey,
      caption: words.axesOf.transposed,
    }),
    value: model('value', {
      domain: inputDomain,
      rowHeads: tokens.keys.map((_, j) => vector('v', j)),
      columnHeads: valueDimensions.map(dimension),
      spoken: forKey,
      caption: words.axesOf.key,
    }),
    scores: model('scores', axes),
    scaled: model('scaled', axes),
    masked: model('masked', { ...axes, cause: why }),
    weights: model('weights', { ...axes, cause: why, scale: 'weight', domain: 1, sums: true }),
    output: model('output', {
      domain: inputDomain,
      columnHeads: valueDimensions.map(dimension),
      spoken: forQuery,
      caption: words.axesOf.query,
    }),
  };
}

/** All six captions lie on one another, so that the figure keeps its height from step to step. */
function captionsView(shown: StepperView, live?: Live) {
  const { view, words } = shown;
  if (!live) return html`<div class="says"><p>${stepSentence(shown)}</p></div>`;
  const name = words.stepNames[steps[view.step - 1]!];
  return html`<div class="says">
      ${steps.map(
        (_, index) =>
          html`<div ?data-current=${index + 1 === view.step}>
            <slot name="step-${index + 1}"><p>${stepSentence(shown, index + 1)}</p></slot>
          </div>`,
      )}
    </div>
    <p class="visually-hidden" aria-live="polite">
      ${fill(words.stepLabel, { step: view.step, count: steps.length, name })}.
      ${stepSentence(shown)}
    </p>`;
}

export function stepperView(shown: StepperView, live?: Live): TemplateResult {
  const { frame, view, tokens, words } = shown;
  const m = models(shown);
  const block = (stage: Stage) => matrixView(m[stage], words, live?.grid);
  const isLooking = live && live.looked && !live.isExample;
  return html`<div
    class="stepper"
    data-step=${view.step}
    data-looking=${isLooking ? 'yes' : nothing}
    style="--keys:${tokens.keys.length}"
  >
    ${railView({
      words,
      steps: steps.map((name) => ({ label: stepLabels[name], name: words.stepNames[name] })),
      current: view.step,
      go: live?.on.step,
    })}
    <div class="board">
      ${captionsView(shown, live)} ${block('query')} ${block('key')} ${block('scores')}
      ${block('scaled')}
      <div class="masking">
        ${live ? switchView(words.maskSwitch, isCausal(view.case), live.on.mask) : nothing}
        ${hatchesView(words, frame.cause)}
      </div>
      ${block('masked')} ${block('weights')} ${block('value')} ${block('output')}
    </div>
    ${
      live
        ? html`<div class="messages" role="status">
            ${live.messages.map((text) => html`<p>${text}</p>`)}
            ${live.messages.length ? html`<button type="button" @click=${live.on.dismiss}>${words.dismiss}</button>` : nothing}
          </div>`
        : nothing
    }
    <div class="below">
      ${
        live
          ? inspectorView({
              words,
              cell: live.looked,
              lines: live.looked ? spell(live.looked, frame, view.step, words) : [],
              due:
                live.looked && stepOf(live.looked.stage) > view.step
                  ? stepOf(live.looked.stage)
                  : undefined,
              isKept: view.pin !== null && sameCell(live.looked, view.pin),
              isEditable: live.looked !== null && isInput(live.looked.stage),
              hint: live.isExample ? words.inspectorHint : null,
              edit: live.on.edit,
              letGo: live.on.letGo,
            })
          : html`<div class="inspector"></div>`
      }
      <div class="beside">
        ${invariantsView(frame, words)}
        ${
          live
            ? html`<div class="tools">
                <button type="button" aria-disabled=${!live.canUndo} @click=${live.on.undo}>
                  ${words.undo}
                </button>
                <button type="button" @click=${live.on.reset}>${words.reset}</button>
                ${seedView({ words, seed: seedOf(view.case), last: view.case.seed, change: live.on.seed })}
              </div>`
            : nothing
        }
      </div>
    </div>
  </div>`;
}
