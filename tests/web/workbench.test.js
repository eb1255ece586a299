// The workbench: reading what people have, the stages, and where a result differs from another.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { zipSync } from 'fflate';
import { onPage } from './browser.js';

const seed = JSON.parse(
  await readFile(new URL('../vectors/seed-values.json', import.meta.url), 'utf8'),
).six_step;

async function onBench(use, settings) {
  await onPage(
    'en/',
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
const type = async (bench, field, text) => {
  await bench.locator(`[data-field="${field}"] textarea`).fill(text);
};
const says = (bench, text) => bench.getByText(text).first().waitFor();
const cells = (bench, stage) =>
  bench
    .locator(`.matrix[data-stage="${stage}"] tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('.cell')].map((each) => each.textContent.trim())),
    );

const bytesOf = (numbers, Type) => Buffer.from(Type.from(numbers).buffer);
function npy(descr, shape, data, isFortran = false) {
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
function safetensors(tensors) {
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
const file = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer });
const columnsOf = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));

test('workbench: text of every kind, and what is wrong with it, without losing anything', async () => {
  await onBench(async ({ bench }) => {
    assert.deepEqual((await cells(bench, 'weights'))[3], ['0.29', '0.42', '0.11', '0.18']);
    const rows = seed.V.map((row) => row.join('\t')).join('\n');
    await type(bench, 'value', rows);
    await says(bench, '4×3, text');
    await type(bench, 'query', `tensor([${seed.Q.map((row) => `[${row}]`)}], dtype=torch.float64)`);
    await says(bench.locator('[data-field="query"]'), '4×3, text');
    assert.deepEqual((await cells(bench, 'weights'))[3], ['0.29', '0.42', '0.11', '0.18']);
    await type(bench, 'query', '[[1, 2, 3], [4, 5]]');
    await bench.locator('[data-field="query"] [role="alert"]').waitFor();
    await type(bench, 'query', '[[1, two, 3]]');
    await says(bench, '“two” is not a number.');
    // What was there before still stands.
    await says(bench.locator('[data-field="query"]'), '4×3, text');
    assert.deepEqual((await cells(bench, 'weights'))[3], ['0.29', '0.42', '0.11', '0.18']);
    // What the library refuses is said in its words, and mends itself.
    await type(bench, 'query', '[[1, 2]]');
    await says(bench.locator('.bench-result [role="alert"]'), /key/);
    await type(bench, 'query', JSON.stringify(seed.Q));
    await bench.locator('.bench-facts').waitFor();
  });
});

test('workbench: .npy in both orders, .npz and .safetensors, and broken ones', async () => {
  await onBench(async ({ bench, give }) => {
    const flat = (rows) => rows.flat();
    await give(
      file('q.npy', npy('<f4', [4, 3], bytesOf(flat(seed.Q), Float32Array))),
      file('my_keys.npy', npy('<f8', [4, 3], bytesOf(flat(columnsOf(seed.K)), Float64Array), true)),
    );
    await says(bench.locator('[data-field="query"]'), '4×3, <f4');
    await says(bench.locator('[data-field="key"]'), '4×3, <f8');
    assert.deepEqual((await cells(bench, 'weights'))[3], ['0.29', '0.42', '0.11', '0.18']);

    const weights = npy('<f8', [4, 4], bytesOf(flat(seed.weights_causal), Float64Array));
    await give(file('results.npz', Buffer.from(zipSync({ 'expected_weights.npy': weights }))));
    await says(bench, /✓ The weights agree/);

    const mask = Buffer.from([0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0]);
    await bench.locator('.switch input').uncheck();
    await says(bench, /✗ The weights differ first at \[1, 1\]/);
    await give(
      file(
        'call.safetensors',
        safetensors({ 'attn.mask': { dtype: 'BOOL', shape: [4, 4], data: mask } }),
      ),
    );
    await says(bench, /✓ The weights agree/);

    await give(file('q.npy', Buffer.from('not a file of numbers')));
    await says(bench, 'q.npy: This is not an .npy file.');
    await give(file('k.safetensors', Buffer.from('no')));
    await says(bench, 'k.safetensors: This is not a .safetensors file.');
    await give(file('picture.png', Buffer.from('no')));
    await says(bench, /picture\.png: .* are read/);
    await says(bench, /✓ The weights agree/);
  });
});

test('workbench: the first difference is named, and one press away', async () => {
  await onBench(async ({ bench }) => {
    const wrong = seed.output_causal.map((row) => [...row]);
    wrong[2][1] += 0.01;
    await type(bench, 'expected', JSON.stringify(wrong));
    await says(bench, /✗ The outputs differ first at \[3, 2\]: 0\.0672 here, 0\.0772 expected/);
    await type(bench, 'expected', JSON.stringify(seed.output_causal));
    await says(bench, /✓ The outputs agree/);
    await type(bench, 'expected', '[[1, 2]]');
    await says(bench, 'The expected tensor is 1×2; the output is 4×3 and the weights are 4×4.');
  });
});

test('workbench: 2048 tokens as a picture, while the page goes on', async () => {
  await onBench(async ({ page, bench, give }) => {
    const [tokens, width] = [2048, 32];
    const tensor = (name, phase) => {
      const numbers = Float32Array.from({ length: tokens * width }, (_, at) =>
        Math.sin(at * phase),
      );
      return file(`${name}.npy`, npy('<f4', [tokens, width], Buffer.from(numbers.buffer)));
    };
    await page.evaluate(() => {
      globalThis.turns = 0;
      setInterval(() => ++globalThis.turns, 10);
    });
    await give(tensor('q', 0.37), tensor('k', 0.11), tensor('v', 0.23));
    const picture = bench.locator('canvas');
    await picture.waitFor();
    assert.deepEqual(await picture.evaluate(({ width, height }) => [width, height]), [2048, 2048]);
    await says(bench, 'Rows sum to between 1.0000 and 1.0000.');
    const turns = await page.evaluate(() => globalThis.turns);
    assert.ok(turns > 20, `the page had ${turns} turns while it computed`);
    // The last query reads everything; the first nothing but itself.
    await bench.locator('.bench-cell input').nth(1).fill('2');
    await bench.locator('.bench-cell input').nth(1).press('Enter');
    assert.equal((await bench.locator('.bench-cell output').innerText()).trim(), '0.0000');
    // It is painted from above.
    await page.waitForFunction(() => {
      const { shadowRoot } = document.querySelector('attention-workbench');
      const row = new OffscreenCanvas(2048, 1).getContext('2d');
      row.drawImage(shadowRoot.querySelector('canvas'), 0, 2047, 2048, 1, 0, 0, 2048, 1);
      const { data } = row.getImageData(0, 0, 2048, 1);
      return new Set(new Uint32Array(data.buffer)).size > 10;
    });
  });
});
