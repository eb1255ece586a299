// <attention-mask-order>: the causal mask before softmax, and zeros written after it.
import { html } from 'lit';
import en from '../content/en/figures/mask-order.json';
import zh from '../content/zh/figures/mask-order.json';
import { exactNumber } from '../draw/number.js';
import { pairView } from '../draw/pair.js';
import example from '../examples/six-step.json';
import { tableOf } from '../export/exhibit.js';
import type { Matrix } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import { Figure, sheets } from './figure.js';

const sumOf = (row: readonly number[]) => row.reduce((sum, x) => sum + x, 0);

function results(page: Page) {
  const before = frameOf(page, { ...example.inputs, options: { mask: 'causal' } });
  const none = frameOf(page, { ...example.inputs, options: {} });
  // The fault itself, on the library's unmasked weights.
  const zeroed = none.matrices.weights.map((row, i) => row.map((x, j) => (j > i ? 0 : x)));
  const repaired = zeroed.map((row) => row.map((x) => x / sumOf(row)));
  return { before, none, zeroed, repaired };
}

function boardView(page: Page) {
  const own = { en, zh }[page.language];
  const { before, zeroed, repaired } = results(page);
  const block = (name: string, values: Matrix) =>
    pairView(page.words, {
      title: html`<var>A</var>`,
      name,
      values,
      kind: 'weights',
      cause: (row, column) => (column > row ? ['causal'] : []),
    });
  return html`<div class="comparison" data-picture>
      ${block(own.before, before.matrices.weights)} ${block(own.after, zeroed)}
      ${block(own.repaired, repaired)}
    </div>
    <p class="comparison-says">
      ${fill(own.says, { sums: zeroed.map((row) => exactNumber(sumOf(row))).join(', ') })}
    </p>`;
}

export class AttentionMaskOrder extends Figure {
  static override styles = sheets(comparisonSheet);
  static firstFrame = boardView;

  protected override exhibit(page: Page) {
    const { before, none, zeroed, repaired } = results(page);
    return {
      calls: [
        { name: 'mask before softmax', frame: before },
        { name: 'no mask', frame: none },
      ],
      tables: [tableOf('zeros after softmax', zeroed), tableOf('divided by their sums', repaired)],
    };
  }

  protected override view(page: Page) {
    return boardView(page);
  }
}
