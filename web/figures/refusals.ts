// <attention-refusals>: calls that are wrong, each with the library's own answer and with one that
// is right.
import { html, nothing } from 'lit';
import en from '../content/en/figures/refusals.json';
import zh from '../content/zh/figures/refusals.json';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import refusalsSheet from '../styles/refusals.css?inline';
import { Figure, sheets } from './figure.js';
import {
  type Call,
  type RefusalName,
  linesOf,
  refusalNames,
  refusals,
  run,
} from './refusal-calls.js';

type Open = RefusalName | 'none';

/** The library's message, or the shape of the output where it has none. */
function answer({ attention, library }: Page, call: Call): { message: string } | { shape: string } {
  try {
    const { shape } = run(attention, call).output;
    return { shape: `[${shape.join(', ')}]` };
  } catch (error) {
    if (error instanceof library.AttentionError) return { message: error.message };
    throw error;
  }
}

/** Line by line; what differs from the other call stands out. */
const codeView = (call: Call, other: Call | undefined) => {
  const known = other ? linesOf(other) : [];
  return html`<pre><code>${linesOf(call).map(
    (line) =>
      html`<span class="line" ?data-differs=${other && !known.includes(line)}>${line}</span>`,
  )}</code></pre>`;
};

function caseView(page: Page, name: RefusalName) {
  const own = { en, zh }[page.language];
  const { wrong, right }: { wrong: Call; right?: Call } = refusals[name];
  const refused = answer(page, wrong);
  const message = html`<q lang="en">${'message' in refused ? refused.message : refused.shape}</q>`;
  const { cure } = own.cases[name];
  // The reader's language first.
  const [first, second] = page.language === 'en' ? [message, cure] : [cure, message];
  const done = right && answer(page, right);
  return html`<div class="refusal-calls">
    <div>
      ${codeView(wrong, right)}
      <p class="refusal-answer"><span class="sign">✗</span><span>${first}</span></p>
      <p class="remark">${second}</p>
    </div>
    ${
      right && done
        ? html`<div>
            ${codeView(right, wrong)}
            <p class="refusal-answer" data-holds="yes">
              <span class="sign">✓</span>
              ${'shape' in done ? fill(own.taken, { shape: done.shape }) : done.message}
            </p>
          </div>`
        : nothing
    }
  </div>`;
}

/** `change` hears which case is open; without it nothing but the browser does. */
function listView(page: Page, open: Open, change?: (to: Open) => void) {
  const own = { en, zh }[page.language];
  return html`<div class="refusals">
    ${refusalNames.map((name) => {
      const toggled = ({ target }: Event) => {
        const { open: isOpen } = target as HTMLDetailsElement;
        if (isOpen !== (name === open)) change!(isOpen ? name : 'none');
      };
      return html`<details
        name="refusal"
        data-case=${name}
        ?open=${name === open}
        @toggle=${change ? toggled : nothing}
      >
        <summary>
          <span class="refused">${own.cases[name].refused}</span>
          <span class="because">${own.cases[name].because}</span>
        </summary>
        ${caseView(page, name)}
      </details>`;
    })}
  </div>`;
}

export class AttentionRefusals extends Figure {
  static override styles = sheets(refusalsSheet);
  static override key = 'no';

  static firstFrame = (page: Page) => listView(page, 'width');

  protected override view(page: Page) {
    const known = (text: string) =>
      (['none', ...refusalNames] as const).find((name) => name === text);
    const open = this.setting<Open>('open', known, 'width');
    return listView(page, open, (to) => this.set('open', to === 'width' ? undefined : to));
  }
}
