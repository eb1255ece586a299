// The libraries to compare with. They are no dependencies of this package: they go into a folder of
// their own in the user's cache when the benchmark is first run.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const dependencies = {
  'onnxruntime-web': '1.30.0',
  '@tensorflow/tfjs-core': '4.22.0',
  '@tensorflow/tfjs-backend-wasm': '4.22.0',
};

const name = `peers-${Object.values(dependencies).join('-')}`;
const folder = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'attention-wasm',
  name,
);

/** The folder whose node_modules has them; null if they are not there and `install` is false. */
export function peers({ install }) {
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  if (!install) return null;
  console.error(`• Installing ${Object.keys(dependencies).join(', ')} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('npm could not install the peers');
  writeFileSync(done, '');
  return folder;
}
