// What loadWorker() and its worker say to each other.

import type { LoadInfo } from './attention.js';
import type { LoadOptions } from './load.js';
import type { Share } from './spread.js';

/** A method to call: of the instance, or of an object that an earlier call made. */
export interface CallRequest {
  kind: 'call';
  id: number;
  /** The id of the call that made the object. */
  object?: number;
  method: string;
  args: unknown[];
  /** Which rows to do, of the method `'rows'`. */
  share?: Share;
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

/** The buffers in a message, which its sender needs no more. */
export function buffersOf(message: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const collect = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) {
      if (value.buffer instanceof ArrayBuffer) buffers.add(value.buffer);
    } else if (typeof value === 'object' && value !== null) {
      for (const part of Object.values(value)) collect(part);
    }
  };
  collect(message);
  return [...buffers];
}
