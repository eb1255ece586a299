// Ways of computing the same, side by side: of each the numbers of its steps below one another, and what
// became of them.
import { html } from 'lit';
import type { Matrix } from '../state/case.js';
import type { Words } from '../state/words.js';
import { type GridState, matrixView } from './matrix.js';

/** A row: what stands before it, how that is read out, and how its numbers are written. */
export type Lane = readonly [head: unknown, spoken: string, write: (x: number) => string];

export interface Lanes<Name extends string> {
  /** Among the figure's tables. */
  stage: Name;
  title: string;
  values: Matrix;
  lanes: readonly Lane[];
  heads: readonly unknown[];
  /** What the columns are called. */
  spoken: readonly string[];
  /** What became of the numbers. */
  says: unknown;
}

/** `grid` is what the reader is doing with it; without it the table is for reading only. */
export const lanesView = <Name extends string>(
  words: Words,
  { stage, title, values, lanes, heads, spoken, says }: Lanes<Name>,
  grid?: GridState<Name>,
) =>
  html`<div>
    <p class="comparison-title">${title}</p>
    ${matrixView(
      {
        ...{ stage, values, name: '', spokenName: title, scale: 'signed', ghost: false },
        // Of unlike numbers no tint says which is the larger.
        domain: Infinity,
        rowHeads: lanes.map(([head]) => head),
        columnHeads: heads,
        spoken: (row, column) => `${lanes[row]![1]}, ${spoken[column]!}`,
        write: (x, row) => lanes[row]![2](x),
      },
      words,
      grid,
    )}
    <p class="remark" aria-live="polite">${says}</p>
  </div>`;

/** What a number is and, behind an arrow, what is kept of it. */
export const keptView = (x: number, kept: number, write: (x: number) => string) =>
  html`${Object.is(x, kept) ? '' : `${write(x)} → `}<b>${write(kept)}</b>`;

/** The three cells of a lane. */
export const laneOf = <Name extends string>(stage: Name, row: number) =>
  [0, 1, 2].map((column) => ({ stage, row, column }));
