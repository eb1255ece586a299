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
      },
      { javaScriptEnabled: false },
    );
  });
}
