import { checkFields, checkWhole, text } from './arguments.js';
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
    checkFields(
      shape,
      'shape',
      ['batch', 'heads', 'queries', 'keys', 'start'],
      'the shape of a mask',
    );
    const { batch = 1, heads = 1, queries, keys, start } = shape;
    for (const [name, size] of Object.entries({ batch, heads, queries, keys })) {
      checkWhole(size, name);
    }
    this.#session = session;
    this.#shape = [batch, heads, queries, keys];
    const compiled = compile(session, { mask: rules, start }, this.#shape);
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
    const data = bytes(batch * heads * queries * keys);
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
        `${name} is ${text(at)}; give a whole number from 0 to ${length - 1}`,
      );
    });
  }
}

function compile(
  session: Session,
  options: unknown,
  shape: readonly [batch: number, heads: number, queries: number, keys: number],
) {
  try {
    return session.compileMask(options, shape);
  } catch (error) {
    // It is checked as the mask of a call, whose query and key nobody has passed.
    if (!(error instanceof AttentionError && ['query', 'key'].includes(error.argument)))
      throw error;
    const sizes = shape.join('×');
    const message = `the mask is ${sizes} (batch, heads, queries, keys), more than can be indexed; give less of each`;
    throw new AttentionError(error.code, 'mask', message);
  }
}

function bytes(length: number): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch {
    const remedy = 'ask rowRanges() for the rows you need';
    throw new AttentionError(
      'memory',
      'mask',
      `the mask has ${length} cells, more bytes than an array can have here; ${remedy}`,
    );
  }
}

/**
 * A window of `size` keys that ends with the query's own: the convention in which the size counts
 * that key too. The rule `'window'` counts the keys besides it.
 */
export function windowOfSize(size: number): { kind: 'window'; left: number; right: number } {
  if (!(Number.isInteger(size) && size >= 1)) {
    throw new AttentionError('option', 'size', `size is ${text(size)}; give a whole number from 1`);
  }
  return { kind: 'window', left: size - 1, right: 0 };
}
