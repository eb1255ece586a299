// The figures of masks: every number is marked with what it is made of and what follows from it, and is
// spelled. Which weights a cell of the mask changes is also asked of the core.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { onPage } from './browser.js';
import {
  at,
  cellsOf,
  checkEach,
  expectedMarks,
  marksIn,
  point,
  range,
  rowByColumn,
  wake,
} from './marks.js';

const example = new URL('../../web/examples/six-step.json', import.meta.url);
const { inputs } = JSON.parse(await readFile(example, 'utf8'));
const attention = await load({ threads: 1 });

const causal = (i, j) => j <= i;
const everything = () => true;
/** The figures of masks: what is in each, and what each matrix of it reads. */
const square = (names) => Object.fromEntries(names.map((name) => [name, [4, 4]]));
const ofRow = (stage, sees) => (i, j) =>
  sees(i, j)
    ? range(4)
        .filter((k) => sees(i, k))
        .map((k) => `${stage} ${i} ${k}`)
    : [];
/** A weight of a row that is shared out depends on all of its mask; a forbidden one on its own cell. */
const ofMask = (mask, width, sees) => (i, j) =>
  (sees(i, j) ? range(width) : [j]).map((k) => `${mask} ${i} ${k}`);
const painted = (i, j) => j <= i && j < 5;
const hidden = (i, j) => i !== 1 && j <= i;
const aligned = (shift) => (i, j) => j <= i + shift;
const figuresOfMasks = {
  'mask-painter': [{ mask: [6, 6], weights: [6, 6] }, { weights: ofMask('mask', 6, painted) }],
  polarity: [
    square(['array', 'blocked', 'allowed']),
    { blocked: ofMask('array', 4, causal), allowed: ofMask('array', 4, (i, j) => j > i) },
  ],
  dropout: [
    square(['before', 'after', 'mean']),
    Object.fromEntries(
      ['after', 'mean'].map((name) => [name, (i, j) => (causal(i, j) ? [`before ${i} ${j}`] : [])]),
    ),
  ],
  'mask-order': [
    square(['scaled', 'before', 'after', 'repaired']),
    {
      before: ofRow('scaled', causal),
      after: (i, j) => (causal(i, j) ? ofRow('scaled', everything)(i, j) : []),
      repaired: (i, j) => (causal(i, j) ? ofRow('after', causal)(i, j) : [`after ${i} ${j}`]),
    },
  ],
  'finite-mask': [
    square(['addedScores', 'addedWeights', 'maskedScores', 'maskedWeights']),
    {
      addedWeights: ofRow('addedScores', everything),
      maskedWeights: ofRow('maskedScores', hidden),
    },
  ],
  'nan-repair': [
    Object.fromEntries(
      ['late', 'early'].flatMap((way) => [
        ...['Softmax', 'Weights', 'Scores'].map((part) => [`${way}${part}`, [4, 4]]),
        ...['Output', 'Key', 'Value'].map((part) => [`${way}${part}`, [4, 3]]),
      ]),
    ),
    Object.fromEntries(
      ['late', 'early'].flatMap((way) => {
        const row = (stage) => (i) => range(4).map((j) => `${way}${stage} ${i} ${j}`);
        const column = (stage) => (j) => range(4).map((i) => `${way}${stage} ${i} ${j}`);
        return [
          [`${way}Weights`, (i, j) => [`${way}Softmax ${i} ${j}`]],
          [`${way}Output`, row('Weights')],
          [`${way}Scores`, row('Softmax')],
          [`${way}Key`, column('Scores')],
          [`${way}Value`, column('Weights')],
        ];
      }),
    ),
  ],
  alignment: [
    {
      query: [3, 3],
      key: [5, 3],
      scores: [3, 5],
      ...Object.fromEntries(
        ['top-left', 'bottom-right', 'own'].flatMap((start) => [
          [`${start}-value`, [5, 1]],
          [`${start}-weights`, [3, 5]],
          [`${start}-output`, [3, 1]],
        ]),
      ),
    },
    {
      scores: (i, j) => range(3).flatMap((l) => [`query ${i} ${l}`, `key ${j} ${l}`]),
      ...Object.fromEntries(
        [
          ['top-left', 0],
          ['bottom-right', 2],
          ['own', 1],
        ].flatMap(([start, shift]) => {
          const seen = (i) => range(5).filter((k) => aligned(shift)(i, k));
          return [
            [
              `${start}-weights`,
              (i, j) => (aligned(shift)(i, j) ? seen(i).map((k) => `scores ${i} ${k}`) : []),
            ],
            [
              `${start}-output`,
              (i, c) => rowByColumn(`${start}-weights`, `${start}-value`, seen(i), i, c),
            ],
          ];
        }),
      ),
    },
  ],
};

for (const [name, [shapes, reads]] of Object.entries(figuresOfMasks)) {
  test(`${name}: every number is marked with what it is made of and what follows`, async () => {
    await onPage('en/', async (page) => {
      const figure = await wake(page, name);
      const names = cellsOf(shapes);
      await checkEach(figure, shapes, reads, names);
      await page.mouse.move(0, 0);
      const some = names.filter((_each, index) => index % 5 === 0);
      await checkEach(figure, shapes, reads, some, (target) => target.focus());
    });
  });
}

test('the formulas of the masks say which weights the core changes with a cell of the mask', () => {
  const weightsUnder = (sees) => {
    const given = [inputs.query, inputs.key, inputs.value].map((rows) => tensor(rows, 'float64'));
    const mask = range(4).map((i) => range(4).map((j) => sees(i, j)));
    const { steps } = attention.explain(...given, { mask: { kind: 'allowed', mask } });
    return toNested(steps.weights);
  };
  const shapes = { mask: [4, 4], weights: [4, 4] };
  const sees = (i, j) => i > 0 && j <= i;
  const before = weightsUnder(sees);
  for (const i of range(4)) {
    for (const j of range(4)) {
      const after = weightsUnder((r, c) => (r === i && c === j) !== sees(r, c));
      const changed = cellsOf({ weights: [4, 4] }).filter((each) => {
        const [, r, c] = each.split(' ');
        return before[r][c] !== after[r][c];
      });
      const reads = { weights: ofMask('mask', 4, sees) };
      const results = Object.entries(expectedMarks(shapes, reads, `mask ${i} ${j}`))
        .filter(([, mark]) => mark === 'result')
        .map(([each]) => each);
      assert.deepEqual(results, changed, `mask ${i} ${j}`);
    }
  }
});

test('the figures of masks spell what they show', async () => {
  const given = [inputs.query, inputs.key, inputs.value].map((rows) => tensor(rows, 'float64'));
  const weightsOf = (options) => toNested(attention.explain(...given, options).steps.weights);
  const [masked, unmasked] = [weightsOf({ mask: 'causal' }), weightsOf({})];
  await onPage('en/#drop.p=0.2&align.t=2&align.equal=1', async (page) => {
    const last = async (figure, name) => {
      await point(at(figure, name));
      const text = await figure.locator('.inspector [data-main]').last().innerText();
      return text.replace(/\s+/g, ' ');
    };
    const dropout = await wake(page, 'dropout');
    for (const i of range(4)) {
      const text = await last(dropout, `after ${i} 0`);
      const [whole, kept] = [masked[i][0].toFixed(4), (masked[i][0] / 0.8).toFixed(4)];
      const is = (await at(dropout, `after ${i} 0`).innerText()).trim();
      if (is === '0.00') assert.match(text, /= 0 dropped$/);
      else assert.ok(text.includes(`${whole} ÷ 0.8000`) && text.endsWith(kept), text);
    }
    const [, times, mean] = /^A.* (\d+) × .* [=≈] (\S+) kept in/.exec(
      await last(dropout, 'mean 3 1'),
    );
    assert.ok(Math.abs((masked[3][1] / 0.8) * (times / 1000) - mean) < 1e-4, `${times}, ${mean}`);

    const order = await wake(page, 'mask-order');
    assert.match(await last(order, 'after 1 2'), /= 0 written over it/);
    const stays = ` ${unmasked[1][1].toFixed(4)} not forbidden, so it stays`;
    assert.ok((await last(order, 'after 1 1')).endsWith(stays));
    const seen = unmasked[2][0] + unmasked[2][1] + unmasked[2][2];
    const repaired = await last(order, 'repaired 2 1');
    const ratio = `${unmasked[2][1].toFixed(4)} ÷ ${seen.toFixed(4)} ≈ `;
    assert.ok(repaired.endsWith(`${ratio}${(unmasked[2][1] / seen).toFixed(4)}`), repaired);

    const finite = await wake(page, 'finite-mask');
    assert.match(await last(finite, 'addedScores 1 0'), /\+ \(−1\.000e9\) . −1\.000e9$/);
    assert.match(
      await last(finite, 'maskedScores 1 0'),
      /\+ \(−∞\) = −∞ forbidden by a cell-by-cell mask$/,
    );
    assert.match(await last(finite, 'addedWeights 1 0'), /1\.0000 ÷ 4\.0000 = 0\.2500$/);

    const alignment = await wake(page, 'alignment');
    assert.match(await last(alignment, 'bottom-right-output 1 0'), /0\.2000×16\.00 .* = 6\.2000$/);

    const painter = await wake(page, 'mask-painter');
    assert.match(
      await last(painter, 'mask 2 5'),
      /= −∞ forbidden by the causal rule, the padding rule; all weights of query 3/,
    );
    await point(at(painter, 'weights 2 1'));
    const scaled = await painter.locator('.inspector dd').nth(1).innerText();
    const [score, half] = /(\S+) ÷ .*4\s*[=≈]\s*(\S+)/s.exec(scaled).slice(1);
    const number = (text) => Number(text.replace('−', '-'));
    assert.ok(Math.abs(number(score) / 2 - number(half)) < 2e-4, scaled);
  });
});

test('a weight beside a painted mask is kept by click or Enter, the mask is painted, Esc lets go', async () => {
  await onPage('en/', async (page) => {
    const painter = await wake(page, 'mask-painter');
    await at(painter, 'weights 3 1').click();
    assert.match(page.url(), /mask\.pin=weights\.4\.2/);
    await at(painter, 'mask 3 1').focus();
    await page.keyboard.press('Space');
    assert.match(page.url(), /paint:4\.2/);
    assert.match(page.url(), /mask\.pin=weights\.4\.2/, 'what is kept stays');
    await page.keyboard.press('Escape');
    assert.doesNotMatch(page.url(), /mask\.pin/);
    await at(painter, 'weights 5 0').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    assert.match(page.url(), /mask\.pin=weights\.6\.2/);
    await page.mouse.move(0, 0);
    await page.locator('h1').click();
    const expected = expectedMarks(
      { mask: [6, 6], weights: [6, 6] },
      { weights: ofMask('mask', 6, (i, j) => painted(i, j) && (i !== 3 || j !== 1)) },
      'weights 5 1',
    );
    assert.deepEqual(await marksIn(painter), expected);
    await painter.getByRole('button', { name: 'Let go' }).click();
    assert.doesNotMatch(page.url(), /mask\.pin/);
  });
});
