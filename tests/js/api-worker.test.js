// loadWorker(): the same methods as promises, in a worker of its own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { AttentionError, load, loadWorker, tensor } from 'attention-wasm';

const here = await load({ threads: 1 });
const worker = await loadWorker({ threads: 1 });
after(() => {
  here.dispose();
  worker.dispose();
});

const query = tensor([
  [1, 0, 2],
  [0, 1, 1],
]);
const value = tensor([
  [1, 2],
  [3, 4],
]);
const options = { mask: 'causal', returns: ['lse', 'weights'] };

/** A call that takes a second or more. */
const long = () => {
  const rows = { shape: [8, 6000, 64], data: new Float32Array(8 * 6000 * 64) };
  return [rows, rows, rows];
};

/** Fewer rows of a tensor, for explain(), which keeps every score. */
const halved = ({ shape: [heads, , width], data }) => ({
  shape: [heads, 1500, width],
  data: data.subarray(0, heads * 1500 * width),
});

test('the same answers as here', async () => {
  assert.deepEqual(worker.info, here.info);
  assert.deepEqual(
    await worker.scaledDotProductAttention(query, query, value, options),
    here.scaledDotProductAttention(query, query, value, options),
  );
  assert.deepEqual(
    await worker.explain(query, query, value, options),
    here.explain(query, query, value, options),
  );
  assert.deepEqual(await worker.describe(), here.describe());
  assert.equal(await worker.countThreads(), 1);
  assert.ok((await worker.memory()).used > 0);
});

test('masks', async () => {
  const shape = { queries: 3, keys: 4, start: 1 };
  const mask = await worker.mask(['causal', { kind: 'window', left: 1 }], shape);
  const same = here.mask(['causal', { kind: 'window', left: 1 }], shape);
  assert.equal(mask.allowedCells, same.allowedCells);
  assert.equal(mask.emptyRows, same.emptyRows);
  assert.deepEqual(await mask.rowRanges(0, 0, 2), same.rowRanges(0, 0, 2));
  assert.deepEqual(await mask.cause(0, 0, 0, 3), ['causal']);
  assert.deepEqual(await mask.toDense(), same.toDense());
  mask.dispose();
  await assert.rejects(mask.rowRanges(0, 0, 9));
});

test('caches', async () => {
  const cache = await worker.createCache({ headDim: 3, valueDim: 2, capacity: 4 });
  const same = here.createCache({ headDim: 3, valueDim: 2, capacity: 4 });
  assert.equal(cache.capacity, 4);
  await cache.append(query, value);
  same.append(query, value);
  assert.equal(await cache.length(), 2);
  assert.deepEqual(await cache.attend(query), same.attend(query));
  await cache.truncate(1);
  assert.equal(await cache.length(), 1);
  cache.dispose();
  same.dispose();
});

test('trace', async () => {
  const settings = { tileKeys: 1 };
  assert.deepEqual(
    await worker.trace(query, query, value, options, settings),
    here.trace(query, query, value, options, settings),
  );
});

test('progress', async () => {
  const rows = { shape: [4, 2000, 32], data: new Float32Array(4 * 2000 * 32) };
  const shares = [];
  const progress = (share) => shares.push(share);
  await worker.scaledDotProductAttention(rows, rows, rows, {}, { progress });
  assert.ok(shares.length >= 2);
  assert.ok(shares.every((share, at) => share > (shares[at - 1] ?? 0) && share <= 1));
});

test('errors come as they are', async () => {
  const wrong = worker.scaledDotProductAttention(query, query, value, { isCausal: true });
  await assert.rejects(wrong, (error) => {
    assert.ok(error instanceof AttentionError);
    assert.deepEqual([error.code, error.argument], ['option', 'isCausal']);
    return true;
  });
  const mask = { kind: 'function', allows: () => true };
  await assert.rejects(worker.scaledDotProductAttention(query, query, value, { mask }), (error) => {
    assert.ok(error instanceof AttentionError);
    assert.match(error.message, /cannot be sent to a worker/);
    return true;
  });
  await assert.rejects(loadWorker({ workers: 3 }), AttentionError);
});

describe('what crosses', () => {
  test('inputs are copied, and of a view only its part', async () => {
    const larger = new Float32Array(1 << 20);
    larger.set(query.data, 100);
    const view = { shape: query.shape, data: larger.subarray(100, 106) };
    const { output } = await worker.scaledDotProductAttention(view, view, value);
    assert.deepEqual(output.data, here.scaledDotProductAttention(query, query, value).output.data);
    assert.equal(larger.length, 1 << 20);
  });

  test('large ones are copied in turns, in which the page goes on', async () => {
    const rows = (seed) => {
      const data = Float32Array.from({ length: 3000 * 512 }, (_, i) => Math.sin(i * seed));
      return { shape: [1, 4, 3000, 128], data };
    };
    const inputs = [rows(1), rows(2), rows(3)]; // 18 MB
    const expected = here.scaledDotProductAttention(...inputs, { mask: 'causal' }).output;
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const mask = await worker.mask('causal', { queries: 2, keys: 2 });
    const other = new AbortController();
    const call = worker.scaledDotProductAttention(...inputs, { mask: 'causal' });
    const taken = worker.scaledDotProductAttention(...inputs);
    assert.deepEqual((await call).output, expected);
    clearInterval(timer);
    assert.ok(turns > 3, `${turns}`);
    assert.deepEqual((await taken).output.shape, expected.shape);
    // One that is given up before the worker has it costs the worker nothing.
    const unsent = worker.explain(...inputs, {}, { signal: other.signal });
    setTimeout(() => other.abort());
    await assert.rejects(unsent, { name: 'AbortError' });
    assert.deepEqual(await mask.rowRanges(0, 0, 0), [[0, 1]]);
    mask.dispose();
    // What is taken away in the middle is said, not computed with.
    const gone = worker.scaledDotProductAttention(...inputs);
    structuredClone(undefined, { transfer: [inputs[2].data.buffer] });
    await assert.rejects(gone, { code: 'type', argument: 'arguments', message: /given away/ });
    assert.deepEqual(await worker.describe(), here.describe());
  });

  test('what is transferred is given away', async () => {
    const own = { shape: query.shape, data: query.data.slice() };
    const transfer = [own.data.buffer];
    const { output } = await worker.scaledDotProductAttention(own, query, value, {}, { transfer });
    assert.equal(own.data.length, 0);
    assert.equal(output.data.length, 4);
  });
});

describe('order and abort', () => {
  test('calls are answered in the order they were made', async () => {
    const order = [];
    const calls = [1, 2, 3, 4].map((number) => worker.describe().then(() => order.push(number)));
    await Promise.all(calls);
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  test('a call that waits, or that runs, can be given up; the others go on', async () => {
    const running = new AbortController();
    const waiting = new AbortController();
    const first = worker.scaledDotProductAttention(...long(), {}, { signal: running.signal });
    const second = worker.describe();
    const third = worker.scaledDotProductAttention(...long(), {}, { signal: waiting.signal });
    const fourth = worker.scaledDotProductAttention(query, query, value, options);
    waiting.abort(new Error('not wanted'));
    await assert.rejects(third, /not wanted/);
    setTimeout(() => running.abort(), 100);
    await assert.rejects(first, { name: 'AbortError' });
    assert.deepEqual(await second, here.describe());
    assert.deepEqual(await fourth, here.scaledDotProductAttention(query, query, value, options));
    const signal = AbortSignal.abort();
    await assert.rejects(worker.scaledDotProductAttention(query, query, value, {}, { signal }), {
      name: 'AbortError',
    });
  });

  test('a call that is given up leaves masks and caches alone', async () => {
    const mask = await worker.mask('causal', { queries: 2, keys: 2 });
    const controller = new AbortController();
    const call = worker.scaledDotProductAttention(...long(), {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await assert.rejects(call, { name: 'AbortError' });
    assert.deepEqual(await mask.rowRanges(0, 0, 0), [[0, 1]]);
    mask.dispose();
  });

  test('so does a call on a cache, which keeps what it holds', async () => {
    const cache = await worker.createCache({ kvHeads: 8, headDim: 64, capacity: 6000 });
    const [rows] = long();
    await cache.append(rows, rows);
    const controller = new AbortController();
    const { signal } = controller;
    const call = cache.attend(rows, {}, { signal, progress: () => controller.abort() });
    await assert.rejects(call, { name: 'AbortError' });
    assert.equal(await cache.length(), 6000);
    cache.dispose();
  });

  test('where it cannot be stopped the worker is started anew; its masks say so', async () => {
    const mask = await worker.mask('causal', { queries: 2, keys: 2 });
    const controller = new AbortController();
    const call = worker.explain(...long().map(halved), {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await assert.rejects(call, { name: 'AbortError' });
    await assert.rejects(mask.toDense(), /make it again/);
    mask.dispose();
    assert.deepEqual(await worker.describe(), here.describe());
  });
});

test('after dispose() calls reject, and so do those under way', async () => {
  const own = await loadWorker({ threads: 1 });
  const call = own.scaledDotProductAttention(...long());
  own.dispose();
  await assert.rejects(call, { code: 'disposed' });
  await assert.rejects(own.describe(), { code: 'disposed' });
});

test('a process ends by itself, disposed or not, with threads in the worker or not', () => {
  for (const threads of [1, 2]) {
    const source = `
      const { loadWorker } = await import('attention-wasm');
      const worker = await loadWorker({ threads: ${threads} });
      console.log(await worker.countThreads());`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', source],
      { encoding: 'utf8', timeout: 60_000, cwd: new URL('.', import.meta.url) },
    );
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `${threads}\n`, stderr: '' });
  }
});
