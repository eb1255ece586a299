// What is painted, switched or set in the figures of masks can be taken back, step by step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
import { focused } from './keys.js';

const alone = (name, fragment = '') => [
  `en/?embed=1&figure=${name}#${fragment}`,
  { ready: (page) => page.locator(`attention-${name}[data-live]`).waitFor() },
];
const hashOf = (page) => page.evaluate(() => decodeURIComponent(location.hash));
/** What a link says, in any order. */
const partsOf = async (page) => (await hashOf(page)).slice(1).split('&').sort();
const undo = 'ControlOrMeta+z';

test('the painter takes back paint, rules, sizes and a whole strategy, by button and by keys', async () => {
  const [path, settings] = alone('mask-painter');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-mask-painter');
      const cell = (row, column) =>
        figure.locator(`td[data-stage="mask"][data-row="${row}"][data-column="${column}"]`);
      const mask = () => figure.locator('td[data-stage="mask"]').allInnerTexts();
      const button = figure.getByRole('button', { name: 'Undo' });
      const start = await mask();
      assert.equal(await button.getAttribute('aria-disabled'), 'true');

      await cell(3, 0).focus();
      await page.keyboard.press('Space');
      const painted = await mask();
      assert.notDeepEqual(painted, start);
      await page.keyboard.press('Shift+Space');
      assert.equal(await button.getAttribute('aria-disabled'), 'false');
      await page.keyboard.press(undo);
      assert.deepEqual(await mask(), painted, 'the row is one change');
      assert.equal((await focused(page)).place, 'mask 3 0', 'the focus stays');
      await page.keyboard.press(undo);
      assert.deepEqual(await mask(), start);
      assert.equal(await button.getAttribute('aria-disabled'), 'true');
      await page.keyboard.press(undo);
      assert.deepEqual(await mask(), start, 'there is nothing more');

      const padding = figure.getByRole('switch', { name: 'padding' });
      await padding.focus();
      await page.keyboard.press('Space');
      assert.equal(await padding.isChecked(), false);
      await page.keyboard.press(undo);
      assert.equal(await padding.isChecked(), true);
      assert.equal((await focused(page)).type, 'checkbox');

      const slider = figure.getByRole('slider', { name: 'S, keys' });
      await slider.focus();
      for (let times = 0; times < 3; ++times) await page.keyboard.press('ArrowLeft');
      assert.equal(await slider.inputValue(), '3');
      await page.keyboard.press(undo);
      assert.equal(await slider.inputValue(), '6', 'the way of a slider is one change');

      await figure.getByRole('button', { name: 'Apply' }).nth(4).click();
      assert.match(await hashOf(page), /rules:prefix/);
      await button.click();
      assert.doesNotMatch(await hashOf(page), /rules/);
      assert.deepEqual(await mask(), start);

      // Back goes its own way, and Undo goes on from where that led.
      await cell(3, 0).click();
      await cell(3, 1).click();
      await page.goBack();
      await page.waitForFunction(() => !decodeURIComponent(location.hash).includes('4.2'));
      await button.click();
      assert.deepEqual(await mask(), start);
      await page.goBack();
      await page.goBack();
      await page.waitForFunction(() => !decodeURIComponent(location.hash).includes('4.1'));
      assert.deepEqual(await mask(), start);
    },
    settings,
  );
});

test('a number box keeps its own Ctrl+Z, and a row that goes leaves the focus in its matrix', async () => {
  const [path, settings] = alone('mask-painter');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-mask-painter');
      const box = figure.getByRole('spinbutton', { name: 'T, queries' });
      await box.fill('8');
      await box.press('Enter');
      await box.press(undo);
      assert.match(await hashOf(page), /queries:8/, 'that of the box, not of the figure');
      await box.fill('8');
      await box.press('Enter');
      await figure.locator('td[data-stage="mask"][data-row="7"][data-column="0"]').focus();
      await page.keyboard.press(undo);
      assert.doesNotMatch(await hashOf(page), /queries/);
      assert.equal((await focused(page)).place, 'mask 0 0');
    },
    settings,
  );
});

test("the painter takes back what it did to the reader's case", async () => {
  const [path, settings] = alone('mask-painter', 'mask.mine=1&q=1,2,3;4,5,6;7,8,9;1,1,1');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-mask-painter');
      const before = await partsOf(page);
      await figure.locator('td[data-stage="mask"]').nth(4).click();
      assert.match(await hashOf(page), /m=rules:causal,paint:2\.1/);
      await page.keyboard.press(undo);
      assert.deepEqual(await partsOf(page), before);
      await figure.getByRole('switch', { name: 'causal' }).click();
      assert.match(await hashOf(page), /m=0/);
      await figure.getByRole('button', { name: 'Undo' }).click();
      assert.deepEqual(await partsOf(page), before);
    },
    settings,
  );
});

test('what True means: paint and presets are taken back', async () => {
  const [path, settings] = alone('polarity');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-polarity');
      const array = () => figure.locator('td[data-stage="array"]').allInnerTexts();
      const start = await array();
      await figure.locator('td[data-stage="array"]').nth(4).focus();
      await page.keyboard.press('Control+Space');
      const column = await array();
      assert.equal(column.filter((text, at) => text !== start[at]).length, 4);
      await figure.getByRole('button', { name: 'lower triangle' }).click();
      await figure.getByRole('button', { name: 'Undo' }).click();
      assert.deepEqual(await array(), column);
      await figure.locator('td[data-stage="array"]').nth(4).focus();
      await page.keyboard.press(undo);
      assert.deepEqual(await array(), start);
      assert.equal((await focused(page)).place, 'array 1 0');
      await page.goBack();
      await page.waitForFunction(() => location.hash.includes('true.bits='));
      assert.deepEqual(await array(), column);
    },
    settings,
  );
});
