// The part of a figure that takes its state elsewhere: files, a link, a frame, and back.
import { type TemplateResult, html, nothing } from 'lit';
import { type Words, fill } from '../state/words.js';
import { languages } from './exhibit.js';

const pictures = ['SVG', 'PNG'] as const;
const data = ['CSV', 'JSON'] as const;
/** What most figures are saved in. */
export const formats = [...pictures, ...data, ...languages] as const;
export type Format = (typeof formats)[number] | 'Markdown';

export interface Menu {
  words: Words;
  /** What became of the last thing asked for. */
  message: string;
  /** What is saved as soon as it is computed, unless that is cancelled. */
  waiting: readonly Format[];
  cancel: () => void;
  /** Only where there are numbers to take along. */
  files?:
    | {
        formats: readonly Format[];
        save: (format: Format) => void;
        open: (file: File) => void;
      }
    | undefined;
  /** Only where the state is in the address. */
  copy?: ((what: 'link' | 'frame') => void) | undefined;
}

export function menuView({ words, message, waiting, cancel, files, copy }: Menu): TemplateResult {
  const own = words.export;
  const chosen = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = '';
    if (file) files!.open(file);
  };
  const button = (text: string, act: () => void) =>
    html`<button type="button" @click=${act}>${text}</button>`;
  return html`<details class="export">
    <summary>${files ? own.title : own.share}</summary>
    <div class="formats">
      ${files?.formats.map((format) => button(format, () => files.save(format)))}
      ${copy ? [button(own.link, () => copy('link')), button(own.frame, () => copy('frame'))] : nothing}
      ${
        files
          ? html`<label class="file">
              <span>${own.open}</span>
              <input type="file" accept=".json,application/json" @change=${chosen} />
            </label>`
          : nothing
      }
    </div>
    <p role="status">
      ${waiting.length > 0 ? fill(own.waiting, { formats: waiting.join(', ') }) : message}
    </p>
    ${waiting.length > 0 ? button(own.cancel, cancel) : nothing}
  </details>`;
}
