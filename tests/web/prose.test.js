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

test('a note in the margin leaves no hole in the text and covers nothing', async () => {
  for (const [language, width] of languages.flatMap((name) =>
    [1440, 1100].map((width) => [name, width]),
  )) {
    await onPage(
      `${language}/`,
      async (page) => {
        const { notes, faults } = await page.evaluate(() => {
          const faults = [];
          const say = (fault, { textContent }) =>
            faults.push(`${fault}: ${textContent.trim().slice(0, 40)}`);
          const box = (element) => element.getBoundingClientRect();
          const margin = (element, side) => parseFloat(getComputedStyle(element)[`margin${side}`]);
          const notes = [...document.querySelectorAll('main > section > aside')];
          for (const note of notes) {
            const about = note.previousElementSibling;
            const next = note.nextElementSibling;
            const { left, top, right, bottom } = box(note.firstElementChild);
            if (left < box(about).right || top > box(about).top + 1)
              say('not beside its text', note);
            const hole =
              next &&
              box(next).top - box(about).bottom - margin(about, 'Bottom') - margin(next, 'Top');
            if (hole > 1) say(`${hole} px of nothing`, next);
            for (const other of note.parentElement.children) {
              const place = box(other.matches('aside') ? other.firstElementChild : other);
              const isApart =
                place.top >= bottom ||
                place.bottom <= top ||
                place.left >= right ||
                place.right <= left;
              if (other !== note && !isApart) say('covered', other);
            }
          }
          return { notes: notes.length, faults };
        });
        assert.ok(notes > 10);
        assert.deepEqual(faults, [], `${language} at ${width} px`);
      },
      { ...prose, viewport: { width, height: 1000 } },
    );
  }
});

for (const language of languages) {
  test(`tables fit on a phone, and their numbers stand point below point: ${language}`, async () => {
    for (const width of [1440, 390, 320]) {
      await onPage(
        `${language}/`,
        async (page) => {
          const found = await page.evaluate(() => {
            const tables = [...document.querySelectorAll('main > section > .table')];
            const right = (number) => number.getBoundingClientRect().right;
            const ragged = tables.flatMap((table) => {
              const rows = [...table.querySelectorAll('tbody tr')];
              const columns = rows.length
                ? [...rows[0].children].map((_, at) => rows.map((row) => row.children[at]))
                : [];
              return columns
                .map((cells) => cells.flatMap((cell) => [...cell.querySelectorAll('.number')]))
                .filter((numbers) =>
                  numbers.some((number) => Math.abs(right(number) - right(numbers[0])) > 0.5),
                )
                .map((numbers) => numbers.map(({ textContent }) => textContent).join());
            });
            return {
              numbers: document.querySelectorAll('.table .number').length,
              wide: tables
                .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
                .map(({ textContent }) => textContent.trim().slice(0, 40)),
              ragged: innerWidth > 640 ? ragged : [],
            };
          });
          assert.ok(found.numbers > 30);
          assert.deepEqual([found.wide, found.ragged], [[], []], `${width} px`);
        },
        { ...prose, viewport: { width, height: 900 } },
      );
    }
  });
}
