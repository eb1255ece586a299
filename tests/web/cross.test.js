// Cross-attention: the recorded call of three queries and five keys, other lengths, and no mask.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { languages, onPage, overflowOf } from './browser.js';
import { cellsOf, checkEach, range, rowByColumn, wake } from './marks.js';

const recorded = new URL('../../web/examples/cross-attention.json', import.meta.url);
const { expected } = JSON.parse(await readFile(recorded, 'utf8'));
const near = (texts, matrix) =>
  matrix.flat().forEach((x, at) => {
    assert.ok(
      Math.abs(Number(texts[at].replace('−', '-')) - x) <= 0.00501,
      `${texts[at]} for ${x}`,
    );
  });

for (const language of languages) {
  test(`cross-attention: numbers, lengths, and no mask: ${language}`, async () => {
    await onPage(`${language}/`, async (page) => {
      const figure = await wake(page, 'cross');
      const cells = (stage) => figure.locator(`td[data-stage="${stage}"]`).allInnerTexts();
      for (const stage of ['scores', 'weights', 'output'])
        near(await cells(stage), expected[stage]);
      assert.equal(await figure.locator('[data-cause]').count(), 0);
      for (const [box, text] of [
        [0, '6'],
        [1, '2'],
      ]) {
        await figure.getByRole('spinbutton').nth(box).fill(text);
        await figure.getByRole('spinbutton').nth(box).press('Enter');
      }
      await page.waitForURL(/cross\.t=6&cross\.s=2/);
      assert.equal((await cells('weights')).length, 12);
      assert.equal((await cells('value')).length, 6);
      assert.match(await figure.locator('.cross-says').innerText(), /6.*2.*12/);
      assert.equal(await figure.locator('.invariants li[data-holds=no]').count(), 0);
    });
  });
}

test('cross-attention: every number is marked with what it is made of and what follows', async () => {
  const shapes = {
    ...{ query: [3, 4], key: [5, 4], value: [5, 3] },
    ...{ scores: [3, 5], weights: [3, 5], output: [3, 3] },
  };
  const reads = {
    scores: (i, j) => range(4).flatMap((l) => [`query ${i} ${l}`, `key ${j} ${l}`]),
    weights: (i) => range(5).map((j) => `scores ${i} ${j}`),
    output: (i, c) => rowByColumn('weights', 'value', range(5), i, c),
  };
  await onPage('en/', async (page) => {
    const figure = await wake(page, 'cross');
    await checkEach(figure, shapes, reads, cellsOf(shapes));
    const named = (name) => figure.getByRole('gridcell', { name }).count();
    assert.equal(await named(/, key 5, dimension 2, /), 2); // of K and of V
    assert.equal(await named(/, query 3, dimension 2, /), 2); // of Q and of AV
  });
});

for (const language of languages) {
  for (const width of [390, 320]) {
    test(`cross-attention: the longest sequences fit ${width} px: ${language}`, async () => {
      const ready = (page) => page.locator('attention-cross[data-live]').waitFor();
      const settings = { viewport: { width, height: 900 }, hasTouch: true, ready };
      const state = '#cross.t=6&cross.s=6';
      await onPage(
        `${language}/?embed=1&figure=cross${state}`,
        async (page) => {
          const overflow = await overflowOf(page);
          assert.ok(overflow <= 0, `${overflow} px too wide`);
        },
        settings,
      );
    });
  }
}
