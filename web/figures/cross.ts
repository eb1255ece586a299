// <attention-cross>: queries of one sequence, keys and values of another, and no mask.
import { html } from 'lit';
import en from '../content/en/figures/cross.json';
import zh from '../content/zh/figures/cross.json';
import { footView } from '../draw/inspector.js';
import { checkedOf, checksView } from '../draw/invariants.js';
import { type Lineage, lineageOf } from '../draw/lineage.js';
import { type GridState, type MatrixModel, matrixView } from '../draw/matrix.js';
import { pairView } from '../draw/pair.js';
import { spellAs } from '../draw/provenance.js';
import { domainOf } from '../draw/scale.js';
import { symbols, vector, withWidths } from '../draw/symbols.js';
import example from '../examples/cross-attention.json';
import type { Cell, Matrix } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { randomMatrix } from '../state/random.js';
import { isInput } from '../state/steps.js';
import { fill } from '../state/words.js';
import crossSheet from '../styles/cross.css?inline';
import { sheets } from './figure.js';
import { type Inputs, InputsFigure } from './inputs-figure.js';
import { keepLast } from './traced-figure.js';

const names = ['query', 'key', 'value', 'scores', 'weights', 'output'] as const;
type Name = (typeof names)[number];
type Input = 'query' | 'key' | 'value';
/** Their rows are keys; those of the others are queries. */
const keyed: ReadonlySet<Name> = new Set(['key', 'value']);

const home = { queries: example.tokens.queries.length, keys: example.tokens.keys.length };
const most = 6;
/** The example's tokens, and more where the reader wants longer sequences. */
const longest = (rows: Matrix, seed: number) =>
  [...rows, ...randomMatrix([most, rows[0]!.length], seed)].slice(0, most);
const given: Inputs<Input> = {
  query: longest(example.inputs.query, 31),
  key: longest(example.inputs.key, 32),
  value: longest(example.inputs.value, 33),
};

const crossed = keepLast((page, of: Inputs<Input>, queries: number, keys: number) => {
  const frame = frameOf(page, {
    query: of.query.slice(0, queries),
    key: of.key.slice(0, keys),
    value: of.value.slice(0, keys),
    options: example.options,
  });
  const whole = lineageOf(frame);
  const lineage: Lineage<Name> = {
    shapes: new Map(names.map((name) => [name, whole.shapes.get(name)!])),
    operandsOf: (cell) =>
      // Scaled by one number and with nothing added, the scores are what softmax reads.
      (whole.operandsOf(cell) as Cell[]).map((operand) => ({
        ...operand,
        stage: operand.stage === 'masked' ? 'scores' : (operand.stage as Name),
      })),
  };
  return { frame, lineage };
});

const sequence = (name: 'dec' | 'enc') => html`<var>X</var><sub>${name}</sub>`;
const made = (letter: 'Q' | 'K' | 'V', role: string, of: 'dec' | 'enc') =>
  html`<span class="term"
    ><var class=${role}>${letter}</var> = ${sequence(of)}<var>W</var
    ><sup><var>${letter}</var></sup></span
  >`;

/** Which sequence each of the three is made of. */
function originsView(page: Page, { matrices: { query, key } }: Frame) {
  const own = { en, zh }[page.language];
  return html`<dl class="cross-origins">
    <div>
      <dt>${fill(own.asks, { count: query.length })}</dt>
      <dd>${made('Q', 'query', 'dec')}</dd>
    </div>
    <div>
      <dt>${fill(own.answers, { count: key.length })}</dt>
      <dd>${made('K', 'key', 'enc')}, ${made('V', 'value', 'enc')}</dd>
    </div>
  </dl>`;
}

function boardView(page: Page, frame: Frame, grid?: GridState<Name>) {
  const own = { en, zh }[page.language];
  const { matrices } = frame;
  const { words } = page;
  const width = matrices.query[0]!.length;
  const input = (stage: 'query' | 'key' | 'value' | 'output', name: string): MatrixModel<Name> => ({
    stage,
    values: matrices[stage],
    transposed: stage === 'key',
    title: symbols[stage],
    name,
    spokenName: name ? `${words.stages[stage]}, ${name}` : words.stages[stage],
    isEditable: isInput(stage),
    rowHeads: {
      query: matrices.query.map((_, i) => vector('q', i)),
      key: [],
      value: matrices.value.map((_, j) => vector('v', j)),
      output: [],
    }[stage],
    columnHeads: stage === 'key' ? matrices.key.map((_, j) => vector('k', j)) : [],
    spoken: (row, column) =>
      `${keyed.has(stage) ? words.keyAxis : words.queryAxis} ${row + 1}, ${words.dimension} ${column + 1}`,
    scale: 'signed',
    caption: words.axesOf[stage === 'key' ? 'transposed' : stage === 'value' ? 'key' : 'query'],
    domain: domainOf(matrices.query, matrices.key, matrices.value),
    ghost: false,
  });
  return html`${originsView(page, frame)}
    <div class="cross" style="--across:${width + matrices.key.length}" data-picture>
      <div class="cross-meeting">
        ${matrixView(input('key', own.encoder), words, grid)}
        ${matrixView(input('query', own.decoder), words, grid)}
        ${pairView(
          words,
          { stage: 'scores', title: symbols.scores, values: matrices.scores, kind: 'scores' },
          grid,
        )}
      </div>
      <div class="cross-mixing">
        ${matrixView(input('value', own.encoder), words, grid)}
        ${pairView(
          words,
          {
            stage: 'weights',
            title: html`<var>A</var>`,
            values: matrices.weights,
            kind: 'weights',
          },
          grid,
        )}
        ${matrixView(input('output', ''), words, grid)}
      </div>
    </div>`;
}

/** Below the board: which sequence each letter is of, and that all may be read. */
function saysView(page: Page, frame: Frame) {
  const own = { en, zh }[page.language];
  const { query, key } = frame.matrices;
  const [queries, keys] = [query.length, key.length];
  return html`<p class="cross-says">
    ${withWidths(fill(own.says, { queries, keys, pairs: queries * keys }))}
  </p>`;
}

const checks = (page: Page, frame: Frame) => checksView(page.words, { of: checkedOf(frame) });

export class AttentionCross extends InputsFigure<Name, Input> {
  static override styles = sheets(crossSheet);
  static override key = 'cross';

  static firstFrame = (page: Page) => {
    const { frame } = crossed(page, given, home.queries, home.keys);
    return html`${boardView(page, frame)} ${saysView(page, frame)} ${footView(checks(page, frame))}`;
  };

  protected override readonly home = given;
  protected override readonly counts = {
    t: { home: home.queries, of: ['query'] as const },
    s: { home: home.keys, of: ['key', 'value'] as const },
  };
  protected override inputOf = (name: Name) => (isInput(name) ? name : undefined);
  protected override nameOf = ({ words }: Page, input: Input) => words.stages[input];

  protected override readonly sharesCase = true;
  protected override hasChoice = () => true;
  protected override choiceWords = ({ language }: Page) => ({ en, zh })[language].whose;

  #crossed(page: Page) {
    return crossed(page, this.numbers, this.count('t'), this.count('s'));
  }

  protected override lineage = (page: Page) => this.#crossed(page).lineage;
  protected override isTransposed = (name: Name) => name === 'key';
  protected override example = (): Cell<Name> => {
    return { stage: 'output', row: 0, column: 0 };
  };
  protected override hint = ({ words }: Page) => words.figureHint;

  protected override linesOf(page: Page, cell: Cell<Name>) {
    return spellAs(cell.stage, cell, this.#crossed(page).frame, page.words);
  }

  protected override exhibit(page: Page) {
    return { calls: [{ frame: this.#crossed(page).frame }] };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const { frame } = this.#crossed(page);
    return html`<div class="sizes">
        ${this.countSlider('t', own.queries)} ${this.countSlider('s', own.keys)}
      </div>
      <div class="tools">${this.inputTools(page)}</div>
      ${this.traced(
        page,
        (grid) => html`${boardView(page, frame, grid)} ${saysView(page, frame)}`,
        () => checks(page, frame),
      )}`;
  }
}
