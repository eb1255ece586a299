// The sentence that reads itself: who asks, what each word gets, and how what is left is shared out. Its
// numbers are compared with the core's, called here with the same scores.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { languages, onPage } from './browser.js';
import { tabTo } from './keys.js';

const attention = await load({ threads: 1 });
const url = new URL('../../web/examples/sentence.json', import.meta.url);
const { inputs, tokens } = JSON.parse(await readFile(url, 'utf8'));
const words = tokens.keys;
const it = words.indexOf('it');

/** The weights of a row where `hidden` words, by their indices, cannot be read. */
const sharesOf = (asks, hidden = [], isCausal = false) => {
  const rows = words.map(() => words.map((_, j) => hidden.includes(j)));
  const mask = [...(isCausal ? ['causal'] : []), { kind: 'blocked', mask: rows }];
  const given = [inputs.query, inputs.key, inputs.value].map((each) => tensor(each, 'float64'));
  const { steps } = attention.explain(...given, { scale: 1, mask });
  return toNested(steps.weights)[asks];
};
const written = (shares) => shares.map((x) => (x === 0 ? '0' : x.toFixed(2)));
const alone = (fragment = '', language = 'en', more = {}) => [
  `${language}/?embed=1&figure=sentence#${fragment}`,
  { ready: (page) => page.locator('attention-sentence[data-live]').waitFor(), ...more },
];
const textsOf = async (figure) =>
  (await figure.locator('.share').allInnerTexts()).map((text) => text.trim());

test('every word may ask, and gets its row', async () => {
  const [path, settings] = alone();
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-sentence');
      assert.deepEqual(await textsOf(figure), written(sharesOf(it)));
      for (const [asks, word] of words.entries()) {
        await figure.getByRole('radio').nth(asks).check();
        const shares = sharesOf(asks);
        assert.deepEqual(await textsOf(figure), written(shares), word);
        const most = Math.max(...shares);
        assert.equal(shares.filter((x) => x === most).length, 1, 'one word has most');
        const says = await figure.locator('.sentence-says').innerText();
        const token = words[shares.indexOf(most)];
        assert.ok(says.startsWith(`“${word}” asks. “${token}” gets ${most.toFixed(2)}`), says);
        assert.match(says, /made up.*not a model’s/);
        assert.equal(await figure.locator('[data-query]').count(), 1);
      }
      assert.ok(page.url().includes('it.asks=10'), page.url());
    },
    settings,
  );
});

for (const language of languages) {
  test(`a word that is left out gives its share to the others, in proportion: ${language}`, async () => {
    const [path, settings] = alone('', language);
    let address;
    const [was, tired] = [words.indexOf('was'), words.indexOf('tired')];
    const before = sharesOf(it);
    const left = 1 - before[was] - before[tired];
    const after = sharesOf(it, [was, tired]);
    assert.ok(Math.abs(after[1] - before[1] / left) < 1e-12);
    await onPage(
      path,
      async (page) => {
        const figure = page.locator('attention-sentence');
        const word = (index) => figure.locator('.sentence button').nth(index);
        await word(was).click();
        await word(tired).click();
        assert.deepEqual(await textsOf(figure), written(after));
        assert.equal(await word(tired).getAttribute('aria-checked'), 'false');
        const says = figure.locator('.sentence-says');
        assert.match(await says.innerText(), /0\.60 ÷ 0\.90 ≈ 0\.67/);
        await word(1).hover();
        const sum = figure.locator('.inspector');
        assert.match(await sum.innerText(), /0\.6004 ÷ 0\.9002\s+≈ 0\.6670/);
        assert.match(await sum.innerText(), /≈ 1\.0000 ÷ 1\.4992\s+≈ 0\.6670/);
        assert.equal(await figure.locator('.invariants [data-holds="no"]').count(), 0);
        assert.match(page.url(), /it\.hide=9\.10/);
        address = page.url();
        await word(tired).click();
        await page.goBack();
        await page.waitForFunction((url) => location.href === url, address);
        assert.deepEqual(await textsOf(figure), written(after), 'Back takes a word back');
      },
      settings,
    );
    const other = language === 'en' ? 'zh' : 'en';
    await onPage(
      address.replace(`/${language}/`, `/${other}/`),
      async (page) => {
        const figure = page.locator('attention-sentence');
        assert.deepEqual(await textsOf(figure), written(after));
        await figure.locator('.tools button').click();
        assert.deepEqual(await textsOf(figure), written(before));
      },
      settings,
    );
  });
}

test('by keyboard a word is looked at, left out and had back; what the causal mask hides stays hidden', async () => {
  const [path, settings] = alone('it.asks=3&it.causal=1');
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-sentence');
      assert.deepEqual(await textsOf(figure), written(sharesOf(2, [], true)));
      await tabTo(page, 'a word', ({ type, name }) => name === 'button' && type === 'button');
      // "Show all words" cannot be pressed, but it can be reached.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      assert.match(await figure.locator('.inspector').innerText(), /s\s*32\s*= 3\.13/);
      await page.keyboard.press('Space');
      assert.deepEqual(await textsOf(figure), written(sharesOf(2, [1], true)));
      const cat = figure.getByRole('switch', { name: 'cat: hidden by hand, 0' });
      assert.ok(await cat.evaluate((word) => word.matches(':focus')), 'the focus stays');
      await page.keyboard.press('Space');
      assert.deepEqual(await textsOf(figure), written(sharesOf(2, [], true)));
      const mat = figure.getByRole('switch', { name: 'mat: hidden by the causal rule, 0' });
      assert.equal(await mat.getAttribute('aria-disabled'), 'true');
      await mat.focus();
      await page.keyboard.press('Space');
      assert.doesNotMatch(page.url(), /it\.hide/);
    },
    settings,
  );
});

test('with no word in sight all weights are 0; a finger looks first', async () => {
  const [path, settings] = alone('it.hide=1.2.3.4.5.6.7.8.9.10', 'en', { hasTouch: true });
  await onPage(
    path,
    async (page) => {
      const figure = page.locator('attention-sentence');
      const says = figure.locator('.sentence-says');
      assert.deepEqual(await textsOf(figure), Array(10).fill('0'));
      assert.match(await says.innerText(), /no word can be read: all its weights are 0/);
      const mat = figure.locator('.sentence button').nth(5);
      await mat.tap();
      assert.match(await figure.locator('.inspector').innerText(), /s\s*86\s*= 1\.88/);
      assert.equal(await mat.getAttribute('aria-checked'), 'false');
      await mat.tap();
      assert.equal(await mat.getAttribute('aria-checked'), 'true');
      assert.equal((await textsOf(figure))[5], '1.00');
    },
    settings,
  );
});
