// Pages that use the package, in Chromium.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { serve } from '../../src/build/serve.mjs';
import { launch } from '../chromium.js';
import { checkBoth } from './packed.js';

const browser = await launch();
const servers = [];
after(async () => {
  await browser.close();
  await Promise.all(servers.map((server) => server.close()));
});

/** The address of a folder; see serve.mjs for the settings. */
export async function served(settings) {
  const server = await serve(settings);
  servers.push(server);
  return server.url;
}

/** A page that runs a script. */
export const html = (
  scripts = '<script type="module" src="./page.js"></script>',
) => `<!doctype html>
<meta charset="utf-8" />
<title>A page</title>
<link rel="icon" href="data:," />
${scripts}
`;

/** What the page at an address leaves in `result`. Fails on any error the page reports. */
export async function resultOf(url) {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  page.on('response', (answer) => {
    if (!answer.ok()) errors.push(`${answer.status()} ${answer.url()}`);
  });
  try {
    await page.goto(url);
    const arrived = page.waitForFunction(() => 'result' in globalThis);
    await arrived;
    const result = await page.evaluate(() => globalThis.result);
    assert.deepEqual(errors, []);
    return result;
  } catch (error) {
    throw errors.length ? new Error(errors.join('\n'), { cause: error }) : error;
  } finally {
    await page.close();
  }
}

/**
 * Fails unless a page computes the right numbers, on two threads with shared memory and on one
 * without. The settings are those of serve.mjs, and the page's `path`.
 */
export async function checkPage({ path = '', ...settings }) {
  for (const isolated of [true, false]) {
    const { here, inWorker } = await resultOf((await served({ ...settings, isolated })) + path);
    checkBoth({ here, inWorker });
    assert.equal(here.info.threads, isolated ? 2 : 1, here.info.why.join('\n'));
    if (!isolated) assert.match(here.info.why.join(), /not cross-origin isolated/);
  }
}
