// What goes when the reader brings other tensors, what stays, and that both are said and can be undone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, cells, file, npy, onBench, says, seed, type } from './bench.js';

const alone = {
  state: '?embed=1&figure=workbench',
  ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
};
const rows = (count, width, phase) =>
  Array.from({ length: count }, (_, i) =>
    Array.from({ length: width }, (_, j) => Number(Math.sin(i * width + j + phase).toFixed(3))),
  );
const json = (name, given) => file(name, Buffer.from(JSON.stringify(given)));
const mine = { query: rows(6, 8, 0), key: rows(7, 8, 1), value: rows(7, 5, 2) };
const causal = (bench) => bench.getByRole('group', { name: 'causal', exact: true });
const field = (bench, name) => bench.locator(`[data-field="${name}"]`);
const fresh = (bench) => bench.locator('.bench-shown:not([data-stale])').waitFor();
const undo = (bench) => bench.getByRole('button', { name: 'Undo' });

test('workbench: the reader’s own tensors begin without the example’s rule, and Undo brings it back', async () => {
  await onBench(async ({ page, bench, give }) => {
    assert.equal(await causal(bench).count(), 1);
    await give(json('mine.json', mine));
    await says(
      bench,
      'The example’s causal rule has gone with the example; rules for your tensors',
    );
    await fresh(bench);
    assert.equal(await bench.locator('[role="alert"]').count(), 0);
    assert.deepEqual(
      (await cells(bench, 'scores')).map(({ length }) => length),
      Array(6).fill(7),
    );
    assert.equal(await causal(bench).count(), 0);
    assert.match(page.url(), /bench\.mask=none/);
    await undo(bench).click();
    await says(field(bench, 'query'), '4×3, float64');
    assert.equal(await causal(bench).count(), 1);
    assert.equal(await bench.getByText('has gone with').count(), 0);
    assert.ok(!page.url().includes('bench.mask'));
    // So it is for three files, and for three texts.
    const files = Object.entries(mine).map(([name, given]) =>
      file(
        `${name}.npy`,
        npy('<f8', [given.length, given[0].length], bytesOf(given.flat(), Float64Array)),
      ),
    );
    await give(...files);
    await says(bench, 'has gone with the example');
    await undo(bench).click();
    assert.equal(await undo(bench).count(), 0);
    for (const [name, given] of Object.entries(mine)) {
      await type(bench, name, JSON.stringify(given));
      await says(field(bench, name), `${given.length}×${given[0].length}, text`);
    }
    await says(bench, 'has gone with the example');
    assert.equal(await causal(bench).count(), 0);
  }, alone);
});

test('workbench: a rule that the reader asked for stays with other tensors', async () => {
  await onBench(async ({ bench, give }) => {
    await bench.getByRole('button', { name: 'Remove causal' }).click();
    await bench.getByRole('button', { name: 'Add causal' }).click();
    await bench.getByLabel('softcap').fill('2');
    await bench.getByLabel('softcap').press('Enter');
    await give(json('mine.json', mine));
    await says(bench, 'T ≠ S: Q is 6 long, K is 7 long');
    assert.equal(await causal(bench).count(), 1);
    assert.equal(await bench.getByText('has gone with').count(), 0);
  }, alone);
});

test('workbench: Clear clears the rules and options too, Undo brings all of it back', async () => {
  await onBench(
    async ({ page, bench, give }) => {
      await bench.getByRole('button', { name: 'Clear' }).click();
      await says(bench, 'Q, K and V are needed');
      assert.equal(await bench.locator('.bench-rule[role="group"]').count(), 0);
      assert.equal(await bench.getByLabel('softcap').inputValue(), '');
      await undo(bench).click();
      await fresh(bench);
      assert.equal(await bench.getByLabel('softcap').inputValue(), '0.5');
      assert.equal(await causal(bench).count(), 1);
      assert.match(page.url(), /bench\.mask=causal~window\.left\.1\.right\.0/);
      await bench.getByRole('button', { name: 'Clear' }).click();
      await give(json('mine.json', mine));
      await fresh(bench);
      assert.equal(await bench.locator('[role="alert"]').count(), 0);
      // The example comes with its rule.
      await bench.getByRole('button', { name: 'The article’s example' }).click();
      await says(field(bench, 'query'), '4×3, float64');
      assert.equal(await causal(bench).count(), 1);
    },
    {
      ...alone,
      state: `${alone.state}#bench.mask=causal~window.left.1.right.0&bench.softcap=0.5`,
    },
  );
});

test('workbench: a mask goes with the Q, K and V that it came with, and one that stays names its file', async () => {
  const mask = rows(6, 7, 3).map((row) => row.map((x) => x > 0));
  const two = { q: rows(4, 8, 4), k: rows(4, 8, 5), v: rows(4, 5, 6) };
  await onBench(async ({ page, bench, give }) => {
    await give(json('call-1.json', { ...mine, mask: mask.map((row) => row.map(Number)) }));
    const asked = bench.locator('.bench-result [role="alert"]');
    await says(asked, 'The mask holds only true and false');
    await says(bench, 'The mask came from call-1.json.');
    await bench.getByLabel('The tensor’s numbers mean').selectOption('true lets through');
    await fresh(bench);
    assert.match(page.url(), /bench\.meaning=allowed/);

    await give(json('call-2.json', two));
    await says(bench, 'The tensor for mask, of call-1.json, has gone with the Q, K and V');
    await fresh(bench);
    assert.equal((await cells(bench, 'scores')).length, 4);
    assert.equal(await bench.locator('[role="alert"]').count(), 0);
    // Nor is the next mask taken for what this one was.
    assert.ok(!page.url().includes('bench.meaning'));
    await undo(bench).click();
    await says(field(bench, 'mask'), '6×7, text');
    await fresh(bench);
    assert.equal((await cells(bench, 'scores')).length, 6);
    assert.match(page.url(), /bench\.meaning=allowed/);

    // One after the other: it goes with the last.
    for (const [name, given] of Object.entries(two)) {
      assert.equal(await bench.getByText('has gone with').count(), 0);
      await give(json(`${name}.json`, given));
      await says(field(bench, { q: 'query', k: 'key', v: 'value' }[name]), '4×');
    }
    await says(bench, 'The tensor for mask, of call-1.json, has gone with');

    // A mask that was brought by itself stays, and is one press from being removed.
    await give(json('my_mask.json', [[1, 0, 1]]));
    await says(asked, 'The mask holds only true and false');
    await give(json('call-3.json', { ...two, q: rows(5, 8, 4) }));
    await says(field(bench, 'query'), '5×8');
    await says(bench, 'The mask came from my_mask.json.');
    await bench.getByRole('button', { name: 'Remove the mask' }).click();
    await fresh(bench);
    assert.equal(await asked.count(), 0);
    await undo(bench).click();
    await says(asked, 'The mask holds only true and false');

    // So is one that can be nothing but padding and was called something else.
    const heads = (length) =>
      [
        [1, 0],
        [0, 1],
      ].map((row) => [Array(length).fill(row)]);
    await give(json('batch.json', { q: heads(3), k: heads(4), v: heads(4) }));
    const padding = [
      [0, 0, 0, 1],
      [0, 0, 1, 1],
    ];
    await give(json('filler_mask.json', padding));
    await bench.getByLabel('The tensor’s numbers mean').selectOption('blocked');
    await says(bench, 'The mask is 2×4, which is what a padding mask [B, S] looks like.');
    await bench.getByRole('button', { name: 'Remove the mask' }).click();
    await fresh(bench);
  }, alone);
});

test('workbench: the same in Chinese', async () => {
  await onBench(
    async ({ bench, give }) => {
      await give(json('mine.json', { ...mine, mask: [[1, 0, 1]] }));
      await says(
        bench,
        '例子的因果规则已随例子去掉；你的张量要用的规则，在“遮罩”里加。点“撤销”可以全部恢复。',
      );
      await says(bench, '遮罩来自 mine.json。');
      await bench.getByRole('button', { name: '去掉遮罩' }).click();
      await fresh(bench);
      assert.equal(await bench.locator('[role="alert"]').count(), 0);
    },
    { ...alone, language: 'zh' },
  );
});

test('workbench: what the example is tweaked to keeps its rule', async () => {
  await onBench(async ({ bench }) => {
    await type(bench, 'query', JSON.stringify(seed.Q.map((row) => row.map((x) => 2 * x))));
    await says(field(bench, 'query'), '4×3, text');
    assert.equal(await causal(bench).count(), 1);
    assert.equal(await bench.getByText('has gone with').count(), 0);
  }, alone);
});
