// Numbers that are not finite in the workbench: a score that overflows is not masked, what a type has no
// number for is said, and the first is found where it came in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, cells, file, npy, onBench, says, seed, type } from './bench.js';

const alone = (language = 'en') => ({
  language,
  state: '?embed=1&figure=workbench',
  ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
});
const large = '[[1,1,3],[1,2,3],[1,2,3],[1e39,2,3]]';
const cell = (bench, stage, row, column) =>
  bench.locator(`td[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`);
const facts = (bench) => bench.locator('.bench-facts').innerText();
const remarks = (bench) => bench.locator('.bench-result > .remark[role="status"]').allInnerTexts();

test('workbench: a score that overflows to −∞ is not masked; what a type has no number for is said', async () => {
  await onBench(async ({ bench }) => {
    await type(bench, 'query', large);
    await says(bench, 'Q: 1e39 at [4, 1] is more than float32 has a number for; ∞ is used.');
    assert.equal((await remarks(bench)).length, 1);
    const masked = await cells(bench, 'masked');
    const finite = masked[3].findIndex((text) => text === '−∞');
    assert.ok(finite >= 0, JSON.stringify(masked));
    const computed = cell(bench, 'masked', 3, finite);
    assert.equal(await computed.getAttribute('data-cause'), null);
    assert.match(
      await computed.getAttribute('aria-label'),
      new RegExp(`query 4, key ${finite + 1}, minus infinity$`),
    );
    // By the rule there are six.
    const hatched = bench.locator('.matrix[data-stage="masked"] td[data-cause]');
    assert.equal(await hatched.count(), 6);
    assert.match(await facts(bench), /Every masked weight is exactly 0 \(6\)/);
    assert.match(await facts(bench), /Rows that may read nothing: 0 of 4\./);
    assert.match(await facts(bench), /First number that is not finite: Q, row 4, column 1\./);
    await computed.hover();
    await says(bench, `query 4, key ${finite + 1}`);
    assert.equal(await bench.getByText('forbidden by').count(), 0);
    assert.match(await bench.locator('.inspector').innerText(), /−∞ \+ 0\s*=\s*−∞/);
    // A rule adds −∞ to what is −∞ already.
    await type(bench, 'query', '[[1e39,1,3],[1,2,3],[1,2,3],[1,2,3]]');
    await says(bench, 'Q: 1e39 at [1, 1]');
    const scores = await cells(bench, 'scores');
    const forbidden = scores[0].findIndex((text, at) => at > 0 && text === '−∞');
    assert.ok(forbidden > 0, JSON.stringify(scores));
    await cell(bench, 'masked', 0, forbidden).hover();
    await says(bench, 'forbidden by causal');
    assert.match(await bench.locator('.inspector').innerText(), /−∞ \+ \(−∞\)\s*=\s*−∞/);
  }, alone());
});

test('workbench: a row of −∞ that no rule forbids is not one that reads nothing', async () => {
  await onBench(async ({ bench }) => {
    await type(bench, 'query', '[[inf]]');
    await type(bench, 'key', '[[-1],[-2]]');
    await type(bench, 'value', '[[1],[2]]');
    await cell(bench, 'masked', 3, 0).waitFor({ state: 'detached' });
    assert.deepEqual(await cells(bench, 'masked'), [['−∞', '−∞']]);
    assert.equal(await bench.locator('td[data-cause]').count(), 0);
    assert.match(await facts(bench), /No weight is masked\./);
    assert.match(await facts(bench), /Rows that may read nothing: 0 of 1\./);
    assert.match(await facts(bench), /In 1 of 1 cells the output lies beyond/);
    assert.deepEqual(await remarks(bench), []);
    // A bias of −∞ forbids, whatever the score is.
    await type(bench, 'bias', '[[0, -inf]]');
    await bench.locator('.matrix[data-stage="masked"] td[data-cause]').waitFor();
    assert.match(
      await cell(bench, 'masked', 0, 1).getAttribute('aria-label'),
      /masked by a bias of −∞, minus infinity$/,
    );
    assert.equal(await cell(bench, 'masked', 0, 0).getAttribute('data-cause'), null);
  }, alone());
});

test('workbench: every type says what it has no number for, of a bias too', async () => {
  await onBench(async ({ page, bench }) => {
    const dtype = bench.locator('select', { has: page.locator('option[value="bfloat16"]') });
    await type(bench, 'query', '[[1,70000,-70000],[1,2,3],[1,2,3],[1,2,3]]');
    await dtype.selectOption('float16');
    await says(bench, 'Q：[1, 2] 处的 70,000 超出了 float16 的范围，这里用 ∞。这样的数共有 2 个。');
    await dtype.selectOption('bfloat16');
    await bench.getByText('float16 的范围').waitFor({ state: 'hidden' });
    await type(bench, 'bias', '[-1e39, 0, 0, 0]');
    await says(bench, '偏置：[1] 处的 −1e39 超出了 float32 的范围，这里用 −∞。');
    await dtype.selectOption('float64');
    await bench.getByText('float32 的范围').waitFor({ state: 'hidden' });
  }, alone('zh'));
});

test('workbench: the first number that is not finite is an input’s, if a query reads it', async () => {
  await onBench(async ({ bench }) => {
    await type(bench, 'query', '[[1,nan,3],[1,2,3],[1,2,3],[1,2,3]]');
    await says(bench, 'First number that is not finite: Q, row 1, column 2.');
    await type(bench, 'query', JSON.stringify(seed.Q));
    await type(bench, 'value', '[[1,2,3],[1,2,3],[1,2,-inf],[1,2,3]]');
    await says(bench, 'First number that is not finite: V, row 3, column 3.');
    // What no query reads does not count.
    await bench.getByRole('button', { name: 'Add lengths' }).click();
    const box = bench.getByLabel('real keys per batch element');
    await box.fill('2');
    await box.press('Enter');
    await says(bench, 'Every number that counts is finite.');
  }, alone());
});

test('workbench: the output lies within the visible rows of V, or it is said why it need not', async () => {
  await onBench(async ({ bench, give }) => {
    const hull = bench.locator('.bench-facts li', { hasText: 'visible rows of V' });
    const holds = () => hull.getAttribute('data-holds');
    assert.equal(
      await hull.innerText().then((text) => text.replace(/^\S+\s/, '')),
      'Every output lies within the visible rows of V.',
    );
    assert.equal(await holds(), 'yes');
    const enter = async (name, text) => {
      await bench.getByLabel(name, { exact: true }).fill(text);
      await bench.getByLabel(name, { exact: true }).press('Enter');
    };
    await enter('sinks', '0');
    await says(bench, 'a sink takes a share of the weights');
    assert.equal(await holds(), null);
    await enter('sinks', '');
    await enter('dropout p', '0.5');
    await says(bench, 'after dropout the weights need not sum to 1');
    await enter('dropout p', '');
    await says(bench, 'Every output lies');
    // Many tokens, and all of V alike, so that rounding alone could lead beyond it.
    const made = (name, numberAt) => {
      const numbers = Array.from({ length: 600 * 8 }, (_, at) => numberAt(at));
      return file(`${name}.npy`, npy('<f4', [600, 8], bytesOf(numbers, Float32Array)));
    };
    await give(
      made('q', Math.sin),
      made('k', Math.cos),
      made('v', (at) => (at % 8) / 7),
    );
    await bench.locator('canvas').waitFor();
    assert.equal(await hull.getAttribute('data-holds'), 'yes');
    assert.equal(await hull.count(), 1);
  }, alone());
});
