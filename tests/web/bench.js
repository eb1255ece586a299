// The workbench in a browser, and files to give it.
import { readFile } from 'node:fs/promises';
import { load, tensor, toNested } from 'attention-wasm';
import { onPage } from './browser.js';
import { npy } from './tensor-files.js';

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

/** The example's steps for these options, as the library gives them. */
export async function stepsFor(options) {
  const attention = await load({ threads: 1 });
  const [query, key, value] = [seed.Q, seed.K, seed.V].map((rows) => tensor(rows, 'float32'));
  const { steps } = attention.explain(query, key, value, options);
  attention.dispose();
  return (name) =>
    toNested(steps[name]).map((row) => row.map((x) => cellNumber(x).replace('-', '−')));
}
/** Cells as plain numbers of two decimals: a masked weight is shown as 0, a tiny one as less. */
export const rounded = (rows) =>
  rows.map((row) => row.map((text) => (/^(0|<0\.005)$/.test(text) ? '0.00' : text)));
export const cellNumber = (x) => (x === -Infinity ? '−∞' : x.toFixed(2).replace('-0.00', '0.00'));

/** Q, K and V of so many tokens. */
export function three(tokens, width = 32) {
  const tensor = (name, phase) => {
    const numbers = Float32Array.from({ length: tokens * width }, (_, at) => Math.sin(at * phase));
    return file(`${name}.npy`, npy('<f4', [tokens, width], Buffer.from(numbers.buffer)));
  };
  return [tensor('q', 0.37), tensor('k', 0.11), tensor('v', 0.23)];
}
