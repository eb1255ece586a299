// The hatch of a cell names the rule that forbids it: each rule its own, and the same in every matrix.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
import { wake } from './marks.js';

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
