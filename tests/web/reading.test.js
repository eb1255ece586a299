// What helps to find one's way on a long page and a small screen: the bar with the contents stays at
// the top, and a cell's sum at the lower edge.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages, onPage } from './browser.js';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const isInView = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight + 1 && bottom > top;
  });

for (const language of languages) {
  test(`the contents stay in sight, name the section and are put away once used, ${language}`, async () => {
    await onPage(
      `${language}/`,
      async (page) => {
        const contents = page.locator('.contents');
        const summary = contents.locator('summary');
        assert.equal(await isInView(summary), true);
        await summary.tap();
        const link = contents.locator('a[href="#cost"]');
        const name = await link.textContent();
        await link.tap();
        await page.waitForFunction(
          (name) => document.querySelector('.here').textContent === name,
          name,
        );
        assert.equal(await contents.getAttribute('open'), null);
        assert.equal(await link.getAttribute('aria-current'), 'true');
        assert.equal(await isInView(summary), true);
        assert.equal(await contents.locator('[aria-current]').count(), 1);
        // The title that was jumped to is not under the bar.
        const below = await page.evaluate(
          () =>
            document.querySelector('#cost-title').getBoundingClientRect().top -
            document.querySelector('.top').getBoundingClientRect().bottom,
        );
        assert.ok(below >= 0, `${below}`);
        await summary.tap();
        await page.keyboard.press('Escape');
        assert.equal(await contents.getAttribute('open'), null);
      },
      phone,
    );
  });
}

test('on a phone the sum of the cell that was tapped is in sight, and is read out once', async () => {
  await onPage(
    'en/',
    async (page) => {
      const figure = page.locator('attention-alignment');
      await figure.scrollIntoViewIfNeeded();
      const cell = figure.locator('[role="grid"] [role="gridcell"]').first();
      await cell.tap();
      const sum = figure.locator('.own-sum');
      assert.equal(await isInView(sum), true);
      assert.equal(await isInView(figure.locator('.inspector')), false);
      const last = figure.locator('.inspector [data-main]').last();
      const words = (text) => text.replaceAll(/\s+/g, '');
      assert.equal(words(await sum.textContent()), words(await last.textContent()));
      assert.equal(await sum.getAttribute('aria-hidden'), 'true');
      assert.notEqual(await last.evaluate((each) => getComputedStyle(each).display), 'none');
      await page.setViewportSize({ width: 1440, height: 1000 });
      assert.equal(await sum.isVisible(), false);
    },
    phone,
  );
});
