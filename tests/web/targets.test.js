// Everything that can be pressed is large enough for the pointer that presses it: 24 px for a mouse,
// 44 px for a finger. Cells keep the height; their width is what fits beside one another on a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages, onPage, overflowOf } from './browser.js';

/** Resolves when every figure runs. */
async function allAlive(page) {
  for (const figure of await page.locator('[data-figure]').all()) {
    await figure.scrollIntoViewIfNeeded();
    await figure.and(page.locator('[data-live]')).waitFor({ state: 'attached' });
  }
}

/** Opens whatever can be opened, in the page and inside its figures. */
const openAll = (page) =>
  page.evaluate(() => {
    for (const { shadowRoot } of document.querySelectorAll('[data-figure]'))
      shadowRoot?.querySelectorAll('details').forEach((each) => (each.open = true));
    document.querySelectorAll('details').forEach((each) => (each.open = true));
  });

/** The targets that are too small, in the page and inside its figures. */
const small = (page, least, leastCell) =>
  page.evaluate(
    ({ least, leastCell }) => {
      const wanted =
        'a[href], button, summary, select, textarea, input, [role="gridcell"], [role="slider"], [tabindex="0"]';
      const scopes = [document, ...[...document.querySelectorAll('*')].map((e) => e.shadowRoot)];
      const targets = scopes.flatMap((scope) => [...(scope?.querySelectorAll(wanted) ?? [])]);
      const sizeOf = (target) => {
        // A label is pressed for what it labels.
        const parts = [target, target.closest('label')].filter(Boolean);
        const boxes = parts.map((part) => part.getBoundingClientRect());
        return ['width', 'height'].map((side) => Math.max(...boxes.map((box) => box[side])));
      };
      // A link among words is as high as its line.
      const isInline = (target) =>
        target.localName === 'a' && getComputedStyle(target).display === 'inline';
      const found = new Set();
      let count = 0;
      for (const target of targets) {
        if (isInline(target) || !target.checkVisibility({ visibilityProperty: true })) continue;
        const [width, height] = sizeOf(target);
        if (width <= 1) continue;
        count += 1;
        const isCell = target.matches('[role="gridcell"]');
        const isWide = width >= (isCell ? leastCell : least) - 0.5;
        if (isWide && height >= least - 0.5) continue;
        const place = target.closest('section, header, nav, footer, aside');
        const where = target.getRootNode().host?.localName ?? (place?.id || place?.localName || '');
        const name = [target.localName, ...target.classList, target.type].filter(Boolean).join('.');
        found.add(`${where} ${name}: ${width.toFixed(1)}×${height.toFixed(1)}`);
      }
      return { count, found: [...found] };
    },
    { least, leastCell },
  );

for (const [pointer, width, least, settings] of [
  ['mouse', 1440, 24, {}],
  ['mouse', 390, 24, {}],
  ['finger', 390, 44, { hasTouch: true, isMobile: true }],
]) {
  test(`targets are ${least} px for a ${pointer} at ${width} px`, async () => {
    await onPage(
      'en/',
      async (page) => {
        await allAlive(page);
        await openAll(page);
        assert.equal(
          await page.evaluate(() => matchMedia('(pointer: coarse)').matches),
          pointer === 'finger',
        );
        const { count, found } = await small(page, least, 24);
        assert.ok(count > 300, `${count} targets`);
        assert.deepEqual(found, []);
        // Where they have the room, cells are as wide as buttons.
        const cells = page.locator('attention-bug-gallery [role="gridcell"]:visible');
        const sides = await cells.evaluateAll((all) =>
          all.map((cell) => cell.getBoundingClientRect().width),
        );
        assert.ok(
          sides.length > 100 && Math.min(...sides) >= least - 0.5,
          `${Math.min(...sides)} px`,
        );
        assert.ok((await overflowOf(page)) <= 0, 'nothing is too wide');
      },
      { viewport: { width, height: 900 }, ...settings },
    );
  });
}

test('on a phone, Q and the scores stand side by side under a finger too', async () => {
  await onPage(
    'en/#s=2',
    async (page) => {
      const box = (stage) =>
        page.locator(`attention-stepper .matrix[data-stage="${stage}"] table`).boundingBox();
      const [query, scores] = await Promise.all([box('query'), box('scores')]);
      assert.ok(query.x >= 0 && query.x + query.width <= scores.x, 'Q is left of the scores');
      assert.ok(scores.x + scores.width <= 390, 'the scores end on the screen');
      const rows = (stage) =>
        page
          .locator(`attention-stepper td[data-stage="${stage}"][data-column="0"]`)
          .evaluateAll((cells) => cells.map((each) => each.getBoundingClientRect().top));
      const [left, right] = await Promise.all([rows('query'), rows('scores')]);
      left.forEach((top, row) => assert.ok(Math.abs(top - right[row]) < 1.5, `row ${row + 1}`));
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});

for (const language of languages) {
  test(`on the narrowest phone all fits wherever the sliders stand: ${language}`, async () => {
    await onPage(
      `${language}/`,
      async (page) => {
        await allAlive(page);
        for (const end of ['', 'max', 'min']) {
          const seen = await page.evaluate(async (to) => {
            const figures = [...document.querySelectorAll('[data-figure]')];
            const within = (selector) =>
              figures.flatMap((figure) => [
                ...(figure.shadowRoot ?? figure).querySelectorAll(selector),
              ]);
            const sliders = to === '' ? [] : within('input[type="range"]');
            for (const slider of sliders) {
              slider.value = slider[to];
              for (const type of ['input', 'change'])
                slider.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
            }
            for (const figure of figures) await figure.updateComplete;
            // What follows from a slider's matrices is drawn a frame after them.
            for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame);
            const isSeen = (element) => element.checkVisibility() && !element.closest('pre, svg');
            const all = within('*').filter(isSeen);
            const nameOf = (element) =>
              `${element.getRootNode().host?.localName}: ${element.className || element.localName}`;
            const boxOf = (element) => element.getBoundingClientRect();
            const hasText = ({ childNodes }) =>
              [...childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
            const cells = all.filter((element) => element.matches('[role="gridcell"]'));
            return {
              sliders: sliders.length,
              cells: cells.length,
              wide: all.filter((element) => boxOf(element).right > innerWidth).map(nameOf),
              thin: cells.filter((cell) => boxOf(cell).width < (to === '' ? 30 : 24)).map(nameOf),
              tiny: all
                .filter(hasText)
                .filter((element) => parseFloat(getComputedStyle(element).fontSize) < 11)
                .map(nameOf),
            };
          }, end);
          const { sliders, cells, wide, thin, tiny } = seen;
          assert.ok(cells > 300 && (end === '' || sliders > 15), `${cells} cells, ${sliders}`);
          assert.deepEqual({ end, wide, thin, tiny }, { end, wide: [], thin: [], tiny: [] });
          assert.ok((await overflowOf(page)) <= 0, `nothing is too wide at ${end}`);
        }
      },
      { viewport: { width: 320, height: 800 }, hasTouch: true, isMobile: true },
    );
  });
}

test('letters of twice the size are wrapped on a phone, and no word of the bar is cut', async () => {
  await onPage(
    'zh/',
    async (page) => {
      await page.addStyleTag({ content: ':root { font-size: 200% }' });
      const names = 'stepper retrieval projection causal-steps cross alignment mask-painter';
      for (const name of names.split(' ')) {
        const figure = page.locator(`attention-${name}`);
        await figure.scrollIntoViewIfNeeded();
        await figure.and(page.locator('[data-live]')).waitFor({ state: 'attached' });
        const cut = await figure.evaluate((element) => {
          const isBeyond = (part) => part.getBoundingClientRect().right > innerWidth;
          const parts = 'p, button, dd, dt, label, .matrix, .hatches > span';
          return [...(element.shadowRoot ?? element).querySelectorAll(parts)]
            .filter((part) => part.checkVisibility() && isBeyond(part))
            .filter((part) => !part.parentElement.closest('.matrix, .visually-hidden'))
            .map(({ localName, textContent }) => `${localName}: ${textContent.trim()}`);
        });
        assert.deepEqual(cut, [], name);
      }
      const formulas = await page.locator('main .joined, main p .katex .base').evaluateAll((all) =>
        all
          .filter((each) => each.checkVisibility() && !each.closest('.katex-display, .table'))
          .filter((each) => each.getBoundingClientRect().right > innerWidth)
          .map(({ textContent }) => textContent),
      );
      assert.deepEqual(formulas, []);
      await page.evaluate(() => scrollTo(0, 0));
      for (const word of await page.locator('.top a:visible, .contents summary').all()) {
        const { x, width, height } = await word.boundingBox();
        assert.ok(x >= 0 && x + width <= 390 && height < 100, await word.innerText());
      }
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});

for (const language of languages) {
  test(`letters of twice the size pass no section's edge: ${language}`, async () => {
    await onPage(
      `${language}/`,
      async (page) => {
        await page.addStyleTag({ content: ':root { font-size: 200% }' });
        await allAlive(page);
        await openAll(page);
        for (const width of [390, 320]) {
          await page.setViewportSize({ width, height: 844 });
          const { letters, screen, sections, beyond } = await page.evaluate(() => {
            const all = [...document.querySelectorAll('main > section')];
            return {
              // A phone shows a page that is too wide smaller.
              screen: innerWidth,
              letters: getComputedStyle(document.documentElement).fontSize,
              sections: all.length,
              beyond: all
                .map((each) => [each.id, each.scrollWidth - each.clientWidth])
                .filter(([, over]) => over > 0),
            };
          });
          assert.equal(letters, '32px');
          assert.ok(sections > 12, `${sections} sections`);
          assert.deepEqual({ screen, beyond }, { screen: width, beyond: [] });
          assert.ok((await overflowOf(page)) <= 0, `the page scrolls sideways at ${width} px`);
        }
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    );
  });
}
