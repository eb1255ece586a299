// The page as a whole: readable without script, accessible, on every width, host and theme.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import axe from 'axe-core';
import {
  alive,
  cell,
  figureNames,
  languages,
  onPage,
  overflowOf,
  site,
  widths,
} from './browser.js';

const readWords = async (language, name) =>
  JSON.parse(
    await readFile(new URL(`../../web/content/${language}/${name}.json`, import.meta.url), 'utf8'),
  );

/** Every text of a dictionary as [path, its placeholders]. */
const entries = (words, path = '') =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[path + key, value.match(/\{\w+\}/g)?.sort() ?? []]]
      : entries(value, `${path}${key}.`),
  );

test('both languages have the same words, with the same placeholders', async () => {
  for (const name of ['words', 'shell']) {
    const [en, zh] = await Promise.all(languages.map((language) => readWords(language, name)));
    assert.deepEqual(entries(zh), entries(en));
  }
});

test('a page that is passed on brings its title and what it is about, in its language', async () => {
  const folder = new URL('../../build/site/', import.meta.url);
  for (const language of languages) {
    const html = await readFile(new URL(`${language}/index.html`, folder), 'utf8');
    const { description } = await readWords(language, 'shell');
    const title = /<title>([^<]+)<\/title>/.exec(html)[1];
    assert.equal(/[\u4e00-\u9fff]/.test(title), language === 'zh', title);
    assert.ok(html.includes(`<html lang="${language === 'zh' ? 'zh-Hans' : 'en'}">`));
    for (const name of ['name="description"', 'property="og:description"'])
      assert.ok(html.includes(`<meta ${name} content="${description}" />`), name);
    assert.ok(html.includes(`<meta property="og:title" content="${title}" />`));
    const icon = /<link rel="icon" href="([^"]+)"/.exec(html)[1];
    assert.match(await readFile(new URL(icon.replace(/^[./]*/, ''), folder), 'utf8'), /<svg/);
  }
});

for (const language of languages) {
  test(`without JavaScript everything can be read: ${language}`, async () => {
    await onPage(
      `${language}/`,
      async (page) => {
        assert.equal(await page.locator('main > section').count(), 13);
        assert.ok((await page.locator('.katex').count()) > 100);
        const frame = page.locator('attention-stepper .first-frame');
        const numbers = await frame.locator('[data-stage="query"] td.cell').allInnerTexts();
        assert.deepEqual(numbers.slice(0, 3), ['0.11', '0.77', '0.08']);
        assert.equal(await frame.locator('table').first().isVisible(), true);
        assert.equal(await page.locator('attention-stepper button').count(), 0);
        for (let step = 1; step <= 6; ++step) {
          assert.equal(await page.locator(`.step-prose[slot="step-${step}"]`).isVisible(), true);
        }
        assert.equal(await page.locator('noscript .notice').isVisible(), true);
      },
      { javaScriptEnabled: false },
    );
  });

  test(`sliders and their boxes have names, and say their values: ${language}`, async () => {
    await onPage(`${language}/`, async (page) => {
      await alive(page);
      for (const figure of figureNames) {
        await page.locator(figure).first().scrollIntoViewIfNeeded();
      }
      const sliders = page.locator('.slider');
      await sliders.nth(20).waitFor();
      for (const slider of await sliders.all()) {
        const text = await slider.locator('span').first().innerText();
        const [range, box] = ['slider', 'spinbutton'].map((role) => slider.getByRole(role));
        const name = await range.getAttribute('aria-label');
        assert.equal(name.replace('_', ''), text.replace(/\s/g, ' ').trim());
        assert.equal(await box.getAttribute('aria-label'), name);
        const value = Number(await box.inputValue()).toLocaleString('en');
        assert.equal(await range.getAttribute('aria-valuetext'), `${name}: ${value}`);
      }
    });
  });

  test(`no width scrolls sideways, at any step: ${language}`, async () => {
    await onPage(`${language}/`, async (page) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        for (let step = 1; step <= 6; ++step) {
          await page
            .locator('attention-stepper button.step')
            .nth(step - 1)
            .click();
          const overflow = await overflowOf(page);
          assert.ok(overflow <= 0, `${width} px, step ${step}: ${overflow} px too wide`);
        }
      }
    });
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing: ${language}, ${colorScheme}`, async () => {
      await onPage(
        `${language}/#s=6`,
        async (page) => {
          await page.evaluate(axe.source);
          const check = async (where, ...options) => {
            const { violations } = await page.evaluate(
              (given) => globalThis.axe.run(...given),
              options,
            );
            const found = violations.map(
              ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
            );
            assert.deepEqual(found, [], where);
          };
          // Not inside the formulas: they are KaTeX's, and by far most of the page's elements.
          const article = { include: 'body', exclude: '.katex' };
          // The dark theme differs in its colours only.
          if (colorScheme === 'light') await check('at rest', article, {});
          else
            await check('at rest', article, { runOnly: ['color-contrast', 'link-in-text-block'] });
          await cell(page, 'output', 2, 1).click();
          await page.waitForTimeout(400);
          await check('with a cell kept', 'attention-stepper', {});
          const empty = await page
            .locator('th')
            .evaluateAll((heads) =>
              heads.filter((head) => head.textContent.trim() === '').map((head) => head.outerHTML),
            );
          assert.deepEqual(empty, [], 'empty headings');
        },
        { colorScheme },
      );
    });
  }
}

test('Q stands beside the scores, row on row, and Kᵀ above them, column on column', async () => {
  for (const width of [1440, 768, 390]) {
    await onPage(
      'en/#s=2',
      async (page) => {
        const box = (stage, row, column) => cell(page, stage, row, column).boundingBox();
        for (const index of [0, 3]) {
          const [q, k, score] = await Promise.all([
            box('query', index, 0),
            box('key', index, 0),
            box('scores', index, index),
          ]);
          assert.ok(Math.abs(q.y - score.y) < 1, `row ${index + 1} at ${width} px`);
          assert.ok(Math.abs(k.x - score.x) < 1, `column ${index + 1} at ${width} px`);
          assert.ok(q.x + q.width < score.x && k.y + k.height < score.y, `${width} px`);
        }
        const last = await box('scores', 3, 3);
        assert.ok(last.x + last.width <= width, `inside ${width} px`);
      },
      { viewport: { width, height: 900 } },
    );
  }
});

test('the theme can be chosen, is remembered, and is there before the first paint', async () => {
  await onPage(
    'en/',
    async (page) => {
      const paper = () =>
        page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await paper();
      await page.locator('#theme').selectOption('dark');
      const dark = await paper();
      assert.notEqual(dark, light);
      await page.route(/main-.*\.js$/, (route) => route.abort());
      await page.goto(page.url());
      assert.equal(await paper(), dark);
    },
    { faults: [/ERR_FAILED/] },
  );
});

test('the root sends readers on in their language, or lets them choose', async () => {
  for (const [locale, path] of [
    ['zh-CN', '/zh/'],
    ['en-GB', '/en/'],
    ['fr-FR', '/en/'],
  ]) {
    await onPage(
      '',
      async (page) => {
        await page.waitForURL((url) => url.pathname === path);
        await alive(page);
      },
      { locale },
    );
  }
  await onPage(
    '',
    async (page) => {
      assert.equal(await page.locator('.choice a').count(), 2);
      await page.locator('.choice a').first().click();
      assert.equal(new URL(page.url()).pathname, '/zh/');
    },
    { javaScriptEnabled: false },
  );
});

const build = (page) =>
  page.evaluate(() => document.querySelector('attention-stepper').page.attention.info);

test('threads where the host isolates the page, one thread and the reason where it does not', async () => {
  await onPage('en/', async (page) => {
    const info = await build(page);
    assert.equal(info.crossOriginIsolated, true);
    const cores = await page.evaluate(() => navigator.hardwareConcurrency);
    assert.equal(info.threads, cores);
  });
  const url = await site({ isolated: false });
  await onPage(
    'en/',
    async (page) => {
      const info = await build(page);
      assert.deepEqual([info.crossOriginIsolated, info.threads], [false, 1]);
      assert.match(info.why.join(), /COOP and COEP/);
    },
    { url },
  );
});

test('a strict content security policy is enough', async () => {
  const policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'";
  const url = await site({ headers: { 'Content-Security-Policy': policy } });
  await onPage(
    'en/#s=6',
    async (page) => {
      assert.equal((await cell(page, 'output', 3, 1).innerText()).trim(), '−0.12');
    },
    { url },
  );
});

test('nothing is asked of another origin', async () => {
  await onPage('zh/', async (page) => {
    await page.reload({ waitUntil: 'networkidle' });
    const asked = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin),
    );
    assert.ok(asked.length > 5);
    assert.deepEqual([...new Set(asked)], [new URL(page.url()).origin]);
  });
});

test('where the WebAssembly cannot be had, the article stands and says why', async () => {
  for (const language of languages) {
    await onPage(
      'about:blank',
      async (page) => {
        const url = await site();
        await page.route('**/*.wasm', (route) => route.fulfill({ status: 404 }));
        await page.goto(`${url}${language}/`);
        const notice = page.locator('#load-failed');
        await notice.waitFor();
        const why = { en: 'The WebAssembly file could not be', zh: 'WebAssembly 文件没有取到' };
        assert.ok((await notice.innerText()).includes(why[language]));
        assert.match(await notice.locator('[lang="en"]').innerText(), /404/);
        assert.equal(await page.locator('attention-stepper .first-frame').isVisible(), true);
        assert.equal(await page.locator('.step-prose[slot="step-6"]').isVisible(), true);
      },
      { faults: [/404/] },
    );
  }
});
