// Calls large enough that threads begin while the caller still copies its inputs in.
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
  return [make(2, 6, 150, 64), make(2, 3, 260, 64), make(2, 3, 260, 48)];
}

const causal = { mask: 'causal', start: 'bottom-right' };
const padding = { mask: { kind: 'lengths', keys: [70, 200] } };
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

for (const [name, options] of Object.entries(calls)) {
  test(`${name}: threads change no bit`, () => {
    for (const dtype of ['float32', 'float64', 'float16']) {
      for (let again = 0; again < 3; again++) {
        const inputs = tensors(dtype);
        const [expected, got] = [one, several].map((attention) =>
          attention.scaledDotProductAttention(...inputs, options),
        );
        assert.equal(got.info.threads, 3);
        for (const result of ['output', 'lse', 'weights']) {
          assert.deepEqual(got[result], expected[result], `${dtype} ${result}`);
        }
      }
    }
  });
}

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
