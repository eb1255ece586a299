// Numbers by seed: the same seed gives the same numbers on every device.

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state, enough for a few numbers to look at. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Entries uniform in [−1, 1] with two decimals, like the article's. */
export function randomMatrix([rows, columns]: readonly [number, number], seed: number): number[][] {
  const next = mulberry32(seed);
  const entry = () => (Math.round(next() * 200) - 100) / 100;
  return Array.from({ length: rows }, () => Array.from({ length: columns }, entry));
}

export type Distribution = 'normal' | 'uniform';

/** A stream of independent draws: N(0, 1) (Box and Muller) or U(−1, 1). */
export function draws(distribution: Distribution, seed: number): () => number {
  const next = mulberry32(seed);
  if (distribution === 'uniform') return () => 2 * next() - 1;
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}
