// <attention-dropout>: the weights of the example before and after dropout, and on average.
import { html } from 'lit';
import en from '../content/en/figures/dropout.json';
import zh from '../content/zh/figures/dropout.json';
import { sliderView } from '../draw/controls.js';
import { exactNumber } from '../draw/number.js';
import { pairView } from '../draw/pair.js';
import example from '../examples/six-step.json';
import { tableOf } from '../export/exhibit.js';
import type { Matrix } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import dropoutSheet from '../styles/dropout.css?inline';
import { Figure, sheets } from './figure.js';

const COUNT = 200;
const home = { p: 0.5, seed: 1 };

const dropped = (page: Page, p: number, seed: number) =>
  frameOf(page, { ...example.inputs, options: { mask: 'causal', dropout: { p, seed } } });

const means = new Map<number, Matrix>();

/** Entry by entry, over as many draws as it takes for the noise to even out: one for each head. */
function meanOf({ attention, library: { tensor, toNested } }: Page, p: number): Matrix {
  const known = means.get(p);
  if (known) return known;
  const { query, key, value } = example.inputs;
  const heads = (rows: Matrix) =>
    tensor(
      Array.from({ length: COUNT }, () => rows),
      'float64',
    );
  const { weights } = attention.scaledDotProductAttention(heads(query), heads(key), heads(value), {
    mask: 'causal',
    dropout: { p, seed: 0 },
    returns: ['weights'],
  });
  const runs = toNested(weights!) as number[][][];
  const mean = runs[0]!.map((row, i) =>
    row.map((_, j) => runs.reduce((sum, run) => sum + run[i]![j]!, 0) / COUNT),
  );
  means.set(p, mean);
  return mean;
}

function boardView(page: Page, p: number, seed: number) {
  const own = { en, zh }[page.language];
  const { matrices, dropped: after } = dropped(page, p, seed);
  const block = (name: string, values: Matrix) =>
    pairView(page.words, {
      title: html`<var>A</var>`,
      name,
      values,
      kind: 'weights',
      cause: (row, column) => (column > row ? ['causal'] : []),
    });
  return html`<div class="dropout-board" data-picture>
    ${block(own.before, matrices.weights)} ${block(own.after, after!)}
    ${block(fill(own.mean, { count: COUNT }), meanOf(page, p))}
  </div>`;
}

export class AttentionDropout extends Figure {
  static override styles = sheets(dropoutSheet);
  static override key = 'drop';

  static firstFrame = (page: Page) => boardView(page, home.p, home.seed);

  get #shown() {
    return {
      p: this.number('p', [0, 1], home.p),
      seed: this.whole('seed', [0, 9999], home.seed),
    };
  }

  protected override exhibit(page: Page) {
    const { p, seed } = this.#shown;
    return {
      calls: [{ frame: dropped(page, p, seed) }],
      tables: [tableOf(`mean of ${COUNT} draws`, meanOf(page, p))],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const { p, seed } = this.#shown;
    const { dropped: after } = dropped(page, p, seed);
    const sums = after!.map((row) => exactNumber(row.reduce((sum, x) => sum + x, 0))).join(', ');
    const keep = (name: 'p' | 'seed') => (value: number) =>
      this.set(name, value === home[name] ? undefined : String(value));
    return html`<div class="tools">
        ${sliderView({ label: own.p, value: p, min: 0, max: 1, step: 0.05, change: keep('p') })}
        ${sliderView({ label: own.seed, value: seed, min: 0, max: 9999, change: keep('seed') })}
        <button type="button" @click=${() => keep('seed')(seed + 1)}>${own.next}</button>
      </div>
      ${boardView(page, p, seed)}
      <p class="dropout-says" aria-live="polite">
        ${fill(own.says, { kept: exactNumber(1 - p), sums })}
      </p>`;
  }
}
