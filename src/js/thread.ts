// A worker as browsers and Node both have it, behind one interface.

import { node } from './node.js';

export interface Thread {
  post(message: unknown, transfer: Transferable[]): void;
  terminate(): void;
  /** Whether a process should wait for it; browsers have no such question. */
  hold(waiting: boolean): void;
}

/** Starts worker.js; `failed` is called if it ends without being asked to. */
export function startThread(
  received: (message: unknown) => void,
  failed: (reason: string) => void,
): Thread {
  return node ? startInNode(received, failed) : startInBrowser(received, failed);
}

function startInBrowser(
  received: (message: unknown) => void,
  failed: (reason: string) => void,
): Thread {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }) => received(data);
  worker.onerror = (event) => {
    event.preventDefault();
    failed(event.message ?? 'it could not be started');
  };
  worker.onmessageerror = () => failed('a message could not be read');
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    terminate: () => worker.terminate(),
    hold: () => {},
  };
}

function startInNode(
  received: (message: unknown) => void,
  failed: (reason: string) => void,
): Thread {
  const { Worker } = node!.getBuiltinModule('node:worker_threads');
  const here = import.meta.url; // said apart, so that bundlers look at the line for browsers alone
  const worker = new Worker(new URL('./worker.js', here), { execArgv: [] });
  worker.on('message', received);
  worker.on('error', ({ message }) => failed(message));
  worker.on('exit', (code) => failed(`it ended with code ${code}`));
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    terminate: () => void worker.terminate(),
    hold: (waiting) => (waiting ? worker.ref() : worker.unref()),
  };
}
