// NaN replaced after softmax, and the row taken out before it: the figure's gradients are the slopes of
// the library's own outputs.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { languages, onPage } from './browser.js';
import { matrix, near } from './figures.js';

const example = new URL('../../web/examples/six-step.json', import.meta.url);
const { inputs } = JSON.parse(await readFile(example, 'utf8'));
const attention = await load({ threads: 1 });
const range = [0, 1, 2, 3];
const blocked = range.map((i) => range.map((j) => i === 1 || j > i));
const mask = { kind: 'blocked', mask: blocked };
const given = (rows) => tensor(rows, 'float64');

/** L, the sum of all outputs, of these inputs. */
function loss({ query, key, value }, bias = blocked.map((row) => row.map(() => 0))) {
  const { steps } = attention.explain(given(query), given(key), given(value), {
    mask,
    bias: given(bias),
  });
  return toNested(steps.output)
    .flat()
    .reduce((sum, x) => sum + x, 0);
}

/** How fast `of` changes with each number of a matrix, by differences. */
function slopes(rows, of) {
  const step = 1e-5;
  const moved = (row, column, by) =>
    rows.map((each, i) => each.map((x, j) => (i === row && j === column ? x + by : x)));
  return rows.map((each, i) =>
    each.map((_, j) => (of(moved(i, j, step)) - of(moved(i, j, -step))) / (2 * step)),
  );
}
const expected = {
  scores: slopes(
    blocked.map((row) => row.map(() => 0)),
    (bias) => loss(inputs, bias),
  ),
  key: slopes(inputs.key, (key) => loss({ ...inputs, key })),
  value: slopes(inputs.value, (value) => loss({ ...inputs, value })),
};

const alone = [
  'attention-nan-repair',
  { ready: (page) => page.locator('attention-nan-repair[data-live]').waitFor() },
];
/** By their order in the figure: way 1, then way 2. */
const names = ['softmax', 'weights', 'output', 'scores', 'key', 'value'];
const all = async (figure) => {
  const shown = [];
  for (let at = 0; at < 12; ++at) shown.push(await matrix(figure, at));
  const of = (from) => Object.fromEntries(names.map((name, at) => [name, shown[from + at]]));
  return { late: of(0), early: of(6) };
};
const row = (text, count) => Array.from({ length: count }, () => text);

test('NaN repaired: the outputs agree, the gradients do not, and those that are finite are slopes', async () => {
  for (const language of languages) {
    await onPage(
      `${language}/?embed=1&figure=nan-repair`,
      async (page) => {
        const figure = page.locator(alone[0]);
        const { late, early } = await all(figure);
        assert.deepEqual(late.softmax[1], row('NaN', 4));
        assert.deepEqual(early.softmax[1], row('0.25', 4));
        assert.deepEqual(late.weights, early.weights);
        assert.deepEqual(late.output, early.output);
        assert.deepEqual(late.scores[1], row('NaN', 4));
        assert.deepEqual(
          late.key,
          Array.from({ length: 4 }, () => row('NaN', 3)),
        );
        near(early.scores, expected.scores, 'gradient at the scores');
        near(early.key, expected.key, 'gradient at the keys');
        for (const way of [late, early]) near(way.value, expected.value, 'gradient at the values');
        const lost = await figure.locator('.invariants [data-holds="no"]').allInnerTexts();
        assert.equal(lost.length, 1);
        assert.match(lost[0], language === 'en' ? /16 of 40/ : /40 个梯度里有 16 个/);

        // Four decimals of the sum behind a cell.
        await figure.locator('td[data-stage="earlyKey"]').nth(4).focus();
        const sum = await figure.locator('.inspector dd').last().innerText();
        const last = Number(sum.split(/[=≈]/).at(-1).replace('−', '-'));
        assert.ok(Math.abs(last - expected.key[1][1]) < 1e-4, sum);
      },
      alone[1],
    );
  }
});

test('NaN repaired: written over the scores the −∞ lets nothing back, and where no row is empty nothing is lost', async () => {
  await onPage(
    'en/?embed=1&figure=nan-repair',
    async (page) => {
      const figure = page.locator(alone[0]);
      await figure.getByRole('radio', { name: 'written over them' }).focus();
      await page.keyboard.press('Space');
      await page.waitForURL(/nan\.enter=filled/);
      await figure.getByText('the NaN ends there').waitFor();
      const filled = await all(figure);
      assert.deepEqual(filled.late.softmax[1], row('NaN', 4));
      for (const name of ['scores', 'key', 'value'])
        near(filled.late[name], expected[name], `${name}, written over`);
      assert.equal(await figure.locator('.invariants [data-holds="no"]').count(), 0);

      await figure.getByRole('radio', { name: 'added to the scores' }).check();
      await figure.getByRole('radio', { name: 'keys 1 and 2' }).check();
      await figure.getByText('No row is empty').waitFor();
      const { late, early } = await all(figure);
      assert.deepEqual(late, early);
      assert.equal(
        Object.values(late)
          .flat(2)
          .filter((text) => text === 'NaN').length,
        0,
      );
    },
    alone[1],
  );
});
