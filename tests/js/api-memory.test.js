// Memory: used again and again, never more than the largest call needs, and given back by dispose(),
// by `using` and, when nobody does, by the garbage collector.
import assert from 'node:assert/strict';
import v8 from 'node:v8';
import vm from 'node:vm';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { load } from 'attention-wasm';
import { random } from './random.js';

v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc');

const attention = await load({ threads: 2 });
after(() => attention.dispose());

const rows = (...shape) => ({
  shape,
  data: new Float32Array(shape.reduce((product, length) => product * length, 1)).fill(0.5),
});

/** A call of sizes drawn from `next`, with options that need memory of their own now and then. */
function call(next) {
  const whole = (most) => 1 + Math.floor(next() * most);
  const [B, H, T, S, d] = [whole(2), whole(4), whole(40), whole(60), whole(32)];
  const inputs = [rows(B, H, T, d), rows(B, H, S, d), rows(B, H, S, d)];
  const options = { start: 0 };
  if (next() < 0.3) options.mask = ['causal', { kind: 'lengths', keys: Array(B).fill(S) }];
  if (next() < 0.2) options.bias = rows(T, S);
  if (next() < 0.2) options.returns = ['lse', 'weights'];
  if (next() < 0.05) return attention.explain(...inputs, options);
  if (next() < 0.05) {
    assert.throws(() => attention.scaledDotProductAttention(...inputs, { ...options, scale: NaN }));
  }
  return attention.scaledDotProductAttention(...inputs, options);
}

test('10,000 calls of mixed sizes take no more than the largest of them', () => {
  const largest = { bias: rows(64, 64), returns: ['lse', 'weights'], mask: 'causal' };
  const inputs = [rows(2, 8, 64, 64), rows(2, 8, 64, 64), rows(2, 8, 64, 64)];
  attention.explain(...inputs, largest);
  attention.scaledDotProductAttention(...inputs, largest);
  const before = attention.memory();
  const next = random(5);
  for (let n = 0; n < 10_000; n++) call(next);
  const { total, used } = attention.memory();
  assert.equal(total, before.total);
  assert.ok(used <= before.used + (64 << 10), `${used} bytes in use, before ${before.used}`);
});

test('1,000 calls that need more than is kept between calls', () => {
  const inputs = [rows(2, 8, 64), rows(2, 4000, 64), rows(2, 4000, 64)];
  attention.scaledDotProductAttention(...inputs);
  const before = attention.memory();
  for (let n = 0; n < 1000; n++) attention.scaledDotProductAttention(...inputs);
  const { total, used } = attention.memory();
  assert.equal(total, before.total);
  // A piece of memory may be some bytes longer than was asked for, whichever was free.
  assert.ok(Math.abs(used - before.used) < 256, `${used} bytes in use, before ${before.used}`);
});

test('results are the caller’s: later calls and the end of the instance leave them as they are', async () => {
  const own = await load({ threads: 1 });
  const one = rows(1, 4);
  const result = own.scaledDotProductAttention(one, one, one);
  const copy = structuredClone(result);
  own.scaledDotProductAttention(rows(9, 4), rows(9, 4), {
    ...rows(9, 4),
    data: new Float32Array(36),
  });
  own.createCache({ headDim: 1024, capacity: 100_000 }); // memory has to grow
  own.dispose();
  assert.deepEqual(result, copy);
  assert.notEqual(result.output.data.buffer.byteLength, 0);
});

test('masks and caches that nobody disposed of are freed when they are garbage', async () => {
  const before = attention.memory().used;
  (() => {
    for (let n = 0; n < 20; n++) {
      attention.createCache({ headDim: 64, capacity: 10_000 });
      attention.mask({ kind: 'strided', stride: 2 }, { queries: 1000, keys: 1000 });
    }
  })();
  assert.ok(attention.memory().used > before + 20 * 10_000 * 64 * 8);
  for (let n = 0; n < 100 && attention.memory().used > before + (1 << 20); n++) {
    gc();
    await wait(20);
  }
  assert.ok(attention.memory().used <= before + (1 << 20));
});

test('so are instances: 60 of a gigabyte each, one after the other', async () => {
  const create = async () => {
    const own = await load({ threads: 1 });
    own.createCache({ headDim: 1024, capacity: 130_000 });
    return own.memory().total;
  };
  for (let n = 0; n < 60; n++) {
    assert.ok((await create()) > 1e9);
    if (n % 10 === 9) {
      gc();
      await wait(20);
    }
  }
});

test('using disposes of what it holds', async () => {
  const own = await load({ threads: 1 });
  const cache = own.createCache({ headDim: 4, capacity: 8 });
  const mask = own.mask('causal', { queries: 2, keys: 2 });
  for (const held of [cache, mask, own]) held[Symbol.dispose]();
  assert.throws(() => cache.length, { code: 'disposed' });
  assert.throws(() => mask.rowRanges(0, 0, 0), { code: 'disposed' });
  assert.throws(() => own.memory(), { code: 'disposed' });
});
