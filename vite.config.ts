import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { prerender } from './web/prerender/plugin.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const library = here('dist/index.js');

export default defineConfig({
  root: 'web',
  base: './',
  // The page imports the package by its name, as a user would; here that name is this checkout.
  resolve: { alias: { 'attention-wasm': library } },
  plugins: [prerender(library)],
  build: {
    outDir: here('build/site'),
    emptyOutDir: true,
    // light-dark(), color-mix() and container queries as they are written.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    target: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: [here('web/index.html'), here('web/en/index.html'), here('web/zh/index.html')],
    },
  },
});
