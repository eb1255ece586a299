// What loadWorker() and its worker say to each other.

import type { LoadInfo } from './attention.js';
import type { LoadOptions } from './load.js';

/** To the worker. */
export type Request =
  | { kind: 'load'; options: LoadOptions }
  | { kind: 'call'; id: number; method: string; args: unknown[] }
  /** Of a mask made earlier; `mask` is the id of the call that made it. */
  | { kind: 'mask'; id: number; mask: number; method: string; args: unknown[] }
  | { kind: 'free'; mask: number };

/** From the worker. */
export type Response =
  | { kind: 'loaded'; info: LoadInfo }
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number | undefined; error: Failure };

/** An error as it crosses: of AttentionErrors all fields, of others the message. */
export interface Failure {
  code?: string;
  argument?: string;
  message: string;
}

/** The end of the wire in either place: a worker seen from outside, or the outside from within. */
export interface Port {
  post(message: unknown, transfer: Transferable[]): void;
}
