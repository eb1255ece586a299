// createCache(): keys and values that stay, step by step like one causal call; and watching calls:
// progress, stopping, the record of tiles.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { AttentionError, load, tensor } from 'attention-wasm';
import { attention as reference } from '../reference/attention.js';
import { assertClose } from './compare.js';
import { random } from './random.js';

const attention = await load({ threads: 2 });
after(() => attention.dispose());

const randomTensor = (shape, seed) => {
  const next = random(seed);
  const length = shape.reduce((product, extent) => product * extent, 1);
  return { shape, data: Float32Array.from({ length }, () => 2 * next() - 1) };
};

/** Positions begin ≤ i < end of a [B, H, T, d] tensor, read in place. */
const part = ({ shape: [B, H, T, d], data }, begin, end) => ({
  shape: [B, H, end - begin, d],
  data: data.subarray(begin * d),
  strides: [H * T * d, T * d, d, 1],
});

const [B, H, kvHeads, T, headDim, valueDim] = [2, 4, 2, 9, 3, 5];
const query = randomTensor([B, H, T, headDim], 1);
const key = randomTensor([B, kvHeads, T, headDim], 2);
const value = randomTensor([B, kvHeads, T, valueDim], 3);
const shape = { batch: B, kvHeads, headDim, valueDim, capacity: 12 };

describe('a cache', () => {
  test('step by step gives what one causal call gives', () => {
    const whole = attention.scaledDotProductAttention(query, key, value, { mask: 'causal' });
    const cache = attention.createCache(shape);
    for (let i = 0; i < T; i++) {
      cache.append(part(key, i, i + 1), part(value, i, i + 1));
      assert.equal(cache.length, i + 1);
      const { output, lse } = cache.attend(part(query, i, i + 1), { mask: 'causal' });
      assert.deepEqual(output.shape, [B, H, 1, valueDim]);
      for (let row = 0; row < B * H; row++) {
        const at = (row * T + i) * valueDim;
        assert.deepEqual(
          output.data.slice(row * valueDim, (row + 1) * valueDim),
          whole.output.data.slice(at, at + valueDim),
        );
        assert.equal(lse.data[row], whole.lse.data[row * T + i]);
      }
    }
    cache.dispose();
  });

  test('several at once stand at the end; weights are over all keys', () => {
    const cache = attention.createCache(shape);
    cache.append(part(key, 0, 6), part(value, 0, 6));
    cache.append(part(key, 6, 9), part(value, 6, 9));
    const options = { mask: 'causal', returns: ['weights'], start: 'bottom-right' };
    const { weights, output } = cache.attend(part(query, 5, 9), { ...options, start: undefined });
    const dense = { shape: [B, H, 4, headDim], data: new Float32Array(B * H * 4 * headDim) };
    for (let row = 0; row < B * H; row++) {
      const at = (row * T + 5) * headDim;
      dense.data.set(query.data.subarray(at, at + 4 * headDim), row * 4 * headDim);
    }
    const expected = reference(dense, key, value, options);
    assert.deepEqual(weights.shape, [B, H, 4, 9]);
    assertClose(weights.data, expected.weights.data, 1e-6, 'weights');
    assertClose(output.data, expected.output.data, 1e-6, 'output');
    cache.dispose();
  });

  test('truncate() forgets the last; ranks 2 and 3 come back as they are', () => {
    const cache = attention.createCache({ headDim: 2, capacity: 4 });
    const [one, two] = [tensor([[1, 2]]), tensor([[3, 4]])];
    cache.append(one, one);
    const before = cache.attend(one);
    assert.deepEqual(before.output.shape, [1, 2]);
    cache.append(two, two);
    assert.notDeepEqual(cache.attend(one), before);
    cache.truncate(1);
    assert.equal(cache.length, 1);
    assert.deepEqual(cache.attend(one), before);
    const three = { shape: [1, 1, 2], data: one.data };
    assert.deepEqual(cache.attend(three).output.shape, [1, 1, 2]);
    cache.truncate(0);
    assert.equal(cache.attend(one).info.emptyRows, 1);
    cache.dispose();
  });

  test('in every dtype', () => {
    for (const dtype of ['float64', 'float16', 'bfloat16']) {
      const cache = attention.createCache({ headDim: 2, capacity: 2, dtype });
      const row = tensor([[0.5, -2]], dtype);
      cache.append(row, row);
      assert.deepEqual(cache.attend(row).output.data, row.data);
      cache.dispose();
    }
  });

  test('more than half of all memory can be in a cache', async () => {
    const own = await load({ threads: 1 });
    const large = own.createCache({ headDim: 1024, capacity: 300_000 }); // 2.3 GiB
    const rows = { shape: [1000, 1024], data: new Float32Array(1024), strides: [0, 1] };
    for (let i = 0; i < 300; i++) large.append(rows, rows);
    assert.equal(large.length, 300_000);
    const { output } = large.attend({ shape: [1, 1024], data: new Float32Array(1024) });
    assert.ok(output.data.every((x) => x === 0));
    own.dispose();
  });

  test('errors, after which it is as it was', () => {
    const cache = attention.createCache(shape);
    cache.append(part(key, 0, 9), part(value, 0, 9));
    const before = cache.attend(query);
    const fails = (call, code, argument, text) =>
      assert.throws(call, (error) => {
        assert.ok(error instanceof AttentionError, `${error.stack}`);
        assert.deepEqual([error.code, error.argument], [code, argument], error.message);
        assert.match(error.message, text);
        return true;
      });
    const k = part(key, 0, 4);
    const v = part(value, 0, 4);
    fails(() => cache.append(k, v), 'capacity', 'key', /9 of 12 keys and 4 more/);
    fails(() => cache.append(k, part(value, 0, 3)), 'shape', 'value', /3/);
    fails(() => cache.append(v, k), 'shape', 'key', /headDim 5/);
    fails(() => cache.append(k), 'type', 'value', /undefined/);
    fails(() => cache.append({ ...k, strides: undefined }, v), 'data', 'key', /elements/);
    fails(() => cache.attend(tensor([[1]])), 'shape', 'key', /head_dim/);
    fails(() => cache.attend(query, { causal: true }), 'option', 'causal', /causal/);
    fails(() => cache.truncate(10), 'shape', 'length', /9/);
    fails(() => cache.truncate(0.5), 'type', 'length', /0\.5/);
    assert.deepEqual(cache.attend(query), before);
    const create = (wrong) => () => attention.createCache({ ...shape, ...wrong });
    fails(create({ heads: 3 }), 'option', 'heads', /kvHeads/);
    fails(create({ capacity: 0 }), 'shape', 'capacity', /1 or more/);
    fails(create({ headDim: 1.5 }), 'type', 'headDim', /1\.5/);
    fails(create({ dtype: 'int8' }), 'dtype', 'dtype', /int8/);
    fails(create({ dtype: 'bool' }), 'dtype', 'dtype', /bool/);
    fails(create({ capacity: 2 ** 40 }), 'memory', 'capacity', /MiB/);
    cache.dispose();
    cache.dispose();
    fails(() => cache.length, 'disposed', 'cache', /disposed/);
  });

  test('what it took is free again, and appending takes no more', () => {
    const before = attention.memory().used;
    const cache = attention.createCache({ headDim: 64, capacity: 10_000 });
    const held = attention.memory().used - before;
    assert.ok(held > 10_000 * 64 * 8);
    const row = { shape: [1, 64], data: new Float32Array(64) };
    for (let i = 0; i < 5000; i++) {
      cache.append(row, row);
      cache.attend(row);
    }
    assert.ok(attention.memory().used - before < held + (2 << 20));
    cache.dispose();
    assert.ok(attention.memory().used - before < 2 << 20);
  });
});

describe('watching a call', () => {
  const rows = randomTensor([4, 1500, 16], 4);

  test('progress rises to 1 and changes nothing', () => {
    const shares = [];
    const result = attention.scaledDotProductAttention(
      rows,
      rows,
      rows,
      {},
      {
        progress: (share) => void shares.push(share),
      },
    );
    assert.ok(shares.length >= 2, `${shares}`);
    assert.equal(shares.at(-1), 1);
    assert.ok(shares.every((share, at) => share > (shares[at - 1] ?? 0) && share <= 1));
    assert.deepEqual(result.output, attention.scaledDotProductAttention(rows, rows, rows).output);
  });

  test('false stops the call; the next one works', () => {
    let told = 0;
    const progress = () => {
      told++;
      return false;
    };
    const call = () => attention.scaledDotProductAttention(rows, rows, rows, {}, { progress });
    assert.throws(call, { name: 'AttentionError', code: 'stopped' });
    assert.equal(told, 1);
    assert.equal(attention.scaledDotProductAttention(query, key, value).output.dtype, 'float32');
  });

  test('what the function throws reaches the caller', () => {
    const own = new TypeError('mine');
    const progress = () => {
      throw own;
    };
    const call = () => attention.scaledDotProductAttention(rows, rows, rows, {}, { progress });
    assert.throws(call, (error) => error === own);
  });

  test('trace(): the tiles of each row, by the rule of the online softmax', () => {
    const options = { mask: 'causal' };
    const { tiles, output } = attention.trace(query, key, value, options, { tileKeys: 4 });
    const expected = attention.explain(query, key, value, options);
    assertClose(output.data, expected.steps.output.data, 1e-6, 'output');
    const ofRow = (b, h, i) =>
      tiles.filter((tile) => tile.batch === b && tile.head === h && tile.query === i);
    for (let b = 0; b < B; b++)
      for (let h = 0; h < H; h++)
        for (let i = 0; i < T; i++) {
          const steps = ofRow(b, h, i);
          const last = steps.at(-1);
          const row = (b * H + h) * T + i;
          // A panel's rows go through the same tiles, of some of which a row may read nothing.
          assert.ok(steps.length >= Math.ceil((i + 1) / 4));
          assert.equal(steps[0].begin, 0);
          let sum = 0;
          let max = -Infinity;
          for (const step of steps) {
            assert.equal(step.scores.length, step.end - step.begin);
            assert.equal(step.tileMax, Math.max(...step.scores));
            assert.equal(step.rowMax, Math.max(max, step.tileMax));
            assertClose([step.rescale], [Math.exp(max - step.rowMax)], 1e-6, 'rescale');
            sum = sum * step.rescale + step.weights.reduce((total, weight) => total + weight, 0);
            assertClose([step.rowSum], [sum], 1e-5, 'rowSum');
            max = step.rowMax;
          }
          assertClose(
            last.output.map((x) => x / last.rowSum),
            expected.steps.output.data.slice(row * valueDim, (row + 1) * valueDim),
            1e-6,
            'output',
          );
        }
  });

  test('trace() wants whole tiles', () => {
    for (const tileKeys of [0, 1.5, -4, '4']) {
      const call = () => attention.trace(query, key, value, {}, { tileKeys });
      assert.throws(call, { code: 'option', argument: 'tileKeys' });
    }
  });
});
