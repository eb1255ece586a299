// Long lists of terms, of which some are written and an ellipsis stands for the others.

/** The places in a list before which others are left out. */
export type Gaps = ReadonlySet<number>;

/** With `left` where others are left out. */
export const withGaps = <Part>(parts: readonly Part[], gaps: Gaps | undefined, left: Part) =>
  parts.flatMap((part, n) => (gaps?.has(n) ? [left, part] : [part]));

/** Which of a list are written, in order, and where others are left out. */
export interface Written {
  of: readonly number[];
  gaps?: Gaps;
}

/** A list of more than `MOST` is shortened; so many are written at its beginning. */
const [MOST, FIRST] = [16, 2];

/** All of a short list; of a long one its ends and those of `also` that are in it. */
export function written(all: readonly number[], also: readonly number[] = []): Written {
  if (all.length <= MOST) return { of: all };
  const kept = new Set([...all.slice(0, FIRST), ...also, all.at(-1)!]);
  const places = [...all.keys()].filter((place) => kept.has(all[place]!));
  const isGap = (n: number) => n > 0 && places[n]! > places[n - 1]! + 1;
  return {
    of: places.map((place) => all[place]!),
    gaps: new Set([...places.keys()].filter(isGap)),
  };
}
