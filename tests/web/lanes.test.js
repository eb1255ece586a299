// The numbers of overflow and precision, step below step: grids like the other matrices, though each of
// their rows is written in its own way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages, onPage } from './browser.js';
import { at, checkEach, cellsOf, point, range, wake } from './marks.js';

const ready = (name) => (page) => page.locator(`attention-${name}[data-live]`).waitFor();
const row = (stage, i) => range(3).map((j) => `${stage} ${i} ${j}`);

const names = {
  en: {
    overflow: {
      'textbook 0 0': 'as in the textbook, x, score 1, 1,000',
      'textbook 1 2': 'as in the textbook, e to the power of x, score 3, ∞',
      'subtracted 0 1': 'largest subtracted first, x minus m, score 2, -1',
      'subtracted 3 0': 'largest subtracted first, weights, score 1, 0.67',
    },
    precision: {
      'float16 1 1': 'all in float16, scores, key -c, minus infinity',
      'first 2 2': 'in float16, scaled first, scaled, key c - 1, 12,440',
      'widened 1 0': 'converted to float32 first, scores, key c, 102,400',
    },
  },
  zh: {
    overflow: {
      'textbook 2 0': '照课本的写法, 和, 第 1 个分数, ∞',
      'subtracted 1 1': '先减去最大值, e 的 x 减 m 次方, 第 2 个分数, 0.3679',
    },
    precision: { 'first 3 0': 'float16，先缩放, 权重, 键 c, 1' },
  },
};

for (const language of languages) {
  for (const [name, cells] of Object.entries(names[language])) {
    test(`${name}: each cell says what it is: ${language}`, () =>
      onPage(
        `${language}/?embed=1&figure=${name}`,
        async (page) => {
          const figure = page.locator(`attention-${name}`);
          for (const [cell, said] of Object.entries(cells))
            assert.equal(await at(figure, cell).getAttribute('aria-label'), said);
        },
        { ready: ready(name) },
      ));
  }
}

test('arrows, Home and End go through a table, which is one tab stop, and the copy is in full', () =>
  onPage(
    'en/?embed=1&figure=overflow',
    async (page) => {
      const figure = page.locator('attention-overflow');
      const grids = figure.getByRole('grid');
      assert.equal(await grids.count(), 2);
      for (const grid of await grids.all())
        assert.equal(await grid.locator('td[tabindex="0"]').count(), 1);
      const focused = () =>
        figure.evaluate(({ shadowRoot: { activeElement: cell } }) =>
          [cell.dataset.stage, cell.dataset.row, cell.dataset.column].join(' '),
        );
      const copied = async () => {
        await page.keyboard.press('Control+c');
        return page.evaluate(() => navigator.clipboard.readText());
      };
      await at(figure, 'subtracted 0 0').focus();
      for (const [key, place] of [
        ['ArrowRight', 'subtracted 0 1'],
        ['ArrowDown', 'subtracted 1 1'],
        ['End', 'subtracted 1 2'],
        ['Control+End', 'subtracted 3 2'],
        ['Home', 'subtracted 3 0'],
      ]) {
        await page.keyboard.press(key);
        assert.equal(await focused(), place, key);
      }
      const exponentials = [1, Math.exp(-1), Math.exp(-2)];
      const sum = exponentials.reduce((total, x) => total + x);
      const weight = Number(await copied());
      assert.ok(Math.abs(weight - 1 / sum) < 1e-7 && String(weight).length > 6, String(weight));
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Shift+Space');
      const powers = (await copied()).split('\t').map(Number);
      powers.forEach((x, j) => assert.ok(Math.abs(x - exponentials[j]) < 1e-7, `${x}`));
      assert.equal(powers.length, 3);
    },
    { ready: ready('overflow'), permissions: ['clipboard-read', 'clipboard-write'] },
  ));

test('overflow marks what every number is made of, and spells it', () =>
  onPage(
    'en/?embed=1&figure=overflow#exp.x=89,88,80',
    async (page) => {
      const figure = await wake(page, 'overflow');
      const ways = ['textbook', 'subtracted'];
      const shapes = { textbook: [4, 3], subtracted: [4, 3] };
      const reads = Object.fromEntries(
        ways.map((way) => [
          way,
          (i, j) =>
            [
              way === 'textbook' ? [] : row('textbook', 0),
              [`${way} 0 ${j}`],
              row(way, 1),
              [`${way} 1 ${j}`, `${way} 2 ${j}`],
            ][i],
        ]),
      );
      await checkEach(figure, shapes, reads, cellsOf(shapes));
      const spelled = async (cell) => {
        await point(at(figure, cell));
        const texts = await figure.locator('.inspector dd').allInnerTexts();
        return texts.map((text) => text.replace(/\s+/g, ' ').trim());
      };
      const power = (x) => Math.exp(x).toExponential(3).replace('e+', 'e');
      assert.deepEqual(await spelled('textbook 3 1'), [
        `e89 = ∞, e88 ≈ ${power(88)}, e80 ≈ ${power(80)}`,
        `≈ ∞ + ${power(88)} + ${power(80)} ≈ ∞`,
        `≈ ${power(88)} ÷ ∞ ≈ 0.0000`,
      ]);
      assert.deepEqual(await spelled('subtracted 0 2'), ['max(89, 88, 80) = 89', '= 80 − 89 = −9']);
    },
    { ready: ready('overflow') },
  ));

test('precision marks what every number is made of, and spells what rounding leaves of it', () =>
  onPage(
    'en/?embed=1&figure=precision#half.c=31',
    async (page) => {
      const figure = await wake(page, 'precision');
      const shapes = { float16: [4, 3], first: [4, 3], widened: [4, 3] };
      const whole = (way) => (i, j) => [[], [`${way} 0 ${j}`], [`${way} 1 ${j}`], row(way, 2)][i];
      const reads = {
        float16: whole('float16'),
        first: (i, j) => [[], [], [`first 0 ${j}`, `first 1 ${j}`], row('first', 2)][i],
        widened: whole('widened'),
      };
      await checkEach(figure, shapes, reads, cellsOf(shapes));
      const last = async (cell) => {
        await point(at(figure, cell));
        const text = await figure.locator('.inspector dd').last().innerText();
        return text.replace(/\s+/g, ' ').trim();
      };
      assert.equal(await last('float16 1 0'), '= 64 × 31 × 31 = 61,504 → 61,472');
      assert.equal(await last('float16 2 0'), '= 61,472 ÷ √64 = 7,684');
      assert.equal(await last('widened 1 1'), '= 64 × 31 × (−31) = −61,504');
      assert.equal(await last('first 1 2'), '= 31 ÷ √64 = 3.875');
    },
    { ready: ready('precision') },
  ));

for (const name of ['overflow', 'precision']) {
  test(`${name}: what is read out by itself are the sentences, never the tables and their checks`, () =>
    onPage(
      `en/?embed=1&figure=${name}`,
      async (page) => {
        const figure = page.locator(`attention-${name}`);
        const live = figure.locator('.traced [aria-live]');
        assert.equal(await live.count(), 3);
        assert.equal(await live.locator('table, li').count(), 0);
        assert.ok((await figure.locator('.checked li').count()) >= 4);
      },
      { ready: ready(name) },
    ));
}
