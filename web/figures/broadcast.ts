// <attention-broadcast>: what becomes of a padding mask [B, S] that is passed as it is.
import type { Tensor } from 'attention-wasm';
import { html, nothing } from 'lit';
import en from '../content/en/figures/broadcast.json';
import zh from '../content/zh/figures/broadcast.json';
import { sliderView } from '../draw/controls.js';
import { vector } from '../draw/symbols.js';
import { refusalOf } from '../state/bench-refusal.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import broadcastSheet from '../styles/broadcast.css?inline';
import { Figure, sheets } from './figure.js';
import { reasonOf } from './reason.js';

interface Sizes {
  batch: number;
  queries: number;
  keys: number;
}
const home: Sizes = { batch: 3, queries: 3, keys: 4 };
const HEADS = 2;
const WIDTH = 2;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Sequence b has b + 1 real keys, so that no two are padded alike. */
const paddingMask = ({ batch, keys }: Sizes): Tensor => ({
  shape: [batch, keys],
  data: Uint8Array.from({ length: batch * keys }, (_, at) => +(at % keys > Math.floor(at / keys))),
});

/** What the reader gives the library: a bare mask. */
function given({ batch, queries, keys }: Sizes) {
  const tensor = (length: number): Tensor => {
    const shape = [batch, HEADS, length, WIDTH];
    return { shape, data: new Float32Array(shape.reduce((a, b) => a * b)) };
  };
  const [query, key] = [tensor(queries), tensor(keys)];
  return { query, key, value: key, mask: paddingMask({ batch, queries, keys }) };
}

/** The library's error on it; nothing where it takes it. */
function refusal({ attention, library }: Page, sizes: Sizes) {
  const { query, key, value, mask } = given(sizes);
  try {
    attention.explain(query, key, value, { mask: { kind: 'blocked', mask } });
    return null;
  } catch (error) {
    if (!(error instanceof library.AttentionError)) throw error;
    return error;
  }
}

/** Why it does, in the reader's language. */
function reason(page: Page, sizes: Sizes): string | null {
  const error = refusal(page, sizes);
  return error && reasonOf(page, refusalOf(error, given(sizes))).text;
}

const axes = ['B', 'H', 'T', 'S'];
/** Of the scores, of the mask as it is, of the mask with its axes said. */
const shapesOf = ({ batch, queries, keys }: Sizes) => [
  [batch, HEADS, queries, keys],
  ['', '', batch, keys],
  [batch, 1, 1, keys],
];

function verdict({ batch, queries }: Sizes, own: typeof en): string {
  if (batch === 1) return own.verdictSame;
  if (queries === 1) return fill(own.verdictGrows, { batch });
  if (batch !== queries) return fill(own.verdictError, { batch, queries });
  return fill(own.verdictSilent, { wrong: batch * queries - batch, total: batch * queries });
}

function boardView(page: Page, sizes: Sizes) {
  const own = { en, zh }[page.language];
  const { batch, queries } = sizes;
  const fits = batch === queries || batch === 1;
  const names = [own.scores, own.bare, own.cured];
  const shapes = shapesOf(sizes).map((shape, row) => [names[row]!, shape] as const);
  const message = reason(page, sizes);
  return html`<div class="broadcast" data-picture>
    <table class="shapes" aria-label=${own.shapes}>
      <thead>
        <tr>
          <td></td>
          ${axes.map((axis) => html`<th scope="col"><var>${axis}</var></th>`)}
        </tr>
      </thead>
      <tbody>
        ${shapes.map(
          ([name, shape], row) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${shape.map(
                (size, axis) =>
                  html`<td ?data-clash=${row === 1 && axis === 2 && !fits}>${size}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
    <div>
      <p class="verdict">${verdict(sizes, own)}</p>
      ${
        fits && batch > 1
          ? html`<table class="whose">
              <caption>
                ${own.table}
              </caption>
              <thead>
                <tr>
                  <td></td>
                  ${range(queries).map((i) => html`<th scope="col">${vector('q', i)}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${range(batch).map(
                  (b) =>
                    html`<tr>
                      <th scope="row">${fill(own.sequence, { index: b + 1 })}</th>
                      ${range(queries).map(
                        (i) =>
                          html`<td data-holds=${i === b ? 'yes' : 'no'}>
                            <span class="sign">${i === b ? '✓' : '✗'}</span> ${i + 1}
                          </td>`,
                      )}
                    </tr>`,
                )}
              </tbody>
            </table>`
          : nothing
      }
      <p class="remark">
        ${message === null ? own.accepted : fill(fits || queries === 1 ? own.refused : own.refusedBefore, { message })}
      </p>
    </div>
  </div>`;
}

export class AttentionBroadcast extends Figure {
  static override styles = sheets(broadcastSheet);
  static override key = 'cast';

  static firstFrame = (page: Page) => boardView(page, home);

  get #sizes(): Sizes {
    return {
      batch: this.whole('batch', [1, 6], home.batch),
      queries: this.whole('queries', [1, 6], home.queries),
      keys: this.whole('keys', [1, 6], home.keys),
    };
  }

  protected override exhibit(page: Page) {
    const names = ['scores', 'bare mask', 'mask with its axes'];
    const sizes = this.#sizes;
    const rows = shapesOf(sizes).map((shape, row) => [names[row]!, ...shape]);
    const answer = reason(page, sizes) ?? 'accepted';
    return {
      calls: [],
      programs: async () => {
        const { broadcastPrograms } = await import('../export/broadcast-program.js');
        const { data } = paddingMask(sizes);
        const padding = range(sizes.batch).map((b) =>
          range(sizes.keys).map((key) => data[b * sizes.keys + key] === 1),
        );
        const refused = refusal(page, sizes)?.code;
        return broadcastPrograms({ ...sizes, heads: HEADS, padding, refusal: refused });
      },
      tables: [
        { name: 'shapes', head: ['', ...axes], rows },
        { name: 'the library on the bare mask', head: ['answer'], rows: [[answer]] },
      ],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const sizes = this.#sizes;
    const slider = (name: keyof Sizes) =>
      sliderView({
        label: own[name],
        value: sizes[name],
        min: 1,
        max: 6,
        change: (value, isEntry) =>
          this.set(name, value === home[name] ? undefined : String(value), isEntry),
      });
    return html`<div class="sizes">${slider('batch')} ${slider('queries')} ${slider('keys')}</div>
      <div aria-live="polite">${boardView(page, sizes)}</div>`;
  }
}
