// Timing the library on this device, in a worker, so that the page goes on while it works.
import { draws } from '../state/random.js';

export const SIZES = { heads: 8, width: 64, tokens: [128, 256, 512, 1024, 2048] };
/** Short calls are repeated until they have taken this long together, in milliseconds. */
const ENOUGH = 300;
const MOST = 50;
/** Before anything is counted: until then the browser is still compiling, and threads are starting. */
const WARM_UP = 500;

export interface Measured {
  tokens: number;
  milliseconds: number;
}

export interface Progress {
  started: (threads: number) => void;
  trying: (tokens: number) => void;
  measured: (row: Measured) => void;
}

/** Rejects with the signal's reason when it is given up. */
export async function measure(signal: AbortSignal, progress: Progress): Promise<void> {
  const { loadWorker } = await import('attention-wasm');
  const attention = await loadWorker();
  try {
    progress.started(attention.info.threads);
    await callsOf(attention, SIZES.tokens[0]!, signal, [WARM_UP, Infinity]);
    for (const tokens of SIZES.tokens) {
      progress.trying(tokens);
      const times = await callsOf(attention, tokens, signal, [ENOUGH, MOST]);
      // What disturbs a call only makes it longer.
      progress.measured({ tokens, milliseconds: Math.min(...times) });
    }
  } finally {
    attention.dispose();
  }
}

type Worker = Awaited<ReturnType<(typeof import('attention-wasm'))['loadWorker']>>;

/** How long each of some calls takes; they go on for so long in all, or for so many. */
async function callsOf(
  attention: Worker,
  tokens: number,
  signal: AbortSignal,
  [enough, most]: readonly [milliseconds: number, calls: number],
): Promise<number[]> {
  const next = draws('normal', tokens);
  const shape = [1, SIZES.heads, tokens, SIZES.width];
  const tensor = () => ({
    shape,
    data: Float32Array.from({ length: SIZES.heads * tokens * SIZES.width }, next),
  });
  const [query, key, value] = [tensor(), tensor(), tensor()];
  const times: number[] = [];
  let total = 0;
  while (times.length < 3 || (total < enough && times.length < most)) {
    const start = performance.now();
    await attention.scaledDotProductAttention(query, key, value, {}, { signal });
    times.push(performance.now() - start);
    total += times.at(-1)!;
  }
  return times;
}
