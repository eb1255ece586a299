// explain() through the package: names, order, shapes and numbers of the steps; the diagnostics.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load, tensor } from 'attention-wasm';
import { attention as reference } from '../reference/attention.js';
import { assertClose } from './compare.js';

const attention = await load({ threads: 1 });

const query = tensor(
  [
    [1, 0.5, -2],
    [0.25, 3, 1],
  ],
  'float64',
);
const key = tensor(
  [
    [1, 1, 0],
    [0, 2, 1],
    [-1, 0.5, 0.5],
  ],
  'float64',
);
const value = tensor(
  [
    [1, 2],
    [3, 4],
    [-5, 0.125],
  ],
  'float64',
);

test('every step under its name, in the order of the formula', () => {
  const options = {
    softcap: 2,
    bias: tensor([[0.5, 0, -1]], 'float64'),
    mask: { kind: 'causal' },
    start: 1,
    dropout: { p: 0.3, seed: 4 },
  };
  const { steps, lse } = attention.explain(query, key, value, options);
  const expected = reference(query, key, value, options);
  assert.deepEqual(Object.keys(steps), [
    'scores',
    'scaled',
    'capped',
    'biased',
    'masked',
    'rowMax',
    'exponentials',
    'rowSum',
    'weights',
    'dropped',
    'output',
  ]);
  for (const [name, step] of Object.entries(steps)) {
    assert.deepEqual(step.shape, expected.steps[name].shape, name);
    assert.equal(step.dtype, 'float64');
    assertClose(step.data, expected.steps[name].data, 1e-13, name);
  }
  assertClose(lse.data, expected.lse.data, 1e-13, 'lse');
});

test('steps that a call does not have are not there', () => {
  const { steps } = attention.explain(query, key, value);
  assert.deepEqual(Object.keys(steps), [
    'scores',
    'scaled',
    'masked',
    'rowMax',
    'exponentials',
    'rowSum',
    'weights',
    'output',
  ]);
});

test('describe() lists the same steps, and the options, kinds and dtypes', () => {
  const tables = attention.describe();
  assert.deepEqual(Object.keys(tables), ['options', 'masks', 'dtypes', 'steps']);
  const always = tables.steps.filter(({ option }) => option === '').map(({ name }) => name);
  assert.deepEqual(always, Object.keys(attention.explain(query, key, value).steps));
  assert.ok(tables.masks.some(({ kind }) => kind === 'causal'));
  assert.ok(tables.options.every(({ doc }) => doc.endsWith('.')));
});

describe('diagnostics', () => {
  test('entropy, largest weight and saturation of each row', () => {
    const q = tensor([[0], [500]], 'float64');
    const k = tensor([[1], [3], [2], [2]], 'float64');
    const { rows } = attention.explain(q, k, k).diagnostics;
    assert.deepEqual(
      rows.map(({ batch, head, query: i }) => [batch, head, i]),
      [
        [0, 0, 0],
        [0, 0, 1],
      ],
    );
    assert.deepEqual([rows[0].entropy, rows[0].largestWeight, rows[0].saturated], [2, 0.25, false]);
    assert.equal(rows[1].largestWeight, 1);
    assert.equal(rows[1].saturated, true);
  });

  test('empty rows and what empties them', () => {
    const { diagnostics } = attention.explain(query, key, value, {
      mask: ['causal', { kind: 'lengths', keys: [3], queries: [1] }],
      start: 0,
    });
    assert.deepEqual(diagnostics.emptyRows, [{ batch: 0, head: 0, query: 1, causes: ['lengths'] }]);
    assert.deepEqual(
      diagnostics.rows.map(({ empty }) => empty),
      [false, true],
    );
  });

  test('the first cell that is not finite, and the first that overflowed', () => {
    const big = tensor([[1, 3e38]]);
    const { diagnostics } = attention.explain(big, big, big);
    const cell = { step: 'scores', batch: 0, head: 0, query: 0, column: 0 };
    assert.deepEqual(diagnostics.firstNonFinite, cell);
    assert.deepEqual(diagnostics.firstOverflow, cell);
    assert.ok(diagnostics.overflows >= 1);
    const fine = attention.explain(query, key, value).diagnostics;
    assert.deepEqual([fine.firstNonFinite, fine.firstOverflow, fine.overflows], [null, null, 0]);
  });
});
