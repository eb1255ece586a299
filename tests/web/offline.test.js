// The site on every kind of host: offline, with threads or without, below any path.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { alive, cell, folder, onPage, site } from './browser.js';

const withWorker = { serviceWorkers: 'allow' };
const info = (page) =>
  page.evaluate(() => document.querySelector('attention-stepper').page.attention.info);
const kept = (page) => page.locator('html[data-offline="ready"]').waitFor({ state: 'attached' });
const lastOutput = async (page) => (await cell(page, 'output', 3, 1).innerText()).trim();

/** Reloads a page at the last step without a network: it must come alive with its number. */
async function worksOffline(page) {
  await kept(page);
  await page.context().setOffline(true);
  await page.reload();
  await alive(page);
  assert.equal(await lastOutput(page), '−0.12');
}

for (const isolated of [true, false]) {
  const how = isolated ? 'with' : 'without';
  test(`after one visit the page works offline, ${how} threads`, async () => {
    const url = await site({ isolated });
    await onPage(
      'en/#s=6',
      async (page) => {
        await worksOffline(page);
        assert.equal((await info(page)).crossOriginIsolated, isolated);
        // Figures and the language that have not been seen yet come too.
        await page.locator('a.other-language').click();
        await page.waitForURL(/\/zh\//);
        await alive(page);
        await page.locator('attention-shape-flow').scrollIntoViewIfNeeded();
        await page.locator('attention-shape-flow[data-live]').waitFor();
      },
      { url, ...withWorker },
    );
  });
}

test('threads can be had from a host without the headers, when the reader asks', async () => {
  const url = await site({ isolated: false });
  await onPage(
    'zh/#s=6',
    async (page) => {
      let loads = 0;
      page.on('load', () => (loads += 1));
      await kept(page);
      assert.deepEqual(
        [loads, (await info(page)).threads],
        [0, 1],
        'not before they are asked for',
      );

      await page.locator('#enable-threads button').click();
      await page.waitForFunction(() => globalThis.crossOriginIsolated);
      await alive(page);
      const cores = await page.evaluate(() => navigator.hardwareConcurrency);
      assert.ok(cores > 1);
      assert.equal((await info(page)).threads, cores);
      assert.equal(await lastOutput(page), '−0.12');
      assert.equal(new URL(page.url()).hash, '#s=6');
      assert.equal(await page.locator('#enable-threads').isVisible(), false);

      await kept(page);
      await page.context().setOffline(true);
      await page.reload();
      await alive(page);
      assert.equal((await info(page)).threads, cores);
    },
    { url, ...withWorker },
  );
});

test('no button where the host isolates the page, nor where it would not help', async () => {
  await onPage('en/', async (page) => {
    assert.equal(await page.locator('#enable-threads').isVisible(), false);
  });
});

test('the site works below any path, offline too', async () => {
  const top = fileURLToPath(new URL('../../build/below', import.meta.url));
  rmSync(top, { recursive: true, force: true });
  mkdirSync(top, { recursive: true });
  cpSync(folder, `${top}/some/path`, { recursive: true });
  const url = await site({ folder: top });
  await onPage(
    'some/path/en/#s=6',
    async (page) => {
      await worksOffline(page);
      const scopes = await page.evaluate(async () =>
        (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
      );
      assert.deepEqual(scopes, [new URL('some/path/', url).href]);
    },
    { url, ...withWorker },
  );
});

test('a host that reads a _headers file isolates the page', () => {
  const [everywhere] = readFileSync(`${folder}/_headers`, 'utf8').split('\n\n');
  assert.match(everywhere, /^\/\*\n/);
  assert.match(everywhere, /\n {2}Cross-Origin-Opener-Policy: same-origin\n/);
  assert.match(everywhere, /\n {2}Cross-Origin-Embedder-Policy: require-corp\n/);
});
