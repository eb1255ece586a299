// The six-step figure shows the core's numbers, and what it shows can be traced, changed and shared.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, tensor, toNested } from 'attention-wasm';
import { cell, languages, onPage, textsOf } from './browser.js';

const readJSON = async (path) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
const example = await readJSON('../../web/examples/six-step.json');
const published = (await readJSON('../vectors/seed-values.json')).six_step;
const attention = await load({ threads: 1 });

/** Every stage of the example as the core gives it. */
function stagesOf({ query, key, value } = example.inputs, mask = 'causal') {
  const inputs = [query, key, value].map((rows) => tensor(rows, 'float64'));
  const { steps } = attention.explain(...inputs, mask ? { mask } : {});
  const computed = ['scores', 'scaled', 'masked', 'weights', 'output'].map((name) => [
    name,
    toNested(steps[name]),
  ]);
  return { query, key, value, ...Object.fromEntries(computed) };
}

/** What a cell must read: two decimals, a real minus sign, −∞ and exact zeros where masked. */
function written(x, stage, isMasked) {
  if (stage === 'weights' && isMasked) return '0';
  if (x === -Infinity) return '−∞';
  return x
    .toFixed(2)
    .replace(/^-(?=0\.00$)/, '')
    .replace('-', '−');
}

const shownAt = [
  ['query', 'key', 'value'],
  ['scores'],
  ['scaled'],
  ['masked'],
  ['weights'],
  ['output'],
];

for (const language of languages) {
  for (const mask of ['causal', null]) {
    test(`each step shows the core's numbers: ${language}, mask ${mask ?? 'none'}`, async () => {
      const expected = stagesOf(example.inputs, mask);
      await onPage(`${language}/#m=${mask ? 1 : 0}`, async (page) => {
        const stepper = page.locator('attention-stepper');
        for (let step = 1; step <= 6; ++step) {
          await stepper
            .locator('button.step')
            .nth(step - 1)
            .click();
          for (const stage of shownAt.flat()) {
            const texts = expected[stage].map((row, i) =>
              row.map((x, j) => written(x, stage, Boolean(mask) && j > i)),
            );
            assert.deepEqual(await textsOf(page, stage), texts, `${stage} at step ${step}`);
          }
          const waiting = await stepper
            .locator('.matrix[data-ghost]')
            .evaluateAll((matrices) => matrices.map(({ dataset }) => dataset.stage));
          assert.deepEqual(
            new Set(waiting),
            new Set(shownAt.slice(step).flat()),
            `what waits at step ${step}`,
          );
        }
      });
    });
  }
}

test('the numbers are the published ones', async () => {
  const names = {
    scores: 'scores',
    scaled: 'scaled',
    weights: 'weights_causal',
    output: 'output_causal',
  };
  await onPage('en/#s=6', async (page) => {
    for (const [stage, name] of Object.entries(names)) {
      const texts = await textsOf(page, stage);
      published[name].forEach((row, i) =>
        row.forEach((x, j) => {
          const shown = Number(texts[i][j].replace('−', '-'));
          assert.ok(
            Math.abs(shown - x) <= 0.005 + 1e-9,
            `${stage} ${i} ${j}: ${texts[i][j]} for ${x}`,
          );
        }),
      );
    }
  });
});

test('pointing at a score lights its query and its key, and spells the sum', async () => {
  await onPage('en/#s=2', async (page) => {
    for (const [i, j] of [
      [0, 1],
      [3, 2],
    ]) {
      await cell(page, 'scores', i, j).hover();
      const marked = await page
        .locator('attention-stepper td[data-mark="operand"]')
        .evaluateAll((cells) => cells.map(({ dataset }) => `${dataset.stage} ${dataset.row}`));
      assert.deepEqual(new Set(marked), new Set([`query ${i}`, `key ${j}`]));
      assert.equal(marked.length, 6);
    }
    await cell(page, 'scores', 0, 1).hover();
    const line = (
      await page.locator('attention-stepper .inspector dd').first().innerText()
    ).replace(/\s+/g, ' ');
    assert.equal(
      line,
      '= q1·k2 = 0.11×(−0.17) + 0.77×0.81 + 0.08×(−0.10) = −0.0187 + 0.6237 − 0.0080 = 0.5970',
    );
  });
});

test('a kept cell stays through the steps, and its whole chain is spelled', async () => {
  await onPage('en/#s=2', async (page) => {
    await cell(page, 'scores', 1, 0).click();
    await page.mouse.move(0, 0);
    await page.locator('attention-stepper button.step').nth(4).click();
    assert.match(page.url(), /#s=5&p=s\.2\.1$/);
    const names = await page.locator('attention-stepper .inspector dt').allInnerTexts();
    assert.deepEqual(
      names.map((name) => name.replace(/\s+/g, '')),
      ['s21', 's21÷√dk', 'Z21', 'rowmaximum', 'exponentials', 'theirsum', 'A21'],
    );
    assert.match(
      (await page.locator('attention-stepper .inspector dd').last().innerText()).replace(
        /\s+/g,
        ' ',
      ),
      /^≈ 1\.0000 ÷ 1\.6671 ≈ 0\.5998$/,
    );
    // What may not be read is not among what a weight is made of.
    await cell(page, 'weights', 1, 0).hover();
    assert.deepEqual(
      await page
        .locator('attention-stepper td[data-stage="masked"][data-mark="operand"]')
        .allInnerTexts(),
      ['0.31', '−0.09'],
    );
  });
});

test('everything works by keyboard: steps, moving, keeping, changing, undoing', async () => {
  await onPage('en/', async (page) => {
    const focused = () =>
      page.evaluate(() => {
        const { dataset } =
          document.querySelector('attention-stepper').shadowRoot.activeElement ?? {};
        return dataset && `${dataset.stage} ${dataset.row} ${dataset.column}`;
      });
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const next = page.locator('attention-stepper button.primary');
    await next.focus();
    await press('Enter', 'Enter', 'Enter', 'Enter', 'Enter');
    assert.equal(
      await page.locator('attention-stepper button.step[aria-current] .number').innerText(),
      '6',
    );
    assert.match(page.url(), /#s=6$/);

    await cell(page, 'query', 0, 0).focus();
    await press('ArrowRight', 'ArrowDown', 'End', 'Control+End');
    assert.equal(await focused(), 'query 3 2');
    await press('Control+Home');
    assert.equal(await focused(), 'query 0 0');

    // Kᵀ moves as it is drawn: right is the next key.
    await cell(page, 'key', 0, 0).focus();
    await press('ArrowRight', 'ArrowDown');
    assert.equal(await focused(), 'key 1 1');

    await cell(page, 'scores', 0, 0).focus();
    await press('Enter');
    assert.match(page.url(), /p=s\.1\.1/);
    await press('Escape');
    assert.doesNotMatch(page.url(), /p=/);

    await cell(page, 'query', 0, 0).focus();
    await press('Enter');
    await page.keyboard.type('-1.5');
    await press('Enter');
    assert.equal(await focused(), 'query 0 0');
    const changed = { ...example.inputs, query: structuredClone(example.inputs.query) };
    changed.query[0][0] = -1.5;
    const expected = stagesOf(changed);
    assert.equal((await textsOf(page, 'query'))[0][0], '−1.50');
    assert.deepEqual(
      await textsOf(page, 'scores'),
      expected.scores.map((row) => row.map((x) => written(x))),
    );
    await press('Control+z');
    assert.equal((await textsOf(page, 'query'))[0][0], '0.11');
  });
});

test('a bad entry is marked where it stands, and the last good number stays', async () => {
  await onPage('en/', async (page) => {
    const target = cell(page, 'value', 2, 1);
    await target.dblclick();
    await page.keyboard.type('1.2.3');
    await page.keyboard.press('Enter');
    const input = target.locator('input');
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    assert.match(
      await page.locator('attention-stepper .messages').innerText(),
      /“1\.2\.3” is not a number/,
    );
    assert.doesNotMatch(page.url(), /v=/);
    await input.fill('');
    await page.keyboard.press('Enter');
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    assert.match(
      await page.locator('attention-stepper .messages').innerText(),
      /An empty cell is not a number/,
    );
    await page.keyboard.press('Escape');
    assert.equal((await target.innerText()).trim(), '−0.95');
    assert.equal(await page.locator('attention-stepper .messages').innerText(), '');
  });
});

const pasteAt = (place, text) =>
  place.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const init = { clipboardData, bubbles: true, composed: true, cancelable: true };
    element.dispatchEvent(new ClipboardEvent('paste', init));
  }, text);

test('a matrix can be pasted, as a spreadsheet or a tensor prints it', async () => {
  const paste = (page, text) => pasteAt(cell(page, 'query', 0, 0), text);
  const shows = (page, rows) =>
    page.waitForFunction((wanted) => {
      const { shadowRoot } = document.querySelector('attention-stepper');
      const textAt = (i, j) =>
        shadowRoot
          .querySelector(`[data-stage="query"][data-row="${i}"][data-column="${j}"]`)
          .textContent.trim();
      return wanted.every((row, i) => row.every((text, j) => textAt(i, j) === text));
    }, rows);
  await onPage('en/', async (page) => {
    const rows = [
      ['1.00', '−2.00', '3.00'],
      ['0.50', '4.00', '6.00'],
      ['−0.79', '0.97', '−0.74'],
    ];
    for (const text of [
      '1\t-2\t3\r\n0.5\t4\t6\r\n',
      '1, -2, 3\n.5, 4, 6',
      '[[1, -2, 3], [0.5, 4, 6]]',
      'array([[ 1. , -2. , 3. ],\n       [ 0.5,  4. , 6. ]])',
    ]) {
      await paste(page, text);
      await shows(page, rows);
      await page.getByRole('button', { name: 'Undo' }).first().click();
    }
    await paste(page, 'tensor([[ 0.5000, -1.0000,  2.0000],\n        [ 0.0000,  1e-1,  7.0000]])');
    await shows(page, [
      ['0.50', '−1.00', '2.00'],
      ['0.00', '0.10', '7.00'],
    ]);
    const messages = page.locator('attention-stepper .messages');
    for (const [text, says] of [
      ['1 2 3 4', /1×4 does not fit Q \(4×3\)/],
      ['1,5\n2,5\n3,5', /“1,5” at \[1, 1\]: this comma may be a decimal one/],
      ['1,5\t2,5', /“1,5” at \[1, 1\]: this comma may be a decimal one/],
      ['1,234.5\t2\t3', /“1,234\.5” at \[1, 1\]: this comma may be a decimal one/],
      ['1\t2\n3', /Row 2 is 1 long/],
      ['1 nan 3', /“NaN” at \[1, 2\] is not a number/],
      ['[[[1]], [[2]]]', /not a matrix of numbers/],
      ['hello', /“hello” at \[1, 1\] is not a number/],
    ]) {
      await paste(page, text);
      await messages.filter({ hasText: says }).waitFor();
      assert.equal((await textsOf(page, 'query'))[0][0], '0.50', text);
    }
    const complaint = messages.getByText('is not a number');
    await complaint.waitFor();
    await page.locator('attention-stepper .seed button').click(); // other numbers: it is about none
    await complaint.waitFor({ state: 'detached' });
  });
});

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

test('what is pasted over Kᵀ goes where it is seen to go, and it is said how it was read', async () => {
  await onPage(
    'en/',
    async (page) => {
      const messages = page.locator('attention-stepper .messages');
      const key = async () => (await textsOf(page, 'key')).map((row) => row.map(Number));
      const first = cell(page, 'key', 0, 0);
      // As drawn: rows of width, columns of keys.
      await pasteAt(first, '1\t2\t3\t4\n5\t6\t7\t8\n9\t10\t11\t12');
      await messages.getByText('Taken as Kᵀ, as it is drawn').waitFor();
      const wanted = [
        [1, 5, 9],
        [2, 6, 10],
        [3, 7, 11],
        [4, 8, 12],
      ];
      assert.deepEqual(await key(), wanted);
      // What the figure itself copies comes back as it was.
      await first.focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Control+c');
      await page.getByRole('button', { name: 'Undo' }).first().click();
      assert.notDeepEqual(await key(), wanted);
      await first.focus();
      await page.keyboard.press('Control+v');
      await messages.getByText('Taken as Kᵀ').waitFor();
      assert.deepEqual(await key(), wanted);
      // K as NumPy prints it has a row for each key; only so it fits.
      await pasteAt(first, '[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]');
      await messages.getByText('Taken as K:').waitFor();
      assert.deepEqual(await key(), [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
        [10, 11, 12],
      ]);
      await pasteAt(first, '1 2 3 4 5');
      await messages.getByText('1×5 does not fit Kᵀ (3×4)').waitFor();
    },
    clipboard,
  );
});

test('a link brings back the frame, back and forward work, and the other language keeps it', async () => {
  const read = async (page) => [
    await textsOf(page, 'query'),
    await textsOf(page, 'weights'),
    (await page.locator('attention-stepper .inspector').innerText()).replace(/[^\d.=×÷−]/g, ''),
  ];
  let address;
  let first;
  await onPage('en/', async (page) => {
    await page.locator('attention-stepper .switch input').uncheck();
    await cell(page, 'query', 1, 1).click();
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    await page.locator('attention-stepper button.step').nth(4).click();
    await cell(page, 'weights', 1, 2).click();
    await page.mouse.move(0, 0);
    await page.locator('h1').click();
    first = await read(page);
    address = page.url();
    assert.match(address, /#s=5&p=w\.2\.3&m=0&q=/);

    await page.goBack();
    await page.waitForURL((url) => !/p=w/.test(url.hash) && url.hash.includes('s=5'));
    await page.goBack();
    await page.waitForURL((url) => !url.hash.includes('s=5'));
    await page.locator('attention-stepper [data-stage="weights"][data-ghost]').waitFor();
    await page.goForward();
    await page.goForward();
    await page.waitForURL((url) => url.hash.includes('p=w.2.3'));
    assert.deepEqual((await read(page)).slice(0, 2), first.slice(0, 2));
  });
  await onPage(address, async (page) => {
    assert.deepEqual(await read(page), first);
    await page.locator('a.other-language').click();
    await page.waitForURL(/\/zh\/#[\w-]+&s=5&p=w\.2\.3/);
    await page.locator('attention-stepper[data-live]').waitFor();
    assert.deepEqual(await read(page), first);
  });
});

test('a link that asks for too much is put right, and says so', async () => {
  await onPage('en/#s=9&p=s.7.2&m=2&k=1,2', async (page) => {
    const said = await page.locator('attention-stepper .messages').innerText();
    assert.match(said, /step 9; step 6 is shown/);
    assert.match(said, /cell s\.7\.2; s\.4\.2 is shown/);
    assert.match(said, /mask “2”/);
    assert.match(said, /K is not 4×3 numbers/);
    assert.deepEqual(
      await textsOf(page, 'output'),
      stagesOf().output.map((row) => row.map((x) => written(x))),
    );
    await page.locator('attention-stepper .messages button').click();
    assert.equal(await page.locator('attention-stepper .messages').innerText(), '');
  });
});

test('what must always hold is checked in sight', async () => {
  await onPage('en/', async (page) => {
    const states = (figure = 'attention-stepper') =>
      page
        .locator(`${figure} .invariants li`)
        .evaluateAll((items) => items.map((item) => item.dataset.holds));
    assert.deepEqual(await states(), ['yes', 'yes', 'yes', 'yes']);
    for (const other of ['attention-retrieval', 'attention-causal-steps']) {
      await page.locator(other).scrollIntoViewIfNeeded();
      await page.locator(`${other}[data-live] .invariants`).waitFor();
      assert.deepEqual(await states(other), ['yes', 'yes', 'yes'], other);
    }
    // Scores that overflow to infinity make a row NaN; the figure does not hide it.
    await cell(page, 'query', 3, 0).click();
    await page.keyboard.type('1e308');
    await page.keyboard.press('Enter');
    await cell(page, 'key', 0, 0).click();
    await page.keyboard.type('1e308');
    await page.keyboard.press('Enter');
    await page.locator('attention-stepper button.step').nth(5).click();
    assert.deepEqual((await textsOf(page, 'weights'))[3], ['NaN', 'NaN', 'NaN', 'NaN']);
    assert.deepEqual(await states(), ['no', 'no', 'yes', 'no']);
    await page.locator('attention-stepper').getByRole('button', { name: 'Reset' }).click();
    assert.deepEqual(await states(), ['yes', 'yes', 'yes', 'yes']);
    assert.equal(new URL(page.url()).hash, '');
  });
});

test('a double click opens a cell and keeps nothing; where nothing opens it is one click', () =>
  onPage('en/#p=k.2.1', async (page) => {
    const pinned = () => page.locator('attention-stepper .cell[data-pinned]');
    const key = await cell(page, 'key', 1, 0).elementHandle();
    const isKept = (handle) => handle.evaluate((each) => 'pinned' in each.dataset);
    assert.equal(await isKept(key), true);
    await cell(page, 'query', 0, 1).dblclick();
    await cell(page, 'query', 0, 1).locator('input').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await pinned().count(), 1);
    assert.equal(await isKept(key), true, 'what was kept before is kept');
    await page.waitForFunction(() => location.hash === '#p=k.2.1');
    const score = cell(page, 'scores', 2, 1);
    await score.dblclick();
    assert.equal(await isKept(score), true);
    await page.waitForFunction(() => location.hash === '#p=s.3.2');
    await score.dblclick();
    assert.equal(await pinned().count(), 0);
  }));
