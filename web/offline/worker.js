// The page's service worker: the page offline, and threads on hosts that do not send the headers for
// them. The build writes it as sw.js, with `version` and `files` before this text.
/* global version, files, clients, registration */

const cacheName = `page ${version}`;
const assets = new URL('assets/', location.href).href;
/** Kept once the reader has asked for threads; see page.ts. */
const threadsWanted = new URL('threads-wanted', location.href).href;

addEventListener('install', (event) => {
  // Past the browser's own cache, which may hold pages of an older version.
  const requests = files.map((file) => new Request(file, { cache: 'no-cache' }));
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(requests)));
});

// A new version becomes active when no page uses the old one any more; the old files can go then.
addEventListener('activate', (event) => {
  const isOld = (name) => name.startsWith('page ') && name !== cacheName;
  const tidyUp = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(tidyUp());
});

addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  if (method === 'GET' && url.startsWith(registration.scope)) {
    event.respondWith(answer(event.request).then(withIsolation));
  }
});

async function answer(request) {
  const cache = await caches.open(cacheName);
  const known = () => cache.match(request, { ignoreSearch: true, ignoreVary: true });
  // The name of a file in assets/ has the hash of its contents: there is only one version of it.
  if (request.url.startsWith(assets)) {
    const kept = await known();
    if (kept) return kept;
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  }
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await known();
    if (kept) return kept;
    throw error;
  }
}

/** Adds the headers that make a page cross-origin isolated, if the reader has asked for threads. */
async function withIsolation(response) {
  if (response.type !== 'basic' || !(await caches.match(threadsWanted))) return response;
  const { status, statusText, body } = response;
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(body, { status, statusText, headers });
}
