// The built page in a real Chromium, served by the project's own server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/build/serve.mjs';
import { launch } from '../chromium.js';

export const folder = fileURLToPath(new URL('../../build/site', import.meta.url));
const browser = await launch();
const servers = [];
after(async () => {
  await browser.close();
  await Promise.all(servers.map((server) => server.close()));
});

/** A server of the built page; see serve.mjs for the settings. */
export async function site(settings = {}) {
  const server = await serve({ folder, ...settings });
  servers.push(server);
  return server.url;
}

const isolatedSite = await site();

export const widths = [1440, 768, 390, 320];
export const languages = ['en', 'zh'];

/** The elements of the figures, each once. */
const list = readFileSync(new URL('../../web/figures/index.ts', import.meta.url), 'utf8');
export const figureNames = [...list.matchAll(/'(attention-[\w-]+)'/g)].map(([, name]) => name);

/**
 * Opens `path` and hands the page to `use`. Fails on any error the page reports, unless `faults`
 * names what is expected of them. `ready` resolves when the page is: when its figures run, unless
 * it is given.
 */
export async function onPage(
  path,
  use,
  { url = isolatedSite, faults = [], ready = alive, ...settings } = {},
) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1000 },
    colorScheme: 'light',
    // It would fetch the whole site in each context; tests that are about it allow it.
    serviceWorkers: 'block',
    ...settings,
  });
  const errors = [];
  try {
    // A machine that is busy with other builds takes its time; nothing here waits for long otherwise.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    await page.goto(new URL(path, url).href);
    const isScripted = settings.javaScriptEnabled !== false && path !== 'about:blank';
    if (isScripted && faults.length === 0) await ready(page);
    await use(page);
  } finally {
    await context.close();
  }
  const expected = [/Service Worker registration blocked by Playwright/, ...faults];
  const surprises = errors.filter((text) => !expected.some((fault) => fault.test(text)));
  assert.deepEqual(surprises, [], 'errors in the console');
}

/** Resolves when the figures run. */
export const alive = (page) => page.locator('attention-stepper[data-live]').waitFor();

/** By how many pixels the widest of the page, or of its sections, which cut off what is beyond, is too wide. */
export const overflowOf = (page) =>
  page.evaluate(() => {
    const sections = [...document.querySelectorAll('main > section')];
    const beyond = sections.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    return Math.max(document.documentElement.scrollWidth - innerWidth, ...beyond);
  });

/** A stage's cells as they read, by stored row and column. */
export const textsOf = (page, stage) =>
  page.locator(`attention-stepper td[data-stage="${stage}"]`).evaluateAll((cells) => {
    const rows = [];
    for (const cell of cells) {
      (rows[cell.dataset.row] ??= [])[cell.dataset.column] = cell.textContent.trim();
    }
    return rows;
  });

export const cell = (page, stage, row, column) =>
  page.locator(
    `attention-stepper td[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`,
  );
