// The Vite plugin that writes the service worker: worker.js with the list of the built files.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const source = fileURLToPath(new URL('./worker.js', import.meta.url));

/** The WebAssembly is not fetched ahead: a browser needs one of the four builds. */
const isFetchedAhead = (file: string) => !/\.wasm$|^_headers$|^sw\.js$/.test(file);

export function serviceWorker(folder: string): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    closeBundle() {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => statSync(join(folder, file)).isFile())
        .map((file) => relative('.', file).split(sep).join('/'))
        .filter(isFetchedAhead)
        .sort();
      const text = readFileSync(source, 'utf8');
      const hash = createHash('sha256').update(text);
      for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
      const version = hash.digest('hex').slice(0, 12);
      const addresses = files.map((file) => `./${file.replace(/(^|\/)index\.html$/, '$1')}`);
      const head = `const version = '${version}';\nconst files = ${JSON.stringify(addresses)};\n`;
      writeFileSync(join(folder, 'sw.js'), head + text);
    },
  };
}
