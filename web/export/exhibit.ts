// What a figure shows, said once by the figure, so that it can be taken elsewhere in any format.
import type { Matrix } from '../state/case.js';
import type { Frame } from '../state/frame.js';

/** X and the matrices that make Q, K and V of it. */
export interface Projection {
  x: Matrix;
  weights: Record<'query' | 'key' | 'value', Matrix>;
}

/** One call of the library with all its steps. */
export interface Call {
  /** Where there are several. */
  name?: string;
  frame: Frame;
  /** Where Q, K and V come from, if they are not given. */
  projection?: Projection;
}

export interface Table {
  name: string;
  head: readonly string[];
  rows: readonly (readonly (number | string)[])[];
}

export const languages = ['PyTorch', 'NumPy', 'JavaScript', 'C++'] as const;
/** The text of a program in each language. */
export type Programs = Record<(typeof languages)[number], string>;

export interface Exhibit {
  calls: readonly Call[];
  /** What programs check where it is no call; else they repeat the calls. As many as it is saved in. */
  programs?: () => Promise<Partial<Programs>>;
  /** Of one that is prose. */
  markdown?: string;
  /** Numbers that are not steps of a call. */
  tables?: readonly Table[];
}

/** A matrix of the figure as a table; its columns are counted from 1. */
export const tableOf = (name: string, rows: Matrix): Table => ({
  name,
  head: (rows[0] ?? []).map((_, column) => String(column + 1)),
  rows,
});
