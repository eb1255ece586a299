// Which cells of the workbench's mask are forbidden: by which groups of rules, or by a bias. A score that
// was computed to be −∞ is not.
import type { Tensor } from 'attention-wasm';
import { fourAxes } from './bench-head.js';
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

/** Whether a bias of one head, which may be broadcast, forbids a cell [T, S]. */
function forbiddenBy(bias: Tensor | undefined, keys: number): (at: number) => boolean {
  if (!bias) return () => false;
  const [, , rows, columns] = fourAxes(bias.shape);
  const data = bias.data as Float32Array;
  return (at) => {
    const [row, column] = [rows > 1 ? Math.floor(at / keys) : 0, columns > 1 ? at % keys : 0];
    return data[row * columns + column] === -Infinity;
  };
}

/** Of so many queries and keys. */
export function* causesOf(
  [queries, keys]: readonly [number, number],
  allowed: Allowed,
  bias?: Tensor,
): Generator<void, Causes> {
  const cells = new Uint8Array(queries * keys);
  const isForbidden = forbiddenBy(bias, keys);
  const found = new Set<number>();
  yield* slices(cells.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      let cause = 0;
      for (let group = 0; group < allowed.length; ++group) {
        if (allowed[group]![at] === 0) cause = cause === 0 ? group + 1 : OTHER;
      }
      cells[at] = cause || (isForbidden(at) ? OTHER : 0);
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
