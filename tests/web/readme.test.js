// The README's page without a bundler, in Chromium, and its first command.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { announced, difference, numbersIn, snippets } from '../snippets.js';
import { onPage, site } from './browser.js';
import { install } from './install.js';

const root = new URL('../../', import.meta.url);
const path = (file) => fileURLToPath(new URL(file, root));

for (const file of ['README.md', 'README.zh.md']) {
  for (const isolated of [true, false]) {
    const how = isolated ? 'with' : 'without';
    test(`${file}: the page without a bundler, ${how} shared memory`, async () => {
      const [code] = snippets(readFileSync(path(file), 'utf8'), 'html');
      const url = await site({ folder: install('site', code), isolated });
      await onPage(
        '',
        async (page) => {
          await page.addInitScript(() => {
            window.printed = [];
            console.log = (...all) => window.printed.push(JSON.stringify(all));
          });
          await page.reload();
          const expected = announced(code);
          await page.waitForFunction((lines) => window.printed.length >= lines, expected.length);
          const printed = await page.evaluate(() => window.printed);
          assert.equal(difference(printed.map(numbersIn), expected), null, printed.join('\n'));
          if (!isolated) assert.match(printed.join('\n'), /threads: .*isolated/);
        },
        { url, faults: [/favicon|404/] },
      );
    });
  }
}

test('npm start serves the page with the headers that threads need', async () => {
  const server = spawn('npm', ['start', '--', '--port', '0'], { cwd: path('.'), detached: true });
  const end = new Promise((resolve) => server.once('close', resolve));
  try {
    const url = await new Promise((resolve, reject) => {
      let output = '';
      const read = (chunk) => {
        output += chunk;
        const [, address] = /The page is at (\S+)/.exec(output) ?? [];
        if (address) resolve(address);
      };
      server.stdout.on('data', read);
      server.stderr.on('data', read);
      void end.then(() => reject(new Error(output)));
    });
    const response = await fetch(new URL('en/', url));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(response.headers.get('cross-origin-embedder-policy'), 'require-corp');
    assert.match(await response.text(), /<attention-stepper/);
  } finally {
    if (server.exitCode === null) process.kill(-server.pid, 'SIGINT');
    await end;
  }
});
