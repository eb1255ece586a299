// <attention-retrieval>: one query, three candidates. The query stands above the keys, so that a
// key's row and the query meet in its score; the shares stand left of the values they are taken of. Of
// the reader's case it shows the one query that is chosen.
import { type TemplateResult, html, nothing } from 'lit';
import en from '../content/en/figures/retrieval.json';
import zh from '../content/zh/figures/retrieval.json';
import { choiceView, switchView } from '../draw/controls.js';
import { invariantsView } from '../draw/invariants.js';
import { type GridState, type MatrixModel, matrixView } from '../draw/matrix.js';
import { cellWeight, exactNumber, givenNumber } from '../draw/number.js';
import { railView } from '../draw/rail.js';
import { domainOf } from '../draw/scale.js';
import { spell } from '../draw/provenance.js';
import { rootDk, singleQuery, vector } from '../draw/symbols.js';
import example from '../examples/fruit-query.json';
import sixStep from '../examples/six-step.json';
import { type Case, type Cell, caseOf, withBlock, withCausal } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import { LocalCase } from '../state/local-case.js';
import type { Page } from '../state/page.js';
import { type Stage, isInput, steps as allSteps } from '../state/steps.js';
import { type Language, fill } from '../state/words.js';
import retrievalSheet from '../styles/retrieval.css?inline';
import { sheets } from './figure.js';
import { OwnCaseFigure } from './own-case-figure.js';
import { keepLast } from './traced-figure.js';

const home = caseOf(example);
const isScaled = ({ options }: Case) => options.scale === undefined;
const drawn: readonly Stage[] = ['query', 'key', 'scores', 'scaled', 'weights', 'value', 'output'];
/** Where a row of matrices begins, wide or narrow, the candidates' names stand before its rows. */
const named: readonly Stage[] = ['key', 'scores', 'value'];
/** One query only: what belongs to a key runs down the page. */
const isColumn = (stage: Stage) => ['scores', 'scaled', 'weights'].includes(stage);
/** A row of it belongs to the query. */
const isOfQuery = (stage: Stage) => stage === 'query' || stage === 'output';

const titles: Partial<Record<Stage, TemplateResult>> = {
  query: html`<var class="query">q</var>`,
  key: html`<var class="key">K</var>`,
  value: html`<var class="value">V</var>`,
  scores: html`<var>s</var>`,
  scaled: html`÷ ${rootDk}`,
  weights: html`<var>α</var>`,
  output: html`<var>o</var>`,
};

const labels = {
  scores: html`<var>s</var> = <var class="query">q</var>·<var class="key">k</var>`,
  scaled: titles.scaled,
  weights: html`<var>α</var> = softmax`,
  output: html`<var>o</var> = Σ<var>α</var><var class="value">v</var>`,
};

/** The same numbers told in two ways: the names change, nothing else. */
const stories = ['fruit', 'library'] as const;
type Story = (typeof stories)[number];

interface Names {
  query: string;
  keys: string[];
}
const namesIn = (story: Story, language: Language): Names =>
  story === 'library'
    ? { en, zh }[language].library
    : { query: example.tokens.queries[language][0]!, keys: example.tokens.keys[language] };

/** Of the page's case. */
const { queries: tokens, keys } = sixStep.tokens;

/** One query of a case with all its keys; no mask keeps it from any. */
const oneQuery = keepLast((_, whole: Case, query: number): Case => ({
  ...withCausal(whole, false),
  query: [whole.query[query]!],
}));

/** Its steps, under the names of the matrices that they bring. */
const steps = ['scores', 'scaled', 'weights', 'output'] as const;

/** The step that a matrix waits for; what is given waits for none. */
const stepOf = (stage: Stage) => (steps as readonly Stage[]).indexOf(stage) + 1;

function boardView(
  frame: Frame,
  { language, words }: Page,
  { query, keys: candidates }: Names,
  step: number,
  grid?: GridState,
) {
  const own = { en, zh }[language];
  const { matrices } = frame;
  const inputs = domainOf(matrices.query, matrices.key, matrices.value);
  const scores = domainOf(matrices.scores, matrices.scaled);
  const spoken = (stage: Stage) => (row: number, column: number) => {
    const candidate = (index: number) => fill(own.candidate, { name: candidates[index]! });
    if (isColumn(stage)) return candidate(column);
    const who = isOfQuery(stage) ? fill(own.query, { name: query }) : candidate(row);
    return `${who}, ${words.dimension} ${column + 1}`;
  };
  const block = (stage: Stage) => {
    const model: MatrixModel = {
      stage,
      values: matrices[stage],
      transposed: isColumn(stage),
      title: stage === 'scaled' && !isScaled(frame.case) ? html`× 1` : titles[stage]!,
      name: '',
      spokenName: words.stages[stage],
      isEditable: isInput(stage),
      rowHeads: stage === 'query' ? [query] : named.includes(stage) ? candidates : [],
      columnHeads: [],
      spoken: spoken(stage),
      scale: stage === 'weights' ? 'weight' : 'signed',
      domain: stage === 'weights' ? 1 : isColumn(stage) ? scores : inputs,
      caption: isColumn(stage) ? own.axes : words.axesOf[isOfQuery(stage) ? 'query' : 'key'],
      ghost: stepOf(stage) > step,
    };
    return matrixView(model, words, grid);
  };
  return html`<div class="retrieval-board">${drawn.map(block)}</div>`;
}

export class AttentionRetrieval extends OwnCaseFigure {
  static override styles = sheets(retrievalSheet);
  static override key = 'fruit';

  static firstFrame = (page: Page) =>
    html`<div class="retrieval">
      ${boardView(frameOf(page, home), page, namesIn('fruit', page.language), steps.length)}
    </div>`;

  protected readonly own = new LocalCase(home);

  protected override choiceWords = ({ language }: Page) => ({ en, zh })[language].whose;

  /** Which query of the page's case it shows, from 1. */
  get #query(): number {
    return this.whole('q', [1, tokens.length], 1);
  }

  protected override partOf(whole: Case): Case {
    return oneQuery(this.page!, whole, this.#query - 1);
  }

  protected override withPart(whole: Case, { query, key, value }: Case): Case {
    return { ...whole, query: withBlock(whole.query, this.#query - 1, 0, query), key, value };
  }

  protected override shows(stage: Stage): boolean {
    return drawn.includes(stage);
  }

  protected override isTransposed(stage: Stage): boolean {
    return isColumn(stage);
  }

  /** In its own words, for what is a row elsewhere runs down the page here. */
  protected override linesOf(cell: Cell, { language, words }: Page) {
    const own = { ...words, ...{ en, zh }[language].words };
    return spell(cell, this.frame, allSteps.length, own, givenNumber, singleQuery);
  }

  protected override board(page: Page) {
    const own = { en, zh }[page.language];
    const { frame } = this;
    const shares = frame.matrices.weights[0]!;
    const first = shares.indexOf(Math.max(...shares));
    const step = this.whole('s', [1, steps.length], steps.length);
    const stage = steps[step - 1]!;
    const looked = this.grid.looked ?? { stage, row: 0, column: stage === 'output' ? 0 : first };
    const go = (to: number) => this.set('s', to === steps.length ? undefined : String(to));
    const setScale = (isOn: boolean) =>
      this.changeCase({ ...this.own.now, options: isOn ? {} : { scale: 1 } });
    const known = (name: string) => stories.find((story) => story === name);
    const story = this.setting('story', known, 'fruit');
    const query = this.#query;
    const names = this.isMine ? { query: tokens[query - 1]!, keys } : namesIn(story, page.language);
    return html`<div class="retrieval" data-looking=${this.grid.looked ? 'yes' : nothing}>
      ${railView({
        words: page.words,
        steps: steps.map((name) => ({ label: labels[name], name: own.steps[name] })),
        current: step,
        go,
      })}
      ${boardView(frame, page, names, step, this.gridState(looked))}
      <p class="retrieval-says" aria-live="polite">
        ${fill(own.says[stage], {
          query: names.query,
          name: names.keys[first] ?? '–',
          share: cellWeight(shares[first] ?? NaN),
          scale: exactNumber(isScaled(frame.case) ? Math.sqrt(frame.case.key[0]!.length) : 1),
        })}
      </p>
      <div class="tools">
        ${
          this.isMine
            ? choiceView({
                label: page.words.stages.query,
                name: 'query',
                options: tokens.map((_, i) => [String(i + 1), vector('q', i)] as const),
                value: String(query),
                change: (to) => this.set('q', to === '1' ? undefined : to),
              })
            : html`${choiceView({
                label: own.story,
                name: 'story',
                options: stories.map((name) => [name, own.stories[name]] as const),
                value: story,
                change: (to) => this.set('story', to === 'fruit' ? undefined : to),
              })}
              ${switchView(html`${own.scale} ${rootDk}`, isScaled(frame.case), setScale)}`
        }
        <button type="button" aria-disabled=${!this.canUndo} @click=${() => this.undo()}>
          ${page.words.undo}
        </button>
        <button type="button" @click=${() => this.reset()}>${page.words.reset}</button>
        ${this.seedBox(page)}
      </div>
      <div class="below">
        ${this.inspector(page, looked)}
        ${invariantsView(frame, page.words, ['rowsSum', 'inUnit', 'inHull'])}
      </div>
    </div>`;
  }
}
