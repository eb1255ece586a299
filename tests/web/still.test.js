// Pointing about moves nothing: under a figure no room is kept for nothing, and once a long sum has
// stood there, a short one takes as much.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';

const figures = {
  stepper: 's=6',
  'causal-steps': 'causal.s=3',
  dropout: '',
  cross: '',
  'mask-order': '',
  projection: '',
};

for (const [name, state] of Object.entries(figures)) {
  test(`${name}: the figure never gets lower while its cells are pointed at`, async () => {
    const ready = (page) => page.locator(`attention-${name}[data-live]`).waitFor();
    await onPage(
      `en/?embed=1&figure=${name}#${state}`,
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
        const first = [await heightOf(figure), ...(await round())];
        first.reduce((last, height) => {
          assert.ok(height >= last - 0.5, first.join());
          return height;
        });
        const highest = first.at(-1);
        const second = await round();
        assert.deepEqual(
          second.map((height) => Math.abs(height - highest) < 1),
          second.map(() => true),
          [highest, ...second].join(),
        );
      },
      { viewport: { width: 1240, height: 1800 }, ready },
    );
  });
}
