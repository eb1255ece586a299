import { checkFields, checkFunction, text } from './arguments.js';
import type { LoadInfo } from './attention.js';
import { AttentionError } from './errors.js';
import { canShareMemory, type LoadOptions } from './load.js';
import {
  buffersOf,
  type CallRequest,
  type Failure,
  type Request,
  type Response,
} from './protocol.js';
import { snapshot, type Snapshot } from './snapshot.js';
import { startThread, type Thread } from './thread.js';
import type { CallSettings } from './worker-client.js';
import type { Ask } from './worker-objects.js';

/** What a call asks for, before it has a number. */
export type Order = Omit<CallRequest, 'kind' | 'id'>;

/** Methods that take a function to be told how far they are, and to be stopped by. */
const watched = ['scaledDotProductAttention', 'rows', 'attend'];

interface Job {
  request: CallRequest;
  settings: CallSettings;
  /** When its arguments have all been copied. */
  filled: Promise<void> | undefined;
  /** Whether the worker has been handed it. */
  sent: boolean;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
  /** Rejects, whether it waits or is being done. */
  giveUp(reason: unknown): void;
}

/**
 * A worker and the calls that wait for it. It does them in the order they were made. When it breaks
 * down, the call it was at rejects, and the next starts another.
 */
export class Lane {
  readonly #options: LoadOptions;
  #thread: Thread | undefined;
  #loaded: Promise<LoadInfo> | undefined;
  #settleLoaded: { resolve(info: LoadInfo): void; reject(reason: unknown): void } | undefined;
  #info: LoadInfo | undefined;
  readonly #waiting: Job[] = [];
  #current: Job | undefined;
  #lastId = 0;
  /** How many workers there have been: masks and caches live in one of them. */
  #generation = 0;
  #disposed = false;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Of the worker that loaded last. */
  get info(): LoadInfo | undefined {
    return this.#info;
  }

  /** Starts the worker if none is running. */
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

  /** @param ready the order's arguments, where they need not be copied */
  call<Result>(
    order: Order,
    settings: CallSettings = {},
    ready?: Snapshot<unknown[]>,
  ): Promise<Result> {
    return this.#enqueue({ ...order, kind: 'call', id: ++this.#lastId }, settings, ready);
  }

  /** A call that makes an object in the worker: its public fields, and how it is asked. */
  async make<Fields>(order: Order, settings?: CallSettings): Promise<[Fields, Ask]> {
    const id = this.#lastId + 1;
    const fields = await this.call<Fields>(order, settings);
    return [fields, this.#ask(id)];
  }

  /** Ends the worker. Calls that are not done reject. */
  dispose(): void {
    this.#disposed = true;
    this.#stop(disposed());
    for (const job of this.#waiting.splice(0)) job.reject(disposed());
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
      return this.call({ object, method, args }, settings);
    };
  }

  #enqueue<Result>(
    request: CallRequest,
    settings: CallSettings,
    ready: Snapshot<unknown[]> | undefined,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      checkSettings(settings);
      const { signal, progress } = settings;
      // Where memory can be shared, the worker looks there whether it should stop.
      const stoppable =
        (signal ?? progress) && watched.includes(request.method) && canShareMemory();
      const stop = stoppable ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
      if (stop) request.stop = stop.buffer;
      if (progress) request.progress = true;
      if (this.#disposed) throw disposed();
      signal?.throwIfAborted();
      const { args, filled } = ready ?? snapshot(request.args, settings);
      request.args = args;
      const job: Job = {
        request,
        settings,
        filled,
        sent: false,
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
        giveUp: (reason) => {
          const place = this.#waiting.indexOf(job);
          if (place >= 0) this.#waiting.splice(place, 1);
          job.reject(reason);
          if (job !== this.#current) return;
          if (!job.sent) this.#finish(() => {});
          else if (stop) Atomics.store(stop, 0, 1);
          else this.#stop(undefined); // it computes without looking up; only its end ends that
        },
      };
      const abort = (): void => job.giveUp(signal!.reason);
      signal?.addEventListener('abort', abort);
      this.#waiting.push(job);
      this.#advance();
    });
  }

  /** Hands the worker its next job when it has none. */
  #advance(): void {
    if (this.#current || this.#waiting.length === 0) return;
    const job = (this.#current = this.#waiting.shift()!);
    Promise.all([this.started(), job.filled])
      .then(() => {
        if (job !== this.#current) return;
        job.sent = true;
        this.#thread!.hold(true);
        this.#thread!.post(job.request, buffersOf(job.request.args));
      })
      .catch((reason: unknown) => {
        if (job === this.#current) this.#finish((current) => current.reject(reason));
      });
  }

  #received(response: Response): void {
    if (response.kind === 'loaded') {
      this.#info = response.info;
      this.#thread!.hold(this.#current !== undefined);
      this.#settleLoaded!.resolve(response.info);
    } else if (response.kind === 'progress') {
      const job = this.#current;
      if (response.id !== job?.request.id) return;
      try {
        job.settings.progress?.(response.share);
      } catch (reason) {
        job.giveUp(reason);
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

/** Refuses settings of a call that are wrong. */
export function checkSettings(settings: CallSettings): void {
  checkFields(settings, 'settings', ['signal', 'progress', 'transfer']);
  const { signal, progress, transfer = [] } = settings;
  checkFunction(progress, 'progress');
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    const message = `signal is ${text(signal)}; give the signal of an AbortController`;
    throw new AttentionError('type', 'signal', message);
  }
  const odd = Array.isArray(transfer) ? transfer.find((item) => Object(item) !== item) : transfer;
  if (odd !== undefined) {
    const message = `transfer must be an array of buffers, not hold or be ${text(odd)}`;
    throw new AttentionError('type', 'transfer', message);
  }
}

function errorOf({ code, argument, message }: Failure): Error {
  return code === undefined ? new Error(message) : new AttentionError(code, argument!, message);
}

const broken = (reason: string): AttentionError =>
  new AttentionError('worker', 'attention', `the worker broke down: ${reason}`);

const disposed = (): AttentionError =>
  new AttentionError('disposed', 'attention', 'this worker was disposed; loadWorker() another');
