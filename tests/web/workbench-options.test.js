// Every option and rule of the workbench's call, by its control and by the link, gives what the library
// gives; what cannot be had is said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { cellNumber, cells, onBench, rounded, says, seed, stepsFor, type } from './bench.js';

test('workbench: every option of the call, by its control and by the link', async () => {
  const options = {
    scale: 2,
    softcap: 0.5,
    alibi: [0.25],
    sinks: [-0.5],
    mask: ['causal', { kind: 'window', left: 1, right: 1 }],
    dropout: { p: 0.5, seed: 7 },
  };
  const step = await stepsFor(options);
  const check = async (bench) => {
    const dropped = bench.locator('.matrix[data-stage="dropped"]');
    await dropped.waitFor();
    for (const stage of ['scaled', 'capped', 'biased', 'masked', 'weights', 'output']) {
      assert.deepEqual(rounded(await cells(bench, stage)), step(stage), stage);
    }
    const zeros = (rows) => rows.map((row) => row.map((text) => Number(text) === 0));
    assert.deepEqual(zeros(await cells(bench, 'dropped')), zeros(step('dropped')));
  };
  const enter = async (bench, name, text) => {
    await bench.getByLabel(name, { exact: true }).fill(text);
    await bench.getByLabel(name, { exact: true }).press('Enter');
  };
  let link;
  await onBench(async ({ page, bench }) => {
    await bench.getByRole('button', { name: 'Add window' }).click();
    await enter(bench, 'keys after', '1');
    await enter(bench, 'scale', '2');
    await bench.getByLabel('ALiBi').selectOption('slopes …');
    await enter(bench, 'slopes', '0.25');
    await enter(bench, 'sinks', '−0.5');
    await enter(bench, 'softcap', '0.5');
    await enter(bench, 'dropout p', '0.5');
    await enter(bench, 'seed', '7');
    await check(bench);
    // A pinned cell names the rules that forbid it, and belongs to the link.
    await bench.locator('.matrix[data-stage="masked"] td.cell').nth(3).click();
    await says(bench, 'forbidden by causal, window');
    link = new URL(page.url()).hash;
    // Each option is a step for Back.
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await bench.locator('.matrix[data-stage="dropped"]').waitFor({ state: 'detached' });
    assert.equal(await bench.getByLabel('softcap').inputValue(), '0.5');
    await page.goForward();
    await page.goForward();
    await page.goForward();
    await check(bench);
  });
  await onBench(
    async ({ bench }) => {
      await check(bench);
      await says(bench, 'forbidden by causal, window');
    },
    { state: link },
  );
});

test('workbench: every rule of numbers is the library’s', async () => {
  const rules = {
    'prefix.length.2': { kind: 'prefix', length: 2 },
    'lengths.keys.3': { kind: 'lengths', keys: [3] },
    'lengths.keys.3.queries.2': { kind: 'lengths', keys: [3], queries: [2] },
    'documents.starts.1.3': { kind: 'documents', starts: [0, 2] },
    'global.tokens.2~window.left.0.right.0': [
      { kind: 'global', tokens: [1] },
      { kind: 'window', left: 0, right: 0 },
    ],
    'documents.ids.7.-1.7.7': { kind: 'documents', ids: [7, -1, 7, 7] },
    'blocks.size.3.layout.10;11': {
      kind: 'blocks',
      size: 3,
      layout: [
        [true, false],
        [true, true],
      ],
    },
    'not.causal~window.left.1': [
      { kind: 'not', of: 'causal' },
      { kind: 'window', left: 1 },
    ],
    'causal~prefix.length.1~or.not.window.left.0.right.0': [
      'causal',
      {
        kind: 'any',
        of: [
          { kind: 'prefix', length: 1 },
          { kind: 'not', of: { kind: 'window', left: 0, right: 0 } },
        ],
      },
    ],
    'strided.stride.2': { kind: 'strided', stride: 2 },
    'dilated.left.1.right.0.dilation.2': { kind: 'dilated', left: 1, right: 0, dilation: 2 },
  };
  await onBench(async ({ page, bench }) => {
    for (const [text, mask] of Object.entries(rules)) {
      await page.evaluate((hash) => (location.hash = hash), `bench.mask=${text}`);
      const wanted = (await stepsFor({ mask }))('masked');
      const [kind] = text.replace('not.', '').split(/[.~]/);
      await bench.getByRole('group', { name: kind, exact: true }).first().waitFor();
      assert.deepEqual(await cells(bench, 'masked'), wanted, text);
    }
  });
});

test('workbench: of several heads and batch elements each has its own slope, sink and numbers', async () => {
  // Batch elements 1 and 2, heads 1 to 3, which differ.
  const call = [seed.Q, seed.K, seed.V].map((rows) =>
    [1, -1].map((sign) => [1, 2, 3].map((k) => rows.map((row) => row.map((x) => sign * k * x)))),
  );
  const sinks = [0.5, -1, 2];
  const mask = [
    { kind: 'prefix', length: [1, 3] },
    { kind: 'lengths', keys: [4, 3], queries: [4, 2] },
  ];
  const attention = await load({ threads: 1 });
  const options = { alibi: true, sinks, mask, start: [0, 1] };
  const { steps } = attention.explain(...call.map((x) => tensor(x, 'float32')), options);
  attention.dispose();
  const state =
    '#bench.mask=prefix.length.1.3~lengths.keys.4.3.queries.4.2&bench.alibi=paper&bench.start=1,2';
  await onBench(
    async ({ page, bench }) => {
      for (const [at, field] of ['query', 'key', 'value'].entries()) {
        await type(bench, field, JSON.stringify(call[at]));
      }
      await bench.getByLabel('sinks').fill('0.5, −1');
      await bench.getByLabel('sinks').press('Enter');
      await says(bench, 'sinks: the numbers are 2 and the heads 3; give one for each head.');
      await bench.getByLabel('sinks').fill(sinks.join('；'));
      await bench.getByLabel('sinks').press('Enter');
      await bench.locator('.bench-shown:not([data-stale])').waitFor();
      assert.equal(await bench.locator('.bench-result .remark[role="status"]').count(), 0);
      assert.match(page.url(), /bench\.sinks=0\.5,-1,2/);
      for (const [batch, head] of [
        [1, 1],
        [1, 3],
        [2, 2],
      ]) {
        for (const [name, index] of [
          ['batch element (1–2)', batch],
          ['head (1–3)', head],
        ]) {
          await bench.getByLabel(name).fill(String(index));
          await bench.getByLabel(name).press('Enter');
        }
        await page.waitForFunction(
          ([b, h]) =>
            location.hash.includes(`batch=${b}`) === b > 1 &&
            location.hash.includes(`head=${h}`) === h > 1,
          [batch, head],
        );
        for (const stage of ['biased', 'masked', 'weights', 'output']) {
          const wanted = toNested(steps[stage])[batch - 1][head - 1];
          assert.deepEqual(
            rounded(await cells(bench, stage)),
            wanted.map((row) => row.map((x) => cellNumber(x).replace('-', '−'))),
            `${stage} of ${batch}, ${head}`,
          );
        }
      }
      const head = bench.getByLabel('head (1–3)');
      await head.fill('9');
      await head.press('Enter');
      await says(bench, 'head: “9” was asked for, 3 is used.');
      assert.equal(await head.inputValue(), '3');
      assert.match(page.url(), /bench\.head=3/);
    },
    { state },
  );
});

test('workbench: what a link or a box asks for in vain is said', async () => {
  const state =
    '#bench.dropout=3&bench.softcap=x&bench.scale=abc&bench.mask=causal~windw&bench.head=9&bench.stage=biased&bench.cell=9.2';
  await onBench(
    async ({ page, bench }) => {
      await says(bench, 'dropout p: “3” was asked for, 1 is used.');
      await says(bench, 'softcap: “x” cannot be used; off stays.');
      await says(bench, 'scale: “abc” cannot be used; the default, 1/√d_k, stays.');
      await says(bench, 'Mask: “causal~windw” cannot be used; causal stays.');
      await says(bench, 'head: “9” was asked for, 1 is used.');
      await says(bench, 'Show: “biased” was asked for, weights is used.');
      await says(bench, 'cell: “9, 2” was asked for, 4, 2 is used.');
      await page.evaluate(() => (location.hash = '#bench.softcap=2'));
      await bench.locator('.matrix[data-stage="capped"]').waitFor();
      assert.equal(await bench.locator('.bench-result .remark[role="status"]').count(), 0);
      await bench.getByLabel('softcap').fill('two');
      await bench.getByLabel('softcap').press('Enter');
      await says(bench, 'softcap: “two” cannot be used; 2 stays.');
      assert.equal(await bench.getByLabel('softcap').inputValue(), '2');
    },
    { state },
  );
});
