// Timing the library on this device, in a worker, so that the page goes on while it works.
import { draws } from '../state/random.js';
import { type Sizes, core, tiled } from './cost-counts.js';

/** What one call may take here: minutes on a slow phone, and a part of what a tab of the browser has. */
export const MOST = { operations: 1e12, bytes: 2 ** 28 } as const;
/** Each row has half the tokens of the next. */
const ROWS = 5;
/** Short calls are repeated until they have taken this long together, in milliseconds. */
const ENOUGH = 300;
const MOST_CALLS = 50;
/** Calls that take this long are not disturbed by much; one will do. */
const LONG = 2000;
/** Before anything is counted: until then the browser is still compiling, and threads are starting. */
const WARM_UP = 500;

/** Which of the bounds the sizes exceed, and how many tokens are within it. */
export function beyond(sizes: Sizes): { bound: keyof typeof MOST; tokens: number } | undefined {
  const one = { ...sizes, tokens: 1 };
  const [bound, tokens] = (
    [
      ['operations', Math.floor(Math.sqrt(MOST.operations / core(one)))],
      ['bytes', Math.floor(MOST.bytes / tiled(one))],
    ] as const
  ).reduce((least, each) => (each[1] < least[1] ? each : least));
  return sizes.tokens > tokens ? { bound, tokens } : undefined;
}

/** Up to the number asked for, each about twice the one before. */
export const lengths = (tokens: number): number[] => [
  ...new Set(Array.from({ length: ROWS }, (_, row) => Math.ceil(tokens / 2 ** (ROWS - 1 - row)))),
];

export interface Measured {
  tokens: number;
  milliseconds: number;
}

export interface Progress {
  started: (threads: number) => void;
  trying: (tokens: number) => void;
  /** How much of a call that takes longer is done. */
  done: (share: number) => void;
  measured: (row: Measured) => void;
}

/** Rejects with the signal's reason when it is given up. */
export async function measure(
  sizes: Sizes,
  signal: AbortSignal,
  progress: Progress,
): Promise<void> {
  const { loadWorker } = await import('attention-wasm');
  const attention = await loadWorker();
  try {
    progress.started(attention.info.threads);
    const all = lengths(sizes.tokens);
    const call = caller(attention, sizes, signal, progress);
    await call(all[0]!, WARM_UP, Infinity);
    for (const tokens of all) {
      progress.trying(tokens);
      const times = await call(tokens, ENOUGH, MOST_CALLS);
      // What disturbs a call only makes it longer.
      progress.measured({ tokens, milliseconds: Math.min(...times) });
    }
  } finally {
    attention.dispose();
  }
}

type Worker = Awaited<ReturnType<(typeof import('attention-wasm'))['loadWorker']>>;

/** So many numbers repeat, since drawing them takes longer than attention does. */
const DRAWN = 1 << 16;

/** How long each of some calls takes; they go on for so long in all, or for so many. */
function caller(
  attention: Worker,
  { batch, heads, width }: Sizes,
  signal: AbortSignal,
  { done }: Progress,
) {
  const drawn = Float32Array.from({ length: DRAWN }, draws('normal', 1));
  const tensor = (tokens: number, first: number) => {
    const shape = [batch, heads, tokens, width];
    const data = new Float32Array(batch * heads * tokens * width);
    for (let at = 0, from = first; at < data.length; at += DRAWN - from, from = 0) {
      data.set(drawn.subarray(from, from + data.length - at), at);
    }
    return { shape, data };
  };
  return async (tokens: number, enough: number, most: number): Promise<number[]> => {
    const [query, key, value] = [0, 1, 2].map((which) => tensor(tokens, which * 1009));
    const times: number[] = [];
    let total = 0;
    while (
      times.length === 0 ||
      (times.length < 3 && total < LONG) ||
      (total < enough && times.length < most)
    ) {
      const start = performance.now();
      await attention.scaledDotProductAttention(
        query!,
        key!,
        value!,
        {},
        { signal, progress: done },
      );
      times.push(performance.now() - start);
      total += times.at(-1)!;
    }
    return times;
  };
}
