// The same measurements in Chromium: a folder with the package, these files and the peers' bundles
// for browsers, served cross-origin isolated, and a page that runs them.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/build/serve.mjs';
import { launch } from '../chromium.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');

const bundles = {
  'onnxruntime-web': 'onnxruntime-web/dist',
  '@tensorflow/tfjs-core': '@tensorflow/tfjs-core/dist',
  '@tensorflow/tfjs-backend-wasm': '@tensorflow/tfjs-backend-wasm/dist',
};

const page = (content) => `<!doctype html><meta charset="utf-8"><title>bench</title>
<script type="importmap">{ "imports": { "attention-wasm": "./package/index.js" } }</script>
${content}`;

const measuring = (withPeers) => `
${withPeers ? '<script src="peers/tfjs-core/tf-core.min.js"></script><script src="peers/tfjs-backend-wasm/tf-backend-wasm.min.js"></script>' : ''}
<script type="module">
import { load } from 'attention-wasm';
import { onnxRuntime, ours, plain, tensorFlow } from './bench/contestants.js';
import { limits } from './bench/limit.js';
import { measure } from './bench/measure.js';
window.run = async ({ threads, names, rounds, enough, peers }) => {
  const contestants = await ours({ load, threads });
  if (threads === 1) contestants.push(plain, ...limits());
  if (peers) {
    const ort = await import('./peers/onnxruntime-web/ort.wasm.min.mjs');
    const base = new URL('peers/', location.href).href;
    contestants.push(...onnxRuntime({ ort, threads, wasmPaths: base + 'onnxruntime-web/' }));
    const { tf } = window;
    contestants.push(
      await tensorFlow({ tf, wasm: tf.wasm, threads, wasmPaths: base + 'tfjs-backend-wasm/' }),
    );
  }
  await measure(contestants, { names, rounds, enough, report: window.report });
};
</script>`;

const watching = `
<script type="module">
import { load } from 'attention-wasm';
import { watched } from './bench/watched.js';
window.watched = async (name) => {
  window.watch = await watched(name, load);
  return window.watch.whats;
};
</script>`;

/** Lays the package and these files into a folder, and whatever else `add` writes there. */
export function layOut(content, add = () => {}) {
  const folder = join(root, 'build/bench');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'dist'), join(folder, 'package'), { recursive: true });
  cpSync(here, join(folder, 'bench'), { recursive: true });
  add(folder);
  writeFileSync(join(folder, 'index.html'), page(content));
  return folder;
}

/** Calls use(tab, browser) while a tab shows the folder's page, and closes all of it; see serve.mjs for the settings. */
export async function withTab(folder, use, settings = {}) {
  const server = await serve({ folder, ...settings });
  const browser = await launch();
  try {
    const tab = await browser.newPage();
    tab.on('pageerror', (error) => console.error(error.message));
    tab.setDefaultTimeout(0);
    await tab.goto(server.url);
    return await use(tab, browser);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** { results, versions, clock } of one number of threads. */
export async function inBrowser(job, report) {
  const versions = {};
  const folder = layOut(measuring(job.peers !== null), (folder) => {
    if (!job.peers) return;
    for (const [name, dist] of Object.entries(bundles)) {
      const from = join(job.peers, 'node_modules', dist);
      const to = join(folder, 'peers', name.replace('@tensorflow/', ''));
      const wanted = (path) => !/\.(map|d\.ts)$|[\\/]kernels[\\/]/.test(path);
      if (existsSync(from)) cpSync(from, to, { recursive: true, filter: wanted });
      const about = join(job.peers, 'node_modules', name, 'package.json');
      versions[name] = JSON.parse(readFileSync(about, 'utf8')).version;
    }
  });
  return withTab(folder, async (tab, browser) => {
    const results = [];
    await tab.exposeFunction('report', (result) => {
      results.push(result);
      report(result);
    });
    await tab.waitForFunction(() => 'run' in window);
    await tab.evaluate((job) => window.run(job), job);
    return { results, versions: { Chromium: browser.version(), ...versions }, clock: 'wall' };
  });
}

/** Calls use(engine) with what profile.mjs needs of an engine. */
export async function watchInBrowser(use) {
  await withTab(layOut(watching), async (tab, browser) => {
    const session = await tab.context().newCDPSession(tab);
    await tab.waitForFunction(() => 'watched' in window);
    await use({
      name: `Chromium ${browser.version()}`,
      post: (method, parameters) => session.send(method, parameters),
      prepare: (name) => tab.evaluate((name) => window.watched(name), name),
      repeat: (what, milliseconds) =>
        tab.evaluate(([what, ms]) => window.watch.repeat(what, ms), [what, milliseconds]),
      dispose: () => tab.evaluate(() => window.watch.dispose()),
    });
  });
}
