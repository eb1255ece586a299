// The other figures: all come alive, fit every width, and show what the articles' numbers say.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import axe from 'axe-core';
import { languages, onPage, overflowOf } from './browser.js';

const readJSON = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
const seed = await readJSON('../vectors/seed-values.json');

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

const figure = (page, name) => page.locator(`attention-${name}`);
const wake = async (page, name) => {
  await figure(page, name).scrollIntoViewIfNeeded();
  await page.locator(`attention-${name}[data-live]`).waitFor({ state: 'attached' });
  return figure(page, name);
};
/** The cells of the figure's nth matrix, as they read. */
const matrix = async (within, index) =>
  within
    .locator('.matrix table')
    .nth(index)
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('td.cell')].map((cell) => cell.textContent.trim()),
      ),
    );
const near = (texts, numbers, what) =>
  numbers.forEach((row, i) =>
    row.forEach((x, j) => {
      const shown = texts[i][j] === '<0.005' ? 0.0025 : Number(texts[i][j].replace('−', '-'));
      assert.ok(
        Math.abs(shown - x) <= 0.00501,
        `${what} ${i + 1},${j + 1}: ${texts[i][j]} for ${x}`,
      );
    }),
  );

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

test("scaling lab: the article's variance and entropy at every width", async () => {
  await onPage('en/#lab.mode=article', async (page) => {
    const lab = await wake(page, 'scaling-lab');
    for (const { d_k: width, ...published } of seed.scaling_lab) {
      await lab.locator('input[type="number"]').fill(String(width));
      await lab.locator('input[type="number"]').press('Enter');
      const values = await lab
        .locator('.facts dd')
        .evaluateAll((cells) => cells.map((cell) => parseFloat(cell.textContent)));
      const [rawVariance, rawEntropy, , , scaledVariance, scaledEntropy] = values;
      const pairs = [
        [rawVariance, published.raw_variance],
        [rawEntropy, published.raw_entropy_bits],
        [scaledVariance, published.scaled_variance],
        [scaledEntropy, published.scaled_entropy_bits],
      ];
      for (const [shown, x] of pairs)
        assert.ok(Math.abs(shown - x) < 0.0006, `${width}: ${shown} for ${x}`);
    }
  });
});

test('scaling lab: keys and draws can be set, and the dashed lines are the theory in every mode', async () => {
  const ready = (page) => page.locator('attention-scaling-lab[data-live]').waitFor();
  await onPage(
    'en/?embed=1&figure=scaling-lab#lab.d=64',
    async (page) => {
      const lab = page.locator('attention-scaling-lab');
      /** The variances at which the dashed lines end, where they can be read: d_k = 128. */
      const ends = () =>
        lab
          .locator('.chart')
          .first()
          .locator('[data-series="theory"] .series')
          .evaluateAll((lines) =>
            lines.map((line) => {
              const [, up] = line.getAttribute('d').match(/([\d.]+)$/);
              // From 300 at 10 to 0.01 at 208.
              return 0.01 * 30000 ** ((208 - Number(up)) / 198);
            }),
          );
      const check = async (raw, scaled) => {
        const found = await ends();
        assert.equal(found.length, 2);
        [raw, scaled].forEach((x, at) => assert.ok(Math.abs(found[at] / x - 1) < 0.01, `${found}`));
      };
      await check(128, 1);
      const bars = () => lab.locator('.bars').first().locator('li').count();
      assert.equal(await bars(), 8);
      await lab.getByRole('radio', { name: '16', exact: true }).check();
      assert.equal(await bars(), 16);
      await lab.getByText('on average it is 15/16 of the theory').waitFor();
      await lab.getByRole('radio', { name: '50', exact: true }).check();
      await lab.getByText('90% of 50 draws').waitFor();
      await page.waitForURL(/lab\.keys=16&lab\.n=50/);
      assert.deepEqual(
        await lab
          .locator('.chart')
          .last()
          .locator('svg > text')
          .evaluateAll((all) => all.map((each) => each.textContent.trim())),
        [...['0', '1', '2', '3', '4', '8', '32', '64', '96', '128', 'dk']],
      );
      await lab.getByRole('radio', { name: 'U(−1, 1)' }).check();
      await check(128 / 9, 1 / 9);
      await lab.getByRole('radio', { name: 'article’s data' }).check();
      await check(128 / 9, 1 / 9);
      // Its scores are given, and there are eight.
      assert.equal(await bars(), 8);
      assert.equal(await lab.getByRole('radio', { name: '16', exact: true }).count(), 0);
      const dots = lab.locator('[data-series="article"] .series').first();
      assert.equal((await dots.getAttribute('d')).match(/h0/g).length, 16);
    },
    { ready },
  );
});

test('mask painter: rules, paint and the table apply themselves, and the link keeps them', async () => {
  let address;
  await onPage('en/', async (page) => {
    const painter = await wake(page, 'mask-painter');
    const counts = () => painter.locator('.painter-says').innerText();
    assert.match(await counts(), /20 of 36 pairs/);
    await painter.locator('.row-button').nth(2).click();
    assert.match(await counts(), /16 of 24 pairs/);
    await painter.locator('.row-button').nth(3).click();
    assert.match(await counts(), /11 of 36 pairs/);
    // By keyboard: a whole row, and the query has nothing left.
    await painter
      .locator('.paint td')
      .nth(1 + 7)
      .focus();
    await page.keyboard.press('Shift+Space');
    assert.match(await counts(), /may read nothing: 1/);
    const code = await painter.locator('pre').innerText();
    assert.match(code, /'causal', \{ kind: 'window', left: 1 \}, \{ kind: 'blocked'/);
    const given = new Function(`${code.replace('{ mask', 'return { mask')}`)();
    assert.deepEqual(given.mask[2].mask[1], Array(6).fill(true));
    assert.equal(given.mask[2].mask.flat().filter(Boolean).length, 6);
    // M is what is added; the other reading is not called M.
    const mask = () => painter.locator('.paint tbody tr').first().locator('td').allInnerTexts();
    const title = painter.locator('.matrix-title .symbol').first();
    assert.deepEqual(await mask(), ['0', '−∞', '−∞', '−∞', '−∞', '−∞']);
    assert.equal(await title.innerText(), 'M');
    await painter.getByRole('radio', { name: 'what is allowed' }).check();
    assert.deepEqual(await mask(), ['1', '0', '0', '0', '0', '0']);
    assert.equal(await title.innerText(), 'allowed');
    address = page.url();
  });
  await onPage(address, async (page) => {
    const painter = await wake(page, 'mask-painter');
    assert.match(await painter.locator('.painter-says').innerText(), /may read nothing: 1/);
  });
});

test('mask painter: the way it is shown comes back, and the row of a pad is found by its name', async () => {
  const ready = (page) => page.locator('attention-mask-painter[data-live]').waitFor();
  let address;
  await onPage(
    'en/?embed=1&figure=mask-painter#mask.m=keys:6,queries:6,rules:padding',
    async (page) => {
      const painter = page.locator('attention-mask-painter');
      const heads = await painter.locator('tbody th[scope="row"]').allInnerTexts();
      assert.deepEqual([heads[5], heads.at(-1)], ['pad', 'pad']);
      await painter.getByRole('radio', { name: 'what is allowed' }).check();
      await page.waitForURL(/mask\.show=allowed/);
      address = page.url();
    },
    { ready },
  );
  await onPage(
    address,
    async (page) => {
      const painter = page.locator('attention-mask-painter');
      assert.equal(await painter.getByRole('radio', { name: 'what is allowed' }).isChecked(), true);
      assert.equal(await painter.locator('.paint td.cell').last().innerText(), '0');
    },
    { ready },
  );
});

test('a finite minus infinity shares out what nobody may see; the mask does not', async () => {
  await onPage('en/', async (page) => {
    const finite = await wake(page, 'finite-mask');
    assert.deepEqual((await matrix(finite, 1))[1], ['0.25', '0.25', '0.25', '0.25']);
    assert.deepEqual((await matrix(finite, 3))[1], ['0', '0', '0', '0']);
    assert.match(await finite.locator('.comparison-says').innerText(), /differ/);
  });
});

test("online softmax: the kernel's own steps for the fourth query, by keyboard", async () => {
  await onPage('en/', async (page) => {
    const online = await wake(page, 'online-softmax');
    const line = (index) =>
      online
        .locator('tbody tr')
        .nth(index)
        .locator('td')
        .evaluateAll((cells) => cells.map((cell) => cell.textContent.trim()));
    const numbers = (text) => text.match(/−?[\d.]+/g).map((x) => Number(x.replace('−', '-')));
    for (let step = 1; step < 4; ++step) {
      assert.equal((await line(step))[0], '', 'what has not come yet shows nothing');
      await online.getByRole('button', { name: 'Next' }).focus();
      await page.keyboard.press('Enter');
    }
    const scaled = seed.six_step.scaled[3];
    let [largest, sum, output] = [-Infinity, 0, [0, 0, 0]];
    for (const [j, score] of scaled.entries()) {
      const max = Math.max(largest, score);
      const [rescale, weight] = [Math.exp(largest - max), Math.exp(score - max)];
      sum = sum * rescale + weight;
      output = output.map((x, c) => x * rescale + weight * seed.six_step.V[j][c]);
      largest = max;
      const [z, m, by, exp, l, o] = await line(j);
      const pairs = [
        [z, [score]],
        [m, [max]],
        ...(j > 0 ? [[by, [rescale]]] : []),
        [exp, [weight]],
        [l, [sum]],
        [o, output],
      ];
      for (const [text, expected] of pairs) {
        numbers(text).forEach((x, at) =>
          assert.ok(Math.abs(x - expected[at]) < 6e-5, `${text} for ${expected}`),
        );
      }
    }
    const says = await online.locator('.online-says').innerText();
    for (const x of seed.six_step.output_causal[3]) {
      assert.ok(says.includes(x.toFixed(4).replace('-', '−')), `${x} in ${says}`);
    }
    assert.match(says, /is 1\.3703\./);
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

test('masks: polarity, order and a padding mask that is broadcast, with their numbers', async () => {
  await onPage('en/', async (page) => {
    const order = await wake(page, 'mask-order');
    near(await matrix(order, 1), seed.six_step.weights_causal, 'masked first');
    const zeroed = seed.six_step.weights_nomask.map((row, i) => row.map((x, j) => (j > i ? 0 : x)));
    near(await matrix(order, 2), zeroed, 'masked afterwards');
    assert.match(await order.locator('.figure').innerText(), /0\.2234, 0\.5085, 0\.8991, 1\.0000/);

    const polarity = await wake(page, 'polarity');
    near(await matrix(polarity, 0), seed.six_step.weights_causal, 'True forbids');
    assert.deepEqual((await matrix(polarity, 1))[3], ['0', '0', '0', '0']);
    const titles = await polarity.locator('.polarity-title').allInnerTexts();
    assert.match(titles[1], /forbids[^]*nn\.MultiheadAttention/);
    assert.match(titles[2], /lets through[^]*F\.scaled_dot_product_attention/);
    await polarity.locator('.paint td.cell').first().focus();
    await page.keyboard.press('Shift+Space');
    const firstRow = await polarity.locator('.paint td[data-row="0"]').allInnerTexts();
    assert.deepEqual(firstRow, ['True', 'False', 'False', 'False']);

    const cast = await wake(page, 'broadcast');
    const verdict = () => cast.locator('.verdict').innerText();
    assert.match(await verdict(), /6 of 9 rows use the padding of another sequence/);
    assert.match(
      await cast.locator('.figure').innerText(),
      /The mask is 3×4, and a padding mask \[B, S\] looks like/,
    );
    await cast.locator('input[type="number"]').first().fill('2');
    await cast.locator('input[type="number"]').first().press('Enter');
    assert.match(await verdict(), /2 does not match 3/);
    assert.match(
      await cast.locator('.figure').innerText(),
      /The mask is 2×4, and a padding mask \[B, S\] looks like/,
    );
  });
});

test('mask order: a division brings back no row that a forbidden score has ruined', async () => {
  const ready = (page) => page.locator('attention-mask-order[data-live]').waitFor();
  for (const [language, lost] of [
    ['en', /Row 1 is lost/],
    ['zh', /第 1 行救不回来/],
  ]) {
    await onPage(
      `${language}/?embed=1&figure=mask-order`,
      async (page) => {
        const order = page.locator('attention-mask-order');
        const says = order.locator('.comparison-says');
        assert.doesNotMatch(await says.innerText(), lost);
        for (const [added, score, sum, zeroed] of [
          ['2,000', '2e3', '0', '0.00'],
          ['NaN', 'NaN', 'NaN', 'NaN'],
        ]) {
          await order.getByRole('radio', { name: added }).check();
          await says.filter({ hasText: lost }).waitFor();
          assert.match(await says.innerText(), new RegExp(`${sum}, 0\\.5085, 0\\.8991`));
          assert.equal((await matrix(order, 0))[0][3], score);
          near(await matrix(order, 1), seed.six_step.weights_causal, 'masked first');
          assert.deepEqual((await matrix(order, 2))[0], [zeroed, '0', '0', '0']);
          assert.deepEqual((await matrix(order, 3))[0], Array(4).fill('NaN'));
          const inspector = await order.locator('.inspector dl').innerText();
          assert.match(inspector.replace(/\s+/g, ' '), new RegExp(`÷ ${sum} = NaN$`));
        }
      },
      { ready },
    );
  }
});

test('precision and sentence: what overflows in float16, and what the causal mask leaves', async () => {
  await onPage('en/', async (page) => {
    const text = await (await wake(page, 'precision')).locator('.figure').innerText();
    for (const part of ['102,400', '12,800', '12,480', 'NaN', '65,504']) {
      assert.ok(text.includes(part), part);
    }
    const sentence = await wake(page, 'sentence');
    assert.match(await sentence.locator('.figure').innerText(), /“cat” gets 0\.60/);
    await sentence.locator('.switch input').check();
    assert.match(await sentence.locator('.figure').innerText(), /“cat” gets 0\.67/);
    // Weights, of which the mask makes exact zeros.
    const hidden = sentence.locator('[data-hidden] .share');
    assert.deepEqual(await hidden.allInnerTexts(), ['0', '0']);
  });
});

test('precision: what rounding loses in float16 is said, and no small weight reads 0', async () => {
  const shown = async (c) => {
    let text;
    await onPage(`en/#half.c=${c}`, async (page) => {
      text = await (await wake(page, 'precision')).locator('.figure').innerText();
    });
    return text;
  };
  const rounded = await shown(31);
  assert.match(rounded, /61,472\s+−61,472\s+59,424/);
  assert.match(
    rounded,
    /exact scaled scores are 7,688, −7,688, 7,440, and these are off by 4, 4, 12/,
  );
  assert.match(rounded, /61,504\s+−61,504\s+59,520[^]*The scores are exact/);
  const small = await shown(1);
  assert.match(small, /weights\s+>0\.995\s+<0\.005\s+<0\.005/);
  assert.doesNotMatch(small, /off by/);
});

test('overflow: the textbook’s softmax fails where the library’s does not, in each format', async () => {
  await onPage('en/', async (page) => {
    const overflow = await wake(page, 'overflow');
    const weights = (way) => overflow.locator('.lanes').nth(way).locator('tr').last().innerText();
    const cells = async (way) => (await weights(way)).split(/\s+/).slice(1);
    const verdict = () => overflow.locator('.comparison .remark').first().innerText();
    assert.deepEqual(await cells(0), ['NaN', 'NaN', 'NaN']);
    assert.deepEqual(await cells(1), ['0.67', '0.24', '0.09']);
    const first = overflow.getByLabel('score 1', { exact: true });
    const enter = async (text) => {
      await first.fill(text);
      await first.press('Enter');
    };
    for (const [index, text] of [
      ['1', '89'],
      ['2', '88'],
      ['3', '80'],
    ]) {
      await overflow.getByLabel(`score ${index}`, { exact: true }).fill(text);
      await overflow.getByLabel(`score ${index}`, { exact: true }).press('Enter');
    }
    // e^89 is beyond float32, e^88 is not; all three fit in float64.
    assert.match(await verdict(), /e to the power of 89 is beyond float32.*88\.72/);
    assert.deepEqual(await cells(0), ['NaN', '0', '0']);
    await overflow.getByRole('radio', { name: 'float64' }).check();
    assert.match(await verdict(), /Nothing overflows here: 89 is below about 709\.78/);
    assert.deepEqual(await cells(0), await cells(1));
    await enter('99999');
    assert.match(await verdict(), /e to the power of 99,999 is beyond float64/);
    assert.deepEqual(await cells(1), ['1', '0', '0']);
    await overflow.getByRole('radio', { name: 'float16', exact: true }).check();
    await overflow.getByText('In float16 a score is infinite.').waitFor();
    assert.deepEqual(await cells(1), ['NaN', 'NaN', 'NaN']);
    await overflow.getByRole('radio', { name: 'float64' }).check();
    await overflow.getByRole('button', { name: '−1,000' }).click();
    assert.match(await verdict(), /too small for float64 and becomes 0, and 0\/0 is NaN/);
    assert.deepEqual(await cells(1), ['0.67', '0.24', '0.09']);
    await page.waitForURL(/exp\.x=-1000,-1001/);
    const stored = overflow.locator('.stored');
    assert.equal(await stored.count(), 0);
    await overflow.getByRole('radio', { name: 'bfloat16' }).check();
    await stored.waitFor();
    assert.match(
      await stored.innerText(),
      /bfloat16 rounds the scores to −1,000, −1,000, −1,000\./,
    );
    assert.match(await stored.innerText(), /cannot tell apart get equal weights/);
    assert.deepEqual(await cells(1), ['0.33', '0.33', '0.33']);
  });
});

test('precision: 10^20 overflows float32 as well', async () => {
  const ready = (page) => page.locator('attention-precision[data-live]').waitFor();
  for (const [language, says] of [
    ['en', 'First lost in scores: the largest float32 is 3.403e38.'],
    ['zh', 'float32 最大只到 3.403e38。'],
  ]) {
    await onPage(
      `${language}/?embed=1&figure=precision`,
      async (page) => {
        const precision = page.locator('attention-precision');
        const widened = precision.locator('.comparison > div').last();
        assert.match(await widened.innerText(), /102,400\s+−102,400\s+99,840/);
        await precision.getByRole('button', { name: '1e20' }).click();
        await widened.getByText(says).waitFor();
        assert.match(await widened.innerText(), /∞\s+−∞\s+∞[^]*NaN\s+NaN\s+NaN/);
        assert.equal(await precision.getByRole('spinbutton').inputValue(), '1e+20');
        const slider = precision.getByRole('slider');
        assert.equal(await slider.inputValue(), await slider.getAttribute('max'));
      },
      { ready },
    );
  }
});

test('a box that cannot take what is entered says what it takes instead', async () => {
  const ready = (page) => page.locator('attention-precision[data-live]').waitFor();
  await onPage(
    'en/?embed=1&figure=precision',
    async (page) => {
      const figure = page.locator('attention-precision');
      const box = figure.getByRole('spinbutton');
      const says = figure.locator('output.taken');
      const enter = async (text) => {
        await box.fill(text);
        await box.press('Enter');
      };
      await enter('1e21');
      assert.equal(await says.innerText(), '1e21 cannot be had here; 1e20 is used.');
      await enter('0.1');
      assert.equal(await box.inputValue(), '1');
      assert.equal(await says.innerText(), '0.1 cannot be had here; 1 is used.');
      await enter('');
      assert.equal(await box.inputValue(), '1');
      assert.match(await says.innerText(), /not a number; the last good value stays/);
      await box.fill('2');
      assert.equal(await says.innerText(), '', 'gone once something else is entered');
      await box.press('Enter');
      assert.equal(await says.innerText(), '');
    },
    { ready },
  );
  await onPage(
    'zh/?embed=1&figure=retrieval',
    async (page) => {
      const seedBox = page.locator('attention-retrieval .seed');
      await seedBox.locator('input').fill('99999');
      await seedBox.locator('input').press('Enter');
      await seedBox.getByText('这里取不了 99,999，用的是 9,999。').waitFor();
    },
    { ready: (page) => page.locator('attention-retrieval[data-live]').waitFor() },
  );
});

test('refusals: every wrong call gets the library’s own answer, and the right one works', async () => {
  await onPage('zh/#no.open=start', async (page) => {
    const refusals = await wake(page, 'refusals');
    const cases = refusals.locator('.refusals > details');
    assert.equal(await cases.count(), 15);
    const answers = await cases.evaluateAll((all) =>
      all.map((each) => ({
        name: each.dataset.case,
        message: each.querySelector('q').textContent,
        right: each.querySelector('[data-holds=yes]')?.textContent.trim(),
      })),
    );
    for (const { name, message, right } of answers) {
      assert.match(message, /^(query|key|value|mask|start|dropout|there is|the call)/, name);
      if (name !== 'memory') assert.match(right, /接受：输出是 \[[\d, ]+\]/, name);
    }
    const open = () =>
      refusals
        .locator('.refusals > details[open]')
        .evaluateAll((all) => all.map((each) => each.dataset.case));
    assert.deepEqual(await open(), ['start']);
    await refusals.locator('[data-case=width] summary').click();
    assert.deepEqual(await open(), ['width']);
    assert.match(
      await refusals.locator('[data-case=width]').innerText(),
      /key has head_dim 4 but query has head_dim 3/,
    );
    await refusals.locator('[data-case=data] summary').press('Enter');
    await page.waitForURL(/no\.open=data/);
    assert.deepEqual(await open(), ['data']);
  });
});

test('shape checker: what it says must agree is what the library takes', async () => {
  await onPage('en/#shape.mode=check', async (page) => {
    const flow = await wake(page, 'shape-flow');
    const results = () => flow.locator('.result td').allInnerTexts();
    const holds = () =>
      flow
        .locator('.shape-check li')
        .evaluateAll((all) => all.map(({ dataset }) => dataset.holds === 'yes'));
    assert.deepEqual(await results(), ['2', '4', '3', '5', '2', '4', '3', '6']);
    const cases = [
      ['K, width', '6', 'width', /head_dim 6/],
      ['V, tokens', '3', 'tokens', /value has length 3 but key has length 5/],
      ['Q, batch', '5', 'batch', /key has batch 2 but query has batch 5/],
      ['K, heads', '3', 'heads', /heads/],
    ];
    for (const [name, wrong, rule, message] of cases) {
      const box = flow.getByLabel(name, { exact: true });
      const right = await box.inputValue();
      const enter = async (text) => {
        await box.fill(text);
        await box.press('Enter');
      };
      await enter(wrong);
      assert.equal((await holds()).filter((each) => !each).length, 1, name);
      assert.equal(await flow.locator(`[data-rule=${rule}]`).getAttribute('data-holds'), 'no');
      assert.match(await flow.locator('q').innerText(), message);
      assert.deepEqual(await results(), []);
      await enter(right);
      assert.equal((await results()).length, 8, name);
    }
    // Grouped heads: two of K and V for four of Q.
    for (const name of ['K, heads', 'V, heads']) {
      await flow.getByLabel(name, { exact: true }).fill('2');
      await flow.getByLabel(name, { exact: true }).press('Enter');
    }
    assert.ok((await holds()).every(Boolean));
    assert.deepEqual(await results(), ['2', '4', '3', '5', '2', '4', '3', '6']);
    await page.waitForURL(/shape\.k=2\.2\.5\.8/);
  });
});

test('shape checker: a mask of any shape that is broadcast, and none that looks like padding', async () => {
  await onPage('zh/#shape.mode=check', async (page) => {
    const flow = await wake(page, 'shape-flow');
    const mask = (axis) => flow.getByLabel(`M, ${axis}`, { exact: true });
    const shape = () =>
      Promise.all(['batch', 'head', '查询', '键'].map((axis) => mask(axis).inputValue()));
    const failing = () =>
      flow
        .locator('.shape-check li[data-holds=no]')
        .evaluateAll((all) => all.map(({ dataset }) => dataset.rule));
    const enter = async (axis, text) => {
      await mask(axis).fill(text);
      await mask(axis).press('Enter');
    };
    assert.deepEqual(await shape(), ['', '', '3', '5']);
    assert.deepEqual(await failing(), []);
    await enter('查询', '4');
    assert.deepEqual(await failing(), ['mask']);
    assert.match(await flow.locator('q').innerText(), /queries must be 3 or 1 but is 4/);
    await enter('查询', '1');
    assert.deepEqual(await failing(), []);

    await flow.getByRole('button', { name: '[B, 1, T, S]' }).click();
    assert.deepEqual(await shape(), ['2', '1', '3', '5']);
    assert.deepEqual(await failing(), []);
    await page.waitForURL(/shape\.m=2\.1\.3\.5/);
    await enter('head', '3');
    assert.match(await flow.locator('q').innerText(), /heads must be 4 or 1 but is 3/);
    // Without it, and so without what stands before it.
    await enter('head', '');
    assert.deepEqual(await shape(), ['', '', '3', '5']);

    await flow.getByRole('button', { name: '[B, S]' }).click();
    assert.deepEqual(await failing(), ['padding']);
    assert.match(await flow.locator('q').innerText(), /looks like: for one, use .*'padding'/);
    await flow.getByRole('button', { name: '没有遮罩' }).click();
    assert.deepEqual(await shape(), ['', '', '', '']);
    assert.deepEqual(await failing(), []);
  });
});

test('quiz: feedback, model answer, and checks that hold on fresh numbers', async () => {
  await onPage('en/', async (page) => {
    const quiz = await wake(page, 'quiz');
    const first = quiz.locator('.question').first();
    await first.locator('.choice-button').first().click();
    assert.match(await first.locator('.feedback:visible').innerText(), /✗ Not quite/);
    await first.locator('.choice-button').nth(1).focus();
    await page.keyboard.press('Enter');
    assert.match(await first.locator('.feedback:visible').innerText(), /✓ Right/);
    for (const question of await quiz.locator('.question').all()) {
      for (let run = 0; run < 3; ++run) {
        await question.locator('.button').click();
        const states = await question
          .locator('.check-lines li')
          .evaluateAll((lines) => lines.map((line) => [line.dataset.holds, line.innerText]));
        assert.ok(states.length > 0);
        for (const [holds, line] of states) assert.equal(holds, 'yes', line);
      }
    }
  });
});

test('bug gallery: each case shows its own numbers', async () => {
  await onPage('en/', async (page) => {
    const gallery = await wake(page, 'bug-gallery');
    assert.equal(await gallery.locator('.bug').count(), 12);
    assert.equal(await gallery.locator('.bug > div .matrix').count(), 13);
    const rowOf = async (id, row) => (await matrix(gallery.locator(`[data-id="${id}"]`), 0))[row];
    assert.deepEqual(await rowOf('additive-zero-one', 0), ['0.44', '0.28', '0.14', '0.14']);
    assert.deepEqual(await rowOf('no-scaling', 3), ['0.29', '0.53', '0.05', '0.12']);
    assert.deepEqual(await rowOf('finite-minus-infinity', 1), ['0.25', '0.25', '0.25', '0.25']);
    const sums = await gallery.locator('[data-id="softmax-columns"] > div td.sum').allInnerTexts();
    assert.deepEqual(sums, ['0.94', '1.26', '0.86', '0.94']);
    // A cell that is kept is spelled where it stands: here down its column.
    const columns = gallery.locator('[data-id="softmax-columns"] > div');
    const cell = columns.locator('td.cell').nth(6);
    await cell.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await columns.locator('.inspector').waitFor();
    const lines = await columns.locator('.inspector dd').allInnerTexts();
    assert.match(lines[0], /= −0\.1238$/);
    assert.match(lines[2], /^max\(−0\.3716, −0\.0715, −1\.0749, −0\.8381\)/);
    assert.match(lines.at(-1), /1\.0000 ÷ 2\.5719 ≈ 0\.3888$/);
    await page.waitForURL(/bug\.pin=softmax-columns\.2\.3/);
    await page.keyboard.press('Escape');
    await columns.locator('.inspector').waitFor({ state: 'detached' });
    // Two heads: other weights, the same output, and both sums with the diagnosis.
    const heads = gallery.locator('[data-id="weights-as-reasons"]');
    assert.deepEqual(await matrix(heads, 0), [['0.90', '0.10']]);
    assert.deepEqual(await matrix(heads, 1), [['0.10', '0.90']]);
    assert.deepEqual(await heads.locator('.heads p b').allInnerTexts(), ['0.4000', '0.4000']);
    await heads.locator('.diagnosis summary').click();
    const spelled = await heads.locator('.sums dd').allInnerTexts();
    assert.match(spelled[0], /0\.9000×0\.40 \+ 0\.1000×0\.40/);
    assert.match(spelled[1], /0\.1000×0\.40 \+ 0\.9000×0\.40/);
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

test('every check of the two tests holds', async () => {
  await onPage('zh/', async (page) => {
    const checks = await wake(page, 'checks');
    const states = await checks
      .locator('.check-lines li')
      .evaluateAll((lines) => lines.map((line) => line.dataset.holds));
    assert.deepEqual(states, Array(9).fill('yes'));
    const [theirs, ours] = await checks
      .locator('.recorded')
      .evaluateAll((tables) =>
        tables.map((table) => [...table.querySelectorAll('td')].map((cell) => cell.textContent)),
      );
    assert.deepEqual(theirs.slice(0, 3), ['−0.1767', '0.1569', '−0.2534']);
    assert.deepEqual(ours, theirs);
  });
});

test('goals that are ticked stay ticked', async () => {
  await onPage('en/', async (page) => {
    const goals = await wake(page, 'goals');
    await goals.locator('input').nth(2).check();
    await page.reload();
    const again = await wake(page, 'goals');
    assert.equal(await again.locator('input').nth(2).isChecked(), true);
    assert.equal(await again.locator('input').first().isChecked(), false);
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
