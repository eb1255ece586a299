// Which groups of rules forbid which cells of the workbench's mask.
import { slices } from './turns.js';

/** For each group of rules 1 where it lets a query read a key, [T, S]. */
type Allowed = readonly Uint8Array[];

/** Of a cell that several groups forbid, or none of them, but a bias of −∞. */
export const OTHER = 255;

export interface Causes {
  /** Of each cell [T, S]: 0 where it is allowed, n where only the nth group forbids it, or `OTHER`. */
  cells: Uint8Array;
  /** What of that there is. */
  found: ReadonlySet<number>;
}

export function* causesOf(masked: ArrayLike<number>, allowed: Allowed): Generator<void, Causes> {
  const cells = new Uint8Array(masked.length);
  const found = new Set<number>();
  yield* slices(cells.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      if (masked[at] !== -Infinity) continue;
      let cause = 0;
      for (let group = 0; group < allowed.length; ++group) {
        if (allowed[group]![at] === 0) cause = cause === 0 ? group + 1 : OTHER;
      }
      cells[at] = cause || OTHER;
    }
    for (let cause = 1; cause <= allowed.length; ++cause) {
      if (!found.has(cause) && cells.subarray(from, to).includes(cause)) found.add(cause);
    }
    if (!found.has(OTHER) && cells.subarray(from, to).includes(OTHER)) found.add(OTHER);
  });
  return { cells, found };
}

/** The groups of rules that forbid a cell, counted from 0. */
export const causesAt = (allowed: Allowed, at: number): number[] =>
  allowed.flatMap((cells, group) => (cells[at] === 0 ? [group] : []));
