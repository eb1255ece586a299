// Timing the library on this device, in a worker, so that the page goes on while it works.
import { draws } from '../state/random.js';
import { quantile } from '../state/statistics.js';

export const SIZES = { heads: 8, width: 64, tokens: [128, 256, 512, 1024, 2048] };
/** Short calls are repeated until they have taken this long together. */
const ENOUGH = 300;
const MOST = 25;

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
    for (const tokens of SIZES.tokens) {
      progress.trying(tokens);
      progress.measured({ tokens, milliseconds: await time(attention, tokens, signal) });
    }
  } finally {
    attention.dispose();
  }
}

type Worker = Awaited<ReturnType<(typeof import('attention-wasm'))['loadWorker']>>;

async function time(attention: Worker, tokens: number, signal: AbortSignal): Promise<number> {
  const next = draws('normal', tokens);
  const shape = [1, SIZES.heads, tokens, SIZES.width];
  const tensor = () => ({
    shape,
    data: Float32Array.from({ length: SIZES.heads * tokens * SIZES.width }, next),
  });
  const [query, key, value] = [tensor(), tensor(), tensor()];
  const times: number[] = [];
  let total = 0;
  // The first call also warms up; the median forgets it.
  while (times.length < 3 || (total < ENOUGH && times.length < MOST)) {
    const start = performance.now();
    await attention.scaledDotProductAttention(query, key, value, {}, { signal });
    times.push(performance.now() - start);
    total += times.at(-1)!;
  }
  return quantile(times, 0.5);
}
