// <attention-alignment>: a causal mask over T queries and S keys under both customs, and from a key of one's own.
import { html, nothing } from 'lit';
import en from '../content/en/figures/alignment.json';
import { problems as problemsEn } from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/alignment.json';
import { problems as problemsZh } from '../content/zh/figures/workbench.json';
import { sliderView, switchView } from '../draw/controls.js';
import { hatchesView } from '../draw/hatches.js';
import { footView } from '../draw/inspector.js';
import { checkedOf, checksView } from '../draw/invariants.js';
import { type Follow, atRest, withTheRest } from '../draw/later.js';
import { type GridState, type MatrixModel, matrixView } from '../draw/matrix.js';
import { type Pair, pairView } from '../draw/pair.js';
import { spellAs } from '../draw/provenance.js';
import { domainOf } from '../draw/scale.js';
import { symbols, vector } from '../draw/symbols.js';
import { type Cell, sameMatrix, sizeOf } from '../state/case.js';
import type { Page } from '../state/page.js';
import type { Input } from '../state/random.js';
import { fill } from '../state/words.js';
import alignmentSheet from '../styles/alignment.css?inline';
import comparisonSheet from '../styles/comparison.css?inline';
import {
  type Name,
  type Setting,
  type Start,
  alignedBy,
  article,
  firstKey,
  firsts,
  home,
  inputOf,
  last,
  stageOf,
  startOf,
  starts,
} from './alignment-calls.js';
import { sheets } from './figure.js';
import { InputsFigure } from './inputs-figure.js';
import { onward } from './traced-figure.js';

const signed = (x: number) => String(x).replace('-', '−');

/** Q, K and their scores, which all calls share. */
function scoresView(page: Page, setting: Setting, grid?: GridState<Name>) {
  const { words } = page;
  const { matrices } = alignedBy(page, setting).frames['top-left'];
  const input = (stage: 'query' | 'key'): MatrixModel<Name> => ({
    stage,
    values: matrices[stage],
    transposed: stage === 'key',
    title: symbols[stage],
    name: '',
    spokenName: words.stages[stage],
    isEditable: true,
    rowHeads: stage === 'query' ? matrices.query.map((_, i) => vector('q', i)) : [],
    columnHeads: stage === 'key' ? matrices.key.map((_, j) => vector('k', j)) : [],
    spoken: (row, column) =>
      `${stage === 'key' ? words.keyAxis : words.queryAxis} ${row + 1}, ${words.dimension} ${column + 1}`,
    scale: 'signed',
    domain: domainOf(matrices.query, matrices.key),
    caption: words.axesOf[stage === 'key' ? 'transposed' : 'query'],
    ghost: false,
  });
  const scores: Pair<Name> = {
    stage: 'scores',
    title: symbols.scores,
    values: matrices.scores,
    kind: 'scores',
  };
  return html`<div class="meeting" ?data-many=${setting.keys > 5}>
    ${matrixView(input('key'), words, grid)} ${matrixView(input('query'), words, grid)}
    ${pairView(words, scores, grid)}
  </div>`;
}

/** As the call says it; the library counts keys from 0. */
const codeOf = (start: Start, { first }: Setting) =>
  start === 'own' ? `start: ${first - 1}` : `start: '${start}'`;

function alignedView(page: Page, setting: Setting, start: Start, grid?: GridState<Name>) {
  const own = { en, zh }[page.language];
  const { words } = page;
  const { matrices, cause } = alignedBy(page, setting).frames[start];
  const first = firstKey[start](setting);
  const empty = cause.filter((row) => row.every((rules) => rules.length > 0)).length;
  const [, width] = sizeOf(matrices.value);
  const column = (stage: 'value' | 'output', axis: string): MatrixModel<Name> => ({
    stage: `${start}-${stage}`,
    values: matrices[stage],
    transposed: stage === 'value',
    title: stage === 'value' ? html`<var class="value">V</var><sup>⊤</sup>` : symbols.output,
    name: '',
    spokenName: `${codeOf(start, setting)}: ${words.stages[stage]}`,
    isEditable: stage === 'value',
    rowHeads: [],
    columnHeads: [],
    spoken: (row, column) =>
      width > 1 ? `${axis} ${row + 1}, ${words.dimension} ${column + 1}` : `${axis} ${row + 1}`,
    scale: 'signed',
    domain: domainOf(matrices.value),
    caption: words.axesOf[stage === 'value' ? 'transposed' : width > 1 ? 'query' : 'queries'],
    ghost: false,
  });
  const weights: Pair<Name> = {
    stage: `${start}-weights`,
    title: html`<var>A</var>`,
    spokenName: `${codeOf(start, setting)}: ${words.stages.weights}`,
    values: matrices.weights,
    kind: 'weights',
    cause: (i, j) => cause[i]?.[j] ?? [],
  };
  return html`<div>
    <p class="comparison-title"><code>${codeOf(start, setting)}</code></p>
    <p class="remark">${fill(first < 1 ? own.before : own.stands, { first: signed(first) })}</p>
    <div class="aligned">
      ${matrixView(column('value', words.keyAxis), words, grid)} ${pairView(words, weights, grid)}
      ${matrixView(column('output', words.queryAxis), words, grid)}
    </div>
    <p class="remark empty-rows">${empty > 0 ? fill(own.empty, { count: empty }) : nothing}</p>
  </div>`;
}

/** Why a call is refused that does not say where query 1 stands; nothing where it need not. */
function refusal(page: Page, setting: Setting): string | null {
  const { queries, keys } = setting;
  try {
    page.attention.mask('causal', { queries, keys }).dispose();
    return null;
  } catch (error) {
    if (!(error instanceof page.library.AttentionError)) throw error;
    const { start } = { en: problemsEn, zh: problemsZh }[page.language];
    return error.code === 'option'
      ? fill(start, { queries, keys, last: signed(last(setting)) })
      : error.message;
  }
}

/** Then the output tells which keys were averaged. */
const isDoubling = ({ from, keys }: Setting) =>
  sameMatrix(from.value.slice(0, keys), article.value.slice(0, keys));

/** On a phone, of so many keys and fewer all cells are alike in width. */
const roomy = 5;

/**
 * The call whose output is spelled goes first, or the one whose key has been moved since the setting
 * `before`.
 */
function boardView(
  page: Page,
  setting: Setting,
  grid?: GridState<Name>,
  follow: Follow = withTheRest,
  before?: Setting,
) {
  const own = { en, zh }[page.language];
  const message = refusal(page, setting);
  const [, width] = sizeOf(alignedBy(page, setting).frames['top-left'].matrices.value);
  // Where there is room, cells are as wide as the most keys leave them: they keep their width as the
  // slider moves, for another is a new style for each, which takes as long as all else that it does.
  const across = setting.from.key.length + width;
  const narrow = Math.max(setting.keys, roomy) + width;
  const leading: Start = before?.first === setting.first ? 'bottom-right' : 'own';
  return html`<div data-picture>
      ${setting.isEqual ? nothing : follow(() => scoresView(page, setting, grid))}
      <div class="comparison" data-across style="--across:${across};--narrow:${narrow}">
        ${starts.map((start) =>
          follow(() => alignedView(page, setting, start, grid), start === leading),
        )}
      </div>
    </div>
    ${hatchesView(page.words, ['causal'])}
    <p class="remark">
      ${isDoubling(setting) ? (setting.isEqual ? own.setup : own.shared) : own.same}
    </p>
    <p class="remark unsaid" aria-live="polite">
      ${message === null ? nothing : fill(own.unsaid, { message })}
    </p>`;
}

function checks(page: Page, setting: Setting) {
  const { frames } = alignedBy(page, setting);
  const part = (start: Start) => ({ of: checkedOf(frames[start]), name: codeOf(start, setting) });
  return checksView(page.words, ...starts.map(part));
}

/** Up to which number each slider goes. */
const most: Record<'queries' | 'keys' | 'first', (from: Setting['from']) => number> = {
  queries: ({ query }) => query.length,
  keys: ({ key }) => key.length,
  first: () => firsts[1],
};

export class AttentionAlignment extends InputsFigure<Name, Input> {
  static override styles = sheets(comparisonSheet, alignmentSheet);
  static override key = 'align';

  static firstFrame = (page: Page) =>
    html`${boardView(page, home)} ${footView(checks(page, home))}`;

  protected override readonly sharesCase = true;
  protected override hasChoice = () => true;
  protected override choiceWords = ({ language }: Page) => ({ en, zh })[language].whose;

  protected override readonly home = article;
  /** The values double, whatever the scores are. */
  protected override readonly random = ['query', 'key'] as const;
  protected override readonly counts = {
    t: { home: home.queries, of: ['query'] as const },
    s: { home: home.keys, of: ['key', 'value'] as const },
  };
  protected override inputOf = inputOf;
  protected override nameOf = ({ words }: Page, input: Input) => words.stages[input];
  protected override undone() {
    return [...super.undone(), 'first', 'equal'];
  }

  get #setting(): Setting {
    return {
      queries: this.count('t'),
      keys: this.count('s'),
      first: this.whole('first', firsts, home.first),
      isEqual: this.flag('equal'),
      from: this.numbers,
    };
  }

  #before: Setting | undefined;

  /** A slider that is moved is moved on: what it will show is computed while the page rests. */
  protected override updated(): void {
    super.updated();
    const { page } = this;
    if (!page) return;
    const [before, now] = [this.#before, this.#setting];
    this.#before = now;
    if (before?.from !== now.from) return;
    for (const name of ['queries', 'keys', 'first'] as const) {
      const next = onward(before[name], now[name], most[name](now.from));
      if (next !== undefined) atRest(() => alignedBy(page, { ...now, [name]: next }));
    }
  }

  #aligned(page: Page) {
    return alignedBy(page, this.#setting);
  }

  protected override lineage = (page: Page) => this.#aligned(page).lineage;
  protected override isTransposed = (name: Name) => ['value', 'key'].includes(stageOf(name));
  protected override example = (): Cell<Name> => {
    return { stage: 'bottom-right-output', row: this.#setting.queries - 1, column: 0 };
  };
  protected override hint = ({ words }: Page) => words.figureHint;

  protected override linesOf(page: Page, cell: Cell<Name>) {
    const frame = this.#aligned(page).frames[startOf(cell.stage)];
    return spellAs(stageOf(cell.stage), cell, frame, page.words);
  }

  protected override exhibit(page: Page) {
    const { frames } = this.#aligned(page);
    return { calls: starts.map((name) => ({ name, frame: frames[name] })) };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const setting = this.#setting;
    const first = sliderView({
      label: own.first,
      value: setting.first,
      min: firsts[0],
      max: firsts[1],
      change: (to, isEntry) =>
        this.set('first', to === home.first ? undefined : String(to), isEntry),
    });
    return html`<div class="sizes">
        ${this.countSlider('t', own.queries)} ${this.countSlider('s', own.keys)} ${first}
      </div>
      <div class="tools">
        ${switchView(own.equal, setting.isEqual, (isOn) => this.set('equal', isOn ? '1' : undefined))}
        ${this.inputTools(page)}
      </div>
      ${this.traced(
        page,
        (grid, follow) => boardView(page, setting, grid, follow, this.#before),
        () => checks(page, setting),
      )}`;
  }
}
