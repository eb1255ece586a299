// A large stage of the workbench's as a picture: the sum behind a cell, the lines of what is forbidden, and
// a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'attention-wasm';
import { file, npy, onBench, says, three } from './bench.js';

const alone = {
  state: '?embed=1&figure=workbench#bench.mask=causal~window.left.700&bench.colors=stretched',
  ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
};

test('workbench: a cell of a picture is spelled through the whole chain, with the library’s numbers', async () => {
  const [tokens, width] = [2048, 32];
  const numbers = [0.37, 0.11, 0.23].map((phase) =>
    Float32Array.from({ length: tokens * width }, (_, at) => Math.sin(at * phase)),
  );
  const attention = await load({ threads: 1 });
  const inputs = numbers.map((data) => ({ shape: [1, 1, tokens, width], data }));
  const options = { mask: ['causal', { kind: 'window', left: 700 }] };
  const { steps } = attention.explain(...inputs, options);
  attention.dispose();
  const [i, j, c] = [1499, 1233, 6];
  const at = (name, row, column) => steps[name].data[row * tokens + column];
  const text = (x) =>
    (Math.abs(x) < 1e-4 && x !== 0 ? x.toExponential(3) : x.toFixed(4)).replaceAll('-', '−');
  const visible = Array.from({ length: 701 }, (_, n) => i - 700 + n);
  const most = visible.reduce((a, b) => (at('weights', i, b) > at('weights', i, a) ? b : a));
  const spelledOf = async (bench) => {
    const texts = await bench.locator('.bench-cell .inspector dl > div').allInnerTexts();
    return texts.map((each) => each.replace(/\s+/g, ' ').trim());
  };
  /** Numbers of these keys, in order, with an ellipsis between those that are no neighbours. */
  const listed = (keys, write, mark = '…') =>
    keys.flatMap((key, n) => [...(n > 0 && key > keys[n - 1] + 1 ? [mark] : []), write(key)]);
  await onBench(async ({ page, bench, give }) => {
    await give(...three(tokens, width));
    await bench.locator('canvas').waitFor();
    const enter = async (name, value) => {
      await bench.getByLabel(name, { exact: true }).fill(String(value));
      await bench.getByLabel(name, { exact: true }).press('Enter');
    };
    await enter('query', i + 1);
    await enter('key', j + 1);
    await says(bench, `query ${i + 1}, key ${j + 1}`);
    const spelled = await spelledOf(bench);
    const keys = [...new Set([visible[0], visible[1], most, j, i])].sort((a, b) => a - b);
    assert.match(spelled[0], /^scores = q1500·k1234 ≈ .*\+ … \+ .* ≈ /);
    assert.ok(spelled[0].endsWith(` ≈ ${text(at('scores', i, j))}`), spelled[0]);
    assert.equal(
      spelled[1],
      `scaled ≈ ${text(at('scores', i, j))} ÷ √32 ≈ ${text(at('scaled', i, j))}`,
    );
    assert.equal(
      spelled[2],
      `masked ≈ ${text(at('scaled', i, j))} + 0 = ${text(at('masked', i, j))}`,
    );
    assert.equal(
      spelled[3],
      `written below keys ${keys.map((key) => key + 1).join(', ')} of those that query ${i + 1} may read; … stands for the others.`,
    );
    const [max, sum] = [steps.rowMax.data[i], steps.rowSum.data[i]];
    assert.equal(
      spelled[4],
      `row maximum max(${listed(keys, (key) => text(at('masked', i, key))).join(', ')}) = ${text(max)}`,
    );
    const power = (key) => at('exponentials', i, key);
    const powers = listed(
      keys,
      (key) =>
        `e${text(at('masked', i, key))} − ${text(max)} ${power(key) === 1 ? '=' : '≈'} ${text(power(key))}`,
    );
    assert.equal(spelled[5], `exponentials ${powers.join(', ')}`);
    assert.equal(
      spelled[6],
      `their sum ≈ ${listed(keys, (key) => text(power(key)), '…').join(' + ')} ≈ ${text(sum)}`,
    );
    assert.equal(
      spelled[7],
      `weights ≈ ${text(power(j))} ÷ ${text(sum)} ≈ ${text(at('weights', i, j))}`,
    );
    // In the picture its row and its column are outlined, however thin they are.
    const [row, column] = await Promise.all(
      ['row', 'column'].map((axis) =>
        bench.locator(`.picture [data-axis="${axis}"]`).boundingBox(),
      ),
    );
    const { x, y, width: wide, height } = await bench.locator('canvas').boundingBox();
    assert.ok(row.width >= wide && row.height >= 3 && row.height < 6, JSON.stringify(row));
    assert.ok(column.height >= height && column.width >= 3 && column.width < 6);
    const near = (got, wanted) => assert.ok(Math.abs(got - wanted) < 2, `${got}, ${wanted}`);
    near(row.y + row.height / 2, y + (height * (i + 0.5)) / tokens);
    near(column.x + column.width / 2, x + (wide * (j + 0.5)) / tokens);

    // What is forbidden says by what, and stays 0.
    await enter('key', 100);
    await says(bench, 'forbidden by window');
    assert.equal((await spelledOf(bench)).at(-1), `weights = 0 ÷ ${text(sum)} = 0`);

    // An output: the rows it comes from, and the products.
    await bench.getByLabel('output', { exact: true }).check({ force: true });
    await enter('query', i + 1);
    await enter('dimension', c + 1);
    const output = await spelledOf(bench);
    const ofOutput = [...new Set([visible[0], visible[1], most, i])].sort((a, b) => a - b);
    const all = [0, 1, ...ofOutput, tokens - 1];
    assert.equal(
      output[4 - 1],
      `masked, row ${i + 1} ≈ (${listed(all, (key) => (at('masked', i, key) === -Infinity ? '−∞' : text(at('masked', i, key)))).join(', ')})`,
    );
    const factors = listed(ofOutput, (key) => {
      const value = numbers[2][key * width + c].toFixed(4).replace('-', '−');
      return `${text(at('weights', i, key))}×${value.startsWith('−') ? `(${value})` : value}`;
    });
    assert.ok(output.at(-1).startsWith(`output ≈ ${factors.join(' + ')} ≈ `), output.at(-1));
    assert.ok(
      output.at(-1).endsWith(` ≈ ${text(steps.output.data[i * width + c])}`),
      output.at(-1),
    );
    assert.match(page.url(), /bench\.stage=output/);

    // Q, K and V are pictures too.
    await bench.getByLabel('K', { exact: true }).and(bench.locator('input')).check({ force: true });
    await enter('key', j + 1);
    await says(bench.locator('.inspector'), /is read by column 1234 of the scores/);
  }, alone);
});

/** Of a square of a canvas around a cell, counted from 0 to 1: which way its lines go. */
const directionAt = (bench, x, y) =>
  bench.locator('canvas').evaluate(
    (canvas, [x, y]) => {
      const size = 120;
      const left = Math.round(x * canvas.width - size / 2);
      const top = Math.round(y * canvas.height - size / 2);
      const copy = new OffscreenCanvas(size, size).getContext('2d', { willReadFrequently: true });
      copy.drawImage(canvas, left, top, size, size, 0, 0, size, size);
      const { data } = copy.getImageData(0, 0, size, size);
      const hatch = '166 171 178'; // --hatch of the light theme
      const dark = (column, row) => {
        const at = 4 * (row * size + column);
        return data.slice(at, at + 3).join(' ') === hatch;
      };
      /** Of the dark places, the share that is dark again so many steps further. */
      const runs = ([dx, dy], steps = 20) => {
        let [kept, all] = [0, 0];
        for (let row = 30; row < size - 30; ++row) {
          for (let column = 30; column < size - 30; ++column) {
            if (!dark(column, row)) continue;
            ++all;
            const isLong = Array.from({ length: steps }, (_, n) => n).every((n) =>
              dark(column + n * dx, row + n * dy),
            );
            const isBack = Array.from({ length: steps }, (_, n) => n).every((n) =>
              dark(column - n * dx, row - n * dy),
            );
            if (isLong && isBack) ++kept;
          }
        }
        return all === 0 ? 0 : kept / all;
      };
      const found = { '\\': [1, 1], '/': [1, -1], '-': [1, 0], '|': [0, 1] };
      return Object.entries(found)
        .filter(([, step]) => runs(step) > 0.3)
        .map(([name]) => name)
        .join('');
    },
    [x, y],
  );

for (const tokens of [20, 1024]) {
  test(`workbench: the lines of a picture of ${tokens} tokens name the rule, and a legend the lines`, async () => {
    const half = tokens / 2;
    const hash = (mask) => `bench.mask=${mask}&bench.stage=masked`;
    await onBench(
      async ({ page, bench, give }) => {
        await give(...three(tokens));
        await bench.locator('canvas').waitFor();
        const legend = bench.locator('.bench-picture .hatches > span');
        const shows = async (mask, names) => {
          await page.evaluate((to) => (location.hash = to), hash(mask));
          await says(bench.locator('.hatches'), names.at(-1));
          await bench.locator('.bench-shown:not([data-stale])').waitFor();
          assert.deepEqual(
            (await legend.allInnerTexts()).map((each) => each.trim()),
            names,
          );
        };
        /** Painting goes on after the numbers have come. */
        const isDrawn = async (x, y, wanted) => {
          for (let tries = 0; tries < 40; ++tries) {
            if ((await directionAt(bench, x, y)) === wanted) return;
            await page.waitForTimeout(100);
          }
          assert.equal(await directionAt(bench, x, y), wanted);
        };
        await shows('causal', ['the causal rule']);
        await isDrawn(0.8, 0.2, '\\');
        await isDrawn(0.2, 0.8, '');
        await shows(`documents.starts.1.${half + 1}`, ['the documents rule']);
        await isDrawn(0.8, 0.2, '|');
        await shows(
          `causal~window.left.${tokens / 4}`,
          ['the causal rule', 'the window rule', 'several rules'].slice(0, 2),
        );
        await isDrawn(0.2, 0.8, '-');
        await shows(`causal~documents.starts.1.${half + 1}`, [
          'the causal rule',
          'the documents rule',
          'several rules',
        ]);
        await isDrawn(0.8, 0.2, '\\/');
        await shows('lengths.keys.5', ['lengths']);
        await isDrawn(0.8, 0.2, '\\/');
        // A padding mask of the reader's own.
        await page.evaluate((to) => (location.hash = to), `${hash('none')}&bench.meaning=real`);
        const real = Uint8Array.from({ length: tokens }, (_, key) => (key < half ? 1 : 0));
        await give(file('mask.npy', npy('|b1', [1, tokens], Buffer.from(real))));
        await says(bench.locator('.hatches'), 'the padding rule');
        await isDrawn(0.8, 0.2, '/');
      },
      { ...alone, state: '?embed=1&figure=workbench' },
    );
  });
}

test('workbench: on a phone the sum of a cell of the picture is in sight, and is read out once', async () => {
  await onBench(
    async ({ page, bench, give }) => {
      await give(...three(512));
      const picture = bench.locator('canvas');
      await picture.waitFor();
      await picture.scrollIntoViewIfNeeded();
      await picture.tap({ position: { x: 50, y: 200 } });
      const sum = bench.locator('.own-sum');
      await sum.waitFor();
      const { top, bottom } = await sum.evaluate((element) => element.getBoundingClientRect());
      assert.ok(top > 0 && bottom <= 845, `${top} ${bottom}`);
      const last = bench.locator('.inspector [data-own]');
      assert.equal(await last.count(), 1);
      const words = (text) => text.replaceAll(/\s+/g, '');
      assert.equal(words(await sum.textContent()), words(await last.textContent()));
      assert.equal(await sum.getAttribute('aria-hidden'), 'true');
      await page.setViewportSize({ width: 1440, height: 1000 });
      assert.equal(await sum.isVisible(), false);
    },
    { ...alone, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});
