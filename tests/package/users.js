// What users build and run with, at the versions that these tests are made for.

import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installed } from '../installed.js';

const platform = process.platform === 'win32' ? 'win' : process.platform;
const newerNode = `node-${platform}-${process.arch}`;

const folder = installed('users', {
  vite: '8.4.0',
  'vite-7': 'npm:vite@7.3.8',
  webpack: '5.113.0',
  esbuild: '0.28.2',
  rollup: '4.68.8',
  [newerNode]: '24.22.3',
});

const require = createRequire(join(folder, 'package.json'));

/** The program of a newer Node. */
export const node24 = join(
  folder,
  'node_modules',
  newerNode,
  process.platform === 'win32' ? 'bin/node.exe' : 'bin/node',
);

/** A bundler, as its own module. */
export const bundler = (name) => import(require.resolve(name));

/** Bundles the entries of a project into its folder dist. */
export async function withEsbuild(place, entryPoints) {
  const { default: esbuild } = await bundler('esbuild');
  await esbuild.build({
    absWorkingDir: place,
    entryPoints,
    bundle: true,
    format: 'esm',
    outdir: 'dist',
    alias: { 'attention-wasm': './attention-wasm/index.js' },
    external: ['./attention-wasm/*'],
  });
  const library = join(place, 'node_modules/attention-wasm/dist');
  cpSync(library, join(place, 'dist/attention-wasm'), { recursive: true });
}
