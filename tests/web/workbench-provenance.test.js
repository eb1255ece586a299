// Where the workbench's numbers come from: the whole chain, spelled, in the layout of a product.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { file, onBench, says, seed } from './bench.js';

const cell = (bench, stage, row, column) =>
  bench.locator(`td[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`);
const lines = async (bench) => {
  const texts = await bench.locator('.inspector dl > div').allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, ' ').trim());
};
const alone = {
  state: '?embed=1&figure=workbench',
  ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
};

test('workbench: from an output back to the scores, and on from Q, K and V, with the library’s numbers', async () => {
  const attention = await load({ threads: 1 });
  const three = [seed.Q, seed.K, seed.V].map((rows) => tensor(rows, 'float32'));
  const { steps } = attention.explain(...three, { mask: 'causal' });
  attention.dispose();
  const text = (x) => x.toFixed(4).replace('-', '−');
  await onBench(async ({ bench }) => {
    await cell(bench, 'output', 1, 0).hover();
    await says(bench, 'query 2, dimension 1');
    const row = (name) => toNested(steps[name])[1];
    const spelled = await lines(bench);
    assert.deepEqual(
      spelled.slice(0, 3),
      ['scores', 'scaled', 'masked'].map(
        (name) =>
          `${name}, row 2 ≈ (${row(name)
            .map((x) => (x === -Infinity ? '−∞' : text(x)))
            .join(', ')})`,
      ),
    );
    const [first, second] = row('masked').map(text);
    const [power] = row('exponentials').slice(1).map(text);
    const [sum] = [toNested(steps.rowSum).flat(Infinity)[1]].map(text);
    assert.deepEqual(spelled.slice(3), [
      `row maximum max(${first}, ${second}) = ${first}`,
      `exponentials e${first} − ${first} = 1.0000, e${second} − ${first} ≈ ${power}`,
      `their sum ≈ 1.0000 + ${power} ≈ ${sum}`,
      `weights, row 2 ≈ (${row('weights')
        .map((x) => (x === 0 ? '0' : text(x)))
        .join(', ')})`,
      spelled[7],
    ]);
    // What the reader gave stands as it was given.
    assert.match(spelled[7], /^output ≈ 0\.\d{4}×0\.11 \+ 0\.\d{4}×0\.21 ≈ .* ≈ 0\.\d{4}$/);
    await cell(bench, 'weights', 1, 1).hover();
    await says(bench, 'query 2, key 2');
    const weight = await lines(bench);
    assert.match(weight[0], /^scores = q2·k2 = \(−0\.55\)×\(−0\.17\) \+ /);
    assert.equal(weight.at(-1), `weights ≈ ${power} ÷ ${sum} ≈ ${text(row('weights')[1])}`);
    await cell(bench, 'key', 1, 0).hover();
    await says(bench, 'row 2, dimension 1');
    assert.match((await lines(bench))[0], /^K21 = −0\.17 is read by column 2 of the scores/);
  }, alone);
});

test('workbench: a sink is one more term of the softmax', async () => {
  await onBench(
    async ({ bench }) => {
      await cell(bench, 'weights', 0, 0).hover();
      await says(bench, 'query 1, key 1');
      const spelled = await lines(bench);
      const [max] = spelled.filter((text) => text.startsWith('row maximum'));
      assert.match(max, /max\(−0\.\d{4}, 1\.0000\) = 1\.0000$/);
      const [sum] = spelled.filter((text) => text.startsWith('their sum'));
      const [, ...parts] = /≈ ([\d.]+) \+ ([\d.]+) ≈ ([\d.]+)$/.exec(sum).map(Number);
      assert.ok(Math.abs(parts[0] + parts[1] - parts[2]) < 2e-4, sum);
    },
    { ...alone, state: `${alone.state}#bench.sinks=1` },
  );
});

test('workbench: Kᵀ above the scores, Q beside them; where that has no room, one after the other', async () => {
  await onBench(async ({ page, bench, give }) => {
    const place = (stage, row, column) =>
      cell(bench, stage, row, column).evaluate((element) => {
        const { left, top } = element.getBoundingClientRect();
        return [Math.round(left), Math.round(top)];
      });
    const [keyLeft] = await place('key', 2, 0);
    const [, queryTop] = await place('query', 1, 0);
    assert.deepEqual(await place('scores', 1, 2), [keyLeft, queryTop]);
    const [valueLeft] = await place('value', 0, 1);
    const [, weightsTop] = await place('weights', 3, 0);
    assert.deepEqual(await place('output', 3, 1), [valueLeft, weightsTop]);
    // The arrows go where they point: K is drawn turned.
    await cell(bench, 'key', 0, 0).focus();
    await page.keyboard.press('ArrowRight');
    await says(bench, 'row 2, dimension 1');
    const rows = Array.from({ length: 14 }, (_, i) =>
      Array.from({ length: 14 }, (_row, j) => Math.sin(i * 14 + j)),
    );
    await give(
      file('wide.json', Buffer.from(JSON.stringify({ query: rows, key: rows, value: rows }))),
    );
    await bench.locator('.bench-stages').waitFor();
    assert.equal(await bench.locator('.matrix').count(), 8);
    await bench.getByRole('button', { name: 'Undo' }).click();
    await bench.locator('.bench-products').waitFor();
    await page.setViewportSize({ width: 390, height: 900 });
    await bench.locator('.choice-of').waitFor();
    assert.equal(await bench.locator('.matrix').count(), 1);
    // One stage, and the sum right below it.
    await page.setViewportSize({ width: 390, height: 844 });
    await cell(bench, 'weights', 3, 0).click();
    const [top, bottom] = await bench.locator('.own-sum').evaluate((sum) => {
      const { bottom: end } = sum.getRootNode().querySelector('.matrix').getBoundingClientRect();
      const box = sum.getBoundingClientRect();
      return [box.top - end, box.bottom];
    });
    assert.ok(top < 80 && bottom <= 845, `${top} px below the table, until ${bottom}`);
  }, alone);
});
