// ?embed=1&figure=NAME: one figure and nothing else, for a frame in someone else's page. The first
// paint is public/theme.js's, which hides the article.
import type { Store } from './state/store.js';
import { type Words, fill } from './state/words.js';

const query = new URLSearchParams(location.search);
export const isEmbedded = query.get('embed') === '1';

/** Takes the figure out of the article; with it a link to where it stands there, in the same state. */
export function showAlone(words: Words, store: Store): void {
  const name = query.get('figure') ?? '';
  const all = [...document.querySelectorAll('[data-figure]')];
  const figure = all.find(({ localName }) => localName === `attention-${name}`);
  const place = document.createElement('main');
  place.className = 'alone';
  if (figure) {
    const names: Record<string, string> = words.figures;
    place.append(sourceLink(figure, names[name]!, store), figure);
    for (const heading of figure.querySelectorAll('h4')) heading.ariaLevel = '2';
  } else {
    const there = all.map(({ localName }) => localName.replace('attention-', ''));
    place.textContent = fill(words.noFigure, { name, names: [...new Set(there)].join(', ') });
  }
  document.body.replaceChildren(place, document.getElementById('load-failed')!);
  tellHeight();
}

/** The figure's name, which leads to the article; the whole of both is the document's title. */
function sourceLink(figure: Element, name: string, store: Store): HTMLElement {
  const heading = document.createElement('h1');
  const link = document.createElement('a');
  link.target = '_blank';
  link.textContent = name;
  link.title = document.title;
  document.title = `${name} · ${document.title}`;
  const follow = () => {
    link.href = `${location.pathname}#${figure.id}&${store.link}`.replace(/&$/, '');
  };
  follow();
  for (const event of ['change', 'address']) store.addEventListener(event, follow);
  heading.append(link);
  return heading;
}

/** So that the page around the frame can make it as high as what is in it, and lower again. */
function tellHeight(): void {
  if (parent === window) return;
  // The root's own height would never be less than the frame's.
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    parent.postMessage({ type: 'attention-wasm:height', height }, '*');
  }).observe(document.body);
}
