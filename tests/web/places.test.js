// Links lead to the place they were taken from: a figure's own, and the one to the other language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';

const permissions = ['clipboard-read', 'clipboard-write'];

/** Where an element stands in the window, from its top. */
const topOf = (page, selector) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);

/** Waits until an element stands just below the page's bar, where a jump puts it. */
const landed = (page, selector) =>
  page.waitForFunction((selector) => {
    const { top } = document.querySelector(selector).getBoundingClientRect();
    return top > 0 && top < innerHeight / 4;
  }, selector);

/** What the figure's menu copies. */
async function copied(page, name, what) {
  const menu = page.locator(`${name} .export`);
  await menu.locator('summary').click();
  await menu.getByRole('button', { name: what }).click();
  await menu.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

test('a link copied from a figure opens at that figure, in its state', async () => {
  for (const path of ['en/#drop.p=0.75', 'en/?embed=1&figure=dropout#drop.p=0.75']) {
    await onPage(
      path,
      async (page) => {
        await page.locator('attention-dropout').scrollIntoViewIfNeeded();
        const link = await copied(page, 'attention-dropout', 'Copy link');
        assert.match(link, /#figure-dropout&drop\.p=0\.75$/);
        await page.goto('about:blank');
        await page.goto(link);
        await landed(page, '#figure-dropout');
        await page.locator('attention-dropout[data-live]').waitFor();
        await landed(page, '#figure-dropout');
        assert.match(page.url(), /drop\.p=0\.75/);
      },
      { permissions, ready: (page) => page.locator('attention-dropout').waitFor() },
    );
  }
});

test('a frame is as high as what is in it', async () => {
  for (const name of ['stepper', 'goals', 'cost', 'dot-product']) {
    await onPage(
      'en/',
      async (page) => {
        const figure = page.locator(`attention-${name}`);
        await figure.scrollIntoViewIfNeeded();
        await page.locator(`attention-${name}[data-live]`).waitFor();
        const frame = await copied(page, `attention-${name}`, 'Copy frame for a page');
        const [, source, height] = /src="([^"]*)".* height="(\d+)"/.exec(frame);
        const { width } = await figure.boundingBox();
        await page.setViewportSize({ width: Math.round(width) + 48, height: 600 });
        await page.goto(source.replaceAll('&amp;', '&'));
        await page.locator(`attention-${name}[data-live]`).waitFor();
        await page.locator(`attention-${name} .export`).waitFor();
        const needed = await page.evaluate(() => document.body.getBoundingClientRect().height);
        assert.ok(Math.abs(needed - height) < 12, `${name}: ${height} for ${needed}`);
      },
      { permissions },
    );
  }
});

test('the other language opens where the reader is', async () => {
  await onPage('zh/', async (page) => {
    // Figures above it grow when they come to life.
    for (let still = 0; still < 3; ++still) {
      if ((await topOf(page, '#nan')) > 100) still = 0;
      await page.evaluate(() => document.querySelector('#nan').scrollIntoView());
      await page.waitForTimeout(400);
    }
    // A locator's click() would scroll the page to see the bar, which sticks to its top.
    const { x, y, width, height } = await page.locator('.other-language').boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.waitForURL(/\/en\/#nan$/);
    await landed(page, '#nan');
  });
});

test('goals ticked in two tabs are ticked in both', async () => {
  await onPage('en/', async (page) => {
    const other = await page.context().newPage();
    await other.goto(page.url());
    for (const tab of [page, other]) {
      await tab.locator('attention-goals').scrollIntoViewIfNeeded();
      await tab.locator('attention-goals input').first().waitFor();
    }
    const box = (tab, at) => tab.locator('attention-goals input').nth(at);
    await box(page, 0).check();
    await box(other, 1).check();
    for (const tab of [page, other]) {
      for (const at of [0, 1]) {
        await tab.waitForFunction(
          (at) => document.querySelectorAll('attention-goals input')[at].checked,
          at,
        );
      }
    }
    await other.reload();
    await other.locator('attention-goals').scrollIntoViewIfNeeded();
    await other.locator('attention-goals input').first().waitFor();
    assert.deepEqual(await Promise.all([0, 1, 2].map((at) => box(other, at).isChecked())), [
      true,
      true,
      false,
    ]);
  });
});
