// loadWorker() with independent workers, as where memory cannot be shared: long calls are spread over
// them, and every answer has the bits of one thread.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import workerThreads from 'node:worker_threads';
import { after, describe, test } from 'node:test';
import { AttentionError, load, loadWorker, tensor } from 'attention-wasm';
import { random } from './random.js';

/** The workers that the package starts, to break them. */
const started = [];
const { Worker } = workerThreads;
workerThreads.Worker = class extends Worker {
  constructor(...args) {
    super(...args);
    started.push(this);
  }
};
after(() => (workerThreads.Worker = Worker));

const here = await load({ threads: 1 });
const workers = await loadWorker({ threads: 3, parallelism: 'workers' });
after(() => {
  here.dispose();
  workers.dispose();
});

const randomTensor = (shape, seed, Data = Float32Array) => {
  const next = random(seed);
  const length = shape.reduce((product, extent) => product * extent, 1);
  return { shape, data: Data.from({ length }, () => 2 * next() - 1) };
};
const inputs = ({ B = 2, H = 4, kvHeads = H, T = 500, S = T, d = 16, Data }) => [
  randomTensor([B, H, T, d], 1, Data),
  randomTensor([B, kvHeads, S, d], 2, Data),
  randomTensor([B, kvHeads, S, 5], 3, Data),
];
const small = tensor([
  [1, 0, 2],
  [0, 1, 1],
]);

/** What went wrong, in a worker of its own for each error that a test waits for. */
const brokenDown = { name: 'AttentionError', code: 'worker', argument: 'attention' };

test('nothing but what is needed is started', async () => {
  assert.equal(started.length, 1);
  await workers.scaledDotProductAttention(small, small, small);
  assert.equal(started.length, 1);
  assert.equal((await workers.memory()).maximum, here.memory().maximum);
});

test('info says how they work together', () => {
  const { threads, parallelism, why } = workers.info;
  assert.deepEqual({ threads, parallelism }, { threads: 3, parallelism: 'workers' });
  assert.ok(!why.some((reason) => reason.startsWith('threads')), String(why));
  assert.equal(here.info.parallelism, 'none');
});

describe('the bits of one thread', () => {
  const strided = ({ shape: [B, H, T, d], data }) => ({
    shape: [B, T, H, d],
    data,
    strides: [H * T * d, d, T * d, 1],
  });
  const cases = {
    'without options': [inputs({})],
    causal: [inputs({ T: 700 }), { mask: 'causal' }],
    'one head': [inputs({ B: 1, H: 1, T: 2000 }), { mask: 'causal' }],
    'rank 2': [
      inputs({ B: 1, H: 1, T: 2000 }).map(({ shape, data }) => ({ shape: shape.slice(2), data })),
    ],
    'heads in groups': [inputs({ H: 6, kvHeads: 2 }), { mask: 'causal' }],
    'few queries, many keys': [inputs({ H: 8, kvHeads: 2, T: 3, S: 60_000 })],
    float64: [inputs({ Data: Float64Array }), { mask: { kind: 'window', left: 90, right: 3 } }],
    'strided queries': [
      [strided(inputs({ H: 500, T: 4 })[0]), ...inputs({ T: 500 }).slice(1)],
      { softcap: 2, alibi: true },
    ],
    'what goes by place': [
      inputs({ S: 600 }),
      {
        mask: ['causal', { kind: 'lengths', keys: [600, 310], queries: [500, 80] }],
        start: 'bottom-right',
        bias: randomTensor([4, 1, 600], 5),
        sinks: [0.5, -1, 2, 0],
        dropout: { p: 0.25, seed: 3 },
      },
    ],
    'no lse': [inputs({}), { returns: [] }],
    'weights, which one worker does': [inputs({ H: 2 }), { returns: ['weights'] }],
  };
  for (const [name, [given, options]] of Object.entries(cases)) {
    test(name, async () => {
      const expected = here.scaledDotProductAttention(...given, options);
      const result = await workers.scaledDotProductAttention(...given, options);
      const spread = !options?.returns?.includes('weights');
      assert.equal(result.info.threads, spread ? 3 : 1);
      assert.deepEqual(result.output, expected.output);
      assert.deepEqual(result.lse, expected.lse);
      assert.deepEqual(result.weights, expected.weights);
      for (const field of ['emptyRows', 'allowedCells', 'totalCells', 'path']) {
        assert.equal(result.info[field], expected.info[field], field);
      }
      assert.equal(result.info.tilesSkipped > 0, expected.info.tilesSkipped > 0);
    });
  }

  test('in workers that run side by side', async () => {
    assert.equal(await workers.countThreads(), 3);
    assert.equal(started.length, 3);
  });
});

test('inputs are those of the moment of the call, and what is given away is gone', async () => {
  const given = inputs({});
  const expected = here.scaledDotProductAttention(...given).output;
  const first = workers.scaledDotProductAttention(...given);
  const small = workers.scaledDotProductAttention(...inputs({ T: 5 }));
  const second = workers.scaledDotProductAttention(...given, undefined, {
    transfer: [given[0].data.buffer],
  });
  assert.equal(given[0].data.length, 0);
  for (const { data } of given.slice(1)) data.fill(9);
  assert.deepEqual((await first).output, expected);
  assert.deepEqual((await second).output, expected);
  assert.deepEqual(
    (await small).output,
    here.scaledDotProductAttention(...inputs({ T: 5 })).output,
  );
});

test('large inputs and outputs are copied in turns', async () => {
  const given = inputs({ T: 8000, d: 64 }); // 33 MB
  const options = { mask: { kind: 'window', left: 40, right: 0 } };
  const expected = here.scaledDotProductAttention(...given, options);
  const transfer = [given[0].data.buffer];
  const all = await workers.scaledDotProductAttention(...given, options);
  assert.deepEqual(all.output, expected.output);
  const call = workers.scaledDotProductAttention(...given, options, { transfer });
  assert.equal(given[0].data.length, 0);
  const { output, info } = await call;
  assert.deepEqual(output, expected.output);
  assert.equal(info.threads, 3);
});

test('progress is of the whole call', async () => {
  const shares = [];
  await workers.scaledDotProductAttention(...inputs({ T: 1500 }), undefined, {
    progress: (share) => shares.push(share),
  });
  assert.ok(shares.every((share, at) => share > (shares[at - 1] ?? 0) && share < 1 + 1e-9));
  assert.ok(Math.abs(shares.at(-1) - 1) < 1e-9, `${shares}`);
});

test('errors come as they are, once', async () => {
  const [query, key, value] = inputs({});
  const fails = async (call, argument) =>
    assert.rejects(call, (error) => {
      assert.ok(error instanceof AttentionError, error.stack);
      assert.equal(error.argument, argument);
      return true;
    });
  await fails(workers.scaledDotProductAttention(query, key, value, { causal: true }), 'causal');
  await fails(workers.scaledDotProductAttention(query, key, inputs({ S: 501 })[2]), 'value');
  await fails(
    workers.scaledDotProductAttention({ ...query, data: query.data.subarray(1) }, key, value),
    'query',
  );
  await fails(workers.scaledDotProductAttention(query, key), 'value');
  await fails(loadWorker({ parallelism: 'magic' }), 'parallelism');
  for (const threads of [0, 2.5, '2', 65]) {
    await fails(loadWorker({ parallelism: 'workers', threads }), 'threads');
  }
  const { output } = await workers.scaledDotProductAttention(query, key, value);
  assert.equal(output.data.length, 2 * 4 * 500 * 5);
});

test('a call that is given up stops in all of them; those behind it are done', async () => {
  const controller = new AbortController();
  const long = workers.scaledDotProductAttention(...inputs({ T: 6000 }), undefined, {
    signal: controller.signal,
  });
  const next = workers.scaledDotProductAttention(...inputs({}));
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(long, { name: 'AbortError' });
  assert.deepEqual((await next).output, here.scaledDotProductAttention(...inputs({})).output);
});

test('a worker that breaks down rejects its call; the next call starts another', async () => {
  const before = started.length;
  const cache = await workers.createCache({ headDim: 3, capacity: 4 });
  const broken = workers.scaledDotProductAttention(...inputs({ T: 6000 }));
  const behind = workers.describe();
  setTimeout(() => started[0].terminate(), 50);
  await assert.rejects(broken, brokenDown);
  assert.deepEqual(await behind, here.describe());
  assert.equal(started.length, before + 1);
  await assert.rejects(cache.length(), { name: 'AttentionError', code: 'disposed' });
  assert.deepEqual(
    (await workers.scaledDotProductAttention(...inputs({}))).output,
    here.scaledDotProductAttention(...inputs({})).output,
  );
});

test('a process ends by itself, however many workers have been at work', () => {
  const source = `
    const { loadWorker } = await import('attention-wasm');
    const workers = await loadWorker({ threads: 2, parallelism: 'workers' });
    console.log(await workers.countThreads());`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', source],
    { encoding: 'utf8', timeout: 60_000, cwd: new URL('.', import.meta.url) },
  );
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '2\n', stderr: '' });
});
