import type { AttentionOptions } from './generated/options.js';
import type { AttentionResult } from './results.js';
import type { ResultTensor, Tensor } from './tensor.js';
import type { CallSettings } from './worker-client.js';

/** Calls a method of an object in the worker. */
export type Ask = (method: string, args: unknown[], settings?: CallSettings) => Promise<unknown>;

/** A compiled mask that lives in a worker. */
export class WorkerMask {
  /** Allowed cells over all of [B, H, T, S]. */
  readonly allowedCells: number;
  /** Rows of [B, H, T] without an allowed key. */
  readonly emptyRows: number;
  readonly #ask: Ask;

  /** @internal */
  constructor({ allowedCells, emptyRows }: WorkerMask, ask: Ask) {
    this.allowedCells = allowedCells;
    this.emptyRows = emptyRows;
    this.#ask = ask;
  }

  /** The keys that a query may read, as sorted half-open ranges [begin, end). */
  rowRanges(b: number, h: number, i: number): Promise<[begin: number, end: number][]> {
    return this.#ask('rowRanges', [b, h, i]) as Promise<[number, number][]>;
  }

  /** The kinds of the rules that forbid a cell; none when it is allowed. */
  cause(b: number, h: number, i: number, j: number): Promise<string[]> {
    return this.#ask('cause', [b, h, i, j]) as Promise<string[]>;
  }

  /** Every cell, as a bool tensor [B, H, T, S]: 1 where the key is allowed. */
  toDense(): Promise<ResultTensor<Uint8Array>> {
    return this.#ask('toDense', []) as Promise<ResultTensor<Uint8Array>>;
  }

  /** Gives its memory back; ending the worker does so too. */
  dispose(): void {
    void this.#ask('dispose', []);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A cache of keys and values that lives in a worker. */
export class WorkerCache {
  /** How many keys it can hold. */
  readonly capacity: number;
  readonly #ask: Ask;

  /** @internal */
  constructor({ capacity }: WorkerCache, ask: Ask) {
    this.capacity = capacity;
    this.#ask = ask;
  }

  /** Keys that it holds. */
  length(): Promise<number> {
    return this.#ask('length', []) as Promise<number>;
  }

  /** Adds keys [B, H_kv, n, d_k] and values [B, H_kv, n, d_v] behind those that are there. */
  append(key: Tensor, value: Tensor, settings?: CallSettings): Promise<void> {
    return this.#ask('append', [key, value], settings) as Promise<void>;
  }

  /** Attention of queries to all that the cache holds. */
  attend(
    query: Tensor,
    options?: AttentionOptions,
    settings?: CallSettings,
  ): Promise<AttentionResult> {
    return this.#ask('attend', [query, options], settings) as Promise<AttentionResult>;
  }

  /** Forgets all keys but the first `length`. */
  truncate(length: number): Promise<void> {
    return this.#ask('truncate', [length]) as Promise<void>;
  }

  /** Gives its memory back; ending the worker does so too. */
  dispose(): void {
    void this.#ask('dispose', []);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
