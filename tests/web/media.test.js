// What a reader asks of the page through their system: less motion, more contrast, their own colours,
// or paper.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, figureNames, onPage } from './browser.js';

/** How many animations run, in the page and inside its figures. */
const moving = (page) =>
  page.evaluate(() => {
    const roots = [...document.querySelectorAll('[data-figure]')].map(
      ({ shadowRoot }) => shadowRoot,
    );
    const running = [document, ...roots].flatMap((root) => root?.getAnimations() ?? []);
    return new Set(running).size;
  });

test('nothing moves when the reader wants no motion', async () => {
  for (const reducedMotion of ['no-preference', 'reduce']) {
    await onPage(
      'en/#s=6',
      async (page) => {
        await page.mouse.move(0, 0);
        let most = 0;
        for (const column of [0, 1, 2]) {
          await cell(page, 'output', 0, column).hover();
          most = Math.max(most, await moving(page));
        }
        // With motion there is something to see: the test would notice it.
        if (reducedMotion === 'no-preference') return assert.ok(most > 0);
        assert.equal(most, 0, 'pointing at a cell');
        for (const name of figureNames) {
          const figure = page.locator(name);
          await figure.scrollIntoViewIfNeeded();
          await page.locator(`${name}[data-live]`).waitFor({ state: 'attached' });
          const button = figure.locator('button:enabled:not([aria-disabled=true]):visible').first();
          if (await button.count()) await button.click();
          assert.equal(await moving(page), 0, name);
        }
      },
      { reducedMotion },
    );
  }
});

test('with forced colours, hatching and edges stay, in the system’s colours', async () => {
  await onPage(
    'en/#s=6&p=o.2.1',
    async (page) => {
      const look = (element) => {
        const style = getComputedStyle(element);
        const edge = getComputedStyle(element, '::after');
        return {
          hatched: style.backgroundImage !== 'none',
          colors: [style.color, style.backgroundColor],
          edge: parseFloat(edge.borderTopWidth) > 0 && edge.borderTopColor,
        };
      };
      const system = await page.evaluate(() => {
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.cssText = 'color: CanvasText; background: Canvas; forced-color-adjust: none';
        const { color, backgroundColor } = getComputedStyle(probe);
        return [color, backgroundColor];
      });
      const masked = await cell(page, 'masked', 1, 2).evaluate(look);
      assert.equal(masked.hatched, true);
      const operand = await cell(page, 'value', 0, 0).evaluate(look);
      assert.deepEqual(operand.colors, system);
      assert.equal(operand.edge, system[0]);
    },
    { forcedColors: 'active' },
  );
});

test('with forced colours, what is chosen and what cannot be pressed is told apart', async () => {
  await onPage(
    'en/',
    async (page) => {
      const styleOf = (locator, name) =>
        locator.first().evaluate((element, name) => getComputedStyle(element)[name], name);
      const grey = await page.evaluate(() => {
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.cssText = 'color: GrayText; forced-color-adjust: none';
        return getComputedStyle(probe).color;
      });
      for (const name of ['shape-flow', 'workbench']) {
        await page.locator(`attention-${name}`).scrollIntoViewIfNeeded();
        await page.locator(`attention-${name}[data-live]`).waitFor();
      }
      const box = (pressed) => page.locator(`attention-shape-flow .box[aria-pressed="${pressed}"]`);
      assert.equal(await styleOf(box('true'), 'outlineStyle'), 'solid');
      assert.equal(await styleOf(box('false'), 'outlineStyle'), 'none');
      const buttons = page.locator('attention-stepper .moves button');
      assert.equal(
        await styleOf(buttons.and(page.locator('[aria-disabled="true"]')), 'color'),
        grey,
      );
      assert.notEqual(await styleOf(buttons.and(page.locator('.primary')), 'color'), grey);
      // A line that means nothing now is not there.
      const shown = page.locator('attention-workbench .bench-shown:not([data-stale])');
      assert.equal(await styleOf(shown, 'borderLeftStyle'), 'none');
    },
    { forcedColors: 'active' },
  );
});

test('a wish for more contrast darkens what is quiet, in the page and in its figures', async () => {
  const quiet = async (contrast) => {
    let colors;
    await onPage(
      'en/',
      async (page) => {
        const color = (name) =>
          page
            .locator(name)
            .first()
            .evaluate((element) => getComputedStyle(element).color);
        colors = [await color('body > footer'), await color('attention-stepper .shape')];
      },
      { contrast },
    );
    return colors;
  };
  const [usual, more] = [await quiet('no-preference'), await quiet('more')];
  usual.forEach((color, index) => assert.notEqual(more[index], color));
});

test('on paper: the figure as it stands, no controls, and on white from the dark theme too', async () => {
  await onPage(
    'en/#s=6',
    async (page) => {
      const paper = () =>
        page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await paper();
      await page.locator('#theme').selectOption('dark');
      assert.notEqual(await paper(), light);
      for (const name of ['retrieval', 'scaling-lab']) {
        await page.locator(`attention-${name}`).scrollIntoViewIfNeeded();
        await page.locator(`attention-${name}[data-live]`).waitFor();
      }
      const change = page.locator('attention-retrieval .whose button');
      assert.equal(await change.isVisible(), true);
      await page.emulateMedia({ media: 'print' });
      assert.equal(await change.isVisible(), false);
      const bar = page.locator('attention-scaling-lab .bar').first();
      const inkOf = (element) => getComputedStyle(element).printColorAdjust;
      assert.equal(await bar.evaluate(inkOf), 'exact', 'a bar is ink, not a background');
      assert.equal(await paper(), light);
      assert.equal((await cell(page, 'output', 3, 1).innerText()).trim(), '−0.12');
      for (const answer of ['.card p', '.answer p', '.bug .asked']) {
        const sides = await page.locator(answer).first().boundingBox();
        assert.ok(sides?.height > 10, `${answer} is on paper`);
      }
      for (const control of ['.rail', '.tools', '.switch', '.inspector', '.export']) {
        const shown = page.locator(`attention-stepper ${control}:visible`);
        assert.equal(await shown.count(), 0, control);
      }
    },
    { colorScheme: 'light' },
  );
});
