// The whole article by keyboard alone: nothing here touches the mouse or moves the focus by script.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { languages, onPage, textsOf } from './browser.js';
import { focused, tabTo } from './keys.js';

const words = Object.fromEntries(
  languages.map((language) => {
    const url = new URL(`../../web/content/${language}/words.json`, import.meta.url);
    return [language, JSON.parse(readFileSync(url, 'utf8'))];
  }),
);

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
    const question = page.locator('attention-quiz .question').first();
    const checked = question.getByRole('radio', { checked: true });
    // Moving about is no answer yet: up from the first is the last, and down again the first.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await question.locator('.feedback:visible').count(), 0);
    assert.equal(await checked.count(), 0);
    await page.keyboard.press('Enter');
    assert.equal(await question.locator('.feedback:visible').count(), 1);
    const { [1]: second } = await question.getByRole('radio').all();
    assert.equal(await checked.innerText(), await second.innerText());
    // The group is one stop, named by its question.
    const name = await question.locator('h4').innerText();
    assert.equal(await question.locator('[role="radio"][tabindex="0"]').count(), 1);
    const label = await question.getByRole('radiogroup').getAttribute('aria-labelledby');
    assert.equal(await page.locator(`#${label}`).innerText(), name);
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

test('a button that has done what it can keeps the focus', async () => {
  const at = (figure) => ({ ready: (page) => page.locator(`${figure}[data-live]`).waitFor() });
  await onPage(
    'en/?embed=1&figure=stepper#s=5',
    async (page) => {
      const step = page.locator('attention-stepper [aria-current="step"]');
      await tabTo(page, 'Next', ({ text }) => text === 'Next');
      for (let count = 0; count < 3; ++count) await page.keyboard.press('Enter');
      assert.equal((await focused(page)).text, 'Next');
      assert.match(await step.innerText(), /^6/);
      await tabTo(page, 'New numbers', ({ text }) => text === 'New numbers');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      assert.equal((await focused(page)).text, 'Undo');
      const undo = page.locator('attention-stepper button', { hasText: 'Undo' });
      assert.equal(await undo.getAttribute('aria-disabled'), 'true');
    },
    at('attention-stepper'),
  );
  await onPage(
    'en/?embed=1&figure=cost',
    async (page) => {
      await tabTo(page, 'the measurement', ({ className }) => className === 'primary');
      for (const text of ['Cancel', 'Measure these sizes on this device']) {
        await page.keyboard.press('Enter');
        await page.locator('attention-cost .tools button', { hasText: text }).waitFor();
        assert.equal((await focused(page)).text, text);
      }
    },
    at('attention-cost'),
  );
});

test('boxes that share a line say in it whose number was not taken, and what is', async () => {
  const { en, zh } = words;
  const said = {
    'dot-product': [
      ['1.26', '1.3', '1.26'],
      ['90', '4', '90'],
      ['2', '2', ''],
    ],
    overflow: [
      ['-', '1000', en.notNumber],
      ['7', '7', ''],
    ],
    // Of Q the batch.
    'shape-flow': [
      ['0', '1', '0'],
      ['2.6', '3', '2.6'],
      ['2', '2', ''],
    ],
  };
  for (const language of languages) {
    for (const [figure, entries] of Object.entries(said)) {
      await onPage(
        `${language}/?embed=1&figure=${figure}#shape.mode=check`,
        async (page) => {
          const group = page.locator(`attention-${figure} [data-boxes]`);
          const [box, line] = [group.locator('input').first(), group.locator('.taken')];
          const name = await box.getAttribute('aria-label');
          for (const [entry, value, remark] of entries) {
            await box.focus();
            await page.keyboard.press('ControlOrMeta+A');
            await page.keyboard.press('Delete');
            await page.keyboard.type(entry);
            await page.keyboard.press('Tab');
            assert.equal(await box.inputValue(), value, `${figure}: ${entry}`);
            const text = (await line.innerText()).trim();
            if (remark === '') assert.equal(text, '');
            else {
              assert.ok(text.startsWith(name), text);
              const isNumber = remark === entry;
              const own = { en, zh }[language];
              const sentence = isNumber
                ? own.taken.replace('{asked}', entry).replace('{used}', value)
                : own.notNumber;
              assert.ok(text.endsWith(sentence), text);
            }
          }
        },
        { ready: (page) => page.locator(`attention-${figure}[data-live]`).waitFor() },
      );
    }
  }
});

test('a number box says what was taken of an entry', async () => {
  const entries = {
    // p from 0 to 1; then the seed, a whole number up to 9999.
    dropout: [
      ['0.13', '0.13', '-5', '0', '7', '1', '1e999', '1', '', '1'],
      ['2.6', '3', '1e40', '9999', 'abc', '9999', '-', '9999'],
    ],
    'dot-product': [['1.26', '1.3', '90', '4', '', '4', '1e999', '4']],
    projection: [['2.4', '2', '', '2', '-7', '1', '2.4', '2']],
  };
  for (const [figure, boxes] of Object.entries(entries)) {
    await onPage(
      `en/?embed=1&figure=${figure}`,
      async (page) => {
        for (const [index, said] of boxes.entries()) {
          const box = page.locator(`attention-${figure} input[type="number"]`).nth(index);
          for (let at = 0; at < said.length; at += 2) {
            await box.focus();
            await page.keyboard.press('ControlOrMeta+A');
            await page.keyboard.press('Delete');
            await page.keyboard.type(said[at]);
            await page.keyboard.press('Tab');
            const { value, valid } = await box.evaluate((element) => ({
              value: element.value,
              valid: !element.validity.badInput,
            }));
            assert.deepEqual([value, valid], [said[at + 1], true], `${figure}: ${said[at]}`);
          }
        }
      },
      { ready: (page) => page.locator(`attention-${figure}[data-live]`).waitFor() },
    );
  }
});
