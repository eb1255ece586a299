// The workbench's rules in combination, and what differs between batch elements, heads and types: as
// the library has it, by control and by link, with what is wrong said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { load, tensor, toNested } from 'attention-wasm';
import { cells, file, onBench, says, seed, type } from './bench.js';

const shown = (rows) =>
  rows.map((row) =>
    row.map((x) =>
      x === -Infinity
        ? '−∞'
        : x
            .toFixed(2)
            .replace(/^-(0\.00)$/, '$1')
            .replace('-', '−'),
    ),
  );
/** A masked weight is shown as 0, a tiny one as less. */
const rounded = (rows) =>
  rows.map((row) => row.map((text) => (/^(0|<0\.005)$/.test(text) ? '0.00' : text)));

/** The steps of the library, of one batch element and head. */
async function stepsOf(inputs, options, dtype = 'float32') {
  const attention = await load({ threads: 1 });
  const { steps } = attention.explain(...inputs.map((x) => tensor(x, dtype)), options);
  attention.dispose();
  return (name, ...at) => at.reduce((part, index) => part[index], toNested(steps[name]));
}

const article = [seed.Q, seed.K, seed.V];
/** Batch elements 1 and 2, heads 1 and 2, which differ. */
const several = article.map((rows) =>
  [1, -1].map((sign) => [1, 2].map((k) => rows.map((row) => row.map((x) => sign * k * x)))),
);
const give = async (bench, given) => {
  const buffer = Buffer.from(JSON.stringify(given));
  await bench.locator('input[type="file"]').setInputFiles(file('given.json', buffer));
};
const follow = (page, hash) => page.evaluate((to) => (location.hash = to), hash);
/** What a stage comes to show, once files are read and links followed. */
async function shows(bench, stage, wanted, where) {
  const read = async () => rounded(await cells(bench, stage));
  for (let tries = 0; tries < 200 && !isDeepStrictEqual(await read(), wanted); ++tries) {
    await sleep(50);
  }
  assert.deepEqual(await read(), wanted, where);
}
const stays = (bench) => bench.locator('.bench-shown:not([data-stale])').waitFor();

test('workbench: rules are joined by and, or and not, with the keyboard too', async () => {
  const rules = [
    'causal',
    {
      kind: 'any',
      of: [
        { kind: 'window', left: 1, right: 0 },
        { kind: 'global', tokens: [0] },
      ],
    },
    { kind: 'not', of: { kind: 'strided', stride: 3 } },
  ];
  const step = await stepsOf(article, { mask: rules });
  await onBench(async ({ page, bench }) => {
    const add = (name) => bench.getByRole('button', { name: `Add ${name}`, exact: true }).click();
    const line = (name) => bench.getByRole('group', { name, exact: true });
    const join = async (name, to) => {
      const choice = line(name).getByLabel('joined by');
      await choice.focus();
      for (let count = 0; (await choice.inputValue()) !== to; ++count) {
        assert.ok(count < 4);
        await page.keyboard.press('ArrowDown');
      }
    };
    await add('window');
    await add('global');
    await join('global', 'or');
    await add('strided');
    await line('strided').getByLabel('every').fill('3');
    await page.keyboard.press('Enter');
    await join('strided', 'andNot');
    assert.equal(
      new URL(page.url()).hash,
      '#bench.mask=causal~window.left.1.right.0~or.global.tokens.1~not.strided.stride.3',
    );
    assert.deepEqual(await cells(bench, 'masked'), shown(step('masked')));
    assert.equal(await bench.locator('.bench-group').count(), 3);
    assert.equal(await bench.locator('.bench-group[data-several] .bench-rule').count(), 2);

    // Query 2, key 3; then query 4, key 1: which rules forbid it.
    const cell = bench.locator('.matrix[data-stage="masked"] td.cell');
    await cell.nth(4 + 2).click();
    await says(bench, 'forbidden by causal, window or global');
    await cell.nth(4 * 3).click();
    await says(bench, 'forbidden by not strided');
    assert.match(
      await cell.nth(4 * 3).getAttribute('aria-label'),
      /query 4, key 1, masked by not strided, minus infinity/,
    );

    // The rest of a group whose first rule goes stays a group of its own.
    await line('window').getByRole('button', { name: 'Remove window' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('causal~global.tokens.1~not.strided'));
    const focused = () =>
      page.evaluate(() => document.activeElement.shadowRoot.activeElement.textContent.trim());
    assert.match(await focused(), /causal$/);
  });
});

test('workbench: what each batch element, head and block has is the library’s', async () => {
  const layout = [
    [
      [true, false],
      [true, true],
    ],
    [
      [false, true],
      [true, false],
    ],
  ];
  const states = [
    [
      'mask=documents.starts.1.3;1.2.4&alibi=0.5,0.25;1,2',
      {
        mask: {
          kind: 'documents',
          starts: [
            [0, 2],
            [0, 1, 3],
          ],
        },
        alibi: [
          [0.5, 0.25],
          [1, 2],
        ],
      },
    ],
    [
      'mask=documents.ids.1.1.2.2;3.4.4.3~or.causal',
      {
        mask: {
          kind: 'any',
          of: [
            {
              kind: 'documents',
              ids: [
                [1, 1, 2, 2],
                [3, 4, 4, 3],
              ],
            },
            'causal',
          ],
        },
      },
    ],
    ['mask=blocks.size.2.layout.10;11;01;10', { mask: { kind: 'blocks', size: 2, layout } }],
  ];
  await onBench(async ({ page, bench }) => {
    await give(bench, { query: several[0], key: several[1], value: several[2] });
    for (const [state, options] of states) {
      const step = await stepsOf(several, options);
      for (const [batch, head] of [
        [1, 1],
        [2, 2],
        [2, 1],
      ]) {
        const place = `&bench.batch=${batch}&bench.head=${head}`;
        await follow(page, `${state.replace(/(^|&)/g, '$1bench.')}${place}`);
        const wanted = shown(step('masked', batch - 1, head - 1));
        await shows(bench, 'masked', wanted, `${state}${place}`);
        const weights = shown(step('weights', batch - 1, head - 1));
        await shows(bench, 'weights', weights, `${state}${place}`);
      }
    }
    // What is not for so many heads or batch elements, and what would be.
    const alert = bench.locator('.bench-result [role="alert"]');
    for (const [state, sentence] of [
      [
        'alibi=1,2;3,4;5,6',
        'ALiBi: there are slopes for 3 × 2/2/2, and B × H is 2 × 2; give one for each head',
      ],
      [
        'start=1,2,3',
        'query 1 stands at: the places are 3 and the batch elements 2; give one for all',
      ],
      [
        'mask=documents.starts.1;2;3',
        'documents, begin at keys: they are 3 and the batch elements 2; give as many',
      ],
      [
        'mask=documents.ids.1.2.3',
        'documents, or documents of the keys: the numbers are 3 and the keys 4; give one for each key.',
      ],
      [
        'mask=documents.starts.3.1',
        'begin at keys: 1 comes after 3; write them in ascending order.',
      ],
      ['mask=lengths.keys.4.5', 'real keys per batch element: 5 is too large; there are 4'],
      [
        'mask=causal~or.blocks.size.2.layout.101',
        'blocks: the table is 1×3, but queries (4) and keys (4) in blocks of 2 need 2×2; give rows',
      ],
    ]) {
      await follow(page, state.replace(/^/, 'bench.'));
      await says(alert, sentence);
      assert.equal(await alert.getAttribute('lang'), null);
    }
  });
});

test('workbench: a mask among the rules, and a bias beside it', async () => {
  const mask = [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => (i + j) % 3 === 0));
  const bias = [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => (i - j) / 4));
  const step = await stepsOf(article, {
    mask: { kind: 'any', of: ['causal', { kind: 'not', of: { kind: 'allowed', mask } }] },
    bias: tensor(bias),
  });
  await onBench(async ({ page, bench }) => {
    await type(bench, 'mask', JSON.stringify(mask.map((row) => row.map(Number))));
    await type(bench, 'bias', JSON.stringify(bias));
    await bench.getByLabel('The tensor’s numbers mean').selectOption('allowed');
    await stays(bench);
    const line = bench.getByRole('group', { name: 'the mask’s tensor' });
    await line.getByLabel('joined by').selectOption('or not');
    await page.waitForFunction(() => location.hash.includes('bench.mask=causal~or.not.tensor'));
    await bench.locator('.matrix[data-stage="biased"]').waitFor();
    assert.deepEqual(await cells(bench, 'biased'), shown(step('biased')));
    assert.deepEqual(await cells(bench, 'masked'), shown(step('masked')));

    // One call adds one tensor.
    await bench.getByLabel('The tensor’s numbers mean').selectOption('bias');
    const alert = bench.locator('.bench-result [role="alert"]');
    await says(alert, 'A call adds one: say that the mask’s numbers mean something else');
    await type(bench, 'bias', '[[1, 2, 3]]');
    await bench.getByLabel('The tensor’s numbers mean').selectOption('allowed');
    await says(alert, 'The bias is 1×3, but must broadcast to [B, H, T, S] = 1×1×4×4');
    await type(bench, 'mask', '');
    await says(alert, 'A rule is the mask’s tensor, but there is none of true and false.');
    await type(bench, 'bias', '');
    await line.getByRole('button', { name: 'Remove' }).click();
    await alert.waitFor({ state: 'detached' });
  });
});

test('workbench: float16 and bfloat16 are computed and compared as such', async () => {
  await onBench(async ({ page, bench }) => {
    const large = seed.Q.map((row) => row.map((x) => x * 300.123));
    await type(bench, 'query', JSON.stringify(large));
    await bench
      .locator('td.cell', { hasText: /^\s*−\d\d\d\./ })
      .first()
      .waitFor();
    for (const [dtype, near] of [
      ['float16', '0.001 + 0.002'],
      ['bfloat16', '0.01 + 0.02'],
    ]) {
      const step = await stepsOf([large, seed.K, seed.V], { mask: 'causal' }, dtype);
      await bench
        .locator('label', { hasText: /^\s*type/ })
        .locator('select')
        .selectOption(dtype);
      await page.waitForFunction((to) => location.hash === `#bench.dtype=${to}`, dtype);
      assert.deepEqual(await cells(bench, 'scores'), shown(step('scores')));
      const full = await stepsOf([large, seed.K, seed.V], { mask: 'causal' }, 'float64');
      assert.notDeepEqual(shown(step('scores')), shown(full('scores')));
      await type(bench, 'expected', JSON.stringify(step('output')));
      await says(bench, `✓ The outputs agree within ${near}·|expected|`);
      await type(bench, 'expected', JSON.stringify(step('output').with(3, [9, 9, 9])));
      await says(bench, /✗ The outputs differ first at \[4, 1\]/);
      await type(bench, 'expected', '');
    }
  });
});

test('workbench: what cannot be a rule’s number is said, with what could be', async () => {
  await onBench(
    async ({ page, bench }) => {
      const enter = async (name, text) => {
        await bench.getByLabel(name, { exact: true }).fill(text);
        await bench.getByLabel(name, { exact: true }).press('Enter');
      };
      await enter('every', '2, 3');
      await says(bench, 'every: “2, 3” cannot be used; 2 stays. Give one whole number from 1.');
      await enter('every', '0');
      await says(bench, 'Mask: “strided.stride.0');
      await enter('rows of blocks', '12; 01');
      await says(
        bench,
        'rows of blocks: “12; 01” cannot be used; 10; 11 stays. Give rows of 0 and 1',
      );
      await enter('rows of blocks', '[[1, 1], [0, 1]]');
      await page.waitForFunction(() => location.hash.includes('layout.11;01'));
      // Of the two ways to say documents one holds.
      await enter('or documents of the keys', '1, 1, 2, 2');
      await page.waitForFunction(() => location.hash.includes('documents.ids.1.1.2.2'));
      assert.equal(await bench.getByLabel('begin at keys').inputValue(), '');
      await enter('begin at keys', '1, 4');
      await page.waitForFunction(() => location.hash.includes('documents.starts.1.4'));
      assert.equal(await bench.getByLabel('or documents of the keys').inputValue(), '');
    },
    { state: '#bench.mask=strided.stride.2~blocks.size.2.layout.10;11~documents.starts.1.3' },
  );
});

test('workbench: a cell shows what it is made of and spells its sum, both ways', async () => {
  const marked = (bench, mark) =>
    bench
      .locator(`td.cell[data-mark="${mark}"]`)
      .evaluateAll((all) => all.map(({ dataset: d }) => `${d.stage} ${d.row} ${d.column}`));
  await onBench(async ({ bench }) => {
    const cell = (stage, row, column) =>
      bench.locator(`td.cell[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`);
    // What is masked is not read.
    await cell('output', 1, 2).click();
    assert.deepEqual((await marked(bench, 'operand')).sort(), [
      'value 0 2',
      'value 1 2',
      'weights 1 0',
      'weights 1 1',
    ]);
    const lines = bench.locator('.bench-cell .inspector');
    const [row, column] = [seed.weights_causal[1], seed.V.map((each) => each[2])];
    const text = (x) => x.toFixed(4).replace('-', '−');
    assert.match(
      await lines.innerText(),
      new RegExp(`${text(row[0])}×\\(${String(column[0]).replace('-', '−')}\\)`),
    );
    assert.match(await lines.innerText(), new RegExp(`${text(seed.output_causal[1][2])}$`));
    await cell('scores', 2, 1).click();
    const operands = [0, 1, 2].flatMap((l) => [`key 1 ${l}`, `query 2 ${l}`]);
    assert.deepEqual((await marked(bench, 'operand')).sort(), operands.sort());
    // From a key to all that reads it.
    await cell('key', 3, 0).click();
    const results = await marked(bench, 'result');
    assert.ok(results.includes('scores 0 3') && results.includes('output 3 2'), results);
    assert.ok(!results.includes('output 2 2'), 'a masked key reaches no output');
  });
});

test('workbench: its numbers go to the other figures, and theirs come to it', async () => {
  await onBench(async ({ page, bench }) => {
    const up = seed.Q.map((rows) => rows.map((x) => Number((x + 1).toFixed(2))));
    await type(bench, 'query', JSON.stringify(up));
    await bench.getByRole('button', { name: 'Show these numbers in the figures above' }).click();
    await page.waitForFunction(() => /[#&]q=/.test(location.hash));
    const first = page.locator('attention-stepper td[data-stage="query"]').first();
    assert.equal((await first.innerText()).trim(), up[0][0].toFixed(2));
    await bench.getByRole('button', { name: 'The article’s example' }).click();
    await bench.getByRole('button', { name: 'My numbers in the figures above' }).click();
    assert.deepEqual(JSON.parse(await bench.locator('#bench-query').inputValue()), up);
  });
});
