// What the scaling lab shows: one draw or many, raw and scaled, each through the library.
import type { Tensor } from 'attention-wasm';
import example from '../examples/scaling-lab.json';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { type Distribution, draws } from '../state/random.js';
import { mean, quantile, variance } from '../state/statistics.js';

export const widths = example.headDims;
const KEYS = 8;
/** Draws per width, all in one batch. */
export const COUNT = 200;

/** One row of eight scores and what softmax makes of it. */
export interface Sample {
  scores: number[];
  weights: number[];
  entropy: number;
}

const rowsOf = (data: ArrayLike<number>, width: number) =>
  Array.from({ length: data.length / width }, (_, i) =>
    Array.from({ length: width }, (_, j) => Number(data[i * width + j])),
  );

function samples({ attention }: Page, query: Tensor, key: Tensor, scale?: number): Sample[] {
  const { steps, diagnostics } = attention.explain(query, key, key, { scale });
  const scores = rowsOf(steps.scaled.data, KEYS);
  const weights = rowsOf(steps.weights.data, KEYS);
  return scores.map((row, i) => ({
    scores: row,
    weights: weights[i]!,
    entropy: diagnostics.rows[i]!.entropy,
  }));
}

/** `count` draws of one query and eight keys of a width: before the scaling, and after. */
export function drawn(page: Page, of: Distribution, width: number, seed: number, count = 1) {
  const [query, key] = inputsOf(of, width, seed, count);
  return { raw: samples(page, query, key, 1), scaled: samples(page, query, key) };
}

function inputsOf(of: Distribution, width: number, seed: number, count: number) {
  const next = draws(of, seed * 1009 + width);
  const tensor = (rows: number): Tensor => ({
    shape: [count, 1, rows, width],
    data: Float64Array.from({ length: count * rows * width }, next),
  });
  return [tensor(1), tensor(KEYS)] as const;
}

/** One draw, or the article's own numbers, as calls: before the scaling, and after. */
export function callsOf(page: Page, of: Distribution | 'article', width: number, seed: number) {
  const [query, key] =
    of === 'article'
      ? [[example.inputs.query[widths.indexOf(width)]!], example.inputs.key]
      : inputsOf(of, width, seed, 1).map(({ data }) => rowsOf(data, width));
  const call = (name: string, scale: number) => ({
    name,
    frame: frameOf(page, { query: query!, key: key!, value: key!, options: { scale } }),
  });
  return [call('raw', 1), call('scaled', 1 / Math.sqrt(width))];
}

/** The article's eight scores at a width; they are given, so the keys are the identity. */
export function published(page: Page, width: number) {
  const row = example.inputs.query[widths.indexOf(width)]!;
  const query = page.library.tensor([row], 'float64');
  const key = page.library.tensor(example.inputs.key, 'float64');
  return {
    raw: samples(page, query, key, 1),
    scaled: samples(page, query, key, 1 / Math.sqrt(width)),
  };
}

/** Low, middle and high over the draws of one width. */
export interface Spread {
  width: number;
  mean: number;
  low: number;
  high: number;
}

const spread = (width: number, xs: number[]): Spread => ({
  width,
  mean: mean(xs),
  low: quantile(xs, 0.05),
  high: quantile(xs, 0.95),
});

export interface Survey {
  rawVariance: Spread[];
  scaledVariance: Spread[];
  rawEntropy: Spread[];
  scaledEntropy: Spread[];
  /** Mean of the largest weight. */
  rawLargest: number[];
  scaledLargest: number[];
}

const surveys = new Map<Distribution, Survey>();

/** Many draws at every width. */
export function survey(page: Page, of: Distribution): Survey {
  const known = surveys.get(of);
  if (known) return known;
  const all = widths.map((width) => ({ width, ...drawn(page, of, width, 1, COUNT) }));
  const spreads = (kind: 'raw' | 'scaled', measure: (sample: Sample) => number) =>
    all.map((at) => spread(at.width, at[kind].map(measure)));
  const largest = (kind: 'raw' | 'scaled') =>
    all.map((at) => mean(at[kind].map(({ weights }) => Math.max(...weights))));
  const made: Survey = {
    rawVariance: spreads('raw', ({ scores }) => variance(scores)),
    scaledVariance: spreads('scaled', ({ scores }) => variance(scores)),
    rawEntropy: spreads('raw', ({ entropy }) => entropy),
    scaledEntropy: spreads('scaled', ({ entropy }) => entropy),
    rawLargest: largest('raw'),
    scaledLargest: largest('scaled'),
  };
  surveys.set(of, made);
  return made;
}
