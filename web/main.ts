// Brings the prerendered page to life: loads the library, then hands it to the figures.
import { caseOf } from './state/case.js';
import { Store } from './state/store.js';
import { type Language, type Words, fill } from './state/words.js';
import { AttentionStepper } from './figures/stepper.js';
import { keepStateInLinks, startThemeSwitch } from './settings.js';
import example from './examples/six-step.json';

const language: Language = document.documentElement.lang.startsWith('zh') ? 'zh' : 'en';

const words: Record<Language, () => Promise<{ default: Words }>> = {
  en: () => import('./content/en/words.json'),
  zh: () => import('./content/zh/words.json'),
};

async function start(): Promise<void> {
  startThemeSwitch();
  const { default: ours } = await words[language]();
  const store = new Store({ case: caseOf(example), step: 1, pin: null });
  store.bindToAddress();
  keepStateInLinks(store);
  customElements.define('attention-stepper', AttentionStepper);
  try {
    const library = await import('attention-wasm');
    const attention = await library.load();
    for (const stepper of document.querySelectorAll<AttentionStepper>('attention-stepper')) {
      stepper.page = { library, attention, store, words: ours, tokens: example.tokens };
    }
  } catch (error) {
    delete document.documentElement.dataset.script;
    const place = document.getElementById('load-failed')!;
    place.textContent = fill(ours.loadFailed, {
      reason: String((error as Error).message ?? error),
    });
    place.hidden = false;
  }
}

void start();
