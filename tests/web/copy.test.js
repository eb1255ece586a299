// What is copied from a matrix are the core's numbers in full, whatever its cells show.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { cell, onPage, textsOf } from './browser.js';

const json = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
const { inputs } = await json('../../web/examples/six-step.json');
const attention = await load({ threads: 1 });
const given = [inputs.query, inputs.key, inputs.value].map((rows) => tensor(rows, 'float64'));
const { steps } = attention.explain(...given, { mask: 'causal' });
const [scores, masked, weights] = ['scores', 'masked', 'weights'].map((name) =>
  toNested(steps[name]),
);

const settings = { permissions: ['clipboard-read', 'clipboard-write'] };
async function copied(page) {
  await page.evaluate(() => navigator.clipboard.writeText('nothing'));
  await page.keyboard.press('Control+c');
  return page.evaluate(() => navigator.clipboard.readText());
}
const table = (rows) => rows.map((row) => row.join('\t')).join('\n');

test('a cell that has the focus or is kept gives its number in full', () =>
  onPage(
    'en/#s=6',
    async (page) => {
      await cell(page, 'scores', 0, 0).focus();
      await page.keyboard.press('ArrowRight');
      assert.equal(await copied(page), String(scores[0][1]));
      await cell(page, 'masked', 0, 1).click();
      assert.equal(await copied(page), '-Infinity');
      await cell(page, 'weights', 2, 1).click();
      assert.equal(await copied(page), String(weights[2][1]));
      await page.locator('attention-stepper').getByRole('button', { name: 'Back' }).focus();
      assert.equal(await copied(page), String(weights[2][1]), 'kept, the focus on a button');

      // What is selected elsewhere, or typed into a cell, is the browser's own to copy.
      await page.locator('h1').selectText();
      assert.equal(await copied(page), (await page.locator('h1').innerText()).trim());
      await cell(page, 'query', 0, 0).click();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+a');
      assert.equal(await copied(page), '0.11');
    },
    settings,
  ));

test('several cells are tab-separated: a row, a matrix, a transposed one, a selection', () =>
  onPage(
    'en/#s=6',
    async (page) => {
      const at = (stage, row, column) => cell(page, stage, row, column);
      await at('weights', 1, 1).focus();
      await page.keyboard.press('Control+a');
      assert.equal(await copied(page), table(weights));
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Control+A'); // as with Caps Lock
      assert.equal(await copied(page), table(weights));
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Shift+Space');
      assert.equal(await copied(page), table([weights[1]]));
      await page.keyboard.press('ArrowDown');
      assert.equal(await copied(page), String(weights[2][1]), 'moving on selects nothing');

      await at('key', 0, 2).focus();
      await page.keyboard.press('Shift+Space');
      assert.equal(await copied(page), inputs.key.map((row) => row[2]).join('\t'), 'a row of Kᵀ');

      const middle = async (target) => {
        const { x, y, width, height } = await target.boundingBox();
        return [x + width / 2, y + height / 2];
      };
      const { x, y, height } = await at('masked', 1, 0).boundingBox();
      await page.mouse.move(x + 4, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(...(await middle(at('masked', 2, 2))), { steps: 5 });
      await page.mouse.up();
      const dragged = (await copied(page)).split('\n');
      assert.equal(dragged[0], masked[1].join('\t'));
      assert.ok(masked[2].join('\t').startsWith(dragged[1]) && dragged[1] !== '', dragged[1]);

      // And back into a matrix.
      await at('weights', 0, 0).focus();
      await page.keyboard.press('Control+a');
      await copied(page);
      await page.getByRole('button', { name: 'Reset' }).first().focus();
      await page.evaluate(() => getSelection().removeAllRanges());
      await at('value', 0, 0).focus();
      await page.evaluate(async () => {
        const clipboardData = new DataTransfer();
        const text = (await navigator.clipboard.readText()).split('\n');
        const block = text.map((row) => row.split('\t').slice(0, 3).join('\t')).join('\n');
        clipboardData.setData('text/plain', block);
        const root = document.querySelector('attention-stepper').shadowRoot;
        const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true });
        root.activeElement.dispatchEvent(paste);
      });
      await at('value', 0, 0)
        .filter({ hasText: weights[0][0].toFixed(2) })
        .waitFor();
      const shown = (await textsOf(page, 'value')).map((row) => row.map(Number));
      shown.forEach((row, i) =>
        row.forEach((x, j) => assert.ok(Math.abs(x - weights[i][j]) <= 0.005, `${i} ${j}: ${x}`)),
      );
    },
    settings,
  ));

test('what is selected across several matrices is copied in full, matrix by matrix', () =>
  onPage(
    'en/#s=6',
    async (page) => {
      await page.evaluate(() => {
        const { shadowRoot } = document.querySelector('attention-stepper');
        const cellOf = (stage, end) =>
          [...shadowRoot.querySelectorAll(`td[data-stage="${stage}"]`)].at(end);
        const [first, last] = [cellOf('masked', 0), cellOf('weights', -1)];
        getSelection().setBaseAndExtent(first, 0, last, last.childNodes.length);
      });
      assert.equal(await copied(page), `${table(masked)}\n\n${table(weights)}`);
    },
    settings,
  ));

test('what is painted copies as it is shown: what is added, or whether a pair is allowed', () =>
  onPage(
    'en/?embed=1&figure=mask-painter',
    async (page) => {
      const painter = page.locator('attention-mask-painter');
      const cell = painter.locator('td[data-stage="mask"][data-row="1"][data-column="2"]');
      await cell.focus();
      assert.equal(await copied(page), '-Infinity');
      await page.keyboard.press('Control+A'); // as with Caps Lock
      const [first, ...rest] = (await copied(page)).split('\n');
      assert.equal(first, ['0', ...Array(5).fill('-Infinity')].join('\t'));
      assert.equal(rest.length, 5);
      await painter.getByRole('radio', { name: 'what is allowed' }).check();
      await cell.focus();
      await page.keyboard.press('ArrowLeft');
      assert.equal(await copied(page), '1');

      await page.goto(page.url().replace(/figure=.*/, 'figure=polarity'));
      const array = page.locator('attention-polarity .paint .cell');
      await array.nth(1).focus();
      assert.equal(await copied(page), '1');
      await page.keyboard.press('Control+a');
      assert.equal((await copied(page)).split('\n')[1], '0\t0\t1\t1');
    },
    { ...settings, ready: (page) => page.locator('attention-mask-painter[data-live]').waitFor() },
  ));

test('every figure with numbers copies them in full', () =>
  onPage(
    'en/?embed=1&figure=dropout',
    async (page) => {
      const target = page.locator('attention-dropout td[data-stage="before"]').nth(4);
      await target.focus();
      assert.equal(await copied(page), String(weights[1][0]));
    },
    { ...settings, ready: (page) => page.locator('attention-dropout[data-live]').waitFor() },
  ));

test('the workbench’s numbers are copied as its type reads them shortest', () =>
  onPage(
    'en/?embed=1&figure=workbench',
    async (page) => {
      const at = (stage, row, column) =>
        page.locator(`td[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`);
      await at('query', 0, 0).focus();
      assert.equal(await copied(page), '0.11');
      await at('scores', 0, 0).focus();
      const single = toNested(
        attention.explain(...given.map((of) => tensor(toNested(of), 'float32')), {}).steps.scores,
      )[0][0];
      const text = await copied(page);
      assert.equal(Math.fround(Number(text)), single);
      assert.ok(text.length <= 12, text);
      const sum = page.locator('.matrix[data-stage="weights"] td.sum').nth(1);
      assert.equal(await sum.getAttribute('aria-label'), 'weights, row 2, row sum, 1.00');
    },
    {
      ...settings,
      ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
    },
  ));
