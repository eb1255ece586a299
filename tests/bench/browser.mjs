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

const page = (withPeers) => `<!doctype html><meta charset="utf-8"><title>bench</title>
<script type="importmap">{ "imports": { "attention-wasm": "./package/index.js" } }</script>
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

/** { results, versions, clock } of one number of threads. */
export async function inBrowser(job, report) {
  const folder = join(root, 'build/bench');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'dist'), join(folder, 'package'), { recursive: true });
  cpSync(here, join(folder, 'bench'), { recursive: true });
  const versions = {};
  if (job.peers) {
    for (const [name, dist] of Object.entries(bundles)) {
      const from = join(job.peers, 'node_modules', dist);
      const to = join(folder, 'peers', name.replace('@tensorflow/', ''));
      const wanted = (path) => !/\.(map|d\.ts)$|[\\/]kernels[\\/]/.test(path);
      if (existsSync(from)) cpSync(from, to, { recursive: true, filter: wanted });
      const about = join(job.peers, 'node_modules', name, 'package.json');
      versions[name] = JSON.parse(readFileSync(about, 'utf8')).version;
    }
  }
  writeFileSync(join(folder, 'index.html'), page(job.peers !== null));

  const server = await serve({ folder });
  const browser = await launch();
  try {
    const tab = await browser.newPage();
    const results = [];
    await tab.exposeFunction('report', (result) => {
      results.push(result);
      report(result);
    });
    tab.on('pageerror', (error) => console.error(error.message));
    await tab.goto(server.url);
    await tab.waitForFunction(() => 'run' in window);
    tab.setDefaultTimeout(0);
    await tab.evaluate((job) => window.run(job), job);
    return { results, versions: { Chromium: browser.version(), ...versions }, clock: 'wall' };
  } finally {
    await browser.close();
    await server.close();
  }
}
