// A figure whose substance is prose of the page: it stays in the document, and the figure adds to it.
// In a page that does not have the prose the figure brings it along.
import { html, nothing } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import type { Page } from '../state/page.js';
import type { Choices } from './choices.js';
import { Figure } from './figure.js';

export abstract class ProseFigure extends Figure {
  static override properties = { ...Figure.properties, prose: { attribute: false } };

  /** What it brings, as HTML; without it the prose is what stands inside the element. */
  declare prose: string | undefined;

  /** Adds what the prose cannot do by itself; called once for each prose. */
  protected abstract enliven(page: Page, prose: ParentNode): void;

  /** Each makes a part of the prose follow the link: it reads the link, then shows what that says. */
  #followers: (() => () => void)[] = [];
  #shows: (() => void)[] = [];
  /** What has been enlivened; null before. */
  #alive: string | undefined | null = null;

  override get place(): ParentNode {
    return this.prose === undefined ? this : this.renderRoot;
  }

  protected override updated(): void {
    if (this.page && this.#alive !== this.prose) {
      this.#alive = this.prose;
      this.#followers = [];
      this.enliven(this.page, this.place);
      this.requestUpdate();
    }
    for (const show of this.#shows) show();
  }

  /**
   * Keeps numbers from 0 up in a setting, such as which folds are open: `bring` brings those of a link
   * into bounds, `show` shows them, and what is returned tells the link that the reader has changed them.
   * `home` is what the prose shows by itself.
   */
  protected keep(
    name: string,
    bring: (numbers: number[]) => number[],
    show: (numbers: number[]) => void,
    home: number[] = [],
  ): (numbers: number[]) => void {
    const write = (numbers: number[]) => numbers.join('.') || '0';
    const read = (text: string) =>
      /^\d{1,3}(\.\d{1,3})*$/.test(text) ? bring(text.split('.').map(Number)) : undefined;
    let shown = write(home);
    this.#followers.push(() => {
      const numbers = this.setting<number[]>(name, read, home, write);
      return () => {
        if (write(numbers) === shown) return;
        shown = write(numbers);
        show(numbers);
      };
    });
    return (numbers) => {
      shown = write(numbers);
      this.set(name, shown === write(home) ? undefined : shown, false);
    };
  }

  /** What is chosen of each question, counted from 1, in a setting; 0 where nothing is. */
  protected keepChoices(name: string, all: readonly Choices[]): (numbers: number[]) => void {
    return this.keep(
      name,
      (asked) => all.map(({ count }, index) => Math.min(asked[index] ?? 0, count)),
      (numbers) => all.forEach((choices, index) => choices.show(numbers[index] ?? 0)),
    );
  }

  /** Which of some folds are open, counted from 1, in a setting. */
  protected keepFolds(name: string, folds: readonly HTMLDetailsElement[], home?: number[]): void {
    const numbered = (isOpen: (fold: HTMLDetailsElement, number: number) => boolean) =>
      folds.flatMap((fold, index) => (isOpen(fold, index + 1) ? [index + 1] : []));
    const change = this.keep(
      name,
      (asked) => numbered((_, number) => asked.includes(number)),
      (open) => folds.forEach((fold, index) => (fold.open = open.includes(index + 1))),
      home,
    );
    for (const fold of folds) {
      fold.addEventListener('toggle', () => change(numbered(({ open }) => open)));
    }
  }

  protected override render(): unknown {
    if (!this.page) return this.fallback();
    this.clamped.clear();
    this.#shows = this.#followers.map((read) => read());
    return html`<div role="figure" aria-label=${this.name(this.page)}>
        ${this.prose === undefined ? this.fallback() : html`<div>${unsafeHTML(this.prose)}</div>`}
      </div>
      <div class="figure">
        ${this.#alive === null ? nothing : this.remarks(this.page)} ${this.menu(this.page)}
      </div>`;
  }

  protected override view(): unknown {
    return nothing;
  }
}

/** A button of the page's own prose. */
export function button(text: string, act: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'button';
  made.textContent = text;
  made.addEventListener('click', act);
  return made;
}
