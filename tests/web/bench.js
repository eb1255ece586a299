// The workbench in a browser, and files to give it.
import { readFile } from 'node:fs/promises';
import { onPage } from './browser.js';

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

export const bytesOf = (numbers, Type) => Buffer.from(Type.from(numbers).buffer);
export function npy(descr, shape, data, isFortran = false) {
  const text = `{'descr': '${descr}', 'fortran_order': ${isFortran ? 'True' : 'False'}, 'shape': (${shape.join(', ')},), }`;
  const header = Buffer.from(`${text}${' '.repeat(63 - ((10 + text.length) % 64))}\n`);
  const start = Buffer.from([
    0x93,
    ...Buffer.from('NUMPY'),
    1,
    0,
    header.length & 255,
    header.length >> 8,
  ]);
  return Buffer.concat([start, header, data]);
}
export function safetensors(tensors) {
  let at = 0;
  const table = {};
  for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
    table[name] = { dtype, shape, data_offsets: [at, (at += data.length)] };
  }
  const header = Buffer.from(JSON.stringify(table));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...Object.values(tensors).map(({ data }) => data)]);
}
export const file = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer });
