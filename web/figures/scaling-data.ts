// What the scaling lab shows: one draw or many, raw and scaled, each through the library.
import type { Tensor } from 'attention-wasm';
import example from '../examples/scaling-lab.json';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { type Distribution, draws } from '../state/random.js';
import { mean, quantile, variance } from '../state/statistics.js';
import { atOnce, slices } from '../state/turns.js';

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

/** The first components of each vector, of some of the draws. */
function narrowed({ shape, data }: Tensor, width: number, from: number, to: number): Tensor {
  const [, , each = 1, whole = 1] = shape;
  const first = new Float64Array((to - from) * each * width);
  for (let row = 0; row < (to - from) * each; ++row) {
    for (let l = 0; l < width; ++l) {
      first[row * width + l] = Number(data[(from * each + row) * whole + l]);
    }
  }
  return { shape: [to - from, 1, each, width], data: first };
}

/** A turn of drawing: a millisecond. */
const NUMBERS = 1 << 14;

function* drawing({ of, width, seed, keys, count = 1 }: Draw): Generator<void, [Tensor, Tensor]> {
  const next = draws(of, seed * 1009 + width);
  const tensor = (rows: number) => ({
    shape: [count, 1, rows, width],
    data: new Float64Array(count * rows * width),
  });
  const made = [tensor(1), tensor(keys)] as [Tensor, Tensor];
  for (const { data } of made) {
    const draw = (from: number, to: number) => {
      for (let at = from; at < to; ++at) data[at] = next();
    };
    yield* slices(data.length, draw, NUMBERS);
  }
  return made;
}
const inputsOf = (draw: Draw) => atOnce(drawing(draw));

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

/** What is measured of each draw, before the scaling and after. */
export type Measure = `${'raw' | 'scaled'}${'Variance' | 'Entropy'}`;
export type Survey = Record<Measure, Spread[]>;

/** Of which draws, and how many at each width. */
export interface Asked {
  of: Distribution;
  keys: number;
  count: number;
}

/** A turn of asking the library: of so many draws, two milliseconds. */
const AT_A_TIME = 50;
const surveys = new Map<string, Survey>();
export const nameOf = ({ of, keys, count }: Asked) => [of, keys, count].join();

/** What has been found already. */
export const surveyed = (asked: Asked): Survey | undefined => surveys.get(nameOf(asked));

/** Many draws at every width. */
export function* surveying(page: Page, asked: Asked): Generator<void, Survey> {
  const known = surveyed(asked);
  if (known) return known;
  const { of, keys, count } = asked;
  // Drawing takes longest, so it is done once: narrow vectors are the beginnings of wide ones.
  const all = yield* drawing({ of, width: widths.at(-1)!, seed: 1, keys, count });
  const made: Survey = { rawVariance: [], scaledVariance: [], rawEntropy: [], scaledEntropy: [] };
  for (const width of widths) {
    const found: Record<Measure, number[]> = {
      ...{ rawVariance: [], scaledVariance: [] },
      ...{ rawEntropy: [], scaledEntropy: [] },
    };
    for (let from = 0; from < count; from += AT_A_TIME) {
      const to = Math.min(from + AT_A_TIME, count);
      const [query, key] = all.map((tensor) => narrowed(tensor, width, from, to));
      const both = bothOf(page, [query!, key!]);
      for (const kind of ['raw', 'scaled'] as const) {
        found[`${kind}Variance`].push(...both[kind].map(({ scores }) => variance(scores)));
        found[`${kind}Entropy`].push(...both[kind].map(({ entropy }) => entropy));
      }
      yield;
    }
    for (const measure of Object.keys(made) as Measure[]) {
      made[measure].push(spread(width, found[measure]));
    }
  }
  surveys.set(nameOf(asked), made);
  return made;
}

/** The same at once, whatever it takes. */
export const survey = (page: Page, asked: Asked): Survey => atOnce(surveying(page, asked));
