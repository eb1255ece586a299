import { checkFields, quoted } from './arguments.js';
import type { Description, LoadInfo, MemoryUse, TraceOptions } from './attention.js';
import type { CacheShape } from './cache.js';
import { AttentionError } from './errors.js';
import type { AttentionOptions, MaskRule } from './generated/options.js';
import { checkSettings, Lane } from './lane.js';
import { canShareMemory, check, coresOf, optionNames, portable } from './load.js';
import type { LoadOptions } from './load.js';
import type { MaskShape } from './mask.js';
import type { AttentionResult, Explanation, TracedResult } from './results.js';
import { snapshot } from './snapshot.js';
import { cut, join } from './spread.js';
import { held, type Tensor } from './tensor.js';
import { WorkerCache, WorkerMask } from './worker-objects.js';

/** Settings of loadWorker(). */
export interface WorkerOptions extends LoadOptions {
  /**
   * How `threads` work together. Default `'auto'`: as threads in one memory where it can be shared,
   * otherwise as that many independent workers, each of which is sent its share of a long call.
   */
  parallelism?: 'auto' | 'threads' | 'workers';
}

/** Settings of a single call to a worker. */
export interface CallSettings {
  /**
   * Gives the call up: it rejects with the signal's reason, and a worker at work on it stops. Where
   * memory cannot be shared that is the end of the worker, with its masks and caches; the next call
   * starts another.
   */
  signal?: AbortSignal;
  /** Told every few milliseconds which share of the call is done, from 0 to 1. */
  progress?: (share: number) => void;
  /** Buffers among the arguments that the caller gives away, at once; all others are copied. */
  transfer?: Transferable[];
}

/**
 * Like load(), in a worker: the same methods as promises, so that a page never waits. Without shared
 * memory, several workers share the long calls.
 */
export async function loadWorker(options: WorkerOptions = {}): Promise<AttentionWorker> {
  const client = new AttentionWorker(options);
  await client.started();
  return client;
}

/**
 * Workers behind the methods of {@link Attention}, made by loadWorker(). Calls are done in the order
 * they were made. When a worker breaks down, the call it was at rejects, and the next starts another.
 * Arguments are copied when a method is called, unless they are given away; more than 16 MiB of them in
 * pieces, so that a page goes on meanwhile: then they are to stay as they are until the call is done.
 */
export class AttentionWorker {
  /** Where masks and caches live. Only where memory is not shared there are more than one. */
  readonly #home: Lane;
  readonly #lanes: Lane[];

  /** @internal */
  constructor(given: WorkerOptions) {
    checkFields(given, 'options', [...optionNames, 'parallelism'], 'loadWorker');
    const { parallelism = 'auto', ...options } = given;
    if (!['auto', 'threads', 'workers'].includes(parallelism)) {
      throw new AttentionError(
        'option',
        'parallelism',
        `parallelism is ${quoted(parallelism)}; give 'auto', 'threads' or 'workers'`,
      );
    }
    check(options);
    const apart = parallelism === 'workers' || (parallelism === 'auto' && !canShareMemory());
    const { threads = 'auto' } = options;
    const count = !apart ? 1 : threads === 'auto' ? coresOf() : threads;
    const each = portable(count > 1 ? { ...options, threads: 1 } : options);
    this.#lanes = Array.from({ length: count }, () => new Lane(each));
    this.#home = this.#lanes[0]!;
  }

  /** What was loaded in the workers, and why nothing better. */
  get info(): LoadInfo {
    const info = this.#home.info!;
    const threads = this.#lanes.length;
    if (threads === 1) return info;
    const why = info.why.filter((reason) => !reason.startsWith('threads:'));
    if (!info.crossOriginIsolated) why.unshift(notShared);
    return { ...info, threads, parallelism: 'workers', why };
  }

  /** As {@link Attention.scaledDotProductAttention}. */
  async scaledDotProductAttention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
    settings: CallSettings = {},
  ): Promise<AttentionResult> {
    checkSettings(settings);
    const inputs: [Tensor, Tensor, Tensor] = [held(query), held(key), held(value)];
    const args: CallArguments = [...inputs, options];
    if (cut(inputs, options, this.#lanes.length).length > 1) return this.#spread(args, settings);
    return this.#home.call({ method: 'scaledDotProductAttention', args }, settings);
  }

  /** As {@link Attention.explain}. */
  explain(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
    settings?: CallSettings,
  ): Promise<Explanation> {
    return this.#home.call({ method: 'explain', args: [query, key, value, options] }, settings);
  }

  /** As {@link Attention.trace}. */
  trace(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
    trace?: TraceOptions,
    settings?: CallSettings,
  ): Promise<TracedResult> {
    const args = [query, key, value, options, trace];
    return this.#home.call({ method: 'trace', args }, settings);
  }

  /** As {@link Attention.mask}. */
  async mask(
    rules: MaskRule | readonly MaskRule[],
    shape: MaskShape,
    settings?: CallSettings,
  ): Promise<WorkerMask> {
    const order = { method: 'mask', args: [rules, shape] };
    return new WorkerMask(...(await this.#home.make<WorkerMask>(order, settings)));
  }

  /** As {@link Attention.createCache}. */
  async createCache(shape: CacheShape): Promise<WorkerCache> {
    const order = { method: 'createCache', args: [shape] };
    return new WorkerCache(...(await this.#home.make<WorkerCache>(order)));
  }

  /** As {@link Attention.describe}. */
  describe(): Promise<Description> {
    return this.#home.call({ method: 'describe', args: [] });
  }

  /** As {@link Attention.memory}, of all workers that have been needed so far. */
  async memory(): Promise<MemoryUse> {
    const lanes = this.#lanes.filter((lane) => lane.info);
    const uses = lanes.map((lane) => lane.call<MemoryUse>({ method: 'memory', args: [] }));
    return (await Promise.all(uses)).reduce((sum, use) => ({
      total: sum.total + use.total,
      used: sum.used + use.used,
      maximum: sum.maximum + use.maximum,
    }));
  }

  /** As {@link Attention.countThreads}; of independent workers, how many answer. */
  async countThreads(milliseconds?: number): Promise<number> {
    const order = { method: 'countThreads', args: [milliseconds] };
    const counts = await Promise.all(this.#lanes.map((lane) => lane.call<number>(order)));
    return counts.reduce((sum, count) => sum + count);
  }

  /** Ends the workers. Calls that are not done reject. */
  dispose(): void {
    for (const lane of this.#lanes) lane.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal Others than the first start when a call is long enough for them. */
  started(): Promise<LoadInfo> {
    return this.#home.started();
  }

  async #spread(args: CallArguments, settings: CallSettings): Promise<AttentionResult> {
    const { signal, progress, transfer = [] } = settings;
    if (transfer.length > 0) {
      const own = snapshot(args, settings);
      await own.filled;
      args = own.args;
    }
    const [query, key, value, options] = args;
    const pieces = cut([query, key, value], options, this.#lanes.length);
    const { args: parts, filled } = snapshot(
      pieces.map(({ inputs }) => [...inputs, options]),
      signal ? { signal } : {},
    );
    const shares = pieces.map(() => 0);
    const calls = pieces.map(({ share }, at) => {
      const lane = this.#lanes[Math.min(at, 2 * this.#lanes.length - 1 - at)]!;
      const tell = (done: number): void => {
        shares[at] = done / pieces.length;
        progress!(shares.reduce((sum, share) => sum + share));
      };
      return lane.call<AttentionResult>(
        { method: 'rows', args: parts[at]!, share },
        { ...(signal && { signal }), ...(progress && { progress: tell }) },
        { args: parts[at]!, filled },
      );
    });
    const { info, ...result } = await join(await Promise.all(calls), [query, key, value]);
    return { ...result, info: { ...info, threads: this.#lanes.length } };
  }
}

type CallArguments = [
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions | undefined,
];

const notShared =
  'threads: the page is not cross-origin isolated, so that each worker has a memory of its own; ' +
  'serve it with COOP and COEP headers';
