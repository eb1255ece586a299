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
