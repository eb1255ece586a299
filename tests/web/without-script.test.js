// What a reader without JavaScript sees of the figures: first frames with tables and pictures in them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages, onPage } from './browser.js';

for (const language of languages) {
  test(`the first frames show what they are about: ${language}`, async () => {
    await onPage(
      `${language}/`,
      async (page) => {
        const frame = (name) => page.locator(`attention-${name} .first-frame`);
        const plane = frame('dot-product').locator('svg');
        assert.equal(await plane.isVisible(), true);
        const painted = frame('mask-painter').locator('.paint');
        assert.equal(await painted.isVisible(), true);
        const first = await painted.locator('tbody tr').first().locator('td').allInnerTexts();
        assert.deepEqual(first, ['0', '−∞', '−∞', '−∞', '−∞', '−∞']);
        const beside = async (upper, left, cells) => {
          const table = (stage) => frame('alignment').locator(`[data-stage="${stage}"]`).first();
          const [above, before, at] = await Promise.all(
            [upper, left, cells].map((stage) => table(stage).boundingBox()),
          );
          assert.ok(above.y + above.height <= at.y && before.x + before.width < at.x, cells);
        };
        await beside('key', 'query', 'scores');
        assert.deepEqual(await plane.locator('text:not(.tick)').allTextContents(), ['k', 'q']);

        const rowsOf = async (name, table = 0) =>
          (await frame(name).getByRole('table').nth(table).getByRole('row').allInnerTexts()).map(
            (row) => row.trim().split(/\s+/),
          );
        const sentence = await rowsOf('sentence');
        assert.equal(sentence.length, 10);
        assert.deepEqual(sentence[1], ['cat', '0.60']);
        assert.deepEqual(
          (await rowsOf('dot-product')).slice(1).map((row) => row.slice(-2)),
          [
            ['1.00', '0.00'],
            ['3.00', '3.00'],
            ['3.00', '0.00'],
          ],
        );
        const counts = (await rowsOf('cost')).map((row) => row.join(' '));
        assert.equal(counts.length, 5);
        assert.match(counts[0], /≈ 8(05 million|\.05 亿)/);
        assert.match(counts[3], /24 MiB$/);
        for (const [table, variance] of ['39.3621', '0.6150'].entries()) {
          const [facts] = await rowsOf('scaling-lab', table);
          assert.equal(facts[1], variance);
        }
        // Upwards in blue, downwards in brown, as high as their numbers are large.
        const bars = frame('scaling-lab').locator('.bars').first().locator('.bar');
        const heights = await bars.evaluateAll((all) =>
          all.map((bar) => bar.getBoundingClientRect().height),
        );
        assert.equal(heights.indexOf(Math.max(...heights)), 1, heights.join());
      },
      { javaScriptEnabled: false },
    );
  });
}
