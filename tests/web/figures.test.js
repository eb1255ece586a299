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
    assert.match(await text(), /refused: “T ≠ S: Q is 2 long, K is 5 long.*S − T \+ 1 = 4/);
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
        await page.locator('.cost-count td').first().innerText(),
        /^≈ 201 million operations$/,
      );
    },
    { ready: (page) => page.locator('attention-cost[data-live]').waitFor() },
  );
});

test('cost: counts are written as people read them', async () => {
  const most = 'cost.batch=64&cost.heads=128&cost.tokens=1000000&cost.width=64';
  const expected = {
    // 8·64·8192²·10⁶ = 3.44e16.
    en: [
      ['', ['≈ 805 million operations', '≈ 403 million operations', '≈ 2.42 billion operations']],
      ['cost.tokens=2', ['12,288 operations', '9,216 operations', '≈ 9.44 million operations']],
      [most, ['≈ 2.1 × 1018 operations', '≈ 1.05 × 1018 operations', '≈ 3.44 × 1016 operations']],
    ],
    zh: [
      ['', ['≈ 8.05 亿次', '≈ 4.03 亿次', '≈ 24.2 亿次']],
      ['cost.tokens=2', ['12,288 次', '9,216 次', '≈ 944 万次']],
      [most, ['≈ 2.1 × 1018 次', '≈ 1.05 × 1018 次', '≈ 3.44 × 1016 次']],
    ],
  };
  for (const language of languages) {
    for (const [link, counts] of expected[language]) {
      await onPage(
        `${language}/?embed=1&figure=cost#${link}`,
        async (page) => {
          const shown = page.locator('attention-cost .cost-count td');
          assert.deepEqual((await shown.allInnerTexts()).slice(0, 3), counts);
          const raised = await shown.locator('sup').allInnerTexts();
          assert.deepEqual(raised, link === most ? ['18', '18', '16'] : []);
        },
        { ready: (page) => page.locator('attention-cost[data-live]').waitFor() },
      );
    }
  }
});

test("cost: the measurement takes the calculator's sizes, beside the operations counted for them", async () => {
  await onPage(
    'en/?embed=1&figure=cost#cost.batch=2&cost.heads=3&cost.width=40&cost.tokens=100',
    async (page) => {
      const cost = page.locator('attention-cost');
      await cost.locator('button.primary').click();
      await cost.getByRole('button', { name: 'Cancel' }).waitFor();
      await cost.locator('button.primary').waitFor();
      // Without the factors below them.
      const rows = await cost.locator('.measured tbody tr').evaluateAll((all) =>
        all.map(({ cells }) =>
          [...cells].map(({ childNodes }) =>
            [...childNodes]
              .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
              .map(({ data }) => data)
              .join('')
              .trim(),
          ),
        ),
      );
      assert.deepEqual(
        rows.map(([tokens]) => Number(tokens)),
        [7, 13, 25, 50, 100],
      );
      for (const [tokens, count, time, speed] of rows) {
        // 2·B·H·N²·(d_k + d_v)
        const operations = 2 * 2 * 3 * tokens ** 2 * 80;
        const shown = parseFloat(count.replace(/[≈, ]/g, '')) * (/million/.test(count) ? 1e6 : 1);
        assert.ok(Math.abs(shown / operations - 1) < 0.005, `${count} for ${operations}`);
        const [milliseconds, perSecond] = [parseFloat(time), Number(speed)];
        // Both are rounded, the time to as many digits as it shows.
        const digits = /\.(\d+)/.exec(time)?.[1].length ?? 0;
        const off = (0.5 * 10 ** -digits) / milliseconds + 0.005;
        assert.ok(Math.abs((perSecond * milliseconds * 1e6) / operations - 1) <= off, `${rows}`);
      }
      await cost.getByText(/B = 2, H = 3, d = 40, float32/).waitFor();
      await cost.getByText('9.6 million operations').waitFor();
      // What was measured stays, and is not taken for the calculator's.
      assert.equal(await cost.getByText('other sizes by now').count(), 0);
      await cost.locator('.slider').nth(1).locator('[type="number"]').fill('4');
      await page.keyboard.press('Enter');
      await cost.getByText('other sizes by now').waitFor();
      assert.equal(await cost.getByText(/B = 2, H = 3, d = 40, float32/).count(), 1);
    },
    { ready: (page) => page.locator('attention-cost[data-live]').waitFor() },
  );
});

test('cost: what is too large to be measured is said with its bound, and what would fit is one press away', async () => {
  const ready = (page) => page.locator('attention-cost[data-live]').waitFor();
  // A call of 10^12 operations: 4·B·H·N²·d; 256 MiB of Q, K, V and the output: 16·B·H·N·d.
  const tooMuch = [
    ['cost.heads=4&cost.tokens=100000', '31,250', ['≈ 10.2 trillion', '1 trillion']],
    ['cost.batch=64&cost.heads=128&cost.tokens=64&cost.width=256', '8', ['2 GiB', '256 MiB']],
  ];
  for (const [link, limit, says] of tooMuch) {
    await onPage(
      `en/?embed=1&figure=cost#${link}`,
      async (page) => {
        const cost = page.locator('attention-cost');
        const text = await cost.locator('.beside [role="status"]').innerText();
        for (const part of [...says, `N = ${limit}.`]) assert.ok(text.includes(part), text);
        await cost.getByRole('button', { name: `Set N = ${limit}`, exact: true }).click();
        await page.waitForURL(new RegExp(`cost.tokens=${limit.replace(',', '')}\\b`));
        await cost.getByRole('button', { name: 'Measure these sizes' }).waitFor();
        // Just within: one more is too many.
        const box = cost.locator('.slider').nth(2).locator('[type="number"]');
        await box.fill(String(Number(limit.replace(',', '')) + 1));
        await box.press('Enter');
        await cost.getByRole('button', { name: `Set N = ${limit}`, exact: true }).waitFor();
      },
      { ready },
    );
  }
});

test('cost: the measurement runs in a worker and can be cancelled, also within a long call', async () => {
  await onPage(
    'en/?embed=1&figure=cost#cost.tokens=16000',
    async (page) => {
      const cost = page.locator('attention-cost');
      await cost.locator('button.primary').click();
      await cost.locator('.measured tbody tr').first().waitFor();
      await cost.locator('progress').waitFor();
      await cost.getByRole('button', { name: 'Cancel' }).click();
      await cost.getByText('Cancelled.').waitFor();
      assert.equal(await cost.locator('progress').count(), 0);
    },
    { ready: (page) => page.locator('attention-cost[data-live]').waitFor() },
  );
});

test('below every table of weights stands what is always true of them, red where it is not', async () => {
  await onPage('en/', async (page) => {
    const failing = {
      ...{ stepper: 0, retrieval: 0, projection: 0, 'causal-steps': 0, 'scaling-lab': 0 },
      ...{ 'mask-painter': 0, polarity: 0, alignment: 0, cross: 0, dropout: 0, sentence: 0 },
      // Zeros written after softmax; a finite number where −∞ belongs, in a row that sees nothing; NaN.
      ...{ 'mask-order': 1, 'finite-mask': 2, 'nan-repair': 1 },
      // The textbook's row of NaN; what float16 makes of a score beyond it.
      ...{ 'online-softmax': 0, overflow: 2, precision: 2 },
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

    // Each way of its own: no fault is laid at the other's door.
    const partsOf = (name) =>
      page
        .locator(`attention-${name} .checked > div`)
        .evaluateAll((all) =>
          all.map((part) => [
            part.querySelector('.remark').textContent.trim(),
            [...part.querySelectorAll('li')].map(({ dataset }) => dataset.holds).join(' '),
          ]),
        );
    assert.deepEqual(await partsOf('overflow'), [
      ['as in the textbook', 'no no'],
      ['largest subtracted first', 'yes yes'],
    ]);
    assert.deepEqual(await partsOf('precision'), [
      ['all in float16', 'no no'],
      ['in float16, scaled first', 'yes yes'],
      ['converted to float32 first', 'yes yes'],
    ]);
    // A sum that overflows makes every weight 0: each lies in [0, 1], and all the same they are wrong.
    await page.evaluate(() => (location.hash = 'exp.x=11,11,11&exp.t=float16'));
    await page.locator('attention-overflow').getByText('not their sum').waitFor();
    assert.deepEqual(await partsOf('overflow'), [
      ['as in the textbook', 'no yes'],
      ['largest subtracted first', 'yes yes'],
    ]);
  });
});

test('a row that is read in tiles holds what a whole one does, whatever the tiles and the mask', async () => {
  for (const settings of ['', 'online.tile=2', 'online.row=1&online.tile=4', 'online.mask=none']) {
    await onPage(
      `en/?embed=1&figure=online-softmax#${settings}`,
      async (page) => {
        const lines = page.locator('attention-online-softmax .invariants li');
        const texts = await lines.allInnerTexts();
        const masked = /row=1/.test(settings) ? 3 : 0;
        assert.equal(texts.length, masked ? 5 : 4, texts.join());
        if (masked) assert.match(texts.join(), /masked weight is exactly 0 \(3\)/);
        assert.match(texts.at(-1), /that of the whole row at once/);
        assert.deepEqual(
          await lines.evaluateAll((all) => all.map(({ dataset }) => dataset.holds)),
          texts.map(() => 'yes'),
          settings,
        );
      },
      { ready: (page) => page.locator('attention-online-softmax[data-live]').waitFor() },
    );
  }
});

test('on a phone no gap is kept for what is not said yet', async () => {
  // What stands above it, and what comes next.
  const places = {
    stepper: ['.masking', '.inspector'],
    'causal-steps': ['.causal-board', '.invariants'],
  };
  for (const language of languages) {
    for (const [name, [above, below]] of Object.entries(places)) {
      await onPage(
        `${language}/?embed=1&figure=${name}`,
        async (page) => {
          const gap = await page.locator(`attention-${name}`).evaluate(
            ({ shadowRoot }, [first, next]) => {
              const box = (selector) => shadowRoot.querySelector(selector).getBoundingClientRect();
              return box(next).top - box(first).bottom;
            },
            [above, below],
          );
          assert.ok(gap >= 0 && gap <= 48, `${name}, ${language}: ${gap} px`);
          // The switch of the mask ends with what it says.
          if (name === 'stepper') {
            const masking = page.locator('attention-stepper .masking');
            assert.ok((await masking.boundingBox()).height < 40);
            await page.locator('attention-stepper button.step').nth(3).click();
            await masking.locator('.hatches').waitFor();
          }
        },
        {
          viewport: { width: 390, height: 844 },
          ready: (page) => page.locator(`attention-${name}[data-live]`).waitFor(),
        },
      );
    }
  }
});

test("bug gallery: the padding mask of a case is drawn as masks are, above the weights' own columns", async () => {
  await onPage('en/', async (page) => {
    const gallery = await wake(page, 'bug-gallery');
    const bug = gallery.locator('details', { has: page.locator('.given') }).first();
    await bug.locator('summary').first().click();
    const mask = bug.locator('.given');
    const cells = mask.locator('td.cell');
    assert.deepEqual(
      (await cells.allInnerTexts()).map(Number),
      [0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1],
    );
    const hatched = await cells.evaluateAll((all) => all.map(({ dataset }) => dataset.cause));
    assert.equal(hatched.filter((cause) => cause === 'padding').length, 6);
    const weights = bug.locator('.matrix td.cell');
    for (const at of [0, 3]) {
      const [above, below] = [
        await cells.nth(at).boundingBox(),
        await weights.nth(at).boundingBox(),
      ];
      assert.ok(Math.abs(above.x - below.x) < 1, `${above.x}, ${below.x}`);
    }
  });
});
