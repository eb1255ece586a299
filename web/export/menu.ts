// The part of a figure that takes its state elsewhere: files, a link, a frame, and back.
import { type TemplateResult, html } from 'lit';
import type { Words } from '../state/words.js';

const pictures = ['SVG', 'PNG'] as const;
const data = ['CSV', 'JSON'] as const;
const programs = ['PyTorch', 'NumPy', 'JavaScript', 'C++'] as const;
export type Format = (typeof pictures | typeof data | typeof programs)[number];

export interface Menu {
  words: Words;
  /** Whether it shows calls, which programs can repeat. */
  hasCalls: boolean;
  /** What became of the last thing asked for. */
  message: string;
  save: (format: Format) => void;
  open: (file: File) => void;
  /** Only where the state is in the address. */
  copy?: ((what: 'link' | 'frame') => void) | undefined;
}

export function menuView({ words, hasCalls, message, save, open, copy }: Menu): TemplateResult {
  const own = words.export;
  const chosen = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = '';
    if (file) open(file);
  };
  const button = (text: string, act: () => void) =>
    html`<button type="button" @click=${act}>${text}</button>`;
  const formats = [...pictures, ...data, ...(hasCalls ? programs : [])];
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
