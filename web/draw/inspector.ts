// The panel under a figure that spells the sum behind the cell the reader looks at.
import { html, nothing } from 'lit';
import type { Cell } from '../state/case.js';
import { type Words, fill } from '../state/words.js';
import type { Line } from './provenance.js';

/** What to do, with a mouse and keys and with a finger. */
export interface Hint {
  mouse: string;
  touch: string;
}

/** The one that fits the reader's device; the other is neither seen nor read out. */
export const byPointer = ({ mouse, touch }: Hint) =>
  html`<span class="by-mouse">${mouse}</span><span class="by-touch">${touch}</span>`;

export interface Inspected<Name extends string> {
  words: Words;
  cell: Cell<Name> | null;
  /** Everything that led to the cell. */
  lines: readonly Line[];
  /** The step that computes it, where that has not come yet. */
  due?: number | undefined;
  isKept: boolean;
  isEditable: boolean;
  /** Said below, or instead where there is no cell. */
  hint: string | Hint | null;
  edit: (cell: Cell<Name>) => void;
  letGo: () => void;
}

/** The cell's own sum, for where it is narrow: it stays in sight at the lower edge. */
export const ownSumView = ({ name, text }: Line) =>
  html`<p class="own-sum" aria-hidden="true"><span class="remark">${name}</span> ${text}</p>`;

/** A line of the sum: of the cell that is looked at, and its last. */
export const lineView = ({ name, text }: Line, isMain: boolean, isOwn: boolean) =>
  html`<div ?data-main=${isMain} ?data-own=${isOwn}>
    <dt>${name}</dt>
    <dd>${text}</dd>
  </div>`;

/** The foot of a figure: where its numbers come from, and beside it what is checked of them. */
export const footView = (checks: unknown, inspector: unknown = nothing) =>
  html`<div class="below">${inspector} ${checks}</div>`;

export function inspectorView<Name extends string>({
  words,
  cell,
  lines,
  due,
  hint,
  ...rest
}: Inspected<Name>) {
  const { isKept, isEditable, edit, letGo } = rest;
  const own = cell ? lines.findLast(({ stage }) => stage === cell.stage) : undefined;
  const keptView = (kept: Cell<Name>) =>
    html`<p class="kept">
      <span class="pin-mark">${words.pinned}</span>
      ${
        isEditable
          ? html`<button type="button" class="button" @click=${() => edit(kept)}>
              ${words.edit}
            </button>`
          : nothing
      }
      <button type="button" class="button" @click=${letGo}>${words.unpin}</button>
    </p>`;
  return html`${hint === null && own ? ownSumView(own) : nothing}
    <div class="inspector still">
      ${
        cell
          ? html`<dl>
              ${lines.map((line) => lineView(line, line.stage === cell.stage, line === own))}
            </dl>`
          : nothing
      }
      ${due === undefined ? nothing : html`<p class="remark">${fill(words.laterStep, { step: due })}</p>`}
      ${
        hint === null
          ? nothing
          : html`<p class="hint">${typeof hint === 'string' ? hint : byPointer(hint)}</p>`
      }
      ${cell && isKept ? keptView(cell) : nothing}
    </div>`;
}
