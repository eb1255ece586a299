import { fileURLToPath } from 'node:url';
import { type Plugin, defineConfig } from 'vite';
import { prerender } from './web/prerender/plugin.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const library = here('dist/index.js');

/** Emscripten keeps its worker's options in a variable; Vite wants to read them where they are used. */
const literalWorkerOptions: Plugin = {
  name: 'literal-worker-options',
  enforce: 'pre',
  transform: (code, id) =>
    /attention-\w+-threads\.js$/.test(id)
      ? code.replace(
          /(new Worker\(new URL\([^)]*\),\s*)workerOptions\)/g,
          "$1{ type: 'module', name: 'em-pthread' })",
        )
      : undefined,
};

/** KaTeX offers each font in three formats; every browser that runs this page reads the smallest. */
const woff2Only = {
  postcssPlugin: 'woff2-only',
  Declaration: {
    src(declaration: { value: string }) {
      const sources = declaration.value.split(/,(?=\s*url)/);
      const kept = sources.filter((source) => source.includes('woff2'));
      if (kept.length > 0 && kept.length < sources.length) declaration.value = kept.join();
    },
  },
};

/** What the library imports in Node and never in a browser. */
const nodeOnly = ['module', 'worker_threads'];

export default defineConfig({
  root: 'web',
  base: './',
  // The page imports the package by its name, as a user would; here that name is this checkout.
  resolve: { alias: { 'attention-wasm': library } },
  css: { postcss: { plugins: [woff2Only] } },
  plugins: [prerender(library), literalWorkerOptions],
  worker: {
    format: 'es',
    plugins: () => [literalWorkerOptions],
    rolldownOptions: { external: nodeOnly },
  },
  build: {
    outDir: here('build/site'),
    emptyOutDir: true,
    // light-dark(), color-mix() and container queries as they are written.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    target: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    rolldownOptions: {
      external: nodeOnly,
      input: [here('web/index.html'), here('web/en/index.html'), here('web/zh/index.html')],
    },
  },
});
