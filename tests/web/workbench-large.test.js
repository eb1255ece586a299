// The workbench with tensors of thousands of tokens: a picture, files, and a page that goes on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { onBench, says, three } from './bench.js';

test('workbench: 2048 tokens as a picture, while the page goes on', async () => {
  await onBench(
    async ({ page, bench, give }) => {
      const tokens = 2048;
      await page.evaluate(() => {
        // What is painted, and how many numbers are looked at, in each turn of the page.
        Object.assign(globalThis, { painted: [], numbers: [0] });
        const { putImageData } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.putImageData = function (image, ...place) {
          painted.push(image.width * image.height);
          return putImageData.call(this, image, ...place);
        };
        const { abs } = Math;
        Math.abs = (x) => {
          ++numbers[numbers.length - 1];
          return abs(x);
        };
        // Each slice takes as long as a turn may, on whatever machine.
        let now = 0;
        performance.now = () => (now += 5);
        const { setTimeout } = globalThis;
        globalThis.setTimeout = (act, ...others) =>
          setTimeout(
            () => {
              if (numbers.at(-1) > 0) numbers.push(0);
              act();
            },
            ...others,
          );
      });
      await give(...three(tokens));
      const picture = bench.locator('canvas');
      await picture.waitFor();
      assert.deepEqual(
        await picture.evaluate(({ width, height }) => [width, height]),
        [2048, 2048],
      );
      await says(bench, 'Every row of weights sums to 1.0000.');
      const slice = 1 << 17;
      const all = tokens * tokens;
      const sum = (counts) => counts.reduce((a, b) => a + b, 0);
      await page.waitForFunction((count) => painted.reduce((a, b) => a + b, 0) >= count, all);
      const { painted, numbers } = await page.evaluate(() => ({ painted, numbers }));
      assert.equal(sum(painted), all);
      assert.ok(Math.max(...painted) <= slice, `${Math.max(...painted)} cells in one turn`);
      // A turn may end one slice and begin the next.
      assert.ok(sum(numbers) > all && Math.max(...numbers) <= 2 * slice, `${Math.max(...numbers)}`);
      // Looking around paints nothing anew.
      const { x, y } = await picture.boundingBox();
      await page.mouse.move(x + 5, y + 300);
      await page.mouse.move(x + 300, y + 5);
      await says(bench, /query \d+, key \d+/);
      assert.equal(sum(await page.evaluate(() => globalThis.painted)), all);
      await page.mouse.move(0, 0);
      // The last query reads everything; the first nothing but itself.
      for (const [name, index] of Object.entries({ query: '1', key: '2' })) {
        await bench.getByLabel(name, { exact: true }).fill(index);
        await bench.getByLabel(name, { exact: true }).press('Enter');
      }
      assert.equal(await bench.locator('output[data-stage="weights"]').innerText(), '0');
      await says(bench, 'forbidden by causal');
      // Weights are on [0, 1], where these are as pale as they are small; or on a shorter scale, which says so.
      const bar = bench.locator('.bench-bar');
      assert.equal((await bar.innerText()).replace(/\s+/g, ' ').trim(), '0 1');
      await bench.getByLabel('[0, 0.0039], more contrast').check({ force: true });
      assert.equal((await bar.innerText()).replace(/\s+/g, ' ').trim(), '0 ≥ 0.0039');
      assert.match(page.url(), /bench\.colors=stretched/);
      for (const axis of ['across', 'down']) {
        const ticks = await bench.locator(`.ticks[data-axis="${axis}"] span`).allInnerTexts();
        assert.deepEqual(ticks, ['1', '500', '1000', '1500', '2000']);
      }
      // It is painted from above.
      await page.waitForFunction(() => {
        const { shadowRoot } = document.querySelector('attention-workbench');
        const row = new OffscreenCanvas(2048, 1).getContext('2d');
        row.drawImage(shadowRoot.querySelector('canvas'), 0, 2047, 2048, 1, 0, 0, 2048, 1);
        const { data } = row.getImageData(0, 0, 2048, 1);
        return new Set(new Uint32Array(data.buffer)).size > 10;
      });
    },
    { state: '#bench.mask=causal' },
  );
});

test('workbench: files of 2048 tokens are written in pieces, the picture away from the page', async () => {
  await onBench(
    async ({ page, bench, give }) => {
      await page.evaluate(() => {
        // What the page itself copies or encodes in one go.
        Object.assign(globalThis, { pieces: [], encoded: 0 });
        globalThis.Blob = class extends Blob {
          constructor(parts = [], ...others) {
            super(parts, ...others);
            const sizes = parts.map((part) =>
              part instanceof Blob ? 0 : (part.length ?? part.byteLength),
            );
            globalThis.pieces.push(sizes.reduce((a, b) => a + b, 0));
          }
        };
        const { toBlob } = HTMLCanvasElement.prototype;
        HTMLCanvasElement.prototype.toBlob = function (...of) {
          globalThis.encoded += 1;
          return toBlob.apply(this, of);
        };
      });
      await give(...three(2048));
      await bench.locator('canvas').waitFor();
      await bench.locator('details.export > summary').click();
      const saved = async (format) => {
        const coming = page.waitForEvent('download');
        await bench
          .locator('details.export')
          .getByRole('button', { name: format, exact: true })
          .click();
        return readFileSync(await (await coming).path());
      };
      const png = await saved('PNG');
      assert.equal(png.subarray(1, 4).toString(), 'PNG');
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2048, 2048]);
      const rows = (await saved('CSV')).toString().trimEnd().split('\n');
      assert.equal(rows.length, 2048);
      assert.equal(rows[2047].split(',').length, 2048);
      assert.equal((await saved('.npy of weights')).length, 128 + 4 * 2048 * 2048);
      const { pieces, encoded } = await page.evaluate(() => ({ pieces, encoded }));
      assert.equal(encoded, 0, 'pictures encoded by the page');
      // Elements of 4 bytes or texts: none longer than a slice of the former.
      assert.ok(pieces.length > 100 && Math.max(...pieces) <= 1 << 19, `${Math.max(...pieces)}`);
    },
    {
      state: '?embed=1&figure=workbench',
      ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
    },
  );
});
