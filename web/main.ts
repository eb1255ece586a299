// Brings the prerendered page to life: loads the library, then hands it to the figures.
import { figures } from './figures/index.js';
import { isEmbedded, showAlone } from './embed.js';
import { failureNodes } from './failure.js';
import { followReading, keepLanding } from './contents.js';
import { keepOffline, offerThreads } from './offline/page.js';
import { keepStateInLinks, startThemeSwitch } from './settings.js';
import { home } from './state/home.js';
import type { Page } from './state/page.js';
import { Store } from './state/store.js';
import type { Language, Words } from './state/words.js';

const language: Language = document.documentElement.lang.startsWith('zh') ? 'zh' : 'en';
const wordsOf: Record<Language, () => Promise<{ default: Words }>> = {
  en: () => import('./content/en/words.json'),
  zh: () => import('./content/zh/words.json'),
};

/** Hands a figure over once it is nearly in view; its code is fetched then. */
function bringToLife(page: Page): void {
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        void upgrade(target.localName).then(() => Object.assign(target, { page }));
      }
    },
    { rootMargin: '100% 0px' },
  );
  for (const element of document.querySelectorAll(Object.keys(figures).join())) {
    near.observe(element);
  }
}

async function upgrade(name: string): Promise<void> {
  const figure = await figures[name]!();
  if (!customElements.get(name)) customElements.define(name, figure);
}

function showFailure(words: Words, error: unknown): void {
  // Every step's caption is to be read again.
  delete document.documentElement.dataset.script;
  const place = document.getElementById('load-failed')!;
  place.replaceChildren(...failureNodes(words, words.loadFailed, error));
  place.hidden = false;
}

async function start(): Promise<void> {
  const { default: words } = await wordsOf[language]();
  const store = new Store(home);
  await store.bindToAddress();
  if (isEmbedded) showAlone(words, store);
  else {
    startThemeSwitch();
    followReading();
    keepLanding();
    keepStateInLinks(store);
  }
  try {
    const library = await import('attention-wasm');
    const attention = await library.load();
    bringToLife({ library, attention, store, words, language });
    if (!isEmbedded) offerThreads(words);
    void keepOffline();
  } catch (error) {
    showFailure(words, error);
  }
}

void start();
