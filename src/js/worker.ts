// Runs in the worker that loadWorker() starts: loads the package there and answers one request after
// the other.

import { Attention } from './attention.js';
import { AttentionError } from './errors.js';
import { load } from './load.js';
import { CompiledMask } from './mask.js';
import { node } from './node.js';
import type { Failure, Request, Response } from './protocol.js';

const port = node?.getBuiltinModule('node:worker_threads').parentPort;
const scope = globalThis as unknown as {
  postMessage(message: Response, transfer: Transferable[]): void;
  onmessage: (event: { data: Request }) => void;
};

const masks = new Map<number, CompiledMask>();
let attention: Attention | undefined;

function post(response: Response): void {
  const buffers = new Set<ArrayBuffer>();
  if (response.kind === 'result') collectBuffers(response.result, buffers);
  if (port) port.postMessage(response, [...buffers]);
  else scope.postMessage(response, [...buffers]);
}

/** The results' memory, which this side needs no more. */
function collectBuffers(value: unknown, into: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(value)) into.add(value.buffer as ArrayBuffer);
  else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collectBuffers(part, into);
  }
}

async function answer(request: Request): Promise<void> {
  const id = 'id' in request ? request.id : undefined;
  try {
    switch (request.kind) {
      case 'load':
        attention = await load(request.options);
        return post({ kind: 'loaded', info: attention.info });
      case 'free':
        masks.get(request.mask)?.dispose();
        masks.delete(request.mask);
        return;
      case 'call':
        return post({ kind: 'result', id: request.id, result: call(request) });
      case 'mask':
        return post({
          kind: 'result',
          id: request.id,
          result: invoke(masks.get(request.mask)!, request.method, request.args),
        });
    }
  } catch (error) {
    post({ kind: 'error', id, error: failureOf(error) });
  }
}

function call({ id, method, args }: Request & { kind: 'call' }): unknown {
  const result = invoke(attention!, method, args);
  if (!(result instanceof CompiledMask)) return result;
  masks.set(id, result);
  return { allowedCells: result.allowedCells, emptyRows: result.emptyRows };
}

function invoke(object: object, method: string, args: unknown[]): unknown {
  return (object as Record<string, (...args: unknown[]) => unknown>)[method]!(...args);
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
