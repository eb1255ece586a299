// The edges and the lettering around cells: seen on every tint, and in nobody's way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
import { at, wake } from './marks.js';

test('a line of the surface parts an edge from the tint below it, on the sides where there is one', async () => {
  await onPage('en/#s=6&p=w.1.1', async (page) => {
    const stepper = page.locator('attention-stepper');
    const surface = await stepper.evaluate((host) => {
      const probe = host.shadowRoot.appendChild(document.createElement('i'));
      probe.style.color = 'var(--surface)';
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    });
    /** Of each side: whether it has an edge, and a line inside of it. */
    const sides = (name) =>
      at(stepper, name).evaluate((cell, color) => {
        const style = getComputedStyle(cell, '::after');
        const lines = style.boxShadow.split(/,(?![^(]*\))/).map((shadow) => {
          const [x, y] = shadow
            .replace(color, '')
            .match(/-?[\d.]+px/g)
            .map(parseFloat);
          return [shadow.includes(color), x, y];
        });
        const has = (dx, dy) => lines.some(([is, x, y]) => is && x === dx && y === dy);
        const edge = (side) => parseFloat(style[`border${side}Width`]) > 0;
        return [
          [edge('Top'), has(0, 1)],
          [edge('Right'), has(-1, 0)],
          [edge('Bottom'), has(0, -1)],
          [edge('Left'), has(1, 0)],
        ];
      }, surface);
    const all = [true, true];
    const none = [false, false];
    assert.deepEqual(await sides('weights 0 0'), [all, all, all, all]);
    // Three cells in one outline.
    assert.deepEqual(await sides('query 0 0'), [all, none, all, all]);
    assert.deepEqual(await sides('query 0 1'), [all, none, all, none]);
  });
});

test('the ring of the focus stays inside its cell', async () => {
  await onPage('en/#s=6', async (page) => {
    await at(page.locator('attention-stepper'), 'weights 0 0').focus();
    await page.keyboard.press('ArrowRight');
    const cell = at(page.locator('attention-stepper'), 'weights 0 1');
    const { width, offset } = await cell.evaluate((element) => {
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(element);
      const width = outlineStyle === 'none' ? 0 : parseFloat(outlineWidth);
      return { width, offset: parseFloat(outlineOffset) };
    });
    assert.ok(width >= 2, 'there is one');
    assert.ok(width + offset <= 0, `${width} px, ${offset} px outwards`);
  });
});

test('an allowed pair is plain: what is grey or hatched is not', async () => {
  await onPage('en/', async (page) => {
    for (const name of ['mask-painter', 'polarity']) {
      const figure = await wake(page, name);
      const grounds = await figure
        .locator('.paint td.cell:not([data-cause])')
        .evaluateAll((cells) => [
          ...new Set(cells.map((cell) => getComputedStyle(cell).backgroundColor)),
        ]);
      assert.equal(grounds.length, 1, name);
      const surface = await figure
        .locator('td[data-cause]')
        .first()
        .evaluate((cell) => getComputedStyle(cell).backgroundColor);
      assert.equal(grounds[0], surface, name);
    }
  });
});

test('no index at a matrix is smaller than 11 px', async () => {
  await onPage('en/', async (page) => {
    for (const name of ['stepper', 'mask-painter', 'projection']) {
      const figure = await wake(page, name);
      const sizes = await figure
        .locator('th :is(sub, sup), dt :is(sub, sup), dd :is(sub, sup)')
        .evaluateAll((all) =>
          all
            .map((each) => parseFloat(getComputedStyle(each).fontSize))
            // Where Q serves the whole line, the other heads are there to be read out.
            .filter((size) => size > 0),
        );
      assert.ok(sizes.length > 0 && Math.min(...sizes) >= 11, `${name}: ${Math.min(...sizes)} px`);
    }
  });
});
