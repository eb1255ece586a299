// What must be true of every frame, checked on the numbers themselves and always in sight.
import { html } from 'lit';
import type { Frame } from '../state/frame.js';
import { type Words, fill } from '../state/words.js';

export interface Invariant {
  name: 'rowsSum' | 'inUnit' | 'maskedZero' | 'inHull';
  holds: boolean;
  /** A number for the words that state it: cells or rows looked at. */
  count: number;
}

/** Rounding of a float64 sum of a few terms; anything beyond is a fault. */
const ULPS = 8 * Number.EPSILON;

export function invariantsOf({ matrices, cause }: Frame): Invariant[] {
  const { weights, value, output } = matrices;
  const visible = (i: number) => value.map((_, j) => j).filter((j) => !cause[i]?.[j]?.length);
  const sums = weights.map((row) => row.reduce((sum, x) => sum + x, 0));
  const masked = weights.flatMap((row, i) => row.filter((_, j) => cause[i]?.[j]?.length));

  const isInHull = (x: number, i: number, c: number) => {
    const column = visible(i).map((j) => value[j]?.[c] ?? NaN);
    if (column.length === 0) return x === 0;
    const slack = ULPS * Math.max(...column.map(Math.abs));
    return x >= Math.min(...column) - slack && x <= Math.max(...column) + slack;
  };
  return [
    {
      name: 'rowsSum',
      holds: sums.every((sum, i) => Math.abs(sum - (visible(i).length ? 1 : 0)) <= ULPS),
      count: sums.length,
    },
    {
      name: 'inUnit',
      holds: weights.flat().every((x) => x >= 0 && x <= 1),
      count: weights.flat().length,
    },
    { name: 'maskedZero', holds: masked.every((x) => x === 0), count: masked.length },
    {
      name: 'inHull',
      holds: output.every((row, i) => row.every((x, c) => isInHull(x, i, c))),
      count: output.length,
    },
  ];
}

/** The list below a figure, green or red; `names` where it does not show all that they speak of. */
export function invariantsView(frame: Frame, words: Words, names?: readonly Invariant['name'][]) {
  const item = ({ name, holds, count }: Invariant) =>
    html`<li data-holds=${holds ? 'yes' : 'no'}>
      <span class="sign" role="img" aria-label=${holds ? words.holds : words.fails}
        >${holds ? '✓' : '✗'}</span
      >
      ${fill(words.invariant[name], { count })}
    </li>`;
  const shown = invariantsOf(frame).filter(({ name }) => !names || names.includes(name));
  return html`<ul class="invariants" aria-label=${words.invariants}>
    ${shown.map(item)}
  </ul>`;
}
