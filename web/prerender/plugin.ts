// The Vite plugin that turns web/content into the pages; the HTML files in web/ only mark their places.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, runnerImport } from 'vite';
import type * as FirstFrames from './first-frames.js';
import { readWords, renderPage, renderRoot } from './page.js';

const content = fileURLToPath(new URL('../content/', import.meta.url));
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
        const language = /^\/(en|zh)\//.exec(path)?.[1] as 'en' | 'zh' | undefined;
        if (!language) return renderRoot();
        // Through Vite's runner, as Node cannot import TypeScript and style sheets.
        const { module } = await runnerImport<typeof FirstFrames>(framesModule, {
          configFile: false,
          logLevel: 'error',
          plugins: [withoutSheets],
        });
        const built = (await import(
          pathToFileURL(library).href
        )) as typeof import('attention-wasm');
        return renderPage(
          language,
          await module.firstFrames(built, language, await readWords(language)),
        );
      },
    },
  };
}
