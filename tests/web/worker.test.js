// loadWorker() in Chromium, on a page without shared memory and on one with it.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onPage, site } from './browser.js';

const folder = fileURLToPath(new URL('../../build/snippets/worker', import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
cpSync(new URL('../../dist', import.meta.url), `${folder}/attention-wasm`, { recursive: true });
writeFileSync(`${folder}/index.html`, '<!doctype html><title>worker</title>');

/** In the page: both ways of calling, a call that is given up, and how often the page had its turn. */
async function use() {
  const { load, loadWorker } = await import('/attention-wasm/index.js');
  const here = await load({ threads: 1 });
  const workers = await loadWorker({ threads: 2 });
  const rows = (...shape) => ({
    shape,
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * i)),
  });
  const inputs = [rows(4, 1500, 32), rows(2, 1500, 32), rows(2, 1500, 32)];
  const expected = here.scaledDotProductAttention(...inputs, { mask: 'causal' });
  const shares = [];
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const { output, lse, info } = await workers.scaledDotProductAttention(
    ...inputs,
    { mask: 'causal' },
    { progress: (share) => shares.push(share) },
  );
  clearInterval(timer);

  const controller = new AbortController();
  const long = rows(8, 8000, 32);
  const { signal } = controller;
  const given = workers.scaledDotProductAttention(long, long, long, {}, { signal });
  setTimeout(() => controller.abort(), 100);
  const reason = await given.catch(({ name }) => name);
  const after = await workers.scaledDotProductAttention(...inputs, { mask: 'causal' });
  const same = (a, b) => a.data.every((x, at) => Object.is(x, b.data[at]));
  const result = {
    info: workers.info,
    threads: info.threads,
    same: same(output, expected.output) && same(lse, expected.lse),
    sameAfter: same(after.output, expected.output),
    turns,
    shares,
    reason,
  };
  workers.dispose();
  here.dispose();
  return result;
}

for (const isolated of [false, true]) {
  test(`two workers ${isolated ? 'with' : 'without'} shared memory`, async () => {
    const url = await site({ folder, isolated });
    await onPage(
      '',
      async (page) => {
        const { info, shares, ...result } = await page.evaluate(use);
        assert.equal(info.crossOriginIsolated, isolated);
        assert.deepEqual([info.threads, result.threads], [2, 2]);
        assert.equal(info.parallelism, isolated ? 'threads' : 'workers');
        if (!isolated) assert.match(info.why.join(), /memory of its own; serve it with COOP/);
        assert.ok(result.same, 'other bits than one thread');
        assert.ok(result.sameAfter, 'other bits after a call was given up');
        assert.ok(result.turns > 2, `the page had ${result.turns} turns while a call ran`);
        assert.ok(shares.length > 1 && Math.abs(shares.at(-1) - 1) < 1e-9, `${shares}`);
        assert.equal(result.reason, 'AbortError');
      },
      { url, faults: [/favicon|404/] },
    );
  });
}
