// The shape checker, and the calls that the library refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
import { wake } from './figures.js';

test('refusals: every wrong call gets the library’s own answer, and the right one works', async () => {
  await onPage('zh/#no.open=start', async (page) => {
    const refusals = await wake(page, 'refusals');
    const cases = refusals.locator('.refusals > details');
    assert.equal(await cases.count(), 15);
    const answers = await cases.evaluateAll((all) =>
      all.map((each) => ({
        name: each.dataset.case,
        message: each.querySelector('q').textContent,
        right: each.querySelector('[data-holds=yes]')?.textContent.trim(),
      })),
    );
    for (const { name, message, right } of answers) {
      assert.match(message, /^(query|key|value|mask|start|dropout|there is|the call)/, name);
      if (name !== 'memory') assert.match(right, /接受：输出是 \[[\d, ]+\]/, name);
    }
    const open = () =>
      refusals
        .locator('.refusals > details[open]')
        .evaluateAll((all) => all.map((each) => each.dataset.case));
    assert.deepEqual(await open(), ['start']);
    await refusals.locator('[data-case=width] summary').click();
    assert.deepEqual(await open(), ['width']);
    assert.match(
      await refusals.locator('[data-case=width]').innerText(),
      /✗\s*键宽 4，查询宽 3：两者的最后一轴要一样。\s*“?key has head_dim 4 but query has head_dim 3/,
    );
    await refusals.locator('[data-case=data] summary').press('Enter');
    await page.waitForURL(/no\.open=data/);
    assert.deepEqual(await open(), ['data']);
  });
});

test('shape checker: what it says must agree is what the library takes', async () => {
  await onPage('en/#shape.mode=check', async (page) => {
    const flow = await wake(page, 'shape-flow');
    const results = () => flow.locator('.result td').allInnerTexts();
    const holds = () =>
      flow
        .locator('.shape-check li')
        .evaluateAll((all) => all.map(({ dataset }) => dataset.holds === 'yes'));
    assert.deepEqual(await results(), ['2', '4', '3', '5', '2', '4', '3', '6']);
    const cases = [
      [
        'K, width',
        '6',
        'width',
        /Q is 2×4×3×8, K is 2×4×5×6: the last axis, d_k, must be the same/,
      ],
      [
        'V, tokens',
        '3',
        'tokens',
        /K is 2×4×5×8, V is 2×4×3×6: .* must be the same, but is 5 and 3/,
      ],
      [
        'Q, batch',
        '5',
        'batch',
        /Q is 5×4×3×8, K is 2×4×5×8: the number of batch elements must be the same, but is 5 and 2/,
      ],
      ['K, heads', '3', 'heads', /K is 2×3×5×8, V is 2×4×5×6: the number of heads/],
    ];
    for (const [name, wrong, rule, message] of cases) {
      const box = flow.getByLabel(name, { exact: true });
      const right = await box.inputValue();
      const enter = async (text) => {
        await box.fill(text);
        await box.press('Enter');
      };
      await enter(wrong);
      assert.equal((await holds()).filter((each) => !each).length, 1, name);
      assert.equal(await flow.locator(`[data-rule=${rule}]`).getAttribute('data-holds'), 'no');
      assert.match(await flow.locator('.refusal').innerText(), message);
      assert.deepEqual(await results(), []);
      await enter(right);
      assert.equal((await results()).length, 8, name);
    }
    // Grouped heads: two of K and V for four of Q.
    for (const name of ['K, heads', 'V, heads']) {
      await flow.getByLabel(name, { exact: true }).fill('2');
      await flow.getByLabel(name, { exact: true }).press('Enter');
    }
    assert.ok((await holds()).every(Boolean));
    assert.deepEqual(await results(), ['2', '4', '3', '5', '2', '4', '3', '6']);
    await page.waitForURL(/shape\.k=2\.2\.5\.8/);
  });
});

test('shape checker: a mask of any shape that is broadcast, and none that looks like padding', async () => {
  await onPage('zh/#shape.mode=check', async (page) => {
    const flow = await wake(page, 'shape-flow');
    const mask = (axis) => flow.getByLabel(`M, ${axis}`, { exact: true });
    const shape = () =>
      Promise.all(['batch', 'head', '查询', '键'].map((axis) => mask(axis).inputValue()));
    const failing = () =>
      flow
        .locator('.shape-check li[data-holds=no]')
        .evaluateAll((all) => all.map(({ dataset }) => dataset.rule));
    const enter = async (axis, text) => {
      await mask(axis).fill(text);
      await mask(axis).press('Enter');
    };
    assert.deepEqual(await shape(), ['', '', '3', '5']);
    assert.deepEqual(await failing(), []);
    await enter('查询', '4');
    assert.deepEqual(await failing(), ['mask']);
    assert.match(
      await flow.locator('.refusal').innerText(),
      /遮罩是 4×5，须能广播到 \[B, H, T, S\] = 2×4×3×5/,
    );
    await enter('查询', '1');
    assert.deepEqual(await failing(), []);

    await flow.getByRole('button', { name: '[B, 1, T, S]' }).click();
    assert.deepEqual(await shape(), ['2', '1', '3', '5']);
    assert.deepEqual(await failing(), []);
    await page.waitForURL(/shape\.m=2\.1\.3\.5/);
    await enter('head', '3');
    assert.match(await flow.locator('.refusal').innerText(), /遮罩是 2×3×3×5，须能广播到/);
    // Without it, and so without what stands before it.
    await enter('head', '');
    assert.deepEqual(await shape(), ['', '', '3', '5']);

    await flow.getByRole('button', { name: '[B, S]' }).click();
    assert.deepEqual(await failing(), ['padding']);
    assert.match(await flow.locator('.refusal').innerText(), /遮罩是 2×5，正是填充遮罩/);
    await flow.getByRole('button', { name: '没有遮罩' }).click();
    assert.deepEqual(await shape(), ['', '', '', '']);
    assert.deepEqual(await failing(), []);
  });
});

test('what the library refuses is told in Chinese on the Chinese page', async () => {
  await onPage('zh/#shape.mode=check&shape.m=2.5', async (page) => {
    const flow = await wake(page, 'shape-flow');
    const refusal = () => flow.locator('.refusal').innerText();
    // Three queries and two sequences: it can be nothing but padding, which no axis of 1 in front mends.
    assert.equal(await refusal(), '遮罩是 2×5，正是填充遮罩 [B, S] 的样子。如果是填充，请说明。');
    assert.equal(await flow.locator('.refusal + code').innerText(), 'AttentionError, ambiguous');
    assert.match(await flow.locator('.shape-check').innerText(), /程序库会拒绝：遮罩是/);
    assert.match(await flow.locator('[data-rule=padding]').innerText(), /\[2, 1, 1, 5\]/);
    assert.doesNotMatch(
      await flow.locator('.shape-check').innerText(),
      /\[1, \d, 5\]|[a-z]{4,} is /,
    );
    const queries = flow.getByLabel('Q, token', { exact: true });
    await queries.fill('2');
    await queries.press('Enter');
    assert.match(await refusal(), /要当作 \[T, S\]，请在前面加一个长为 1 的轴/);
    await flow.getByLabel('V, token', { exact: true }).fill('4');
    await flow.getByLabel('V, token', { exact: true }).press('Enter');
    assert.match(await refusal(), /^K 是 2×4×5×8，V 是 2×4×4×6：.*必须相同，现在是 5 和 4。$/);

    const quiz = await wake(page, 'quiz');
    const question = quiz.locator('[data-id=two-lengths]');
    await question.getByRole('button').click();
    const last = await question.locator('.check-lines li').last().innerText();
    assert.match(
      last,
      /✓\s*键有 5 个而 V 只有 4 行，被拒绝：K 是 5×4，V 是 4×4：.*现在是 5 和 4。$/,
    );
  });
});
