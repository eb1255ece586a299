// What figures that are more than a first frame show where no script runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages, onPage } from './browser.js';

const withoutScript = { javaScriptEnabled: false };

for (const language of languages) {
  test(`the cases of the bug gallery show their numbers: ${language}`, () =>
    onPage(
      `${language}/`,
      async (page) => {
        for (const bug of await page.locator('.bug').all()) {
          if ((await bug.getAttribute('open')) === null)
            await bug.locator('summary').first().click();
          for (const suspect of await bug.locator('.choices li').all()) {
            await suspect.locator('summary').click();
            assert.match(await suspect.locator('.feedback').innerText(), /^[✓✗] ./);
          }
          const cells = await bug.locator('.case > [data-place] td.cell').allInnerTexts();
          assert.ok(cells.length >= 4, await bug.getAttribute('data-id'));
          const answer = bug.locator('.diagnosis [data-place]');
          assert.equal(await answer.isVisible(), false);
          await bug.locator('.diagnosis summary').click();
          assert.match(await answer.innerText(), /\d\.\d\d/);
        }
      },
      withoutScript,
    ));

  test(`each answer of the quiz opens its verdict: ${language}`, () =>
    onPage(
      `${language}/`,
      async (page) => {
        for (const choice of await page.locator('.quiz .choices li').all()) {
          const verdict = choice.locator('.feedback');
          assert.equal(await verdict.isVisible(), false);
          await choice.locator('summary').click();
          const sign = (await choice.getAttribute('data-right')) === 'true' ? '✓' : '✗';
          assert.equal((await verdict.innerText())[0], sign);
        }
      },
      withoutScript,
    ));

  test(`what the two tests say stands beside its sign: ${language}`, () =>
    onPage(
      `${language}/`,
      async (page) => {
        for (const line of await page.locator('.checks li').all()) {
          const [sign, text] = await line
            .locator('> span')
            .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect()));
          assert.ok(text.left >= sign.right, await line.innerText());
        }
      },
      { ...withoutScript, viewport: { width: 1240, height: 900 } },
    ));
}
