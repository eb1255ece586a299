// What the workbench says of what it was asked and given: one thing at a time, and no longer than it holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, file, npy, onBench, says } from './bench.js';

const alone = {
  state: '?embed=1&figure=workbench',
  ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
};

test('workbench: what was said of a box goes when the reader is at it again', async () => {
  await onBench(async ({ page, bench }) => {
    const said = bench.locator('.bench-result > .remark[role="status"]');
    const box = bench.getByLabel('softcap');
    await box.fill('-1');
    await box.press('Enter');
    assert.equal(await said.innerText(), 'softcap: “-1” was asked for, off is used.');
    assert.equal(await box.inputValue(), '');
    await box.pressSequentially('2');
    assert.equal(await said.count(), 0);
    await box.fill('');
    await box.press('Enter');
    assert.equal(await said.count(), 0);
    assert.ok(!page.url().includes('softcap'));
  }, alone);
});

test('workbench: a row that a picture has not is brought in, and that is said', async () => {
  await onBench(async ({ page, bench, give }) => {
    const numbers = bytesOf({ length: 40 * 8 }, Float32Array).map((x, at) => at % 7);
    await give(...['q', 'k', 'v'].map((name) => file(`${name}.npy`, npy('<f4', [40, 8], numbers))));
    await bench.locator('canvas').waitFor();
    const enter = async (text) => {
      await bench.getByLabel('query', { exact: true }).fill(text);
      await bench.getByLabel('query', { exact: true }).press('Enter');
    };
    await enter('9999');
    await says(bench, 'cell: “9999, 1” was asked for, 40, 1 is used.');
    await says(bench, 'query 40, key 1');
    assert.equal(await bench.getByLabel('query', { exact: true }).inputValue(), '40');
    await enter('0');
    await says(bench, 'cell: “0” cannot be used; 40 stays.');
    assert.equal(await bench.getByLabel('query', { exact: true }).inputValue(), '40');
    await enter('7');
    await says(bench, 'query 7, key 1');
    assert.equal(await bench.locator('.bench-result > .remark[role="status"]').count(), 0);
    await page.waitForFunction(() => location.hash.includes('bench.cell=7.1'));
  }, alone);
});

test('workbench: while tensors are read and computed nothing is said to be missing', async () => {
  await onBench(async ({ page, bench, give }) => {
    await bench.getByRole('button', { name: 'Clear' }).click();
    await says(bench, 'Q, K and V are needed; still missing: Q, K, V.');
    await bench.evaluate((figure) => {
      globalThis.seen = new Set();
      const look = () => {
        const shown = figure.shadowRoot.querySelectorAll('.bench-result > p:not([hidden])');
        globalThis.seen.add([...shown].map(({ textContent }) => textContent.trim()).join(' | '));
      };
      new MutationObserver(look).observe(figure.shadowRoot, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
    const numbers = bytesOf({ length: 1024 * 32 }, Float32Array).map((x, at) => at % 7);
    await give(
      ...['q', 'k', 'v'].map((name) => file(`${name}.npy`, npy('<f4', [1024, 32], numbers))),
    );
    await bench.locator('canvas').waitFor();
    const seen = await page.evaluate(() => [...globalThis.seen]);
    assert.ok(seen.includes('Reading q.npy, k.npy, v.npy …'), seen.join('\n'));
    assert.ok(seen.includes('Computing …'), seen.join('\n'));
    const needed = seen.filter((text) => text.includes('are needed') && text.includes('…'));
    assert.deepEqual(needed, []);
  }, alone);
});
