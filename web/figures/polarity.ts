// <attention-polarity>: one boolean array under its two meanings, side by side.
import { html, nothing } from 'lit';
import en from '../content/en/figures/polarity.json';
import zh from '../content/zh/figures/polarity.json';
import { PaintController } from '../draw/paint.js';
import { pairView } from '../draw/pair.js';
import { vector } from '../draw/symbols.js';
import example from '../examples/six-step.json';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import polaritySheet from '../styles/polarity.css?inline';
import { Figure, sheets } from './figure.js';

type Kind = 'blocked' | 'allowed';
const count = example.tokens.queries.length;
const range = Array.from({ length: count }, (_, index) => index);
const triangle = (isTrue: (i: number, j: number) => boolean) =>
  range.map((i) => range.map((j) => (isTrue(i, j) ? '1' : '0')).join('')).join('');
const presets = { upper: triangle((i, j) => j > i), lower: triangle((i, j) => j <= i) };

function masked(page: Page, bits: string, kind: Kind) {
  const mask = range.map((i) => range.map((j) => bits[i * count + j] === '1'));
  return frameOf(page, { ...example.inputs, options: { mask: { kind, mask } } });
}

function weightsView(page: Page, bits: string, kind: Kind) {
  const own = { en, zh }[page.language];
  const { matrices, cause } = masked(page, bits, kind);
  const empty = cause.filter((row) => row.every((rules) => rules.length > 0)).length;
  return html`<div>
    <p class="polarity-title">${own[kind]} <code>kind: '${kind}'</code></p>
    ${pairView(page.words, {
      title: html`<var>A</var>`,
      values: matrices.weights,
      kind: 'weights',
      // An array by hand either way, so hatched alike.
      cause: (row, column) => (cause[row]![column]!.length ? ['blocked'] : []),
    })}
    <p class="remark">${empty > 0 ? fill(own.empty, { count: empty }) : nothing}</p>
  </div>`;
}

const bothView = (page: Page, bits: string) =>
  (['blocked', 'allowed'] as const).map((kind) => weightsView(page, bits, kind));

export class AttentionPolarity extends Figure {
  static override styles = sheets(polaritySheet);
  static override key = 'true';

  static firstFrame = (page: Page) =>
    html`<div class="polarity">${bothView(page, presets.upper)}</div>`;

  readonly #paint = new PaintController(this);

  get #bits(): string {
    const read = (text: string) => (/^[01]{16}$/.test(text) ? text : undefined);
    return this.setting('bits', read, presets.upper);
  }

  protected override exhibit(page: Page) {
    const call = (kind: Kind) => ({ name: kind, frame: masked(page, this.#bits, kind) });
    return { calls: [call('blocked'), call('allowed')] };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const bits = this.#bits;
    const change = (to: string) => this.set('bits', to === presets.upper ? undefined : to);
    const isTrue = (row: number, column: number) => bits[row * count + column] === '1';
    return html`<div class="tools">
        <span>${own.presets}</span>
        ${(['upper', 'lower'] as const).map(
          (name) =>
            html`<button type="button" @click=${() => change(presets[name])}>${own[name]}</button>`,
        )}
      </div>
      <div class="polarity" data-picture>
        <div>
          <p class="polarity-title">${own.array}</p>
          ${this.#paint.view({
            label: own.array,
            rows: count,
            columns: count,
            rowHeads: range.map((i) => vector('q', i)),
            columnHeads: range.map((j) => vector('k', j)),
            text: (row, column) => (isTrue(row, column) ? 'True' : 'False'),
            spoken: (row, column) =>
              fill(own.cell, {
                row: row + 1,
                column: column + 1,
                value: own[isTrue(row, column) ? 'true' : 'false'],
              }),
            isOn: isTrue,
            toggle: (cells) => {
              const next = [...bits];
              for (const [row, column] of cells) {
                const at = row * count + column;
                next[at] = next[at] === '1' ? '0' : '1';
              }
              change(next.join(''));
            },
          })}
          <p class="axes">${page.words.axes}</p>
        </div>
        ${bothView(page, bits)}
      </div>`;
  }
}
