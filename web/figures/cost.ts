// <attention-cost>: the price of attention, counted for any size and measured on this device.
import { html, nothing } from 'lit';
import en from '../content/en/figures/cost.json';
import zh from '../content/zh/figures/cost.json';
import { sliderView } from '../draw/controls.js';
import { grouped } from '../draw/number.js';
import { withWidths } from '../draw/symbols.js';
import type { Table } from '../export/exhibit.js';
import { failureNodes } from '../failure.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import costSheet from '../styles/cost.css?inline';
import { Figure, sheets } from './figure.js';
import {
  type Sizes,
  amount,
  bytes,
  causal,
  core,
  layer,
  projections,
  stored,
  tiled,
} from './cost-counts.js';
import { MOST, type Measured, beyond, measure } from './cost-measure.js';

const home: Sizes = { batch: 1, heads: 12, tokens: 512, width: 64 };
const names = ['batch', 'heads', 'tokens', 'width'] as const;
const limits: Record<keyof Sizes, readonly [number, number]> = {
  batch: [1, 64],
  heads: [1, 128],
  tokens: [1, 1_000_000],
  width: [8, 256],
};

/** A slider of so many tokens goes from one power of two to the next. */
const stops: Partial<Record<keyof Sizes, readonly number[]>> = {
  tokens: [...Array.from({ length: 20 }, (_, power) => 2 ** power), limits.tokens[1]],
};

/** With the measure word of Chinese close to 万 and 亿. */
const operationsText = ({ language }: Page, count: number) =>
  fill({ en, zh }[language].operations, { count: amount(count, language) }).replace(
    /(?<=[万亿]) /,
    '',
  );

/** What is measured to three digits has no more. */
const threeDigits = (x: number) => (x < 100 ? x.toPrecision(3) : grouped(Math.round(x)));

/** With `10^18` raised. */
const withPowers = (text: string) =>
  text.split(/10\^(\d+)/).map((part, index) => (index % 2 ? html`10<sup>${part}</sup>` : part));

function countView(page: Page, sizes: Sizes) {
  const own = { en, zh }[page.language];
  const twice = { ...sizes, tokens: 2 * sizes.tokens };
  const rows: [string, string][] = [
    [own.core, operationsText(page, core(sizes))],
    [own.causal, operationsText(page, causal(sizes))],
    [
      fill(own.projections, { model: grouped(sizes.heads * sizes.width) }),
      operationsText(page, projections(sizes)),
    ],
    [own.scores, bytes(stored(sizes))],
    [own.tiles, bytes(tiled(sizes))],
  ];
  const ratio = (of: (sizes: Sizes) => number) => (of(twice) / of(sizes)).toFixed(2);
  // Its cells stand below one another where letters are large: some browsers would take it for no table.
  return html`<table class="cost-count" role="table" data-picture aria-label=${own.count}>
      <tbody role="rowgroup">
        ${rows.map(
          ([name, value]) =>
            html`<tr role="row">
              <th role="rowheader">${withWidths(name)}</th>
              <td role="cell">${withPowers(value)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <p class="remark">${own.units}</p>
    <p>${fill(own.doubling, { core: ratio(core), layer: ratio(layer) })}</p>`;
}

/** After so many milliseconds of a size it is shown how far its call has come. */
const LONG = 500;

export class AttentionCost extends Figure {
  static override styles = sheets(costSheet);
  static override key = 'cost';

  static firstFrame = (page: Page) => countView(page, home);

  #rows: Measured[] = [];
  /** What they are of. */
  #of: Sizes = home;
  #threads = 0;
  #says: string | Node[] = '';
  /** Of a call that takes longer. */
  #share: number | undefined;
  #abort: AbortController | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#abort?.abort();
  }

  async #measure(page: Page): Promise<void> {
    const own = { en, zh }[page.language];
    const abort = (this.#abort = new AbortController());
    this.#rows = [];
    this.#of = this.#sizes;
    this.#says = own.warming;
    let start = Infinity;
    this.requestUpdate();
    try {
      await measure(this.#of, abort.signal, {
        started: (threads) => (this.#threads = threads),
        trying: (tokens) => {
          this.#says = fill(own.running, { tokens: grouped(tokens) });
          start = performance.now();
          this.requestUpdate();
        },
        done: (share) => {
          if (performance.now() - start < LONG) return;
          this.#share = share;
          this.requestUpdate();
        },
        measured: (row) => {
          this.#rows = [...this.#rows, row];
          this.#share = undefined;
        },
      });
      this.#says = '';
    } catch (error) {
      this.#says = abort.signal.aborted
        ? own.cancelled
        : failureNodes(page.words, own.failed, error);
    }
    this.#share = undefined;
    this.#abort = null;
    this.requestUpdate();
  }

  /** The button, or why there is nothing to press and what to do about that. */
  #start(page: Page, sizes: Sizes) {
    const own = { en, zh }[page.language];
    const found = this.#abort ? undefined : beyond(sizes);
    if (!found) {
      return html`<div class="tools">
        <button
          type="button"
          class=${this.#abort ? '' : 'primary'}
          @click=${() => (this.#abort ? this.#abort.abort() : void this.#measure(page))}
        >
          ${this.#abort ? own.cancel : own.measure}
        </button>
        <span role="status">${this.#says}</span>
        ${
          this.#share === undefined
            ? nothing
            : html`<progress aria-label=${own.progress} .value=${this.#share}></progress>`
        }
      </div>`;
    }
    const { bound, tokens } = found;
    const write = {
      operations: (x: number) => operationsText(page, x),
      bytes,
    }[bound];
    const count = { operations: core, bytes: tiled }[bound](sizes);
    return html`<p role="status">
        ${withPowers(
          fill(own.beyond[bound], {
            tokens: grouped(sizes.tokens),
            count: write(count),
            most: write(MOST[bound]),
            limit: grouped(tokens),
          }),
        )}
      </p>
      <div class="tools">
        <button type="button" @click=${() => this.#set('tokens', tokens)}>
          ${fill(own.shorten, { limit: grouped(tokens) })}
        </button>
      </div>`;
  }

  #table(page: Page, sizes: Sizes) {
    const own = { en, zh }[page.language];
    if (this.#rows.length === 0) return nothing;
    const operations = (tokens: number) => core({ ...this.#of, tokens });
    const ratio = (x: number, before: number | undefined) =>
      before === undefined
        ? nothing
        : html` <span class="ratio">×${(x / before).toFixed(2)}</span>`;
    const isStale = !this.#abort && names.some((name) => this.#of[name] !== sizes[name]);
    const { batch, heads, width } = this.#of;
    return html`<table class="measured" aria-label=${own.measure} data-picture>
        <thead>
          <tr>
            ${Object.values(own.head).map((head) => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${this.#rows.map(({ tokens, milliseconds }, index) => {
            const before = this.#rows[index - 1];
            const value =
              milliseconds < 10 ? milliseconds.toFixed(2) : grouped(Math.round(milliseconds));
            const count = operations(tokens);
            return html`<tr>
              <td>${grouped(tokens)}</td>
              <td>
                ${amount(count, page.language)}${ratio(count, before && operations(before.tokens))}
              </td>
              <td>
                ${fill(own.milliseconds, { value })}${ratio(milliseconds, before?.milliseconds)}
              </td>
              <td>${threeDigits(count / milliseconds / 1e6)}</td>
            </tr>`;
          })}
        </tbody>
      </table>
      <p class="remark">
        ${fill(own.what, { batch, heads, width, threads: this.#threads })}
        ${isStale ? html`<br />${own.stale}` : nothing}
      </p>`;
  }

  #set(name: keyof Sizes, value: number, isEntry = true): void {
    this.set(name, value === home[name] ? undefined : String(value), isEntry);
  }

  get #sizes(): Sizes {
    const size = (name: keyof Sizes) => [name, this.whole(name, limits[name], home[name])] as const;
    return Object.fromEntries(names.map(size)) as Record<keyof Sizes, number>;
  }

  protected override exhibit() {
    const sizes = this.#sizes;
    const counts = {
      core: core(sizes),
      causal: causal(sizes),
      projections: projections(sizes),
      stored: stored(sizes),
      tiled: tiled(sizes),
    };
    const count: Table = {
      name: 'count',
      head: [
        ...names,
        ...['core', 'core, causal', 'projections'].map((of) => `${of}: operations`),
        'scores and weights: bytes',
        'in tiles: bytes',
      ],
      rows: [[...names.map((name) => sizes[name]), ...Object.values(counts)]],
    };
    const measured: Table = {
      name: `measured with ${this.#threads} threads`,
      head: [...names, 'core: operations', 'milliseconds'],
      rows: this.#rows.map(({ tokens, milliseconds }) => {
        const of = { ...this.#of, tokens };
        return [...names.map((name) => of[name]), core(of), milliseconds];
      }),
    };
    return {
      calls: [],
      programs: async () => {
        const { costPrograms } = await import('../export/cost-program.js');
        return costPrograms({ sizes, counts });
      },
      tables: this.#rows.length > 0 ? [count, measured] : [count],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const sizes = this.#sizes;
    return html`<div class="sizes">
        ${names.map((name) =>
          sliderView({
            label: own.sizes[name],
            value: sizes[name],
            min: limits[name][0],
            max: limits[name][1],
            ...(stops[name] ? { stops: stops[name] } : {}),
            change: (value, isEntry) => this.#set(name, Math.round(value), isEntry),
          }),
        )}
      </div>
      <div class="below">
        <div aria-live="polite">${countView(page, sizes)}</div>
        <div class="beside">${this.#start(page, sizes)} ${this.#table(page, sizes)}</div>
      </div>`;
  }
}
