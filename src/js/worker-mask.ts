import type { ResultTensor } from './tensor.js';

export interface MaskCounts {
  allowedCells: number;
  emptyRows: number;
}

/** A compiled mask that lives in a worker. */
export class WorkerMask {
  /** Allowed cells over all of [B, H, T, S]. */
  readonly allowedCells: number;
  /** Rows of [B, H, T] without an allowed key. */
  readonly emptyRows: number;
  readonly #ask: (method: string, args: unknown[]) => Promise<unknown>;

  /** @internal */
  constructor(counts: MaskCounts, ask: (method: string, args: unknown[]) => Promise<unknown>) {
    this.allowedCells = counts.allowedCells;
    this.emptyRows = counts.emptyRows;
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
