// Whatever cell is pointed at, exactly the cells it is made of and the cells it flows into are marked:
// by pointer, by keyboard and by touch. The formulas below are this test's own; which outputs an
// input flows into is also asked of the core, with a NaN in its place.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { cell, languages, onPage } from './browser.js';
import {
  at,
  cellsOf,
  checkEach,
  expectedMarks,
  marksIn,
  point,
  range,
  rowByColumn,
} from './marks.js';

const readJSON = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
const { inputs } = await readJSON('../../web/examples/six-step.json');
const walk = (await readJSON('../../web/examples/shape-walk.json')).projections;
const attention = await load({ threads: 1 });

/** What each stage of attention reads, `sees(i, j)` where query i may read key j. */
const attentionReads = ({ width, keys, sees, before = 'masked' }) => {
  const visible = (i) => range(keys).filter((j) => sees(i, j));
  return {
    scores: (i, j) => range(width).flatMap((l) => [`query ${i} ${l}`, `key ${j} ${l}`]),
    scaled: (i, j) => [`scores ${i} ${j}`],
    masked: (i, j) => (sees(i, j) ? [`scaled ${i} ${j}`] : []),
    weights: (i, j) => (sees(i, j) ? visible(i).map((k) => `${before} ${i} ${k}`) : []),
    output: (i, c) => rowByColumn('weights', 'value', visible(i), i, c),
  };
};

/** Every stage of the core's answer, as the names of the cells that are NaN. */
function poisoned(given, options) {
  const [query, key, value] = given.map((rows) => tensor(rows, 'float64'));
  const { steps } = attention.explain(query, key, value, options);
  return ['scores', 'scaled', 'masked', 'weights', 'output'].flatMap((stage) =>
    toNested(steps[stage]).flatMap((row, i) =>
      row.flatMap((x, j) => (Number.isNaN(x) ? [`${stage} ${i} ${j}`] : [])),
    ),
  );
}

const stepperShapes = {
  ...Object.fromEntries(['query', 'key', 'value', 'output'].map((stage) => [stage, [4, 3]])),
  ...Object.fromEntries(['scores', 'scaled', 'masked', 'weights'].map((stage) => [stage, [4, 4]])),
};
const causal = (i, j) => j <= i;
const everything = () => true;
const stepperReads = (sees) => attentionReads({ width: 3, keys: 4, sees });

for (const [name, sees, link] of [
  ['causal mask', causal, 'en/#s=6'],
  ['no mask', everything, 'en/#s=6&m=0'],
]) {
  test(`the formulas say what the core does with a NaN: ${name}`, () => {
    const options = sees === causal ? { mask: 'causal' } : {};
    const reads = stepperReads(sees);
    for (const [place, input] of ['query', 'key', 'value'].entries()) {
      for (const i of range(4)) {
        for (const l of range(3)) {
          const given = structuredClone([inputs.query, inputs.key, inputs.value]);
          given[place][i][l] = NaN;
          const reached = Object.entries(expectedMarks(stepperShapes, reads, `${input} ${i} ${l}`))
            .filter(([, mark]) => mark === 'result')
            .map(([each]) => each);
          assert.deepEqual(poisoned(given, options).sort(), reached.sort(), `${input} ${i} ${l}`);
        }
      }
    }
  });

  test(`the stepper marks where every cell comes from and goes to: ${name}`, async () => {
    await onPage(link, async (page) => {
      const stepper = page.locator('attention-stepper');
      const reads = stepperReads(sees);
      const names = cellsOf(stepperShapes);
      await checkEach(stepper, stepperShapes, reads, names);
      await page.mouse.move(0, 0);
      const some = names.filter((each) => / ([03] 2|1 0)$/.test(each));
      await checkEach(stepper, stepperShapes, reads, some, (target) => target.focus());
    });
  });
}

test('what is pressed below a focused cell stays under the pointer until the click', async () => {
  const ready = (page) => page.locator('attention-projection[data-live]').waitFor();
  await onPage(
    'en/?embed=1&figure=projection',
    async (page) => {
      const figure = page.locator('attention-projection');
      const spelled = () => figure.locator('.inspector dl > div').count();
      await figure.locator('td[data-stage="output"]').first().press('ArrowRight');
      await page.mouse.move(0, 0);
      const lines = await spelled();
      assert.equal(await figure.locator('[data-looking]').count(), 1);
      const summary = figure.locator('.export summary');
      await summary.scrollIntoViewIfNeeded();
      const { x, y, height } = await summary.boundingBox();
      await page.mouse.move(x + 20, y + height / 2);
      await page.mouse.down();
      assert.equal(await spelled(), lines, 'the sum stands while the button is down');
      await page.mouse.up();
      assert.ok(await figure.locator('.export').evaluate(({ open }) => open), 'the click arrives');
      // Then the cell is let go.
      await figure.locator('[data-looking]').waitFor({ state: 'detached' });
    },
    { ready },
  );
});

test('a tap keeps a cell; it is in the link, outlives the steps, and Esc or a button lets go', async () => {
  await onPage(
    'en/#s=6',
    async (page) => {
      const stepper = page.locator('attention-stepper');
      await cell(page, 'output', 2, 1).tap();
      assert.match(page.url(), /p=o\.3\.2/);
      const expected = expectedMarks(stepperShapes, stepperReads(causal), 'output 2 1');
      assert.deepEqual(await marksIn(stepper), expected);
      for (const step of [1, 4, 6]) {
        await stepper
          .locator('button.step')
          .nth(step - 1)
          .tap();
        assert.match(page.url(), /p=o\.3\.2/);
        const shown = await marksIn(stepper);
        for (const [name, mark] of Object.entries(shown)) assert.equal(mark, expected[name], name);
        assert.ok(Object.keys(shown).length > 0, `step ${step}`);
      }
      await page.keyboard.press('Escape');
      assert.doesNotMatch(page.url(), /p=/);
      await cell(page, 'output', 0, 0).tap();
      await stepper.getByRole('button', { name: 'Let go' }).tap();
      assert.doesNotMatch(page.url(), /p=/);
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true },
  );
});

const shapesOfWalk = {
  x: [4, 8],
  ...Object.fromEntries(['wq', 'wk', 'wv'].map((name) => [name, [8, 4]])),
  ...Object.fromEntries(
    ['query', 'key', 'value', 'scores', 'scaled', 'weights', 'output'].map((name) => [
      name,
      [4, 4],
    ]),
  ),
};
const projectionSteps = attentionReads({
  width: 4,
  keys: 4,
  sees: everything,
  before: 'scaled',
});
const projectionReads = {
  ...projectionSteps,
  query: (i, j) => rowByColumn('x', 'wq', range(8), i, j),
  key: (i, j) => rowByColumn('x', 'wk', range(8), i, j),
  value: (i, j) => rowByColumn('x', 'wv', range(8), i, j),
};
const wakeProjection = async (page) => {
  const figure = page.locator('attention-projection');
  await figure.scrollIntoViewIfNeeded();
  await page.locator('attention-projection[data-live]').waitFor();
  return figure;
};

test('the formulas of the projections say what the core does with a NaN', () => {
  const product = (a, b) =>
    a.map((row) => b[0].map((_column, j) => row.reduce((sum, x, l) => sum + x * b[l][j], 0)));
  for (const name of ['x 1 3', 'x 3 0', 'wq 2 1', 'wk 7 3', 'wv 0 2']) {
    const [matrix, i, j] = name.split(' ');
    const { x, query, key, value } = structuredClone(walk);
    ({ x, wq: query, wk: key, wv: value })[matrix][i][j] = NaN;
    const products = [query, key, value].map((w) => product(x, w));
    const nans = products.flatMap((rows, at) =>
      rows.flatMap((row, r) =>
        row.flatMap((value_, c) =>
          Number.isNaN(value_) ? [`${['query', 'key', 'value'][at]} ${r} ${c}`] : [],
        ),
      ),
    );
    const later = poisoned(products, {}).filter((each) => !each.startsWith('masked'));
    const reached = Object.entries(expectedMarks(shapesOfWalk, projectionReads, name))
      .filter(([, mark]) => mark === 'result')
      .map(([each]) => each);
    assert.deepEqual([...nans, ...later].sort(), reached.sort(), name);
  }
});

test('the projections mark the whole way, from X to the output and back', async () => {
  await onPage('en/', async (page) => {
    const figure = await wakeProjection(page);
    const names = cellsOf(shapesOfWalk).filter((_name, index) => index % 3 === 0);
    await checkEach(figure, shapesOfWalk, projectionReads, names);
  });
});

test('the projections keep a cell and their numbers in the link', async () => {
  let address;
  const read = async (figure) => [
    await marksIn(figure),
    await figure.locator('td[data-stage="output"]').allInnerTexts(),
    await figure.locator('.inspector dl').innerText(),
  ];
  let first;
  await onPage('en/', async (page) => {
    const figure = await wakeProjection(page);
    await at(figure, 'x 1 2').dblclick();
    await page.keyboard.type('2.5');
    await page.keyboard.press('Enter');
    await at(figure, 'output 1 0').click();
    await page.mouse.move(0, 0);
    await page.locator('h1').click();
    address = page.url();
    assert.match(address, /xw\.pin=output\.2\.1/);
    first = await read(figure);
    assert.match(first[2], /q2\s+= x2WQ [=≈] /);
  });
  await onPage(
    address,
    async (page) => assert.deepEqual(await read(await wakeProjection(page)), first),
    { ready: wakeProjection },
  );
});

test('causal steps: a masked score is one given score, a weight its visible row', async () => {
  const shapes = { query: [5, 5], masked: [5, 5], weights: [5, 5] };
  const visible = (i) => range(5).filter((j) => j <= i);
  const reads = {
    masked: (i, j) => (j <= i ? [`query ${i} ${j}`] : []),
    weights: (i, j) => (j <= i ? visible(i).map((k) => `masked ${i} ${k}`) : []),
  };
  await onPage('en/#causal.s=3', async (page) => {
    const figure = page.locator('attention-causal-steps');
    await figure.scrollIntoViewIfNeeded();
    await page.locator('attention-causal-steps[data-live]').waitFor();
    await checkEach(figure, shapes, reads, cellsOf(shapes));
  });
});

test('one query: every cell of its figure is marked as the formulas say', async () => {
  const figureName = 'attention-retrieval';
  await onPage('en/', async (page) => {
    const figure = page.locator(figureName);
    await figure.scrollIntoViewIfNeeded();
    await page.locator(`${figureName}[data-live]`).waitFor();
    const count = (stage) => figure.locator(`td[data-stage="${stage}"]`).count();
    const [width, keys, values] = [
      await count('query'),
      await count('scores'),
      await count('output'),
    ];
    const shapes = {
      query: [1, width],
      key: [keys, width],
      value: [keys, values],
      scores: [1, keys],
      scaled: [1, keys],
      masked: [1, keys],
      weights: [1, keys],
      output: [1, values],
    };
    const reads = attentionReads({ width, keys, sees: everything });
    const names = cellsOf(shapes).filter((name) => !name.startsWith('masked'));
    for (const name of names) {
      await point(at(figure, name));
      const expected = Object.entries(expectedMarks(shapes, reads, name));
      // The masked scores are the scaled ones here, and are not drawn.
      const drawn = expected.filter(([each]) => !each.startsWith('masked'));
      assert.deepEqual(await marksIn(figure), Object.fromEntries(drawn), name);
    }
  });
});

for (const language of languages) {
  test(`one query: its inspector speaks the letters of its picture: ${language}`, async () => {
    await onPage(
      `${language}/?embed=1&figure=retrieval`,
      async (page) => {
        const figure = page.locator('attention-retrieval');
        const spelled = async (name) => {
          await point(at(figure, name));
          const text = await figure.locator('.inspector dl').innerText();
          return text.replace(/\s+/g, ' ').trim();
        };
        const output = await spelled('output 0 1');
        assert.match(output, /Σj αj·Vj2 /);
        assert.match(output, / o2 [=≈] /);
        assert.match(await spelled('scores 0 1'), /^s2 = q·k2 = /);
        assert.match(await spelled('weights 0 2'), /s3 ÷ √dk .* α3 ≈ 0\.0558 ÷ 1\.1115 ≈ 0\.0502$/);
        assert.match(await spelled('query 0 1'), /^q2 = /);
        // There is one query, and what is a row elsewhere runs down the page.
        const others = {
          en: /row|column|see|A\d|O\d|s\d\d/,
          zh: /行|列|看到|A\d|O\d|s\d\d/,
        }[language];
        for (const name of ['output 0 0', 'weights 0 1', 'query 0 0', 'key 1 0', 'value 1 0'])
          assert.doesNotMatch((await spelled(name)).replace(/[;；].*/, ''), others, name);
      },
      { ready: (page) => page.locator('attention-retrieval[data-live]').waitFor() },
    );
  });
}

for (const language of languages) {
  test(`every sum is spelled with the core's own numbers: ${language}`, async () => {
    const given = [inputs.query, inputs.key, inputs.value].map((rows) => tensor(rows, 'float64'));
    const { steps: all } = attention.explain(...given, { mask: 'causal' });
    const { scores, scaled, masked, exponentials, rowSum, rowMax, weights, output } =
      Object.fromEntries(Object.entries(all).map(([name, step]) => [name, toNested(step)]));
    const four = (x) =>
      x === -Infinity
        ? '−∞'
        : x
            .toFixed(4)
            .replace(/^-(?=0\.0+$)/, '')
            .replace('-', '−');
    const exactly = (...xs) =>
      xs.every((x) => Math.abs(Number(x.toFixed(4)) - x) < 1e-12) ? '=' : '≈';
    const short = (x) =>
      (String(x).split('.')[1]?.length > 2 ? String(x) : x.toFixed(2)).replace('-', '−');
    const factor = (text) => (text.startsWith('−') ? `(${text})` : text);
    const sum = (xs) =>
      xs.map((x, at) => (at === 0 ? four(x) : x < 0 ? `− ${four(-x)}` : `+ ${four(x)}`)).join(' ');
    // A single number is no sum: it is not written twice.
    const added = (xs) => (xs.length > 1 ? ` ${exactly(...xs)} ${sum(xs)}` : '');
    const products = (pairs, left, result) => {
      const each = pairs.map(([a, b]) => a * b);
      const terms = pairs.map(([a, b]) => `${factor(left(a))}×${factor(short(b))}`).join(' + ');
      return `${terms}${added(each)} ${exactly(...each, result)} ${four(result)}`;
    };
    await onPage(`${language}/#s=6`, async (page) => {
      const lines = async (stage, i, j) => {
        await point(cell(page, stage, i, j));
        const texts = await page.locator('attention-stepper .inspector dd').allInnerTexts();
        return texts.map((text) =>
          text
            .replace(/\s+/g, ' ')
            .replace(/ (?=,)/g, '')
            .trim(),
        );
      };
      for (const [i, j] of [
        [0, 1],
        [1, 0],
        [3, 2],
        [2, 3],
      ]) {
        const sees = j <= i;
        const visible = range(i + 1);
        const found = await lines('weights', i, j);
        const qk = inputs.query[i].map((q, l) => [q, inputs.key[j][l]]);
        assert.equal(found[0], `= q${i + 1}·k${j + 1} = ${products(qk, short, scores[i][j])}`);
        const score = scores[i][j];
        assert.equal(
          found[1],
          `${exactly(score)} ${four(score)} ÷ √3 ${exactly(score, scaled[i][j])} ${four(scaled[i][j])}`,
        );
        const ban = sees ? '0' : '(−∞)';
        const mask = `${exactly(scaled[i][j])} ${four(scaled[i][j])} + ${ban} = ${four(masked[i][j])}`;
        assert.ok(found[2].startsWith(mask), `${found[2]} for ${mask}`);
        const row = visible.map((k) => four(masked[i][k]));
        assert.equal(found[3], `max(${row.join(', ')}) = ${four(rowMax[i])}`);
        const powers = visible.map((k) => {
          const power = exponentials[i][k];
          return `e${row[k]} − ${factor(four(rowMax[i]))} ${exactly(power)} ${four(power)}`;
        });
        assert.equal(found[4], powers.join(', '));
        const seen = visible.map((k) => exponentials[i][k]);
        assert.equal(
          found[5],
          `${added(seen)} ${exactly(...seen, rowSum[i])} ${four(rowSum[i])}`.trim(),
        );
        const [power, whole] = [exponentials[i][j], rowSum[i]];
        const share = weights[i][j];
        assert.equal(
          found[6],
          sees
            ? `${exactly(power, whole)} ${four(power)} ÷ ${four(whole)} ${exactly(power, whole, share)} ${four(share)}`
            : `= 0 ÷ ${four(whole)} = 0`,
        );
        const c = j % 3;
        const av = visible.map((k) => [weights[i][k], inputs.value[k][c]]);
        const last = (await lines('output', i, c)).at(-1);
        const sign = exactly(...av.map(([a]) => a));
        const spelled = `${sign} ${products(av, four, output[i][c])}`;
        assert.ok(last.endsWith(spelled), `${last} for ${spelled}`);
      }
    });
  });
}

test("a changed projection goes back to the article's numbers, and Undo brings the change again", () =>
  onPage('en/', async (page) => {
    const figure = page.locator('attention-projection');
    await figure.scrollIntoViewIfNeeded();
    await page.locator('attention-projection[data-live]').waitFor();
    const target = figure.locator('td[data-stage="x"][data-row="0"][data-column="0"]');
    const before = await target.innerText();
    await target.dblclick();
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    assert.equal((await target.innerText()).trim(), '7.00');
    await figure.getByRole('button', { name: 'Reset' }).click();
    assert.equal(await target.innerText(), before);
    await figure.getByRole('button', { name: 'Undo' }).click();
    assert.equal((await target.innerText()).trim(), '7.00');
  }));
