// attention-wasm/figures: the figures as elements of any page.
//   <attention-stepper state="s=3&p=w.2.1" lang="zh"></attention-stepper>
// Each has a state of its own, its own styles, and the language of the page around it. types.d.ts
// says what a page can set and hear.
import * as library from 'attention-wasm';
import { type LitElement, unsafeCSS } from 'lit';
import { failureNodes } from '../failure.js';
import { type Figure, sheets } from '../figures/figure.js';
import { type FigureClass, figures } from '../figures/index.js';
import { ProseFigure } from '../figures/prose-figure.js';
import { home } from '../state/home.js';
import { decode } from '../state/link.js';
import { isShortened, lengthen } from '../state/shorten.js';
import { Store } from '../state/store.js';
import type { Language, Words } from '../state/words.js';
import elementSheet from '../styles/element.css?inline';
import proseSheet from '../styles/prose-figures.css?inline';

const wordsOf: Record<Language, () => Promise<{ default: Words }>> = {
  en: () => import('../content/en/words.json'),
  zh: () => import('../content/zh/words.json'),
};
const proseOf = {
  en: () => import('virtual:prose/en'),
  zh: () => import('virtual:prose/zh'),
};

let loading: Promise<library.Attention> | undefined;
/** One for all figures; what they compute is small. */
const loadOnce = () => (loading ??= library.load({ threads: 1 }));

/** Every figure of the list is drawn; what they have in common is all that matters here. */
type Base = (new () => LitElement & Pick<Figure, 'page'> & Pick<ProseFigure, 'prose'>) &
  Pick<typeof LitElement, 'styles' | 'observedAttributes'>;

/** A figure that brings its own page with it. */
function alone(figure: FigureClass): CustomElementConstructor {
  const isProse = figure.prototype instanceof ProseFigure;
  const base = figure as unknown as Base;
  return class extends base {
    static override styles = [
      isProse ? sheets(proseSheet) : (base.styles ?? []),
      unsafeCSS(elementSheet),
    ];

    readonly #store = new Store(home);

    static override get observedAttributes(): string[] {
      return [...super.observedAttributes, 'state', 'lang'];
    }

    /** What a link to the article would say after its #. */
    get state(): string {
      return this.#store.fragment;
    }

    set state(fragment: string) {
      this.#asked = fragment;
      if (isShortened(fragment)) this.#opening = this.#open(fragment);
      else this.#follow(fragment);
    }

    #asked = '';
    /** Of a shortened state; the figure is not drawn before. */
    #opening: Promise<void> | undefined;

    async #open(short: string): Promise<void> {
      const fragment = await lengthen(short);
      if (this.#asked === short) this.#follow(fragment ?? short);
    }

    #follow(fragment: string): void {
      const { view, remarks } = decode(fragment, isShortened(fragment) ? this.#store.view : home);
      this.#store.remarks = remarks;
      this.#store.update(view);
      this.requestUpdate();
    }

    override attributeChangedCallback(name: string, old: string | null, text: string | null): void {
      super.attributeChangedCallback(name, old, text);
      if (name === 'state') this.state = text ?? '';
      else if (name === 'lang' && this.page) void this.#start();
    }

    override connectedCallback(): void {
      super.connectedCallback();
      if (!this.page) void this.#start();
    }

    async #start(): Promise<void> {
      const language: Language = /^zh\b/.test(languageOf(this)) ? 'zh' : 'en';
      const { default: words } = await wordsOf[language]();
      try {
        const attention = await loadOnce();
        if (isProse) this.prose = (await proseOf[language]()).default[this.localName]!;
        await this.#opening;
        this.#store.addEventListener('change', this.#tell);
        this.page = { library, attention, store: this.#store, words, language };
      } catch (error) {
        this.replaceChildren(...failureNodes(words, words.figureFailed, error));
        this.dispatchEvent(new CustomEvent('attention-error', { detail: { error } }));
      }
    }

    readonly #tell = (): void => {
      const detail = { state: this.state };
      this.dispatchEvent(new CustomEvent('attention-change', { detail, bubbles: true }));
    };
  };
}

/** Of the nearest element that says one, through shadow roots too. */
function languageOf(element: Element): string {
  const said = element.closest('[lang]')?.getAttribute('lang');
  if (said) return said;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? languageOf(root.host) : 'en';
}

await Promise.all(
  Object.entries(figures).map(async ([name, load]) => {
    const figure = await load();
    if (!customElements.get(name)) customElements.define(name, alone(figure));
  }),
);
