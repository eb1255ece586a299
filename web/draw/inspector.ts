// The panel under a figure that spells the sum behind the cell the reader looks at.
import { html, nothing } from 'lit';
import type { Cell } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { type Stage, isInput, stepOf } from '../state/steps.js';
import { type Words, fill } from '../state/words.js';
import { spell } from './provenance.js';

export interface Inspected {
  frame: Frame;
  words: Words;
  /** How far the computation has come. */
  step: number;
  cell: Cell | null;
  isKept: boolean;
  /** Said below, or instead where there is no cell. */
  hint: string | null;
  edit: (cell: Cell) => void;
  letGo: () => void;
  /** Stages that have nothing to say here. */
  without?: readonly Stage[];
}

export function inspectorView({ frame, words, step, cell, hint, ...rest }: Inspected) {
  const { isKept, edit, letGo, without = [] } = rest;
  const hintView = hint === null ? nothing : html`<p class="hint">${hint}</p>`;
  if (!cell) return html`<div class="inspector">${hintView}</div>`;
  const lines = spell(cell, frame, step, words)
    .filter(({ stage }) => !without.includes(stage))
    .map(
      ({ stage, name, text }) =>
        html`<div ?data-main=${stage === cell.stage}>
          <dt>${name}</dt>
          <dd>${text}</dd>
        </div>`,
    );
  const due = stepOf(cell.stage);
  return html`<div class="inspector">
    <dl>${lines}</dl>
    ${due > step ? html`<p class="remark">${fill(words.laterStep, { step: due })}</p>` : nothing}
    ${hintView}
    ${
      isKept
        ? html`<p class="kept">
            <span class="pin-mark">${words.pinned}</span>
            ${
              isInput(cell.stage)
                ? html`<button type="button" @click=${() => edit(cell)}>${words.edit}</button>`
                : nothing
            }
            <button type="button" @click=${letGo}>${words.unpin}</button>
          </p>`
        : nothing
    }
  </div>`;
}
