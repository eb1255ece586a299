// The whole article by keyboard alone: nothing here touches the mouse or moves the focus by script.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage, textsOf } from './browser.js';

/** The focused element, through shadow roots. */
const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    let figure = '';
    while (element?.shadowRoot) {
      figure = element.localName;
      element = element.shadowRoot.activeElement;
    }
    const { dataset = {}, className = '', localName = '', textContent = '' } = element ?? {};
    const place = dataset.stage && `${dataset.stage} ${dataset.row} ${dataset.column}`;
    return { figure, place, className, name: localName, text: textContent.trim() };
  });

/** Presses Tab until the focus is where it is wanted. */
async function tabTo(page, what, isThere, most = 60) {
  for (let count = 0; count < most; ++count) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (isThere(now)) return now;
  }
  assert.fail(`${what} is not reached by ${most} times Tab`);
}

const inStepper = (isThere) => (now) => now.figure === 'attention-stepper' && isThere(now);

test('by keyboard alone: all steps, a changed number, a saved file', async () => {
  await onPage('en/', async (page) => {
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const next = inStepper(({ className }) => className === 'primary');
    await tabTo(page, 'Next', next);
    const outputs = [];
    for (let step = 2; step <= 6; ++step) {
      await press('Enter');
      outputs.push(await page.locator('attention-stepper .step[aria-current] .number').innerText());
    }
    assert.deepEqual(outputs, ['2', '3', '4', '5', '6']);

    const before = await textsOf(page, 'output');
    await tabTo(
      page,
      'Q',
      inStepper(({ place }) => place === 'query 0 0'),
    );
    await press('ArrowDown', 'End', 'Enter');
    await page.keyboard.type('1.5');
    await press('Enter');
    assert.equal((await focused(page)).place, 'query 1 2');
    assert.equal((await textsOf(page, 'query'))[1][2], '1.50');
    assert.notDeepEqual(await textsOf(page, 'output'), before);

    await tabTo(
      page,
      'the menu',
      inStepper(({ name }) => name === 'summary'),
    );
    await press('Enter');
    await tabTo(
      page,
      'JSON',
      inStepper(({ text }) => text === 'JSON'),
    );
    const download = page.waitForEvent('download');
    await press('Enter');
    assert.equal((await download).suggestedFilename(), 'attention-stepper.json');
  });
});

test('by keyboard alone: from the contents to the quiz, and an answer', async () => {
  await onPage('zh/', async (page) => {
    await tabTo(page, 'the contents', ({ name }) => name === 'summary');
    await page.keyboard.press('Enter');
    const title = await page.locator('nav a[href="#review"]').innerText();
    await tabTo(page, title, ({ text }) => text === title);
    await page.keyboard.press('Enter');
    await tabTo(page, 'a choice', ({ className }) => className === 'choice-button', 150);
    await page.keyboard.press('Enter');
    const question = page.locator('attention-quiz .question').first();
    assert.equal(await question.locator('.feedback:visible').count(), 1);
    assert.equal(await question.locator('.choice-button[aria-pressed="true"]').count(), 1);
  });
});

test('the focus is always to be seen', async () => {
  await onPage('en/', async (page) => {
    const seen = new Set();
    for (let count = 0; count < 40; ++count) {
      await page.keyboard.press('Tab');
      const { what, outline } = await page.evaluate(() => {
        let element = document.activeElement;
        while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        // A control that is drawn by its label shows the focus there.
        const drawn = [element, element.nextElementSibling, element.parentElement];
        const widths = drawn.map((each) => {
          const style = each && getComputedStyle(each);
          return style && style.outlineStyle !== 'none' ? parseFloat(style.outlineWidth) : 0;
        });
        return { what: element.outerHTML.slice(0, 80), outline: Math.max(...widths) };
      });
      assert.ok(outline >= 2 || /skip/.test(what), `no outline on ${what}`);
      seen.add(what);
    }
    assert.ok(seen.size > 15);
  });
});
