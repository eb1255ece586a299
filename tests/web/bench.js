// The workbench in a browser, and files to give it.
import { readFile } from 'node:fs/promises';
import { onPage } from './browser.js';

export { bytesOf, npy, safetensors } from './tensor-files.js';

export const vector = (name) => new URL(`../vectors/${name}`, import.meta.url);
export const seed = JSON.parse(await readFile(vector('seed-values.json'), 'utf8')).six_step;

export async function onBench(use, { state = '', language = 'en', ...settings } = {}) {
  await onPage(
    `${language}/${state}`,
    async (page) => {
      await page.locator('attention-workbench').scrollIntoViewIfNeeded();
      const bench = page.locator('attention-workbench');
      await bench.locator('.bench-facts').last().waitFor();
      const give = (...files) => bench.locator('input[type="file"]').setInputFiles(files);
      await use({ page, bench, give });
    },
    settings,
  );
}
export const type = async (bench, field, text) => {
  await bench.locator(`[data-field="${field}"] textarea`).fill(text);
};
export const says = (bench, text) => bench.getByText(text).first().waitFor();
export const cells = (bench, stage) =>
  bench
    .locator(`.matrix[data-stage="${stage}"] tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('.cell')].map((each) => each.textContent.trim())),
    );

export const file = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer });
