// <attention-causal-steps>: five tokens, their scores, the future hidden, the rest shared out.
// The example's keys are the identity, so that its queries are the scores themselves; those of the
// reader's case are made from its Q and K.
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
import sixStep from '../examples/six-step.json';
import { type Case, caseOf, sameCell, withCausal } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import { LocalCase } from '../state/local-case.js';
import type { Page } from '../state/page.js';
import { type Stage, stepOf } from '../state/steps.js';
import { fill } from '../state/words.js';
import causalSheet from '../styles/causal-steps.css?inline';
import { sheets } from './figure.js';
import { OwnCaseFigure } from './own-case-figure.js';
import { keepLast } from './traced-figure.js';

const home = caseOf(example);
const steps = ['given', 'masked', 'weights'] as const;
type Name = (typeof steps)[number];
/** Whose scores it shows, and under which stage. */
type Given = 'query' | 'scaled';
const stageAt = (name: Name, given: Given) => (name === 'given' ? given : name);
const tokensOf = { query: example.tokens.queries, scaled: sixStep.tokens.queries };

const causal = keepLast((_, whole: Case): Case => withCausal(whole, true));

const lineages = new WeakMap<Frame, Lineage>();

/** What makes the scores is not shown: a score is one cell. */
function lineageHere(frame: Frame, given: Given): Lineage {
  const known = lineages.get(frame);
  if (known) return known;
  const { operandsOf } = lineageOf(frame);
  const size = [frame.cause.length, frame.cause.length] as const;
  const made: Lineage = {
    shapes: new Map(steps.map((name) => [stageAt(name, given), size])),
    operandsOf: (cell) =>
      cell.stage === 'masked'
        ? operandsOf(cell).map((scaled) => ({ ...scaled, stage: given }))
        : cell.stage === 'weights'
          ? operandsOf(cell)
          : [],
  };
  lineages.set(frame, made);
  return made;
}

function boardView(frame: Frame, page: Page, given: Given, step: number, grid?: GridState) {
  const own = { en, zh }[page.language];
  const { words } = page;
  const tokens = tokensOf[given];
  const heads = tokens.map((token) => html`<span lang="en">${token}</span>`);
  const domain = domainOf(frame.matrices[given]);
  const block = (name: Name, index: number) => {
    const stage = stageAt(name, given);
    const isWeights = stage === 'weights';
    const model: MatrixModel = {
      stage,
      values: frame.matrices[stage],
      title:
        name === 'given'
          ? labelOf(name, page, given)
          : isWeights
            ? html`<var>A</var>`
            : symbols.masked,
      name: '',
      spokenName: nameOf(name, page, given),
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

const labelOf = (name: Name, { language }: Page, given: Given) =>
  name === 'masked' || (name === 'given' && given === 'scaled')
    ? symbols[stageAt(name, given)]
    : html`${{ en, zh }[language].labels[name]}`;

const nameOf = (name: Name, { language }: Page, given: Given) => {
  const own = { en, zh }[language];
  return name === 'given' && given === 'scaled' ? own.made.step : own.steps[name];
};

export class AttentionCausalSteps extends OwnCaseFigure {
  static override styles = sheets(causalSheet);
  static override key = 'causal';

  static firstFrame = (page: Page) =>
    html`<div class="causal">${boardView(frameOf(page, home), page, 'query', steps.length)}</div>`;

  protected readonly own = new LocalCase(home);
  /** The scores themselves. */
  protected override readonly random = ['query'] as const;

  protected override choiceWords = ({ language }: Page) => ({ en, zh })[language].whose;

  protected override partOf(whole: Case): Case {
    return causal(this.page!, whole);
  }

  protected override withPart(whole: Case, { query, key, value }: Case): Case {
    return { ...whole, query, key, value };
  }

  get #given(): Given {
    return this.isMine ? 'scaled' : 'query';
  }

  protected override shows(stage: Stage): boolean {
    return steps.some((name) => stageAt(name, this.#given) === stage);
  }

  protected override isTransposed(): boolean {
    return false;
  }

  protected override lineage(): Lineage {
    return lineageHere(this.frame, this.#given);
  }

  get #step(): number {
    return this.whole('s', [1, steps.length], 1);
  }

  protected override board(page: Page) {
    const own = { en, zh }[page.language];
    const { words } = page;
    const step = this.#step;
    const name = steps[step - 1]!;
    const given = this.#given;
    const looked = this.grid.looked ?? { stage: stageAt(name, given), row: 3, column: 1 };
    const due = steps.findIndex((each) => stageAt(each, given) === looked.stage) + 1;
    const says = name === 'given' && this.isMine ? own.made.says : own.says[name];
    const go = (to: number) => this.set('s', to === 1 ? undefined : String(to));
    return html`<div class="causal" data-looking=${this.grid.looked ? 'yes' : nothing}>
      ${railView({
        words,
        steps: steps.map((each) => ({
          label: labelOf(each, page, given),
          name: nameOf(each, page, given),
        })),
        current: step,
        go,
      })}
      <p class="causal-says" aria-live="polite">
        ${fill(says, { query: tokensOf[given][looked.row]! })}
      </p>
      ${boardView(this.frame, page, given, step, this.gridState(looked))}
      ${hatchesView(words, this.frame.cause)}
      <div class="below">
        ${inspectorView({
          words,
          cell: looked.stage === 'query' ? null : looked,
          lines: spell(looked, this.frame, stepOf(stageAt(name, given)), words).filter(
            ({ stage }) => this.isMine || stage === 'masked' || stage === 'weights',
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
        <button type="button" aria-disabled=${!this.canUndo} @click=${() => this.undo()}>
          ${words.undo}
        </button>
        <button type="button" @click=${() => (this.reset(), go(1), this.setPin(null))}>
          ${page.words.reset}
        </button>
        ${this.seedBox(page)}
      </div>
    </div>`;
  }
}
