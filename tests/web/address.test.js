// The page's address says what it shows, also in a browser that takes few changes at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, onPage } from './browser.js';

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
    const before = await page.evaluate(() => location.href);
    await page.locator('attention-stepper').getByRole('button', { name: 'Next' }).click();
    await cell(page, 'scores', 0, 1).click();
    assert.equal(await page.evaluate(() => location.href), before);
    await page.waitForFunction((url) => location.href !== url, before);

    // Both changes are in it, and Back undoes the step.
    const shown = await page.evaluate(() => location.href);
    await page.reload();
    await page.locator('attention-stepper[data-live]').waitFor();
    assert.equal(await page.evaluate(() => location.href), shown);
    await cell(page, 'scores', 0, 1).and(page.locator('[data-pinned]')).waitFor();
    await page.goBack();
    await page.waitForFunction((url) => location.href === url, before);
  }));
