// Steps in a row: an ordered list of buttons, the current one marked, with Back and Next.
import { type TemplateResult, html, nothing } from 'lit';
import type { Words } from '../state/words.js';

export interface Rail {
  words: Words;
  /** What each step is called on its button, and read out. */
  steps: readonly { label: unknown; name: string }[];
  /** From 1. */
  current: number;
  /** Absent where nothing can be done yet. */
  go?: ((step: number) => void) | undefined;
}

export function railView({ words, steps, current, go }: Rail): TemplateResult {
  const item = ({ label, name }: Rail['steps'][number], index: number) => {
    const step = index + 1;
    const mark = step === current ? 'step' : nothing;
    const content = html`<span class="number">${step}</span><span class="what">${label}</span
      ><span class="visually-hidden">${name}</span>`;
    if (!go) return html`<li><span class="step" aria-current=${mark}>${content}</span></li>`;
    return html`<li>
      <button type="button" class="step" aria-current=${mark} @click=${() => go(step)}>
        ${content}
      </button>
    </li>`;
  };
  // At the end it stays a stop of the keyboard: a button that were disabled would lose the focus.
  const move = (by: -1 | 1, text: string, end: number) =>
    html`<button
      type="button"
      class=${by === 1 ? 'primary' : ''}
      aria-disabled=${current === end}
      @click=${() => {
        if (current !== end) go!(current + by);
      }}
    >
      ${text}
    </button>`;
  return html`<div class="rail">
    <ol class="steps" aria-label=${words.stepsLabel}>
      ${steps.map(item)}
    </ol>
    ${
      go
        ? html`<div class="moves">
            ${move(-1, words.previous, 1)} ${move(1, words.next, steps.length)}
          </div>`
        : nothing
    }
  </div>`;
}
