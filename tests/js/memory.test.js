// What a call takes of memory beside its inputs and results, and that it gives everything back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'attention-wasm';

const mebibyte = 2 ** 20;

/** Inputs of so many queries and keys, and the bytes of inputs and output. */
function inputsOf({ heads, length, width }) {
  const make = (number) => ({
    shape: [1, heads, length, width],
    data: new Float32Array(heads * length * width).fill(number),
  });
  return { tensors: [make(1), make(0.5), make(2)], bytes: 4 * 4 * heads * length * width };
}

for (const threads of [1, 2]) {
  test(`memory beside inputs and output is bounded, threads: ${threads}`, async () => {
    for (const heads of [1, 8]) {
      const attention = await load({ threads });
      const { tensors, bytes } = inputsOf({ heads, length: 16384, width: 64 });
      // A short window costs little time; what is in memory is the same for all 16384² scores.
      const mask = ['causal', { kind: 'window', left: 15 }];
      const before = attention.memory().used;
      const { output } = attention.scaledDotProductAttention(...tensors, { mask });
      assert.ok(output.data.every((number) => Math.abs(number - 2) < 1e-5));
      const { total, used } = attention.memory();
      assert.ok(total - bytes <= 32 * mebibyte, `${total} for ${bytes}`);
      assert.ok(used - before <= 2 * mebibyte, `${used - before} kept after the call`);
      attention.dispose();
    }
  });
}

test('1000 calls take no more memory than the first ones', async () => {
  const attention = await load({ threads: 1 });
  const { tensors } = inputsOf({ heads: 1, length: 40, width: 16 });
  const options = [
    undefined,
    { mask: ['causal', { kind: 'window', left: 7 }], returns: ['lse', 'weights'] },
    {
      dropout: { p: 0.5, seed: 3 },
      mask: { kind: 'function', allows: (b, h, i, j) => (i + j) % 3 > 0 },
    },
  ];
  const call = (n) => {
    attention.scaledDotProductAttention(...tensors, options[n % options.length]);
    if (n % 100 === 0) attention.explain(...tensors, { mask: 'causal' });
  };
  for (let n = 0; n < 10; ++n) call(n);
  const before = attention.memory();
  for (let n = 0; n < 1000; ++n) call(n);
  const after = attention.memory();
  assert.equal(after.total, before.total);
  assert.ok(after.used - before.used < 4096, `${after.used - before.used} bytes more in use`);
  attention.dispose();
});

test('a refused call keeps nothing', async () => {
  const attention = await load({ threads: 1 });
  const { tensors } = inputsOf({ heads: 1, length: 300, width: 64 });
  const wrong = () =>
    attention.scaledDotProductAttention(...tensors, { mask: { kind: 'lengths', keys: [301] } });
  assert.throws(wrong);
  const before = attention.memory();
  for (let n = 0; n < 200; ++n) assert.throws(wrong);
  assert.deepEqual(attention.memory(), before);
  attention.dispose();
});
