// The part of a case figure that takes its state elsewhere: files, a link, a frame, and back.
import { type TemplateResult, html } from 'lit';
import type { Words } from '../state/words.js';

export const formats = [
  'SVG',
  'PNG',
  'CSV',
  'JSON',
  'PyTorch',
  'NumPy',
  'JavaScript',
  'C++',
] as const;
export type Format = (typeof formats)[number];

export interface Menu {
  words: Words;
  /** What became of the last thing asked for. */
  message: string;
  save: (format: Format) => void;
  open: (file: File) => void;
  /** Only where the state is in the address. */
  copy?: ((what: 'link' | 'frame') => void) | undefined;
}

export function menuView({ words, message, save, open, copy }: Menu): TemplateResult {
  const own = words.export;
  const chosen = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = '';
    if (file) open(file);
  };
  const button = (text: string, act: () => void) =>
    html`<button type="button" @click=${act}>${text}</button>`;
  return html`<details class="export">
    <summary>${own.title}</summary>
    <div class="formats">
      ${formats.map((format) => button(format, () => save(format)))}
      ${copy ? [button(own.link, () => copy('link')), button(own.frame, () => copy('frame'))] : ''}
      <label class="file">
        <span>${own.open}</span>
        <input type="file" accept=".json,application/json" @change=${chosen} />
      </label>
    </div>
    <p role="status">${message}</p>
  </details>`;
}
