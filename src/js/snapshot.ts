// The arguments of a call as they are when it is made, ready to be sent to a worker.

import { deepest, isPlain, text, tooDeep } from './arguments.js';
import { AttentionError } from './errors.js';
import { held, kindOf, type TensorData } from './tensor.js';

/** Bytes that are copied at once, in some 8 ms; of a call with more all are copied in pieces. */
const atOnce = 2 ** 24;
/** Bytes that are copied between two turns of the page, in some 2 ms. */
const piece = 2 ** 22;

type TypedArray = TensorData & { buffer: ArrayBuffer };
type Copy = [from: TensorData, into: TensorData];

export interface Snapshot<Args> {
  args: Args;
  /** When all of it has been copied; undefined: it has been. */
  filled: Promise<void> | undefined;
}

/** What is to be given away, and what ends a copying that is not wanted any more. */
interface Settings {
  transfer?: Transferable[];
  signal?: AbortSignal;
}

/**
 * Arguments as they are now; of large ones, as they are until they have been copied. Views of larger
 * buffers become arrays of their own, for cloning takes whole buffers.
 */
export function snapshot<Args extends unknown[]>(
  given: Args,
  { transfer = [], signal }: Settings,
): Snapshot<Args> {
  const from: TypedArray[] = [];
  const into: TypedArray[] = [];
  const compact = (value: unknown, name: string, depth: number): unknown => {
    if (ArrayBuffer.isView(value)) {
      const { buffer } = value;
      const stays = !(buffer instanceof ArrayBuffer) || transfer.includes(buffer);
      if (stays || !('slice' in value)) return value;
      const array = value as TypedArray;
      const copy = arrayLike(array, array.length);
      from.push(array);
      into.push(copy);
      return copy;
    }
    if (depth > deepest) throw tooDeep();
    if (Array.isArray(value)) return value.map((part) => compact(part, name, depth + 1));
    if (typeof value === 'function') {
      const remedy = name === 'allows' ? '; give a mask function as a bool tensor' : '';
      throw cannotBeSent(name, `${name} is a function${remedy}`);
    }
    if (typeof value !== 'object' || value === null) return value;
    const own = held(value);
    if (!isPlain(own)) throw cannotBeSent(name, `${name} is ${text(own)}; give a plain object`);
    const copy: Record<string, unknown> = {};
    for (const field of Object.getOwnPropertyNames(own)) {
      copy[field] = compact((own as Record<string, unknown>)[field], field, depth + 1);
    }
    return copy;
  };
  const sent = compact(given, 'arguments', 0) as Args;
  let moved;
  try {
    const buffers = into.map(({ buffer }) => buffer);
    moved = structuredClone({ args: sent, into }, { transfer: [...transfer, ...buffers] });
  } catch (error) {
    throw cannotBeSent('arguments', (error as Error).message);
  }
  const copies = from.map((array, at): Copy => [array, moved.into[at]!]);
  const filled = fill(copies, signal);
  filled?.catch(() => {}); // who has given the call up does not look
  return { args: moved.args, filled };
}

/** An array of the same kind, also where that has a class of its own, as Node's Buffer. */
export function arrayLike<Data extends TensorData>(array: Data, length: number): Data {
  const kinds = globalThis as unknown as Record<string, new (length: number) => Data>;
  return new kinds[kindOf(array)]!(length);
}

/** Copies arrays into others of their length: at once, or when they are large in pieces. */
export function fill(copies: Copy[], signal?: AbortSignal): Promise<void> | undefined {
  const bytes = copies.reduce((sum, [from]) => sum + from.byteLength, 0);
  if (bytes > atOnce) return fillInTurns(copies, signal);
  for (const [from, into] of copies) into.set(from);
  return undefined;
}

async function fillInTurns(copies: Copy[], signal?: AbortSignal): Promise<void> {
  for (const [from, into] of copies) {
    const step = piece / into.BYTES_PER_ELEMENT;
    for (let at = 0; at < into.length; at += step) {
      await turn();
      if (signal?.aborted) return;
      if (from.length !== into.length) {
        throw cannotBeSent('arguments', 'an array was given away before it had been copied');
      }
      into.set(from.subarray(at, at + step), at);
    }
  }
}

/** Lets the page do what waits. A timer would do so too, but seldom in a page that is not shown. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = () => {
      port2.close();
      resolve();
    };
    port1.postMessage(undefined);
  });
}

const cannotBeSent = (argument: string, why: string): AttentionError =>
  new AttentionError('type', argument, `an argument cannot be sent to a worker: ${why}`);
