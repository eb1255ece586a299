// Infinite, NaN and huge scores: what IEEE arithmetic makes of them, on both paths alike.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tensor } from 'attention-wasm';
import { attention as reference } from '../reference/attention.js';
import { dense } from '../reference/tensor.js';
import { instances, runs } from './builds.js';
import { assertClose } from './compare.js';

const column = (...numbers) => tensor(numbers.map((number) => [number]));
const { NaN: nan } = Number;

/** Queries, keys and values of one number each, scale 1; `keys` may hold infinities. */
const call = (queries, keys, options = {}, values = keys.map((_, j) => 2 ** j)) => ({
  query: column(...queries),
  key: column(...keys),
  value: column(...values),
  options: { scale: 1, ...options },
});

/** What it is → [call, output, lse]. */
const cases = {
  'a score of +∞ makes its row NaN and no other': [
    call([1, 0, -1], [0, 3, Infinity], {
      mask: {
        kind: 'blocked',
        mask: [
          [0, 0, 0],
          [0, 0, 1],
          [1, 1, 0],
        ],
      },
    }),
    [nan, 1.5, nan], // the last row has one key, of score −∞: e^(−∞ − −∞)
    [nan, Math.log(2), nan],
  ],
  'a score of −∞ has weight 0 among others': [call([1], [-Infinity, 0, 0]), [3], [Math.log(2)]],
  'a row whose scores are all −∞ is not an empty row: NaN': [
    call([1], [-Infinity, -Infinity]),
    [nan],
    [nan],
  ],
  'a row whose bias is −∞ everywhere is an empty row: 0': [
    call([1], [1, 2], { bias: [[-Infinity, -Infinity]] }),
    [0],
    [-Infinity],
  ],
  'an empty row with a sink: 0, and the sink': [
    {
      query: tensor([[[1]]]),
      key: tensor([[[1], [2]]]),
      value: tensor([[[1], [2]]]),
      options: { sinks: [0.5], bias: [[-Infinity, -Infinity]] },
    },
    [0],
    [0.5],
  ],
  'a bias of +∞ makes its row NaN': [
    call([0, 0], [1, 2], {
      bias: [
        [0, Infinity],
        [0, 0],
      ],
    }),
    [nan, 1.5],
    [nan, Math.log(2)],
  ],
  'a bias of NaN behind the mask changes nothing': [
    call([0], [1, 2], { bias: [[0, NaN]], mask: { kind: 'lengths', keys: [1] } }),
    [1],
    [0],
  ],
  'a huge finite negative bias is no mask: the row is the softmax of what is left': [
    call([1, 1], [0, 5, 1], {
      bias: [
        [-3.4e38, -3.4e38, -3.4e38],
        [0, -1e9, -1e9],
      ],
    }),
    [7 / 3, 1],
    [-3.4e38, 0],
  ],
  'scores that overflow float32 make their row NaN': [
    call([1e30, 1], [1e30, 1], {
      mask: {
        kind: 'blocked',
        mask: [
          [0, 0],
          [1, 0],
        ],
      },
    }),
    [nan, 2],
    [nan, 1],
  ],
  'an infinite value is read where its weight is above 0': [
    call(
      [0, 0],
      [0, 0, 0],
      {
        mask: {
          kind: 'blocked',
          mask: [
            [0, 0, 1],
            [1, 0, 1],
          ],
        },
      },
      [Infinity, 2, 3],
    ),
    [Infinity, 2],
    [Math.log(2), 0],
  ],
  'infinite values of both signs are NaN': [
    call([0], [0, 0], {}, [Infinity, -Infinity]),
    [nan],
    [Math.log(2)],
  ],
  'softcap brings an infinite score back to its limit': [
    call([1], [Infinity, 0], { softcap: 2 }),
    [(1 + 2 * Math.exp(-2)) / (1 + Math.exp(-2))],
    [2 + Math.log(1 + Math.exp(-2))],
  ],
  'a scale of 0 gives the mean': [call([3], [1, 5, 7], { scale: 0 }), [7 / 3], [Math.log(3)]],
  'a query of NaN is a row of NaN, unless nothing is allowed': [
    call([NaN, NaN, 0], [1, 2], { mask: { kind: 'lengths', keys: [2], queries: [1] } }),
    [nan, 0, 0],
    [nan, -Infinity, -Infinity],
  ],
};

for (const [what, [input, output, lse]] of Object.entries(cases)) {
  test(what, () => {
    for (const { name, run } of runs) {
      const result = run(input);
      const within = (expected) => 1e-6 * Math.max(1, Math.abs(expected));
      assertClose(result.output.data, output, within, `output (${name})`);
      assertClose(result.lse.data, lse, within, `lse (${name})`);
    }
  });
}

test('−1e9 instead of −∞ on a whole row: uniform weights, silently', () => {
  // Float32 numbers near 10⁹ are 64 apart: the scores vanish in them.
  const bias = [[-1e9, -1e9, -1e9, -1e9]];
  for (const { name, run } of runs) {
    const { weights } = run(call([1], [0.3, -0.7, 2.5, 1], { bias }));
    assert.deepEqual(Array.from(weights.data), [0.25, 0.25, 0.25, 0.25], name);
  }
});

test('weights behind the mask are 0 in a row that is NaN', () => {
  const input = call([NaN], [1, 2, 3], { mask: { kind: 'lengths', keys: [2] } });
  const { steps } = reference(input.query, input.key, input.value, input.options);
  for (const { name, run } of runs) {
    const { weights } = run(input);
    assertClose(dense(weights, weights.shape), steps.weights.data, 0, name);
  }
});

test('a bias of −∞ makes empty rows; the cells allowed are counted by the mask alone', () => {
  const bias = [
    [-Infinity, -Infinity, 0],
    [0, 0, -Infinity],
  ];
  const mask = { kind: 'lengths', keys: [2] };
  for (const { attention, name } of instances) {
    const { query, key, value, options } = call([1, 1], [1, 1, 1], { bias, mask });
    const { info, output } = attention.scaledDotProductAttention(query, key, value, options);
    assert.deepEqual(Array.from(output.data), [0, 1.5], name);
    assert.equal(info.emptyRows, 1, name); // the mask leaves keys 0 and 1, the bias key 2
    assert.equal(info.allowedCells, 4, name);
    assert.equal(attention.mask(mask, { queries: 2, keys: 3 }).emptyRows, 0, name);
  }
});
