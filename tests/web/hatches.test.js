// The hatch of a cell names the rule that forbids it: each rule its own, the same in every matrix, and
// dark enough to be seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
import { at, wake } from './marks.js';

/** The angles of the lines on each cell, by its place in its matrix. */
const angles = (cells) =>
  cells.evaluateAll((all) =>
    Object.fromEntries(
      all.map((cell) => {
        const { backgroundImage } = getComputedStyle(cell);
        const found = [...backgroundImage.matchAll(/repeating-linear-gradient\((?:(-?\d+)deg)?/g)];
        const { row, column, cause } = cell.dataset;
        return [row ? `${row} ${column}` : cause, found.map(([, angle = '180']) => angle).join()];
      }),
    ),
  );

test('every rule is hatched in a way of its own, and the weights as the mask', async () => {
  await onPage('en/', async (page) => {
    const painter = await wake(page, 'mask-painter');
    const legend = Object.values(await angles(painter.locator('.hatches .cell')));
    assert.equal(legend.length, 6);
    assert.equal(new Set(legend).size, 6, legend.join(' | '));
    // Only what is on is read; for the rest there is room, so that nothing moves.
    const key = painter.locator('.hatches');
    const rules = async () => (await key.innerText()).replace(/\s+/g, ' ').trim();
    assert.match(
      await rules(),
      /^Hatched .* by the causal rule the padding rule several, or paint$/,
    );
    const { height } = await key.boundingBox();
    await painter.getByRole('switch', { name: 'padding' }).click();
    assert.match(await rules(), /by the causal rule$/);
    await painter.getByRole('switch', { name: 'causal' }).click();
    assert.equal(await key.isVisible(), false);
    assert.equal((await key.boundingBox()).height, height);
    await painter.locator('td[data-stage="mask"]').first().click();
    assert.match(await rules(), /by several, or paint$/);
    await page.evaluate(() => (location.hash = ''));
    await painter.getByText('the padding rule').waitFor();
    const [mask, weights] = await Promise.all(
      ['mask', 'weights'].map((stage) => angles(painter.locator(`td[data-stage="${stage}"]`))),
    );
    assert.deepEqual(weights, mask);
    // Causal and padding, padding alone, causal alone, neither.
    assert.deepEqual(
      ['0 5', '5 5', '0 1', '0 0'].map((place) => mask[place]),
      ['45,-45', '-45', '45', ''],
    );
    const finite = await wake(page, 'finite-mask');
    const ofMasked = (what) => angles(finite.locator(`td[data-stage="masked${what}"]`));
    assert.deepEqual(await ofMasked('Weights'), await ofMasked('Scores'));
  });
});

/** Colours of the lines on a cell, and of what they are drawn on. */
const colors = (cell) =>
  cell.evaluate((element) => {
    const { backgroundImage, backgroundColor } = getComputedStyle(element);
    const canvas = document.createElement('canvas').getContext('2d', {
      willReadFrequently: true,
    });
    const pixel = (css) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = css;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const found = backgroundImage.match(/(?:rgba?|color)\([^()]*\)/g).map(pixel);
    return { lines: found.filter(([, , , alpha]) => alpha > 0), below: pixel(backgroundColor) };
  });
const luminance = (rgb) =>
  rgb
    .slice(0, 3)
    .map((part) => part / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, channel) => sum + x * [0.2126, 0.7152, 0.0722][channel], 0);

for (const colorScheme of ['light', 'dark']) {
  test(`in the ${colorScheme} theme a hatch is seen: 2:1 at least, in the mask, the weights and the legend`, async () => {
    await onPage(
      'en/#s=6',
      async (page) => {
        const stepper = page.locator('attention-stepper');
        const cells = [
          at(stepper, 'masked 0 1'),
          at(stepper, 'weights 0 1'),
          stepper.locator('.hatches .cell'),
        ];
        for (const cell of cells) {
          const { lines, below } = await colors(cell);
          assert.ok(lines.length > 0);
          for (const line of lines) {
            assert.equal(line[3], 255, 'opaque');
            const [low, high] = [luminance(line), luminance(below)].sort((a, b) => a - b);
            assert.ok((high + 0.05) / (low + 0.05) >= 2, `${line} on ${below}`);
          }
        }
      },
      { colorScheme },
    );
  });
}

test('what a later step brings is hatched too, and paler', async () => {
  await onPage('en/#s=1', async (page) => {
    const stepper = page.locator('attention-stepper');
    const { lines } = await colors(at(stepper, 'masked 0 1'));
    assert.ok(lines.length > 0 && lines.every(([, , , alpha]) => alpha < 255));
  });
});

test('a number larger than its tints reach is marked, and only such', async () => {
  await onPage('en/', async (page) => {
    const finite = await wake(page, 'finite-mask');
    const marked = await finite
      .locator('td[data-beyond]')
      .evaluateAll((cells) => cells.map((cell) => cell.textContent.trim()));
    assert.equal(marked.length, 8);
    assert.deepEqual([...new Set(marked)], ['−1e9']);
    assert.equal(await finite.locator('.hatches [data-beyond]').count(), 1);
    assert.equal(await page.locator('attention-stepper td[data-beyond]').count(), 0);
  });
});
