import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Plugin, type UserConfig, defineConfig } from 'vite';
import { serviceWorker } from './web/offline/plugin.js';
import { examplesWithoutAnswers, prerender, proseModules } from './web/prerender/plugin.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const library = here('dist/index.js');
const site = here('build/site');

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

/** What the browser is sent of templates is not indented; the programs in web/export are, as they are saved. */
const undented: Plugin = {
  name: 'undented',
  enforce: 'pre',
  transform: (code, id) =>
    /\/web\/(draw|figures|state)\/[\w-]+\.ts$/.test(id) ? code.replace(/\n[ \t]+/g, '\n') : null,
};

/** light-dark(), color-mix() and container queries as they are written. */
const browsers = ['chrome123', 'firefox120', 'safari17.5'];

/** The page, in build/site. */
const page: UserConfig = {
  root: 'web',
  base: './',
  // The page imports the package by its names, as a user would; here they are this checkout's.
  resolve: {
    alias: [
      { find: /^attention-wasm$/, replacement: library },
      { find: /^attention-wasm\/files$/, replacement: here('dist/files.js') },
    ],
  },
  css: { postcss: { plugins: [woff2Only] } },
  plugins: [undented, prerender(library), examplesWithoutAnswers, serviceWorker(site)],
  worker: { format: 'es' },
  build: {
    outDir: site,
    emptyOutDir: true,
    target: browsers,
    cssTarget: browsers,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: [
        '',
        ...['en/', 'zh/'].flatMap((language) => [
          language,
          `${language}docs/`,
          `${language}docs/reference/`,
        ]),
      ].map((folder) => here(`web/${folder}index.html`)),
    },
  },
};

/** The library as it lies beside the figures. */
const libraryBeside: Plugin = {
  name: 'library-beside',
  enforce: 'pre',
  resolveId: (id) => {
    const [whole, file = 'index'] = /^attention-wasm(?:\/(files))?$/.exec(id) ?? [];
    return whole === undefined ? undefined : { id: `../${file}.js`, external: true };
  },
};

/** The figures alone, in dist/figures, beside the library and its WebAssembly. */
const elements: UserConfig = {
  root: 'web',
  base: './',
  publicDir: false,
  worker: {
    format: 'es',
    plugins: () => [libraryBeside],
    rolldownOptions: {
      output: { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
  plugins: [
    undented,
    libraryBeside,
    examplesWithoutAnswers,
    proseModules,
    {
      name: 'types-and-licenses',
      generateBundle() {
        const add = (fileName: string, path: string) =>
          this.emitFile({ type: 'asset', fileName, source: readFileSync(here(path), 'utf8') });
        add('index.d.ts', 'web/elements/types.d.ts');
        // The library that is inside; its license asks to go with it.
        add('LICENSE.lit.txt', 'node_modules/lit/LICENSE');
      },
    },
  ],
  build: {
    outDir: here('dist/figures'),
    emptyOutDir: true,
    target: browsers,
    cssTarget: browsers,
    lib: { entry: here('web/elements/index.ts'), formats: ['es'], fileName: 'index' },
    rolldownOptions: { output: { minify: true } },
  },
};

export default defineConfig(({ mode }) => (mode === 'figures' ? elements : page));
