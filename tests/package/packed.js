// The package as its users get it: packed by npm, installed into projects of their own.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertClose } from '../js/compare.js';
import { expectation } from '../js/expect.js';
import { key, options, query, value } from './app/inputs.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const app = fileURLToPath(new URL('app', import.meta.url));

mkdirSync(join(root, 'build'), { recursive: true });
/** A folder of this process's own. */
export const folder = mkdtempSync(join(root, 'build/package-'));
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Packs the package into a folder; returns what npm says of it and the tarball's path. */
export function pack(destination) {
  mkdirSync(destination, { recursive: true });
  const args = ['pack', '--json', '--pack-destination', destination];
  const [about] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
  return { ...about, path: join(destination, about.filename) };
}

export const packed = pack(folder);

/** A user's project with the package installed and the files of tests/package/app in it. */
export function project(name, files = {}) {
  const place = join(folder, name);
  cpSync(app, place, { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    writeFileSync(join(place, file), text);
  }
  const args = ['install', '--offline', '--no-audit', '--no-fund', packed.path];
  execFileSync('npm', args, { cwd: place, stdio: 'pipe' });
  return place;
}

const expected = expectation({ query, key, value, options });

/** Fails unless what tests/package/app/call.js returned is right. */
export function checkCall({ output, lse, info }, { threads } = {}, what = 'the call') {
  for (const [name, actual] of Object.entries({ output, lse })) {
    assertClose(actual, expected[name].data, expected.limits[name], `${what}: ${name}`);
  }
  if (threads !== undefined) assert.equal(info.threads, threads, info.why.join('\n'));
}

/** Both results of callBoth(). */
export function checkBoth({ here, inWorker }, settings) {
  checkCall(here, settings, 'load');
  checkCall(inWorker, settings, 'loadWorker');
}
