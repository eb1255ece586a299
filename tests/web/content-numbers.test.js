// The numbers that the prose and its data print, computed again in float64.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attention } from '../reference/attention.js';
import { exampleCall, examples } from '../reference/examples.js';
import { tensorOf } from '../reference/tensor.js';

const text = (language, file) =>
  readFileSync(new URL(`../../web/content/${language}/${file}`, import.meta.url), 'utf8')
    .replaceAll('−', '-')
    .replaceAll('{,}', ',');

/** Fails unless both languages print every number, rounded to `digits` decimals. */
function printed(file, digits, numbers) {
  for (const number of numbers) {
    const rounded = number.toFixed(digits).replace(/^-(0\.?0*)$/, '$1');
    const grouped = rounded.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
    const whole = new RegExp(`(?<![\\d.])${grouped.replaceAll('.', '\\.')}(?![\\d]|\\.\\d)`);
    for (const language of ['en', 'zh'])
      assert.match(text(language, file), whole, `${language}/${file} should print ${grouped}`);
  }
}

const example = (name) => exampleCall(examples().find((each) => each.name === name));
/** A stage of a call as rows. */
function rowsOf({ query, key, value, options }, stage, changed = {}) {
  const { steps } = attention(query, key, value, { ...options, ...changed });
  const { data, shape } = steps[stage];
  const width = shape.at(-1);
  return Array.from({ length: data.length / width }, (_, i) => [
    ...data.slice(i * width, (i + 1) * width),
  ]);
}
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const transposed = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));
const entropy = (row) => -sum(row.map((p) => (p > 0 ? p * Math.log2(p) : 0)));
const softmax = (row) => {
  const parts = row.map((x) => Math.exp(x - Math.max(...row)));
  return parts.map((part) => part / sum(parts));
};

const sixStep = example('six-step');
const noMask = { mask: undefined };
const lower = tensorOf([0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => Number(j <= i))));

test('the opening and the five operations', () => {
  const [scores, scaled, weights, output] = ['scores', 'scaled', 'weights', 'output'].map((stage) =>
    rowsOf(sixStep, stage),
  );
  printed('01-attention.md', 4, [output[3][0], scaled[0][0], scaled[0][1], scaled[3][1]]);
  printed('01-attention.md', 4, rowsOf(sixStep, 'output', noMask)[0]);
  printed('04-steps.md', 4, [scores[0][0], scores[0][1], ...scores[1], ...scaled[1]]);
  printed('04-steps.md', 4, [...weights[1].slice(0, 2), ...output[1]]);
  printed('04-steps.md', 4, rowsOf(sixStep, 'output', noMask)[1]);
  printed('04-steps.md', 4, [scaled[1][1] - scaled[1][0], rowsOf(sixStep, 'rowSum').flat()[1]]);
  printed('04-steps.md', 4, weights.slice(1).map(entropy));
  printed('04-steps.md', 4, [2 * weights[1][0], 2 * weights[1][1], Math.log2(3)]);
});

test('one query, and the sentence', () => {
  const fruit = example('fruit-query');
  printed('02-why.md', 4, [rowsOf(fruit, 'scaled')[0][1], ...rowsOf(fruit, 'weights')[0]]);
  printed('02-why.md', 4, rowsOf(fruit, 'weights', { scale: 1 })[0]);
  printed('02-why.md', 3, [Math.exp(5 / Math.sqrt(3)), 2 + Math.exp(5 / Math.sqrt(3))]);
  const it = rowsOf(example('sentence'), 'weights')[7];
  printed('08-alignment.md', 2, [it[1], it[5], it[9]]);
  printed('08-alignment.md', 2, [rowsOf(example('sentence'), 'weights', { mask: 'causal' })[7][1]]);
});

test('scaling', () => {
  const [sharp] = rowsOf(example('saturated-softmax'), 'weights');
  const soft = softmax([10, 1, 1].map((x) => x / Math.sqrt(128)));
  printed('05-scaling.md', 6, sharp);
  printed('05-scaling.md', 6, [sharp[0] * (1 - sharp[0])]);
  printed('05-scaling.md', 4, [...soft, soft[0] * (1 - soft[0])]);
  printed('05-scaling.md', 1, [Math.sqrt(128)]);
  const slope = (p) =>
    Math.hypot(...p.flatMap((a, i) => p.map((b, j) => a * ((i === j ? 1 : 0) - b))));
  printed('05-scaling.md', 4, [slope(Array(8).fill(1 / 8))]);
  assert.ok(Math.abs(slope([0.5, 0.5, 0, 0, 0, 0, 0, 0]) - 0.5) < 1e-15);
  const lab = examples().find(({ name }) => name === 'scaling-lab');
  const scoresAt = (width) => lab.inputs.query[lab.headDims.indexOf(width)];
  const variance = (row) => sum(row.map((x) => (x - sum(row) / row.length) ** 2)) / row.length;
  const scaled = scoresAt(64).map((x) => x / 8);
  printed('05-scaling.md', 2, [variance(scoresAt(64)), variance(scaled)]);
  printed('05-scaling.md', 2, [variance(scoresAt(32)), variance(scoresAt(48)), 64 / 9]);
  printed('05-scaling.md', 3, [entropy(softmax(scoresAt(64))), entropy(softmax(scaled)), 1 / 9]);
  printed('05-scaling.md', 2, [slope(softmax(scoresAt(64))), slope(softmax(scaled))]);
  const isSaturated = (width) => {
    const [raw, soft] = [1, Math.sqrt(width)].map((by) =>
      softmax(scoresAt(width).map((score) => score / by)),
    );
    assert.equal(Math.max(...raw) > 0.7, slope(raw) < 0.9 * slope(soft), `${width}`);
    return Math.max(...raw) > 0.7;
  };
  assert.equal(lab.headDims.length, 16);
  assert.deepEqual(lab.headDims.filter(isSaturated), [32, 80, 120, 128]);
});

const nodes = Array.from({ length: 121 }, (_, at) => -6 + at / 10);
const bell = nodes.map((x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI) / 10);

/**
 * The mean entropy, in bits, of softmax of eight independent normal scores of this deviation, without
 * drawing any: it is E ln Z - E Σ p z, where ln Z = ∫ (exp(-t) - exp(-t Z)) dt/t, the expectation of
 * exp(-t Z) is that of one score to the power of eight, and the second part is the derivative of the first
 * by the logarithm of the deviation.
 */
function meanEntropy(deviation) {
  const [step, end] = [0.5, 6 * deviation + 30];
  let total = 0;
  for (let u = -end; u < end; u += step) {
    let [left, change] = [0, 0];
    nodes.forEach((x, at) => {
      const part = Math.min(Math.exp(u + deviation * x), Number.MAX_VALUE);
      const kept = bell[at] * Math.exp(-part);
      left += kept;
      if (kept > 0) change += deviation * x * part * kept;
    });
    total += step * (Math.exp(-Math.exp(u)) - left ** 8 - 8 * left ** 7 * change);
  }
  return total / Math.LN2;
}

/** The mean over the lengths of a query of normal components; given it, the scores have it as deviation. */
function overLengths(width, of) {
  const root = Math.sqrt(width);
  let [total, all] = [0, 0];
  for (let length = Math.max(0.25, root - 3); length < root + 3; length += 0.5) {
    const weight = Math.exp((width - 1) * Math.log(length / root) - (length ** 2 - width) / 2);
    total += weight * of(length);
    all += weight;
  }
  return total / all;
}

test('mean entropy and largest weight of eight keys', () => {
  let state = 20240607;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const draws = 20000;
  for (const width of [8, 64, 128]) {
    const divisors = [1, Math.sqrt(width)];
    const entropies = divisors.map((by) =>
      overLengths(width, (length) => meanEntropy(length / by)).toFixed(2),
    );
    const largest = [0, 0];
    for (let draw = 0; draw < draws; draw++) {
      const length = Math.sqrt(sum(Array.from({ length: width }, () => normal() ** 2)));
      const scores = Array.from({ length: 8 }, () => length * normal());
      divisors.forEach((by, at) => {
        largest[at] += Math.max(...softmax(scores.map((score) => score / by))) / draws;
      });
    }
    const row = new RegExp(
      String.raw`^\| ${width} +\| ${width} +\| (\S+) \S+ +\| (\S+) \S+ +\| (\S+) +\| (\S+) +\|$`,
      'm',
    );
    for (const language of ['en', 'zh']) {
      const claimed = text(language, '05-scaling.md').match(row)?.slice(1) ?? [];
      assert.deepEqual(claimed.slice(0, 2), entropies, `${language} ${width}`);
      claimed.slice(2).forEach((number, at) => {
        const gap = Math.abs(number - largest[at]);
        assert.ok(gap < 0.01, `${language} ${width}: ${number}, ${largest[at]}`);
      });
    }
  }
});

test('masks', () => {
  printed('06-masks.md', 4, rowsOf(example('causal-demo'), 'weights')[3].slice(0, 4));
  const before = rowsOf(sixStep, 'weights', noMask);
  printed(
    '06-masks.md',
    4,
    [0, 1, 2].map((i) => sum(before[i].slice(0, i + 1))),
  );
  const shown = rowsOf(example('causal-demo'), 'weights').map((row) =>
    sum(row.map((weight) => Number(weight.toFixed(2)))),
  );
  printed('06-masks.md', 2, shown.slice(3));
  assert.equal(Math.fround(0.314 - 1e9), -1e9);
  assert.equal(Math.fround(1e9 + 64) - Math.fround(1e9), 64);
  assert.equal(Math.fround(1e9 + 32), 1e9);
});

test('precision', () => {
  printed('07-precision.md', 2, [65504, 2 ** 127 * (2 - 2 ** -23), Number.MAX_VALUE].map(Math.log));
  const [scaled] = rowsOf(sixStep, 'scaled', noMask).slice(3);
  printed('07-precision.md', 4, scaled);
  let [max, total] = [-Infinity, 0];
  for (const score of scaled) {
    const larger = Math.max(max, score);
    total = total * Math.exp(max - larger) + Math.exp(score - larger);
    max = larger;
    if (total !== 1) printed('07-precision.md', 4, [max, total]);
  }
  printed('07-precision.md', 4, [Math.exp(scaled[0] - scaled[1]), max + Math.log(total)]);
  printed('07-precision.md', 0, rowsOf(example('half-overflow'), 'scaled')[0]);
  printed('07-precision.md', 0, [64 * 40 * 40]);
  printed('07-precision.md', 2, softmax([3, 2, 1]));
});

test('what PyTorch made of the padded batch is what the formula gives', () => {
  const file = new URL('../../web/figures/torch-padding.json', import.meta.url);
  const recorded = JSON.parse(readFileSync(file));
  const padded = { mask: { kind: 'lengths', keys: [3] } };
  for (const stage of ['output', 'weights']) {
    const rows = rowsOf(example('cross-attention'), stage, padded);
    assert.equal(recorded[stage].length, 3);
    recorded[stage].flat().forEach((number, at) => {
      assert.ok(Math.abs(number - rows.flat()[at]) < 1e-15, `${stage} ${at}`);
    });
  }
});

test('alignment of two queries and five keys', () => {
  const zeros = (count) => tensorOf(Array.from({ length: count }, () => [0]));
  const value = tensorOf([[1], [2], [4], [8], [16]]);
  const call = { query: zeros(2), key: zeros(5), value, options: { mask: 'causal' } };
  const outputs = ['top-left', 'bottom-right'].map((start) => rowsOf(call, 'output', { start }));
  assert.deepEqual(outputs.flat(2), [1, 1.5, 3.75, 6.2]);
  printed('08-alignment.md', 1, [1.5, 6.2]);
  printed('08-alignment.md', 2, [3.75]);
});

test('cost', () => {
  for (const [n, d] of [
    [512, 768],
    [2048, 12288],
    [4096, 4096],
    [32768, 4096],
    [1000000, 4096],
  ]) {
    const layer = (length) => 8 * length * d ** 2 + 4 * length ** 2 * d;
    printed('09-cost.md', 2, [layer(2 * n) / layer(n)]);
  }
  const bytes = (n) => 4 * n ** 2;
  assert.deepEqual([bytes(512), bytes(2048)], [2 ** 20, 16 * 2 ** 20]);
  printed('09-cost.md', 1, [bytes(1e6) / 2 ** 40]);
  printed('09-cost.md', 0, [(1344 / 14) ** 2, (1344 / 28) ** 2]);
});

test('the traces of the faults', () => {
  const columns = transposed(transposed(rowsOf(sixStep, 'scaled', noMask)).map(softmax));
  const future = { kind: 'not', of: 'causal' };
  const weights = rowsOf(sixStep, 'weights');
  const faults = {
    columns: columns.map(sum),
    additive: rowsOf(sixStep, 'weights', { mask: undefined, bias: lower })[0],
    unscaled: rowsOf(sixStep, 'weights', { scale: 1 })[3],
    late: rowsOf(sixStep, 'weights', noMask).map((row, i) => sum(row.slice(0, i + 1))),
    right: weights[3],
  };
  for (const file of ['10-pitfalls.md', 'bugs.json']) {
    for (const numbers of Object.values(faults))
      printed(
        file,
        4,
        numbers.filter((number) => Math.abs(number - 1) > 1e-12),
      );
  }
  assert.deepEqual(rowsOf(sixStep, 'weights', { mask: future })[2], [0, 0, 0, 1]);
  printed('bugs.json', 4, rowsOf(sixStep, 'weights', { scale: 1 / 3 })[3]);
  const valueAsKey = { ...sixStep, key: sixStep.value };
  printed('bugs.json', 4, rowsOf(valueAsKey, 'weights')[1].slice(0, 2));
  const filler = { kind: 'padding', blocked: tensorOf([[true, true, false, false]]) };
  printed('bugs.json', 4, [weights[3][0] + weights[3][1]]);
  printed('bugs.json', 4, rowsOf(sixStep, 'weights', { mask: ['causal', filler] })[3].slice(2));
  // What the other suspects would have given.
  const all = rowsOf(sixStep, 'weights', noMask);
  printed('bugs.json', 4, all[0]);
  printed('bugs.json', 4, all[1]);
  printed('bugs.json', 4, rowsOf(sixStep, 'weights', { scale: 1 })[1].slice(0, 2));
  printed('bugs.json', 4, rowsOf(valueAsKey, 'weights')[3]);
  printed('bugs.json', 4, [sum(all.map((row) => row[0]))]);
  const ten = tensorOf(weights.map((row, i) => row.map((_, j) => (j > i ? -10 : 0))));
  printed(
    'bugs.json',
    4,
    rowsOf(sixStep, 'weights', { mask: undefined, bias: ten })[0].slice(0, 1),
  );
  for (const j of [1, 2, 3]) {
    const ahead = ([first, ...others]) => first / others[j - 1];
    assert.ok(Math.abs(ahead(faults.additive) / ahead(all[0]) - Math.E) < 1e-9);
  }
});
