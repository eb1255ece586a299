// A link says what it says: what a figure cannot use of it, brings into bounds or does not know is told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { onPage } from './browser.js';

const load = async (path) =>
  (await runnerImport(fileURLToPath(new URL(`../../web/${path}`, import.meta.url)))).module;
const { writeCase, writeMatrix } = await load('state/link.ts');
const { home: matrices } = await load('figures/projection-data.ts');
const matrix = (rows, columns) => writeMatrix(Array(rows).fill(Array(columns).fill(0.5)));

/** Of every key a text that is used as it stands, and one that is brought into bounds, to what. */
const keys = {
  'align.equal': ['1'],
  'align.first': ['3', '9', '7'],
  'align.key': [matrix(7, 3)],
  'align.mine': ['1'],
  'align.pin': ['top-left-output.1.1'],
  'align.query': [matrix(7, 3)],
  'align.s': ['6', '99', '7'],
  'align.seed': ['7', '0', '1'],
  'align.t': ['3', '2.6', '3'],
  'align.value': [matrix(7, 1)],
  'bench.alibi': ['0.5'],
  'bench.batch': ['1', '0', '1'],
  'bench.cell': ['2.1', '9.9', '4, 4'],
  'bench.colors': ['stretched'],
  'bench.dropout': ['0.5', '3', '1'],
  'bench.dtype': ['float64'],
  'bench.expected': ['weights'],
  'bench.head': ['1', '-1', '1'],
  'bench.mask': ['window.left.2', 'window.left.-2', 'window.left.0'],
  'bench.meaning': ['blocked'],
  'bench.scale': ['2'],
  'bench.seed': ['3', '-3', '0'],
  'bench.sinks': ['-0.5'],
  'bench.softcap': ['2', '-2', 'off'],
  'bench.stage': ['masked'],
  'bench.start': ['top-left'],
  'bug.chosen': ['2.0.0.0.0.3.0.0.0.0.0.1', '4.0.0.0.0.0.0.0.0.0.0.0', '3.0.0.0.0.0.0.0.0.0.0.0'],
  'bug.hint': ['1.3', '3.99', '3'],
  'bug.open': ['12', '0.12', '12'],
  'bug.pin': ['value-in-scores.2.1'],
  'bug.rows': ['2.12', '2.13', '2'],
  'cards.open': ['1.2', '2.11', '2'],
  'cast.batch': ['2', '0', '1'],
  'cast.keys': ['2', '7', '6'],
  'cast.queries': ['2', '1.4', '1'],
  'causal.case': [],
  'causal.mine': ['1'],
  'causal.pin': ['weights.3.2'],
  'causal.s': ['2', '9', '3'],
  'cost.batch': ['2', '0', '1'],
  'cost.heads': ['4', '-4', '1'],
  'cost.tokens': ['256', '0', '1'],
  'cost.width': ['32', '0', '8'],
  'cross.key': [matrix(6, 4)],
  'cross.mine': ['1'],
  'cross.pin': ['weights.1.1'],
  'cross.query': [matrix(6, 4)],
  'cross.s': ['2', '0', '1'],
  'cross.seed': ['7', '0', '1'],
  'cross.t': ['2', '7', '6'],
  'cross.value': [matrix(6, 3)],
  'dot.k': ['1,2', '1,9', '1,4'],
  'dot.q': ['-1,2', '0,-9', '0,-4'],
  'drop.mine': ['1'],
  'drop.p': ['0.25', '2', '1'],
  'drop.pin': ['mean.2.1'],
  'drop.seed': ['5', '-5', '0'],
  'exp.pin': ['textbook.2.1'],
  'exp.t': ['float32'],
  'exp.x': ['89,88,80'],
  'finite.c': ['-1e4'],
  'finite.hide': ['causal'],
  'finite.in': ['float64'],
  'finite.mine': ['1'],
  'finite.pin': ['addedWeights.2.1'],
  'fruit.case': [],
  'fruit.mine': ['1'],
  'fruit.pin': ['scores.1.2'],
  'fruit.q': ['2', '9', '4'],
  'fruit.s': ['2', '9', '4'],
  'fruit.story': ['library'],
  'half.c': ['20', '0', '1'],
  'half.pin': ['first.4.1'],
  'it.asks': ['3', '11', '10'],
  'it.causal': ['1'],
  'it.hide': ['2.6', '2.11', '2'],
  'lab.d': ['16'],
  'lab.keys': ['16'],
  'lab.mode': ['uniform'],
  'lab.n': ['50'],
  'lab.seed': ['7'],
  'mask.m': ['queries:4,rules:causal', 'queries:40', 'queries:10'],
  'mask.mine': ['1'],
  'mask.pin': ['weights.2.1'],
  'mask.show': ['allowed'],
  'nan.enter': ['filled'],
  'nan.hide': ['causal'],
  'nan.mine': ['1'],
  'nan.pin': ['lateScores.2.1'],
  'no.open': ['start'],
  'online.mask': ['none'],
  'online.mine': ['1'],
  'online.row': ['2', '99', null],
  'online.step': ['1', '0', '1'],
  'online.tile': ['4', '3', '2'],
  'order.add': ['2000'],
  'order.mine': ['1'],
  'order.pin': ['after.2.1'],
  'quiz.chosen': ['2.0.1.0.0', '9.0.0.0.0', '3.0.0.0.0'],
  'quiz.open': ['1', '9.1', '1'],
  'shape.batch': ['1', '0', '1'],
  'shape.dk': ['3', '99', '64'],
  'shape.dv': ['6', '0', '1'],
  'shape.heads': ['2', '0', '1'],
  'shape.k': ['2.4.3.8', '2.4.99.8', '2.4.16.8'],
  'shape.m': ['none', '2.1.999.3', '2.1.16.3'],
  'shape.mode': ['single'],
  'shape.model': ['8', '1e9', null],
  'shape.q': ['2.4.4.8'],
  'shape.tokens': ['3', '0', '1'],
  'shape.v': ['2.4.3.7'],
  'test.seed': ['7', '0', '1'],
  'true.bits': ['1111000011110000'],
  'true.mine': ['1'],
  'true.pin': ['array.2.1'],
  'xw.n': ['2', '0', '1'],
  'xw.pin': ['query.1.1'],
  'xw.role': ['key'],
  'xw.seed': ['7', '0', '1'],
  'xw.wk': [writeMatrix(matrices.wk)],
  'xw.wq': [writeMatrix(matrices.wq)],
  'xw.wv': [writeMatrix(matrices.wv)],
  'xw.x': [writeMatrix(matrices.x)],
};
/** What a figure shows anyway, said by a link. */
const usual = {
  'align.equal': '0',
  'drop.mine': '0',
  'it.causal': '0',
  'lab.d': '64',
  'mask.m': 'queries:6,side:right,paint:',
  'online.mask': 'causal',
  'shape.tokens': '4',
};
const linkOf = (parts) =>
  parts.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&');

/** Follows a link on the open page and gives back what the figures say of it. */
const remarksOf = (page, hash) =>
  page.evaluate(async (to) => {
    location.hash = to;
    await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
    const said = {};
    for (const figure of document.querySelectorAll('[data-live]')) {
      if (!figure.updateComplete) continue;
      while (!(await figure.updateComplete));
      const root = figure.shadowRoot;
      const texts = [...root.querySelectorAll('.remark[role="status"], .hint, .messages')];
      said[figure.constructor.key || figure.localName] = texts
        .map(({ textContent }) => textContent.trim())
        .join('\n');
    }
    return said;
  }, hash);

test('every part of a link that cannot be used as it stands is told, in its figure', async () => {
  await onPage('en/', async (page) => {
    for (const figure of await page.locator('[data-figure]').all()) {
      await figure.scrollIntoViewIfNeeded();
      await figure.and(page.locator('[data-live]')).waitFor({ state: 'attached' });
    }
    // The keys are those that the figures ask for, no more and no fewer.
    const asked = await page.evaluate(async () => {
      const names = new Set();
      const live = [...document.querySelectorAll('[data-live]')];
      const figures = live.filter((element) => element.updateComplete);
      const { view } = figures[0].page.store;
      view.settings = new Proxy(view.settings, {
        get: (settings, name) => {
          if (/^\w+\.\w+$/.test(String(name))) names.add(name);
          return settings[name];
        },
      });
      for (const figure of figures) {
        figure.requestUpdate();
        await figure.updateComplete;
      }
      return [...names].sort();
    });
    assert.deepEqual(asked, Object.keys(keys));

    const entries = Object.entries(keys);
    const fine = entries.filter(([, [text]]) => text).map(([name, [text]]) => [name, text]);
    const none = await remarksOf(page, linkOf(fine));
    for (const [key, text] of Object.entries(none)) {
      assert.doesNotMatch(text, /link|asked for|cannot be used/i, key);
    }

    for (const link of [linkOf(Object.entries(usual)), 'mask.m=keys:1']) {
      for (const [key, text] of Object.entries(await remarksOf(page, link))) {
        assert.doesNotMatch(text, /The link says/, `${link}: ${key}`);
      }
    }

    const garbage = await remarksOf(page, linkOf(entries.map(([name]) => [name, 'garbage'])));
    for (const [name] of entries) {
      const [key] = name.split('.');
      if (name.endsWith('.case')) assert.match(garbage[key], /link’s numbers do not fit/, name);
      else if (key !== 'bench') {
        assert.ok(
          garbage[key].includes(`The link says ${name}=garbage`),
          `${name}: ${garbage[key]}`,
        );
      }
    }
    const ofBench = entries.filter(([name]) => name.startsWith('bench.'));
    assert.equal(garbage.bench.match(/“garbage” cannot be used/g).length, ofBench.length);

    const wide = entries.filter(([, { length }]) => length === 3);
    const clamped = await remarksOf(page, linkOf(wide.map(([name, [, text]]) => [name, text])));
    const unsaid = [];
    for (const [name, [, text, used]] of wide) {
      const [key] = name.split('.');
      const said =
        key === 'bench'
          ? `“${text.replace('.', name === 'bench.cell' ? ', ' : '.')}” was asked for, ${used} is used`
          : `The link says ${name}=${text}; ${used ?? ''}`;
      if (!clamped[key].includes(said)) unsaid.push(`${said}: ${clamped[key]}`);
    }
    assert.deepEqual(unsaid, []);

    const known = [...new Set(entries.map(([name]) => name.split('.')[0]))];
    const unknown = await remarksOf(page, linkOf(known.map((key) => [`${key}.other`, '1'])));
    for (const key of known) assert.match(unknown[key], new RegExp(`${key}\\.other is not known`));
    const own = await remarksOf(page, 's=9&m=7&p=x&q=1,2&other.s=1&t=1');
    const said = own['attention-stepper'];
    for (const text of ['step 9', '“7”', 'p=x', 'Q is not 4×3', 'other.s is not', 't is not']) {
      assert.ok(said.includes(text), `${text}: ${said}`);
    }
  });
});

test('a case whose options the library refuses leaves the figure as it was', async () => {
  await onPage('en/', async (page) => {
    const figure = page.locator('attention-retrieval');
    await figure.scrollIntoViewIfNeeded();
    await figure.and(page.locator('[data-live]')).waitFor();
    const own = await figure.evaluate((element) => element.own.now);
    const good = writeCase({ ...own, options: { scale: 1 } });
    const bad = writeCase({ ...own, options: { scale: 'one' } });
    const hint = figure.getByText('The link’s numbers do not fit');
    await page.evaluate((text) => (location.hash = text), linkOf([['fruit.case', bad]]));
    await hint.waitFor();
    await page.evaluate((text) => (location.hash = text), linkOf([['fruit.case', good]]));
    await hint.waitFor({ state: 'detached' });
  });
});

test('what a link says that nothing here knows is told and goes no further; places and texts to find do', async () => {
  await onPage('en/#nowhere&s=3&other=1&words&drop.p=0.25&drop.other=1', async (page) => {
    const hashIs = (hash) => page.waitForFunction((to) => location.hash === to, hash);
    const stepper = page.locator('attention-stepper');
    for (const name of ['nowhere', 'other', 'words']) {
      await stepper.getByText(`The link’s ${name} is not known here`).waitFor();
    }
    const dropout = page.locator('attention-dropout');
    await dropout.scrollIntoViewIfNeeded();
    await dropout.getByText('The link’s drop.other is not known here').waitFor();
    await stepper.getByRole('button', { name: 'Next' }).click();
    await hashIs('#s=4&drop.p=0.25');
    for (const place of ['#cost', '#masks:~:text=mask', '#top']) {
      await page.evaluate((to) => (location.hash = to), place);
      await hashIs(`${place.split(':')[0]}&s=4&drop.p=0.25`);
      await stepper.getByText('is not known here').first().waitFor({ state: 'detached' });
    }
  });
});
