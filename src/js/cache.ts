import { checkFields, checkWhole, quoted } from './arguments.js';
import type { CallOptions } from './attention.js';
import { AttentionError } from './errors.js';
import { dtypes, type AttentionOptions, type DType } from './generated/options.js';
import { attend, type AttentionResult } from './results.js';
import type { Session } from './session.js';
import type { Tensor } from './tensor.js';

/** Sizes of a {@link KeyValueCache}. */
export interface CacheShape {
  /** B, default 1. */
  batch?: number;
  /** H_kv, default 1. */
  kvHeads?: number;
  /** d_k. */
  headDim: number;
  /** d_v, default d_k. */
  valueDim?: number;
  /** How many keys it can hold. */
  capacity: number;
  /** Of keys, values and queries, default `'float32'`. */
  dtype?: DType;
}

const known = ['batch', 'kvHeads', 'headDim', 'valueDim', 'capacity', 'dtype'];

/** Frees the caches of callers who did not dispose of them. */
const abandoned = new FinalizationRegistry<{ session: Session; id: number; owner: object }>(
  ({ session, id }) => {
    if (!session.disposed) session.module.freeCache(id);
  },
);

/**
 * Keys and values that stay in WebAssembly memory, so that a step of text generation copies only
 * what is new. Step by step it gives what one causal call on all of them gives.
 */
export class KeyValueCache {
  /** How many keys it can hold. */
  readonly capacity: number;
  readonly #session: Session;
  readonly #id: number;
  readonly #width: number;
  #disposed = false;

  /** @internal */
  constructor(owner: object, session: Session, shape: CacheShape) {
    checkFields(shape, 'shape', known, 'a cache');
    const { batch = 1, kvHeads = 1, headDim, valueDim = headDim, capacity } = shape;
    const { dtype = 'float32' } = shape;
    if (!dtypes.includes(dtype)) {
      throw new AttentionError(
        'dtype',
        'dtype',
        `dtype is ${quoted(dtype)}; give float32, float64, float16 or bfloat16`,
      );
    }
    for (const [name, size] of Object.entries({ batch, kvHeads, headDim, valueDim, capacity })) {
      checkWhole(size, name);
    }
    this.#session = session;
    this.#width = valueDim;
    this.#id = session.createCache([batch, kvHeads, headDim, valueDim, capacity], dtype);
    this.capacity = capacity;
    abandoned.register(this, { session, id: this.#id, owner }, this);
  }

  /** Keys that it holds. */
  get length(): number {
    this.#check();
    return this.#session.module.cacheLength(this.#id);
  }

  /**
   * Adds keys and values after those that are there.
   *
   * @param key [B, H_kv, n, d_k], or without the leading axes where they are 1
   * @param value [B, H_kv, n, d_v]
   * @throws AttentionError with the code `'capacity'` when they do not fit; then nothing is added
   */
  append(key: Tensor, value: Tensor): void {
    this.#check();
    this.#session.append(this.#id, key, value);
  }

  /**
   * Attention of queries to all that the cache holds, as scaledDotProductAttention().
   *
   * @param query [B, H, T, d_k]
   * @param options `start` is `'bottom-right'` if it is not said: the last query stands at the last
   *   key. For several queries at once say `mask: 'causal'`
   * @param call a function to be told how far a long call is, which can also stop it; where the
   *   output goes
   */
  attend(query: Tensor, options?: AttentionOptions, call?: CallOptions): AttentionResult {
    this.#check();
    return this.#session.call(
      false,
      [query],
      options,
      (dtype, [query]) => attend(this.#session, dtype, query, this.length, this.#width, call),
      { cache: this.#id },
    );
  }

  /** Forgets all keys but the first `length`. */
  truncate(length: number): void {
    this.#check();
    checkWhole(length, 'length');
    this.#session.truncate(this.#id, length);
  }

  /** Gives its memory back; it does so by itself when it is garbage. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    abandoned.unregister(this);
    if (!this.#session.disposed) this.#session.module.freeCache(this.#id);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #check(): void {
    if (!this.#disposed && !this.#session.disposed) return;
    throw new AttentionError('disposed', 'cache', 'this cache was disposed');
  }
}
