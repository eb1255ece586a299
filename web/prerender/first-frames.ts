// The first frame of each figure as HTML, computed at build time by the library in Node, so that
// the page shows real numbers before, and without, any script.
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import { figures } from '../figures/index.js';
import { home } from '../state/home.js';
import type { Page } from '../state/page.js';
import { Store } from '../state/store.js';
import type { Language, Words } from '../state/words.js';

/** Lit's markers are for taking the markup over again; the live figure draws its own. */
const withoutMarkers = (markup: string) =>
  markup.replace(/<!--.*?-->/g, '').replace(/>\s+</g, '>\n<');

/** Loaded with this module: whoever runs it may be gone when the functions are called. */
const classes = await Promise.all(
  Object.entries(figures).map(async ([name, load]) => [name, await load()] as const),
);

/** In a language: by element name its first frame, and what fills the places of the prose. */
export interface FirstFrames {
  frames: Record<string, string>;
  places: Record<string, string>;
}

export async function firstFrames(
  library: typeof import('attention-wasm'),
  language: Language,
  words: Words,
): Promise<FirstFrames> {
  const attention = await library.load({ threads: 1 });
  const page: Page = { library, attention, store: new Store(home), words, language };
  const { frames, places }: FirstFrames = { frames: {}, places: {} };
  const markup = async (view: unknown) => withoutMarkers(await collectResult(render(view)));
  for (const [name, figure] of classes) {
    const view = figure.firstFrame?.(page);
    if (view !== undefined) frames[name] = await markup(view);
    for (const [place, filling] of Object.entries(figure.places?.(page) ?? {})) {
      places[place] = await markup(filling);
    }
  }
  attention.dispose();
  return { frames, places };
}
