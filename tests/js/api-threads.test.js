// Calls large enough that work begins while inputs are still to be copied in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load } from 'attention-wasm';
import { draws, fill } from './inputs.js';

const one = await load({ threads: 1, simd: 'baseline' });
const several = await load({ threads: 3, simd: 'baseline' });
after(() => [one, several].forEach((attention) => attention.dispose()));

/** Other numbers each time, so that none left from the call before would do. */
let seed = 100;
function tensors(dtype = 'float32', layout = undefined) {
  const { uniform } = draws(seed++);
  const make = (...shape) => fill(shape, dtype, () => 4 * uniform() - 2, layout);
  return [make(2, 6, 150, 64), make(2, 3, 1100, 64), make(2, 3, 1100, 48)];
}

const causal = { mask: 'causal', start: 'bottom-right' };
const padding = { mask: { kind: 'lengths', keys: [70, 900] } };
const calls = {
  'no mask': {},
  causal,
  'keys that none reads': padding,
  'lse and some weights': {
    ...causal,
    returns: ['lse', 'weights'],
    weightsFor: { heads: [1, 4], queries: [0, 149] },
  },
};

/** Whoever watches a call has its inputs copied in before it begins. */
const watch = { progress: () => true };

for (const [name, options] of Object.entries(calls)) {
  test(`${name}: neither threads nor late inputs change a bit`, () => {
    for (const dtype of ['float32', 'float64', 'float16']) {
      for (let again = 0; again < 2; again++) {
        const inputs = tensors(dtype);
        const expected = one.scaledDotProductAttention(...inputs, options, watch);
        for (const attention of [one, several]) {
          const got = attention.scaledDotProductAttention(...inputs, options);
          assert.equal(got.info.threads, attention === one ? 1 : 3);
          for (const result of ['output', 'lse', 'weights']) {
            assert.deepEqual(got[result], expected[result], `${dtype} ${result}`);
          }
        }
      }
    }
  });
}

test('small heads come several at a time', () => {
  const { uniform } = draws(8);
  const inputs = [40, 120, 120].map((rows) => fill([2, 12, rows, 32], 'float32', uniform));
  for (let again = 0; again < 5; again++) {
    const { output } = several.scaledDotProductAttention(...inputs);
    assert.deepEqual(output, one.scaledDotProductAttention(...inputs).output);
    inputs.forEach(({ data }) => data.reverse());
  }
});

test('memory may grow while inputs are still to come', async () => {
  const { uniform } = draws(7);
  const inputs = [
    [32, 1],
    [8, 4096],
    [8, 4096],
  ].map(([heads, rows]) => fill([1, heads, rows, 128], 'float32', uniform));
  const fresh = await load({ threads: 1, simd: 'baseline' });
  const { output } = fresh.scaledDotProductAttention(...inputs);
  fresh.dispose();
  assert.deepEqual(output, one.scaledDotProductAttention(...inputs, {}, watch).output);
});

test('what progress() does to the inputs changes nothing', () => {
  for (const attention of [one, several]) {
    const inputs = tensors();
    const expected = attention.scaledDotProductAttention(...inputs);
    const { output } = attention.scaledDotProductAttention(...inputs, undefined, {
      progress: () => inputs.forEach(({ data }) => data.fill(NaN)) === undefined,
    });
    assert.deepEqual(output, expected.output);
  }
});

test('one head of keys, and strides, are copied beforehand; a trace and explain() too', () => {
  const [query, key, value] = tensors();
  const head = ({ shape: [, , ...rest], data }) => ({
    shape: [1, 1, 4 * rest[0], rest[1]],
    data: data.subarray(0, 4 * rest[0] * rest[1]),
  });
  const single = [query, key, value].map(head);
  const turned = tensors('float32', { order: [0, 2, 1, 3], room: 0 });
  for (const inputs of [single, turned]) {
    const [expected, got] = [one, several].map((attention) =>
      attention.scaledDotProductAttention(...inputs),
    );
    assert.deepEqual(got.output, expected.output);
  }
  const inputs = tensors();
  const expected = one.scaledDotProductAttention(...inputs);
  assert.deepEqual(several.trace(...inputs).output, expected.output);
  const { steps } = several.explain(...tensors());
  assert.ok(steps.output.data.every(Number.isFinite));
  assert.deepEqual(several.scaledDotProductAttention(...inputs).output, expected.output);
});

test('a call that is stopped leaves the instance as it should be', () => {
  const inputs = tensors();
  const stop = { progress: () => false };
  assert.throws(() => several.scaledDotProductAttention(...inputs, {}, stop), { code: 'stopped' });
  assert.deepEqual(
    several.scaledDotProductAttention(...inputs).output,
    one.scaledDotProductAttention(...inputs).output,
  );
});
