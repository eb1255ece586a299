// The page's address says what it shows, Back undoes one choice at a time, and all of that also in a
// browser that takes few changes at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, figureNames, onPage } from './browser.js';

const urlOf = (page) => page.evaluate(() => location.href);
/** The entries that the page has made since it was loaded; the browser itself keeps 50. */
const countEntries = (page) =>
  page.evaluate(() => {
    const real = history.pushState.bind(history);
    globalThis.entries = 0;
    history.pushState = (...rest) => {
      globalThis.entries += 1;
      real(...rest);
    };
  });
const entriesOf = (page) => page.evaluate(() => globalThis.entries);

test('a change of the address that the browser refuses is made later', () =>
  onPage('en/', async (page) => {
    await page.evaluate(() => {
      let refusals = 2;
      for (const name of ['replaceState', 'pushState']) {
        const real = history[name].bind(history);
        history[name] = (...rest) => {
          if (refusals-- > 0) throw new DOMException('too many calls', 'SecurityError');
          real(...rest);
        };
      }
    });
    const before = await urlOf(page);
    await page.locator('attention-stepper').getByRole('button', { name: 'Next' }).click();
    await cell(page, 'scores', 0, 1).click();
    assert.equal(await urlOf(page), before);
    await page.waitForFunction((url) => location.href !== url, before);

    // Both changes are in it, and Back undoes the step.
    const shown = await urlOf(page);
    await page.reload();
    await page.locator('attention-stepper[data-live]').waitFor();
    assert.equal(await urlOf(page), shown);
    await cell(page, 'scores', 0, 1).and(page.locator('[data-pinned]')).waitFor();
    await page.goBack();
    await page.waitForFunction((url) => location.href === url, before);
  }));

/** What is pressed, one of each kind: steps, switches, choices, presets, cells. */
const discrete = [
  '.moves button.primary',
  'button.step:not([aria-current])',
  'input[role="switch"]',
  'input[type="radio"]:not(:checked)',
  '.tools > button:not([aria-disabled="true"])',
  'td.cell[data-stage="weights"]',
  '.paint td.cell',
].join();
/** The figures in which something can be chosen, and how many kinds of it there are at least. */
const choices = {
  stepper: 5,
  'causal-steps': 2,
  'dot-product': 1,
  dropout: 1,
  'finite-mask': 4,
  'mask-painter': 5,
  'nan-repair': 2,
  'online-softmax': 6,
  polarity: 3,
  projection: 3,
  retrieval: 2,
  'scaling-lab': 2,
  sentence: 1,
  'shape-flow': 1,
};

for (const name of figureNames.filter((each) => !/workbench/.test(each))) {
  test(`${name}: each choice is an entry that Back undoes, a slider's way is none`, () =>
    onPage(
      `en/?embed=1&figure=${name.replace('attention-', '')}`,
      async (page) => {
        await countEntries(page);
        const figure = page.locator(name);
        // What is still being computed would not be seen again.
        await figure.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
        const shown = () => figure.evaluate(({ shadowRoot }) => shadowRoot.textContent.trim());
        const controls = figure.locator(discrete);
        let entered = 0;
        for (let index = 0; index < Math.min(await controls.count(), 24); ++index) {
          const [url, text, entries] = [await urlOf(page), await shown(), await entriesOf(page)];
          await controls.nth(index).evaluate((control) => control.click());
          if ((await urlOf(page)) === url) continue;
          entered += 1;
          assert.equal(await entriesOf(page), entries + 1, `${await urlOf(page)} is one entry`);
          await page.goBack();
          await page.waitForFunction((before) => location.href === before, url);
          await page.waitForFunction(
            ([of, before]) => document.querySelector(of).shadowRoot.textContent.trim() === before,
            [name, text],
          );
        }
        const least = choices[name.replace('attention-', '')] ?? 0;
        assert.ok(entered >= least, `${entered} choices of at least ${least}`);

        for (const handle of await figure.locator('[role="slider"]').all()) {
          const [url, entries] = [await urlOf(page), await entriesOf(page)];
          await handle.press('ArrowLeft');
          // Its place is in the address once it rests.
          await page.waitForFunction((before) => location.href !== before, url);
          assert.equal(await entriesOf(page), entries, 'and moving it makes no entries');
        }
        const sliders = figure.locator('.slider:has(input[type="range"])');
        for (let index = 0; index < (await sliders.count()); ++index) {
          const range = sliders.nth(index).locator('input[type="range"]');
          const [url, entries] = [await urlOf(page), await entriesOf(page)];
          const key =
            (await range.inputValue()) === (await range.getAttribute('max')) ? 'Left' : 'Right';
          for (let times = 0; times < 2; ++times) await range.press(`Arrow${key}`);
          await page.waitForFunction((before) => location.href !== before, url);
          assert.equal(await entriesOf(page), entries, 'and makes no entries');
          const box = sliders.nth(index).locator('input[type="number"]');
          await box.fill(await range.getAttribute(key === 'Left' ? 'max' : 'min'));
          await box.press('Enter');
          assert.equal(await entriesOf(page), entries + 1, 'what is typed is an entry');
        }
      },
      { ready: (page) => page.locator(`${name}[data-live]`).waitFor() },
    ));
}

test('the link to the other language follows a slider to where it rests', () =>
  onPage('en/', async (page) => {
    await page.locator('attention-dropout').scrollIntoViewIfNeeded();
    await page.locator('attention-dropout[data-live]').waitFor();
    await page.locator('attention-dropout input[type="range"]').first().press('ArrowLeft');
    await page.waitForFunction(() => /drop\.p=/.test(location.hash));
    const other = page.locator('a[data-keep-state]').first();
    const state = await page.evaluate(() => location.hash.slice(1));
    const hash = () => other.evaluate((link) => link.hash);
    assert.equal(await hash(), `#${state}`);
    // The place that is read is looked for when the link is used.
    await other.focus();
    assert.match(await hash(), /^#[\w-]+&/);
    assert.equal((await hash()).split('&').slice(1).join('&'), state);
  }));

test('what one press of a button changes at once is one entry', () =>
  onPage(
    'en/?embed=1&figure=causal-steps',
    async (page) => {
      await countEntries(page);
      const figure = page.locator('attention-causal-steps');
      await figure.locator('button.step').nth(2).click();
      await figure.locator('td[data-stage="query"]').nth(3).click();
      await page.keyboard.type('2');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() =>
        /causal\.pin=.*causal\.case=|causal\.case=.*causal\.pin=/.test(location.href),
      );
      const [url, entries] = [await urlOf(page), await entriesOf(page)];
      await figure.getByRole('button', { name: 'Reset' }).click();
      assert.equal(await entriesOf(page), entries + 1);
      assert.doesNotMatch(await urlOf(page), /causal\./);
      await page.goBack();
      await page.waitForFunction((before) => location.href === before, url);
      await figure.locator('.step[aria-current]').filter({ hasText: '3' }).waitFor();
    },
    { ready: (page) => page.locator('attention-causal-steps[data-live]').waitFor() },
  ));
