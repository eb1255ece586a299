// <attention-projection>: X·W for each of Q, K and V, and the shapes of everything that follows.
import { html, nothing } from 'lit';
import en from '../content/en/figures/projection.json';
import zh from '../content/zh/figures/projection.json';
import { choiceView, sliderView } from '../draw/controls.js';
import { GridController } from '../draw/grid.js';
import { heatView } from '../draw/heat.js';
import type { Mark, Marks } from '../draw/lineage.js';
import { type GridState, type MatrixModel, matrixView } from '../draw/matrix.js';
import { givenNumber } from '../draw/number.js';
import { sumOfProducts } from '../draw/provenance.js';
import { domainOf } from '../draw/scale.js';
import { rootDk, symbols } from '../draw/symbols.js';
import example from '../examples/shape-walk.json';
import { type Cell, type Matrix, sizeOf, withBlock } from '../state/case.js';
import { explain } from '../state/explain.js';
import type { Page } from '../state/page.js';
import { parseMatrix } from '../state/parse.js';
import { product } from '../state/product.js';
import { randomMatrix } from '../state/random.js';
import { fill } from '../state/words.js';
import projectionSheet from '../styles/projection.css?inline';
import { Figure, sheets } from './figure.js';

type Role = 'query' | 'key' | 'value';
type Name = 'x' | 'w' | 'product';
type Place = Cell<Name>;

interface Inputs {
  x: Matrix;
  query: Matrix;
  key: Matrix;
  value: Matrix;
}

/** One token more than the article has, so that N and d_k can be told apart. */
const home: Inputs = {
  ...example.projections,
  x: [...example.projections.x, ...randomMatrix([2, 8], 5)],
};
const roles = ['query', 'key', 'value'] as const;
const isRole = (text: string) => roles.find((role) => role === text);
const tokensMost = home.x.length;
const tokensHome = example.projections.x.length;
const readTokens = (text: string) => {
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 && count <= tokensMost ? count : undefined;
};

interface Shown {
  inputs: Inputs;
  role: Role;
  tokens: number;
}

/** A product cell reads a row of X and a column of W; an input cell is read by a row or a column. */
function marksOf(place: Place | null): Marks<Name> {
  if (!place) return () => undefined;
  return (name, row, column): Mark | undefined => {
    if (name === place.stage && row === place.row && column === place.column) return 'focus';
    if (place.stage === 'product') {
      const isRead = name === 'x' ? row === place.row : name === 'w' && column === place.column;
      return isRead ? 'operand' : undefined;
    }
    if (name !== 'product') return undefined;
    const isReader = place.stage === 'x' ? row === place.row : column === place.column;
    return isReader ? 'result' : undefined;
  };
}

function boardView(page: Page, { inputs, role, tokens }: Shown, grid?: GridState<Name>) {
  const own = { en, zh }[page.language];
  const x = inputs.x.slice(0, tokens);
  const w = inputs[role];
  const result = product(page, x, w);
  const numbers = (count: number, letter: string) =>
    Array.from({ length: count }, (_, index) => html`<var>${letter}</var><sub>${index + 1}</sub>`);
  const plain = (count: number) =>
    Array.from({ length: count }, (_, index) => html`<span class="quiet">${index + 1}</span>`);
  const [features, width] = sizeOf(w);
  const given = domainOf(x, w);
  const letter = { query: 'Q', key: 'K', value: 'V' }[role];
  const model = (
    more: Partial<MatrixModel<Name>> &
      Pick<MatrixModel<Name>, 'stage' | 'values' | 'title' | 'spoken'>,
  ): MatrixModel<Name> => ({
    name: '',
    spokenName: own.matrices[more.stage],
    isEditable: more.stage !== 'product',
    rowHeads: numbers(tokens, 'x'),
    columnHeads: plain(width),
    scale: 'signed',
    domain: given,
    ghost: false,
    ...more,
  });
  const blocks = [
    model({
      stage: 'w',
      values: w,
      title: html`<var class=${role}>W<sup>${letter}</sup></var>`,
      rowHeads: plain(features),
      spoken: (row, column) => fill(own.weight, { feature: row + 1, dimension: column + 1 }),
    }),
    model({
      stage: 'x',
      values: x,
      title: html`<var>X</var>`,
      columnHeads: plain(features),
      spoken: (row, column) => fill(own.token, { token: row + 1, feature: column + 1 }),
    }),
    model({
      stage: 'product',
      values: result,
      title: html`<var class=${role}>${letter}</var> = <var>X</var
        ><var>W<sup>${letter}</sup></var>`,
      domain: domainOf(result),
      spoken: (row, column) => fill(own.result, { token: row + 1, dimension: column + 1 }),
    }),
  ];
  return html`<div class="projection-board">
    ${blocks.map((block) => matrixView(block, page.words, grid))}
  </div>`;
}

/** X → Q, K, V → scores → weights → output, as pictures with their shapes. */
function chainView(page: Page, { inputs, tokens }: Shown) {
  const own = { en, zh }[page.language];
  const x = inputs.x.slice(0, tokens);
  const [query, key, value] = roles.map((role) => product(page, x, inputs[role]));
  const { scores, scaled, weights, output } = explain(page, {
    query: query!,
    key: key!,
    value: value!,
  });
  const link = (
    title: unknown,
    name: string,
    values: Matrix,
    scale: 'signed' | 'weight' = 'signed',
  ) => {
    const shape = `[${sizeOf(values).join(', ')}]`;
    return html`<li>
      <span class="symbol">${title}</span>
      ${heatView({ label: fill(own.picture, { name, shape }), values, scale })}
      <span class="shape">${shape}</span>
    </li>`;
  };
  return html`<ol class="chain" aria-label=${own.chain}>
    ${link(html`<var>X</var>`, 'X', x)} ${link(html`<var class="query">Q</var>`, 'Q', query!)}
    ${link(html`<var class="key">K</var>`, 'K', key!)}
    ${link(html`<var class="value">V</var>`, 'V', value!)}
    ${link(symbols.scores, page.words.stages.scores, scores)}
    ${link(html`÷ ${rootDk}`, page.words.stages.scaled, scaled)}
    ${link(html`<var>A</var>`, page.words.stages.weights, weights, 'weight')}
    ${link(html`<var>A</var><var>V</var>`, own.output, output)}
  </ol>`;
}

export class AttentionProjection extends Figure {
  static override styles = sheets(projectionSheet);
  static override key = 'xw';

  static firstFrame = (page: Page) => {
    const shown: Shown = { inputs: home, role: 'query', tokens: tokensHome };
    return html`<div class="projection">${boardView(page, shown)} ${chainView(page, shown)}</div>`;
  };

  #inputs = home;
  #past: Inputs[] = [];
  #pin: Place | null = null;
  #complaint = '';

  get #shown(): Shown {
    return {
      inputs: this.#inputs,
      role: this.setting('role', isRole, 'query'),
      tokens: this.setting('n', readTokens, tokensHome),
    };
  }

  #matrix(name: Name): Matrix {
    const { inputs, role, tokens } = this.#shown;
    const x = inputs.x.slice(0, tokens);
    if (name === 'x') return x;
    return name === 'w' ? inputs[role] : product(this.page!, x, inputs[role]);
  }

  #change({ stage, row, column }: Place, block: Matrix): void {
    const name = stage === 'x' ? 'x' : this.#shown.role;
    this.#past.push(this.#inputs);
    this.#inputs = { ...this.#inputs, [name]: withBlock(this.#inputs[name], row, column, block) };
    this.requestUpdate();
  }

  #undo(): void {
    this.#inputs = this.#past.pop() ?? this.#inputs;
    this.requestUpdate();
  }

  readonly #grid = new GridController<Name>(this, {
    shape: (name) => sizeOf(this.#matrix(name)),
    isTransposed: () => false,
    isEditable: (name) => name !== 'product',
    pin: () => this.#pin,
    setPin: (place) => {
      this.#pin = place;
      this.requestUpdate();
    },
    valueOf: ({ stage, row, column }) => this.#matrix(stage)[row]?.[column] ?? NaN,
    change: (place, value) => this.#change(place, [[value]]),
    paste: (place, text) => {
      const block = parseMatrix(text);
      if (block) this.#change(place, block);
      this.#complaint = block ? '' : this.page!.words.badPaste;
    },
    undo: () => this.#undo(),
    complain: (entry) => {
      const { badNumber } = this.page!.words;
      this.#complaint = entry === '' ? '' : fill(badNumber, { text: entry });
    },
  });

  #sum(place: Place) {
    if (place.stage !== 'product') return nothing;
    const [x, w] = [this.#matrix('x'), this.#matrix('w')];
    const factors = (x[place.row] ?? []).map((a, l): [number, number] => [
      a,
      w[l]?.[place.column] ?? NaN,
    ]);
    const result = this.#matrix('product')[place.row]?.[place.column] ?? NaN;
    return sumOfProducts(factors, givenNumber, result);
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const shown = this.#shown;
    const looked = this.#grid.looked ?? { stage: 'product' as const, row: 0, column: 0 };
    const state: GridState<Name> = {
      marks: marksOf(looked),
      pin: this.#pin,
      tabStop: this.#grid.tabStop,
      editing: this.#grid.editing,
    };
    return html`<div class="projection" data-looking=${this.#grid.looked ? 'yes' : nothing}>
      <div class="tools">
        ${choiceView({
          label: own.role,
          name: 'role',
          options: roles.map((role) => [role, html`<var class=${role}>${own.roles[role]}</var>`]),
          value: shown.role,
          change: (role) => this.set('role', role === 'query' ? undefined : role),
        })}
        ${sliderView({
          label: own.tokens,
          value: shown.tokens,
          min: 1,
          max: tokensMost,
          change: (count) => this.set('n', count === tokensHome ? undefined : String(count)),
        })}
        <button type="button" ?disabled=${this.#past.length === 0} @click=${() => this.#undo()}>
          ${page.words.undo}
        </button>
      </div>
      ${this.#grid.around(boardView(page, shown, state))}
      <p class="sum-line">${this.#sum(looked)}</p>
      <p class="hint">${this.#complaint || own.hint}</p>
      ${chainView(page, shown)}
    </div>`;
  }
}
