// Two vectors that are dragged: what the pointer does to the picture.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';

test('dot product: a tip that is dragged moves its vector and covers nothing', async () => {
  await onPage('en/', async (page) => {
    const figure = page.locator('attention-dot-product');
    await figure.scrollIntoViewIfNeeded();
    await page.locator('attention-dot-product[data-live]').waitFor();
    const tip = figure.locator('.tip').last();
    const { x, y, width, height } = await tip.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    // A ring as thick as the keyboard's: a few pixels, not a few units of the plane.
    const look = () =>
      tip.evaluate((circle) => {
        const { outlineStyle, strokeWidth } = getComputedStyle(circle);
        const scale = circle.ownerSVGElement.getScreenCTM().a;
        return [outlineStyle, parseFloat(strokeWidth) * scale < 5];
      });
    assert.deepEqual(await look(), ['none', true]);
    const plane = await figure.locator('svg').boundingBox();
    const unit = plane.width / 8.8;
    await page.mouse.move(plane.x + 6.4 * unit, plane.y + 2.4 * unit, { steps: 3 });
    await page.mouse.up();
    assert.deepEqual(await look(), ['none', true]);
    assert.match(await tip.getAttribute('aria-label'), /q.*2.*2/);
    assert.match(await figure.locator('dl b').innerText(), /^12/);
  });
});

test('dot product: only the main button and a finger on a tip drag; elsewhere a finger scrolls', async () => {
  const ready = (page) => page.locator('attention-dot-product[data-live]').waitFor();
  await onPage(
    'en/?embed=1&figure=dot-product',
    async (page) => {
      const tip = page.locator('.tip').last();
      const middleOf = async () => {
        const { x, y, width, height } = await tip.boundingBox();
        return { x: x + width / 2, y: y + height / 2 };
      };
      const place = () => tip.getAttribute('aria-label');
      const [{ x, y }, home] = [await middleOf(), await place()];
      for (const button of ['right', 'middle']) {
        await page.mouse.move(x, y);
        await page.mouse.down({ button });
        await page.mouse.move(x - 40, y + 40, { steps: 3 });
        await page.mouse.up({ button });
        assert.equal(await place(), home, button);
      }
      const finger = await page.context().newCDPSession(page);
      const swipe = async (from, by) => {
        const at = (part) => [{ x: from.x, y: from.y + by * part }];
        const send = (type, touchPoints) =>
          finger.send('Input.dispatchTouchEvent', { type, touchPoints });
        await send('touchStart', at(0));
        for (const part of [0.2, 0.4, 0.6, 0.8, 1]) await send('touchMove', at(part));
        await send('touchEnd', []);
        await page.waitForTimeout(300);
      };
      const scrolled = () => page.evaluate(() => scrollY);
      await swipe({ x, y }, 60);
      assert.notEqual(await place(), home);
      assert.equal(await scrolled(), 0);
      const moved = await place();
      const plane = await page.locator('.dot svg').boundingBox();
      await swipe({ x: plane.x + 12, y: plane.y + plane.height - 12 }, -200);
      assert.equal(await place(), moved);
      await page.waitForFunction(() => scrollY > 50);
    },
    { viewport: { width: 390, height: 600 }, hasTouch: true, isMobile: true, ready },
  );
});
