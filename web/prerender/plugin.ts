// The Vite plugin that turns web/content into the pages; the HTML files in web/ only mark their places.
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { type FirstFrames, firstFrames } from './first-frames.js';
import { renderPage, renderRoot } from './page.js';

export function prerender(library: string): Plugin {
  let frames: Promise<FirstFrames> | undefined;
  return {
    name: 'prerender',
    configureServer(server) {
      const content = resolve(server.config.root, 'content');
      server.watcher.on('change', (file) => {
        if (file.startsWith(content)) server.ws.send({ type: 'full-reload' });
      });
    },
    transformIndexHtml: {
      order: 'pre',
      async handler(_, { path }) {
        const language = /^\/(en|zh)\//.exec(path)?.[1] as 'en' | 'zh' | undefined;
        if (!language) return renderRoot();
        frames ??= import(pathToFileURL(library).href).then(firstFrames);
        return renderPage(language, await frames);
      },
    },
  };
}
