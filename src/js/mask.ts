import { AttentionError } from './errors.js';
import type { AttentionOptions, MaskRule } from './generated/options.js';
import type { Session } from './session.js';
import type { ResultTensor } from './tensor.js';

/** The call that a mask is for. */
export interface MaskShape {
  /** B, default 1. */
  batch?: number;
  /** H, default 1. */
  heads?: number;
  /** T. */
  queries: number;
  /** S. */
  keys: number;
  /** As the option `start`. */
  start?: AttentionOptions['start'];
}

/** Frees the masks of callers who did not dispose of them. */
const abandoned = new FinalizationRegistry<Held>(({ session, id }) => {
  if (!session.disposed) session.module.freeMask(id);
});

interface Held {
  session: Session;
  id: number;
  /** The instance, which must not go before its masks do. */
  owner: object;
}

/** A compiled mask: what the kernels will really use. */
export class CompiledMask {
  /** Allowed cells over all of [B, H, T, S]. */
  readonly allowedCells: number;
  /** Rows of [B, H, T] without an allowed key. */
  readonly emptyRows: number;
  readonly #session: Session;
  readonly #id: number;
  readonly #shape: [batch: number, heads: number, queries: number, keys: number];
  #disposed = false;

  /** @internal */
  constructor(
    owner: object,
    session: Session,
    rules: MaskRule | readonly MaskRule[],
    shape: MaskShape,
  ) {
    const { batch = 1, heads = 1, queries, keys, start } = shape;
    this.#session = session;
    this.#shape = [batch, heads, queries, keys];
    const compiled = session.compileMask({ mask: rules, start }, this.#shape);
    this.#id = compiled.id;
    this.allowedCells = compiled.allowedCells;
    this.emptyRows = compiled.emptyRows;
    abandoned.register(this, { session, id: compiled.id, owner }, this);
  }

  /** The keys that a query may read, as sorted half-open ranges [begin, end). */
  rowRanges(b: number, h: number, i: number): [begin: number, end: number][] {
    this.#check([b, h, i]);
    return this.#session.maskRow(this.#id, b, h, i);
  }

  /** The kinds of the rules that forbid a cell; none when it is allowed. */
  cause(b: number, h: number, i: number, j: number): string[] {
    this.#check([b, h, i, j]);
    return this.#session.module.maskCause(this.#id, b, h, i, j);
  }

  /** Every cell, as a bool tensor [B, H, T, S]: 1 where the key is allowed. */
  toDense(): ResultTensor<Uint8Array> {
    this.#check([]);
    const [batch, heads, queries, keys] = this.#shape;
    const data = new Uint8Array(batch * heads * queries * keys);
    let row = 0;
    for (let b = 0; b < batch; b++) {
      for (let h = 0; h < heads; h++) {
        for (let i = 0; i < queries; i++, row += keys) {
          for (const [begin, end] of this.#session.maskRow(this.#id, b, h, i)) {
            data.fill(1, row + begin, row + end);
          }
        }
      }
    }
    return { shape: [batch, heads, queries, keys], data, dtype: 'bool' };
  }

  /** Gives its memory back; it does so by itself when it is garbage. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    abandoned.unregister(this);
    if (!this.#session.disposed) this.#session.module.freeMask(this.#id);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #check(index: readonly number[]): void {
    if (this.#disposed || this.#session.disposed) {
      throw new AttentionError('disposed', 'mask', 'this mask was disposed');
    }
    index.forEach((at, axis) => {
      const length = this.#shape[axis]!;
      if (Number.isInteger(at) && at >= 0 && at < length) return;
      const name = ['b', 'h', 'i', 'j'][axis]!;
      throw new AttentionError(
        'shape',
        name,
        `${name} is ${at}; give a whole number from 0 to ${length - 1}`,
      );
    });
  }
}

/**
 * A window of `size` keys that ends with the query's own: the convention in which the size counts
 * that key too. The rule `'window'` counts the keys besides it.
 */
export function windowOfSize(size: number): { kind: 'window'; left: number; right: number } {
  if (!(Number.isInteger(size) && size >= 1)) {
    throw new AttentionError('option', 'size', `size is ${size}; give a whole number from 1`);
  }
  return { kind: 'window', left: size - 1, right: 0 };
}
