// A long link is shortened as soon as the reader pauses. It says the same, old ones work as they did, and
// a damaged one shows no other numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { onPage, site, textsOf } from './browser.js';

const path = fileURLToPath(new URL('../../web/state/shorten.ts', import.meta.url));
const { lengthen, shorten } = (await runnerImport(path)).module;

const matrix = (first) =>
  Array.from({ length: 4 }, (_, row) =>
    Array.from({ length: 3 }, (_, column) => Math.sin(first + 3 * row + column)).join(),
  ).join(';');
const long = `q=${matrix(1)}&k=${matrix(2)}&v=${matrix(3)}`;
const short = await shorten(long);

test('what is long gets shorter and comes back; what is short stays', async () => {
  assert.ok(
    long.length > 500 && short.length < 0.8 * long.length,
    `${long.length} ${short.length}`,
  );
  assert.match(short, /^z=[\w-]+$/);
  assert.equal(await lengthen(short), long);
  assert.equal(await lengthen(`#steps&${short}&drop.p=0.5`), `#steps&${long}&drop.p=0.5`);
  assert.equal(await shorten('s=3&p=w.2.1'), 's=3&p=w.2.1');
});

test('wherever a link is damaged, it is found out', async () => {
  for (let at = 2; at < short.length; ++at) {
    const letter = short[at] === 'A' ? 'B' : 'A';
    const found = await lengthen(short.slice(0, at) + letter + short.slice(at + 1));
    assert.ok(found === undefined || found === long, `letter ${at}: ${found}`);
  }
  for (const text of ['z=', 'z=%', short.slice(0, -6), `z=${'A'.repeat(30_000)}`]) {
    assert.equal(await lengthen(text), undefined, text.slice(0, 20));
  }
});

const hashOf = (page) => page.evaluate(() => location.hash);
const isShort = (page) => page.waitForFunction(() => /^#(\w+&)?z=[\w-]+$/.test(location.hash));
const stepOf = (page) => page.locator('attention-stepper button.step[aria-current] .number');
const numbers = (page) => textsOf(page, 'query');
const shown = matrix(1)
  .split(';')
  .map((row) => row.split(',').map((x) => Number(x).toFixed(2).replace('-', '−')));
const next = (page) => page.locator('attention-stepper').getByRole('button', { name: 'Next' });

test('an old link works, is shortened, and is shared and read in the short form', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  let link;
  await onPage(
    `en/#attention&${long}`,
    async (page) => {
      assert.deepEqual(await numbers(page), shown);
      await isShort(page);
      const hash = await hashOf(page);
      assert.equal(await lengthen(hash), `#attention&${long}`);
      const other = page.locator('a[data-keep-state]').first();
      const [, state] = hash.split('&');
      await other.focus();
      assert.equal((await other.evaluate((link) => link.hash)).split('&')[1], state);
      const menu = page.locator('attention-stepper details.export');
      await menu.locator('summary').click();
      await menu.getByRole('button', { name: 'Copy link' }).click();
      await menu.getByText('Copied.').waitFor();
      link = await page.evaluate(() => navigator.clipboard.readText());
      assert.ok(link.endsWith(`#figure-stepper&${state}`), link);
      await page.reload();
      await page.locator('attention-stepper[data-live]').waitFor();
      assert.deepEqual(await numbers(page), shown);
    },
    { permissions },
  );
  await onPage(link, async (page) => {
    assert.deepEqual(await numbers(page), shown);
    assert.equal(await page.locator('attention-stepper .messages').innerText(), '');
  });
  await onPage(`zh/?embed=1&figure=stepper#${short}`, async (page) => {
    assert.deepEqual(await numbers(page), shown);
    await page.waitForFunction(() =>
      /^#figure-stepper&z=/.test(document.querySelector('h1 a').hash),
    );
  });
});

test('the first thing drawn is what a short link says', () =>
  onPage(
    `en/#${short}`,
    async (page) => {
      const drawn = await page.waitForFunction(() => globalThis.drawn);
      assert.equal(await drawn.jsonValue(), shown[0][0]);
    },
    {
      ready: async (page) => {
        await page.addInitScript(() => {
          const look = () => {
            const root = document.querySelector('attention-stepper')?.shadowRoot;
            const cell = root?.querySelector('td[data-stage="query"]');
            if (cell) globalThis.drawn = cell.textContent.trim();
            else requestAnimationFrame(look);
          };
          look();
        });
        await page.reload();
      },
    },
  ));

test('each step is one entry, back and forward, however it stands in the address', () =>
  onPage(`en/#${long}`, async (page) => {
    await isShort(page);
    const start = await page.evaluate(() => history.length);
    await next(page).click();
    await isShort(page);
    await next(page).click();
    // The third is left before it is shortened.
    await next(page).click();
    assert.equal(await stepOf(page).innerText(), '4');
    assert.equal(await page.evaluate(() => history.length), start + 3);
    for (const [way, step] of [
      ['goBack', '3'],
      ['goBack', '2'],
      ['goForward', '3'],
      ['goBack', '2'],
      ['goBack', '1'],
    ]) {
      await page[way]();
      await stepOf(page).filter({ hasText: step }).waitFor();
      assert.deepEqual(await numbers(page), shown, `${way} to ${step}`);
    }
    await isShort(page);
    await page.waitForTimeout(500);
    await page.goForward();
    await stepOf(page).filter({ hasText: '2' }).waitFor();
    assert.equal(await page.evaluate(() => history.length), start + 3, 'nothing is entered twice');

    // A jump within the article keeps what is shown.
    await page.evaluate(() => (location.hash = 'masks'));
    await page.waitForFunction(() => /^#masks&z=/.test(location.hash));
    assert.deepEqual(await numbers(page), shown);
  }));

test('while a slider moves nothing is shortened', () =>
  onPage(
    `en/?embed=1&figure=dropout#${long}`,
    async (page) => {
      await isShort(page);
      await page.evaluate(() => {
        globalThis.made = 0;
        globalThis.CompressionStream = class extends CompressionStream {
          constructor(format) {
            super(format);
            globalThis.made += 1;
          }
        };
      });
      const range = page.locator('attention-dropout input[type="range"]').first();
      const made = await range.evaluate(async (slider) => {
        for (let times = 0; times < 30; ++times) {
          slider.value = String(0.2 + times / 50);
          slider.dispatchEvent(new Event('input', { bubbles: true }));
          // No turn for timers: on a busy machine a frame can last as long as a pause.
          await document.querySelector('attention-dropout').updateComplete;
        }
        return globalThis.made;
      });
      assert.equal(made, 0);
      await page.waitForFunction(() => globalThis.made === 1);
      await isShort(page);
      assert.match(await lengthen(await hashOf(page)), /&drop\.p=0\.8$/);
    },
    { ready: (page) => page.locator('attention-dropout[data-live]').waitFor() },
  ));

const damaged = short.replace(/.{8}$/, 'AAAAAAAA');

test('a damaged link is said, and what was shown stays', async () => {
  await onPage(`en/#attention&${damaged}`, async (page) => {
    const messages = page.locator('attention-stepper .messages');
    assert.match(await messages.innerText(), /shortened part is damaged/);
    await page.evaluate((to) => (location.hash = to), long);
    await isShort(page);
    assert.deepEqual(await numbers(page), shown);
    assert.equal(await messages.innerText(), '');
    await page.evaluate((to) => (location.hash = to), damaged);
    await messages.filter({ hasText: 'shortened part is damaged' }).waitFor();
    assert.deepEqual(await numbers(page), shown);
    await page.waitForFunction((hash) => location.hash !== hash, `#${damaged}`);
    await isShort(page);
    assert.equal(await lengthen(await hashOf(page)), `#${long}`);
  });
  // Also where it leads to, in the article and alone.
  for (const address of [`#masks&${damaged}`, `?embed=1&figure=mask-painter#${damaged}`]) {
    const said = 'attention-mask-painter [role="status"]:has-text("shortened part is damaged")';
    const there = (page) => page.locator('attention-mask-painter').scrollIntoViewIfNeeded();
    await onPage(`en/${address}`, (page) => page.locator(said).waitFor(), { ready: there });
  }
});

test('a browser that cannot compress keeps the longer form, and says what it cannot read', () =>
  onPage('en/', async (page) => {
    await page.addInitScript(() => {
      delete globalThis.CompressionStream;
      delete globalThis.DecompressionStream;
    });
    await page.goto(new URL(`en/?#${long}`, await site()).href);
    await page.locator('attention-stepper[data-live]').waitFor();
    await next(page).click();
    await page.waitForTimeout(800);
    assert.equal(await hashOf(page), `#s=2&${long}`);
    await page.evaluate((to) => (location.hash = to), short);
    const messages = page.locator('attention-stepper .messages');
    await messages.filter({ hasText: 'this browser cannot read it' }).waitFor();
    assert.deepEqual(await numbers(page), shown);
  }));
