// Figures in other people's pages: alone in a frame, and as elements.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import axe from 'axe-core';
import { figureNames, languages, onPage, site, textsOf } from './browser.js';
import { install } from './install.js';

const pageWith = (body, head = '') =>
  `<!doctype html><html lang="en"><head><title>Elsewhere</title>
  <link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;

test('each figure stands alone in a frame, in both languages and themes', async () => {
  assert.ok(figureNames.length > 20);
  for (const language of languages) {
    const colorScheme = language === 'en' ? 'light' : 'dark';
    await onPage(
      'about:blank',
      async (page) => {
        const url = await site();
        for (const name of figureNames) {
          const figure = name.replace('attention-', '');
          await page.goto(`${url}${language}/?embed=1&figure=${figure}&theme=${colorScheme}`);
          await page.locator(`${name}[data-live]`).waitFor();
          const seen = await page.evaluate(() => ({
            figures: document.querySelectorAll('[data-figure]').length,
            others: document.querySelectorAll('.top, main > section, body > footer').length,
            width: document.documentElement.scrollWidth - innerWidth,
            scheme: getComputedStyle(document.documentElement).colorScheme,
            height: document.querySelector('.alone').scrollHeight,
          }));
          const says = await page.locator(name).evaluate((element) => {
            const shown = element.shadowRoot?.querySelector('.figure');
            return `${element.innerText} ${shown?.innerText ?? ''}`;
          });
          // Of what is not there: other figures, a mouse, keys.
          assert.doesNotMatch(says, /first figure|figures above|第一张图|上面各图/, name);
          assert.doesNotMatch(says, /Point at|Click|Enter|Shift|指向|指着|单击|方向键/, name);
          if (language === 'en') {
            await page.evaluate(axe.source);
            const { violations } = await page.evaluate(() => globalThis.axe.run());
            const found = violations.map(
              ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
            );
            assert.deepEqual(found, [], name);
          }
          const { width, height, ...rest } = seen;
          assert.deepEqual(rest, { figures: 1, others: 0, scheme: colorScheme }, name);
          assert.ok(width <= 0 && height > 60, `${name}: ${width} px too wide, ${height} px high`);
        }
      },
      { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true },
    );
  }
});

test('a frame keeps the state of its link, leads to the article, and says how high it is', async () => {
  const url = await site();
  const folder = fileURLToPath(new URL('../../build/frame', import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const frame = `<iframe title="Attention" src="${url}en/?embed=1&figure=stepper#s=5&p=w.2.1" width="700"></iframe>`;
  const listen = `<script>addEventListener('message', ({ data }) => {
    if (data.type === 'attention-wasm:height') document.querySelector('iframe').height = data.height;
  })</script>`;
  writeFileSync(`${folder}/index.html`, pageWith(frame, listen));
  await onPage('about:blank', async (page) => {
    await page.goto(await site({ folder, isolated: false }));
    const inner = page.frameLocator('iframe');
    await inner.locator('attention-stepper[data-live]').waitFor();
    assert.equal(
      await inner.locator('attention-stepper button.step[aria-current] .number').innerText(),
      '5',
    );
    const link = inner.locator('h1 a');
    assert.match(await link.getAttribute('href'), /\/en\/#figure-stepper&s=5&p=w\.2\.1$/);
    await inner.locator('attention-stepper button.primary').click();
    assert.match(await link.getAttribute('href'), /\/en\/#figure-stepper&s=6&p=w\.2\.1$/);
    await page.waitForFunction(() => document.querySelector('iframe').height > 300);
    // It follows what is in it, up and down: the whole is seen, and below it there is no hole.
    const outer = page.locator('iframe');
    const settled = async () => {
      let found;
      for (let tries = 0; tries < 40; ++tries) {
        await page.waitForTimeout(300);
        const [bottom, over] = await inner
          .locator('.alone')
          .evaluate((main) => [
            main.getBoundingClientRect().bottom,
            document.documentElement.scrollHeight - innerHeight,
          ]);
        const { height } = await outer.boundingBox();
        if (over <= 0 && height - bottom < 40) return height;
        found = `${over} px are hidden, ${height} px for ${bottom}`;
      }
      assert.fail(found);
    };
    const first = await settled();
    const save = inner.locator('attention-stepper .export > summary');
    await save.click();
    assert.ok((await settled()) > first + 20);
    await save.click();
    assert.equal(await settled(), first);
    await outer.evaluate((element) => (element.width = 340));
    assert.ok((await settled()) > first);
    await outer.evaluate((element) => (element.width = 700));
    assert.equal(await settled(), first);
  });
});

test('a frame for a figure that does not exist says which ones do', async () => {
  await onPage(
    'en/?embed=1&figure=steper',
    async (page) => {
      assert.match(await page.locator('body').innerText(), /no figure “steper”.*stepper/);
    },
    { ready: (page) => page.locator('.alone').waitFor() },
  );
});

const elements = pageWith(
  `<attention-stepper state="s=6"></attention-stepper>
   <div lang="zh-Hans"><attention-dot-product></attention-dot-product></div>
   <attention-stepper id="second"></attention-stepper>
   <script type="importmap">
   { "imports": { "attention-wasm/figures": "./node_modules/attention-wasm/dist/figures/index.js" } }
   </script>
   <script type="module">
   import 'attention-wasm/figures';
   window.heard = [];
   addEventListener('attention-change', ({ target, detail }) => {
     heard.push([target.id, detail.state]);
   });
   </script>`,
);

test('figures are elements in a page that knows nothing else, from the packed files', async () => {
  const folder = install('elements', elements);
  const url = await site({ folder, isolated: false });
  await onPage('about:blank', async (page) => {
    await page.goto(url);
    await page.locator('attention-stepper[data-live]').first().waitFor();
    assert.equal((await textsOf(page, 'output')).at(-1)[1], '−0.12');
    // The second has a state of its own, and tells of its changes.
    const second = page.locator('#second');
    await second.locator('button.step').nth(2).click();
    assert.equal(await second.evaluate((element) => element.state), 's=3');
    assert.deepEqual(await page.evaluate(() => window.heard), [['second', 's=3']]);
    await second.evaluate((element) => element.setAttribute('state', 's=4&p=w.9.9'));
    assert.equal(await second.locator('button.step[aria-current] .number').innerText(), '4');
    assert.match(await second.locator('.messages').innerText(), /cell w\.9\.9; w\.4\.4/);
    // A shortened state too, as a link that was copied has it.
    const short = `z=${deflateSync('s=5&p=w.2.1').toString('base64url')}`;
    await second.evaluate((element, state) => (element.state = state), short);
    await second.locator('td[data-stage="weights"][data-pinned]').waitFor();
    assert.equal(await second.evaluate((element) => element.state), 's=5&p=w.2.1');
    // The address of the page around stays as it is.
    assert.equal(page.url(), url);
    // Words of the language around, and styles of its own.
    const chinese = page.locator('attention-dot-product').getByText(/\p{Script=Han}/u);
    await chinese.first().waitFor();
    const background = await second
      .locator('button.primary')
      .evaluate((button) => getComputedStyle(button).backgroundColor);
    assert.equal(background, 'rgb(27, 29, 33)');
    // In the dark where the page is dark.
    await page.evaluate(() => (document.documentElement.style.colorScheme = 'dark'));
    const dark = await page
      .locator('attention-stepper .figure')
      .first()
      .evaluate((figure) => getComputedStyle(figure).color);
    assert.equal(dark, 'rgb(233, 232, 228)');
    // On dark paper of its own, unless the page has another for it.
    const paper = () => second.evaluate((element) => getComputedStyle(element).backgroundColor);
    assert.equal(await paper(), 'rgb(19, 21, 24)');
    await second.evaluate((element) => element.style.setProperty('--attention-paper', '#0f1a2b'));
    assert.equal(await paper(), 'rgb(15, 26, 43)');
  });
});

/** What a reader sees of an element, through its shadow root, and how it is called. */
const seenOf = (element) => {
  const widthOf = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect().width;
  };
  const figure = element.shadowRoot.querySelector('[role="figure"]');
  return {
    name: figure.getAttribute('aria-label'),
    text: figure.innerText.trim(),
    height: figure.getBoundingClientRect().height,
    style: Object.fromEntries(
      [
        ...['letterSpacing', 'textAlign', 'fontStyle', 'whiteSpace', 'fontVariantCaps'],
        ...['direction', 'wordBreak', 'textShadow', 'fontFeatureSettings', 'color'],
      ].map((name) => [name, getComputedStyle(figure)[name]]),
    ),
    paper: getComputedStyle(element).backgroundColor,
    tight: [...element.shadowRoot.querySelectorAll('.cell')]
      .filter((cell) => widthOf(cell) > cell.clientWidth)
      .map((cell) => `${cell.textContent.trim()} in ${cell.clientWidth} px`),
    fonts: getComputedStyle(figure).getPropertyValue('--sans'),
    count: element.shadowRoot.querySelectorAll('.card, .bug, .question, .goals li').length,
  };
};

/** Ink, on the figure's own paper, and nothing of what the page says of its text. */
const ownStyle = {
  ...{ letterSpacing: 'normal', textAlign: 'start', fontStyle: 'normal', whiteSpace: 'normal' },
  ...{ fontVariantCaps: 'normal', direction: 'ltr', wordBreak: 'normal', textShadow: 'none' },
  ...{ fontFeatureSettings: 'normal', color: 'rgb(27, 29, 33)' },
};

test('every figure is such an element, with its content and its name, in both languages', async () => {
  const bare = (language) =>
    `<div lang="${language}">${figureNames.map((name) => `<${name}></${name}>`).join('')}</div>`;
  const folder = install(
    'every-element',
    pageWith(
      `${languages.map(bare).join('')}
      <script type="module" src="./node_modules/attention-wasm/dist/figures/index.js"></script>`,
      // What such a page may say of all its text is not said of a figure's.
      // The page is dark and its text light, without a word on its colour scheme.
      `<style>
        * { letter-spacing: 2px; text-align: center; font-style: italic; white-space: pre }
        * { font-variant: small-caps; word-break: break-all; text-shadow: 1px 1px red }
        * { font-feature-settings: 'smcp'; color: #eee; direction: rtl }
        body { background: #123 }
      </style>`,
    ),
  );
  // In the article the prose of these figures is the page's.
  const prose = { cards: 10, 'bug-gallery': 12, quiz: 5, goals: 5 };
  await onPage('about:blank', async (page) => {
    await page.goto(await site({ folder, isolated: false }));
    for (const language of languages) {
      const names = new Set();
      for (const tag of figureNames) {
        const element = page.locator(`div[lang="${language}"] ${tag}`);
        await element.and(page.locator('[data-live]')).waitFor({ state: 'attached' });
        const { name, text, height, style, count, tight, fonts, paper } =
          await element.evaluate(seenOf);
        assert.ok(text.length > 40 && height > 60, `${tag}: ${height} px of “${text}”`);
        assert.equal(/\p{Script=Han}/u.test(text), language === 'zh', `${tag}: ${text}`);
        assert.deepEqual(style, ownStyle, tag);
        assert.equal(paper, 'rgb(255, 254, 252)', tag);
        // The page may not have the article's own: English is then not set in a Chinese font.
        const isLatinFirst = fonts.indexOf('system-ui') < fonts.indexOf('PingFang SC');
        assert.equal(isLatinFirst, language === 'en', `${tag}: ${fonts}`);
        assert.deepEqual(tight, [], tag);
        names.add(name);
        assert.equal(await element.getByRole('figure', { name, exact: true }).count(), 1, tag);
        assert.equal(count, prose[tag.replace('attention-', '')] ?? 0, tag);
      }
      assert.equal(names.size, figureNames.length, [...names].join());
      assert.ok(!names.has(''));

      // They do what they do in the article.
      const of = (tag) => page.locator(`div[lang="${language}"] ${tag}`);
      const choice = of('attention-quiz').locator('[data-right="true"]').first();
      assert.equal(await choice.locator('.feedback').isVisible(), false);
      await choice.getByRole('radio').click();
      assert.ok(await choice.locator('.feedback').isVisible());
      assert.ok((await of('attention-quiz').locator('math').count()) > 20);
      const quiz = await of('attention-quiz').evaluate((element) => element.state);
      assert.match(quiz, /^quiz\.chosen=2\.0\.0\.0\.0$/);
      assert.equal(await of('attention-bug-gallery').locator('.evidence td').first().count(), 1);
      await of('attention-cards').locator('summary').nth(2).click();
      await page.waitForFunction(
        (element) => element.state === 'cards.open=3',
        await of('attention-cards').elementHandle(),
      );
      await of('attention-cards').evaluate((element) => (element.state = 'cards.open=1.2'));
      const open = () => of('attention-cards').locator('details[open]').count();
      await page.waitForTimeout(0);
      assert.equal(await open(), 2);
      await of('attention-goals').getByRole('checkbox').first().check();
      const list = of('attention-goals').locator('ul');
      assert.equal(await list.evaluate((ul) => getComputedStyle(ul).listStyleType), 'none');
    }
    // Another language is other prose, and as alive.
    await page.locator('div[lang="en"] attention-cards').evaluate((element) => {
      element.lang = 'zh';
    });
    const turned = page.locator('div[lang="en"] attention-cards');
    await turned
      .getByText(/\p{Script=Han}/u)
      .first()
      .waitFor();
    await turned.getByRole('button').first().click();
    assert.equal(await turned.locator('details[open]').count(), 10);
  });
});

test('an element whose WebAssembly cannot be had says so, in its place and as an event', async () => {
  const folder = install('elements', elements);
  await onPage(
    'about:blank',
    async (page) => {
      await page.route('**/*.wasm', (route) => route.fulfill({ status: 404 }));
      await page.goto(await site({ folder }));
      await page.getByText('404').first().waitFor();
      assert.match(
        await page.locator('#second').innerText(),
        /This figure cannot run here\. The WebAssembly file could not/,
      );
    },
    { faults: [/404/] },
  );
});
