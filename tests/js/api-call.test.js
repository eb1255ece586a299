// scaledDotProductAttention through the package: shapes, strides, views, dtypes, results, memory.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { attention as reference } from '../reference/attention.js';
import { assertClose } from './compare.js';
import { random } from './random.js';

const attention = await load({ threads: 1 });

/** Numbers in [−1, 1] as a float32 tensor. */
const randomTensor = (shape, seed) => {
  const next = random(seed);
  const length = shape.reduce((product, extent) => product * extent, 1);
  return { shape, data: Float32Array.from({ length }, () => 2 * next() - 1) };
};

/** query, key and value of a call with grouped heads, T ≠ S and d_k ≠ d_v. */
const inputs = (seed = 1) => [
  randomTensor([2, 4, 5, 3], seed),
  randomTensor([2, 2, 7, 3], seed + 1),
  randomTensor([2, 2, 7, 6], seed + 2),
];

function assertMatches(result, query, key, value, options, tolerance = 1e-6) {
  const expected = reference(query, key, value, options);
  assert.deepEqual(result.output.shape, expected.output.shape);
  assert.deepEqual(result.lse.shape, expected.lse.shape);
  assertClose(result.output.data, expected.output.data, tolerance, 'output');
  assertClose(result.lse.data, expected.lse.data, tolerance, 'lse');
}

describe('ranks', () => {
  const nested = {
    query: [[1, 0, 2]],
    key: [
      [1, 1, 0],
      [0, 2, 1],
    ],
    value: [
      [1, 2],
      [3, 4],
    ],
  };
  for (const rank of [2, 3, 4]) {
    test(`rank ${rank} comes back as rank ${rank}`, () => {
      const [query, key, value] = Object.values(nested).map((matrix) => {
        const { shape, data } = tensor(matrix);
        return { shape: [...Array(rank - 2).fill(1), ...shape], data };
      });
      const result = attention.scaledDotProductAttention(query, key, value, {
        returns: ['lse', 'weights'],
      });
      const ones = Array(rank - 2).fill(1);
      assert.deepEqual(result.output.shape, [...ones, 1, 2]);
      assert.deepEqual(result.lse.shape, [...ones, 1]);
      assert.deepEqual(result.weights.shape, [...ones, 1, 2]);
      assertMatches(result, query, key, value, {});
      const { steps, lse } = attention.explain(query, key, value);
      assert.deepEqual(steps.scores.shape, [...ones, 1, 2]);
      assert.deepEqual(steps.rowMax.shape, [...ones, 1]);
      assert.deepEqual(steps.output.shape, [...ones, 1, 2]);
      assert.deepEqual(lse.shape, [...ones, 1]);
    });
  }
});

describe('where the data lies', () => {
  const [query, key, value] = inputs();
  const plain = attention.scaledDotProductAttention(query, key, value);

  test('grouped heads, T ≠ S, d_k ≠ d_v', () => assertMatches(plain, query, key, value, {}));

  test('a view into a larger buffer is read through its own offset and length', () => {
    const larger = new Float32Array(query.data.length + 20).fill(NaN);
    larger.set(query.data, 13);
    const view = { shape: query.shape, data: larger.subarray(13, 13 + query.data.length) };
    const result = attention.scaledDotProductAttention(view, key, value);
    assert.deepEqual(result.output.data, plain.output.data);
  });

  test('[B, T, H, d] data and a transposed key are read by their strides', () => {
    const [B, H, T, d] = query.shape;
    const [, kvHeads, S] = key.shape;
    const queryData = new Float32Array(query.data.length);
    for (let b = 0; b < B; b++)
      for (let h = 0; h < H; h++)
        for (let i = 0; i < T; i++)
          for (let c = 0; c < d; c++)
            queryData[((b * T + i) * H + h) * d + c] = query.data[((b * H + h) * T + i) * d + c];
    const keyData = new Float32Array(key.data.length);
    for (let plane = 0; plane < B * kvHeads; plane++)
      for (let j = 0; j < S; j++)
        for (let c = 0; c < d; c++)
          keyData[(plane * d + c) * S + j] = key.data[(plane * S + j) * d + c];
    const result = attention.scaledDotProductAttention(
      { shape: query.shape, data: queryData, strides: [T * H * d, d, H * d, 1] },
      { shape: key.shape, data: keyData, strides: [kvHeads * S * d, S * d, 1, S] },
      value,
    );
    assert.deepEqual(result.output.data, plain.output.data);
  });

  test('a stride of 0 repeats, and data past the reach is not touched', () => {
    const one = { shape: [2, 2, 7, 3], data: key.data.slice(0, 40), strides: [0, 0, 3, 1] };
    one.data.fill(NaN, 21);
    const repeated = { shape: [2, 2, 7, 3], data: new Float32Array(84) };
    for (let plane = 0; plane < 4; plane++) repeated.data.set(key.data.subarray(0, 21), plane * 21);
    assert.deepEqual(
      attention.scaledDotProductAttention(query, one, value).output.data,
      attention.scaledDotProductAttention(query, repeated, value).output.data,
    );
  });

  test('the inputs are not changed and the results are nobody else’s', () => {
    const before = [query, key, value].map(({ data }) => data.slice());
    const first = attention.scaledDotProductAttention(query, key, value);
    const kept = first.output.data.slice();
    const others = inputs(50);
    attention.scaledDotProductAttention(...others, { returns: ['weights'] });
    assert.deepEqual(first.output.data, kept);
    assert.deepEqual(
      [query, key, value].map(({ data }) => data),
      before,
    );
    assert.equal(first.output.data.buffer.byteLength, first.output.data.byteLength);
    first.output.shape[0] = 99;
    first.lse.shape[0] = 99;
    assert.deepEqual(query.shape, [2, 4, 5, 3]);
    assert.deepEqual(others[0].shape, [2, 4, 5, 3]);
  });

  test('data in a SharedArrayBuffer is welcome', () => {
    const shared = new Float32Array(new SharedArrayBuffer(query.data.byteLength));
    shared.set(query.data);
    const result = attention.scaledDotProductAttention(
      { shape: query.shape, data: shared },
      key,
      value,
    );
    assert.deepEqual(result.output.data, plain.output.data);
  });

  test('arrays of another realm, as in an iframe', async () => {
    const { runInNewContext } = await import('node:vm');
    const foreign = runInNewContext('Float32Array').from(query.data);
    assert.ok(!(foreign instanceof Float32Array));
    const result = attention.scaledDotProductAttention(
      { shape: query.shape, data: foreign },
      key,
      value,
    );
    assert.deepEqual(result.output.data, plain.output.data);
  });
});

describe('dtypes', () => {
  const nested = {
    query: [
      [1, 0.5, -2],
      [0.25, 3, 1],
    ],
    key: [
      [1, 1, 0],
      [0, 2, 1],
      [-1, 0.5, 0.5],
    ],
    value: [
      [1, 2],
      [3, 4],
      [-5, 0.125],
    ],
  };
  const inType = (dtype) => Object.values(nested).map((matrix) => tensor(matrix, dtype));
  const exact = reference(...Object.values(nested).map((matrix) => tensor(matrix, 'float64')));
  const tolerances = { float64: 1e-14, float32: 1e-6, float16: 2e-3, bfloat16: 2e-2 };

  for (const [dtype, tolerance] of Object.entries(tolerances)) {
    test(`${dtype} in, ${dtype} out`, () => {
      const [query, key, value] = inType(dtype);
      const { output, lse, weights } = attention.scaledDotProductAttention(query, key, value, {
        returns: ['lse', 'weights'],
      });
      assert.equal(output.dtype, dtype);
      assert.equal(weights.dtype, dtype);
      assert.equal(lse.dtype, dtype === 'float64' ? 'float64' : 'float32');
      assert.equal(output.data.constructor, query.data.constructor);
      assert.ok(lse.data instanceof (dtype === 'float64' ? Float64Array : Float32Array));
      assertClose(toNested(output).flat(), exact.output.data, tolerance, 'output');
      assertClose(toNested(weights).flat(), exact.weights.data, tolerance, 'weights');
    });
  }

  test('float16 in a Uint16Array comes back in a Uint16Array', () => {
    const [query, key, value] = inType('float16').map(({ shape, data }) => ({
      shape,
      data: new Uint16Array(data.buffer),
      dtype: 'float16',
    }));
    const { output } = attention.scaledDotProductAttention(query, key, value);
    assert.ok(output.data instanceof Uint16Array);
    assert.equal(output.dtype, 'float16');
    assertClose(toNested(output).flat(), exact.output.data, 2e-3, 'output');
  });

  test('explain shows what float16 arithmetic itself would have given', () => {
    const big = tensor([[300, 300]], 'float16');
    const { steps, unwidened } = attention.explain(big, big, big);
    assert.equal(steps.scores.data[0], 180000);
    assert.equal(unwidened.steps.scores.data[0], Infinity);
    assert.equal(attention.explain(...inType('float32')).unwidened, undefined);
  });
});

describe('options', () => {
  const [query, key, value] = inputs(9);

  test('each option reaches the formula', () => {
    const cases = [
      { scale: -0.5 },
      { scale: 0 },
      { softcap: 0.3 },
      { start: 'bottom-right', mask: 'causal' },
      { start: [1, -2], mask: ['causal', { kind: 'window', left: 2 }] },
      { bias: randomTensor([4, 1, 7], 3) },
      { bias: { ...randomTensor([7], 3), strides: [1] } },
      { alibi: true, start: 0 },
      { alibi: [1, 0.5, 0.25, 0], start: 2 },
      {
        alibi: [
          [1, 2, 3, 4],
          [0, 0, 1, 1],
        ],
        start: 2,
      },
      { sinks: [0, 1, -1, 2] },
      { dropout: { p: 0.4, seed: 12 } },
      { dropout: { p: 0.4, seed: 2n ** 63n + 5n } },
      { mask: { kind: 'lengths', keys: [3, 7], queries: [5, 2] } },
      { mask: { kind: 'any', of: ['causal', { kind: 'global', tokens: [6] }] }, start: 1 },
      { mask: { kind: 'not', of: 'causal' }, start: 1 },
      { mask: { kind: 'function', allows: (b, h, i, j) => (i + j + h) % 3 > 0, perHead: true } },
      { mask: [] },
    ];
    for (const options of cases) {
      const result = attention.scaledDotProductAttention(query, key, value, options);
      assertMatches(result, query, key, value, options, 2e-6);
    }
  });

  test('undefined and null options are as if they were left out', () => {
    const options = { scale: undefined, mask: null, bias: undefined, start: null };
    assert.deepEqual(
      attention.scaledDotProductAttention(query, key, value, options),
      attention.scaledDotProductAttention(query, key, value),
    );
  });

  test('booleans can be a tensor, nested arrays or a typed array', () => {
    const cells = Array.from({ length: 5 }, (_, i) =>
      Array.from({ length: 7 }, (_, j) => (i * j) % 3 !== 1),
    );
    const call = (mask) =>
      attention.scaledDotProductAttention(query, key, value, { mask: { kind: 'allowed', mask } });
    const expected = call(tensor(cells));
    assertMatches(expected, query, key, value, { mask: { kind: 'allowed', mask: tensor(cells) } });
    assert.deepEqual(call(cells), expected);
    assert.deepEqual(call(cells.map((row) => row.map(Number))), expected);
    assert.deepEqual(call(cells.map((row) => Uint8Array.from(row))), expected);
    const transposed = tensor(cells[0].map((_, j) => cells.map((row) => row[j])));
    assert.deepEqual(call({ ...transposed, shape: [5, 7], strides: [1, 5] }), expected);
  });

  test('whole numbers can be in an array, a typed array or a tensor of integers', () => {
    const ids = [
      [0, 0, 1, 1, 1, 2, 2],
      [3, 3, 3, 3, 0, 0, 1],
    ];
    const call = (given) =>
      attention.scaledDotProductAttention(query, key, value, {
        mask: { kind: 'documents', ids: given },
        start: 1,
      });
    const expected = call(ids);
    assertMatches(expected, query, key, value, { mask: { kind: 'documents', ids }, start: 1 });
    assert.deepEqual(call(ids.map((row) => Int32Array.from(row))), expected);
    assert.deepEqual(call({ shape: [2, 7], data: Int32Array.from(ids.flat()) }), expected);
    assert.deepEqual(
      call({ shape: [2, 7], data: BigInt64Array.from(ids.flat().map(BigInt)) }),
      expected,
    );
  });

  test('returns and weightsFor say what comes back', () => {
    const all = attention.scaledDotProductAttention(query, key, value, { returns: ['weights'] });
    assert.equal(all.lse, undefined);
    assert.deepEqual(all.weights.shape, [2, 4, 5, 7]);
    const none = attention.scaledDotProductAttention(query, key, value, { returns: [] });
    assert.deepEqual(Object.keys(none).sort(), ['info', 'output']);
    const weightsFor = { heads: [3, 1], queries: [4] };
    const some = attention.scaledDotProductAttention(query, key, value, {
      returns: ['weights'],
      weightsFor,
    });
    const expected = reference(query, key, value, { weightsFor });
    assert.deepEqual(some.weights.shape, [2, 2, 1, 7]);
    assertClose(some.weights.data, expected.weights.data, 1e-6, 'weights');
  });

  test('info counts', () => {
    const { info } = attention.scaledDotProductAttention(query, key, value, {
      mask: { kind: 'lengths', keys: [0, 4] },
    });
    assert.equal(info.emptyRows, 4 * 5);
    assert.equal(info.allowedCells, 4 * 5 * 4);
    assert.equal(info.totalCells, 2 * 4 * 5 * 7);
    assert.equal(info.threads, 1);
    assert.equal(typeof info.path, 'string');
    assert.ok(info.tilesSkipped <= info.tilesTotal);
  });

  test('T = 0 gives empty results, S = 0 makes every row empty', () => {
    const noQueries = { shape: [2, 4, 0, 3], data: new Float32Array(0) };
    const empty = attention.scaledDotProductAttention(noQueries, key, value);
    assert.deepEqual(empty.output.shape, [2, 4, 0, 6]);
    assert.equal(empty.output.data.length, 0);
    const noKeys = attention.scaledDotProductAttention(
      query,
      { shape: [2, 2, 0, 3], data: new Float32Array(0) },
      { shape: [2, 2, 0, 6], data: new Float32Array(0) },
    );
    assert.ok(noKeys.output.data.every((x) => x === 0));
    assert.ok(noKeys.lse.data.every((x) => x === -Infinity));
    assert.equal(noKeys.info.emptyRows, 40);
  });
});

describe('memory', () => {
  test('thousands of calls of many sizes, failed ones and masks do not add up', () => {
    const round = (seed) => {
      const next = random(seed);
      const size = () => 1 + Math.floor(next() * 40);
      const [T, S, d] = [size(), size(), size()];
      const [query, key] = [randomTensor([2, T, d], seed), randomTensor([2, S, d], seed)];
      const cells = { shape: [T, S], data: new Uint8Array(T * S).fill(1) };
      const options = { mask: [{ kind: 'allowed', mask: cells }], returns: ['weights'] };
      attention.scaledDotProductAttention(query, key, key, options);
      attention.explain(query, key, key);
      attention.mask(options.mask, { heads: 2, queries: T, keys: S }).dispose();
      assert.throws(() => attention.scaledDotProductAttention(query, key, key, { sinks: [1] }));
      const failing = { kind: 'function', allows: () => assert.fail('from the caller') };
      assert.throws(() => attention.mask(failing, { queries: T, keys: S }), /from the caller/);
    };
    for (let seed = 0; seed < 50; seed++) round(seed);
    const before = attention.memory();
    for (let seed = 0; seed < 2000; seed++) round(seed);
    const after = attention.memory();
    assert.equal(after.total, before.total);
    assert.ok(after.used - before.used < 4096, `${after.used - before.used} bytes more`);
  });

  test('what a large call took is free again after it', () => {
    const large = randomTensor([4, 2000, 256], 1);
    const before = attention.memory();
    const small = randomTensor([4, 1, 256], 2);
    attention.scaledDotProductAttention(small, large, large);
    const after = attention.memory();
    assert.ok(after.total > before.total);
    assert.ok(after.used - before.used < 4096, `${after.used - before.used} bytes more`);
    assert.ok(after.total <= after.maximum);
  });

  test('views stay right while memory grows under them', async () => {
    const fresh = await load({ threads: 1 });
    const [query, key, value] = inputs(3);
    const expected = attention.scaledDotProductAttention(query, key, value);
    for (const length of [10, 30_000, 100_000, 300_000]) {
      const long = randomTensor([2, length, 16], length);
      const one = { shape: [2, 1, 16], data: long.data.slice(0, 32) };
      const result = fresh.scaledDotProductAttention(one, long, long);
      assertMatches(result, one, long, long, {}, 1e-5);
      assert.deepEqual(fresh.scaledDotProductAttention(query, key, value), expected);
    }
    fresh.dispose();
  });

  test('memory that grows in the middle of a call loses nothing', async () => {
    // Wide values: the sums on the way need more room than inputs and results, from some width on
    // more than a new instance has.
    for (let width = 13_000; width < 40_000; width += 3000) {
      const fresh = await load({ threads: 1 });
      const ones = (...shape) => ({ shape, data: new Float32Array(shape[0] * shape[1]).fill(1) });
      const { output, lse } = fresh.scaledDotProductAttention(
        ones(64, 16),
        ones(2, 16),
        ones(2, width),
      );
      assert.equal(output.data.length, 64 * width);
      assert.ok(output.data.every((x) => Math.abs(x - 1) < 1e-6));
      assert.ok(lse.data.every((x) => Math.abs(x - 4 - Math.LN2) < 1e-6));
      fresh.dispose();
    }
  });
});
