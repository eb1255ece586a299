// What a reader can take of a figure: a link to it as it is; of one with a result also files in any
// format, which it opens again. The figure says what it shows, and what to do with what comes back.
import { nothing } from 'lit';
import type { Exhibit } from '../export/exhibit.js';
import { type Format, menuView } from '../export/menu.js';
import type { Page } from '../state/page.js';
import { type Words, fill } from '../state/words.js';
import type { Figure } from './figure.js';

/** What the figure says of itself. */
export interface Shared {
  exhibit: () => Exhibit;
  /** In which it can be saved. */
  formats: readonly Format[];
  /** What it shows as JSON. */
  json: () => Promise<string>;
  /** Takes over what such a JSON says; gives back why not, in the reader's words. */
  open: (text: string) => Promise<string | undefined>;
  /** Resolves when all that it shows is computed; nothing where it is. */
  ready?: () => Promise<void> | undefined;
}

/** How high it is in a frame as wide as it is now, where its name stands above it and this menu is shut. */
function heightAlone(figure: Figure): number {
  const height = (element: Element) => element.getBoundingClientRect().height;
  const menu = figure.renderRoot.querySelector('.export')!;
  const name = 80;
  return Math.ceil(height(figure) - height(menu) + height(menu.querySelector('summary')!) + name);
}

/** Copies a link to the figure as it is, or a frame with it; gives back what became of that. */
export async function copied(
  { words, store }: Page,
  figure: Figure,
  what: 'link' | 'frame',
): Promise<string> {
  const fragment = [figure.id, store.link].filter((part) => part !== '').join('&');
  const { origin, pathname } = location;
  const name = figure.localName.replace('attention-', '');
  const source = `${origin}${pathname}?embed=1&amp;figure=${name}#${store.link}`;
  const text =
    what === 'link'
      ? `${origin}${pathname}#${fragment}`
      : `<iframe src="${source}" width="100%" height="${heightAlone(figure)}" title="${words.figures[name as keyof Words['figures']]}"></iframe>`;
  try {
    await navigator.clipboard.writeText(text);
    return words.export.copied;
  } catch {
    // Not allowed here: the reader can copy it from the message.
    return text;
  }
}

export class Sharing {
  #message = '';
  /** What the page showed when that was said; it holds no longer than this. */
  #saidOf: object | undefined;

  constructor(
    readonly figure: Figure,
    readonly shared: Shared | undefined,
  ) {}

  /** What is to be saved once the figure is computed, and what gives that up. */
  readonly #waiting = new Set<Format>();
  #abort = new AbortController();

  /** Resolves when the figure is computed: true unless the reader gave that up. */
  async #isReady({ ready }: Shared, format: Format): Promise<boolean> {
    const computed = ready?.();
    if (!computed) return true;
    if (this.#waiting.size === 0) this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#waiting.add(format);
    this.figure.requestUpdate();
    try {
      const givenUp = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await Promise.race([computed, givenUp]);
    } finally {
      this.#waiting.delete(format);
    }
    return !signal.aborted;
  }

  async #save(page: Page, shared: Shared, format: Format): Promise<void> {
    if (this.#waiting.has(format)) return;
    if (!(await this.#isReady(shared, format))) {
      this.#say(page.words.export.cancelled);
      return;
    }
    const { exhibit, json } = shared;
    const { save } = await import('../export/formats.js');
    const { renderRoot, place: root, localName: name } = this.figure;
    const paper = getComputedStyle(renderRoot.querySelector('.export')!).backgroundColor;
    await save(format, { name, exhibit: exhibit(), json: await json(), root, paper });
    this.#say(fill(page.words.export.saved, { format }));
  }

  async #open(page: Page, shared: Shared, file: File): Promise<void> {
    const { refused, opened } = page.words.export;
    const reason = await shared.open(await file.text());
    const { name } = file;
    this.#say(reason === undefined ? fill(opened, { name }) : fill(refused, { name, reason }));
  }

  async #copy(page: Page, what: 'link' | 'frame'): Promise<void> {
    this.#say(await copied(page, this.figure, what));
  }

  #say(message: string): void {
    this.#message = message;
    this.#saidOf = this.figure.page!.store.view;
    this.figure.requestUpdate();
  }

  /** Does what a button asks for; whatever fails is said. */
  #try(act: () => Promise<void>): void {
    act().catch((error: unknown) => this.#say(String(error)));
  }

  view(page: Page) {
    const { shared } = this;
    const { isInAddress } = page.store;
    if (!shared && !isInAddress) return nothing;
    return menuView({
      words: page.words,
      message: this.#saidOf === page.store.view ? this.#message : '',
      waiting: [...this.#waiting],
      cancel: () => this.#abort.abort(),
      files: shared && {
        formats: shared.formats,
        save: (format) => this.#try(() => this.#save(page, shared, format)),
        open: (file) => this.#try(() => this.#open(page, shared, file)),
      },
      copy: isInAddress ? (what) => this.#try(() => this.#copy(page, what)) : undefined,
    });
  }
}
