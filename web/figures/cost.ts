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
import { type Measured, SIZES, measure } from './cost-measure.js';

interface Sizes {
  batch: number;
  heads: number;
  tokens: number;
  width: number;
}
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

const units = [
  ['E', 1e18],
  ['P', 1e15],
  ['T', 1e12],
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3],
] as const;
/** Three digits of it, and whether those are all. */
function threeDigits(x: number): string {
  const rounded = Number(x.toPrecision(3));
  return `${rounded === x ? '' : '≈ '}${rounded}`;
}
/** 1.6e9 → "1.6 G". */
function large(x: number): string {
  const [unit, size] = units.find(([, least]) => x >= least) ?? ['', 1];
  return `${threeDigits(x / size)} ${unit}`.trim();
}
const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
function bytes(x: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(x, 1)) / 10), binary.length - 1);
  return `${threeDigits(x / 2 ** (10 * power))} ${binary[power]}`;
}

const core = ({ batch, heads, tokens, width }: Sizes) =>
  2 * batch * heads * tokens ** 2 * 2 * width;
const projections = ({ batch, heads, tokens, width }: Sizes) =>
  8 * batch * tokens * (heads * width) ** 2;
const layer = (sizes: Sizes) => core(sizes) + projections(sizes);
const allowedShare = ({ tokens }: Sizes) => (tokens + 1) / (2 * tokens);
const stored = ({ batch, heads, tokens }: Sizes) => 2 * batch * heads * tokens ** 2 * 4;
/** Inputs and output only: what a tiled run keeps. */
const tiled = ({ batch, heads, tokens, width }: Sizes) => 4 * batch * heads * tokens * width * 4;

const causal = (sizes: Sizes) => core(sizes) * allowedShare(sizes);

function countView(page: Page, sizes: Sizes) {
  const own = { en, zh }[page.language];
  const twice = { ...sizes, tokens: 2 * sizes.tokens };
  const operations = (count: number) => fill(own.operations, { count: large(count) });
  const rows: [string, string][] = [
    [own.core, operations(core(sizes))],
    [own.causal, operations(causal(sizes))],
    [
      fill(own.projections, { model: grouped(sizes.heads * sizes.width) }),
      operations(projections(sizes)),
    ],
    [own.scores, bytes(stored(sizes))],
    [own.tiles, bytes(tiled(sizes))],
  ];
  const ratio = (of: (sizes: Sizes) => number) => (of(twice) / of(sizes)).toFixed(2);
  return html`<dl class="cost-count" data-picture aria-label=${own.count}>
      ${rows.map(
        ([name, value]) =>
          html`<div>
            <dt>${withWidths(name)}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    <p>${fill(own.doubling, { core: ratio(core), layer: ratio(layer) })}</p>`;
}

export class AttentionCost extends Figure {
  static override styles = sheets(costSheet);
  static override key = 'cost';

  static firstFrame = (page: Page) => countView(page, home);

  #rows: Measured[] = [];
  #threads = 0;
  #says: string | Node[] = '';
  #abort: AbortController | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#abort?.abort();
  }

  async #measure(page: Page): Promise<void> {
    const own = { en, zh }[page.language];
    const abort = (this.#abort = new AbortController());
    this.#rows = [];
    try {
      await measure(abort.signal, {
        started: (threads) => (this.#threads = threads),
        trying: (tokens) => {
          this.#says = fill(own.running, { tokens: grouped(tokens) });
          this.requestUpdate();
        },
        measured: (row) => (this.#rows = [...this.#rows, row]),
      });
      this.#says = '';
    } catch (error) {
      this.#says = abort.signal.aborted
        ? own.cancelled
        : failureNodes(page.words, own.failed, error);
    }
    this.#abort = null;
    this.requestUpdate();
  }

  #table(own: typeof en) {
    if (this.#rows.length === 0) return nothing;
    const operations = (tokens: number) =>
      core({ batch: 1, heads: SIZES.heads, tokens, width: SIZES.width });
    return html`<table class="measured" aria-label=${own.measure} data-picture>
        <thead>
          <tr>
            ${Object.values(own.head).map((head) => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${this.#rows.map(({ tokens, milliseconds }, index) => {
            const before = this.#rows[index - 1];
            const speed = large((operations(tokens) / milliseconds) * 1000);
            const value = milliseconds < 10 ? milliseconds.toFixed(2) : milliseconds.toFixed(0);
            return html`<tr>
              <td>${grouped(tokens)}</td>
              <td>${fill(own.milliseconds, { value })}</td>
              <td>${fill(own.perSecond, { count: speed })}</td>
              <td>${before ? (milliseconds / before.milliseconds).toFixed(2) : ''}</td>
            </tr>`;
          })}
        </tbody>
      </table>
      <p class="remark">${fill(own.what, { threads: this.#threads })}</p>`;
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
      head: ['tokens', 'milliseconds'],
      rows: this.#rows.map(({ tokens, milliseconds }) => [tokens, milliseconds]),
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
            change: (value, isEntry) => {
              const whole = Math.round(value);
              this.set(name, whole === home[name] ? undefined : String(whole), isEntry);
            },
          }),
        )}
      </div>
      <div class="below">
        <div aria-live="polite">${countView(page, sizes)}</div>
        <div class="beside">
          <div class="tools">
            <button
              type="button"
              class=${this.#abort ? '' : 'primary'}
              @click=${() => (this.#abort ? this.#abort.abort() : void this.#measure(page))}
            >
              ${this.#abort ? own.cancel : own.measure}
            </button>
            <span role="status">${this.#says}</span>
          </div>
          ${this.#table(own)}
        </div>
      </div>`;
  }
}
