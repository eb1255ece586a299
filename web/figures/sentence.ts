// <attention-sentence>: the row of "it" in a sentence of ten words, with and without the future.
import { html } from 'lit';
import en from '../content/en/figures/sentence.json';
import zh from '../content/zh/figures/sentence.json';
import { switchView } from '../draw/controls.js';
import { footView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { cellWeight } from '../draw/number.js';
import { tint } from '../draw/scale.js';
import example from '../examples/sentence.json';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import sentenceSheet from '../styles/sentence.css?inline';
import { Figure, sheets } from './figure.js';

const words = example.tokens.keys;
const { start } = example.options;

function attended(page: Page, isCausal: boolean) {
  const options = { ...example.options, mask: isCausal ? ('causal' as const) : undefined };
  return frameOf(page, { ...example.inputs, options });
}

function rowView(page: Page, isCausal: boolean, tools?: unknown) {
  const own = { en, zh }[page.language];
  const { matrices, cause } = attended(page, isCausal);
  const [shares] = matrices.weights;
  const first = shares!.indexOf(Math.max(...shares!));
  const word = (token: string, index: number) => {
    const share = shares![index]!;
    const isHidden = isCausal && index > start;
    const { amount } = tint(share, 'weight', 1);
    const said = isHidden
      ? fill(own.hidden, { token })
      : fill(own.share, { token, share: cellWeight(share) });
    return html`<li
      ?data-query=${index === start}
      ?data-hidden=${isHidden}
      style="--t:${amount.toFixed(3)}"
      aria-label=${said}
    >
      <span class="word" lang="en">${token}</span>
      <span class="share">${isHidden ? '0' : cellWeight(share)}</span>
    </li>`;
  };
  return html`<ol class="sentence" data-picture aria-label=${own.row}>
      ${words.map(word)}
    </ol>
    ${footView(
      checksView(page.words, { of: { weights: matrices.weights, cause } }),
      html`<div>
        <p class="sentence-says" aria-live="polite">
          ${fill(own.says, { token: words[first]!, share: cellWeight(shares![first]!) })}
          <span class="remark">${own.label}</span>
        </p>
        ${tools}
      </div>`,
    )}`;
}

export class AttentionSentence extends Figure {
  static override styles = sheets(sentenceSheet);
  static override key = 'it';

  static firstFrame = (page: Page) => rowView(page, false);

  get #isCausal(): boolean {
    return this.flag('causal');
  }

  protected override exhibit(page: Page) {
    return { calls: [{ frame: attended(page, this.#isCausal) }] };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const isCausal = this.#isCausal;
    const change = (isOn: boolean) => this.set('causal', isOn ? '1' : undefined);
    return rowView(page, isCausal, switchView(own.causal, isCausal, change));
  }
}
