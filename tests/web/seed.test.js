// The same seed gives the same numbers: in the box, in a link, in either language, on any device.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, onPage } from './browser.js';

/** Mulberry32 as its author published it, for matrices of two decimals from −1 to 1. */
function numbersOf(seed, count) {
  let a = seed;
  const next = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return Array.from({ length: count }, () => (Math.round(next() * 200) - 100) / 100);
}

/** Of each figure: its matrices that a seed makes, and what a link says of seed 7. */
const figures = {
  stepper: { inputs: ['query', 'key', 'value'], link: /#(.*&)?seed=7$/ },
  retrieval: { inputs: ['query', 'key', 'value'], link: /fruit\.case=seed7/ },
  'causal-steps': { inputs: ['query'], link: /causal\.case=seed7/ },
  projection: { inputs: ['x', 'wq', 'wk', 'wv'], link: /xw\.seed=7/ },
  cross: { inputs: ['query', 'key', 'value'], link: /cross\.seed=7/ },
  alignment: { inputs: ['query', 'key'], link: /align\.seed=7/ },
};

const alone = (name, language = 'en', fragment = '') => [
  `${language}/?embed=1&figure=${name}${fragment}`,
  { ready: (page) => page.locator(`attention-${name}[data-live]`).waitFor() },
];
const cellsOf = (figure, stage) =>
  figure
    .locator(`td[data-stage="${stage}"]`)
    .evaluateAll((cells) => cells.map(({ textContent }) => textContent.trim()));

for (const [name, { inputs, link }] of Object.entries(figures)) {
  test(`${name}: a seed can be set, is in the link, and goes with a change`, async () => {
    let address;
    let shown;
    const [path, settings] = alone(name);
    await onPage(
      path,
      async (page) => {
        const figure = page.locator(`attention-${name}`);
        const box = figure.locator('.seed input');
        const article = await cellsOf(figure, inputs[0]);
        assert.equal(await box.inputValue(), '', 'the article has no seed');
        await figure.getByRole('button', { name: 'New numbers' }).click();
        assert.equal(await box.inputValue(), '1');
        await box.fill('7');
        await box.press('Enter');
        assert.match(page.url(), link);
        shown = await cellsOf(figure, inputs[0]);
        assert.notDeepEqual(shown, article);
        const texts = numbersOf(7 * inputs.length, shown.length).map((x) =>
          x.toFixed(2).replace('-', '−'),
        );
        assert.deepEqual(shown, texts, 'the numbers of the seed');
        address = page.url();

        await figure.locator(`td[data-stage="${inputs[0]}"]`).first().focus();
        await page.keyboard.type('5');
        await page.keyboard.press('Enter');
        assert.equal(await box.inputValue(), '', 'no longer those of the seed');
        await figure.getByRole('button', { name: 'Undo' }).click();
        assert.equal(await box.inputValue(), '7');
        assert.equal(page.url(), address);
        await figure.getByRole('button', { name: 'New numbers' }).click();
        assert.equal(await box.inputValue(), '8');
        await box.fill('5');
        await figure.getByRole('button', { name: 'New numbers' }).click();
        assert.equal(await box.inputValue(), '5', 'what was typed, not the one after it');
        await figure.getByRole('button', { name: 'New numbers' }).click();
        assert.equal(await box.inputValue(), '6');
        for (const [asked, taken] of [
          ['1e9', '9999'],
          ['-3', '1'],
        ]) {
          await box.fill(asked);
          await box.press('Enter');
          assert.equal(await box.inputValue(), taken, asked);
        }
        await figure.getByRole('button', { name: 'Reset' }).click();
        assert.deepEqual(await cellsOf(figure, inputs[0]), article);
      },
      settings,
    );
    await onPage(
      address.replace('/en/', '/zh/'),
      async (page) => {
        const figure = page.locator(`attention-${name}`);
        assert.deepEqual(await cellsOf(figure, inputs[0]), shown);
        assert.equal(await figure.locator('.seed input').inputValue(), '7');
      },
      settings,
    );
  });
}

test('a link with a seed out of bounds, or with none, is put right and says so', async () => {
  await onPage('en/#seed=0', async (page) => {
    const stepper = page.locator('attention-stepper');
    assert.match(await stepper.locator('.messages').innerText(), /seed=0; 1 is used/);
    assert.equal(await stepper.locator('.seed input').inputValue(), '1');
  });
  await onPage('en/#seed=seven', async (page) => {
    const stepper = page.locator('attention-stepper');
    assert.match(await stepper.locator('.messages').innerText(), /seed=seven/);
    assert.equal((await cell(page, 'query', 0, 0).innerText()).trim(), '0.11');
  });
  await onPage('en/#seed=7&q=1,2,3;4,5,6;7,8,9;1,1,1', async (page) => {
    assert.equal((await cell(page, 'query', 1, 1).innerText()).trim(), '5.00');
    assert.equal(await page.locator('attention-stepper .seed input').inputValue(), '');
  });
});
