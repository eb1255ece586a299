// The files of the builds. Bundlers look for `new URL('…', import.meta.url)` and `import('…')` with
// the names written out, so they are.

import type { Module } from './module.js';
import single from './wasm/attention-baseline.js';

export type Simd = 'relaxed' | 'baseline';

/** Makes a module; what it is given goes into the module. */
export type Factory = (settings: {
  threads: number;
  instantiateWasm(
    imports: WebAssembly.Imports,
    receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}) => Promise<Module>;

const files = {
  baseline: () => new URL('./wasm/attention-baseline.wasm', import.meta.url),
  relaxed: () => new URL('./wasm/attention-relaxed.wasm', import.meta.url),
  'baseline-threads': () => new URL('./wasm/attention-baseline-threads.wasm', import.meta.url),
  'relaxed-threads': () => new URL('./wasm/attention-relaxed-threads.wasm', import.meta.url),
};

/** Where a build lies; in another folder if one is given. */
export function wasmURL(simd: Simd, threads: boolean, folder?: URL): URL {
  const build = threads ? (`${simd}-threads` as const) : simd;
  return folder ? new URL(`attention-${build}.wasm`, folder) : files[build]();
}

/**
 * The script around a build. It is the same for both kinds of SIMD. The one without threads is no
 * import(), which service workers do not allow.
 */
export async function factoryOf(threads: boolean): Promise<Factory> {
  return threads ? (await import('./wasm/attention-baseline-threads.js')).default : single;
}
