// The workbench: reading what people have, the stages, and where a result differs from another.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
  bytesOf,
  cells,
  file,
  npy,
  onBench,
  safetensors,
  says,
  seed,
  stepsFor,
  type,
  vector,
} from './bench.js';

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
    await says(
      bench.locator('[data-field="query"] [role="alert"]'),
      /^Row 2 is 2 long, the first is 3\./,
    );
    await type(bench, 'query', JSON.stringify(seed.Q).replace('0.11', 'NaN'));
    await says(bench, 'First number that is not finite: Q, row 1, column 1.');
    const failed = bench.locator('.bench-facts li[data-holds="no"]');
    assert.equal(await failed.count(), 4);
    await says(bench, 'Rows whose weights do not sum to a number: 1 (1 in all).');
    await says(bench, 'The other rows of weights sum to between 1.0000 and 1.0000.');
    await type(bench, 'query', JSON.stringify(seed.Q));
    await failed.first().waitFor({ state: 'detached' });
    await type(bench, 'query', '[[1, two, 3]]');
    await says(bench, '“two” at [1, 2] is not a number.');
    await type(bench, 'query', '[[1, 1e999, 3]]');
    await says(bench, '“1e999” at [1, 2] is too large for a number');
    // What was there before still stands.
    await says(bench.locator('[data-field="query"]'), '4×3, text');
    assert.deepEqual((await cells(bench, 'weights'))[3], ['0.29', '0.42', '0.11', '0.18']);
    await says(bench, 'The tensor that was read before, 4×3, still counts.');
    // What the library refuses is said beside the last result, and mends itself.
    await type(bench, 'query', '[[1, 2]]');
    await says(
      bench.locator('.bench-result [role="alert"]'),
      'Q is 1×2, K is 4×3: the last axis, d_k, must be the same, but is 2 and 3.',
    );
    await says(bench, 'Shown is the last call that worked: Q 4×3, K 4×3, V 4×3.');
    assert.deepEqual((await cells(bench, 'weights'))[3], ['0.29', '0.42', '0.11', '0.18']);
    await type(bench, 'query', JSON.stringify(seed.Q));
    await bench.locator('.bench-shown:not([data-stale])').waitFor();
    assert.equal(await bench.locator('[role="alert"]').count(), 0);
  });
});

test('workbench: .npy in both orders, .npz and .safetensors, and broken ones', async () => {
  await onBench(
    async ({ bench, give }) => {
      const flat = (rows) => rows.flat();
      await give(
        file('q.npy', npy('<f4', [4, 3], bytesOf(flat(seed.Q), Float32Array))),
        file(
          'my_keys.npy',
          npy('<f8', [4, 3], bytesOf(flat(columnsOf(seed.K)), Float64Array), true),
        ),
      );
      await says(bench.locator('[data-field="query"]'), '4×3, float32');
      await says(bench.locator('[data-field="key"]'), '4×3, float64');
      assert.deepEqual((await cells(bench, 'weights'))[3], ['0.29', '0.42', '0.11', '0.18']);

      await give(file('six-step.npz', await readFile(vector('files/six-step.npz'))));
      await says(bench.locator('[data-field="query"]'), '4×3, float64');
      const weights = npy('>f8', [4, 4], bytesOf(flat(seed.weights_causal), Float64Array).swap64());
      await give(file('expected_weights.npy', weights));
      await says(bench, /✓ The weights agree/);

      const mask = Buffer.from([0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0]);
      await bench.getByRole('button', { name: 'Remove causal' }).click();
      await says(bench, /✗ The weights differ first at \[1, 1\]/);
      await give(
        file(
          'call.safetensors',
          safetensors({ 'attn.mask': { dtype: 'BOOL', shape: [4, 4], data: mask } }),
        ),
      );
      // A mask of truth values says nothing before its reader does.
      await says(bench, /The mask holds only true and false, or 1 and 0/);
      await bench.getByLabel('The tensor’s numbers mean').selectOption('true forbids');
      await says(bench, /✓ The weights agree/);

      const cut = npy('<f4', [4, 3], bytesOf(flat(seed.Q), Float32Array)).subarray(0, -1);
      await give(file('q.npy', cut));
      await says(bench, 'q.npy has 47 bytes for 12 elements of 4 bytes, shape 4×3.');
      await give(file('k.safetensors', Buffer.from('no')));
      await says(bench, 'k.safetensors is neither a .npy, .npz nor a .safetensors file.');
      await give(file('complex.npy', npy('<c8', [1, 1], Buffer.alloc(8))));
      await says(bench, /complex\.npy has elements of type “c8”; there can be float64, /);
      await give(file('picture.png', Buffer.from('no')));
      await says(bench, /picture\.png is neither .* read from \.json, \.csv, \.tsv and \.txt\./);
      await give(file('table.csv', Buffer.from('1,2\n3')));
      await says(bench, 'table.csv: Row 2 is 1 long, the first is 2.');
      await give(file('call.json', Buffer.from('{"options": {}, "key": [[1, 1e999]]}')));
      await says(bench, 'call.json: key: “1e999” at [1, 2] is too large for a number');
      const other = { options: {}, key: seed.K };
      await give(file('call.json', Buffer.from(JSON.stringify(other))));
      await says(bench, 'call.json: Not read, being no arrays: options.');
      await says(bench.locator('[data-field="key"]'), '4×3, text');
      await says(bench, /✓ The weights agree/);
    },
    { state: '#bench.mask=causal' },
  );
});

test('workbench: which way a mask of truth values goes is asked, other numbers are added', async () => {
  const read = seed.Q.map((_, i) => seed.K.map((_, j) => j <= i));
  const python = (rows) =>
    JSON.stringify(rows).replace(/true|false/g, (x) => ({ true: 'True', false: 'False' })[x]);
  const hidden = (await stepsFor({ mask: 'causal' }))('masked');
  await onBench(
    async ({ page, bench }) => {
      const before = (await stepsFor({}))('masked');
      const meaning = bench.getByLabel('The tensor’s numbers mean');
      for (const text of [python(read), JSON.stringify(read.map((row) => row.map(Number)))]) {
        await type(bench, 'mask', text);
        const asked = bench.locator('.bench-result [role="alert"]');
        await says(asked, /scaled_dot_product_attention.*nn\.MultiheadAttention/);
        assert.equal(await meaning.inputValue(), 'unsaid');
        // The last result is marked as such.
        await bench.locator('.bench-shown[data-stale]').waitFor();
        await says(bench, 'Shown is the last call that worked');
        assert.deepEqual(await cells(bench, 'masked'), before);
        await meaning.selectOption('allowed');
        await bench.locator('.bench-shown:not([data-stale])').waitFor();
        assert.deepEqual(await cells(bench, 'masked'), hidden);
        assert.match(page.url(), /bench\.meaning=allowed/);
        await meaning.selectOption('blocked');
        await says(bench, 'Rows that may read nothing: 1 of 4.');
        // What must be true is, of an empty row too.
        const held = bench.locator('.bench-facts li[data-holds="yes"]');
        assert.equal(await held.count(), 5);
        assert.match((await held.allInnerTexts())[2], /Every masked weight is exactly 0 \(10\)/);
        await type(bench, 'mask', '');
        await meaning.waitFor({ state: 'detached' });
        await page.evaluate(() => (location.hash = '#bench.mask=none'));
        await says(bench, 'Rows that may read nothing: 0 of 4.');
      }
      const added = read.map((row) => row.map((x) => (x ? '0' : '-inf')));
      await type(bench, 'mask', `[${added.map((row) => `[${row.join(', ')}]`)}]`);
      await bench.locator('.matrix[data-stage="biased"]').waitFor();
      assert.equal(await bench.locator('[role="alert"]').count(), 0);
      assert.deepEqual(await cells(bench, 'masked'), hidden);
    },
    { state: '#bench.mask=none' },
  );
});

test('workbench: the first difference is named, and one press away', async () => {
  await onBench(async ({ bench }) => {
    const wrong = seed.output_causal.map((row) => [...row]);
    wrong[2][1] += 0.01;
    await type(bench, 'expected', JSON.stringify(wrong));
    await says(bench, /✗ The outputs differ first at \[3, 2\]: 0\.0672 here, 0\.0772 expected/);
    const marked = bench.locator('td.cell[data-mark="focus"]');
    assert.equal(await marked.getAttribute('data-stage'), 'output');
    assert.equal(await marked.getAttribute('data-row'), '2');
    assert.equal(await marked.getAttribute('data-column'), '1');
    await type(bench, 'expected', JSON.stringify(seed.output_causal));
    await says(bench, /✓ The outputs agree/);
    await type(bench, 'expected', '[[1, 2]]');
    await says(bench, 'The expected tensor is 1×2; the output is 4×3 and the weights are 4×4.');
  });
});

test('workbench: numbers that were printed short are compared to their last place', async () => {
  const printed = seed.output_causal.map((row) => row.map((x) => x.toFixed(4)));
  const text = (rows) =>
    `tensor([${rows.map((row) => `[${row.join(', ')}]`).join(',\n        ')}])`;
  await onBench(async ({ bench }) => {
    await type(bench, 'expected', text(printed));
    await says(bench, '✓ The outputs agree within 0.00005 + 0.0001·|expected|');
    await says(
      bench,
      'The expected numbers are printed to 4 decimals, so half of the last, 0.00005, may lie',
    );
    const wrong = printed.with(3, printed[3].with(0, (Number(printed[3][0]) + 0.0003).toFixed(4)));
    await type(bench, 'expected', text(wrong.with(1, ['9', '0.0000', '0.0000'])));
    await says(bench, /✗ The outputs differ first at \[2, 1\].* differ: 4, most at \[2, 1\], by/);
    await type(bench, 'expected', text(wrong));
    await says(bench, /✗ The outputs differ first at \[4, 1\].*Places that differ: 1,/);
  });
});

test('workbench: what replaces every tensor can be undone; files are known by their names', async () => {
  await onBench(async ({ bench, give }) => {
    const undo = bench.getByRole('button', { name: 'Undo' });
    await type(bench, 'query', JSON.stringify(seed.Q.slice(0, 3)));
    await says(bench.locator('[data-field="query"]'), '3×3, text');
    await bench.getByRole('button', { name: 'Clear' }).click();
    await says(bench, 'Q, K and V are needed');
    await undo.click();
    await says(bench.locator('[data-field="query"]'), '3×3, text');
    assert.equal(await undo.count(), 0);
    const bytes = npy('<f4', [4, 3], bytesOf(seed.K.flat(), Float32Array));
    await give(file('k_badwidth.npy', bytes));
    await says(bench.locator('[data-field="key"]'), '4×3, float32');
    await give(file('model.q_proj.weight.npy', bytes));
    await says(bench, 'No field is known for model.q_proj.weight');
    await give(
      file('key_padding_mask.npy', npy('<f4', [1, 4], bytesOf([0, 0, 0, 1], Float32Array))),
    );
    await says(bench.locator('[data-field="mask"]'), '1×4, float32');
  });
});

test('workbench: where what is expected has both shapes, the reader decides, and a NaN is named', async () => {
  const square = seed.V.map((row) => [...row, 1]);
  let link;
  await onBench(async ({ page, bench }) => {
    await type(bench, 'value', JSON.stringify(square));
    await type(bench, 'expected', JSON.stringify(seed.weights_causal));
    await says(bench, 'The expected tensor has the shape of the output and of the weights.');
    await says(bench, /✗ The outputs differ first at \[1, 1\]/);
    await bench.getByLabel('It is taken for').selectOption('the weights');
    await says(bench, /✓ The weights agree/);
    link = new URL(page.url()).hash;
    assert.equal(link, '#bench.expected=weights');

    // The NaN is not compared, the rest is: what agrees, and what does not.
    const unknown = JSON.stringify(seed.weights_causal.map((row) => [...row].with(1, null)));
    await type(bench, 'expected', unknown.replaceAll('null', 'NaN'));
    await says(bench, /holds NaN, 4 in all and the first at \[1, 2\]; .* is not compared/);
    await says(bench, /✓ The weights agree/);
    const wrong = seed.weights_causal.map((row) => [...row]);
    wrong[2][0] += 0.1;
    wrong[1][1] = null;
    await type(bench, 'expected', JSON.stringify(wrong).replace('null', 'NaN'));
    await says(bench, /holds NaN, 1 in all and the first at \[2, 2\]/);
    await says(bench, /✗ The weights differ first at \[3, 1\]/);

    // One shape leaves nothing to choose.
    await type(bench, 'value', JSON.stringify(seed.V));
    await bench.getByLabel('It is taken for').waitFor({ state: 'detached' });
  });
  await onBench(
    async ({ bench }) => {
      await type(bench, 'value', JSON.stringify(square));
      await type(bench, 'expected', JSON.stringify(seed.weights_causal));
      await says(bench, /✓ The weights agree/);
      assert.equal(await bench.getByLabel('It is taken for').inputValue(), 'weights');
    },
    { state: link },
  );
});
