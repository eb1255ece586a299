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
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== 'theme') return; // of another tab
    select.value = newValue ?? 'system';
    if (newValue) dataset.theme = newValue;
    else delete dataset.theme;
  });
}

/** The last place with a name above the line that is being read. */
function placeRead(): string {
  const places = [...document.querySelectorAll('main :is(section, h3, [data-figure])[id]')];
  const line = innerHeight / 5;
  return places.findLast((place) => place.getBoundingClientRect().top <= line)?.id ?? '';
}

/** The other language opens at the same place and step, with the same pin and numbers. */
export function keepStateInLinks(store: Store): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-keep-state]')) {
    let place = '';
    const follow = () => {
      link.hash = [place, store.link].filter((part) => part !== '').join('&');
    };
    const use = () => {
      place = placeRead();
      follow();
    };
    follow();
    store.addEventListener('address', follow);
    // The place is looked for when it is needed, before any button or menu takes the link, and not at
    // every scroll or change.
    for (const event of ['pointerenter', 'focus', 'click']) link.addEventListener(event, use);
  }
}
