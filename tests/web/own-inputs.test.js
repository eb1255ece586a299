// The figures with matrices of their own take new numbers: typed, pasted, and taken back; what comes of
// them is compared with the core, called here with the same numbers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { languages, onPage } from './browser.js';
import { focused } from './keys.js';

const attention = await load({ threads: 1 });
const json = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
const example = await json('../../web/examples/cross-attention.json');

const alone = (name, fragment = '', language = 'en') => [
  `${language}/?embed=1&figure=${name}#${fragment}`,
  { ready: (page) => page.locator(`attention-${name}[data-live]`).waitFor() },
];
const cellOf = (figure, stage, row, column) =>
  figure.locator(`td[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`);
/** By stored row and column, as they read. */
const textsOf = (figure, stage) =>
  figure.locator(`td[data-stage="${stage}"]`).evaluateAll((cells) => {
    const rows = [];
    for (const cell of cells) {
      (rows[cell.dataset.row] ??= [])[cell.dataset.column] = cell.textContent.trim();
    }
    return rows;
  });
const written = (rows) => rows.map((row) => row.map((x) => x.toFixed(2).replace('-', '−')));
const outputOf = ({ query, key, value }, options = {}) => {
  const given = [query, key, value].map((rows) => tensor(rows, 'float64'));
  return written(toNested(attention.scaledDotProductAttention(...given, options).output));
};
const paste = (cell, text) =>
  cell.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const all = { bubbles: true, composed: true, cancelable: true };
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, ...all }));
  }, text);
const boxOf = (figure, name) => figure.getByRole('spinbutton', { name });
const setBox = async (figure, name, text) => {
  await boxOf(figure, name).fill(text);
  await boxOf(figure, name).press('Enter');
};

for (const language of languages) {
  test(`cross: a number is typed; results, link, other language and Undo follow: ${language}`, async () => {
    const changed = structuredClone(example.inputs);
    changed.key[1][2] = 2.5;
    const other = language === 'en' ? 'zh' : 'en';
    let address;
    const [path, settings] = alone('cross', '', language);
    await onPage(
      path,
      async (page) => {
        const figure = page.locator('attention-cross');
        const before = await textsOf(figure, 'output');
        assert.deepEqual(before, outputOf(example.inputs));
        const cell = cellOf(figure, 'key', 1, 2);
        assert.equal(await cell.getAttribute('aria-readonly'), 'false');
        assert.equal(
          await cellOf(figure, 'scores', 0, 0).getAttribute('aria-readonly'),
          'true',
          'results are read only',
        );
        await cell.focus();
        await page.keyboard.press('Enter');
        await page.keyboard.type('2.5x');
        const input = figure.locator('input.edit');
        assert.equal(await input.getAttribute('aria-invalid'), 'true');
        assert.match(await figure.locator('.hint').innerText(), /2\.5x/);
        assert.deepEqual(await textsOf(figure, 'output'), before, 'the last good case stays');
        await page.keyboard.press('Backspace');
        await page.keyboard.press('Enter');
        assert.equal((await focused(page)).place, 'key 1 2');
        assert.deepEqual(await textsOf(figure, 'output'), outputOf(changed));
        assert.equal(await figure.locator('.invariants [data-holds="no"]').count(), 0);
        await page.waitForFunction(() => location.hash.includes('cross.key='));
        address = page.url();

        await page.keyboard.press('ControlOrMeta+z');
        assert.deepEqual(await textsOf(figure, 'output'), before);
        assert.equal((await focused(page)).place, 'key 1 2', 'the focus stays');
        await page.goBack();
        await page.waitForFunction((url) => location.href === url, address);
        assert.deepEqual(await textsOf(figure, 'output'), outputOf(changed), 'Back undoes Undo');
        await figure.locator('.tools button').nth(1).click();
        assert.deepEqual(await textsOf(figure, 'output'), before, 'Reset');
        await figure.locator('.tools button').first().click();
        assert.deepEqual(await textsOf(figure, 'output'), outputOf(changed), 'Undo');
        await figure.locator('.tools button').nth(1).click();
        assert.doesNotMatch(await page.evaluate(() => location.hash), /cross\.key/);
      },
      settings,
    );
    await onPage(
      address.replace(`/${language}/`, `/${other}/`),
      async (page) => {
        const figure = page.locator('attention-cross');
        assert.deepEqual(await textsOf(figure, 'output'), outputOf(changed));
        await cellOf(figure, 'scores', 0, 1).hover();
        assert.match(await figure.locator('.inspector').innerText(), /2\.5/, 'in the sum as well');
      },
      settings,
    );
  });
}

test('cross: a pasted matrix may be longer than what is shown, up to six rows', async () => {
  const rows = [5, 6, 7, 8, 9].map((x) => [x / 10, 0, -1, 0.5]);
  const [path, settings] = alone('cross');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-cross');
      const before = await textsOf(figure, 'query');
      const text = rows.map((row) => row.join('\t')).join('\n');
      await paste(cellOf(figure, 'query', 0, 0), text);
      await page.waitForFunction(() => location.hash.includes('cross.t=5'));
      assert.deepEqual(await textsOf(figure, 'query'), written(rows));
      const { key, value } = example.inputs;
      assert.deepEqual(await textsOf(figure, 'output'), outputOf({ query: rows, key, value }));

      await paste(cellOf(figure, 'query', 2, 0), `tensor([${JSON.stringify(rows[0])}])`);
      const third = [rows[0], rows[1], rows[0], rows[3], rows[4]];
      await page.waitForFunction(() => location.hash.includes('cross.query=0.5,0,-1,0.5;0.6'));
      assert.deepEqual(await textsOf(figure, 'query'), written(third));

      await paste(cellOf(figure, 'query', 4, 0), text);
      const hint = figure.locator('.hint');
      await hint.filter({ hasText: 'A block of 5×4 does not fit Q (6×4 at most)' }).waitFor();
      await paste(cellOf(figure, 'query', 0, 0), '1 2\n3');
      await hint.filter({ hasNotText: 'at most' }).waitFor();
      assert.deepEqual(await textsOf(figure, 'query'), written(third), 'nothing was changed');

      await cellOf(figure, 'query', 4, 1).focus();
      await page.keyboard.press('ControlOrMeta+z');
      assert.deepEqual(await textsOf(figure, 'query'), written(rows));
      await page.keyboard.press('ControlOrMeta+z');
      assert.deepEqual(await textsOf(figure, 'query'), before, 'three rows as before');
      assert.equal((await focused(page)).place, 'query 2 1', 'the focus is not lost');
      assert.equal(await figure.locator('td[data-stage="query"][tabindex="0"]').count(), 1);
    },
    settings,
  );
});

test('cross: T and S keep what was changed, and are undone as one change each', async () => {
  const [path, settings] = alone('cross');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-cross');
      await cellOf(figure, 'value', 4, 0).focus();
      await page.keyboard.type('3');
      await page.keyboard.press('Enter');
      await setBox(figure, 'S, encoder tokens', '2');
      assert.equal((await textsOf(figure, 'value')).length, 2);
      await setBox(figure, 'S, encoder tokens', '6');
      assert.equal((await textsOf(figure, 'value'))[4][0], '3.00');
      const slider = figure.getByRole('slider', { name: 'S, encoder tokens' });
      await slider.focus();
      for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
      assert.equal((await textsOf(figure, 'value')).length, 3);
      await page.keyboard.press('ControlOrMeta+z');
      assert.equal((await textsOf(figure, 'value')).length, 6, 'the way of a slider is one change');
      assert.equal((await focused(page)).type, 'range');
    },
    settings,
  );
});

test("cross: what is changed in the first figure's case is changed there, and no more is shown than it has", async () => {
  const [path, settings] = alone('cross', 'cross.mine=1&cross.t=6');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-cross');
      assert.equal((await textsOf(figure, 'query')).length, 4);
      assert.equal(await boxOf(figure, 'T, decoder tokens').getAttribute('max'), '4');
      await cellOf(figure, 'query', 0, 0).focus();
      await page.keyboard.type('7');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => /[#&]q=7,/.test(location.hash));
      await figure.getByRole('button', { name: 'Undo' }).click();
      assert.doesNotMatch(await page.evaluate(() => location.hash), /[#&]q=/);
      await figure.getByRole('button', { name: 'New numbers' }).click();
      await page.waitForFunction(() => /[#&]seed=1/.test(location.hash));
      await figure.getByRole('button', { name: 'Reset' }).click();
      assert.doesNotMatch(await page.evaluate(() => location.hash), /seed/);
    },
    settings,
  );
});

for (const name of ['cross', 'alignment']) {
  test(`${name}: on a case that a link brings, Undo takes back what was done here and no more`, async () => {
    const key = name === 'cross' ? 'cross' : 'align';
    const numbers = '1,2,3;4,5,6;7,8,9;1,1,1';
    const [path, settings] = alone(name, `${key}.mine=1&q=${numbers}`);
    await onPage(
      path,
      async (page) => {
        const figure = page.locator(`attention-${name}`);
        const query = () => textsOf(figure, 'query');
        const undo = figure.getByRole('button', { name: 'Undo' });
        assert.equal(await undo.getAttribute('aria-disabled'), 'true');
        const [start, length] = [await query(), (await textsOf(figure, 'key')).length];
        assert.equal(start[0][2], '3.00');
        await setBox(figure, /^S, /, '2');
        assert.equal((await textsOf(figure, 'key')).length, 2);
        await cellOf(figure, 'query', 0, 0).focus();
        await page.keyboard.type('9');
        await page.keyboard.press('Enter');
        assert.equal((await query())[0][0], '9.00');
        await undo.click();
        assert.deepEqual(await query(), start);
        assert.equal((await textsOf(figure, 'key')).length, 2);
        await undo.click();
        assert.deepEqual(await query(), start, 'the numbers of the link stay');
        assert.equal((await textsOf(figure, 'key')).length, length);
        assert.equal(await undo.getAttribute('aria-disabled'), 'true');

        await setBox(figure, /^S, /, '2');
        await figure.getByRole('button', { name: 'Reset' }).click();
        assert.equal((await textsOf(figure, 'key')).length, 5, 'the article’s sizes as well');
        assert.notDeepEqual(await query(), start);
        assert.equal(await figure.getByText('The link’s case').count(), 0);
        await undo.click();
        assert.deepEqual(await query(), start);
        assert.equal(await figure.getByText('The link’s case').count(), 1);
        assert.equal((await textsOf(figure, 'key')).length, 2, 'all that Reset did is one change');
      },
      settings,
    );
  });

  test(`${name}: a case of a link that cannot be used is told where the figure stands alone`, async () => {
    const key = name === 'cross' ? 'cross' : 'align';
    for (const language of languages) {
      const [path, settings] = alone(name, `${key}.mine=1&q=1,2,3,4;5,6,7,8`, language);
      await onPage(
        path,
        async (page) => {
          const remark = page.locator(`attention-${name} .remark[role="status"]`);
          assert.match(await remark.innerText(), /Q.*4×3/);
        },
        settings,
      );
    }
  });
}

test('a number that can be written in two ways is not said to have been changed', async () => {
  const rows = [[1e300, 2, 3, 4], ...Array(5).fill([1, 2, 3, 4])];
  const text = rows.map((row) => row.join(',')).join(';');
  const [path, settings] = alone('cross', `cross.query=${text.replace('e+', 'e')}`);
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-cross');
      assert.equal((await textsOf(figure, 'query'))[0][0], '1e300');
      assert.equal(await figure.locator('.remark[role="status"]').count(), 0);
    },
    settings,
  );
});

test('alignment: the values may be changed in any of the calls, and are those of all', async () => {
  const [path, settings] = alone('alignment');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-alignment');
      const shared = figure.getByText('The values double from key to key');
      assert.equal(await shared.count(), 1);
      const call = async (start, value) => {
        const numbers = async (stage) =>
          (await textsOf(figure, stage)).map((row) => row.map((x) => Number(x.replace('−', '-'))));
        const [query, key] = [await numbers('query'), await numbers('key')];
        return outputOf({ query, key, value }, { mask: 'causal', start });
      };
      const value = [[1], [2], [4], [8], [16]];
      for (const start of ['top-left', 'bottom-right']) {
        assert.deepEqual(await textsOf(figure, `${start}-output`), await call(start, value), start);
      }
      await cellOf(figure, 'bottom-right-value', 1, 0).focus();
      await page.keyboard.type('-5');
      await page.keyboard.press('Enter');
      value[1] = [-5];
      for (const start of ['top-left', 'bottom-right']) {
        assert.deepEqual(await textsOf(figure, `${start}-value`), written(value), start);
        assert.deepEqual(await textsOf(figure, `${start}-output`), await call(start, value), start);
      }
      assert.equal(await shared.count(), 0, 'nor are they said to double');
      await paste(cellOf(figure, 'key', 4, 0), '[[1, 4], [2, 5], [3, 6]]');
      await page.waitForFunction(() => location.hash.includes('align.s=6'));
      assert.deepEqual(
        (await textsOf(figure, 'key')).slice(4),
        written([
          [1, 2, 3],
          [4, 5, 6],
        ]),
      );
      assert.equal(await figure.locator('.invariants [data-holds="no"]').count(), 0);
      await figure.getByRole('button', { name: 'Undo' }).click();
      assert.equal((await textsOf(figure, 'key')).length, 5);
      assert.equal((await textsOf(figure, 'own-value'))[1][0], '−5.00');
      await figure.getByRole('button', { name: 'Reset' }).click();
      assert.equal(await shared.count(), 1);
      assert.equal(new URL(page.url()).hash, '');
    },
    settings,
  );
});
