// load(): which build is chosen and why, all four builds, threads, and how a process ends.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { relaxedSimd } from 'wasm-feature-detect';
import { AttentionError, load, tensor } from 'attention-wasm';

const require = createRequire(import.meta.url);
const folder = join(dirname(require.resolve('attention-wasm')), 'wasm');
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url)));
const hasRelaxed = await relaxedSimd();

const query = tensor([
  [1, 0, 2],
  [0, 1, 1],
]);
/** The same call with any build; fails unless its numbers are right. */
function assertComputes(attention) {
  const value = tensor([
    [1, 1],
    [2, 4],
  ]);
  const { output } = attention.scaledDotProductAttention(query, query, value, { mask: 'causal' });
  const weight = 1 / (1 + Math.exp((2 - 2) / Math.sqrt(3)));
  assert.deepEqual(Array.from(output.data.subarray(0, 2)), [1, 1]);
  assert.ok(Math.abs(output.data[2] - (weight + 2 * (1 - weight))) < 1e-6, `${output.data}`);
}

describe('the choice of a build', () => {
  for (const simd of ['baseline', 'relaxed']) {
    for (const threads of [1, 2]) {
      test(`${simd}, ${threads} thread${threads === 1 ? '' : 's'}`, async () => {
        // Node 20 knows relaxed SIMD behind a flag only, which npm test sets.
        assert.ok(hasRelaxed, 'run with --experimental-wasm-relaxed-simd');
        const attention = await load({ simd, threads });
        const { info } = attention;
        assert.equal(info.simd, simd);
        assert.equal(info.threads, threads);
        assert.equal(info.crossOriginIsolated, true);
        assert.equal(info.version, version);
        const file = `attention-${simd}${threads > 1 ? '-threads' : ''}.wasm`;
        assert.equal(info.wasmBytes, readFileSync(join(folder, file)).length);
        assertComputes(attention);
        attention.dispose();
      });
    }
  }

  test('why says in a sentence what stands in the way of something better', async () => {
    const attention = await load({ simd: 'baseline', threads: 1 });
    assert.deepEqual(attention.info.why, [
      'threads: one was asked for',
      'simd: baseline was asked for',
    ]);
    attention.dispose();
  });

  test('by default: every core, and the best instructions there are', async () => {
    const attention = await load();
    assert.equal(attention.info.simd, hasRelaxed ? 'relaxed' : 'baseline');
    const { availableParallelism } = await import('node:os');
    assert.equal(attention.info.threads, Math.min(availableParallelism(), 64));
    assertComputes(attention);
    attention.dispose();
  });

  test('an engine without relaxed SIMD gets the baseline and is told', () => {
    const { simd, why } = JSON.parse(
      run(
        [],
        `log((await load({ threads: 1 })).info);`,
        // An engine that refuses the first of the relaxed instructions, 0xfd 0x100.
        `const { validate } = WebAssembly;
         WebAssembly.validate = (bytes) =>
           validate(bytes) && !String(new Uint8Array(bytes)).includes('253,128,2');`,
      ),
    );
    assert.equal(simd, 'baseline');
    assert.deepEqual(why.slice(1), ['simd: this engine has no relaxed SIMD']);
  });

  test('without shared memory there is one thread, and the reason', () => {
    // What a page sees that is not cross-origin isolated: neither Node nor the permission.
    const { threads, crossOriginIsolated, why } = JSON.parse(
      run(
        [],
        `log((await load({ wasmBinary: globalThis.wasm })).info);`,
        `globalThis.wasm = (await import('node:fs')).readFileSync(${JSON.stringify(
          join(folder, 'attention-baseline.wasm'),
        )});
         const { log: print } = console;
         Object.defineProperty(globalThis, 'process', { value: undefined });`,
      ),
    );
    assert.equal(threads, 1);
    assert.equal(crossOriginIsolated, false);
    assert.match(
      why[0],
      /^threads: the page is not cross-origin isolated; serve it with COOP and COEP/,
    );
  });

  test('options that are not right', async () => {
    const rejects = async (options, argument, text) =>
      assert.rejects(load(options), (error) => {
        assert.ok(error instanceof AttentionError, `${error.stack}`);
        assert.equal(error.argument, argument);
        assert.match(error.message, text);
        return true;
      });
    await rejects({ workers: 2 }, 'workers', /threads, simd, wasmURL, wasmBinary/);
    for (const threads of [0, 1.5, -1, 65, '2', NaN]) {
      await rejects({ threads }, 'threads', /'auto' or a whole number from 1 to 64/);
    }
    await rejects({ simd: 'avx' }, 'simd', /'auto', 'relaxed' or 'baseline'/);
    await rejects({ wasmURL: 'no/such/file.wasm' }, 'wasmURL', /no\/such\/file\.wasm/);
    await rejects({ wasmBinary: new Uint8Array(8) }, 'wasmBinary', /compiled/);
  });
});

describe('where the WebAssembly comes from', () => {
  const file = join(folder, 'attention-baseline.wasm');
  const check = async (options, wanted) => {
    const attention = await load(options);
    const { simd, threads, wasmBytes } = attention.info;
    assert.deepEqual({ simd, threads }, wanted);
    assert.ok(wasmBytes > 10_000);
    assertComputes(attention);
    attention.dispose();
  };
  const single = { simd: 'baseline', threads: 1 };

  test('wasmURL: a file', () => check({ wasmURL: pathToFileURL(file) }, single));
  test('wasmURL: a path', () => check({ wasmURL: file }, single));
  test('wasmURL: a folder, from which the right build is taken', async () => {
    const wasmURL = pathToFileURL(`${folder}/`).href;
    await check({ wasmURL, simd: 'baseline', threads: 1 }, single);
    await check({ wasmURL, simd: 'baseline', threads: 2 }, { simd: 'baseline', threads: 2 });
  });
  test('wasmBinary: bytes, of a build with threads or without', async () => {
    await check({ wasmBinary: readFileSync(file) }, single);
    const { buffer, byteOffset, byteLength } = readFileSync(file);
    await check({ wasmBinary: buffer.slice(byteOffset, byteOffset + byteLength) }, single);
    const threaded = readFileSync(join(folder, 'attention-baseline-threads.wasm'));
    await check({ wasmBinary: threaded, threads: 2 }, { simd: 'baseline', threads: 2 });
    await check({ wasmBinary: threaded, threads: 1 }, single);
  });
});

describe('threads', () => {
  test('two threads really run side by side', async () => {
    const attention = await load({ threads: 2 });
    assert.equal(attention.countThreads(), 2);
    attention.dispose();
    const alone = await load({ threads: 1 });
    assert.equal(alone.countThreads(), 1);
    alone.dispose();
  });

  test('several instances at once, each with its own', async () => {
    const instances = await Promise.all([2, 3, 1].map((threads) => load({ threads })));
    assert.deepEqual(
      instances.map((attention) => attention.countThreads()),
      [2, 3, 1],
    );
    instances.forEach(assertComputes);
    instances[0].dispose();
    assertComputes(instances[1]);
    instances.forEach((attention) => attention.dispose());
  });

  test('from within a worker', async () => {
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       import('attention-wasm').then(async ({ load }) => {
         using attention = await load({ threads: 2 });
         parentPort.postMessage(attention.countThreads());
       });`.replace('using', 'const'),
      { eval: true },
    );
    const count = await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    assert.equal(count, 2);
    await worker.terminate();
  });
});

describe('a process', () => {
  for (const threads of [1, 2]) {
    test(`ends by itself with ${threads} thread${threads === 1 ? '' : 's'}, disposed or not`, () => {
      for (const end of ['', 'attention.dispose();']) {
        run(
          [],
          `const attention = await load({ threads: ${threads} }); attention.countThreads(); ${end}`,
        );
      }
    });
  }

  test('works where code may not be made from strings, as under a strict policy', () => {
    const one = `tensor([[2]])`;
    const call = `attention.scaledDotProductAttention(${one}, ${one}, ${one}, { mask: 'causal' })`;
    for (const threads of [1, 2]) {
      const output = run(
        ['--disallow-code-generation-from-strings'],
        `const attention = await load({ threads: ${threads} });
         log(${call}.output.data[0], attention.explain(${one}, ${one}, ${one}).steps.scores.data[0],
             attention.mask('causal', { queries: 2, keys: 2 }).allowedCells);`,
      );
      assert.equal(output, '2 4 3');
    }
  });
});

test('the package holds each file once and no more than it says', () => {
  const files = readdirSync(folder).sort();
  const builds = ['baseline', 'baseline-threads', 'relaxed', 'relaxed-threads'];
  assert.deepEqual(
    files,
    [
      ...builds.slice(0, 2).map((build) => `attention-${build}.js`),
      ...builds.map((build) => `attention-${build}.wasm`),
    ].sort(),
  );
});

/** Runs a module in a process of its own, which must end by itself, and returns what it logged. */
function run(flags, code, before = '') {
  const source = `${before}
    const { load, tensor } = await import('attention-wasm');
    const log = (...values) => console.log(...values.map((value) => JSON.stringify(value)));
    ${code}`;
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--input-type=module', '--eval', source],
    { encoding: 'utf8', timeout: 60_000, cwd: new URL('.', import.meta.url) },
  );
  assert.deepEqual({ status, signal, stderr }, { status: 0, signal: null, stderr: '' }, stderr);
  return stdout.trim();
}
