// The compiled module as JavaScript sees it; src/wasm/bindings.cpp and session.h are its other side.

import type { AnyFunction } from './message.js';
import type { TileStep } from './results.js';

/** What src/wasm/bindings.cpp exports, and what the module's loader adds. */
export interface Module {
  wasmMemory: WebAssembly.Memory;
  stackSave(): number;
  stackRestore(pointer: number): void;
  UTF8ToString(address: number): string;
  PThread?: { terminateAllThreads(): void };
  /** Functions among a call's arguments, called from C++. */
  functions: readonly AnyFunction[];
  /** Called from C++ while a call runs, if it asked for it; false stops the call. */
  progress: (share: number) => boolean;
  /** Called from C++ to copy in the next heads of keys, and what reads them; how many are in. */
  moreHeads: () => number;
  /** Called from C++ when so many rows of the output, from the first, can be copied out. */
  rowsDone: (rows: number) => void;
  /** Thrown from C++ where an allocation fails. */
  outOfMemory: Error;

  _prepare_call(explaining: boolean, words: number): Status;
  _attend_call(withProgress: boolean, firstRow: number, endRow: number): void;
  open(threads: number): void;
  recover(): void;
  close(): void;
  message(words: number): number;
  check(): Status;
  trace(tileKeys: number): TileStep[];
  explain(): RawExplanation;
  release(): void;
  reply(): number;
  error(): { code: string; argument: string; message: string };
  prepareMask(batch: number, heads: number, queries: number, keys: number, words: number): Status;
  compileMask(): Status;
  compiledMask(): { id: number; allowedCells: number; emptyRows: number };
  maskRow(id: number, b: number, h: number, i: number): number;
  maskCause(id: number, b: number, h: number, i: number, j: number): string[];
  freeMask(id: number): void;
  createCache(
    batch: number,
    kvHeads: number,
    headDim: number,
    valueDim: number,
    capacity: number,
    dtype: number,
  ): number;
  prepareAppend(words: number): Status;
  append(id: number): Status;
  prepareCached(id: number, words: number): Status;
  truncate(id: number, length: number): Status;
  cacheLength(id: number): number;
  freeCache(id: number): void;
  describe(): string;
  build(): { version: string; simd: 'relaxed' | 'baseline' };
  memory(): { maximum: number; available: number };
  countThreads(milliseconds: number): number;
}

export interface RawStep {
  name: string;
  dtype: number;
  shape: number[];
  address: number;
}

export interface RawTrace {
  steps: RawStep[];
  lse: RawStep;
  diagnostics: unknown;
}

export interface RawExplanation extends RawTrace {
  unwidened?: RawTrace;
}

export const enum Status {
  failed,
  ready,
  wantsOptions,
}

/** The order of `struct Reply`. */
export const enum Reply {
  output,
  lse,
  weights,
  needed,
  headsAtOnce,
  weightHeads,
  weightQueries,
  emptyRows,
  allowedCells,
  totalCells,
  tilesSkipped,
  tilesTotal,
  threads,
  path,
  memory,
  held,
  stopped,
  length,
}
