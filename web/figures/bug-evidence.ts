// What each case of the bug gallery is about: what a faulty attention gives and what is right, or heads
// that differ. Every fault is a real call with the mistake in its inputs or options; only what follows
// softmax is done by hand, as the bug does.
import type { AttentionOptions, MaskRule, Tensor } from 'attention-wasm';
import { html } from 'lit';
import en from '../content/en/figures/bug-gallery.json';
import zh from '../content/zh/figures/bug-gallery.json';
import { isFuture } from '../draw/pair.js';
import { type Line, spell } from '../draw/provenance.js';
import { cellName } from '../draw/symbols.js';
import crossExample from '../examples/cross-attention.json';
import example from '../examples/six-step.json';
import type { Case, Matrix } from '../state/case.js';
import type { Rows } from '../state/explain.js';
import { type Frame, frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { transpose } from '../state/product.js';
import { stepOf } from '../state/steps.js';

/** Weights, the rules that forbid each of them, and everything that led to one. */
export interface Weights {
  values: Matrix;
  cause?: (row: number, column: number) => readonly string[];
  linesOf: (row: number, column: number) => readonly Line[];
}

/** A fault and its cure, with the mask that was given where it tells; or heads, none of them at fault: it
 * is what is said of their weights that is wrong. */
export type Evidence =
  | { faulty: Weights; right: Weights; padding?: readonly (readonly boolean[])[] }
  | { heads: readonly Head[] };

export interface Head extends Weights {
  frame: Frame;
}

export const inputs: Rows = example.inputs;
export const cross: Rows = crossExample.inputs;
const bools = (rows: readonly (readonly boolean[])[]): Tensor => ({
  shape: [rows.length, rows[0]!.length],
  data: Uint8Array.from(rows.flat(), Number),
});
const cells = <T>(rows: number, columns: number, make: (i: number, j: number) => T): T[][] =>
  Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => make(i, j)));

/** Of three sequences with three queries and four keys: true where a key is filler. */
export const paddings = [3, 1, 2].map((length) => [0, 1, 2, 3].map((j) => j >= length));

/** A row for each query, as the library gives them. */
function weights(
  page: Page,
  { query, key, value }: Rows,
  options: AttentionOptions = {},
  dtype: Case['dtype'] = 'float64',
): Weights {
  const frame = frameOf(page, { query, key, value, options, dtype });
  return {
    values: frame.matrices.weights,
    cause: (row, column) => frame.cause[row]?.[column] ?? [],
    linesOf: (row, column) => weightLines(page, frame, row, column),
  };
}

const weightLines = (page: Page, frame: Frame, row: number, column: number) =>
  spell({ stage: 'weights', row, column }, frame, stepOf('weights'), page.words);

const causal = (page: Page) => weights(page, inputs, { mask: 'causal' });
const causalAgainst = (page: Page, faulty: Weights): Evidence => ({ faulty, right: causal(page) });

const added = (values: number[][], dtype: 'float32' | 'float64'): Tensor => ({
  shape: [values.length, values[0]!.length],
  data: dtype === 'float32' ? new Float32Array(values.flat()) : new Float64Array(values.flat()),
});

export const evidence: Record<string, (page: Page) => Evidence> = {
  'value-in-scores': (page) =>
    causalAgainst(page, weights(page, { ...inputs, key: inputs.value }, { mask: 'causal' })),

  // Softmax down the columns is softmax along the rows of the transposed scores.
  'softmax-columns': (page) => {
    const right = weights(page, inputs);
    const turned = weights(page, { query: inputs.key, key: inputs.query, value: inputs.value });
    const linesOf = (row: number, column: number): Line[] => {
      const isSoftmax = ({ stage }: Line) => stage === 'weights';
      const [most, ...rest] = turned.linesOf(column, row).filter(isSoftmax);
      const { columnMax } = { en, zh }[page.language];
      return [
        ...right.linesOf(row, column).filter((line) => !isSoftmax(line)),
        { ...most!, name: html`${columnMax}` },
        ...rest.slice(0, -1),
        { ...rest.at(-1)!, name: cellName('weights', row, column) },
      ];
    };
    return { faulty: { values: transpose(turned.values), linesOf }, right };
  },

  // Its code forbids nothing: it does not know of the other keys.
  'square-assumption': (page) => {
    const { values, linesOf } = weights(page, cross, { mask: { kind: 'lengths', keys: [3] } });
    return { faulty: { values, linesOf }, right: weights(page, cross) };
  },

  'causal-instead-of-padding': (page) => {
    const blocked = bools([[true, true, false, false]]);
    const mask: MaskRule[] = ['causal', { kind: 'padding', blocked }];
    return {
      faulty: weights(page, inputs, { mask: 'causal' }),
      right: weights(page, inputs, { mask }),
    };
  },

  // Two heads that weigh two equal values the opposite way; log 9 apart gives 0.9 and 0.1.
  'weights-as-reasons': (page) => {
    const value = [[0.4], [0.4]];
    const query = [[Math.log(9)]];
    const keys = [
      [[1], [0]],
      [[0], [1]],
    ];
    return {
      heads: keys.map((key): Head => {
        const frame = frameOf(page, { query, key, value, options: {}, dtype: 'float64' });
        const linesOf = (row: number, column: number) => weightLines(page, frame, row, column);
        return { values: frame.matrices.weights, linesOf, frame };
      }),
    };
  },

  'additive-zero-one': (page) => {
    const bias = added(
      cells(4, 4, (i, j) => (isFuture(i, j) ? 0 : 1)),
      'float64',
    );
    return causalAgainst(page, weights(page, inputs, { bias }));
  },

  'inverted-mask': (page) =>
    causalAgainst(page, weights(page, inputs, { mask: { kind: 'not', of: 'causal' } })),

  'no-scaling': (page) => causalAgainst(page, weights(page, inputs, { mask: 'causal', scale: 1 })),

  'scaled-twice': (page) =>
    causalAgainst(page, weights(page, inputs, { mask: 'causal', scale: 1 / 3 })),

  'mask-after-softmax': (page) => {
    const right = causal(page);
    const all = weights(page, inputs);
    const values = all.values.map((row, i) => row.map((x, j) => (isFuture(i, j) ? 0 : x)));
    const linesOf = (row: number, column: number): Line[] => [
      ...all.linesOf(row, column),
      ...(isFuture(row, column)
        ? [{ stage: 'weights', name: html`× 0`, text: html`= <b>0</b>` }]
        : []),
    ];
    return { faulty: { ...right, values, linesOf }, right };
  },

  'finite-minus-infinity': (page) => {
    const isHidden = (i: number, j: number) => i === 1 || isFuture(i, j);
    const bias = added(
      cells(4, 4, (i, j) => (isHidden(i, j) ? -1e9 : 0)),
      'float32',
    );
    const mask: MaskRule = { kind: 'blocked', mask: bools(cells(4, 4, isHidden)) };
    return {
      faulty: weights(page, inputs, { bias }, 'float32'),
      right: weights(page, inputs, { mask }),
    };
  },

  // A bare [B, S] is read as [T, S]: query i is masked with the padding of sequence i.
  'padding-broadcast': (page) => {
    const first = { ...inputs, query: inputs.query.slice(0, 3) };
    const own = bools(cells(3, 4, (_, j) => paddings[0]![j]!));
    return {
      faulty: weights(page, first, { mask: { kind: 'blocked', mask: bools(paddings) } }),
      right: weights(page, first, { mask: { kind: 'blocked', mask: own } }),
      padding: paddings,
    };
  },
};
