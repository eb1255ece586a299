// Drawings: their lettering is as large as that of all figures, and everything in them has its name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
import { wake } from './marks.js';

for (const width of [1440, 390, 320]) {
  test(`at ${width} px the lines of the charts are named at their ends, in letters of 13 px`, async () => {
    await onPage(
      'en/#lab.mode=article',
      async (page) => {
        const lab = await wake(page, 'scaling-lab');
        await page.waitForFunction(() => {
          const { shadowRoot } = document.querySelector('attention-scaling-lab');
          const svg = shadowRoot.querySelector('.chart svg');
          return Math.abs(svg.getScreenCTM().a - 1) < 0.01;
        });
        await lab.locator('.lab-charts[aria-busy="false"]').waitFor();
        const charts = await lab.locator('.chart svg').evaluateAll((all) =>
          all.map((svg) => {
            const { right, bottom } = svg.getBoundingClientRect();
            const texts = [...svg.querySelectorAll('text')];
            const boxes = texts.map((text) => text.getBoundingClientRect());
            const meet = (a, b) =>
              a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
            return {
              names: [...svg.querySelectorAll('[data-series] text')].map(
                (each) => each.textContent,
              ),
              sizes: texts.map((text) => getComputedStyle(text).fontSize),
              cut: boxes.filter((box) => box.right > right + 1 || box.bottom > bottom + 1).length,
              met: boxes.flatMap((a, i) =>
                boxes.slice(i + 1).flatMap((b, j) => (meet(a, b) ? [[i, i + 1 + j]] : [])),
              ),
            };
          }),
        );
        assert.equal(charts.length, 2);
        const theory = ['theory', 'theory'];
        for (const [index, { names, sizes, cut, met }] of charts.entries()) {
          const expected = ['raw', 'scaled', ...(index === 0 ? theory : []), 'article A’s data'];
          assert.deepEqual(names, expected);
          assert.deepEqual([...new Set(sizes)], ['13px']);
          assert.equal(cut, 0);
          assert.deepEqual(met, []);
        }
        const bars = await lab.locator('.bars').first().locator('.what').allInnerTexts();
        assert.deepEqual(
          bars.map((text) => text.trim()),
          ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8'],
        );
      },
      { viewport: { width, height: 900 } },
    );
  });
}

test('what is raw and what is scaled is told apart without the colours of signs', async () => {
  await onPage('en/', async (page) => {
    const lab = await wake(page, 'scaling-lab');
    await lab.locator('.lab-charts[aria-busy="false"]').waitFor();
    const colorsOf = (selector, property) =>
      lab
        .locator(selector)
        .evaluateAll(
          (all, name) => [...new Set(all.map((each) => getComputedStyle(each)[name]))],
          property,
        );
    const lines = await colorsOf('.series', 'stroke');
    assert.equal(lines.length, 2);
    const signs = await lab.evaluate((host) =>
      ['--positive', '--negative', '--weight'].map((token) => {
        const probe = host.shadowRoot.appendChild(document.createElement('i'));
        probe.style.color = `var(${token})`;
        const { color } = getComputedStyle(probe);
        probe.remove();
        return color;
      }),
    );
    for (const line of lines) assert.ok(!signs.includes(line), line);
  });
});

test('the plane of the dot product says its units, and no letter lies on another', async () => {
  for (const [q, k] of [
    ['1,0', '3,3'],
    ['2,1', '1,-3'],
  ]) {
    await onPage(`en/#dot.q=${q}&dot.k=${k}`, async (page) => {
      const plane = (await wake(page, 'dot-product')).locator('svg');
      const ticks = await plane.locator('.tick').allTextContents();
      assert.deepEqual([...new Set(ticks)], ['−4', '−2', '2', '4']);
      const letters = plane.locator('g > text');
      assert.deepEqual(await letters.allTextContents(), ['k', 'q']);
      const met = await plane.evaluate((svg) => {
        const boxes = [...svg.querySelectorAll('text')].map((text) => text.getBoundingClientRect());
        return boxes.flatMap((a, i) =>
          boxes
            .slice(i + 1)
            .filter((b) => a.left < b.right && b.left < a.right)
            .filter((b) => a.top + 3 < b.bottom - 3 && b.top + 3 < a.bottom - 3),
        ).length;
      });
      assert.equal(met, 0);
    });
  }
});
