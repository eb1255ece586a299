// The other figures: all come alive, fit every width, and show what the articles' numbers say.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import axe from 'axe-core';
import { languages, onPage, overflowOf } from './browser.js';
import { matrix, near, seed, wake } from './figures.js';

/** Scrolls through the article until every figure has been fetched and runs. */
async function wakeAll(page) {
  const figures = page.locator('[data-figure]');
  const count = await figures.count();
  for (let index = 0; index < count; ++index) {
    await figures.nth(index).scrollIntoViewIfNeeded();
    await figures.nth(index).and(page.locator('[data-live]')).waitFor({ state: 'attached' });
  }
  return count;
}

test('the words of every figure are the same in both languages', async () => {
  const folder = (language) => new URL(`../../web/content/${language}/figures/`, import.meta.url);
  const [en, zh] = await Promise.all(
    languages.map(async (name) => (await readdir(folder(name))).sort()),
  );
  assert.deepEqual(zh, en);
  const entries = (words, path = '') =>
    Object.entries(words).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[path + key, value.match(/\{\w+\}/g)?.sort() ?? []]]
        : entries(value, `${path}${key}.`),
    );
  for (const file of en) {
    const [ours, theirs] = await Promise.all(
      languages.map(async (name) =>
        JSON.parse(await readFile(new URL(file, folder(name)), 'utf8')),
      ),
    );
    assert.deepEqual(entries(theirs), entries(ours), file);
  }
});

for (const language of languages) {
  test(`every figure comes alive, and none is wider than a small phone: ${language}`, async () => {
    await onPage(
      `${language}/`,
      async (page) => {
        assert.ok((await wakeAll(page)) >= 20);
        const overflow = await overflowOf(page);
        assert.ok(overflow <= 0, `${overflow} px too wide`);
      },
      { viewport: { width: 320, height: 900 } },
    );
  });
}

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing in the figures: ${colorScheme}`, async () => {
    await onPage(
      'en/',
      async (page) => {
        await wakeAll(page);
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate(() =>
          globalThis.axe.run(
            { include: '[data-figure]', exclude: '.katex' },
            { rules: { 'empty-table-header': { enabled: false } } },
          ),
        );
        const found = violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
        );
        assert.deepEqual(found, []);
      },
      { colorScheme },
    );
  });
}

test('one query: the shares of the fruit example, with and without the scaling', async () => {
  await onPage('en/', async (page) => {
    const retrieval = await wake(page, 'retrieval');
    const shares = () => retrieval.locator('td[data-stage="weights"]').allInnerTexts();
    assert.deepEqual(await shares(), ['0.05', '0.90', '0.05']);
    await retrieval.locator('.switch input').uncheck();
    assert.deepEqual(await shares(), ['0.01', '0.99', '0.01']);
    await retrieval.getByRole('radio', { name: 'library' }).check();
    const says = await retrieval.locator('.retrieval-says').innerText();
    assert.match(says, /“deep learning” takes 0\.99 of “machine learning”/);
    assert.deepEqual(await shares(), ['0.01', '0.99', '0.01']);
    await page.waitForURL(/fruit\.story=library/);

    // One step after the other: what has not come yet waits in grey.
    const waiting = () =>
      retrieval
        .locator('.matrix[data-ghost]')
        .evaluateAll((all) => all.map(({ dataset }) => dataset.stage));
    assert.deepEqual(await waiting(), []);
    const steps = retrieval.locator('.steps button');
    await steps.first().click();
    assert.deepEqual(await waiting(), ['scaled', 'weights', 'output']);
    await page.waitForURL(/fruit\.s=1/);
    const next = retrieval.getByRole('button', { name: 'Next' });
    for (const [count, says] of [
      [2, /divided by 1\.0000/],
      [1, /sum to 1/],
      [0, /takes 0\.99/],
    ]) {
      await next.press('Enter');
      assert.equal((await waiting()).length, count);
      assert.match(await retrieval.locator('.retrieval-says').innerText(), says);
    }
    assert.equal(await steps.last().getAttribute('aria-current'), 'step');
  });
});

test('causal steps: the published weights of the five tokens', async () => {
  await onPage('en/#causal.s=3', async (page) => {
    const steps = await wake(page, 'causal-steps');
    near(await matrix(steps, 2), seed.causal_demo.weights, 'weights');
    const sums = await steps.locator('td.sum').allInnerTexts();
    assert.deepEqual(sums, ['1.00', '1.00', '1.00', '1.00', '1.00']);
  });
});

test('what stands below a figure is moved by whole pixels, so that it need not be painted anew', async () => {
  await onPage('en/', async (page) => {
    const height = (element) => element.evaluate((host) => host.getBoundingClientRect().height);
    const heights = async (element, control, states, press) => {
      const found = [];
      for (const state of states) {
        await press(control, state);
        found.push(await height(element));
      }
      return found;
    };
    const stepper = await wake(page, 'stepper');
    const ofSteps = await heights(
      stepper,
      stepper.locator('button.step'),
      [0, 1, 2, 3, 4, 5],
      (buttons, index) => buttons.nth(index).click(),
    );
    const projection = await wake(page, 'projection');
    const ofTokens = await heights(
      projection,
      projection.locator('input[type="range"]'),
      ['1', '2', '3', '4', '5', '6'],
      (slider, value) => slider.fill(value),
    );
    for (const found of [ofSteps, ofTokens]) {
      const moves = found.slice(1).map((each, index) => each - found[index]);
      assert.ok(new Set(found).size > 1, 'the height changes');
      assert.deepEqual(
        moves.filter((by) => !Number.isInteger(by)),
        [],
        found.join(', '),
      );
    }
  });
});

test('alignment: both conventions, a start of one’s own, and the refusal that asks for one', async () => {
  await onPage('en/#align.t=2&align.equal=1', async (page) => {
    const alignment = await wake(page, 'alignment');
    const outputs = (start) =>
      alignment.locator(`td[data-stage="${start}-output"]`).allInnerTexts();
    assert.deepEqual(await outputs('top-left'), ['1.00', '1.50']);
    assert.deepEqual(await outputs('bottom-right'), ['3.75', '6.20']);
    const text = () => alignment.locator('.figure').innerText();
    assert.match(await text(), /refused: “T ≠ S: Q has 2 queries, K has 5 keys.*S − T \+ 1 = 4/);
    // At key 4 it is bottom-right, at key 1 top-left.
    const first = alignment.getByRole('spinbutton').nth(2);
    for (const [key, same] of [
      ['4', 'bottom-right'],
      ['1', 'top-left'],
    ]) {
      await first.fill(key);
      await first.press('Enter');
      assert.match(await text(), new RegExp(`start: ${key - 1}\\s+Query 1 stands at key ${key}`));
      assert.deepEqual(await outputs('own'), await outputs(same));
    }
    await alignment.getByRole('switch', { name: 'all scores equal' }).uncheck();
    assert.notDeepEqual(await outputs('bottom-right'), ['3.75', '6.20']);
    assert.equal(await alignment.locator('td[data-stage="scores"]').count(), 10);
    await alignment.getByRole('spinbutton').first().fill('7');
    await alignment.getByRole('spinbutton').first().press('Enter');
    assert.match(await text(), /Query 1 stands at key −1, before the first\./);
  });
});

test('cost: the slider of tokens goes from one power of two to the next', async () => {
  await onPage(
    'en/?embed=1&figure=cost',
    async (page) => {
      const tokens = page.locator('attention-cost .slider').nth(2);
      const [range, box] = [tokens.locator('[type="range"]'), tokens.locator('[type="number"]')];
      await range.press('ArrowRight');
      assert.equal(await box.inputValue(), '1024');
      await range.press('End');
      assert.equal(await box.inputValue(), '1000000');
      await box.fill('700');
      await box.press('Enter');
      await page.waitForURL(/cost\.tokens=700/);
      await range.press('ArrowLeft');
      assert.equal(await box.inputValue(), '256');
      assert.match(
        await page.locator('.cost-count dd').first().innerText(),
        /^≈ 201 M operations$/,
      );
    },
    { ready: (page) => page.locator('attention-cost[data-live]').waitFor() },
  );
});

test('cost: the measurement runs in a worker and can be cancelled', async () => {
  await onPage('en/', async (page) => {
    const cost = await wake(page, 'cost');
    await cost.locator('button.primary').click();
    await cost.locator('.measured tbody tr').first().waitFor();
    await cost.getByRole('button', { name: 'Cancel' }).click();
    await cost.getByText('Cancelled.').waitFor();
  });
});

test('below every table of weights stands what is always true of them, red where it is not', async () => {
  await onPage('en/', async (page) => {
    const failing = {
      ...{ stepper: 0, retrieval: 0, projection: 0, 'causal-steps': 0, 'scaling-lab': 0 },
      ...{ 'mask-painter': 0, polarity: 0, alignment: 0, cross: 0, dropout: 0, sentence: 0 },
      // Zeros written after softmax; a finite number where −∞ belongs, in a row that sees nothing.
      ...{ 'mask-order': 1, 'finite-mask': 2 },
    };
    for (const [name, count] of Object.entries(failing)) {
      const lines = (await wake(page, name)).locator('.invariants li');
      const holds = await lines.evaluateAll((all) => all.map((line) => line.dataset.holds));
      assert.ok(holds.length >= 2, name);
      assert.equal(holds.filter((held) => held !== 'yes').length, count, `${name}: ${holds}`);
    }
    const red = await page
      .locator('attention-finite-mask .invariants [data-holds="no"]')
      .allInnerTexts();
    assert.match(red.join(), /In \d of \d+ masked cells the weight is not 0\./);
  });
});
