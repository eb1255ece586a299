// What helps to find one's way on a long page and a small screen: the bar with the contents stays at
// the top, and a cell's sum at the lower edge.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alive, languages, onPage } from './browser.js';

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

/** The last figure of the section before #cost, less than a screen above it, runs. */
const live = (page) =>
  page.locator('attention-alignment[data-live]').waitFor({ state: 'attached' });

for (const [language, way] of [
  ['zh', 'by the contents'],
  ['en', 'by a link from elsewhere'],
]) {
  test(`a jump stays where it landed while figures above it grow, ${way}`, async () => {
    await onPage(
      way === 'by the contents' ? `${language}/` : `${language}/#cost`,
      async (page) => {
        if (way === 'by the contents') {
          await alive(page);
          await page.locator('.contents summary').tap();
          await page.locator('.contents a[href="#cost"]').tap();
        }
        await live(page);
        await page.waitForTimeout(500);
        // Between a figure's growth and the frame that shows it, it is elsewhere.
        await page.waitForFunction(() => {
          const { scrollPaddingTop } = getComputedStyle(document.documentElement);
          const { top } = document.querySelector('#cost').getBoundingClientRect();
          return Math.abs(top - parseFloat(scrollPaddingTop)) < 1;
        });
        // Until the reader scrolls, though no key, wheel or finger is told of, as at the bar at the
        // edge: what grows then does not bring the page back.
        const isFar = () => document.querySelector('#cost').getBoundingClientRect().top > 2000;
        await page.evaluate(async () => {
          const scrolled = new Promise((is) => addEventListener('scroll', is, { once: true }));
          scrollBy(0, -2500);
          await scrolled;
        });
        await page.locator('#alignment').evaluate((section) => {
          section.style.paddingBottom = '1000px';
        });
        await page.waitForTimeout(300);
        assert.equal(await page.evaluate(isFar), true);
      },
      { ...phone, ready: () => {} },
    );
  });
}

test('on a phone the title stands clear of the bar', () =>
  onPage(
    'en/',
    async (page) => {
      const bar = await page.locator('.top').boundingBox();
      const title = await page.locator('h1').boundingBox();
      assert.ok(title.y - bar.y - bar.height >= 12);
    },
    phone,
  ));

for (const language of languages) {
  test(`on a phone every cell of a table of words has a line of its own, ${language}`, async () => {
    await onPage(
      `${language}/`,
      async (page) => {
        const rows = await page.locator('.stacked tbody tr').evaluateAll((all) =>
          all.map((row) => {
            const cells = [...row.cells].filter((cell) => cell.checkVisibility());
            const boxes = cells.map((cell) => cell.getBoundingClientRect());
            return boxes.every(({ left, top }, at) => {
              const above = boxes[at - 1];
              return left === boxes[0].left && (!above || top >= above.bottom);
            });
          }),
        );
        assert.ok(rows.length > 40);
        assert.ok(rows.every(Boolean));
      },
      phone,
    );
  });
}

// Upright and held sideways, where it is wider but low.
for (const [width, height] of [
  [390, 844],
  [844, 390],
  [667, 375],
]) {
  test(`on a phone of ${width} × ${height} the sum of the cell that was tapped is in sight, and is read out once`, async () => {
    await onPage(
      'en/',
      async (page) => {
        const figure = page.locator('attention-alignment');
        await figure.scrollIntoViewIfNeeded();
        const cell = figure.locator('[role="grid"] [role="gridcell"]').first();
        await cell.tap();
        const sum = figure.locator('.own-sum');
        assert.equal(await isInView(sum), true);
        const [top, bottom] = await sum.evaluate((each) => {
          const box = each.getBoundingClientRect();
          return [box.top, box.bottom];
        });
        if (height < 400) assert.ok(bottom - top <= 66, 'no more than two lines');
        assert.equal(await isInView(figure.locator('.inspector')), false);
        const last = figure.locator('.inspector [data-main]').last();
        const words = (text) => text.replaceAll(/\s+/g, '');
        assert.equal(words(await sum.textContent()), words(await last.textContent()));
        assert.equal(await sum.getAttribute('aria-hidden'), 'true');
        assert.notEqual(await last.evaluate((each) => getComputedStyle(each).display), 'none');
        await page.setViewportSize({ width: 1440, height: 1000 });
        assert.equal(await sum.isVisible(), false);
      },
      { ...phone, viewport: { width, height } },
    );
  });
}
