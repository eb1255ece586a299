import * as detect from 'wasm-feature-detect';
import { checkFields, quoted, text } from './arguments.js';
import { Attention } from './attention.js';
import { factoryOf, wasmURL, type Simd } from './builds.js';
import { AttentionError } from './errors.js';
import type { Module } from './module.js';
import { node } from './node.js';
import { Session } from './session.js';

/** Settings of load(). */
export interface LoadOptions {
  /**
   * How many threads, the caller's own included. Default `'auto'`: one for each core where memory
   * can be shared, otherwise 1.
   */
  threads?: 'auto' | number;
  /** Which instructions. Default `'auto'`: relaxed SIMD (fused multiply-add) where the engine has it. */
  simd?: 'auto' | Simd;
  /**
   * Where the WebAssembly comes from: a file, or with a slash at the end a folder that holds the
   * package's four `.wasm` files. Default: beside this script.
   */
  wasmURL?: string | URL;
  /** The WebAssembly itself. */
  wasmBinary?: ArrayBuffer | ArrayBufferView<ArrayBuffer>;
}

export const optionNames = ['threads', 'simd', 'wasmURL', 'wasmBinary'];
const mostThreads = 64;
/** Workers that have not started by then are taken as never starting. */
const patience = 30_000;

/**
 * Loads the best build that this machine allows.
 *
 * @throws AttentionError when the engine has no WebAssembly SIMD, an option is wrong, or the file
 *   cannot be had
 */
export async function load(options: LoadOptions = {}): Promise<Attention> {
  check(options);
  const why: string[] = [];
  const wanted = {
    threads: await chooseThreads(options.threads ?? 'auto', why),
    simd: await chooseSimd(options.simd ?? 'auto', why),
  };
  try {
    return await start(options, wanted, why);
  } catch (error) {
    // A page may allow shared memory and still not the workers, or not so much address space.
    if (wanted.threads === 1 || error instanceof AttentionError) throw error;
    why.push(`threads: the threaded build did not start (${message(error)})`);
    return await start(options, { ...wanted, threads: 1 }, why);
  }
}

interface Choice {
  threads: number;
  simd: Simd;
}

async function start(options: LoadOptions, choice: Choice, why: string[]): Promise<Attention> {
  const bytes = await readWasm(options, choice);
  const wasm = await compile(bytes, options);
  // A build that was handed in decides for itself: with threads it imports its memory.
  const threaded = WebAssembly.Module.imports(wasm).some(({ kind }) => kind === 'memory');
  if (!threaded && choice.threads > 1) {
    why.push('threads: the WebAssembly that was given is built without them');
  }
  const threads = threaded ? choice.threads : 1;
  const factory = await factoryOf(threaded);
  const module = await withPatience((resolve, reject) => {
    const ready = factory({
      threads,
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(wasm, imports)
          .then((instance) => receive(instance, wasm))
          .catch(reject);
        return {};
      },
    });
    ready.then(resolve, reject);
  });
  const { simd, version } = module.build();
  return new Attention(new Session(module, threads), {
    simd,
    threads,
    parallelism: threads > 1 ? 'threads' : 'none',
    crossOriginIsolated: canShareMemory(),
    why,
    version,
    wasmBytes: bytes.byteLength,
  });
}

/** Refuses options that are wrong. */
export function check(options: LoadOptions): void {
  checkFields(options, 'options', optionNames, 'load');
  const { threads = 'auto', simd = 'auto' } = options;
  if (
    threads !== 'auto' &&
    !(Number.isInteger(threads) && threads >= 1 && threads <= mostThreads)
  ) {
    throw new AttentionError(
      'option',
      'threads',
      `threads is ${text(threads)}; give 'auto' or a whole number from 1 to ${mostThreads}`,
    );
  }
  if (!['auto', 'relaxed', 'baseline'].includes(simd)) {
    throw new AttentionError(
      'option',
      'simd',
      `simd is ${quoted(simd)}; give 'auto', 'relaxed' or 'baseline'`,
    );
  }
}

/** Whether threads may share memory; in a page only where it is isolated. */
export function canShareMemory(): boolean {
  return node !== undefined || globalThis.crossOriginIsolated === true;
}

async function chooseThreads(wanted: 'auto' | number, why: string[]): Promise<number> {
  if (wanted === 1) {
    why.push('threads: one was asked for');
    return 1;
  }
  if (!canShareMemory()) {
    why.push('threads: the page is not cross-origin isolated; serve it with COOP and COEP headers');
    return 1;
  }
  if (!(await detect.threads())) {
    why.push('threads: this engine has no WebAssembly threads');
    return 1;
  }
  if (!node && typeof Worker === 'undefined') {
    why.push('threads: workers cannot be started from here');
    return 1;
  }
  if (wanted !== 'auto') return wanted;
  const cores = coresOf();
  if (cores === 1) why.push('threads: this machine has one core');
  return cores;
}

/** How many threads 'auto' is. */
export function coresOf(): number {
  const cores = node
    ? node.getBuiltinModule('node:os').availableParallelism()
    : navigator.hardwareConcurrency;
  return Math.min(cores, mostThreads);
}

async function chooseSimd(wanted: 'auto' | Simd, why: string[]): Promise<Simd> {
  if (!(await detect.simd())) {
    throw new AttentionError(
      'unsupported',
      'simd',
      'this engine has no WebAssembly SIMD, which every browser has had since 2023',
    );
  }
  if (wanted === 'baseline') {
    why.push('simd: baseline was asked for');
    return 'baseline';
  }
  if (await detect.relaxedSimd()) return 'relaxed';
  why.push('simd: this engine has no relaxed SIMD');
  return 'baseline';
}

/** The bytes of a build: given, read or fetched. */
async function readWasm({ wasmBinary, wasmURL: given }: LoadOptions, choice: Choice) {
  if (wasmBinary) return wasmBinary;
  const place = given === undefined ? undefined : new URL(given, baseURL());
  const isFolder = place?.pathname.endsWith('/');
  const url = place && !isFolder ? place : wasmURL(choice.simd, choice.threads > 1, place);
  try {
    if (node && url.protocol === 'file:') {
      return await node.getBuiltinModule('node:fs').promises.readFile(url);
    }
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trim());
    return await response.arrayBuffer();
  } catch (error) {
    throw new AttentionError(
      'load',
      'wasmURL',
      `the WebAssembly could not be read from ${url.href}: ${message(error)}`,
    );
  }
}

/** The same options as a worker can take them: it has another place that addresses start from. */
export function portable(options: LoadOptions): LoadOptions {
  const { wasmURL: given } = options;
  return given === undefined ? options : { ...options, wasmURL: new URL(given, baseURL()).href };
}

/** What a relative wasmURL is relative to: the page, or in Node the current folder. */
function baseURL(): string | URL {
  if (node) return node.getBuiltinModule('node:url').pathToFileURL(`${node.cwd()}/`);
  return globalThis.location.href;
}

async function compile(bytes: BufferSource, { wasmBinary }: LoadOptions) {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new AttentionError(
      'load',
      wasmBinary ? 'wasmBinary' : 'wasmURL',
      `the WebAssembly cannot be compiled here: ${message(error)}`,
    );
  }
}

/** A module whose workers never start would leave its promise open for ever. */
function withPatience(
  start: (resolve: (module: Module) => void, reject: (reason: unknown) => void) => void,
): Promise<Module> {
  return new Promise((resolve, reject) => {
    const impatient = (): void =>
      reject(new Error(`no answer from its workers within ${patience / 1000} s`));
    const timer = setTimeout(impatient, patience);
    const settled = (): void => clearTimeout(timer);
    start(
      (module) => (settled(), resolve(module)),
      (reason) => (settled(), reject(new Error(message(reason), { cause: reason }))),
    );
  });
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
