// The typography of the prose: formulas, tables and notes beside the text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages, onPage } from './browser.js';

/** The prose is there without its figures. */
const prose = { ready: (page) => page.evaluate(() => document.fonts.ready) };
const phone = (width) => ({ ...prose, viewport: { width, height: 900 }, isMobile: true });

for (const language of languages) {
  test(`a formula is nowhere smaller than its text, and nowhere scrolls: ${language}`, async () => {
    for (const width of [390, 320]) {
      await onPage(
        `${language}/`,
        async (page) => {
          const found = await page.evaluate(() => {
            const size = (element) => parseFloat(getComputedStyle(element).fontSize);
            const [text] = document.querySelectorAll('main > section > p');
            const formulas = [...document.querySelectorAll('main .katex:not([data-figure] *)')];
            const inText = (formula) =>
              formula.closest('.katex-display') ? text : formula.closest('p, li, td, th, h2, h3');
            return {
              count: formulas.length,
              small: formulas.filter((formula) => size(formula) < size(inText(formula))).length,
              wide: [...document.querySelectorAll('.katex-display')]
                .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
                .map(({ textContent }) => textContent),
            };
          });
          assert.ok(found.count > 100);
          assert.deepEqual([found.small, found.wide], [0, []], `${width} px`);
        },
        phone(width),
      );
    }
  });
}
