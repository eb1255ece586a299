// The workbench in each of its states: nothing beyond the page's edge at any width, targets that can be
// hit, nothing that axe finds; and all of it by keyboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import axe from 'axe-core';
import { file, onBench, says, seed, type } from './bench.js';
import { onPage, widths } from './browser.js';
import { focused, tabTo } from './keys.js';
import { bytesOf, npy } from './tensor-files.js';

const ready = (page) => page.locator('attention-workbench[data-live]').waitFor();
const rules =
  'causal~window.left.1.right.1~prefix.length.2~lengths.keys.4.queries.3~documents.starts.1.3' +
  '~global.tokens.2~or.strided.stride.2~or.not.dilated.left.1.right.0.dilation.2' +
  '~not.documents.ids.1.1.2.2~blocks.size.2.layout.10;11~window.left.1~or.prefix.length.1';
const json = JSON.stringify;
const square = seed.V.map((row) => [...row, 1]);
const wrong = seed.output_causal.with(2, [9, 9, 9]);
const unknown = json(seed.weights_causal.with(1, [null, 0, 0, 0])).replace('null', 'NaN');
const wide = (phase) =>
  npy(
    '<f4',
    [2048, 8],
    bytesOf({ length: 2048 * 8 }, Float32Array).map((_, at) => at * phase),
  );

/** Q, K and V of so many tokens and as many dimensions. */
async function give(bench, count) {
  const rows = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count }, (_row, j) => Math.sin(i * count + j)),
  );
  await type(bench, 'expected', '');
  const buffer = Buffer.from(json({ query: rows, key: rows, value: rows }));
  await bench.locator('input[type="file"]').setInputFiles(file('given.json', buffer));
}

/** One after the other on one page; each says when it is there by what it waits for. */
const states = {
  'at rest': { hash: 'bench.mask=causal' },
  'every option': {
    hash: `bench.mask=${rules}&bench.start=2&bench.scale=2&bench.softcap=0.5&bench.dropout=0.5&bench.alibi=0.5&bench.sinks=1&bench.dtype=bfloat16`,
    waits: '.matrix[data-stage="dropped"]',
  },
  'what the link asks in vain': {
    hash: 'bench.dropout=3&bench.softcap=x&bench.mask=causal~windw&bench.cell=9.2&bench.other=1',
    waits: '.bench-result > .remark[role="status"]',
  },
  'a kept cell and its causes': {
    hash: 'bench.mask=causal~window.left.1&bench.stage=masked&bench.cell=1.4',
    waits: '.bench-cell button',
  },
  'the question of the mask’s meaning': {
    hash: 'bench.mask=causal',
    does: (bench) => type(bench, 'mask', '[[1, 0, 0, 1]]'),
    waits: '.bench-shown[data-stale]',
  },
  'a refusal, and a text that cannot be read': {
    does: async (bench) => {
      await type(bench, 'mask', '');
      await type(bench, 'query', '[[1, 2]]');
      await type(bench, 'key', '[[1, 2], [3, 4, 5], [a-word-that-is-rather-long-and-no-number]]');
      await bench.locator('[data-field="key"] [role="alert"]').waitFor();
    },
    waits: '.bench-result [role="alert"]',
  },
  'a file that cannot be read': {
    does: (bench) =>
      bench
        .locator('input[type="file"]')
        .setInputFiles(file('a-picture-with-a-rather-long-name.png', Buffer.from('no'))),
    waits: '.bench-inputs > [role="alert"]',
  },
  'two tensors that agree': {
    does: async (bench) => {
      for (const [field, rows] of Object.entries({ query: seed.Q, key: seed.K })) {
        await type(bench, field, json(rows));
      }
      await type(bench, 'expected', json(seed.output_causal));
    },
    waits: '.bench-same',
  },
  'two that differ': {
    does: (bench) => type(bench, 'expected', json(wrong)),
    waits: '.bench-problem button',
  },
  'weights to compare, with NaN': {
    does: async (bench) => {
      await type(bench, 'value', json(square));
      await type(bench, 'expected', unknown);
    },
    waits: '.bench-result .bench-problem',
  },
  'the menu': {
    does: (bench) => bench.locator('details.export > summary').click(),
    waits: 'details.export .formats',
  },
  'seven keys, which a phone has room for': {
    does: (bench) => give(bench, 7),
    waits: '.matrix[data-stage="scores"] td[data-column="6"]',
  },
  'sixteen keys, which it has not': {
    does: (bench) => give(bench, 16),
    waits: '.matrix[data-stage="scores"] td[data-column="15"]',
  },
  'a large stage, with a cell kept': {
    hash: 'bench.mask=causal&bench.cell=2000.7',
    does: async (bench) => {
      await type(bench, 'expected', '');
      const files = ['q', 'k', 'v'].map((name, at) => file(`${name}.npy`, wide(at + 1)));
      await bench.locator('input[type="file"]').setInputFiles(files);
    },
    waits: '.picture i',
  },
};

/** What is beyond the edge, cut off inside its own box, or too small to be hit. */
const faultsOf = (bench, least) =>
  bench.evaluate((figure, low) => {
    const faults = [];
    const beyond = document.documentElement.scrollWidth - innerWidth;
    if (beyond > 0) faults.push(`the page is ${beyond} px too wide`);
    for (const element of figure.shadowRoot.querySelectorAll('*')) {
      const { left, right, width, height } = element.getBoundingClientRect();
      if (width === 0 || element.closest('.visually-hidden')) continue;
      const name = `${element.localName}.${element.className} ${element.textContent.trim().slice(0, 20)}`;
      if (left < -0.5 || right > innerWidth + 0.5) faults.push(`${name} is beyond the edge`);
      const isControl = element.matches(
        'button, select, textarea, summary, .switch, .button, .bench-select input',
      );
      if (isControl && height < low) faults.push(`${name} is ${height} px high`);
      if (element.matches('button, .button') && element.scrollWidth > element.clientWidth + 1) {
        faults.push(`${name} is cut off`);
      }
    }
    return faults;
  }, least);

for (const [language, colorScheme] of [
  ['en', 'light'],
  ['zh', 'dark'],
]) {
  const isTouch = language === 'zh';
  const how = `${language}, ${colorScheme}, by ${isTouch ? 'finger' : 'mouse'}`;
  test(`workbench: each state at each width, and axe: ${how}`, async () => {
    await onPage(
      `${language}/?embed=1&figure=workbench`,
      async (page) => {
        const bench = page.locator('attention-workbench');
        await bench.locator('.bench-facts').last().waitFor();
        await page.evaluate(axe.source);
        const faults = [];
        for (const [name, { hash, does, waits = '.bench-facts' }] of Object.entries(states)) {
          await page.setViewportSize({ width: widths[0], height: 900 });
          if (hash) await page.evaluate((to) => (location.hash = to), hash);
          await does?.(bench);
          await bench.locator(waits).first().waitFor();
          for (const width of widths) {
            await page.setViewportSize({ width, height: 900 });
            const found = await faultsOf(bench, isTouch ? 44 : 24);
            faults.push(...found.map((text) => `${name}, ${width} px: ${text}`));
          }
          // The themes differ in their colours only.
          const options =
            colorScheme === 'light' ? {} : { runOnly: ['color-contrast', 'link-in-text-block'] };
          const { violations } = await page.evaluate(
            (given) => globalThis.axe.run('attention-workbench', given),
            options,
          );
          for (const { id, nodes } of violations) {
            faults.push(
              `${name}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
            );
          }
        }
        assert.deepEqual(faults, []);
      },
      {
        ready,
        colorScheme,
        hasTouch: isTouch,
        isMobile: isTouch,
      },
    );
  });
}

test('workbench: by keyboard alone, from a mask to a difference, an option and a saved file', async () => {
  await onBench(
    async ({ page, bench }) => {
      const isVisible = () =>
        page.evaluate(() => {
          const { activeElement } = document.activeElement.shadowRoot;
          const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
          return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
        });
      const goTo = async (what, isThere) => {
        const inBench = (now) => now.figure === 'attention-workbench' && isThere(now);
        const now = await tabTo(page, what, inBench);
        assert.ok(await isVisible(), `the focus is seen on ${what}`);
        return now;
      };
      const { keyboard } = page;
      await page.evaluate(() => document.querySelector('attention-workbench').scrollIntoView());

      // A mask of truth values is asked about; the answer is one of a list.
      await goTo('the mask', ({ id }) => id === 'bench-mask');
      await keyboard.type('[[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]');
      await bench.locator('.bench-shown[data-stale]').waitFor();
      await goTo('what removes causal', ({ className }) => className === 'bench-remove');
      await keyboard.press('Enter');
      await goTo(
        'where rules are added',
        ({ name, text }) => name === 'button' && /window$/.test(text),
      );
      const meaning = bench.getByLabel('The tensor’s numbers mean');
      await goTo('its meaning', ({ label }) => /numbers mean/.test(label));
      for (let count = 0; (await meaning.inputValue()) !== 'allowed'; ++count) {
        assert.ok(count < 6);
        await keyboard.press('ArrowDown');
      }
      await bench.locator('.bench-shown:not([data-stale])').waitFor();

      // A number is typed, and what is no number leaves it.
      await goTo('the softcap', ({ label }) => label === 'softcap');
      await keyboard.type('2');
      await keyboard.press('Enter');
      await bench.locator('.matrix[data-stage="capped"]').waitFor();

      // One tab stop in the tables; the arrows go on, Enter keeps, Escape lets go.
      await goTo('the tables', ({ place }) => place === 'scores 0 0');
      for (const key of ['ArrowDown', 'End']) await keyboard.press(key);
      assert.equal((await focused(page)).place, 'scores 1 3');
      await keyboard.press('Enter');
      await says(bench, 'forbidden by the mask’s tensor');
      assert.match(page.url(), /bench\.cell=2\.4/);
      await keyboard.press('Escape');
      await page.waitForFunction(() => !location.hash.includes('cell'));

      await goTo('the menu', ({ name }) => name === 'summary');
      await keyboard.press('Enter');
      await goTo('JSON', ({ text }) => text === 'JSON');
      const download = page.waitForEvent('download');
      await keyboard.press('Enter');
      assert.equal((await download).suggestedFilename(), 'attention-workbench.json');

      // Back to what is expected, and to where it differs.
      for (let count = 0; (await focused(page)).id !== 'bench-expected'; ++count) {
        assert.ok(count < 60);
        await keyboard.press('Shift+Tab');
      }
      await keyboard.type(json(seed.output_causal));
      await bench.locator('.bench-problem button').waitFor();
      await goTo('the difference', ({ text }) => text === 'Look there');
      await keyboard.press('Enter');
      await page.waitForFunction(() => location.hash.includes('cell'));
    },
    { state: '?embed=1&figure=workbench', ready },
  );
});
