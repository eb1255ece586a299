// The page and its figures stand on one grid of two columns: see web/styles/tokens.css.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';

/** Figures that check their own numbers in their foot. */
const checked = [
  'stepper',
  'retrieval',
  'projection',
  'dropout',
  'scaling-lab',
  'causal-steps',
  'mask-painter',
  'polarity',
  'finite-mask',
  'mask-order',
  'nan-repair',
  'sentence',
  'cross',
  'alignment',
  'overflow',
  'precision',
  'online-softmax',
];
const isAt = (x, edge) => Math.abs(x - edge) < 1;

for (const language of ['en', 'zh']) {
  test(`all that stands in a section ends with the prose or with the page, ${language}`, async () => {
    await onPage(`${language}/`, async (page) => {
      const boxes = await page.evaluate(() =>
        [...document.querySelectorAll('main > section > *')].map((block) => {
          const { left, right } = block.getBoundingClientRect();
          return { name: [block.localName, ...block.classList].join('.'), left, right };
        }),
      );
      const of = (...names) => boxes.find(({ name }) => names.includes(name));
      const [prose, note] = [of('p'), of('aside.correction')];
      assert.ok(prose.right < note.left, 'notes stand beside the prose');
      const strays = boxes.filter(({ left, right }) => {
        const isFirst = isAt(left, prose.left);
        const isWhole = isFirst && isAt(right, note.right);
        const isProse = isFirst && isAt(right, prose.right);
        return (
          right > left &&
          !isWhole &&
          !isProse &&
          !(isAt(left, note.left) && isAt(right, note.right))
        );
      });
      assert.deepEqual(strays, []);
      assert.ok(boxes.length > 300, `${boxes.length} blocks`);
    });
  });
}

test('checks come first beside the sums, in the column of the notes, in every figure', async () => {
  await onPage('en/', async (page) => {
    const { x } = await page.locator('aside.correction').first().boundingBox();
    for (const name of checked) {
      const figure = page.locator(`attention-${name}`);
      await figure.scrollIntoViewIfNeeded();
      await page.locator(`attention-${name}[data-live]`).waitFor({ state: 'attached' });
      const list = await figure.locator('.invariants').first().boundingBox();
      const foot = await figure.locator('.below').boundingBox();
      assert.ok(isAt(list.x, x), `${name}: checks at ${list.x}, notes at ${x}`);
      // A name may stand above them.
      assert.ok(list.y - foot.y < 40, `${name}: ${list.y - foot.y} px below the first line`);
    }
  });
});

test('where there is one column, the checks follow the sum', async () => {
  await onPage(
    'en/',
    async (page) => {
      const figure = page.locator('attention-cross');
      await figure.scrollIntoViewIfNeeded();
      await page.locator('attention-cross[data-live]').waitFor({ state: 'attached' });
      const sum = await figure.locator('.inspector').boundingBox();
      const list = await figure.locator('.invariants').boundingBox();
      assert.ok(isAt(list.x, sum.x) && list.y >= sum.y + sum.height);
    },
    { viewport: { width: 768, height: 1000 } },
  );
});
