// The two settings in the page's head: theme and language.
import type { Store } from './state/store.js';

/** The first paint is public/theme.js's; this only follows the reader's choice from then on. */
export function startThemeSwitch(): void {
  const select = document.querySelector<HTMLSelectElement>('#theme')!;
  const { dataset } = document.documentElement;
  select.value = dataset.theme ?? 'system';
  select.closest('label')!.hidden = false;
  select.addEventListener('change', () => {
    if (select.value === 'system') delete dataset.theme;
    else dataset.theme = select.value;
    try {
      if (select.value === 'system') localStorage.removeItem('theme');
      else localStorage.setItem('theme', select.value);
    } catch {
      // Not remembered then; the page has it for this visit.
    }
  });
}

/** The other language opens at the same step, with the same pin and numbers. */
export function keepStateInLinks(store: Store): void {
  const links = document.querySelectorAll<HTMLAnchorElement>('a[data-keep-state]');
  const follow = () => {
    for (const link of links) link.hash = location.hash;
  };
  follow();
  store.addEventListener('address', follow);
  addEventListener('hashchange', follow);
}
