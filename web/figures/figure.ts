// What every figure is: it shows the prerendered frame until the page hands it the library, then
// draws itself from its state, with the shared style and the page's words.
import { type CSSResult, LitElement, type PropertyValues, html, nothing, unsafeCSS } from 'lit';
import tokensSheet from '../styles/tokens.css?inline';
import figureSheet from '../styles/figure.css?inline';
import type { Exhibit } from '../export/exhibit.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { type Shared, Sharing } from './sharing.js';

/** The style of a figure: what all share, and its own sheet. */
export const sheets = (...own: string[]): CSSResult[] =>
  [tokensSheet, figureSheet, ...own].map((sheet) => unsafeCSS(sheet));

export abstract class Figure extends LitElement {
  static override styles = sheets();
  static override properties = { page: { attribute: false } };
  /** Prefix of its settings in a link. */
  static key = '';

  declare page: Page | undefined;

  protected abstract view(page: Page): unknown;
  /** What there is to take elsewhere; a figure that says so has a menu for it. */
  protected exhibit?(page: Page): Exhibit;
  /** Whether calls are among it. */
  protected readonly hasCalls: boolean = true;

  /** All that it shows follows from its settings, so they are what is saved and opened. */
  protected shared(): Shared {
    const name = this.localName;
    const exhibit = () => this.exhibit!(this.page!);
    return {
      hasCalls: this.hasCalls,
      exhibit,
      json: async () => {
        const { settingsJSON } = await import('../export/data.js');
        return settingsJSON(name, this.#ownSettings(), exhibit());
      },
      open: async (text) => {
        const { settingsFrom } = await import('../export/data.js');
        const found = settingsFrom(text, name);
        if (typeof found === 'string') {
          return fill(this.page!.words.export.notThere, { part: found });
        }
        for (const key of Object.keys({ ...this.#ownSettings(), ...found })) {
          this.set(key, found[key]);
        }
        return undefined;
      },
    };
  }

  readonly #changed = () => {
    if (this.isConcerned()) this.requestUpdate();
  };

  #settings = '';
  #sharing: Sharing | undefined;

  /** By their names without the figure's key. */
  #ownSettings(): Record<string, string> {
    const all = Object.entries(this.page?.store.view.settings ?? {});
    const start = `${this.#key}.`;
    const own = all.filter(([name]) => name.startsWith(start));
    return Object.fromEntries(own.map(([name, text]) => [name.slice(start.length), text]));
  }

  /** Whether a change of the page's state is one of what this figure shows: its own settings. */
  protected isConcerned(): boolean {
    const own = Object.entries(this.#ownSettings()).join();
    const isNew = own !== this.#settings;
    this.#settings = own;
    return isNew;
  }

  /** A setting of this figure, as the link has it, if `accepts` it. */
  protected setting<T>(name: string, read: (text: string) => T | undefined, fallback: T): T {
    const text = this.page?.store.view.settings[`${this.#key}.${name}`];
    return text === undefined ? fallback : (read(text) ?? fallback);
  }

  /** A setting that is a whole number from `low` to `high`. */
  protected whole(name: string, [low, high]: readonly [number, number], fallback: number): number {
    const read = (text: string) => {
      const x = Number(text);
      return Number.isInteger(x) && x >= low && x <= high ? x : undefined;
    };
    return this.setting(name, read, fallback);
  }

  protected set(name: string, text: string | undefined): void {
    const { store } = this.page!;
    const settings = { ...store.view.settings };
    if (text === undefined) delete settings[`${this.#key}.${name}`];
    else settings[`${this.#key}.${name}`] = text;
    store.update({ settings });
  }

  get #key(): string {
    return (this.constructor as typeof Figure).key;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('page')) return;
    this.toggleAttribute('data-live', this.page !== undefined);
    if (this.page) this.querySelector('.first-frame')?.remove();
    changed.get('page')?.store.removeEventListener('change', this.#changed);
    this.page?.store.addEventListener('change', this.#changed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.page?.store.removeEventListener('change', this.#changed);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.page?.store.addEventListener('change', this.#changed);
  }

  protected override render(): unknown {
    if (this.page) {
      return html`<div class="figure">${this.view(this.page)} ${this.#menu(this.page)}</div>`;
    }
    // Until the library is there, and if it never comes, what the page brought stands.
    return this.fallback();
  }

  #menu(page: Page): unknown {
    if (!this.exhibit) return nothing;
    return (this.#sharing ??= new Sharing(this, this.shared())).view(page);
  }

  protected fallback(): unknown {
    return html`<slot></slot>`;
  }
}
