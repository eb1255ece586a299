// Calls one after the other on one instance, which keeps what it can from one to the next: the checks
// of a call that is made again, and the memory in which the last call's tensors still lie.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'attention-wasm';
import { attention as reference } from '../reference/attention.js';
import { dense } from '../reference/tensor.js';
import { assertClose } from './compare.js';
import { draws, fill, inputs } from './inputs.js';

const attention = await load({ threads: 1 });

const of = (seed) =>
  Object.values(inputs(seed, { B: 2, H: 4, kvHeads: 2, T: 5, S: 7, dk: 3, dv: 6 }));
const [query, key, value] = of(21);
const cells = {
  shape: [5, 7],
  data: Uint8Array.from({ length: 35 }, (_, n) => Number(n % 3 > 0)),
};
const flipped = { shape: [5, 7], data: cells.data.map((cell) => 1 - cell) };
const bias = fill([5, 7], 'float32', draws(24).normal);
const causal = { mask: 'causal', start: 2 };
/** A call of the one instance must give what the reference gives. */
function check(options, [q, k, v] = [query, key, value], tolerance = 1e-6) {
  const result = attention.scaledDotProductAttention(q, k, v, options);
  const expected = reference(q, k, v, options ?? {});
  for (const name of ['output', 'lse', ...(result.weights ? ['weights'] : [])]) {
    assert.deepEqual(result[name].shape, expected[name].shape);
    assertClose(dense(result[name], expected[name].shape), expected[name].data, tolerance, name);
  }
}

test('a call is not taken for the one before when something in it has changed', () => {
  const calls = [
    undefined,
    causal,
    { mask: 'causal', start: 1 },
    { scale: 0.5 },
    { scale: -0.5 },
    { sinks: [1, 2, 3, 4] },
    { sinks: [1, 2, 3, 5] },
    { mask: { kind: 'lengths', keys: [3, 7] } },
    { mask: { kind: 'lengths', keys: [4, 7] } },
    { mask: { kind: 'allowed', mask: cells } },
    { mask: { kind: 'allowed', mask: flipped } },
    { mask: { kind: 'blocked', mask: flipped } },
    { bias },
    { bias: { ...bias, data: bias.data.map((x) => -x) } },
    { bias: Array.from({ length: 5 }, (_, i) => Array(7).fill(i)) },
    { mask: { kind: 'function', allows: (b, h, i, j) => i !== j } },
    { mask: { kind: 'function', allows: (b, h, i, j) => i === j } },
  ];
  for (const one of calls) {
    for (const other of calls) for (const options of [one, one, other]) check(options);
  }
  for (const seed of [31, 32, 33]) check(undefined, of(seed));
  const [q, k, v] = of(34);
  check(undefined, [q, { ...k, strides: [0, 21, 3, 1] }, v]);
  check(undefined, [q, k, v]);
});

test('a call made again reads tensors and asks functions anew', () => {
  const mask = { kind: 'allowed', mask: { shape: [5, 7], data: cells.data.slice() } };
  let asked = 0;
  const allows = (b, h, i, j) => (asked++, (i + j) % 2 === 0);
  for (let turn = 0; turn < 4; turn++) {
    mask.mask.data[turn] ^= 1;
    query.data[turn] += 1;
    check({ mask });
    check({ bias });
    bias.data[turn] += 1;
    check({ bias });
    const before = asked;
    check({ mask: { kind: 'function', allows } });
    assert.ok(asked > before);
  }
});

test('it is right whatever stands between', () => {
  const between = [
    () => attention.explain(query, key, value),
    () => attention.trace(query, key, value, { scale: 3 }, { tileKeys: 2 }),
    () => attention.trace(query, key, value, causal, { tileKeys: 2 }),
    () => attention.rows(query, key, value, undefined, {}, { begin: 3, end: 7, first: [] }),
    () => attention.mask('causal', { queries: 3, keys: 3 }).dispose(),
    () => attention.memory(),
    () => attention.describe(),
    () => {
      const cache = attention.createCache({
        batch: 2,
        kvHeads: 2,
        headDim: 3,
        valueDim: 6,
        capacity: 7,
      });
      cache.append(key, value);
      cache.attend(query);
      cache.dispose();
    },
    () => assert.throws(() => attention.scaledDotProductAttention(query, key, key, { scale: '' })),
    () => assert.throws(() => attention.scaledDotProductAttention(query, value, key)),
    () => {
      const progress = () => assert.fail('from the caller');
      const again = () =>
        attention.scaledDotProductAttention(query, key, value, causal, { progress });
      assert.throws(again, /from the caller/);
    },
    () => {
      const progress = () => false;
      const again = () =>
        attention.scaledDotProductAttention(query, key, value, causal, { progress });
      assert.throws(again, { code: 'stopped' });
    },
  ];
  for (const other of between) {
    check(causal);
    other();
    check(causal);
    check(causal);
    other();
    check(undefined);
  }
});

test('it has the same error again, and none once it is mended', () => {
  for (let turn = 0; turn < 3; turn++) {
    assert.throws(
      () => attention.scaledDotProductAttention(query, key, value, { mask: 'causal' }),
      {
        argument: 'start',
      },
    );
    check(causal);
  }
});

test('it gives results of its own each time', () => {
  const first = attention.scaledDotProductAttention(query, key, value);
  const kept = structuredClone(first);
  const second = attention.scaledDotProductAttention(query, key, value);
  assert.deepEqual(second, kept);
  second.output.data.fill(0);
  second.output.shape[0] = 9;
  second.lse.shape[0] = 9;
  assert.deepEqual(first, kept);
  assert.deepEqual(attention.scaledDotProductAttention(query, key, value), kept);
});

// ---- Keys that no query may read are not copied in; an earlier call's lie in their place -----------

const size = { B: 3, H: 4, kvHeads: 2, T: 40, S: 300, dk: 16, dv: 24 };
const batchOf = (last) =>
  Array.from({ length: 3 }, (_, b) => Array.from({ length: 300 }, (_, j) => j > last[b]));
const masks = {
  'lengths, one of them 0': { mask: { kind: 'lengths', keys: [64, 0, 129] } },
  'padding on both sides': {
    mask: {
      kind: 'padding',
      blocked: batchOf([250, 70, 299]).map((row, b) => row.map((cell, j) => cell || j < 100 * b)),
    },
  },
  'a window': { mask: { kind: 'window', left: 3, right: 1 }, start: [0, 63, 200] },
  'causal from the upper left': { mask: 'causal', start: 'top-left' },
  'all before the first key': { mask: 'causal', start: -100 },
  'a function': { mask: { kind: 'function', allows: (b, h, i, j) => j === 65 + h + i } },
};

/** Fills the memory that a call of this size has with NaN. */
function spoil(dtype, ...tensors) {
  const spoilt = tensors.map(({ shape }) => fill(shape, dtype, () => NaN));
  attention.scaledDotProductAttention(...spoilt, { returns: ['lse', 'weights'] });
}

for (const dtype of ['float32', 'float64', 'float16', 'bfloat16']) {
  for (const [name, options] of Object.entries(masks)) {
    test(`only what the mask allows is read, ${dtype}: ${name}`, () => {
      const { query, key, value } = inputs(41, size, { dtype });
      const tolerance = { float16: 2e-3, bfloat16: 2e-2 }[dtype] ?? 1e-5;
      spoil(dtype, query, key, value);
      check(options, [query, key, value], tolerance);
      spoil(dtype, query, key, value);
      check({ ...options, returns: ['lse', 'weights'] }, [query, key, value], tolerance);
    });
  }
}

test('explain shows what is behind the mask all the same', () => {
  const { query, key, value } = inputs(42, size);
  for (const options of Object.values(masks)) {
    spoil('float32', query, key, value);
    const { scores } = attention.explain(query, key, value, options).steps;
    assertClose(
      scores.data,
      reference(query, key, value, options).steps.scores.data,
      1e-5,
      'scores',
    );
  }
});

test('of a share of the rows only its part of the keys is there', () => {
  const { query, key, value } = inputs(43, size);
  const rowsOfHead = 80; // those of the two query heads that read a head of keys
  for (const options of Object.values(masks)) {
    const whole = attention.scaledDotProductAttention(query, key, value, options);
    for (const [head, headEnd] of [
      [0, 6],
      [1, 2],
      [1, 4],
      [3, 6],
    ]) {
      const [begin, end] = [head * rowsOfHead, headEnd * rowsOfHead];
      const part = (tensor, first, last) => ({ ...tensor, data: tensor.data.slice(first, last) });
      const share = { begin, end, first: [begin * 16, head * 300 * 16, head * 300 * 24] };
      spoil('float32', query, key, value);
      const { output } = attention.rows(
        part(query, begin * 16, end * 16),
        part(key, head * 300 * 16, headEnd * 300 * 16),
        part(value, head * 300 * 24, headEnd * 300 * 24),
        options,
        {},
        share,
      );
      assert.deepEqual(output.data, whole.output.data.slice(begin * 24, end * 24));
    }
  }
});
