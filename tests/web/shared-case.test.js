// The figures on the 4×3 example show the article's numbers, or the reader's where that is asked for:
// their cells are compared with the core's, called here with the same numbers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { languages, onPage } from './browser.js';

const json = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
const { inputs: article } = await json('../../web/examples/six-step.json');
const attention = await load({ threads: 1 });

const mine = { ...article, query: article.query.map((row) => row.map((x) => 3 * x + 1)) };
const link = `q=${mine.query.map((row) => row.join(',')).join(';')}`;

const range = [0, 1, 2, 3];
const weightsOf = ({ query, key, value }, options) => {
  const given = [query, key, value].map((rows) => tensor(rows, 'float64'));
  return toNested(attention.explain(...given, options).steps.weights);
};
const upper = range.map((i) => range.map((j) => j > i));
/** Of each figure: its key in a link, and which table of it shows the weights of which call. */
const figures = {
  'mask-order': ['order', 'before', { mask: 'causal' }],
  polarity: ['true', 'allowed', { mask: { kind: 'allowed', mask: upper } }],
  dropout: ['drop', 'before', { mask: 'causal' }],
  'nan-repair': [
    'nan',
    'earlyWeights',
    { mask: { kind: 'blocked', mask: upper.map((row, i) => row.map((is) => is || i === 1)) } },
  ],
  'finite-mask': [
    'finite',
    'maskedWeights',
    { mask: { kind: 'blocked', mask: upper.map((row, i) => row.map((is) => is || i === 1)) } },
  ],
};

/** As a cell reads. */
const written = (x, isHidden) => {
  if (isHidden) return '0';
  if (x > 0 && x < 0.005) return '<0.005';
  return x < 1 && x >= 0.995 ? '>0.995' : x.toFixed(2);
};
const alone = (name, fragment = '', language = 'en') => [
  `${language}/?embed=1&figure=${name}#${fragment}`,
  { ready: (page) => page.locator(`attention-${name}[data-live]`).waitFor() },
];

for (const [name, [key, stage, options]] of Object.entries(figures)) {
  test(`${name}: the article's numbers, the reader's, and back`, async () => {
    const [address, settings] = alone(name, link);
    await onPage(
      address,
      async (page) => {
        const figure = page.locator(`attention-${name}`);
        const check = async (inputs, what) => {
          const weights = weightsOf(inputs, options);
          const texts = weights.map((row) => row.map((x) => written(x, x === 0)));
          const cells = await figure.locator(`td[data-stage="${stage}"]`).allInnerTexts();
          assert.deepEqual(
            cells.map((text) => text.trim()),
            texts.flat(),
            what,
          );
        };
        const whose = figure.locator('.whose');
        await check(article, "at first the article's");
        assert.match(await whose.innerText(), /^The article’s numbers\. Use the link’s numbers$/);
        await whose.getByRole('button').click();
        await check(mine, "then the reader's");
        assert.match(await whose.innerText(), /^The link’s numbers\. Back to the article’s$/);
        assert.ok(page.url().includes(`${key}.mine=1`), page.url());
        await page.reload();
        await settings.ready(page);
        await check(mine, 'the choice is in the link');
        await page.goBack();
        await page.waitForFunction(() => !location.hash.includes('.mine'));
        await check(article, 'Back undoes it');
      },
      settings,
    );
  });
}

test("online softmax runs on the reader's numbers", async () => {
  const [address, settings] = alone('online-softmax', `${link}&online.mine=1&online.step=4`);
  await onPage(
    address,
    async (page) => {
      const { query, key, value } = mine;
      const given = [query, key, value].map((rows) => tensor(rows, 'float64'));
      const called = attention.scaledDotProductAttention(...given, {
        mask: 'causal',
        returns: ['lse'],
      });
      const lse = toNested(called.lse)[3].toFixed(4);
      const says = page.locator('attention-online-softmax .online-says');
      assert.ok((await says.innerText()).includes(lse), `${lse} in: ${await says.innerText()}`);
      await page.locator('attention-online-softmax .whose button').click();
      assert.ok(!(await says.innerText()).includes(lse), "not the article's");
    },
    settings,
  );
});

test('a change in the first figure offers the choice in the others, and Reset takes it back', () =>
  onPage('en/', async (page) => {
    const order = page.locator('attention-mask-order');
    await order.scrollIntoViewIfNeeded();
    await page.locator('attention-mask-order[data-live]').waitFor();
    const whose = order.locator('.whose');
    assert.equal(await whose.count(), 0, 'there is nothing to choose');
    const stepper = page.locator('attention-stepper');
    await stepper.locator('.switch input').click();
    assert.equal(await whose.count(), 0, 'nor with another mask, for this figure has its own');
    await stepper.getByRole('button', { name: 'New numbers' }).click();
    await whose.getByRole('button').click();
    assert.match(await whose.innerText(), /^Your numbers/);
    await stepper.getByRole('button', { name: 'Reset' }).click();
    await whose.waitFor({ state: 'detached' });
    const cells = await order.locator('td[data-stage="before"]').allInnerTexts();
    assert.equal(cells[4], weightsOf(article, { mask: 'causal' })[1][0].toFixed(2));
  }));

test("the painter paints the mask of the reader's case, which the first figure and the link have", async () => {
  const painter = 'attention-mask-painter';
  const wake = async (page) => {
    await page.locator('attention-stepper[data-live]').waitFor();
    await page.locator(painter).scrollIntoViewIfNeeded();
    await page.locator(`${painter}[data-live]`).waitFor();
  };
  const texts = async (page, figure) => {
    await page.locator(figure).evaluate((element) => element.updateComplete);
    return page.locator(`${figure} td[data-stage="weights"]`).allInnerTexts();
  };
  const check = async (page, mask) => {
    const weights = weightsOf(mine, { mask }).flat();
    const expected = weights.map((x) => written(x, x === 0));
    for (const figure of [painter, 'attention-stepper']) {
      const shown = (await texts(page, figure)).map((text) => text.trim());
      assert.deepEqual(shown, expected, figure);
    }
  };
  let saved;
  await onPage(
    `en/#${link}`,
    async (page) => {
      const figure = page.locator(painter);
      assert.equal(await figure.locator('td[data-stage="weights"]').count(), 36, "the article's");
      await figure.getByRole('button', { name: 'Paint the mask of the first' }).click();
      await check(page, 'causal');
      assert.equal(await figure.getByRole('spinbutton', { name: 'T, queries' }).count(), 0);

      await figure.locator('.paint td.cell').nth(12).click();
      const painted = range.map((i) => range.map((j) => i === 3 && j === 0));
      const mask = ['causal', { kind: 'blocked', mask: painted }];
      await check(page, mask);
      await page.waitForFunction(() => location.hash.includes('m=rules:causal,paint:4.1&'));
      await figure.getByRole('switch', { name: 'padding' }).click();
      const padding = { kind: 'padding', blocked: [range.map((j) => j === 3)] };
      await check(page, ['causal', padding, { kind: 'blocked', mask: painted }]);
      const says = page.locator('attention-stepper [aria-live]').first();
      await page.locator('attention-stepper button.step').nth(3).click();
      assert.match(await says.innerText(), /The mask sets 8 cells to minus infinity/);
      await page.reload();
      await wake(page);
      await check(page, ['causal', padding, { kind: 'blocked', mask: painted }]);
      const menu = figure.locator('details.export');
      await menu.locator('summary').click();
      const coming = page.waitForEvent('download');
      await menu.getByRole('button', { name: 'JSON', exact: true }).click();
      saved = await readFile(await (await coming).path());

      for (let times = 0; times < 2; ++times) await page.goBack();
      await page.waitForFunction(() => !location.hash.includes('padding'));
      await check(page, mask);
      await figure.getByRole('button', { name: 'Back to the made-up case' }).click();
      assert.equal((await texts(page, painter)).length, 36);
      await page.locator('attention-stepper .switch input').click();
      assert.doesNotMatch(await page.evaluate(() => location.hash), /[#&]m=/);
    },
    { ready: wake },
  );
  await onPage(
    'en/',
    async (page) => {
      const menu = page.locator(`${painter} details.export`);
      await menu.locator('summary').click();
      const file = { name: 'a.json', mimeType: 'application/json', buffer: saved };
      await menu.locator('input[type="file"]').setInputFiles(file);
      await menu.getByRole('status').filter({ hasText: 'opened' }).waitFor();
      assert.match(await page.evaluate(() => location.hash), /m=paint:4\.1&.*mask\.mine=1/);
    },
    { ready: wake },
  );
});

test("what is saved of the reader's numbers is opened with them", async () => {
  const open = async (page, buffer) => {
    const menu = page.locator('attention-mask-order details.export');
    await menu.locator('summary').click();
    const file = { name: 'a.json', mimeType: 'application/json', buffer };
    await menu.locator('input[type="file"]').setInputFiles(file);
    return menu.getByRole('status').filter({ hasText: 'a.json' }).innerText();
  };
  const cellsOf = (page) =>
    page.locator('attention-mask-order td[data-stage="before"]').allInnerTexts();
  let saved;
  let shown;
  const [address, settings] = alone('mask-order', `${link}&order.mine=1`);
  await onPage(
    address,
    async (page) => {
      shown = await cellsOf(page);
      const menu = page.locator('attention-mask-order details.export');
      await menu.locator('summary').click();
      const coming = page.waitForEvent('download');
      await menu.getByRole('button', { name: 'JSON', exact: true }).click();
      saved = await readFile(await (await coming).path());
    },
    settings,
  );
  await onPage(
    alone('mask-order')[0],
    async (page) => {
      const before = await cellsOf(page);
      const wrong = JSON.parse(saved);
      wrong.mine.inputs.query.pop();
      const refused = await open(page, Buffer.from(JSON.stringify(wrong)));
      assert.match(refused, /not opened.*mine\.inputs/);
      assert.deepEqual(await cellsOf(page), before);
      await page.locator('attention-mask-order details.export summary').click();
      assert.match(await open(page, saved), /opened/);
      assert.deepEqual(await cellsOf(page), shown);
      assert.notDeepEqual(shown, before);
    },
    settings,
  );
});

/** Figures on an example of their own: their key, and of which part of the page's case they show which weights. */
const parts = {
  retrieval: ['fruit', 'fruit.q=3', 'weights', () => [weightsOf(mine, {})[2]]],
  'causal-steps': ['causal', 'causal.s=3', 'weights', () => weightsOf(mine, { mask: 'causal' })],
  cross: [
    'cross',
    'cross.s=3',
    'weights',
    () => {
      const [query, key, value] = [mine.query, mine.key, mine.value].map((rows) =>
        rows.slice(0, 3),
      );
      return weightsOf({ query, key, value }, {});
    },
  ],
  alignment: [
    'align',
    'align.t=2',
    'bottom-right-weights',
    () => {
      const of = { ...mine, query: mine.query.slice(0, 2) };
      return weightsOf(of, { mask: 'causal', start: 'bottom-right' });
    },
  ],
};

for (const [name, [key, setting, stage, expected]] of Object.entries(parts)) {
  test(`${name}: an example of its own, the first figure's case, saved and opened, and back`, async () => {
    const tag = `attention-${name}`;
    const cells = (page) =>
      page
        .locator(`${tag} td[data-stage="${stage}"]`)
        .evaluateAll((all) => all.map((cell) => cell.textContent.trim()));
    const texts = expected().flatMap((row) => row.map((x) => written(x, x === 0)));
    const menu = (page) => page.locator(`${tag} details.export`);
    const [address, settings] = alone(name, `${link}&${setting}`);
    let saved;
    await onPage(
      address,
      async (page) => {
        const whose = page.locator(`${tag} .whose`);
        const before = await cells(page);
        assert.notDeepEqual(before, texts);
        await whose.getByRole('button', { name: 'Use the link’s case' }).click();
        assert.deepEqual(await cells(page), texts);
        assert.ok(page.url().includes(`${key}.mine=1`), page.url());
        await page.reload();
        await settings.ready(page);
        assert.deepEqual(await cells(page), texts);
        await menu(page).locator('summary').click();
        const coming = page.waitForEvent('download');
        await menu(page).getByRole('button', { name: 'JSON', exact: true }).click();
        saved = await readFile(await (await coming).path());
        await whose.getByRole('button', { name: 'Back to the article’s' }).click();
        assert.deepEqual(await cells(page), before);
      },
      settings,
    );
    await onPage(
      alone(name)[0],
      async (page) => {
        await menu(page).locator('summary').click();
        const file = { name: 'a.json', mimeType: 'application/json', buffer: saved };
        await menu(page).locator('input[type="file"]').setInputFiles(file);
        await menu(page).getByRole('status').filter({ hasText: 'opened' }).waitFor();
        assert.deepEqual(await cells(page), texts);
        const said = new URL(page.url()).hash;
        for (const part of [`${key}.mine=1`, setting]) assert.ok(said.includes(part), said);
      },
      settings,
    );
  });
}

test("what is changed in retrieval on the reader's case is changed there, and Undo takes it back", async () => {
  const [address, settings] = alone('retrieval', `${link}&fruit.mine=1&fruit.q=2`);
  await onPage(
    address,
    async (page) => {
      const figure = page.locator('attention-retrieval');
      const before = new URL(page.url()).hash;
      await figure.locator('td[data-stage="query"]').first().dblclick();
      await page.keyboard.type('7');
      await page.keyboard.press('Enter');
      const [first, second, ...rest] = mine.query;
      const rows = [first, [7, ...second.slice(1)], ...rest].map((row) => row.join(','));
      await page.waitForFunction((text) => location.hash.includes(text), `q=${rows.join(';')}`);
      await figure.getByRole('button', { name: 'Undo' }).click();
      const strip = (hash) => hash.replace(/&?fruit\.pin=[\w.]+/, '');
      assert.equal(strip(new URL(page.url()).hash), strip(before));
      await figure.getByRole('button', { name: 'Reset' }).click();
      await page.waitForFunction(() => !location.hash.includes('q=1'));
      assert.equal(
        await figure.locator('td[data-stage="key"]').count(),
        12,
        'still the first case',
      );
    },
    settings,
  );
});

for (const language of languages) {
  test(`the choice is in the language of the page: ${language}`, async () => {
    const [address, settings] = alone('polarity', link, language);
    await onPage(
      address,
      async (page) => {
        const said = await page.locator('attention-polarity .whose').innerText();
        assert.equal(/[\u4e00-\u9fff]/.test(said), language === 'zh', said);
      },
      settings,
    );
  });
}
