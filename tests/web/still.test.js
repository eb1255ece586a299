// Pointing about moves nothing: what stands under a figure at rest takes as much room as the longest sum,
// and no room is kept for nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';

const figures = {
  stepper: 's=6',
  'causal-steps': 'causal.s=3',
  dropout: '',
  cross: '',
  'mask-order': '',
  'nan-repair': '',
  overflow: '',
  precision: '',
  projection: '',
  workbench: '',
};
/** Where the sum stands above the checks, not beside them. */
const narrow = ['mask-order', 'projection', 'workbench'].map((name) => [name, 768]);
const all = [...Object.keys(figures).map((name) => [name, 1240]), ...narrow];

for (const [name, width] of all) {
  test(`${name}: the figure is as high as ever, at ${width} px, while its cells are pointed at`, async () => {
    const ready = (page) => page.locator(`attention-${name}[data-live]`).waitFor();
    await onPage(
      `en/?embed=1&figure=${name}#${figures[name]}`,
      async (page) => {
        const figure = page.locator(`attention-${name}`);
        const place = figure.locator('.still');
        const heightOf = (each) =>
          each.evaluate((element) => element.getBoundingClientRect().height);
        /** Of a style and of what it keeps, as the page has them once it is laid out. */
        const settled = () =>
          page.evaluate(
            () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
          );
        await settled();
        const [kept, needed] = await place.evaluate((element) => {
          const { minHeight } = element.style;
          element.style.alignSelf = 'start';
          element.style.minHeight = '';
          const { height } = element.getBoundingClientRect();
          Object.assign(element.style, { minHeight, alignSelf: '' });
          return [element.getBoundingClientRect().height, height];
        });
        const beside = await figure.evaluate((element) => {
          const all = [...element.shadowRoot.querySelectorAll('.still ~ *')];
          return Math.max(0, ...all.map((each) => each.getBoundingClientRect().height));
        });
        assert.ok(kept <= Math.max(needed, beside) + 1, `${kept} px for ${needed}`);

        const cells = figure.locator('td[data-stage]:visible');
        const count = await cells.count();
        const round = async () => {
          const heights = [];
          for (let turn = 0; turn < 8; turn += 1) {
            await cells.nth(Math.floor((turn * (count - 1)) / 7)).hover();
            await settled();
            heights.push(await heightOf(figure));
          }
          return heights;
        };
        const rest = await heightOf(figure);
        const heights = [...(await round()), ...(await round())];
        assert.ok(
          heights.every((height) => Math.abs(height - rest) < 1),
          [rest, ...heights].join(),
        );
      },
      { viewport: { width, height: 1800 }, ready },
    );
  });
}
