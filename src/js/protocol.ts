// What loadWorker() and its worker say to each other.

import type { LoadInfo } from './attention.js';
import type { LoadOptions } from './load.js';

/** A method to call: of the instance, or of an object that an earlier call made. */
export interface CallRequest {
  kind: 'call';
  id: number;
  /** The id of the call that made the object. */
  object?: number;
  method: string;
  args: unknown[];
  /** Whether to tell how far it is. */
  progress?: boolean;
  /** One 32-bit number: not 0, and the call is to stop. */
  stop?: SharedArrayBuffer;
}

/** To the worker. */
export type Request =
  { kind: 'load'; options: LoadOptions } | CallRequest | { kind: 'free'; object: number };

/** From the worker. */
export type Response =
  | { kind: 'loaded'; info: LoadInfo }
  | { kind: 'progress'; id: number; share: number }
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number | undefined; error: Failure };

/** An error as it crosses: of AttentionErrors all fields, of others the message. */
export interface Failure {
  code?: string;
  argument?: string;
  message: string;
}
