// The package in Chromium: without a bundler, in workers, under a strict policy, from other places.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkPage, html, resultOf, served } from './browser.js';
import { checkCall, project } from './packed.js';
import { withEsbuild } from './users.js';

const importMap = `<script type="importmap">
  { "imports": { "attention-wasm": "./node_modules/attention-wasm/dist/index.js" } }
</script>`;
const mapped = (script) => html(`${importMap}<script type="module" src="${script}"></script>`);

test('an import map', async () => {
  const folder = project('plain', { 'index.html': mapped('./page.js') });
  await checkPage({ folder });
  // The same from a path below the site's top.
  await checkPage({ folder: dirname(folder), path: 'plain/' });
});

test('wasmURL and wasmBinary', async () => {
  const page = (settings) => `
    import { callBoth } from './call.js';
    const build = crossOriginIsolated ? 'attention-baseline-threads' : 'attention-baseline';
    globalThis.result = callBoth({ threads: 2, ${settings} });
  `;
  const pages = {
    'address.js': page("wasmURL: new URL('./wasm/', import.meta.url)"),
    'relative.js': page("wasmURL: './wasm/'"),
    'file.js': page('wasmURL: `wasm/${build}.wasm`'),
    'binary.js': page('wasmBinary: await (await fetch(`./wasm/${build}.wasm`)).arrayBuffer()'),
  };
  const names = Object.keys(pages);
  const documents = names.map((name) => [`${name}.html`, mapped(`./${name}`)]);
  const folder = project('elsewhere', { ...pages, ...Object.fromEntries(documents) });
  const library = join(folder, 'node_modules/attention-wasm/dist/wasm');
  mkdirSync(join(folder, 'wasm'));
  for (const file of readdirSync(library).filter((name) => name.endsWith('.wasm'))) {
    renameSync(join(library, file), join(folder, 'wasm', file));
  }
  for (const name of names) await checkPage({ folder, path: `${name}.html` });
});

const workers = project('workers', {
  'dist/index.html': html(),
  'dist/dedicated.html': html('<script type="module" src="./dedicated.js"></script>'),
  'dist/dedicated.js': `
    const worker = new Worker('./in-worker.js', { type: 'module' });
    globalThis.result = new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data)));
  `,
  'in-worker.js': `
    import { callBoth } from './call.js';
    postMessage(await callBoth({ threads: 2 }));
  `,
  'dist/service.html': html('<script type="module" src="./service.js"></script>'),
  'dist/service.js': `
    const channel = new MessageChannel();
    globalThis.result = new Promise((resolve) => (channel.port1.onmessage = ({ data }) => resolve(data)));
    await navigator.serviceWorker.register('./in-service-worker.js', { type: 'module' });
    const { active } = await navigator.serviceWorker.ready;
    active.postMessage('call', [channel.port2]);
  `,
  'in-service-worker.js': `
    import { callHere } from './call.js';
    onmessage = ({ ports: [port] }) =>
      callHere().then((result) => port.postMessage(result), (error) => port.postMessage(String(error)));
  `,
});
await withEsbuild(workers, ['page.js', 'in-worker.js', 'in-service-worker.js']);
const folder = join(workers, 'dist');

test('a dedicated worker', async () => {
  await checkPage({ folder, path: 'dedicated.html' });
});

test('a service worker, on one thread', async () => {
  for (const isolated of [true, false]) {
    const result = await resultOf((await served({ folder, isolated })) + 'service.html');
    assert.equal(typeof result, 'object', result);
    checkCall(result, { threads: 1 });
    assert.match(result.info.why.join(), /threads: /);
  }
});

test("a content security policy with script-src 'self' 'wasm-unsafe-eval'", async () => {
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:";
  await checkPage({ folder, headers: { 'Content-Security-Policy': policy } });
});
