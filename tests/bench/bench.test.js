// The benchmark runs, and its contestants are right: in the short mode, without what it would install.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cases, errorOf, makeInputs } from './cases.js';
import { plain } from './contestants.js';
import { limits } from './limit.js';
import { outcomes } from './measure.js';
import { tableOf } from './table.js';

test('npm run bench -- --quick measures every build and writes its results', async () => {
  const script = fileURLToPath(new URL('bench.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    '--quick',
    '--threads=1',
  ]);
  assert.match(stdout, /\| A: H12 T=S=128 d64 \| 1 \|/);
  const file = new URL('../../build/bench.json', import.meta.url);
  const summary = JSON.parse(readFileSync(file, 'utf8'));
  const [{ results }] = summary.runs;
  for (const name of ['H', 'A']) {
    const ours = results.filter((one) => one.case === name && one.group === 'ours');
    assert.ok(ours.length >= 1);
    for (const { milliseconds, error } of ours) {
      assert.ok(milliseconds > 0);
      assert.ok(error < 1e-5);
    }
  }
  assert.equal(tableOf(summary, 'zh').match(/^\|/gm).length, 4);
});

test('npm run profile knows which part of the work each function does, in both engines', async () => {
  const script = fileURLToPath(new URL('profile.mjs', import.meta.url));
  const flags = parseInt(process.versions.node) < 22 ? ['--experimental-wasm-relaxed-simd'] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[...flags, script],
    ...['--cases=CR', '--seconds=1', '--browser'],
  ]);
  const rows = stdout.match(/^\|.*\|$/gm).map((row) => row.split('|').slice(1, -1));
  const table = 2 + 8;
  const pair = rows.slice(table, -table);
  const engines = [rows.slice(0, table), rows.slice(-table)];
  const columns = engines.flatMap((engine) =>
    [1, 2].map((at) => engine.slice(2).map((row) => parseFloat(row[at]))),
  );
  for (const column of columns) {
    const [scores, values, softmax, copies, garbage, rest] = column;
    for (const share of [scores, values, softmax]) assert.ok(share > 0, stdout);
    assert.ok(scores + values > 40 && rest < 40, stdout);
    const sum = scores + values + softmax + copies + garbage + rest;
    assert.ok(Math.abs(sum - 100) <= 3, stdout); // each is rounded
  }
  const [work, copies, slower, waiting, times] = pair.slice(2).map((row) => parseFloat(row[1]));
  assert.ok(work > 0 && copies > 0 && times > 0, stdout);
  assert.ok(Math.abs(work + copies + slower + waiting - 100) < 0.5, stdout);
});

test('a case is compared with its rival, with the limit of the same kind of SIMD and with one thread', () => {
  const result = (name, group, milliseconds, others) => ({
    ...{ case: name, group, milliseconds, ...others },
  });
  const found = outcomes([
    result('C', 'ours', 50, { simd: 'relaxed', gflops: 45 }),
    result('C', 'ours', 80, { simd: 'baseline', gflops: 27 }),
    result('C', 'peer', 150),
    result('C', 'peer', 120),
    result('C', 'plain', 9),
    result('C', 'limit', 1, { simd: 'relaxed', gflops: 50 }),
    result('C', 'limit', 1, { simd: 'baseline', gflops: 30 }),
    result('F', 'ours', 20, { simd: 'relaxed' }),
    result('F', 'alone', 38, { simd: 'relaxed' }),
    result('W', 'ours', 10, { simd: 'relaxed' }),
    result('X', 'ours', 250, { simd: 'relaxed' }),
    result('J', 'ours', 10, { simd: 'relaxed' }),
    result('J', 'peer', 30),
    result('J', 'plain', 300),
  ]);
  const { relaxed, baseline } = found.C.ours;
  assert.deepEqual([relaxed.ratio, baseline.ratio], [2.4, 1.5]);
  assert.deepEqual([relaxed.share, baseline.share], [0.9, 0.9]);
  assert.equal(found.F.ours.relaxed.scaling, 1.9);
  assert.equal(relaxed.scaling, undefined);
  assert.equal(found.W.ours.relaxed.ratio, 25);
  assert.equal(found.J.ours.relaxed.ratio, 30);
});

test('the limit can be measured for every kind of SIMD that there is', () => {
  const kinds = limits();
  assert.ok(kinds.some(({ simd }) => simd === 'baseline'));
  for (const { operations, prepare } of kinds) {
    const run = prepare();
    run();
    const started = performance.now();
    run();
    const gflops = operations / (performance.now() - started) / 1e6;
    assert.ok(gflops > 0.1 && gflops < 1000);
  }
});

test('the check against float64 sees a wrong row, and masks', () => {
  for (const test of [cases.H, { ...cases.H, causal: true }, { ...cases.H, lengths: [2] }]) {
    const inputs = makeInputs(test);
    const output = plain.prepare(test, inputs)();
    assert.ok(errorOf(test, inputs, output) < 1e-6);
    output[output.length - 1] += 0.01;
    assert.ok(errorOf(test, inputs, output) > 0.009);
    assert.ok(errorOf(test, inputs, output.fill(NaN)) === Infinity);
  }
});

test('main-thread.mjs tells what a call of a worker costs the page', async () => {
  const script = fileURLToPath(new URL('main-thread.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--cases=B']);
  const rows = stdout.match(/^\| B \|.*\|$/gm);
  assert.equal(rows?.length, 2, stdout);
  for (const row of rows)
    assert.match(row, /\| 5 \| (shared|apart) \| \d+ \| \d+\.\d(, \d+\.\d)* \|/);
});
