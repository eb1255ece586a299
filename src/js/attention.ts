import { checkFields, text } from './arguments.js';
import { KeyValueCache, type CacheShape } from './cache.js';
import { AttentionError } from './errors.js';
import type { AttentionOptions, DType, MaskRule, StepName } from './generated/options.js';
import { CompiledMask, type MaskShape } from './mask.js';
import {
  attend,
  readExplanation,
  readResult,
  readRows,
  type AttentionResult,
  type Explanation,
  type TracedResult,
} from './results.js';
import type { Session } from './session.js';
import type { Share } from './spread.js';
import { lengthOf, widthOf, type Tensor, type TensorData } from './tensor.js';

/** What was loaded, and why nothing better. */
export interface LoadInfo {
  /** `'relaxed'`: with fused multiply-add. */
  simd: 'relaxed' | 'baseline';
  /** Threads, the caller's own included; or independent workers. */
  threads: number;
  /**
   * How they work together: `'threads'` in one memory, or `'workers'` that are each sent their share
   * of a call, which only loadWorker() starts. `'none'`: there is one.
   */
  parallelism: 'threads' | 'workers' | 'none';
  /** Whether memory may be shared between threads; always so in Node. */
  crossOriginIsolated: boolean;
  /** One sentence for each thing that could be better: what stands in its way. */
  why: string[];
  /** Of this package. */
  version: string;
  /** Size of the WebAssembly module. */
  wasmBytes: number;
}

/** How a call is done, beside what it computes. */
export interface CallOptions {
  /**
   * Told every few milliseconds which share of the call is done, from 0 to 1, and last of all 1.
   * When it returns false the call stops and throws an AttentionError with the code `'stopped'`.
   */
  progress?: (share: number) => boolean | void;
  /**
   * Where the output goes: an array of the inputs' kind with exactly as many elements. It is then
   * `output.data`. By default a new array is made, whose memory the system must first hand out:
   * for some megabytes that takes milliseconds. May be the data of an input.
   */
  into?: TensorData;
}

/** Settings of {@link Attention.trace}. */
export interface TraceOptions {
  /** Keys of a tile; fewer than the default 64 show more steps of a small example. */
  tileKeys?: number;
}

/** The WebAssembly memory of an instance, in bytes. */
export interface MemoryUse {
  /** What the instance has taken from the system. It never gives any back, short of dispose(). */
  total: number;
  /** Of that, what is in use now. */
  used: number;
  /** What `total` can grow to. */
  maximum: number;
}

/** The tables of the package: options, mask kinds, dtypes and steps with their documentation. */
export interface Description {
  options: { name: string; typescript: string; default: string; doc: string }[];
  masks: {
    kind: string;
    doc: string;
    usesPositions: boolean;
    fields: { name: string; type: string; typescript: string; default: string; doc: string }[];
  }[];
  dtypes: { name: DType; bytes: number; doc: string }[];
  steps: { name: StepName; shape: string; option: string; doc: string }[];
}

/** Ends the threads and frees the memory of instances that nobody disposed of. */
const abandoned = new FinalizationRegistry<Session>((session) => session.dispose());

/** Scaled dot-product attention, run where it was loaded. Made by load(). */
export class Attention {
  readonly info: Readonly<LoadInfo>;
  readonly #session: Session;

  /** @internal */
  constructor(session: Session, info: LoadInfo) {
    this.#session = session;
    this.info = Object.freeze(info);
    abandoned.register(this, session, session);
  }

  /**
   * softmax(Q·Kᵀ × scale + M)·V, exactly.
   *
   * @param query [B, H, T, d_k], [H, T, d_k] or [T, d_k]
   * @param key [B, H_kv, S, d_k], of the same rank; H is a multiple of H_kv
   * @param value [B, H_kv, S, d_v]
   * @param call a function to be told how far a long call is, which can also stop it; where the
   *   output goes
   * @returns new tensors of the inputs' rank; they are the caller's
   * @throws AttentionError when something does not fit; the instance stays usable
   */
  scaledDotProductAttention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
    call?: CallOptions,
  ): AttentionResult {
    return this.#session.call(false, [query, key, value], options, (dtype, [q, k, v]) =>
      attend(this.#session, dtype, q, lengthOf(k), widthOf(v), call),
    );
  }

  /** @internal The rows of a share, [rows, d_v]; of the inputs only what they need is there. */
  rows(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options: AttentionOptions | undefined,
    call: CallOptions,
    share: Share,
  ): AttentionResult {
    const work = (dtype: DType) => {
      this.#session.attend(call, share);
      return readRows(this.#session, dtype, query, widthOf(value), share);
    };
    return this.#session.call(false, [query, key, value], options, work, share);
  }

  /**
   * The same with a record of what each tile did to each row: the steps of the online softmax, in
   * the kernel's own numbers. For small calls; it runs on one thread.
   */
  trace(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
    trace: TraceOptions = {},
  ): TracedResult {
    checkFields(trace, 'trace', ['tileKeys']);
    const { tileKeys = 64 } = trace;
    if (!(Number.isInteger(tileKeys) && tileKeys >= 1)) {
      throw new AttentionError(
        'option',
        'tileKeys',
        `tileKeys is ${text(tileKeys)}; give a whole number from 1`,
      );
    }
    return this.#session.call(false, [query, key, value], options, (dtype, [q, k, v]) => {
      const tiles = this.#session.trace(tileKeys);
      const result = readResult(this.#session, dtype, q, lengthOf(k), widthOf(v));
      return { ...result, tiles };
    });
  }

  /**
   * The same by the plain path, with every stage: nothing is tiled, and memory grows with B·H·T·S.
   */
  explain(query: Tensor, key: Tensor, value: Tensor, options?: AttentionOptions): Explanation {
    return this.#session.call(true, [query, key, value], options, () =>
      readExplanation(this.#session),
    );
  }

  /** Compiles rules to what the kernels use, to look at. */
  mask(rules: MaskRule | readonly MaskRule[], shape: MaskShape): CompiledMask {
    return new CompiledMask(this, this.#session, rules, shape);
  }

  /** Room for keys and values that stay in memory while queries come and go. */
  createCache(shape: CacheShape): KeyValueCache {
    return new KeyValueCache(this, this.#session, shape);
  }

  /** The tables of options, mask kinds, dtypes and steps. */
  describe(): Description {
    return JSON.parse(this.#session.about((module) => module.describe())) as Description;
  }

  /**
   * What this instance holds. Memory that was used once is used again, but WebAssembly memory cannot
   * shrink: to give it back after a call of unusual size, dispose() of the instance and load()
   * another.
   */
  memory(): MemoryUse {
    return this.#session.about((module) => {
      const { maximum, available } = module.memory();
      return {
        total: module.wasmMemory.buffer.byteLength,
        used: maximum - available,
        maximum,
      };
    });
  }

  /**
   * How many threads run side by side: each waits for the others, at most so long.
   * All of `info.threads`, if the machine lets them.
   */
  countThreads(milliseconds = 2000): number {
    return this.#session.about((module) => module.countThreads(milliseconds));
  }

  /**
   * Ends the threads and lets go of the memory. Calls after it are errors. What is never disposed of
   * goes when it is garbage, whenever that is noticed.
   */
  dispose(): void {
    abandoned.unregister(this.#session);
    this.#session.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
