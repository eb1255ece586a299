import {
  dtypes,
  type AttentionOptions,
  type DType,
  type MaskRule,
  type StepName,
} from './generated/options.js';
import { CompiledMask, type MaskShape } from './mask.js';
import { Reply, type RawStep, type RawTrace, type Session } from './session.js';
import type { ResultTensor, Tensor } from './tensor.js';

/** What {@link Attention.scaledDotProductAttention} returns. */
export interface AttentionResult {
  /** [B, H, T, d_v], in the dtype and rank of the inputs. */
  output: ResultTensor;
  /** ln Σ exp of each row's scores, [B, H, T]: float64 for float64 inputs, otherwise float32. */
  lse?: ResultTensor;
  /** [B, H, T, S] after dropout, or what `weightsFor` asks for; in the dtype of the inputs. */
  weights?: ResultTensor;
  info: CallInfo;
}

/** How a call went. */
export interface CallInfo {
  /** Rows without an allowed key: their output is 0. */
  emptyRows: number;
  /** Cells of [B, H, T, S] that the mask allows. */
  allowedCells: number;
  totalCells: number;
  /** Tiles that were left out because the mask leaves nothing in them. */
  tilesSkipped: number;
  tilesTotal: number;
  /** The algorithm that ran. */
  path: string;
  /** How many threads took part. */
  threads: number;
}

/** A cell [batch, head, query, column] of a step; the column is 0 in steps [B, H, T]. */
export interface Cell {
  step: StepName;
  batch: number;
  head: number;
  query: number;
  column: number;
}

export interface RowDiagnostics {
  batch: number;
  head: number;
  query: number;
  /** Of the weights before dropout, in bits. */
  entropy: number;
  largestWeight: number;
  /** One of several keys has a weight of exactly 1. */
  saturated: boolean;
  /** No key is allowed. */
  empty: boolean;
}

/** A query with no allowed key. */
export interface EmptyRow {
  batch: number;
  head: number;
  query: number;
  /**
   * The mask rules, or `'bias'`, that forbid every key by themselves; if none does, all that forbid
   * some. Nothing where there are no keys.
   */
  causes: string[];
}

/** Only what can reach the result counts, not what stands behind the mask. */
export interface Diagnostics {
  /** One for each row of [B, H, T]. */
  rows: RowDiagnostics[];
  emptyRows: EmptyRow[];
  /** In the order of the steps, then of the cells. */
  firstNonFinite: Cell | null;
  /** Cells that are NaN or infinite in a step up to `masked`. */
  nonFiniteScores: number;
  firstOverflow: Cell | null;
  /** Those made from finite numbers. */
  overflows: number;
}

/** One run of the plain path. */
export interface Trace {
  /** Every stage of the formula, in order, in the type it was computed in. */
  steps: Partial<Record<StepName, ResultTensor>> & Record<AlwaysThere, ResultTensor>;
  /** [B, H, T]. */
  lse: ResultTensor;
  diagnostics: Diagnostics;
}

type AlwaysThere = Exclude<StepName, 'capped' | 'biased' | 'dropped'>;

/** What {@link Attention.explain} returns. */
export interface Explanation extends Trace {
  /**
   * For float16 and bfloat16 inputs: what their own arithmetic would have given, with every number
   * on the way rounded to the type instead of widened before the dot product.
   */
  unwidened?: Trace;
}

/** What was loaded, and why nothing better. */
export interface LoadInfo {
  /** `'relaxed'`: with fused multiply-add. */
  simd: 'relaxed' | 'baseline';
  /** Threads, the caller's own included. */
  threads: number;
  /** Whether memory may be shared between threads; always so in Node. */
  crossOriginIsolated: boolean;
  /** One sentence for each thing that could be better: what stands in its way. */
  why: string[];
  /** Of this package. */
  version: string;
  /** Size of the WebAssembly module. */
  wasmBytes: number;
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
   * @returns new tensors of the inputs' rank; they are the caller's
   * @throws AttentionError when something does not fit; the instance stays usable
   */
  scaledDotProductAttention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
  ): AttentionResult {
    const session = this.#session;
    return session.call(false, query, key, value, options, (dtype) => {
      session.attend();
      const rows = query.shape.slice(0, -1);
      const output = session.read(
        dtype,
        [...rows, value.shape[value.shape.length - 1]!],
        session.reply(Reply.output),
        query,
      );
      const result: AttentionResult = { output, info: this.#callInfo() };
      if (session.reply(Reply.lse) !== 0) {
        const wide = dtype === 'float64' ? dtype : 'float32';
        result.lse = session.read(wide, rows.slice(), session.reply(Reply.lse));
      }
      if (session.reply(Reply.weights) !== 0) {
        const heads = session.reply(Reply.weightHeads);
        const shape = [session.reply(Reply.weightQueries), key.shape[key.shape.length - 2]!];
        if (rows.length > 1 || heads !== 1) shape.unshift(heads);
        if (rows.length > 2) shape.unshift(rows[0]!);
        result.weights = session.read(dtype, shape, session.reply(Reply.weights), query);
      }
      return result;
    });
  }

  /**
   * The same by the plain path, with every stage: nothing is tiled, and memory grows with B·H·T·S.
   */
  explain(query: Tensor, key: Tensor, value: Tensor, options?: AttentionOptions): Explanation {
    const session = this.#session;
    return session.call(true, query, key, value, options, () => {
      const tensorOf = ({ dtype, shape, address }: RawStep) =>
        session.read(dtypes[dtype]!, shape, address);
      const traceOf = ({ steps, lse, diagnostics }: RawTrace) => ({
        steps: Object.fromEntries(steps.map((step) => [step.name, tensorOf(step)])),
        lse: tensorOf(lse),
        diagnostics,
      });
      const { unwidened, ...widened } = session.module.explain();
      const explanation = traceOf(widened) as Explanation;
      if (unwidened !== undefined) explanation.unwidened = traceOf(unwidened) as Trace;
      return explanation;
    });
  }

  /** Compiles rules to what the kernels use, to look at. */
  mask(rules: MaskRule | readonly MaskRule[], shape: MaskShape): CompiledMask {
    return new CompiledMask(this, this.#session, rules, shape);
  }

  /** The tables of options, mask kinds, dtypes and steps. */
  describe(): Description {
    return JSON.parse(this.#session.about((module) => module.describe())) as Description;
  }

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

  #callInfo(): CallInfo {
    const session = this.#session;
    return {
      emptyRows: session.reply(Reply.emptyRows),
      allowedCells: session.reply(Reply.allowedCells),
      totalCells: session.reply(Reply.totalCells),
      tilesSkipped: session.reply(Reply.tilesSkipped),
      tilesTotal: session.reply(Reply.tilesTotal),
      path: session.path(),
      threads: session.reply(Reply.threads),
    };
  }
}
