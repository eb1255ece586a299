// The server behind `npm start` and the browser tests, and the answers to a wrong command line.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/build/serve.mjs';

const bytes = Uint8Array.from({ length: 100_003 }, (_, i) => (i * 31) % 256);
let folder, server;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serve-'));
  mkdirSync(join(folder, 'site/en'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'site/index.html'), '<p>注意力</p>');
  writeFileSync(join(folder, 'site/en/index.html'), '<p>attention</p>');
  writeFileSync(join(folder, 'site/a b.wasm'), bytes);
  writeFileSync(join(folder, 'site/module.js'), 'export {};');
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'site/link.txt'));
  server = await serve({ folder: join(folder, 'site') });
});

after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const get = (path, options) => fetch(new URL(path, server.url), { redirect: 'manual', ...options });

/** The first line of the answer to a path that fetch() would tidy up before sending it. */
const rawStatus = (path) =>
  new Promise((resolve, reject) => {
    const socket = createConnection(server.port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (data) => (text += data));
    socket.on('close', () => resolve(Number(text.split(' ')[1])));
    socket.on('error', reject);
  });

test('files arrive byte for byte, with their type and length', async () => {
  const answer = await get('/a%20b.wasm');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/wasm');
  assert.equal(answer.headers.get('content-length'), String(bytes.length));
  assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), bytes);
  assert.match((await get('/module.js')).headers.get('content-type'), /^text\/javascript/);
  assert.equal(await (await get('/')).text(), '<p>注意力</p>');
});

test('pages are cross-origin isolated unless asked otherwise', async () => {
  const { headers } = await get('/');
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.equal(headers.get('cross-origin-embedder-policy'), 'require-corp');
  const plain = await serve({
    folder: join(folder, 'site'),
    isolated: false,
    headers: { 'X-A': '1' },
  });
  const answer = await fetch(plain.url);
  assert.equal(answer.headers.get('cross-origin-opener-policy'), null);
  assert.equal(answer.headers.get('x-a'), '1');
  await answer.text();
  await plain.close();
});

test('a folder is its index.html, with the slash that relative links need', async () => {
  assert.equal(await (await get('/en/')).text(), '<p>attention</p>');
  const answer = await get('/en?figure=mask');
  assert.equal(answer.status, 301);
  assert.equal(answer.headers.get('location'), '/en/?figure=mask');
});

test('an unchanged file is not sent twice', async () => {
  const tag = (await get('/module.js')).headers.get('etag');
  assert.equal((await get('/module.js', { headers: { 'If-None-Match': tag } })).status, 304);
  assert.equal((await get('/module.js', { headers: { 'If-None-Match': '"other"' } })).status, 200);
});

test('HEAD sends headers only; other methods are refused', async () => {
  const answer = await get('/a%20b.wasm', { method: 'HEAD' });
  assert.equal(answer.headers.get('content-length'), String(bytes.length));
  assert.equal((await answer.arrayBuffer()).byteLength, 0);
  assert.equal((await get('/', { method: 'POST', body: 'x' })).status, 405);
});

test('nothing outside the folder is served', async () => {
  for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/en/..%2f..%2fsecret.txt']) {
    assert.equal(await rawStatus(path), 404, path);
  }
  assert.equal((await get('/link.txt')).status, 404, 'a link that leads out');
  assert.equal((await get('/missing.js')).status, 404);
  assert.equal((await get('/module.js/')).status, 404);
  assert.equal(await rawStatus('/%'), 400);
  assert.equal(await rawStatus('/%00'), 400);
});

test('a port that is taken is an error of its own', async () => {
  const again = serve({ folder: join(folder, 'site'), port: server.port });
  await assert.rejects(again, { code: 'EADDRINUSE' });
});

for (const [args, message] of [
  [['--port', 'abc'], /--port abc: a port is a whole number/],
  [['--port', '70000'], /--port 70000: a port is a whole number/],
  [['--prot', '80'], /--prot[^]*Usage: npm start/],
]) {
  test(`npm start -- ${args.join(' ')} says what is wrong`, () => {
    const start = fileURLToPath(new URL('../../src/build/start.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [start, ...args], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace');
  });
}
