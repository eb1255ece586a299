// A table of numbers per query and key, for figures that only show it.
import type { Matrix } from '../state/case.js';
import type { Words } from '../state/words.js';
import { matrixView } from './matrix.js';
import { domainOf } from './scale.js';
import { vector } from './symbols.js';

export interface Pair {
  title: unknown;
  name?: string;
  values: Matrix;
  /** Weights have a scale of their own, and a column of row sums. */
  kind: 'weights' | 'scores';
  /** What stands at the rows and columns; q₁, q₂, … and k₁, k₂, … unless given. */
  queries?: readonly unknown[];
  keys?: readonly unknown[];
  cause?: (row: number, column: number) => readonly string[];
  domain?: number;
}

export function pairView(words: Words, { title, name = '', values, kind, ...rest }: Pair) {
  const { queries, keys, cause, domain } = rest;
  const isWeights = kind === 'weights';
  return matrixView(
    {
      stage: isWeights ? ('weights' as const) : ('scores' as const),
      values,
      title,
      name,
      spokenName: name === '' ? words.stages[kind] : name,
      rowHeads: queries ?? values.map((_, i) => vector('q', i)),
      columnHeads: keys ?? (values[0] ?? []).map((_, j) => vector('k', j)),
      spoken: (row, column) => `${words.queryAxis} ${row + 1}, ${words.keyAxis} ${column + 1}`,
      scale: isWeights ? 'weight' : 'signed',
      domain: domain ?? (isWeights ? 1 : domainOf(values)),
      ...(cause ? { cause } : {}),
      caption: words.axes,
      sums: isWeights,
      ghost: false,
    },
    words,
  );
}
