// The documentation as built: complete, with masks and numbers that agree with the float64 reference,
// and at ease on every screen.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import axe from 'axe-core';
import * as library from 'attention-wasm';
import { predicate } from '../reference/mask.js';
import { snippets } from '../snippets.js';
import { onPage as open, overflowOf, site, widths } from './browser.js';
import { install } from './install.js';

const references = ['en/docs/reference/', 'zh/docs/reference/'];
const paths = ['en/docs/', 'zh/docs/', ...references];
/** The documentation's pages are text: there when they are loaded. */
const onPage = (path, use, settings) =>
  open(path, use, { ready: () => Promise.resolve(), ...settings });

const tables = await library.load({ threads: 1 }).then((attention) => {
  const described = attention.describe();
  attention.dispose();
  return described;
});

/** The value of a JavaScript expression in which the library's exports are known. */
const evaluate = (expression, names = {}) =>
  new Function(...Object.keys({ ...library, ...names }), `return ${expression}`)(
    ...Object.values({ ...library, ...names }),
  );

for (const path of references)
  test(`${path}: a weight that a mask makes 0 carries the mark of the rule, and no other does`, async () => {
    await onPage(path, async (page) => {
      const rows = await page
        .locator('[data-option="mask"] .weights tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll('.cell')].map(({ dataset }) => dataset.cause)),
        );
      // The causal rule forbids what lies above the diagonal, the window what lies too far before it.
      rows.forEach((row, i) =>
        row.forEach((cause, j) =>
          assert.equal(cause !== undefined, j > i || j < i - 1, `${i} ${j}`),
        ),
      );
      const texts = (selector) => page.locator(`[data-option] td${selector}`).allInnerTexts();
      assert.deepEqual(new Set(await texts('[data-cause]')), new Set(['0']));
      assert.ok(!(await texts('.cell:not([data-cause])')).includes('0'));
    });
  });

for (const path of references)
  test(`${path}: every option and every mask kind has an entry with code, a picture and a number`, async () => {
    await onPage(path, async (page) => {
      const entries = (attribute) =>
        page.locator(`[data-${attribute}]`).evaluateAll(
          (all, name) =>
            all.map((entry) => ({
              name: entry.dataset[name],
              complete: Boolean(
                entry.querySelector('pre') &&
                entry.querySelector('.weights, .mask') &&
                /\d/.test(entry.querySelector('.result')?.textContent ?? ''),
              ),
            })),
          attribute,
        );
      const complete = (names) => names.map((name) => ({ name, complete: true }));
      assert.deepEqual(await entries('option'), complete(tables.options.map(({ name }) => name)));
      assert.deepEqual(await entries('kind'), complete(tables.masks.map(({ kind }) => kind)));
      const text = await page.locator('main').innerText();
      for (const { name } of [...tables.dtypes, ...tables.steps])
        assert.ok(text.includes(name), name);
      for (const name of Object.keys(library)) {
        if (tables[name] === undefined) {
          assert.equal(await page.locator(`#type-${name}`).count(), 1, name);
        }
      }
    });
  });

for (const path of references)
  test(`${path}: the drawn masks are what their code means, cell by cell`, async () => {
    await onPage(path, async (page) => {
      const drawn = await page.locator('[data-kind]').evaluateAll((entries) =>
        entries.map((entry) => {
          const picture = entry.querySelector('.mask');
          const path = picture.querySelector('.allowed');
          const inside = (x, y) => path.isPointInFill(new DOMPoint(x, y));
          const cells = (queries, keys) => {
            const { width, height } = picture.viewBox.baseVal;
            const [dx, dy] = [(width - 2) / keys, (height - 2) / queries];
            return Array.from({ length: queries }, (_, i) =>
              Array.from({ length: keys }, (_, j) => inside((j + 0.5) * dx, (i + 0.5) * dy)),
            );
          };
          return {
            kind: entry.dataset.kind,
            code: entry.querySelector('pre').textContent,
            result: entry.querySelector('.result').textContent,
            cells: cells(8, 8),
          };
        }),
      );
      assert.equal(drawn.length, tables.masks.length);
      for (const { kind, code, result, cells } of drawn) {
        const call = evaluate(code.replace(/;$/, ''), {
          attention: { mask: (rule, shape) => ({ rule, shape }) },
        });
        assert.deepEqual([call.shape.queries, call.shape.keys], [8, 8], kind);
        const allows = predicate(call.rule, { batch: 1, heads: 1, ...call.shape });
        const expected = cells.map((row, i) => row.map((_, j) => Boolean(allows(0, 0, i, j))));
        assert.deepEqual(cells, expected, kind);
        const [allowed, , empty] = result.match(/\d+(?=\D)/g).map(Number);
        assert.equal(allowed, expected.flat().filter(Boolean).length, kind);
        assert.equal(empty, expected.filter((row) => !row.includes(true)).length, kind);
        const last = expected[7].flatMap((is, j) => (is ? [j] : []));
        const mean = last.reduce((sum, j) => sum + j, 0) / Math.max(last.length, 1);
        assert.equal(Number(/[\d.]+$/.exec(result)[0]), Number(mean.toFixed(4)), kind);
      }
    });
  });

for (const path of references)
  test(`${path}: the numbers beside the options are those of a call`, async () => {
    const attention = await library.load({ threads: 1 });
    const { default: example } = await import('../../web/examples/six-step.json', {
      with: { type: 'json' },
    });
    const [query, key, value] = ['query', 'key', 'value'].map((name) =>
      library.tensor(example.inputs[name]),
    );
    const lastQueries = library.tensor(example.inputs.query.slice(-2));
    await onPage(path, async (page) => {
      const entries = await page.locator('[data-option]').evaluateAll((all) =>
        all.map((entry) => ({
          code: entry.querySelector('pre').textContent,
          result: entry.querySelector('.result').textContent,
        })),
      );
      for (const { code, result } of entries) {
        const names = { attention, query, key, value, lastQueries };
        const { output } = evaluate(code.replace(/;$/, ''), names);
        const printed = result.replaceAll('−', '-').match(/-?\d+\.\d+/g);
        const expected = Array.from(output.data).slice(-3);
        assert.equal(printed.length, 3, code);
        expected.forEach((number, at) => {
          assert.ok(Math.abs(number - Number(printed[at])) < 6e-5, `${code}: ${result}`);
        });
      }
    });
    attention.dispose();
  });

for (const path of references)
  test(`${path}: every code of an error is listed, with the messages of real calls or when it comes`, async () => {
    const sources = ['core', 'wasm', 'js'].flatMap((part) => {
      const folder = new URL(`../../src/${part}/`, import.meta.url);
      return readdirSync(folder)
        .filter((name) => /\.(cpp|ts)$/.test(name))
        .map((name) => readFileSync(new URL(name, folder), 'utf8'));
    });
    const thrown =
      /(?:AttentionError\(\s*|code = )'([a-z]+)'|(?:return|error =|fail\()\s*\{"([a-z]+)",/g;
    const codes = sources.flatMap((text) => [...text.matchAll(thrown)].map((m) => m[1] ?? m[2]));
    assert.ok(codes.length > 30);
    await onPage(path, async (page) => {
      const listed = await page.locator('.errors > dt').allInnerTexts();
      assert.deepEqual(listed.map((code) => code.trim()).sort(), [...new Set(codes)].sort());
      for (const text of await page.locator('.errors > dd').allInnerTexts())
        assert.ok(text.length > 20);
    });
  });

test('what the library says of itself is said in Chinese too, text by text', async () => {
  const file = new URL('../../web/content/reference/zh.json', import.meta.url);
  const texts = JSON.parse(readFileSync(file, 'utf8'));
  const { options, masks, dtypes, steps } = tables;
  const docs = [options, masks, masks.flatMap(({ fields }) => fields), dtypes, steps].flat();
  for (const { doc } of docs) assert.ok(texts[doc], doc);

  const plain = (text) => text.replace(/[`\s]+/g, ' ').trim();
  const shown = {};
  for (const path of references)
    await onPage(path, async (page) => {
      const blocks = page.locator('.entry p:not(.type), dd, td, li, .type, .exported > p');
      shown[path] = {
        whole: plain(await page.locator('main').evaluate((main) => main.textContent)),
        blocks: await blocks.evaluateAll((all) =>
          all.map((block) => {
            const copy = block.cloneNode(true);
            for (const other of copy.querySelectorAll('code, pre, dl, [lang="en"]')) other.remove();
            return copy.textContent.trim();
          }),
        ),
      };
    });
  const [english, chinese] = references.map((path) => shown[path]);
  const spaceless = (text) => plain(text).replaceAll(' ', '');
  for (const [text, translation] of Object.entries(texts)) {
    assert.ok(spaceless(english.whole).includes(spaceless(text)), text);
    assert.ok(spaceless(chinese.whole).includes(spaceless(translation)), translation);
  }
  assert.equal(chinese.blocks.length, english.blocks.length);
  assert.ok(chinese.blocks.length > 300);
  const isEnglish = (text) => /[a-z]{2,} [a-z]{2,}/.test(text) && !/\p{Script=Han}/u.test(text);
  assert.ok(english.blocks.filter(isEnglish).length > 100);
  assert.deepEqual(chinese.blocks.filter(isEnglish), []);
});

test('the page with a figure of the guide works as it stands there', async () => {
  const guide = new URL('../../web/content/en/docs/06-figures.md', import.meta.url);
  const [code] = snippets(readFileSync(guide, 'utf8'), 'html');
  const url = await site({ folder: install('docs-figure', code) });
  await open(
    '',
    async (page) => {
      const told = page.waitForEvent('console');
      await page.locator('attention-stepper button.primary').click();
      assert.equal((await told).text(), 's=6');
    },
    { url },
  );
});

test('links within the site lead somewhere, and to an anchor that is there', async () => {
  for (const path of ['en/', 'zh/', ...paths]) {
    await onPage(path, async (page) => {
      const here = new URL(page.url()).origin;
      const links = await page
        .locator('a[href]')
        .evaluateAll((all) => [...new Set(all.map(({ href }) => href))]);
      const pages = new Map();
      for (const link of links.filter((href) => href.startsWith(here))) {
        const [address, anchor] = link.split('#');
        if (!pages.has(address)) {
          const answer = await fetch(address);
          assert.equal(answer.status, 200, `${path} links to ${link}`);
          pages.set(address, await answer.text());
        }
        const isState = /^[a-z]+=/.test(anchor ?? '');
        if (!anchor || isState) continue;
        assert.ok(pages.get(address).includes(`id="${anchor}"`), `${path} links to ${link}`);
      }
    });
  }
});

test('every page of the documentation can be reached from the article', async () => {
  for (const language of ['en', 'zh']) {
    await onPage(`${language}/`, async (page) => {
      const inHead = await page.locator('.top a').evaluateAll((all) => all.map(({ href }) => href));
      const inLast = await page
        .locator('#library a')
        .evaluateAll((all) => all.map(({ href }) => href));
      const { origin } = new URL(page.url());
      assert.ok(inHead.includes(`${origin}/${language}/docs/`));
      assert.ok(inLast.includes(`${origin}/${language}/docs/`));
      assert.ok(inLast.includes(`${origin}/${language}/docs/reference/`));
    });
  }
});

for (const path of paths) {
  test(`${path} fits every screen`, async () => {
    await onPage(path, async (page) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const overflow = await overflowOf(page);
        assert.ok(overflow <= 0, `${width} px: ${overflow} px too wide`);
        const cut = await page
          .locator('pre')
          .evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length);
        assert.equal(cut, 0, `${width} px: code that has to be scrolled`);
      }
    });
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing: ${path}, ${colorScheme}`, async () => {
      await onPage(
        path,
        async (page) => {
          await page.evaluate(axe.source);
          const { violations } = await page.evaluate(() => globalThis.axe.run());
          const found = violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
          );
          assert.deepEqual(found, []);
        },
        { colorScheme },
      );
    });
  }
}
