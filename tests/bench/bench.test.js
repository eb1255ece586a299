// The benchmark runs, and its contestants are right: in the short mode, without what it would install.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cases, errorOf, makeInputs } from './cases.js';
import { plain } from './contestants.js';

test('npm run bench -- --quick measures every build and writes its results', async () => {
  const script = fileURLToPath(new URL('bench.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    '--quick',
    '--threads=1',
  ]);
  assert.match(stdout, /\| A: H12 T=S=128 d64 \| 1 \|/);
  const file = new URL('../../build/bench.json', import.meta.url);
  const [{ results }] = JSON.parse(readFileSync(file, 'utf8')).runs;
  for (const name of ['H', 'A']) {
    const ours = results.filter((one) => one.case === name && one.group === 'ours');
    assert.ok(ours.length >= 1);
    for (const { milliseconds, error } of ours) {
      assert.ok(milliseconds > 0);
      assert.ok(error < 1e-5);
    }
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
