// A table of numbers per query and key.
import { html } from 'lit';
import type { Matrix } from '../state/case.js';
import type { Words } from '../state/words.js';
import { type GridState, type MatrixModel, matrixView } from './matrix.js';
import { domainOf } from './scale.js';
import { vector } from './symbols.js';

export interface Pair<Name extends string> {
  /** Among the figure's tables. */
  stage: Name;
  title: unknown;
  name?: string;
  /** Where the name alone would not tell it from others: as it is spoken. */
  spokenName?: string;
  values: Matrix;
  /** Weights have a scale of their own, and a column of row sums. */
  kind: 'weights' | 'scores';
  /** What stands at the rows and columns; q₁, q₂, … and k₁, k₂, … unless given. */
  queries?: readonly unknown[];
  keys?: readonly unknown[];
  cause?: (row: number, column: number) => readonly string[];
  domain?: number;
}

/** `grid` is what the reader is doing with it; without it the table is for reading only. */
export function pairView<Name extends string>(
  words: Words,
  { stage, title, name = '', values, kind, ...rest }: Pair<Name>,
  grid?: GridState<Name>,
) {
  const { queries, keys, cause, domain } = rest;
  const { spokenName = name === '' ? words.stages[kind] : name } = rest;
  const isWeights = kind === 'weights';
  const model: MatrixModel<Name> = {
    stage,
    values,
    title,
    name,
    spokenName,
    rowHeads: queries ?? values.map((_, i) => vector('q', i)),
    columnHeads: keys ?? (values[0] ?? []).map((_, j) => vector('k', j)),
    spoken: (row, column) => `${words.queryAxis} ${row + 1}, ${words.keyAxis} ${column + 1}`,
    scale: isWeights ? 'weight' : 'signed',
    domain: domain ?? (isWeights ? 1 : domainOf(values)),
    ...(cause ? { cause } : {}),
    caption: words.axes,
    sums: isWeights,
    ghost: false,
  };
  return matrixView(model, words, grid);
}

/** A key after the query's own, which the causal rule forbids. */
export const isFuture = (row: number, column: number) => column > row;

/** Weights under the causal rule, by their name. */
export const causalWeightsView = <Name extends string>(
  words: Words,
  own: Pick<Pair<Name>, 'stage' | 'values'> & { name: string },
  grid?: GridState<Name>,
) =>
  pairView(
    words,
    {
      ...own,
      title: html`<var>A</var>`,
      kind: 'weights',
      cause: (row, column) => (isFuture(row, column) ? ['causal'] : []),
    },
    grid,
  );
