// What every figure is: it shows the prerendered frame until the page hands it the library, then
// draws itself from its state, with the shared style and the page's words.
import { type CSSResult, LitElement, type PropertyValues, html, nothing, unsafeCSS } from 'lit';
import tokensSheet from '../styles/tokens.css?inline';
import figureSheet from '../styles/figure.css?inline';
import type { Taken } from '../draw/controls.js';
import { copyNumbers } from '../draw/copy.js';
import { grouped } from '../draw/number.js';
import { Still } from '../draw/still.js';
import type { Given } from '../export/data.js';
import type { Exhibit } from '../export/exhibit.js';
import { type Format, formats } from '../export/menu.js';
import type { Case } from '../state/case.js';
import type { Remark } from '../state/link.js';
import type { Page } from '../state/page.js';
import { parseNumber } from '../state/parse.js';
import { choiceOf, isWithFirst } from '../state/shared-case.js';
import { type Words, fill } from '../state/words.js';
import { type Shared, Sharing } from './sharing.js';

/** Reads a setting that is one of these. */
export const among =
  <const T>(values: readonly T[]) =>
  (text: string): T | undefined =>
    values.find((value) => String(value) === text);

/** The style of a figure: what all share, and its own sheet. */
export const sheets = (...own: string[]): CSSResult[] =>
  [tokensSheet, figureSheet, ...own].map((sheet) => unsafeCSS(sheet));

/** Whether two texts of a link list the same, numbers and names in any order. */
function saysSame(asked: string, used: string): boolean {
  const parts = (text: string) =>
    text
      .split(/[,;]|(?<!e)\+/)
      .map((part) => String(parseNumber(part) ?? part))
      .sort()
      .join();
  return asked === used || parts(asked) === parts(used);
}

/** What of a link is about the page's case. */
const caseRemarks: ReadonlySet<Remark['word']> = new Set(['linkMatrix', 'linkMask']);

export abstract class Figure extends LitElement {
  static override styles = sheets();
  static override properties = { page: { attribute: false } };
  /** Prefix of its settings in a link. */
  static key = '';

  declare page: Page | undefined;

  protected abstract view(page: Page): unknown;
  /** What there is to take elsewhere; of a figure that does not say so only links can be had. */
  protected exhibit?(page: Page): Exhibit;
  /** In which it can be saved. */
  protected readonly formats: readonly Format[] = formats;
  /** Whether it can show the numbers of the page's case. */
  protected readonly sharesCase: boolean = false;

  /** All that it shows follows from its settings, so they are what is saved and opened. */
  protected shared(): Shared {
    const name = this.localName;
    const exhibit = () => this.exhibit!(this.page!);
    return {
      formats: this.formats,
      exhibit,
      json: async () => {
        const { settingsJSON } = await import('../export/data.js');
        return settingsJSON(name, this.ownSettings(), exhibit(), this.#given());
      },
      open: async (text) => {
        const { Misfit, givenFrom, settingsFrom } = await import('../export/data.js');
        const { store, words } = this.page!;
        const found = settingsFrom(text, name);
        if (found instanceof Misfit) return found.text(words);
        if (found.mine !== undefined) {
          // The reader's numbers are the page's case, not a setting of the figure.
          const given = givenFrom(text, name, store.home.case);
          const taken = given && this.taken(given);
          if (!taken) {
            const part = given ? 'mine.options.mask' : 'mine.inputs';
            return new Misfit('notThere', part).text(words);
          }
          store.update({ case: taken });
        }
        for (const key of Object.keys({ ...this.ownSettings(), ...found })) {
          this.set(key, found[key]);
        }
        return undefined;
      },
    };
  }

  /** Of the page's case, where it shows that. */
  #given(): Given | undefined {
    const { query, key, value, options } = this.page!.store.view.case;
    return this.sharesCase && this.isMine ? { inputs: { query, key, value }, options } : undefined;
  }

  /** The page's case with what it shows of it; undefined where the options have nothing to show. */
  protected taken({ inputs }: Given): Case | undefined {
    return { ...this.page!.store.view.case, ...inputs };
  }

  readonly #changed = () => {
    if (this.isConcerned()) this.requestUpdate();
  };

  #settings = '';
  #sharing: Sharing | undefined;

  /** By their names without the figure's key. */
  protected ownSettings(): Record<string, string> {
    const all = Object.entries(this.page?.store.view.settings ?? {});
    const start = `${this.#key}.`;
    const own = all.filter(([name]) => name.startsWith(start));
    return Object.fromEntries(own.map(([name, text]) => [name.slice(start.length), text]));
  }

  #case: Case | undefined;

  /**
   * Whether a change of the page's state is one of what this figure shows: its own settings, and the
   * case where it shares it.
   */
  protected isConcerned(): boolean {
    const unread = this.page ? this.linkRemarks(this.page).map(({ word }) => word) : [];
    const own = [...Object.entries(this.ownSettings()), ...unread].join();
    const given = this.sharesCase ? this.page?.store.view.case : undefined;
    const isNew = own !== this.#settings || given !== this.#case;
    this.#settings = own;
    this.#case = given;
    return isNew;
  }

  protected get isMine(): boolean {
    return this.flag('mine');
  }

  /** The case that it shows: the article's, or the reader's where there is one and it is asked for. */
  protected get given(): Case {
    const { store } = this.page!;
    const mine = this.isMine ? choiceOf(store)?.mine : undefined;
    return mine ?? store.home.case;
  }

  /** Whether there is another case than the article's to show. */
  protected hasChoice({ store }: Page): boolean {
    return choiceOf(store) !== null;
  }

  /** How the choice is called. */
  protected choiceWords({ words }: Page): Words['whose'] {
    return words.whose;
  }

  /** Says whose case it shows, once there are two. Alone it shares one only if a link brings it. */
  #whose(page: Page): unknown {
    if (!this.sharesCase || !this.hasChoice(page)) return nothing;
    const { isMine } = this;
    const isAlone = !isWithFirst();
    if (isAlone && !isMine && choiceOf(page.store) === null) return nothing;
    const { article, mine, alone } = this.choiceWords(page);
    const own = isMine
      ? { says: isAlone ? alone.says : mine.says, change: mine.change }
      : { says: article.says, change: isAlone ? alone.change : article.change };
    const change = () => this.set('mine', isMine ? undefined : '1');
    return html`<p class="whose" aria-live="polite">
      ${own.says} <button type="button" @click=${change}>${own.change}</button>
    </p>`;
  }

  /** The names of its settings, as far as it has asked for them. */
  readonly #names = new Set<string>();
  /** What the link asks for and what is used instead, '' for nothing, by the setting's name. */
  protected readonly clamped = new Map<string, { asked: string; used: string }>();

  /**
   * A setting of this figure, as the link has it, brought into bounds; `fallback` where the link says
   * nothing, or nothing that can be used. Where `write` does not give back what the link says, the
   * reader is told.
   */
  protected setting<T>(
    name: string,
    read: (text: string) => T | undefined,
    fallback: T,
    write: (value: T) => string | undefined = String,
  ): T {
    this.#names.add(name);
    const asked = this.page?.store.view.settings[`${this.#key}.${name}`];
    if (asked === undefined) return fallback;
    const value = read(asked);
    const used = value === undefined ? '' : (write(value) ?? '');
    if (!saysSame(asked, used)) this.clamped.set(name, { asked, used });
    return value ?? fallback;
  }

  /** A setting that is a number from `low` to `high`. */
  protected number(
    name: string,
    [low, high]: readonly [number, number],
    fallback: number,
    round = (x: number) => x,
  ): number {
    const read = (text: string) => {
      const x = parseNumber(text);
      return x === undefined ? undefined : Math.min(Math.max(round(x), low), high);
    };
    return this.setting(name, read, fallback);
  }

  /** One that is on or off; off unless said. */
  protected flag(name: string): boolean {
    const read = (text: string) => (/^[01]$/.test(text) ? text === '1' : undefined);
    return this.setting(name, read, false, (isOn) => (isOn ? '1' : '0'));
  }

  /** One that is a whole number. */
  protected whole(name: string, limits: readonly [number, number], fallback: number): number {
    return this.number(name, limits, fallback, Math.round);
  }

  /** Whether a link can have this setting. */
  protected knows(name: string): boolean {
    return this.#names.has(name);
  }

  /** What of a link that leads here cannot be read. */
  protected linkRemarks({ store }: Page): readonly Remark[] {
    // Where it stands alone nobody else speaks of the case that it shows.
    const isItsCase = this.sharesCase && store.remarks.length > 0 && this.isMine && !isWithFirst();
    const isRead = ({ word }: Remark) =>
      word !== 'linkShortened' && !(isItsCase && caseRemarks.has(word));
    const unread = store.remarks.filter((remark) => !isRead(remark));
    // Asked at every change, and hardly ever needed: the document is not searched in vain.
    if (unread.length === 0) return unread;
    const isAlone = document.querySelectorAll('[data-figure]').length < 2;
    const places = [this.id, this.closest('section')?.id];
    return unread.filter(
      ({ word, values }) => isAlone || (word === 'linkShortened' && places.includes(values.anchor)),
    );
  }

  /** What of the link's settings is not as the link says it. */
  protected remarks(page: Page): unknown {
    const { words } = page;
    const key = this.#key;
    const remarks = this.linkRemarks(page).map(({ word, values }) => fill(words[word], values));
    for (const [name, { asked, used }] of this.clamped) {
      const word = used === '' ? 'linkUnusable' : 'linkClamped';
      remarks.push(fill(words[word], { name: `${key}.${name}`, asked, used }));
    }
    for (const own of Object.keys(this.ownSettings())) {
      if (!this.knows(own)) remarks.push(fill(words.linkUnknown, { name: `${key}.${own}` }));
    }
    return remarks.map((text) => html`<p class="remark" role="status">${text}</p>`);
  }

  /** Says under a box what it took instead of what was entered; once more is entered, no longer. */
  #sayTaken(event: Event): void {
    const box = event.target as Element;
    const next = box.closest('label')?.nextElementSibling;
    const isOwn = next?.matches('.taken') ?? false;
    const place = isOwn ? next : box.closest('[data-boxes]')?.querySelector('.taken');
    if (!place) return;
    const { asked, used } = ((event as CustomEvent<Taken | undefined>).detail ??
      {}) as Partial<Taken>;
    const { words } = this.page!;
    const text =
      used === undefined || asked === used
        ? ''
        : asked === undefined
          ? words.notNumber
          : fill(words.taken, { asked: grouped(asked), used: grouped(used) });
    const name = box.getAttribute('aria-label') ?? '';
    place.textContent = isOwn || text === '' ? text : fill(words.takenOf, { name, text });
  }

  /** `isEntry`: whether Back undoes it by itself. */
  protected set(name: string, text: string | undefined, isEntry = true): void {
    const { store } = this.page!;
    const settings = { ...store.view.settings };
    if (text === undefined) delete settings[`${this.#key}.${name}`];
    else settings[`${this.#key}.${name}`] = text;
    store.update({ settings }, isEntry);
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
    // What the page opened with is what the first change is a change of.
    if (this.page) this.isConcerned();
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
      this.clamped.clear();
      const view = this.view(this.page);
      return html`<div
        class="figure"
        role="figure"
        aria-label=${this.name(this.page)}
        @copy=${copyNumbers}
        @input=${this.#sayTaken}
        @taken=${this.#sayTaken}
      >
        ${this.#whose(this.page)} ${view} ${this.remarks(this.page)} ${this.menu(this.page)}
      </div>`;
    }
    // Until the library is there, and if it never comes, what the page brought stands.
    return this.fallback();
  }

  /** Once it is drawn it has asked for all the settings that it knows. */
  protected override update(changed: PropertyValues<this>): void {
    super.update(changed);
    for (const name of Object.keys(this.ownSettings())) {
      this.page!.store.carry(`${this.#key}.${name}`, this.knows(name));
    }
  }

  #still: Still | undefined;

  protected override updated(): void {
    const place = this.renderRoot.querySelector<HTMLElement>('.still');
    if (!place && !this.#still) return;
    const { step, settings } = this.page!.store.view;
    const others = Object.entries(settings).filter(([name]) => !name.endsWith('.pin'));
    (this.#still ??= new Still()).keep(place, [step, ...others].join());
  }

  /** What it is called, in the reader's language. */
  protected name({ words }: Page): string {
    const names: Record<string, string> = words.figures;
    return names[this.localName.replace('attention-', '')] ?? '';
  }

  /** Where what it shows stands. */
  get place(): ParentNode {
    return this.renderRoot;
  }

  protected menu(page: Page): unknown {
    const shared = this.exhibit ? this.shared() : undefined;
    return (this.#sharing ??= new Sharing(this, shared)).view(page);
  }

  protected fallback(): unknown {
    return html`<slot></slot>`;
  }
}
