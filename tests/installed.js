// npm packages that the tests and the benchmark need and this package does not depend on: they go
// into a folder of their own in the user's cache, once for each set of versions.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'attention-wasm');

/**
 * The folder whose node_modules has these `dependencies`, { name: version }; null if they are not
 * there and `install` is false.
 */
export function installed(title, dependencies, { install = true } = {}) {
  const name = [title, ...Object.values(dependencies)].join('-').replace(/[^\w.-]/g, '-');
  const folder = join(cache, name);
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  if (!install) return null;
  console.error(`• Installing ${Object.keys(dependencies).join(', ')} into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0)
    throw new Error(`npm could not install ${Object.keys(dependencies).join(', ')}`);
  writeFileSync(done, '');
  return folder;
}
