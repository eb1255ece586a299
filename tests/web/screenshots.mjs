// Every section at every width, in both languages and themes, as pictures to look at:
//   node tests/web/screenshots.mjs [--only=masks] [--widths=1440,390]
// They go to build/screenshots/LANGUAGE-THEME-WIDTH-SECTION.png.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serve } from '../../src/build/serve.mjs';
import { launch } from '../chromium.js';

const path = (name) => fileURLToPath(new URL(`../../build/${name}`, import.meta.url));
const text = { type: 'string' };
const { values: asked } = parseArgs({ options: { only: text, widths: text } });
const widths = (asked.widths ?? '1440,768,390').split(',').map(Number);

mkdirSync(path('screenshots'), { recursive: true });
const server = await serve({ folder: path('site') });
const browser = await launch();
let count = 0;
try {
  for (const language of ['en', 'zh']) {
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
console.log(`${count} pictures in build/screenshots`);
