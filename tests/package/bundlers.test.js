// The package in what bundlers make of it, in Chromium with and without shared memory.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkPage, html, resultOf } from './browser.js';
import { checkBoth, project } from './packed.js';
import { bundler, withEsbuild } from './users.js';

/** Every version of Vite, and the settings that it needs. */
const vites = {
  vite: {},
  'vite-7': {
    optimizeDeps: { exclude: ['attention-wasm'] },
    worker: { format: 'es' },
  },
};

for (const [name, settings] of Object.entries(vites)) {
  test(`${name}, its build`, async () => {
    const place = project(`${name}-build`, { 'index.html': html() });
    const { build } = await bundler(name);
    await build({ root: place, logLevel: 'silent', ...settings });
    await checkPage({ folder: join(place, 'dist') });
  });

  test(`${name}, its server for development`, async () => {
    const place = project(`${name}-server`, { 'index.html': html() });
    const headers = {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    };
    const { createServer } = await bundler(name);
    const server = await createServer({
      root: place,
      logLevel: 'silent',
      server: { port: 0, headers },
      ...settings,
    });
    try {
      await server.listen();
      checkBoth(await resultOf(server.resolvedUrls.local[0]), { threads: 2 });
    } finally {
      await server.close();
    }
  });
}

test('webpack', async () => {
  const place = project('webpack', { 'index.html': html('<script defer src="main.js"></script>') });
  const { default: webpack } = await bundler('webpack');
  const compiler = webpack({
    context: place,
    entry: './page.js',
    mode: 'production',
    output: { path: join(place, 'dist') },
  });
  await new Promise((resolve, reject) =>
    compiler.run((error, stats) =>
      error || stats.hasErrors() ? reject(error ?? new Error(stats.toString())) : resolve(),
    ),
  );
  cpSync(join(place, 'index.html'), join(place, 'dist/index.html'));
  await checkPage({ folder: join(place, 'dist') });
});

test('Rollup', async () => {
  const place = project('rollup', { 'dist/index.html': html() });
  const { rollup } = await bundler('rollup');
  const bundle = await rollup({ input: join(place, 'page.js'), external: ['attention-wasm'] });
  await bundle.write({
    dir: join(place, 'dist'),
    paths: { 'attention-wasm': './attention-wasm/index.js' },
  });
  const library = join(place, 'node_modules/attention-wasm/dist');
  cpSync(library, join(place, 'dist/attention-wasm'), { recursive: true });
  await checkPage({ folder: join(place, 'dist') });
});

test('esbuild', async () => {
  const place = project('esbuild', { 'dist/index.html': html() });
  await withEsbuild(place, ['page.js']);
  await checkPage({ folder: join(place, 'dist') });
});
