// What the tests of single figures have in common.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const readJSON = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
export const seed = await readJSON('../vectors/seed-values.json');

export const figure = (page, name) => page.locator(`attention-${name}`);
export const wake = async (page, name) => {
  await figure(page, name).scrollIntoViewIfNeeded();
  await page.locator(`attention-${name}[data-live]`).waitFor({ state: 'attached' });
  // What it computes in turns of the page is there.
  await figure(page, name).locator('[aria-busy="true"]').waitFor({ state: 'detached' });
  return figure(page, name);
};
/** The cells of the figure's nth matrix, as they read. */
export const matrix = async (within, index) =>
  within
    .locator('.matrix table')
    .nth(index)
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('td.cell')].map((cell) => cell.textContent.trim()),
      ),
    );
export const near = (texts, numbers, what) =>
  numbers.forEach((row, i) =>
    row.forEach((x, j) => {
      const shown = texts[i][j] === '<0.005' ? 0.0025 : Number(texts[i][j].replace('−', '-'));
      assert.ok(
        Math.abs(shown - x) <= 0.00501,
        `${what} ${i + 1},${j + 1}: ${texts[i][j]} for ${x}`,
      );
    }),
  );
