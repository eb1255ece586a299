// <attention-causal-steps>: five tokens, their scores, the future hidden, the rest shared out.
// The example's keys are the identity, so that its queries are the scores themselves.
import { html, nothing } from 'lit';
import en from '../content/en/figures/causal-steps.json';
import zh from '../content/zh/figures/causal-steps.json';
import { hatchesView } from '../draw/hatches.js';
import { inspectorView } from '../draw/inspector.js';
import { invariantsView } from '../draw/invariants.js';
import { type Lineage, lineageOf } from '../draw/lineage.js';
import { type GridState, type MatrixModel, matrixView } from '../draw/matrix.js';
import { spell } from '../draw/provenance.js';
import { railView } from '../draw/rail.js';
import { domainOf } from '../draw/scale.js';
import { symbols } from '../draw/symbols.js';
import example from '../examples/causal-demo.json';
import { caseOf, sameCell } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import { LocalCase } from '../state/local-case.js';
import type { Page } from '../state/page.js';
import { type Stage, stepOf } from '../state/steps.js';
import { fill } from '../state/words.js';
import causalSheet from '../styles/causal-steps.css?inline';
import { sheets } from './figure.js';
import { OwnCaseFigure } from './own-case-figure.js';

const home = caseOf(example);
const tokens = example.tokens.queries;
const steps = ['given', 'masked', 'weights'] as const;
const stageAt = { given: 'query', masked: 'masked', weights: 'weights' } as const;

const lineages = new WeakMap<Frame, Lineage>();

/** The queries are the scores, and the keys that make them so are not shown: a score is one cell. */
function lineageHere(frame: Frame): Lineage {
  const known = lineages.get(frame);
  if (known) return known;
  const { operandsOf } = lineageOf(frame);
  const size = [tokens.length, tokens.length] as const;
  const made: Lineage = {
    shapes: new Map(steps.map((name) => [stageAt[name], size])),
    operandsOf: (cell) =>
      cell.stage === 'masked'
        ? operandsOf(cell).map((scaled) => ({ ...scaled, stage: 'query' }))
        : cell.stage === 'weights'
          ? operandsOf(cell)
          : [],
  };
  lineages.set(frame, made);
  return made;
}

function boardView(frame: Frame, page: Page, step: number, grid?: GridState) {
  const own = { en, zh }[page.language];
  const { words } = page;
  const heads = tokens.map((token) => html`<span lang="en">${token}</span>`);
  const domain = domainOf(frame.matrices.query);
  const block = (name: (typeof steps)[number], index: number) => {
    const stage = stageAt[name];
    const isWeights = stage === 'weights';
    const model: MatrixModel = {
      stage,
      values: frame.matrices[stage],
      title:
        name === 'given'
          ? html`${own.labels.given}`
          : isWeights
            ? html`<var>A</var>`
            : symbols.masked,
      name: '',
      spokenName: own.steps[name],
      isEditable: stage === 'query',
      rowHeads: heads,
      columnHeads: heads,
      spoken: (row, column) => fill(own.spokenPair, { query: tokens[row]!, key: tokens[column]! }),
      scale: isWeights ? 'weight' : 'signed',
      domain: isWeights ? 1 : domain,
      ...(name === 'given' ? {} : { cause: (i: number, j: number) => frame.cause[i]?.[j] ?? [] }),
      caption: words.axes,
      sums: isWeights,
      ghost: index + 1 > step,
    };
    return matrixView(model, words, grid);
  };
  return html`<div class="causal-board" data-step=${step}>${steps.map(block)}</div>`;
}

export class AttentionCausalSteps extends OwnCaseFigure {
  static override styles = sheets(causalSheet);
  static override key = 'causal';

  static firstFrame = (page: Page) =>
    html`<div class="causal">${boardView(frameOf(page, home), page, steps.length)}</div>`;

  protected readonly own = new LocalCase(home);
  /** The scores themselves. */
  protected override readonly random = ['query'] as const;

  protected override shows(stage: Stage): boolean {
    return steps.some((name) => stageAt[name] === stage);
  }

  protected override isTransposed(): boolean {
    return false;
  }

  protected override lineage(): Lineage {
    return lineageHere(this.frame);
  }

  get #step(): number {
    return this.whole('s', [1, steps.length], 1);
  }

  protected override board(page: Page) {
    const own = { en, zh }[page.language];
    const { words } = page;
    const step = this.#step;
    const name = steps[step - 1]!;
    const looked = this.grid.looked ?? { stage: stageAt[name], row: 3, column: 1 };
    const due = steps.findIndex((each) => stageAt[each] === looked.stage) + 1;
    const go = (to: number) => this.set('s', to === 1 ? undefined : String(to));
    return html`<div class="causal" data-looking=${this.grid.looked ? 'yes' : nothing}>
      ${railView({
        words,
        steps: steps.map((each) => ({
          label: each === 'masked' ? symbols.masked : own.labels[each],
          name: own.steps[each],
        })),
        current: step,
        go,
      })}
      <p class="causal-says" aria-live="polite">
        ${fill(own.says[name], { query: tokens[looked.row]! })}
      </p>
      ${boardView(this.frame, page, step, this.gridState(looked))}
      ${hatchesView(words, this.frame.cause)}
      <div class="below">
        ${inspectorView({
          words,
          cell: looked.stage === 'query' ? null : looked,
          lines: spell(looked, this.frame, stepOf(stageAt[name]), words).filter(
            ({ stage }) => stage === 'masked' || stage === 'weights',
          ),
          due: due > step ? due : undefined,
          isKept: this.grid.looked !== null && sameCell(looked, this.pin()),
          isEditable: false,
          hint: this.complaint || null,
          edit: (cell) => this.grid.edit(cell),
          letGo: () => this.setPin(null),
        })}
        ${invariantsView(this.frame, words, ['rowsSum', 'inUnit', 'maskedZero'])}
      </div>
      <div class="tools">
        <button type="button" aria-disabled=${!this.own.canUndo} @click=${() => this.undo()}>
          ${words.undo}
        </button>
        <button type="button" @click=${() => (this.changeCase(home), go(1), this.setPin(null))}>
          ${page.words.reset}
        </button>
        ${this.seedBox(page)}
      </div>
    </div>`;
  }
}
