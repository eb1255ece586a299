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
        assert.deepEqual(await plane.locator('text').allTextContents(), ['k', 'q']);
      },
      { javaScriptEnabled: false },
    );
  });
}
