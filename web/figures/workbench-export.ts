// The workbench's menu: what it shows as files, in the formats that suit its size.
import { html } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { type Result, isReadable } from '../state/bench-result.js';
import type { StageName } from '../state/bench-settings.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import type { Figure } from './figure.js';
import { copied } from './sharing.js';
import { stageName } from './workbench-comparison.js';
import { shapeText } from './workbench-inputs.js';
import type { Room } from './workbench-room.js';

const formats = [
  'SVG',
  'PNG',
  'CSV',
  'JSON',
  '.npy',
  '.safetensors',
  'PyTorch',
  'NumPy',
  'JavaScript',
  'C++',
] as const;
export type Format = (typeof formats)[number];

/** More numbers than this are a text that no editor opens. */
const TEXT = 1 << 22;
/** Up to so many numbers a program spells; more it reads. */
const SPELLED = 1024;

const countOf = ({ call: { whole, mask, bias }, output }: Result) =>
  [...whole, output, mask, bias].reduce((sum, tensor) => sum + (tensor?.data.length ?? 0), 0);
export const isSpelled = (result: Result) => isReadable(result) && countOf(result) <= SPELLED;

/** What is on the page. */
export interface Shown {
  result: Result;
  /** The stage that is looked at. */
  stage: StageName;
  room: Room;
}

/** The formats that make no sense here, each with the reason. */
function withheld(page: Page, { result, stage, room }: Shown): Map<Format, string> {
  const own = { en, zh }[page.language].export;
  const missing = new Map<Format, string>();
  const { options } = result.call;
  const { rows, columns } = result.stages.get(stage)!;
  if (room === 'picture')
    missing.set('SVG', fill(own.noSVG, { shape: shapeText([rows, columns]) }));
  if (countOf(result) > TEXT) missing.set('JSON', fill(own.noJSON, { count: countOf(result) }));
  if (!isSpelled(result)) {
    missing.set('C++', own.noCpp);
    if (result.call.settings.dtype === 'bfloat16') missing.set('NumPy', own.noBfloat16);
  }
  if (options.dropout) {
    missing.set('PyTorch', own.noDropout);
    missing.set('NumPy', own.noDropout);
  }
  return missing;
}

export class BenchExport {
  /** What became of the last thing asked for. */
  #message = '';

  constructor(readonly figure: Figure) {}

  async #save(page: Page, format: Format, shown: Shown): Promise<string> {
    const { save } = await import('../export/bench.js');
    const { renderRoot: root } = this.figure;
    const paper = getComputedStyle(root.querySelector('.export')!).backgroundColor;
    await save(format, { page, ...shown, root, paper });
    return fill(page.words.export.saved, { format });
  }

  /** Does what a button asks for, and says what became of it. */
  async #try(act: () => Promise<string>): Promise<void> {
    this.#message = await act().catch(String);
    this.figure.requestUpdate();
  }

  view(page: Page, { result, stage, room }: Shown) {
    const own = { en, zh }[page.language].export;
    const shown = { result, stage, room };
    const missing = withheld(page, shown);
    const reasons = [...new Set(missing.values())];
    if (!isSpelled(result)) reasons.push(own.reads);
    if (!missing.has('JSON')) reasons.push(own.opens);
    const label = (format: Format) =>
      format === '.npy' ? fill(own.npy, { stage: stageName(page, stage) }) : format;
    const { words, store } = page;
    const button = (text: string, act: () => Promise<string>) =>
      html`<button type="button" @click=${() => void this.#try(act)}>${text}</button>`;
    const copies = store.isInAddress ? (['link', 'frame'] as const) : [];
    return html`<details class="export">
      <summary>${words.export.title}</summary>
      <div class="formats">
        ${formats
          .filter((format) => !missing.has(format))
          .map((format) => button(label(format), () => this.#save(page, format, shown)))}
        ${copies.map((what) => button(words.export[what], () => copied(page, this.figure, what)))}
      </div>
      ${reasons.map((reason) => html`<p class="remark">${reason}</p>`)}
      <p role="status">${this.#message}</p>
    </details>`;
  }
}
