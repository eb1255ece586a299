// Quiz, bug gallery, the two tests and the goals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
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
