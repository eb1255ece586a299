// The figures of the masks: painter, finite mask, polarity, order and broadcasting.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
import { matrix, near, seed, wake } from './figures.js';

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
    const says = async (...texts) => {
      for (const text of texts) {
        await finite.locator('.comparison-says', { hasText: text }).waitFor();
      }
    };
    const choose = (name) => finite.getByRole('radio', { name, exact: true }).check();
    // −10⁹ is no number of float16: −∞ four times, and no largest score.
    await choose('float16');
    await says('−10⁹ is beyond float16', 'weights are NaN');
    assert.deepEqual((await matrix(finite, 0))[1], ['−∞', '−∞', '−∞', '−∞']);
    assert.deepEqual((await matrix(finite, 1))[1], ['NaN', 'NaN', 'NaN', 'NaN']);
    assert.deepEqual((await matrix(finite, 3))[1], ['0', '0', '0', '0']);
    await choose('keys 1 and 2');
    await says('has become −∞', 'the two agree');
    // −10⁴ is one, 8 apart from its neighbours: the scores drown in it as in −10⁹ elsewhere.
    await choose('nothing');
    await choose('−10⁴');
    await says('They differ');
    assert.deepEqual((await matrix(finite, 1))[1], ['0.25', '0.25', '0.25', '0.25']);
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
      /The mask is 2×4, which is what a padding mask \[B, S\] looks like/,
    );
  });
});

test('mask order: a division brings back no row that a forbidden score has ruined', async () => {
  const ready = (page) => page.locator('attention-mask-order[data-live]').waitFor();
  for (const [language, lost] of [
    ['en', /Row 1 is lost: (what query 1|softmax adds up)/],
    ['zh', /第 1 行救不回来：(置零之前|softmax 要把整行)/],
  ]) {
    const found = [];
    await onPage(
      `${language}/?embed=1&figure=mask-order`,
      async (page) => {
        const order = page.locator('attention-mask-order');
        const says = order.locator('.comparison-says');
        // The root of the question is of its text, not one more answer in a frame.
        const parts = await order
          .locator('.choice-of legend span')
          .evaluateAll((all) => all.map((part) => getComputedStyle(part).display));
        assert.deepEqual([...new Set(parts)], ['inline']);
        assert.doesNotMatch(await says.innerText(), lost);
        for (const [added, score, sum, zeroed] of [
          ['2,000', '2e3', '0', '0.00'],
          ['NaN', 'NaN', 'NaN', 'NaN'],
        ]) {
          await order.getByRole('radio', { name: added }).check();
          await says.filter({ hasText: lost }).waitFor();
          found.push((await says.innerText()).match(lost)[1]);
          assert.match(await says.innerText(), new RegExp(`${sum}, 0\\.5085, 0\\.8991`));
          assert.equal((await matrix(order, 0))[0][3], score);
          near(await matrix(order, 1), seed.six_step.weights_causal, 'masked first');
          assert.deepEqual((await matrix(order, 2))[0], [zeroed, '0', '0', '0']);
          assert.deepEqual((await matrix(order, 3))[0], Array(4).fill('NaN'));
          const inspector = await order.locator('.inspector dl').innerText();
          assert.match(inspector.replace(/\s+/g, ' '), new RegExp(`÷ ${sum} = NaN$`));
        }
        assert.equal(new Set(found).size, 2, 'each way has its reason');
      },
      { ready },
    );
  }
});
