// The checks behind the quiz: each calls the library on fresh random numbers and says what it saw.
import type { MaskRule } from 'attention-wasm';
import type en from '../content/en/figures/quiz.json';
import { exactNumber } from '../draw/number.js';
import type { Matrix } from '../state/case.js';
import { refusalOf } from '../state/bench-refusal.js';
import { type Rows, explain } from '../state/explain.js';
import type { Page } from '../state/page.js';
import { draws } from '../state/random.js';
import { mean } from '../state/statistics.js';
import { reasonOf } from './reason.js';
import { drawn, homeCounts } from './scaling-data.js';

export interface Line {
  holds: boolean;
  word: keyof typeof en.lines;
  values: Record<string, string | number>;
}
type Check = (page: Page, seed: number) => Line[];

const WIDTH = 4;
/** Rounding in float64 sums of a few terms. */
const TINY = 1e-12;

function matrices(seed: number) {
  const next = draws('normal', seed);
  return (rows: number, columns = WIDTH): number[][] =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, next));
}

/** What the programs of the checks are given. */
export function programNumbers() {
  const matrix = matrices(1);
  return {
    query: matrix(3),
    key: matrix(5),
    value: matrix(5),
    other: matrix(5),
    more: matrix(2),
  };
}

const gap = (a: Matrix, b: Matrix) =>
  Math.max(...a.flatMap((row, i) => row.map((x, j) => Math.abs(x - b[i]![j]!))), 0);
const short = (x: number) => (x === 0 ? '0' : exactNumber(x));

const roles: Check = (page, seed) => {
  const matrix = matrices(seed);
  const [query, key, value, other] = [matrix(3), matrix(5), matrix(5), matrix(5)];
  const before = explain(page, { query, key, value });
  const after = explain(page, { query, key, value: other });
  const moved = gap(before.weights, after.weights);
  // A fixed shuffle that leaves no row where it was.
  const order = [2, 0, 3, 4, 1];
  const shuffle = (rows: number[][]) => order.map((at) => rows[at]!);
  const mixed = explain(page, { query, key: shuffle(key), value: shuffle(value) });
  const followed = before.weights.map((row) => order.map((at) => row[at]!));
  return [
    { holds: moved === 0, word: 'weightsMoved', values: { value: short(moved) } },
    {
      holds: gap(followed, mixed.weights) < TINY,
      word: 'columns',
      values: { value: short(gap(followed, mixed.weights)) },
    },
    {
      holds: gap(before.output, mixed.output) < TINY,
      word: 'permuted',
      values: { value: short(gap(before.output, mixed.output)) },
    },
  ];
};

const scoreShape: Check = (page, seed) => {
  const matrix = matrices(seed);
  const next = draws('uniform', seed);
  const upTo = (most: number) => Math.floor(((next() + 1) / 2) * most);
  const [queries, keys] = [2 + upTo(6), 2 + upTo(6)];
  const [query, key, value] = [matrix(queries), matrix(keys), matrix(keys)];
  const { scores, weights } = explain(page, { query, key, value });
  const [row, column] = [upTo(queries), upTo(keys)];
  const product = query[row]!.reduce((sum, x, l) => sum + x * key[column]![l]!, 0);
  const score = scores[row]![column]!;
  const shape = [weights.length, weights[0]!.length];
  return [
    {
      holds: shape[0] === queries && shape[1] === keys,
      word: 'shape',
      values: { queries, keys, shape: `[${shape.join(', ')}]` },
    },
    {
      holds: Math.abs(score - product) < TINY,
      word: 'cell',
      values: {
        row: row + 1,
        column: column + 1,
        score: exactNumber(score),
        product: exactNumber(product),
      },
    },
  ];
};

const scaling: Check = (page, seed) => {
  const count = homeCounts.draws;
  const { raw, scaled } = drawn(page, {
    of: 'normal',
    width: 64,
    seed,
    keys: homeCounts.keys,
    count,
  });
  const entropy = (samples: typeof raw) => mean(samples.map((sample) => sample.entropy));
  const [with_, without] = [entropy(scaled), entropy(raw)];
  // Three standard errors around what float64 sampling gives: 2.49 and 0.46.
  return [
    {
      holds: Math.abs(with_ - 2.49) < 0.07,
      word: 'scaled',
      values: { count, value: with_.toFixed(3) },
    },
    { holds: Math.abs(without - 0.46) < 0.12, word: 'raw', values: { value: without.toFixed(3) } },
  ];
};

const twoLengths: Check = (page, seed) => {
  const matrix = matrices(seed);
  const query = matrix(3);
  const lengths = [5, 7].map((keys): Line => {
    const { output } = explain(page, { query, key: matrix(keys), value: matrix(keys) });
    return { holds: output.length === 3, word: 'length', values: { keys, length: output.length } };
  });
  const shorter = { query, key: matrix(5), value: matrix(4) };
  return [...lengths, refused(page, shorter)];
};

/** Whether the library refuses a V of another length, naming both arguments. */
function refused(page: Page, { query, key, value }: Rows): Line {
  const values = { values: value.length, keys: key.length, reason: '' };
  try {
    explain(page, { query, key, value });
  } catch (error) {
    if (!(error instanceof page.library.AttentionError)) throw error;
    const shapeOf = (rows: Matrix) => ({ shape: [rows.length, rows[0]!.length] });
    const shapes = { query: shapeOf(query), key: shapeOf(key), value: shapeOf(value) };
    const reason = reasonOf(page, refusalOf(error, shapes)).text;
    const holds = error.message.includes('key') && error.message.includes('value');
    return { holds, word: 'refused', values: { ...values, reason } };
  }
  return { holds: false, word: 'refused', values };
}

const twoMasks: Check = (page, seed) => {
  const matrix = matrices(seed);
  const keys = 6;
  const inputs = { query: matrix(keys), key: matrix(keys), value: matrix(keys) };
  const padding = (isPad: (key: number) => boolean): MaskRule => ({
    kind: 'padding',
    blocked: {
      shape: [1, keys],
      data: Uint8Array.from({ length: keys }, (_, key) => +isPad(key)),
    },
  });
  const left = (key: number) => key < 2;
  const right = (key: number) => key >= 4;
  const causal = explain(page, inputs, { mask: 'causal' });
  const bothLeft = explain(page, inputs, { mask: ['causal', padding(left)] });
  const bothRight = explain(page, inputs, { mask: ['causal', padding(right)] });
  const filler = ({ weights }: typeof causal) =>
    weights[keys - 1]!.reduce((sum, x, key) => sum + (left(key) ? x : 0), 0);
  const real = (rows: number[][]) => rows.slice(0, 4);
  const difference = gap(real(causal.output), real(bothRight.output));
  return [
    {
      holds: filler(causal) > 0,
      word: 'leftCausal',
      values: { value: exactNumber(filler(causal)) },
    },
    { holds: filler(bothLeft) === 0, word: 'leftBoth', values: { value: short(filler(bothLeft)) } },
    { holds: difference === 0, word: 'rightSame', values: { value: short(difference) } },
  ];
};

export const checks: Record<string, Check> = {
  roles,
  'score-shape': scoreShape,
  scaling,
  'two-lengths': twoLengths,
  'two-masks': twoMasks,
};
