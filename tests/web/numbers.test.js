// The figures of stability and precision: overflow, precision, online softmax, and the boxes of numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPage } from './browser.js';
import { seed, wake } from './figures.js';

test("online softmax: the kernel's own steps for the fourth query, by keyboard", async () => {
  await onPage('en/', async (page) => {
    const online = await wake(page, 'online-softmax');
    const line = (index) =>
      online
        .locator('tbody tr')
        .nth(index)
        .locator('td')
        .evaluateAll((cells) => cells.map((cell) => cell.textContent.trim()));
    const numbers = (text) => text.match(/−?[\d.]+/g).map((x) => Number(x.replace('−', '-')));
    for (let step = 1; step < 4; ++step) {
      assert.equal((await line(step))[0], '', 'what has not come yet shows nothing');
      await online.getByRole('button', { name: 'Next' }).focus();
      await page.keyboard.press('Enter');
    }
    const scaled = seed.six_step.scaled[3];
    let [largest, sum, output] = [-Infinity, 0, [0, 0, 0]];
    for (const [j, score] of scaled.entries()) {
      const max = Math.max(largest, score);
      const [rescale, weight] = [Math.exp(largest - max), Math.exp(score - max)];
      sum = sum * rescale + weight;
      output = output.map((x, c) => x * rescale + weight * seed.six_step.V[j][c]);
      largest = max;
      const [z, m, by, exp, l, o] = await line(j);
      const pairs = [
        [z, [score]],
        [m, [max]],
        ...(j > 0 ? [[by, [rescale]]] : []),
        [exp, [weight]],
        [l, [sum]],
        [o, output],
      ];
      for (const [text, expected] of pairs) {
        numbers(text).forEach((x, at) =>
          assert.ok(Math.abs(x - expected[at]) < 6e-5, `${text} for ${expected}`),
        );
      }
    }
    const says = await online.locator('.online-says').innerText();
    for (const x of seed.six_step.output_causal[3]) {
      assert.ok(says.includes(x.toFixed(4).replace('-', '−')), `${x} in ${says}`);
    }
    assert.match(says, /is 1\.3703\./);
  });
});

test('precision and sentence: what overflows in float16, and what the causal mask leaves', async () => {
  await onPage('en/', async (page) => {
    const text = await (await wake(page, 'precision')).locator('.figure').innerText();
    for (const part of ['102,400', '12,800', '12,480', 'NaN', '65,504']) {
      assert.ok(text.includes(part), part);
    }
    const sentence = await wake(page, 'sentence');
    assert.match(await sentence.locator('.figure').innerText(), /“cat” gets 0\.60/);
    await sentence.getByRole('switch', { name: 'Causal mask' }).check();
    assert.match(await sentence.locator('.figure').innerText(), /“cat” gets 0\.60 ÷ 0\.90 ≈ 0\.67/);
    // Weights, of which the mask makes exact zeros.
    const hidden = sentence.locator('[data-cause] + .share');
    assert.deepEqual(await hidden.allInnerTexts(), ['0', '0']);
  });
});

test('precision: what rounding loses in float16 is said, and no small weight reads 0', async () => {
  const shown = async (c) => {
    let text;
    await onPage(`en/#half.c=${c}`, async (page) => {
      text = await (await wake(page, 'precision')).locator('.figure').innerText();
    });
    return text;
  };
  const rounded = await shown(31);
  assert.match(rounded, /61,472\s+−61,472\s+59,424/);
  assert.match(
    rounded,
    /exact scaled scores are 7,688, −7,688, 7,440, and these are off by 4, 4, 12/,
  );
  assert.match(rounded, /61,504\s+−61,504\s+59,520[^]*The scores are exact/);
  const small = await shown(1);
  assert.match(small, /weights\s+>0\.995\s+<0\.005\s+<0\.005/);
  assert.doesNotMatch(small, /off by/);
});

test('overflow: the textbook’s softmax fails where the library’s does not, in each format', async () => {
  await onPage('en/', async (page) => {
    const overflow = await wake(page, 'overflow');
    const weights = (way) => overflow.locator('.lanes').nth(way).locator('tr').last().innerText();
    const cells = async (way) => (await weights(way)).split(/\s+/).slice(1);
    const verdict = () => overflow.locator('.comparison .remark').first().innerText();
    assert.deepEqual(await cells(0), ['NaN', 'NaN', 'NaN']);
    assert.deepEqual(await cells(1), ['0.67', '0.24', '0.09']);
    const first = overflow.getByLabel('score 1', { exact: true });
    const enter = async (text) => {
      await first.fill(text);
      await first.press('Enter');
    };
    for (const [index, text] of [
      ['1', '89'],
      ['2', '88'],
      ['3', '80'],
    ]) {
      await overflow.getByLabel(`score ${index}`, { exact: true }).fill(text);
      await overflow.getByLabel(`score ${index}`, { exact: true }).press('Enter');
    }
    // e^89 is beyond float32, e^88 is not; all three fit in float64.
    assert.match(await verdict(), /e to the power of 89 is beyond float32.*88\.72/);
    assert.deepEqual(await cells(0), ['NaN', '0', '0']);
    await overflow.getByRole('radio', { name: 'float64' }).check();
    assert.match(await verdict(), /Nothing overflows here: 89 is below about 709\.78/);
    assert.deepEqual(await cells(0), await cells(1));
    await enter('99999');
    assert.match(await verdict(), /e to the power of 99,999 is beyond float64/);
    assert.deepEqual(await cells(1), ['1', '0', '0']);
    await overflow.getByRole('radio', { name: 'float16', exact: true }).check();
    await overflow.getByText('In float16 a score is infinite.').waitFor();
    assert.deepEqual(await cells(1), ['NaN', 'NaN', 'NaN']);
    await overflow.getByRole('radio', { name: 'float64' }).check();
    await overflow.getByRole('button', { name: '−1,000' }).click();
    assert.match(await verdict(), /too small for float64 and becomes 0, and 0\/0 is NaN/);
    assert.deepEqual(await cells(1), ['0.67', '0.24', '0.09']);
    await page.waitForURL(/exp\.x=-1000,-1001/);
    const stored = overflow.locator('.stored');
    assert.equal(await stored.innerText(), '');
    await overflow.getByRole('radio', { name: 'bfloat16' }).check();
    await stored.waitFor();
    assert.match(
      await stored.innerText(),
      /bfloat16 rounds the scores to −1,000, −1,000, −1,000\./,
    );
    assert.match(await stored.innerText(), /cannot tell apart get equal weights/);
    assert.deepEqual(await cells(1), ['0.33', '0.33', '0.33']);
  });
});

test('precision: float16 loses an input beyond it, and 10^20 overflows float32 as well', async () => {
  const ready = (page) => page.locator('attention-precision[data-live]').waitFor();
  for (const [language, start, lost, says] of [
    [
      'en',
      'float32 from the start',
      'Lost before the first step: the largest float16 is 65,504.',
      'First lost in scores: the largest float32 is 3.403e38.',
    ],
    [
      'zh',
      '一开始就用 float32',
      '还没开始算就丢了：float16 最大只到 65,504。',
      'float32 最大只到 3.403e38。',
    ],
  ]) {
    await onPage(
      `${language}/?embed=1&figure=precision`,
      async (page) => {
        const precision = page.locator('attention-precision');
        const widened = precision.locator('.comparison > div').last();
        assert.match(await widened.innerText(), /102,400\s+−102,400\s+99,840/);
        const box = precision.getByRole('spinbutton');
        const enter = async (text) => {
          await box.fill(text);
          await box.press('Enter');
        };
        // The last that float16 holds, though rounded, and the first that it does not.
        await enter('65519');
        await widened.getByText('65,504').first().waitFor();
        assert.match(await widened.innerText(), /k\s+65,504\s+−65,504\s+65,504/);
        assert.doesNotMatch(await widened.innerText(), new RegExp(start));
        await enter('65520');
        await widened.getByText(start).waitFor();
        assert.match(await widened.innerText(), /k\s+65,520\s+−65,520\s+65,519/);
        assert.match(await widened.innerText(), /weights\s+1\s+0\s+0|权重\s+1\s+0\s+0/);
        for (const way of [0, 1]) {
          const text = await precision.locator('.comparison > div').nth(way).innerText();
          assert.match(text, /k\s+∞\s+−∞\s+65,504/);
          assert.ok(text.includes(lost), text);
          assert.doesNotMatch(text, /8,190/);
        }
        await precision.getByRole('button', { name: '1e20' }).click();
        await widened.getByText(says).waitFor();
        assert.match(await widened.innerText(), /∞\s+−∞\s+∞[^]*NaN\s+NaN\s+NaN/);
        assert.equal(await box.inputValue(), '1e+20');
        const slider = precision.getByRole('slider');
        assert.equal(await slider.inputValue(), await slider.getAttribute('max'));
      },
      { ready },
    );
  }
});

test('a box that cannot take what is entered says what it takes instead', async () => {
  const ready = (page) => page.locator('attention-precision[data-live]').waitFor();
  await onPage(
    'en/?embed=1&figure=precision',
    async (page) => {
      const figure = page.locator('attention-precision');
      const box = figure.getByRole('spinbutton');
      const says = figure.locator('output.taken');
      const enter = async (text) => {
        await box.fill(text);
        await box.press('Enter');
      };
      await enter('1e21');
      assert.equal(await says.innerText(), '1e21 cannot be had here; 1e20 is used.');
      await enter('0.1');
      assert.equal(await box.inputValue(), '1');
      assert.equal(await says.innerText(), '0.1 cannot be had here; 1 is used.');
      await enter('');
      assert.equal(await box.inputValue(), '1');
      assert.match(await says.innerText(), /not a number; the last good value stays/);
      await box.fill('2');
      assert.equal(await says.innerText(), '', 'gone once something else is entered');
      await box.press('Enter');
      assert.equal(await says.innerText(), '');
    },
    { ready },
  );
  await onPage(
    'zh/?embed=1&figure=retrieval',
    async (page) => {
      const seedBox = page.locator('attention-retrieval .seed');
      await seedBox.locator('input').fill('99999');
      await seedBox.locator('input').press('Enter');
      await seedBox.getByText('这里取不了 99,999，用的是 9,999。').waitFor();
    },
    { ready: (page) => page.locator('attention-retrieval[data-live]').waitFor() },
  );
});
