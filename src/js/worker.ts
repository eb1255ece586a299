// Runs in the worker that loadWorker() starts: loads the package there and answers one request after
// the other.

import type { Attention, CallOptions } from './attention.js';
import { KeyValueCache } from './cache.js';
import { AttentionError } from './errors.js';
import { load } from './load.js';
import { CompiledMask } from './mask.js';
import { node } from './node.js';
import {
  buffersOf,
  type CallRequest,
  type Failure,
  type Request,
  type Response,
} from './protocol.js';

const port = node?.getBuiltinModule('node:worker_threads').parentPort;
const scope = globalThis as unknown as {
  postMessage(message: Response, transfer: Transferable[]): void;
  onmessage: (event: { data: Request }) => void;
};

/** Masks and caches, by the call that made them. */
const objects = new Map<number, CompiledMask | KeyValueCache>();
let attention: Attention | undefined;

function post(response: Response): void {
  const buffers = response.kind === 'result' ? buffersOf(response.result) : [];
  if (port) port.postMessage(response, buffers);
  else scope.postMessage(response, buffers);
}

async function answer(request: Request): Promise<void> {
  try {
    if (request.kind === 'load') {
      attention = await load(request.options);
      post({ kind: 'loaded', info: attention.info });
    } else if (request.kind === 'free') {
      objects.get(request.object)?.dispose();
      objects.delete(request.object);
    } else {
      post({ kind: 'result', id: request.id, result: call(request) });
    }
  } catch (error) {
    const id = request.kind === 'call' ? request.id : undefined;
    post({ kind: 'error', id, error: failureOf(error) });
  }
}

function call({ id, object, method, args, share, progress, stop }: CallRequest): unknown {
  const target = (object === undefined ? attention : objects.get(object)) as unknown as Record<
    string,
    unknown
  >;
  const call: CallOptions = {};
  if (progress || stop) {
    const stopped = stop && new Int32Array(stop);
    call.progress = (share) => {
      if (progress) post({ kind: 'progress', id, share });
      return !(stopped && Atomics.load(stopped, 0));
    };
  }
  const member = target[method];
  if (typeof member !== 'function') return member;
  const result = (member as (...args: unknown[]) => unknown).call(target, ...args, call, share);
  if (!(result instanceof CompiledMask || result instanceof KeyValueCache)) return result;
  objects.set(id, result);
  return { ...result }; // its public fields
}

function failureOf(error: unknown): Failure {
  if (error instanceof AttentionError) {
    const { code, argument, message } = error;
    return { code, argument, message };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}

if (port) port.on('message', (request) => void answer(request as Request));
else scope.onmessage = ({ data }) => void answer(data);
