// <attention-alignment>: a causal mask over T queries and S keys under both customs.
import { html, nothing } from 'lit';
import en from '../content/en/figures/alignment.json';
import zh from '../content/zh/figures/alignment.json';
import { sliderView } from '../draw/controls.js';
import { type Lineage, lineageOf } from '../draw/lineage.js';
import { type GridState, type MatrixModel, matrixView } from '../draw/matrix.js';
import { type Pair, pairView } from '../draw/pair.js';
import { spellAs } from '../draw/provenance.js';
import { domainOf } from '../draw/scale.js';
import { symbols } from '../draw/symbols.js';
import type { Cell } from '../state/case.js';
import { explain } from '../state/explain.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import { sheets } from './figure.js';
import { TracedFigure, keepLast } from './traced-figure.js';

const home = { queries: 2, keys: 5 };
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Equal scores, and values that double: whoever is averaged can be read off the output. */
const inputs = ({ queries, keys }: typeof home) => ({
  query: range(queries).map(() => [0]),
  key: range(keys).map(() => [0]),
  value: range(keys).map((j) => [2 ** j]),
});

const starts = ['top-left', 'bottom-right'] as const;
type Start = (typeof starts)[number];
type Shown = 'value' | 'weights' | 'output';
type Name = `${Start}-${Shown}`;
const shownStages = ['value', 'weights', 'output'] as const;
const startOf = (name: Name) => starts.find((start) => name.startsWith(start))!;
const stageOf = (name: Name) => shownStages.find((stage) => name.endsWith(stage))!;

const aligned = keepLast((page, queries: number, keys: number) => {
  const frameFrom = (start: Start) =>
    frameOf(page, { ...inputs({ queries, keys }), options: { mask: 'causal', start } });
  const frames = { 'top-left': frameFrom('top-left'), 'bottom-right': frameFrom('bottom-right') };
  const sizes = { value: [keys, 1], weights: [queries, keys], output: [queries, 1] } as const;
  const lineage: Lineage<Name> = {
    shapes: new Map(
      starts.flatMap((start) =>
        shownStages.map((stage) => [`${start}-${stage}`, sizes[stage]] as const),
      ),
    ),
    // The scores, all alike, are not shown: the way back ends at the weights.
    operandsOf: (cell) => {
      const stage = stageOf(cell.stage);
      if (stage !== 'output') return [];
      const start = startOf(cell.stage);
      return lineageOf(frames[start])
        .operandsOf({ ...cell, stage })
        .map((operand) => ({ ...operand, stage: `${start}-${operand.stage as Shown}` }));
    },
  };
  return { frames, lineage };
});

function alignedView(
  page: Page,
  { queries, keys }: typeof home,
  start: Start,
  grid?: GridState<Name>,
) {
  const own = { en, zh }[page.language];
  const { words } = page;
  const { matrices, cause } = aligned(page, queries, keys).frames[start];
  const empty = cause.filter((row) => row.every((rules) => rules.length > 0)).length;
  const column = (stage: 'value' | 'output', axis: string): MatrixModel<Name> => ({
    stage: `${start}-${stage}`,
    values: matrices[stage],
    transposed: stage === 'value',
    title: stage === 'value' ? html`<var class="value">V</var><sup>⊤</sup>` : symbols.output,
    name: '',
    spokenName: words.stages[stage],
    rowHeads: [],
    columnHeads: [],
    spoken: (row) => `${axis} ${row + 1}`,
    scale: 'signed',
    domain: domainOf(matrices.value),
    ghost: false,
  });
  const weights: Pair<Name> = {
    stage: `${start}-weights`,
    title: html`<var>A</var>`,
    values: matrices.weights,
    kind: 'weights',
    cause: (i, j) => cause[i]?.[j] ?? [],
  };
  return html`<div>
    <p class="comparison-title"><code>${own[start]}</code></p>
    <div class="aligned">
      ${matrixView(column('value', words.keyAxis), words, grid)} ${pairView(words, weights, grid)}
      ${matrixView(column('output', words.queryAxis), words, grid)}
    </div>
    <p class="remark">${empty > 0 ? fill(own.empty, { count: empty }) : nothing}</p>
  </div>`;
}

/** The error of a call that does not say where query 1 stands, or nothing where it need not. */
function refusal(page: Page, sizes: typeof home): string | null {
  try {
    explain(page, inputs(sizes), { mask: 'causal' });
    return null;
  } catch (error) {
    if (error instanceof page.library.AttentionError) return error.message;
    throw error;
  }
}

function boardView(page: Page, sizes: typeof home, grid?: GridState<Name>) {
  const own = { en, zh }[page.language];
  const message = refusal(page, sizes);
  return html`<div class="comparison" data-picture>
      ${starts.map((start) => alignedView(page, sizes, start, grid))}
    </div>
    <p class="remark" aria-live="polite">
      ${own.setup} ${message === null ? nothing : html`${own.unsaid} <q lang="en">${message}</q>`}
    </p>`;
}

export class AttentionAlignment extends TracedFigure<Name> {
  static override styles = sheets(comparisonSheet);
  static override key = 'align';

  static firstFrame = (page: Page) => boardView(page, home);

  get #sizes(): typeof home {
    return {
      queries: this.whole('t', [1, 7], home.queries),
      keys: this.whole('s', [1, 7], home.keys),
    };
  }

  #aligned(page: Page) {
    const { queries, keys } = this.#sizes;
    return aligned(page, queries, keys);
  }

  protected override lineage = (page: Page) => this.#aligned(page).lineage;
  protected override isTransposed = (name: Name) => stageOf(name) === 'value';
  protected override example = (): Cell<Name> => {
    return { stage: 'bottom-right-output', row: this.#sizes.queries - 1, column: 0 };
  };

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
    const sizes = this.#sizes;
    const slider = (name: 'queries' | 'keys', key: string) =>
      sliderView({
        label: own[name],
        value: sizes[name],
        min: 1,
        max: 7,
        change: (value, isEntry) =>
          this.set(key, value === home[name] ? undefined : String(value), isEntry),
      });
    return html`<div class="sizes">${slider('queries', 't')} ${slider('keys', 's')}</div>
      ${this.traced(page, (grid) => boardView(page, sizes, grid))}`;
  }
}
