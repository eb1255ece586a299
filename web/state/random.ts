// Numbers by seed: the same seed gives the same numbers on every device.
import { type Case, type Matrix, sameMatrix, sizeOf } from './case.js';

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

export const seeds = [1, 9999] as const;
export const inputs = ['query', 'key', 'value'] as const;
export type Input = (typeof inputs)[number];

/** Matrices of the same sizes, each from a stream of its own. */
export const randomLike = (matrices: readonly Matrix[], seed: number): number[][][] =>
  matrices.map((like, stream) => randomMatrix(sizeOf(like), seed * matrices.length + stream));

/** The same case with the numbers of a seed; what is not among `names` stays. */
export function seeded(of: Case, seed: number, names: readonly Input[] = inputs): Case {
  const made = randomLike(
    names.map((name) => of[name]),
    seed,
  );
  return { ...of, ...Object.fromEntries(names.map((name, at) => [name, made[at]])), seed };
}

/** The seed that gives just these numbers, if there is one. */
export function seedOf(of: Case, names: readonly Input[] = inputs): number | undefined {
  if (of.seed === undefined) return undefined;
  const made = seeded(of, of.seed, names);
  return names.every((name) => sameMatrix(made[name], of[name])) ? of.seed : undefined;
}

export type Distribution = 'normal' | 'uniform';

/** A stream of independent draws: N(0, 1) (Box and Muller) or U(−1, 1). */
export function draws(distribution: Distribution, seed: number): () => number {
  const next = mulberry32(seed);
  if (distribution === 'uniform') return () => 2 * next() - 1;
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}
