// How the prose breaks into lines on a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';

const paths = ['en/', 'zh/', 'en/docs/', 'zh/docs/'];

test('no line begins with the punctuation that belongs to the one before', async () => {
  for (const [path, width] of paths.flatMap((path) => [390, 320].map((width) => [path, width]))) {
    await onPage(
      path,
      async (page) => {
        await page.evaluate(() => document.fonts.ready);
        const found = await page.evaluate(() => {
          const misplaced = [];
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            const { data, parentElement: parent } = text;
            const block = parent.closest('p, li, td, th, h1, h2, h3, dd, dt');
            if (!block || parent.closest('.katex, pre, svg, script, style')) continue;
            const { paddingLeft } = getComputedStyle(block);
            const edge = block.getBoundingClientRect().left + parseFloat(paddingLeft);
            for (const { index } of data.matchAll(/[，。；：、！？）”》,;:!?)]|\.(?=\s|$)/g)) {
              const range = document.createRange();
              range.setStart(text, index);
              range.setEnd(text, index + 1);
              const { left, width } = range.getBoundingClientRect();
              if (width > 0 && left - edge < 2) misplaced.push(data.slice(index, index + 20));
            }
          }
          return misplaced;
        });
        assert.deepEqual(found, [], `${path} at ${width} px`);
      },
      { viewport: { width, height: 900 }, ready: () => Promise.resolve() },
    );
  }
});
