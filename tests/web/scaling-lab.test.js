// The scaling lab.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { languages, onPage } from './browser.js';
import { seed, wake } from './figures.js';

/** Waits until the charts are what was last asked for. */
const charted = (lab) => lab.locator('.lab-charts[aria-busy="false"]').waitFor();

test("scaling lab: the article's variance and entropy at every width", async () => {
  await onPage('en/#lab.mode=article', async (page) => {
    const lab = await wake(page, 'scaling-lab');
    for (const { d_k: width, ...published } of seed.scaling_lab) {
      await lab.locator('input[type="number"]').fill(String(width));
      await lab.locator('input[type="number"]').press('Enter');
      const values = await lab
        .locator('.facts td')
        .evaluateAll((cells) => cells.map((cell) => parseFloat(cell.textContent)));
      const [rawVariance, rawEntropy, , , scaledVariance, scaledEntropy] = values;
      const pairs = [
        [rawVariance, published.raw_variance],
        [rawEntropy, published.raw_entropy_bits],
        [scaledVariance, published.scaled_variance],
        [scaledEntropy, published.scaled_entropy_bits],
      ];
      for (const [shown, x] of pairs)
        assert.ok(Math.abs(shown - x) < 0.0006, `${width}: ${shown} for ${x}`);
      // Where the variance has fallen although the width has grown, chance is named.
      const before = seed.scaling_lab.find(({ d_k }) => d_k === width - 8);
      const says = await lab.locator('.lab p[aria-live="polite"]').innerText();
      assert.ok(says.includes(`from ${rawVariance.toFixed(2)} to `), says);
      const isFall = before !== undefined && before.raw_variance > published.raw_variance;
      assert.equal(/chance made it so/.test(says), isFall, says);
      if (isFall) assert.match(says, new RegExp(`it is ${before.raw_variance.toFixed(2)}`));
    }
  });
});

test('scaling lab: keys and draws can be set, and the dashed lines are the theory in every mode', async () => {
  const ready = (page) => page.locator('attention-scaling-lab[data-live]').waitFor();
  await onPage(
    'en/?embed=1&figure=scaling-lab#lab.d=64',
    async (page) => {
      const lab = page.locator('attention-scaling-lab');
      /** The variances at which the dashed lines end, where they can be read: d_k = 128. */
      const ends = () =>
        lab
          .locator('.chart')
          .first()
          .locator('[data-series="theory"] .series')
          .evaluateAll((lines) =>
            lines.map((line) => {
              const [, up] = line.getAttribute('d').match(/([\d.]+)$/);
              // From 300 at 10 to 0.01 at 208.
              return 0.01 * 30000 ** ((208 - Number(up)) / 198);
            }),
          );
      const check = async (raw, scaled) => {
        const found = await ends();
        assert.equal(found.length, 2);
        [raw, scaled].forEach((x, at) => assert.ok(Math.abs(found[at] / x - 1) < 0.01, `${found}`));
      };
      await charted(lab);
      await check(128, 1);
      const bars = () => lab.locator('.bars').first().locator('li').count();
      assert.equal(await bars(), 8);
      await lab.getByRole('radio', { name: '16', exact: true }).check();
      assert.equal(await bars(), 16);
      await lab.getByText('on average it is 15/16 of the theory').waitFor();
      await lab.getByRole('radio', { name: '50', exact: true }).check();
      await lab.getByText('90% of 50 draws').waitFor();
      await page.waitForURL(/lab\.keys=16&lab\.n=50/);
      assert.deepEqual(
        await lab
          .locator('.chart')
          .last()
          .locator('svg > text')
          .evaluateAll((all) => all.map((each) => each.textContent.trim())),
        [...['0', '1', '2', '3', '4', '8', '32', '64', '96', '128', 'dk']],
      );
      await lab.getByRole('radio', { name: 'U(−1, 1)' }).check();
      await charted(lab);
      await check(128 / 9, 1 / 9);
      await lab.getByRole('radio', { name: 'article A’s data' }).check();
      await check(128 / 9, 1 / 9);
      // Its scores are given, and there are eight.
      assert.equal(await bars(), 8);
      assert.equal(await lab.getByRole('radio', { name: '16', exact: true }).count(), 0);
      const dots = lab.locator('[data-series="article"] .series').first();
      assert.equal((await dots.getAttribute('d')).match(/h0/g).length, 16);
    },
    { ready },
  );
});

test('scaling lab: many draws are made in turns, the last picture stands meanwhile, and the latest wish counts', async () => {
  const ready = (page) => page.locator('attention-scaling-lab[data-live]').waitFor();
  await onPage(
    'en/?embed=1&figure=scaling-lab#lab.keys=16&lab.n=50',
    async (page) => {
      const lab = page.locator('attention-scaling-lab');
      const bands = () =>
        lab.locator('.chart .band').evaluateAll((all) => all.map((each) => each.getAttribute('d')));
      const ask = (count) => lab.getByRole('radio', { name: count, exact: true }).check();
      const said = (count) => lab.getByText(`90% of ${count} draws`).waitFor();
      await charted(lab);
      const few = await bands();
      assert.equal(few.length, 4);

      // Whatever the machine: frames are drawn while it computes.
      const [isPrevious, frames] = await lab.evaluate(async ({ shadowRoot, updateComplete }) => {
        const bandsNow = () =>
          [...shadowRoot.querySelectorAll('.chart .band')].map((each) => each.getAttribute('d'));
        const before = bandsNow().join();
        [...shadowRoot.querySelectorAll('input[name="n"]')].at(-1).click();
        await updateComplete;
        const charts = shadowRoot.querySelector('.lab-charts');
        const isBusy = () => charts.ariaBusy === 'true';
        const stands =
          isBusy() && bandsNow().join() === before && /50 draws/.test(shadowRoot.textContent);
        let drawn = 0;
        for (; isBusy() && drawn < 10; ++drawn) await new Promise(requestAnimationFrame);
        return [stands, drawn];
      });
      assert.ok(isPrevious, 'what was there before stands until the new picture is ready');
      assert.ok(frames >= 10, `${frames} frames`);

      // Given up for another wish, it is not there when it is asked for again.
      await ask('200');
      await charted(lab);
      await said('200');
      await ask('1,000');
      assert.equal(await lab.locator('.lab-charts').getAttribute('aria-busy'), 'true');
      assert.equal(await lab.locator('.computing').innerText(), 'Computing …');
      await charted(lab);
      await said('1,000');
      const many = await bands();
      assert.equal(many.filter((band) => few.includes(band)).length, 0);
      // What is known stands at once, and is the same as before.
      await ask('50');
      await said('50');
      assert.deepEqual(await bands(), few);
    },
    { ready },
  );
});

test('scaling lab: what is saved while it computes is the finished picture, unless that is cancelled', async () => {
  const computing = { en: 'Computing', zh: '正在计算' };
  const words = {
    en: { menu: 'Save, share, open', cancel: 'Cancel', cancelled: 'nothing was saved' },
    zh: { menu: '保存', cancel: '取消', cancelled: '什么也没有保存' },
  };
  for (const language of languages) {
    await onPage(
      `${language}/?embed=1&figure=scaling-lab#lab.keys=16&lab.n=50`,
      async (page) => {
        const lab = page.locator('attention-scaling-lab');
        await charted(lab);
        const own = words[language];
        const menu = lab.locator('details.export');
        await menu.locator('summary', { hasText: own.menu }).click();
        /** Asks for 1,000 draws and, within the same task, for files; gives back whether it computed. */
        const ask = (...formats) =>
          lab.evaluate(async ({ shadowRoot, updateComplete }, wanted) => {
            [...shadowRoot.querySelectorAll('input[name="n"]')].at(-1).click();
            await updateComplete;
            const isBusy = shadowRoot.querySelector('.lab-charts').ariaBusy;
            const buttons = [...shadowRoot.querySelectorAll('.formats button')];
            for (const format of wanted) {
              buttons.find(({ textContent }) => textContent.trim() === format).click();
            }
            return isBusy;
          }, formats);
        const saved = [];
        page.on('download', (download) => saved.push(download));

        assert.equal(await ask('PNG', 'SVG'), 'true');
        await menu.getByText(/(PNG, SVG)/).waitFor();
        await menu.getByRole('button', { name: own.cancel }).click();
        await menu.getByText(own.cancelled).waitFor();
        await charted(lab);
        assert.equal(await menu.getByRole('button', { name: own.cancel }).count(), 0);
        assert.deepEqual(saved, []);

        // Another width of the distribution: what is asked for is not known yet.
        await lab.evaluate(({ shadowRoot }) =>
          shadowRoot.querySelector('input[name="mode"][value="uniform"]').click(),
        );
        const coming = page.waitForEvent('download');
        assert.equal(await ask('SVG'), 'true');
        const text = readFileSync(await (await coming).path(), 'utf8');
        assert.equal(await lab.locator('.lab-charts').getAttribute('aria-busy'), 'false');
        assert.doesNotMatch(text, new RegExp(computing[language]));
        assert.match(text, /1,000/);
        // The bands of the charts as they stand.
        const bands = await lab
          .locator('.chart .band')
          .evaluateAll((all) => all.map((each) => each.getAttribute('d')));
        assert.equal(bands.length, 4);
        for (const band of bands) assert.ok(text.includes(band), band);
        await menu.getByText('SVG').last().waitFor();
      },
      { ready: (page) => page.locator('attention-scaling-lab[data-live]').waitFor() },
    );
  }
});
