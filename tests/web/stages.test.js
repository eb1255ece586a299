// Where the stages of the stepper stand: from left to right, in one row or two; on a phone the current
// one; without a script all of them at any width.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';

const stages = ['query', 'key', 'scores', 'scaled', 'masked', 'weights', 'value', 'output'];

/** The box of each stage's table of numbers, null where it is not shown. */
const boxes = async (page) =>
  Object.fromEntries(
    await Promise.all(
      stages.map(async (name) => [
        name,
        await page.locator(`attention-stepper .matrix[data-stage="${name}"] tbody`).boundingBox(),
      ]),
    ),
  );
const shown = (found) => stages.filter((name) => found[name]);
/** Rows lie on the same lines, one table after the other. */
const followInRow = (found, ...names) =>
  names.slice(1).forEach((name, index) => {
    const [left, right] = [found[names[index]], found[name]];
    assert.ok(left.x + left.width <= right.x, `${name} is to the right of ${names[index]}`);
    assert.ok(Math.abs(left.y - right.y) < 1, `${name} is on the lines of ${names[index]}`);
  });
const standAbove = (upper, lower) => {
  assert.ok(upper.y + upper.height <= lower.y, 'above');
  assert.ok(Math.abs(upper.x + upper.width - lower.x - lower.width) < 1, 'in the same columns');
};

for (const width of [1440, 1240, 1024, 768]) {
  test(`all stages are in sight, from left to right: ${width} px`, async () => {
    const settings = { viewport: { width, height: 900 } };
    for (const javaScriptEnabled of [true, false]) {
      await onPage(
        'en/',
        async (page) => {
          const found = await boxes(page);
          assert.deepEqual(shown(found), stages);
          followInRow(found, 'query', 'scores', 'scaled', 'masked');
          followInRow(found, 'weights', 'output');
          if (width >= 1240) followInRow(found, 'masked', 'weights');
          standAbove(found.key, found.scores);
          standAbove(found.value, found.output);
        },
        { ...settings, javaScriptEnabled },
      );
    }
  });
}

test('a phone shows the stage of the step, and all of them without a script', async () => {
  const viewport = { width: 390, height: 844 };
  await onPage(
    'zh/#s=4',
    async (page) => assert.deepEqual(shown(await boxes(page)), ['query', 'key', 'masked']),
    { viewport },
  );
  await onPage(
    'zh/',
    async (page) => {
      const found = await boxes(page);
      assert.deepEqual(shown(found), stages);
      for (const { x, width } of Object.values(found)) assert.ok(x >= 0 && x + width <= 390);
    },
    { viewport, javaScriptEnabled: false },
  );
});
