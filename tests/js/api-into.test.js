// The output in an array of the caller's.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load } from 'attention-wasm';
import { draws, fill } from './inputs.js';

const attention = await load({ simd: 'baseline' });
const threaded = await load({ simd: 'baseline', threads: 2 });
after(() => [attention, threaded].forEach((instance) => instance.dispose()));

const tensors = (dtype, seed = 1, [T, S] = [5, 7]) => {
  const { uniform } = draws(seed);
  return [
    [T, 8],
    [S, 8],
    [S, 6],
  ].map(([rows, width]) => fill([2, 3, rows, width], dtype, uniform));
};

for (const dtype of ['float32', 'float64', 'float16', 'bfloat16']) {
  test(`${dtype}: the same bits, in that array and nowhere beside it`, () => {
    const inputs = tensors(dtype);
    const options = { mask: 'causal', start: 0, returns: ['lse', 'weights'] };
    const expected = attention.scaledDotProductAttention(...inputs, options);
    const { length, constructor } = expected.output.data;
    const room = new constructor(length + 6).fill(9);
    const into = room.subarray(3, 3 + length);
    const got = attention.scaledDotProductAttention(...inputs, options, { into });
    assert.equal(got.output.data, into);
    assert.deepEqual(got, expected);
    assert.deepEqual([...room.subarray(0, 3), ...room.subarray(-3)], Array(6).fill(9));
  });
}

test('with more threads it is filled while they are at work, each element once', () => {
  const [query, , value] = tensors('float32', 5, [1500, 1500]);
  const expected = attention.scaledDotProductAttention(query, query, value);
  const into = new Float32Array(expected.output.data.length);
  const ends = [0];
  into.set = function (elements, start) {
    assert.equal(start, ends.at(-1));
    ends.push(start + elements.length);
    Float32Array.prototype.set.call(this, elements, start);
  };
  threaded.scaledDotProductAttention(query, query, value, {}, { into });
  assert.equal(ends.at(-1), into.length);
  assert.ok(ends.length > 2, `${ends.length - 1} pieces`);
  assert.deepEqual(new Float32Array(into), expected.output.data);
});

for (const dtype of ['float32', 'float64', 'float16', 'bfloat16']) {
  test(`${dtype}, with more threads: the same bits, in an array of the caller's or a new one`, () => {
    const [query, key, value] = tensors(dtype, 6, [700, 2000]);
    const expected = attention.scaledDotProductAttention(query, key, value, {
      mask: 'causal',
      start: 0,
    });
    const call = (more) =>
      threaded.scaledDotProductAttention(query, key, value, { mask: 'causal', start: 0 }, more);
    const into = new expected.output.data.constructor(expected.output.data.length);
    for (const more of [undefined, { into }, { progress: () => true }]) {
      assert.deepEqual(call(more).output, expected.output);
    }
  });
}

test('it may be one of the inputs, also where those are copied in late', () => {
  for (const sizes of [
    [5, 7],
    [700, 2000],
  ]) {
    const [, key] = tensors('float32', 2, sizes);
    const [query] = tensors('float32', 3, sizes);
    const { output } = attention.scaledDotProductAttention(query, key, key);
    for (const instance of [attention, threaded]) {
      const into = query.data.slice();
      const given = { ...query, data: into };
      const got = instance.scaledDotProductAttention(given, key, key, {}, { into });
      assert.equal(got.output.data, into);
      assert.deepEqual(into, output.data);
    }
  }
});

test('Float16Array, where the engine has it', (context) => {
  const { Float16Array } = globalThis;
  if (!Float16Array) {
    context.diagnostic('this engine has no Float16Array');
    return;
  }
  const inputs = tensors('float16').map(({ shape, data }) => ({
    shape,
    data: new Float16Array(data.buffer, data.byteOffset, data.length),
  }));
  const { output } = attention.scaledDotProductAttention(...inputs);
  const into = new Float16Array(output.data.length);
  attention.scaledDotProductAttention(...inputs, {}, { into });
  assert.deepEqual(into, output.data);
});

test('a cache writes there too', () => {
  const [query, key, value] = tensors('float32');
  const cache = attention.createCache({
    batch: 2,
    kvHeads: 3,
    headDim: 8,
    valueDim: 6,
    capacity: 9,
  });
  cache.append(key, value);
  const { output } = cache.attend(query);
  const into = new Float32Array(output.data.length);
  assert.equal(cache.attend(query, {}, { into }).output.data, into);
  assert.deepEqual(into, output.data);
  assert.throws(() => cache.attend(query, {}, { into: into.subarray(1) }), {
    code: 'shape',
    argument: 'into',
  });
  cache.dispose();
});

test('a call that fails or is stopped leaves the array as it was', () => {
  const inputs = tensors('float32', 4, [900, 900]);
  const into = new Float32Array(2 * 3 * 900 * 6).fill(7);
  const call = (options, more) =>
    attention.scaledDotProductAttention(...inputs, options, { into, ...more });
  assert.throws(() => call({ scale: 'x' }), { name: 'AttentionError' });
  assert.throws(() => call({}, { progress: () => false }), { code: 'stopped' });
  assert.ok(into.every((x) => x === 7));
  call({});
  assert.ok(into.every((x) => x !== 7));
});
