// <attention-alignment>: a causal mask over T queries and S keys under both customs.
import { html, nothing } from 'lit';
import en from '../content/en/figures/alignment.json';
import zh from '../content/zh/figures/alignment.json';
import { sliderView } from '../draw/controls.js';
import { givenNumber } from '../draw/number.js';
import { pairView } from '../draw/pair.js';
import { explain } from '../state/explain.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import { Figure, sheets } from './figure.js';

const home = { queries: 2, keys: 5 };
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Equal scores, and values that double: whoever is averaged can be read off the output. */
const inputs = ({ queries, keys }: typeof home) => ({
  query: range(queries).map(() => [0]),
  key: range(keys).map(() => [0]),
  value: range(keys).map((j) => [2 ** j]),
});

type Start = 'top-left' | 'bottom-right';
const aligned = (page: Page, sizes: typeof home, start: Start) =>
  frameOf(page, { ...inputs(sizes), options: { mask: 'causal', start } });

function alignedView(page: Page, sizes: typeof home, start: Start) {
  const own = { en, zh }[page.language];
  const { matrices, cause } = aligned(page, sizes, start);
  const values = matrices.output.map(([x]) => givenNumber(x!)).join(', ');
  const empty = cause.filter((row) => row.every((rules) => rules.length > 0)).length;
  return html`<div>
    <p class="comparison-title"><code>${own[start]}</code></p>
    ${pairView(page.words, {
      title: html`<var>A</var>`,
      values: matrices.weights,
      kind: 'weights',
      cause: (row, column) => cause[row]?.[column] ?? [],
    })}
    <p>
      ${fill(own.output, { values })}
      ${empty > 0 ? html`<span class="remark">${fill(own.empty, { count: empty })}</span>` : nothing}
    </p>
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

function boardView(page: Page, sizes: typeof home) {
  const own = { en, zh }[page.language];
  const message = refusal(page, sizes);
  const values = range(sizes.keys)
    .map((j) => 2 ** j)
    .join(', ');
  return html`<div class="comparison" data-picture>
      ${alignedView(page, sizes, 'top-left')} ${alignedView(page, sizes, 'bottom-right')}
    </div>
    <p class="remark">
      ${fill(own.setup, { values })}
      ${message === null ? nothing : html`${own.unsaid} <q lang="en">${message}</q>`}
    </p>`;
}

export class AttentionAlignment extends Figure {
  static override styles = sheets(comparisonSheet);
  static override key = 'align';

  static firstFrame = (page: Page) => boardView(page, home);

  get #sizes(): typeof home {
    return {
      queries: this.whole('t', [1, 7], home.queries),
      keys: this.whole('s', [1, 7], home.keys),
    };
  }

  protected override exhibit(page: Page) {
    const call = (name: Start) => ({ name, frame: aligned(page, this.#sizes, name) });
    return { calls: [call('top-left'), call('bottom-right')] };
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
        change: (value) => this.set(key, value === home[name] ? undefined : String(value)),
      });
    return html`<div class="sizes">${slider('queries', 't')} ${slider('keys', 's')}</div>
      <div aria-live="polite">${boardView(page, sizes)}</div>`;
  }
}
