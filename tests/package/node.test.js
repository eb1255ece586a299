// The package in Node: this one and a newer one, from ES modules, CommonJS and workers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { checkBoth, project } from './packed.js';
import { node24 } from './users.js';

const place = project('node', {
  'common.cjs': `
    import('./call.js')
      .then(({ callBoth }) => callBoth({ threads: 2 }))
      .then((result) => console.log(JSON.stringify(result)));
  `,
  'in-thread.js': `
    import { Worker } from 'node:worker_threads';
    const code = "import('./call.js').then(async ({ callBoth }) => " +
      "require('node:worker_threads').parentPort.postMessage(await callBoth({ threads: 2 })))";
    const worker = new Worker(code, { eval: true });
    worker.once('message', (result) => console.log(JSON.stringify(result)));
  `,
  'left-open.js': `
    import { load, loadWorker } from 'attention-wasm';
    const attention = await load({ threads: 2 });
    const worker = await loadWorker({ threads: 2 });
    console.log(JSON.stringify([attention.info, worker.info]));
  `,
});

/** What a program prints, which has to end by itself. */
const output = (program, ...args) =>
  JSON.parse(execFileSync(program, args, { cwd: place, encoding: 'utf8', timeout: 60_000 }));

for (const [name, program] of Object.entries({ 'this Node': process.execPath, node24 })) {
  test(`${name}: an ES module`, () => {
    checkBoth(output(program, 'node.js'), { threads: 2 });
  });

  test(`${name}: CommonJS, through import()`, () => {
    checkBoth(output(program, 'common.cjs'), { threads: 2 });
  });

  test(`${name}: a worker thread`, () => {
    checkBoth(output(program, 'in-thread.js'), { threads: 2 });
  });

  test(`${name}: ends by itself with instances that nobody disposed of`, () => {
    const infos = output(program, 'left-open.js');
    for (const { threads } of infos) assert.equal(threads, 2);
  });
}

test('a newer Node has relaxed SIMD without being asked', () => {
  assert.equal(output(node24, 'node.js').here.info.simd, 'relaxed');
});

test('npx attention-wasm', () => {
  const words = ['--offline', 'attention-wasm', 'info', '--json', '--threads', '1'];
  const { threads, version } = JSON.parse(
    execFileSync('npx', words, { cwd: place, encoding: 'utf8', timeout: 60_000 }),
  );
  assert.equal(threads, 1);
  assert.match(version, /^\d+\.\d+\.\d+/);
});
