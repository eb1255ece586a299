// Debian: system packages through apt-get, and a private copy of the newer Emscripten, xsimd and
// doctest of Debian 13. The private copy works on Debian 12 as well, changes nothing in the system,
// and needs no root.

import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ask, run, step, UserError } from './run.mjs';

const suite = 'trixie';
const recipe = `${suite}-1`; // counts up when this file unpacks something else than before
const llvm = '19'; // the LLVM that Emscripten of this suite is made for; Debian 12 has it too
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

const tools = ['emscripten', 'node-acorn', 'binaryen', 'libxsimd-dev', 'doctest-dev'];
const runtime = ['libc6', 'libstdc++6', 'libgcc-s1']; // for binaryen, newer than Debian 12's own
const shown = ['emscripten', 'binaryen', 'libxsimd-dev', 'doctest-dev']; // name the folder

// Not unpacked: nearly all of the 1.7 GB. Libraries for dynamic linking, link-time optimisation and
// sanitizers of wasm, the sources of the prebuilt system libraries, tests and documentation.
const leftOut = [
  './usr/share/doc',
  './usr/share/emscripten/test',
  './usr/share/emscripten/docs',
  './usr/share/emscripten/system/lib/*/*',
  './usr/share/emscripten/cache/symbol_lists',
  './usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/lto',
  './usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/lto-pic',
  './usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/pic',
  './usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/*-ww*',
  './usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/*-asan*',
  './usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten/libwasmfs*',
];

export const isDebian = () => /^ID=debian$/m.test(readText('/etc/os-release'));
export const isRoot = () => process.getuid?.() === 0;
export const llvmPackages = [`clang-${llvm}`, `lld-${llvm}`, `llvm-${llvm}`];
export const clang = `clang++-${llvm}`;
export const fuzzerPackages = [`clang-${llvm}`, `libclang-rt-${llvm}-dev`];
export const hasLlvm = () =>
  ['clang', 'wasm-ld', 'llvm-ar'].every((name) => existsSync(`/usr/bin/${name}-${llvm}`));

const readText = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'attention-wasm');
}

export async function installPackages(packages) {
  const done = step(`Installing Debian packages: ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['-q', 'update'], { env });
  await run('apt-get', ['-q', '-y', 'install', '--no-install-recommends', ...packages], { env });
  done();
}

/** The folder of the private copy, or null. */
export function privateCopy() {
  const cache = cacheFolder();
  const names = existsSync(cache) ? readdirSync(cache) : [];
  const name = names
    .filter((candidate) => candidate.startsWith(`${recipe}-`))
    .sort()
    .at(-1);
  return name ? join(cache, name) : null;
}

/** Fetches the private copy: unpacked aside, then renamed, so that it is there whole or not at all. */
export async function fetchPrivateCopy() {
  const cache = cacheFolder();
  mkdirSync(cache, { recursive: true });
  removeAbandoned(cache);
  const aside = join(cache, `.unpacking-${process.pid}`);
  const remove = () => rmSync(aside, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const versions = await fetchInto(aside);
    const name = [recipe, ...shown.map((key) => `${key}-${versions[key]}`)].join('-');
    const finished = join(cache, name.replace(/[^\w.+-]/g, '_'));
    // Another run may have finished first: then its copy is as good.
    if (!existsSync(finished)) renameSync(aside, finished);
    return finished;
  } finally {
    process.off('exit', remove);
    remove();
  }
}

async function fetchInto(folder) {
  const debs = join(folder, 'debs');
  for (const name of ['debs', 'apt/lists/partial', 'bin', 'usr']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const apt = privateApt(join(folder, 'apt'));

  let done = step(`Fetching Emscripten, xsimd and doctest of Debian "${suite}" (about 250 MB)`);
  await run('apt-get', [...apt, 'update'], { cwd: debs });
  const wanted = [...tools, ...runtime].map((name) => `${name}/${suite}`);
  await run('apt-get', [...apt, 'download', ...wanted], { cwd: debs });
  done('checksums verified by apt');

  done = step(`Unpacking them in ${cacheFolder()}`);
  const files = readdirSync(debs);
  const versions = {};
  for (const name of [...tools, ...runtime]) {
    const file = files.find((candidate) => candidate.startsWith(`${name}_`));
    versions[name] = decodeURIComponent(file.split('_')[1]).replace(/^\d+:/, '');
    await unpack(join(debs, file), runtime.includes(name) ? join(folder, 'runtime') : folder);
  }
  rmSync(debs, { recursive: true });
  rmSync(join(folder, 'apt'), { recursive: true });
  finish(folder);
  done();
  return versions;
}

/** apt-get's options for a state of its own: one suite, the machine's own mirror, Debian's keys. */
function privateApt(state) {
  const targets = ask('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI) $(RELEASE) $(COMPONENT)',
  ]);
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readText('/etc/os-release'))?.[1];
  const mirror = (targets ?? '')
    .split('\n')
    .map((line) => line.split(' '))
    .find(
      ([, release, component]) => component === 'main' && [codename, 'stable'].includes(release),
    );
  if (!mirror) {
    throw new UserError(
      `apt knows no Debian mirror: /etc/apt/sources.list.d has no entry for "${codename} main".`,
    );
  }
  if (!existsSync(keyring)) {
    throw new UserError(`${keyring} is missing: apt-get install debian-archive-keyring`);
  }
  const sources = join(state, 'sources.list');
  writeFileSync(sources, `deb [signed-by=${keyring}] ${mirror[0]} ${suite} main\n`);
  const options = {
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(state, 'lists'),
    'Dir::Cache': state,
    'APT::Sandbox::User': 'root', // apt's own user may not write into this user's folder
    'Acquire::Languages': 'none',
  };
  return ['-q', ...Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`])];
}

async function unpack(deb, folder) {
  mkdirSync(folder, { recursive: true });
  const tar = join(folder, 'unpacking.tar');
  const excludes = leftOut.map((pattern) => `--exclude=${pattern}`);
  await run('sh', ['-c', 'dpkg-deb --fsys-tarfile "$1" > "$2"', 'sh', deb, tar]);
  await run('tar', ['-xf', tar, '-C', folder, '--no-same-owner', ...excludes]);
  rmSync(tar);
}

/** Makes the unpacked files work where they lie. Only relative paths: the folder is renamed later. */
function finish(folder) {
  const emscripten = join(folder, 'usr/share/emscripten');
  mkdirSync(join(emscripten, 'node_modules'));
  symlinkSync('../../nodejs/acorn', join(emscripten, 'node_modules/acorn'));
  writeFileSync(join(folder, 'emscripten.cfg'), emscriptenConfig);

  // binaryen's programs run on the C library they were built for.
  for (const name of readdirSync(join(folder, 'usr/bin'))) {
    if (!name.startsWith('wasm')) continue;
    const wrapper = join(folder, 'bin', name);
    writeFileSync(wrapper, binaryenWrapper(name));
    chmodSync(wrapper, 0o755);
  }

  // The headers of xsimd and doctest, apart from everything else that lies in usr/include.
  mkdirSync(join(folder, 'include'));
  for (const name of ['xsimd', 'doctest']) {
    symlinkSync(`../usr/include/${name}`, join(folder, 'include', name));
  }
}

const binaryenWrapper = (name) => `#!/bin/sh
here=$(dirname "$(dirname "$(readlink -f "$0")")")
library=$(dirname "$here"/runtime/usr/lib/*/libc.so.6)
exec "$library"/ld-linux-*.so.* --library-path "$library:$(dirname "$here"/usr/lib/*/libbinaryen.so)" \\
  "$here/usr/bin/${name}" "$@"
`;

const emscriptenConfig = `import os
here = os.path.dirname(os.environ['EM_CONFIG'])
LLVM_ROOT = '/usr/bin'
LLVM_ADD_VERSION = '${llvm}'
CLANG_ADD_VERSION = '${llvm}'
BINARYEN_ROOT = here
NODE_JS = os.environ['EM_NODE_JS']
FROZEN_CACHE = True  # the system libraries come prebuilt, the threaded ones included
`;

/** Where things are in a private copy, and the environment they run in. */
export const layout = (folder) => ({
  emscripten: join(folder, 'usr/share/emscripten'),
  include: join(folder, 'include'),
  env: { EM_CONFIG: join(folder, 'emscripten.cfg'), EM_NODE_JS: process.execPath },
});

/** Folders of runs that were killed before they could tidy up. */
function removeAbandoned(cache) {
  for (const name of readdirSync(cache)) {
    const pid = /^\.unpacking-(\d+)$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
