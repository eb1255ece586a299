// mask() and windowOfSize(): what a mask turns into, against one question for each cell.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load, tensor, toNested, windowOfSize } from 'attention-wasm';
import { predicate } from '../reference/mask.js';

const attention = await load({ threads: 1 });

const size = { batch: 2, heads: 3, queries: 5, keys: 7, start: [2, -1] };
const masks = {
  causal: 'causal',
  window: { kind: 'window', left: 2, right: 1 },
  both: ['causal', { kind: 'lengths', keys: [7, 3], queries: [5, 4] }],
  padding: {
    kind: 'padding',
    blocked: [[true, false, false, true, false, false, false], Array(7).fill(false)],
  },
  documents: { kind: 'documents', starts: [0, 3] },
  blocks: {
    kind: 'blocks',
    size: 3,
    layout: tensor([
      [true, false, true],
      [false, true, false],
    ]),
  },
  function: {
    kind: 'function',
    allows: (b, h, i, j) => (b + 2 * h + i * j) % 4 < 2,
    perHead: true,
    perBatch: true,
  },
  nothing: { kind: 'not', of: { kind: 'all', of: [] } },
  none: [],
};

for (const [name, rules] of Object.entries(masks)) {
  test(`${name}: ranges, dense form, counts and causes agree with every cell`, () => {
    const mask = attention.mask(rules, size);
    const allows = predicate(rules, size);
    const kinds = [rules].flat().map((rule) => ({
      kind: rule.kind ?? rule,
      allows: predicate(rule, size),
    }));
    const dense = mask.toDense();
    assert.deepEqual(dense.shape, [2, 3, 5, 7]);
    assert.equal(dense.dtype, 'bool');
    const nested = toNested(dense);
    let cells = 0;
    let empty = 0;
    for (let b = 0; b < 2; b++)
      for (let h = 0; h < 3; h++)
        for (let i = 0; i < 5; i++) {
          const row = Array.from({ length: 7 }, (_, j) => allows(b, h, i, j));
          assert.deepEqual(nested[b][h][i], row);
          const ranges = mask.rowRanges(b, h, i);
          assert.deepEqual(
            ranges.flatMap(([begin, end]) =>
              Array.from({ length: end - begin }, (_, at) => begin + at),
            ),
            row.flatMap((allowed, j) => (allowed ? [j] : [])),
          );
          assert.ok(
            ranges.every(([begin], at) => at === 0 || ranges[at - 1][1] < begin),
            'sorted, not touching',
          );
          for (let j = 0; j < 7; j++) {
            const forbidding = kinds
              .filter((rule) => !rule.allows(b, h, i, j))
              .map(({ kind }) => kind);
            assert.deepEqual(mask.cause(b, h, i, j), forbidding);
          }
          cells += row.filter(Boolean).length;
          empty += row.includes(true) ? 0 : 1;
        }
    assert.equal(mask.allowedCells, cells);
    assert.equal(mask.emptyRows, empty);
    mask.dispose();
  });
}

test('batch and heads are 1 unless said', () => {
  const mask = attention.mask('causal', { queries: 2, keys: 3, start: 'bottom-right' });
  assert.deepEqual(toNested(mask.toDense()), [
    [
      [
        [true, true, false],
        [true, true, true],
      ],
    ],
  ]);
});

test('windowOfSize counts the query’s own key', () => {
  assert.deepEqual(windowOfSize(3), { kind: 'window', left: 2, right: 0 });
  const mask = attention.mask(windowOfSize(3), { queries: 5, keys: 5 });
  assert.deepEqual(mask.rowRanges(0, 0, 4), [[2, 5]]);
  assert.deepEqual(mask.rowRanges(0, 0, 0), [[0, 1]]);
});

describe('large masks', () => {
  test('T = S = 16384, causal, window and documents: little time and memory', () => {
    const starts = Array.from({ length: 16 }, (_, at) => at * 1024);
    const before = attention.memory();
    const began = performance.now();
    const mask = attention.mask(['causal', windowOfSize(4096), { kind: 'documents', starts }], {
      batch: 2,
      heads: 8,
      queries: 16384,
      keys: 16384,
    });
    const milliseconds = performance.now() - began;
    assert.equal(mask.allowedCells, 16 * 16 * ((1024 * 1025) / 2));
    assert.ok(attention.memory().used - before.used < 4 << 20);
    assert.ok(milliseconds < 500, `${milliseconds} ms`);
    mask.dispose();
  });

  test('a mask function is asked once for each distinct cell', () => {
    let asked = 0;
    const allows = (b, h, i, j) => {
      asked++;
      return j <= i;
    };
    const shape = { batch: 2, heads: 4, queries: 30, keys: 20, start: 0 };
    const mask = attention.mask({ kind: 'function', allows }, shape);
    assert.equal(asked, 600);
    mask.toDense();
    mask.cause(0, 0, 3, 4);
    assert.equal(asked, 600);
    mask.dispose();
  });

  test('masks that nobody holds give their memory back', async () => {
    const cells = {
      shape: [300, 300],
      data: Uint8Array.from({ length: 90_000 }, (_, at) => (at * at) % 7 < 4),
    };
    const compile = () =>
      attention.mask({ kind: 'allowed', mask: cells }, { queries: 300, keys: 300 });
    compile().dispose();
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    const before = attention.memory();
    for (let i = 0; i < 50; i++) compile();
    const held = attention.memory().used - before.used;
    assert.ok(held > 1 << 20);
    for (let i = 0; i < 20 && attention.memory().used - before.used > held / 10; i++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.ok(attention.memory().used - before.used <= held / 10);
  });
});
