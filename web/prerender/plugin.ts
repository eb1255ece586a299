// The Vite plugin that turns web/content into the pages; the HTML files in web/ only mark their places.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, runnerImport } from 'vite';
import type { Language } from '../state/words.js';
import { proseForElements } from './data.js';
import type * as FirstFrames from './first-frames.js';
import { renderGuide } from './guide.js';
import { renderPage, renderRoot } from './page.js';
import { renderReference } from './reference.js';
import { readWords } from './shell.js';

const content = fileURLToPath(new URL('../content/', import.meta.url));
const examples = fileURLToPath(new URL('../examples/', import.meta.url));
const framesModule = fileURLToPath(new URL('./first-frames.ts', import.meta.url));

/** A first frame is markup only: the sheets that figures import are empty here. */
const withoutSheets: Plugin = {
  name: 'without-sheets',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('.css?inline') ? '\0sheet' : undefined),
  load: (id) => (id === '\0sheet' ? "export default ''" : undefined),
};

/** `library` is the built package, as a file. */
export function prerender(library: string): Plugin {
  return {
    name: 'prerender',
    configureServer(server) {
      server.watcher.on('change', (file) => {
        if (file.startsWith(content)) server.ws.send({ type: 'full-reload' });
      });
    },
    transformIndexHtml: {
      order: 'pre',
      async handler(_, { path }) {
        const [, folder, docs] = /^\/(en|zh)\/(docs\/(?:reference\/)?)?/.exec(path) ?? [];
        if (!folder) return renderRoot();
        const language = folder as Language;
        if (docs === 'docs/') return renderGuide(language, library);
        const built = (await import(
          pathToFileURL(library).href
        )) as typeof import('attention-wasm');
        if (docs) return renderReference(language, built, library);
        // Through Vite's runner, as Node cannot import TypeScript and style sheets.
        const { module } = await runnerImport<typeof FirstFrames>(framesModule, {
          configFile: false,
          logLevel: 'error',
          plugins: [withoutSheets],
        });
        return renderPage(
          language,
          await module.firstFrames(built, language, await readWords(language)),
        );
      },
    },
  };
}

/** `virtual:prose/en` and `virtual:prose/zh`: the prose that figures bring to other pages. */
export const proseModules: Plugin = {
  name: 'prose-modules',
  resolveId: (id) => (id.startsWith('virtual:prose/') ? `\0${id}` : undefined),
  async load(id) {
    const [, language] = /^\0virtual:prose\/(en|zh)$/.exec(id) ?? [];
    if (!language) return undefined;
    return `export default ${JSON.stringify(await proseForElements(language as Language))}`;
  },
};

/** What the worked examples come to is for the tests: the page has it from the library. */
export const examplesWithoutAnswers: Plugin = {
  name: 'examples-without-answers',
  enforce: 'pre',
  transform(text, id) {
    if (!id.startsWith(examples) || !id.endsWith('.json')) return undefined;
    const example = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify({ ...example, expected: undefined, tolerance: undefined });
  },
};
