// What the scaling lab shows: one draw or many, raw and scaled, each through the library.
import type { Tensor } from 'attention-wasm';
import example from '../examples/scaling-lab.json';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { type Distribution, draws } from '../state/random.js';
import { mean, quantile, variance } from '../state/statistics.js';

export const widths = example.headDims;
/** How many keys there may be, and how many draws per width, all in one batch; the article has eight keys. */
export const keyCounts = [2, 4, 8, 16] as const;
export const drawCounts = [50, 200, 1000] as const;
export const homeCounts = { keys: 8, draws: 200 } as const;

/** One row of scores and what softmax makes of it. */
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
  const keys = key.shape.at(-2)!;
  const scores = rowsOf(steps.scaled.data, keys);
  const weights = rowsOf(steps.weights.data, keys);
  return scores.map((row, i) => ({
    scores: row,
    weights: weights[i]!,
    entropy: diagnostics.rows[i]!.entropy,
  }));
}

/** What is drawn at a width: `count` times one query and its keys. */
export interface Draw {
  of: Distribution;
  width: number;
  seed: number;
  keys: number;
  count?: number;
}

/** Before the scaling, and after. */
const bothOf = (page: Page, [query, key]: readonly [Tensor, Tensor]) => ({
  raw: samples(page, query, key, 1),
  scaled: samples(page, query, key),
});

export const drawn = (page: Page, draw: Draw) => bothOf(page, inputsOf(draw));

/** The first components of each vector. */
function narrowed({ shape, data }: Tensor, width: number): Tensor {
  const whole = shape.at(-1)!;
  const rows = data.length / whole;
  const first = new Float64Array(rows * width);
  for (let row = 0; row < rows; ++row) {
    for (let l = 0; l < width; ++l) first[row * width + l] = Number(data[row * whole + l]);
  }
  return { shape: [...shape.slice(0, -1), width], data: first };
}

function inputsOf({ of, width, seed, keys, count = 1 }: Draw): [Tensor, Tensor] {
  const next = draws(of, seed * 1009 + width);
  const tensor = (rows: number): Tensor => ({
    shape: [count, 1, rows, width],
    data: Float64Array.from({ length: count * rows * width }, next),
  });
  return [tensor(1), tensor(keys)];
}

/** One draw, or the article's own numbers, as calls: before the scaling, and after. */
export function callsOf(page: Page, draw: Omit<Draw, 'of'> & { of: Distribution | 'article' }) {
  const { of, width } = draw;
  const [query, key] =
    of === 'article'
      ? [[example.inputs.query[widths.indexOf(width)]!], example.inputs.key]
      : inputsOf({ ...draw, of }).map(({ data }) => rowsOf(data, width));
  const call = (name: string, scale: number) => ({
    name,
    frame: frameOf(page, { query: query!, key: key!, value: key!, options: { scale } }),
  });
  return [call('raw', 1), call('scaled', 1 / Math.sqrt(width))];
}

const publishedAt = new Map<number, ReturnType<typeof bothOf>>();

/** The article's eight scores at a width; they are given, so the keys are the identity. */
export function published(page: Page, width: number) {
  const known = publishedAt.get(width);
  if (known) return known;
  const row = example.inputs.query[widths.indexOf(width)]!;
  const query = page.library.tensor([row], 'float64');
  const key = page.library.tensor(example.inputs.key, 'float64');
  const made = {
    raw: samples(page, query, key, 1),
    scaled: samples(page, query, key, 1 / Math.sqrt(width)),
  };
  publishedAt.set(width, made);
  return made;
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

const surveys = new Map<string, Survey>();

/** Many draws at every width. */
export function survey(page: Page, of: Distribution, keys: number, count: number): Survey {
  const name = [of, keys, count].join();
  const known = surveys.get(name);
  if (known) return known;
  // Drawing takes longest, so it is done once: narrow vectors are the beginnings of wide ones.
  const [query, key] = inputsOf({ of, width: widths.at(-1)!, seed: 1, keys, count });
  const all = widths.map((width) => ({
    width,
    ...bothOf(page, [narrowed(query, width), narrowed(key, width)]),
  }));
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
  surveys.set(name, made);
  return made;
}
