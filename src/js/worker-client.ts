import type { Description, LoadInfo, MemoryUse, TraceOptions } from './attention.js';
import type { CacheShape } from './cache.js';
import { AttentionError } from './errors.js';
import type { AttentionOptions, MaskRule } from './generated/options.js';
import { portable, type LoadOptions } from './load.js';
import type { MaskShape } from './mask.js';
import type { CallRequest, Failure, Request, Response } from './protocol.js';
import type { AttentionResult, Explanation, TracedResult } from './results.js';
import type { Tensor } from './tensor.js';
import { startThread, type Thread } from './thread.js';
import { WorkerCache, WorkerMask, type Ask } from './worker-objects.js';

/** Settings of a single call to a worker. */
export interface CallSettings {
  /** Gives the call up: it rejects with the signal's reason, and a worker at work on it stops. */
  signal?: AbortSignal;
  /** Told every few milliseconds which share of the call is done, from 0 to 1. */
  progress?: (share: number) => void;
  /** Buffers among the arguments that the caller gives away; all others are copied. */
  transfer?: Transferable[];
}

/** Methods that take a function to be told how far they are. */
const watched = { scaledDotProductAttention: true };

interface Job {
  request: CallRequest;
  settings: CallSettings;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/** Like load(), in a worker: the same methods as promises, so that a page never waits. */
export async function loadWorker(options: LoadOptions = {}): Promise<AttentionWorker> {
  const client = new AttentionWorker(portable(options));
  await client.started();
  return client;
}

/**
 * An instance in a worker of its own, made by loadWorker(). Calls are done in the order they were
 * made. When the worker breaks down, the call it was at rejects, and the next starts another.
 */
export class AttentionWorker {
  readonly #options: LoadOptions;
  #thread: Thread | undefined;
  #loaded: Promise<LoadInfo> | undefined;
  #settleLoaded: { resolve(info: LoadInfo): void; reject(reason: unknown): void } | undefined;
  #info: LoadInfo | undefined;
  readonly #waiting: Job[] = [];
  #current: Job | undefined;
  #lastId = 0;
  /** How many workers there have been: masks live in one of them. */
  #generation = 0;
  #disposed = false;

  /** @internal */
  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** What was loaded in the worker, and why nothing better. */
  get info(): LoadInfo {
    return this.#info!;
  }

  scaledDotProductAttention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
    settings?: CallSettings,
  ): Promise<AttentionResult> {
    return this.#call('scaledDotProductAttention', [query, key, value, options], settings);
  }

  explain(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
    settings?: CallSettings,
  ): Promise<Explanation> {
    return this.#call('explain', [query, key, value, options], settings);
  }

  trace(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options?: AttentionOptions,
    trace?: TraceOptions,
    settings?: CallSettings,
  ): Promise<TracedResult> {
    return this.#call('trace', [query, key, value, options, trace], settings);
  }

  async mask(
    rules: MaskRule | readonly MaskRule[],
    shape: MaskShape,
    settings?: CallSettings,
  ): Promise<WorkerMask> {
    const id = this.#lastId + 1;
    const fields = await this.#call<WorkerMask>('mask', [rules, shape], settings);
    return new WorkerMask(fields, this.#ask(id));
  }

  async createCache(shape: CacheShape): Promise<WorkerCache> {
    const id = this.#lastId + 1;
    const fields = await this.#call<WorkerCache>('createCache', [shape]);
    return new WorkerCache(fields, this.#ask(id));
  }

  describe(): Promise<Description> {
    return this.#call('describe', []);
  }

  memory(): Promise<MemoryUse> {
    return this.#call('memory', []);
  }

  countThreads(milliseconds?: number): Promise<number> {
    return this.#call('countThreads', [milliseconds]);
  }

  /** Ends the worker. Calls that are not done reject. */
  dispose(): void {
    this.#disposed = true;
    this.#stop(disposed());
    for (const job of this.#waiting.splice(0)) job.reject(disposed());
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal Starts the worker if none is running. */
  started(): Promise<LoadInfo> {
    this.#loaded ??= new Promise<LoadInfo>((resolve, reject) => {
      this.#settleLoaded = { resolve, reject };
      const generation = ++this.#generation;
      const isCurrent = () => generation === this.#generation;
      this.#thread = startThread(
        (message) => isCurrent() && this.#received(message as Response),
        (reason) => isCurrent() && this.#stop(broken(reason)),
      );
      this.#thread.post({ kind: 'load', options: this.#options } satisfies Request, []);
    });
    return this.#loaded;
  }

  #call<Result>(method: string, args: unknown[], settings: CallSettings = {}): Promise<Result> {
    return this.#enqueue({ kind: 'call', id: ++this.#lastId, method, args }, settings);
  }

  /** How an object that lives in the worker of now is asked. */
  #ask(object: number): Ask {
    const generation = this.#generation;
    return (method, args, settings = {}) => {
      const isThere = generation === this.#generation;
      if (method === 'dispose') {
        if (isThere) this.#thread!.post({ kind: 'free', object } satisfies Request, []);
        return Promise.resolve();
      }
      if (!isThere) {
        const message = 'the worker that held this is gone; make it again';
        return Promise.reject(new AttentionError('disposed', 'object', message));
      }
      return this.#enqueue({ kind: 'call', id: ++this.#lastId, object, method, args }, settings);
    };
  }

  #enqueue<Result>(request: Job['request'], settings: CallSettings): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const { signal, progress } = settings;
      // Where memory can be shared, the worker looks there whether it should stop.
      const stoppable = signal && request.method in watched && this.info?.crossOriginIsolated;
      const stop = stoppable ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
      if (stop) request.stop = stop.buffer;
      if (progress) request.progress = true;
      if (this.#disposed) throw disposed();
      signal?.throwIfAborted();
      const job: Job = {
        request,
        settings,
        resolve: (result) => {
          signal?.removeEventListener('abort', abort);
          resolve(result as Result);
        },
        reject: (reason) => {
          signal?.removeEventListener('abort', abort);
          // The signal's own reason, whatever it is, as fetch() does.
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
          reject(reason);
        },
      };
      const abort = (): void => {
        const place = this.#waiting.indexOf(job);
        if (place >= 0) this.#waiting.splice(place, 1);
        job.reject(signal!.reason);
        if (job !== this.#current) return;
        if (stop) Atomics.store(stop, 0, 1);
        else this.#stop(undefined); // it computes without looking up; only its end ends that
      };
      signal?.addEventListener('abort', abort);
      this.#waiting.push(job);
      this.#advance();
    });
  }

  /** Hands the worker its next job when it has none. */
  #advance(): void {
    if (this.#current || this.#waiting.length === 0) return;
    const job = (this.#current = this.#waiting.shift()!);
    this.started().then(
      () => {
        if (job !== this.#current) return;
        const { transfer = [] } = job.settings;
        try {
          this.#thread!.hold(true);
          const args = compact(job.request.args, new Set(transfer)) as unknown[];
          this.#thread!.post({ ...job.request, args } satisfies Request, transfer);
        } catch (error) {
          this.#finish((current) => current.reject(uncloneable(error)));
        }
      },
      (reason: unknown) => {
        if (job === this.#current) this.#finish((current) => current.reject(reason));
      },
    );
  }

  #received(response: Response): void {
    if (response.kind === 'loaded') {
      this.#info = response.info;
      this.#thread!.hold(this.#current !== undefined);
      this.#settleLoaded!.resolve(response.info);
    } else if (response.kind === 'progress') {
      if (response.id === this.#current?.request.id) {
        this.#current.settings.progress?.(response.share);
      }
    } else if (response.kind === 'error' && response.id === undefined) {
      this.#stop(errorOf(response.error));
    } else if (response.id === this.#current?.request.id) {
      this.#finish((job) => {
        if (response.kind === 'result') job.resolve(response.result);
        else job.reject(errorOf(response.error));
      });
    }
  }

  #finish(settle: (job: Job) => void): void {
    const job = this.#current!;
    this.#current = undefined;
    this.#thread?.hold(false);
    settle(job);
    this.#advance();
  }

  /** Ends the worker; the job it was at rejects, those after it go to another one. */
  #stop(reason: unknown): void {
    this.#generation++;
    this.#thread?.terminate();
    this.#settleLoaded?.reject(reason);
    this.#thread = this.#loaded = this.#settleLoaded = undefined;
    if (this.#current) this.#finish((job) => job.reject(reason));
  }
}

/** Views of which only a part is of interest, as arrays of their own: a copy takes whole buffers. */
function compact(value: unknown, transferred: ReadonlySet<unknown>): unknown {
  if (ArrayBuffer.isView(value)) {
    const whole = value.byteLength === value.buffer.byteLength;
    const given = transferred.has(value.buffer) || !(value.buffer instanceof ArrayBuffer);
    return whole || given || !('slice' in value) ? value : (value as Uint8Array).slice();
  }
  if (Array.isArray(value)) return value.map((part: unknown) => compact(part, transferred));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, compact(part, transferred)]);
  return Object.fromEntries(parts) as unknown;
}

function errorOf({ code, argument, message }: Failure): Error {
  return code === undefined ? new Error(message) : new AttentionError(code, argument!, message);
}

function uncloneable(error: unknown): AttentionError {
  return new AttentionError(
    'type',
    'arguments',
    `an argument cannot be sent to a worker (${(error as Error).message}); ` +
      'give a mask function as a bool tensor',
  );
}

const broken = (reason: string): AttentionError =>
  new AttentionError('worker', 'attention', `the worker broke down: ${reason}`);

const disposed = (): AttentionError =>
  new AttentionError('disposed', 'attention', 'this worker was disposed; loadWorker() another');
