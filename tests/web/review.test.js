// Quiz, bug gallery, the two tests and the goals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages, onPage } from './browser.js';
import { matrix, wake } from './figures.js';

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

/** A link with every case open. */
const allOpen = (of = '') =>
  `${of}bug.rows=${Array.from({ length: 12 }, (_, at) => at + 1).join('.')}`;

test('bug gallery: each case shows its own numbers', async () => {
  await onPage(`en/#${allOpen()}`, async (page) => {
    const gallery = await wake(page, 'bug-gallery');
    assert.equal(await gallery.locator('.bug[open]').count(), 12);
    assert.equal(await gallery.locator('.case > [data-place] .matrix').count(), 13);
    const rowOf = async (id, row) => (await matrix(gallery.locator(`[data-id="${id}"]`), 0))[row];
    assert.deepEqual(await rowOf('additive-zero-one', 0), ['0.44', '0.28', '0.14', '0.14']);
    assert.deepEqual(await rowOf('no-scaling', 3), ['0.29', '0.53', '0.05', '0.12']);
    assert.deepEqual(await rowOf('finite-minus-infinity', 1), ['0.25', '0.25', '0.25', '0.25']);
    const columns = gallery.locator('[data-id="softmax-columns"] .case > [data-place]');
    assert.deepEqual(await columns.locator('td.sum').allInnerTexts(), [
      '0.94',
      '1.26',
      '0.86',
      '0.94',
    ]);
    // A cell says its sum when it is pointed at, and nothing moves; when it is kept, all of it: here
    // down its column.
    const cell = columns.locator('td.cell').nth(6);
    const below = gallery.locator('[data-id="square-assumption"]');
    await cell.scrollIntoViewIfNeeded();
    const place = await below.boundingBox();
    await cell.hover();
    await columns.locator('.looked', { hasText: '1.0000 ÷ 2.5719 ≈ 0.3888' }).waitFor();
    assert.deepEqual(await below.boundingBox(), place);
    await page.mouse.move(0, 0);
    await columns.locator('.looked', { hasText: '÷' }).waitFor({ state: 'detached' });
    assert.match(
      await cell.getAttribute('aria-label'),
      /^Case 2, what it gives, query 2, key 3, 0\.39$/,
    );
    await cell.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await columns.locator('.inspector').waitFor();
    const lines = await columns.locator('.inspector dd').allInnerTexts();
    assert.match(lines[0], /= −0\.1238$/);
    assert.match(lines[2], /^max\(−0\.3716, −0\.0715, −1\.0749, −0\.8381\)/);
    assert.match(lines.at(-1), /1\.0000 ÷ 2\.5719 ≈ 0\.3888$/);
    assert.equal(await columns.locator('.inspector dd').last().isVisible(), true);
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
    // The mask as it was given, and each query with as many keys as its row of it leaves.
    const spread = gallery.locator('[data-id="padding-broadcast"]');
    const given = spread.locator('.given');
    assert.match(await given.innerText(), /3×4/);
    assert.deepEqual(await given.locator('td.cell').allInnerTexts(), [...'000101110011']);
    const readBy = (row) => row.filter((text) => text !== '0').length;
    assert.deepEqual((await matrix(spread, 0)).map(readBy), [3, 1, 2]);
    assert.deepEqual((await matrix(spread, 1)).map(readBy), [3, 3, 3]);
  });
});

test('bug gallery: a cell that a link keeps is in sight, and cells stay where they are', async () => {
  await onPage('en/#bug.pin=softmax-columns.2.3', async (page) => {
    const gallery = await wake(page, 'bug-gallery');
    const kept = gallery.locator('[data-pinned], td[aria-selected="true"]').first();
    await kept.waitFor();
    assert.equal(
      await gallery.locator('[data-id="softmax-columns"]').evaluate(({ open }) => open),
      true,
    );
  });
  for (const width of [320, 390, 480, 600, 768, 1440]) {
    const settings = { viewport: { width, height: 844 }, hasTouch: true };
    await onPage(
      'en/#bug.rows=5',
      async (page) => {
        const gallery = await wake(page, 'bug-gallery');
        const cells = gallery.locator('[data-id="weights-as-reasons"] td[data-stage$="-2"]');
        assert.equal(await cells.count(), 2);
        for (const cell of await cells.all()) {
          await cell.scrollIntoViewIfNeeded();
          const before = await cell.boundingBox();
          await cell.tap();
          await page.waitForURL(/bug\.pin=weights-as-reasons-2/);
          assert.deepEqual(await cell.boundingBox(), before, `${width} px`);
        }
      },
      settings,
    );
  }
});

for (const language of languages) {
  test(`bug gallery: a diagnosis is judged, and revealed when it is right: ${language}`, async () => {
    await onPage(`${language}/#${allOpen()}`, async (page) => {
      const gallery = await wake(page, 'bug-gallery');
      for (const bug of await gallery.locator('.bug').all()) {
        const answer = bug.locator('.diagnosis');
        const isOpen = () => answer.evaluate(({ open }) => open);
        const suspects = bug.locator('.choices > li');
        const right = await suspects.evaluateAll((all) =>
          all.map(({ dataset }) => dataset.right === 'true'),
        );
        assert.equal(right.filter(Boolean).length, 1);
        assert.ok(right.length >= 3);
        assert.equal(await bug.locator('.feedback:visible').count(), 0);
        const wrong = suspects.nth(right.indexOf(false));
        await wrong.getByRole('radio').press('Enter');
        assert.match(await wrong.locator('.feedback').innerText(), /^✗ \S.{15}/);
        assert.equal(await isOpen(), false);
        await suspects.nth(right.indexOf(true)).getByRole('radio').press('Space');
        assert.match(await bug.locator('.feedback:visible').innerText(), /^✓ \S.{8}/);
        assert.equal(await isOpen(), true);
        assert.equal(await bug.getByRole('radio', { checked: true }).count(), 1);
      }
      await page.waitForURL(/bug\.open=1(\.\d+){11}(&|$)/);
      const chosen = new URL(page.url()).hash.match(/bug\.chosen=([\d.]+)/)[1];
      // Back in the same state from the link, and in the other language.
      await page.reload();
      const again = await wake(page, 'bug-gallery');
      const found = again.locator('.choices > li[data-chosen="right"]');
      await found.nth(11).waitFor();
      assert.equal(await again.locator('.diagnosis[open]').count(), 12);
      await page
        .getByRole('link', { name: language === 'en' ? '中文' : 'English' })
        .first()
        .click();
      await page.waitForURL(new RegExp(`/${language === 'en' ? 'zh' : 'en'}/`));
      await wake(page, 'bug-gallery');
      await page.locator('.bug li[data-chosen="right"]').nth(11).waitFor();
      assert.match(page.url(), new RegExp(chosen.replaceAll('.', '\\.')));
    });
  });
}

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
