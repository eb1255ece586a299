// Every section at every width, in both languages and themes, as pictures to look at:
//   node tests/web/screenshots.mjs [--only=masks] [--widths=1440,390]
// They go to build/screenshots/LANGUAGE-THEME-WIDTH-SECTION.png. With --readme, the pictures of the
// README instead: the last step of the stepper, into web/images.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serve } from '../../src/build/serve.mjs';
import { launch } from '../chromium.js';

const path = (name) => fileURLToPath(new URL(`../../build/${name}`, import.meta.url));
const imagePath = (name) => fileURLToPath(new URL(`../../web/images/${name}`, import.meta.url));
const text = { type: 'string' };
const { values: asked } = parseArgs({
  options: { only: text, widths: text, readme: { type: 'boolean' } },
});
const widths = (asked.widths ?? '1440,768,390').split(',').map(Number);

mkdirSync(path('screenshots'), { recursive: true });
const server = await serve({ folder: path('site') });
const browser = await launch();
let count = 0;

/** The stepper with one output kept and its whole sum below, on a margin of paper, sharper than a README is wide. */
async function readmePictures(language) {
  const viewport = { width: 1280, height: 1000 };
  for (const theme of ['light', 'dark']) {
    const context = await browser.newContext({
      viewport,
      colorScheme: theme,
      deviceScaleFactor: 1.5,
      serviceWorkers: 'block',
    });
    const page = await context.newPage();
    await page.goto(`${server.url}${language}/#s=6&p=o.3.1`);
    await page.locator('attention-stepper[data-live] .inspector b').first().waitFor();
    const { x, y, width, height } = await page.locator('.stepper').evaluate((board) => {
      const { left, top, width, height } = board.getBoundingClientRect();
      return { x: left + scrollX, y: top + scrollY, width, height };
    });
    const margin = 24;
    await page.screenshot({
      path: imagePath(`stepper.${language}.${theme}.png`),
      fullPage: true,
      animations: 'disabled',
      clip: {
        x: x - margin,
        y: y - margin,
        width: width + 2 * margin,
        height: height + margin + 8,
      },
    });
    count += 1;
    await context.close();
  }
}

try {
  for (const language of ['en', 'zh']) {
    if (asked.readme) {
      await readmePictures(language);
      continue;
    }
    for (const width of widths) {
      const viewport = { width, height: width > 700 ? 1000 : 844 };
      const page = await browser.newPage({ viewport, serviceWorkers: 'block' });
      page.setDefaultTimeout(120_000);
      await page.goto(`${server.url}${language}/`);
      for (const figure of await page.locator('[data-figure]').all()) {
        await figure.scrollIntoViewIfNeeded();
        // One that does not come alive is to be seen as it is.
        const live = figure.and(page.locator('[data-live]'));
        await live.waitFor({ state: 'attached', timeout: 20_000 }).catch(() => undefined);
      }
      for (const theme of ['light', 'dark']) {
        await page.evaluate((name) => (document.documentElement.dataset.theme = name), theme);
        for (const section of await page.locator('main > section').all()) {
          const id = await section.getAttribute('id');
          if (asked.only && asked.only !== id) continue;
          const file = `screenshots/${language}-${theme}-${width}-${id}.png`;
          await section.screenshot({ path: path(file), animations: 'disabled' });
          count += 1;
        }
      }
      await page.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
}
console.log(`${count} pictures in ${asked.readme ? 'web/images' : 'build/screenshots'}`);
