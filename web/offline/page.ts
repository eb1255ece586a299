// The page's side of the service worker: it keeps the page for offline, and where the host does not
// isolate it, offers the threads that need isolation.
import { failureNodes } from '../failure.js';
import type { Words } from '../state/words.js';

/** The site's root, one folder above each language's page. */
const root = new URL('../', location.href);

/** Call when the library is loaded: its WebAssembly is kept as well. Nothing is reloaded. */
export async function keepOffline(): Promise<void> {
  const { serviceWorker } = navigator as Partial<Navigator>;
  if (!serviceWorker || !import.meta.env.PROD) return;
  try {
    await serviceWorker.register(new URL('sw.js', root));
    // On the first visit it was not there yet when the WebAssembly was fetched.
    if (!serviceWorker.controller) {
      await new Promise((resolve) => {
        serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      });
    }
    const used = performance.getEntriesByType('resource').map(({ name }) => name);
    await Promise.all(used.filter((name) => name.endsWith('.wasm')).map((name) => fetch(name)));
    document.documentElement.dataset.offline = 'ready';
  } catch {
    // Storage is full or forbidden; the page works as long as there is a network.
  }
}

/** Shows the button where it would help; the page is reloaded only when it is pressed. */
export function offerThreads(words: Words): void {
  const place = document.querySelector<HTMLElement>('#enable-threads')!;
  if (crossOriginIsolated || !('serviceWorker' in navigator) || !import.meta.env.PROD) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  button.textContent = words.enableThreads;
  button.addEventListener('click', () => {
    void enableThreads().catch((error: unknown) => {
      place.append(' ', ...failureNodes(words, words.enableThreadsFailed, error));
    });
  });
  place.append(button);
  place.hidden = false;
}

async function enableThreads(): Promise<void> {
  const settings = await caches.open('settings');
  await settings.put(new URL('threads-wanted', root), new Response());
  await navigator.serviceWorker.register(new URL('sw.js', root));
  await navigator.serviceWorker.ready;
  location.reload();
}
