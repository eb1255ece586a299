// Finds what the C++ is built and tested with, and sets up what is missing.
//   node src/build/toolchain.mjs          sets everything up and prints where it is
//   node src/build/toolchain.mjs --env    prints the same as shell exports, for use with cmake by hand

import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import * as debian from './debian.mjs';
import { ask, atLeast, isScript, main, root, UserError, which } from './run.mjs';

const needed = {
  emcc: '3.1.68',
  cmake: '3.25',
  xsimd: '11.2',
  doctest: '2.4.11',
  clangFormat: '19',
};

/**
 * The tools as full paths, and the environment to run them in. `purpose` 'build' is what the package
 * and the page need; 'test' adds a native compiler, clang-format and a browser.
 */
export async function toolchain(purpose = 'test') {
  const useDebian = debian.isDebian();
  await providePrograms(purpose, useDebian);

  const onPath = goodEmscripten();
  const headers = findHeaders();
  let copy = null;
  if (!onPath || !headers) {
    copy = useDebian ? (debian.privateCopy() ?? (await debian.fetchPrivateCopy())) : null;
    if (!copy) throw new UserError(elsewhere());
  }
  const own = copy && debian.layout(copy);
  const emscripten = onPath ?? own.emscripten;
  const found = findPrograms();
  const env = {
    ...process.env,
    ...(onPath ? {} : own.env),
    EMSCRIPTEN_ROOT: emscripten,
    ATTENTION_INCLUDE: headers ?? own.include,
    ATTENTION_CLANG: found.clang ?? '',
    PATH: [emscripten, join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
  };
  return { emscripten, include: env.ATTENTION_INCLUDE, ...found, env };
}

/** Programs that come from system packages: path or null each, and the Debian package that has it. */
function programs(purpose) {
  const found = findPrograms();
  const build = [
    ['python3', found.python, 'python3'],
    [`cmake >= ${needed.cmake}`, found.cmake, 'cmake'],
    ['ninja', found.ninja, 'ninja-build'],
  ];
  if (!goodEmscripten()) {
    build.push(...debian.llvmPackages.map((name) => [name, debian.hasLlvm() || null, name]));
  }
  if (purpose === 'build') return build;
  return [
    ...build,
    ['a C++20 compiler with ThreadSanitizer', found.cxx, 'g++'],
    ...debian.fuzzerPackages.map((name) => ['clang >= 16 with libFuzzer', found.clang, name]),
    [`clang-format ${needed.clangFormat}`, found.clangFormat, `clang-format-${needed.clangFormat}`],
    ['chromium', found.chromium, 'chromium-headless-shell'],
  ];
}

function findPrograms() {
  const cmake = which('cmake');
  const formatter = (name) => {
    const path = which(name);
    const version = path && versionIn(ask(path));
    return version?.split('.')[0] === needed.clangFormat ? path : null;
  };
  return {
    python: which('python3'),
    cmake: cmake && atLeast(versionIn(ask(cmake)), needed.cmake) ? cmake : null,
    ninja: which('ninja'),
    cxx: findCompiler(),
    clang: findClang(),
    clangFormat: formatter(`clang-format-${needed.clangFormat}`) ?? formatter('clang-format'),
    chromium: findChromium(),
  };
}

/** Chromium's path, or null. Without its own windows, as a shell, it opens a page in half the time. */
export const findChromium = () =>
  process.env.CHROMIUM ??
  which('chromium-headless-shell') ??
  which('chromium') ??
  which('google-chrome');

async function providePrograms(purpose, useDebian) {
  const missing = programs(purpose).filter(([, path]) => !path);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(([, , name]) => name))];
  if (useDebian && debian.isRoot()) {
    await debian.installPackages(packages);
    const still = programs(purpose).filter(([, path]) => !path);
    if (still.length === 0) return;
    throw new UserError(
      `Installed, but still not usable: ${still.map(([what]) => what).join(', ')}`,
    );
  }
  const names = missing.map(([what]) => what).join(', ');
  const command = `sudo apt-get update && sudo apt-get install -y --no-install-recommends`;
  throw new UserError(
    useDebian
      ? `Missing: ${names}. Install with:\n  ${command} ${packages.join(' ')}`
      : `Missing: ${names}.\n${elsewhere()}`,
  );
}

/** The folder of an Emscripten on PATH that is new enough, or null. */
function goodEmscripten() {
  const emcc = which('emcc');
  const version = emcc && versionIn(ask(emcc));
  if (!version || !atLeast(version, needed.emcc)) return null;
  if (existsSync(join(dirname(realpathSync(emcc)), 'emcc.py'))) return dirname(realpathSync(emcc));
  return ask(join(dirname(emcc), 'em-config'), ['EMSCRIPTEN_ROOT'])?.trim() ?? null;
}

/** The C++ compiler that CMake will take, if it knows C++20 and ThreadSanitizer. */
function findCompiler() {
  const source = '#include <concepts>\nstatic_assert(std::integral<int>);\nint main() {}\n';
  return firstThatCompiles(['c++', 'g++', 'clang++'], '-fsanitize=thread', source);
}

/** A clang that has libFuzzer and is new enough for C++20's captured structured bindings. */
function findClang() {
  const source = `#include <cstddef>
extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, std::size_t size) {
  const std::size_t sizes[] = {size};
  const auto& [only] = sizes;
  return [&] { return only == size; }() ? 0 : 1;
}`;
  return firstThatCompiles(
    [debian.clang, 'clang++'],
    '-fsanitize=fuzzer,address,undefined',
    source,
  );
}

function firstThatCompiles(compilers, flag, input) {
  const args = ['-std=c++20', flag, '-x', 'c++', '-', '-o', '/dev/null'];
  const works = (name) => ask(name, args, { input, stdio: ['pipe', 'pipe', 'ignore'] }) !== null;
  const candidates = [process.env.CXX, ...compilers];
  return candidates.find((name) => name && which(name) && works(name)) ?? null;
}

/**
 * A folder with nothing in it but the headers of xsimd and doctest, or null. Links to the installed
 * ones: /usr/include itself would bring the system's C library into the wasm builds.
 */
function findHeaders() {
  const prefixes = [
    process.env.CMAKE_PREFIX_PATH?.split(delimiter),
    '/usr/local',
    '/usr',
    '/opt/homebrew',
  ];
  const folders = prefixes.flat().map((prefix) => prefix && join(prefix, 'include'));
  const xsimd = folders.find((folder) => folder && newEnough(folder, 'xsimd'));
  const doctest = folders.find((folder) => folder && newEnough(folder, 'doctest'));
  if (!xsimd || !doctest) return null;
  const include = join(root, 'build/include');
  mkdirSync(include, { recursive: true });
  for (const [name, folder] of Object.entries({ xsimd, doctest })) {
    const [target, link] = [join(folder, name), join(include, name)];
    if (existsSync(link) && realpathSync(link) === realpathSync(target)) continue;
    rmSync(link, { force: true });
    symlinkSync(target, link, 'dir');
  }
  return include;
}

const versionHeader = { xsimd: 'xsimd/config/xsimd_config.hpp', doctest: 'doctest/doctest.h' };

function newEnough(folder, name) {
  const header = join(folder, versionHeader[name]);
  if (!existsSync(header)) return false;
  const text = readFileSync(header, 'utf8');
  const part = (key) => new RegExp(`VERSION_${key}\\s+(\\d+)`).exec(text)?.[1] ?? '0';
  return atLeast(['MAJOR', 'MINOR', 'PATCH'].map(part).join('.'), needed[name]);
}

const versionIn = (text) => /\d+(\.\d+)+/.exec(text ?? '')?.[0] ?? '0';

const elsewhere = () => `Please install, and put on PATH:
  Emscripten >= ${needed.emcc}: https://emscripten.org/docs/getting_started/downloads.html
  CMake >= ${needed.cmake}, Ninja, Python 3, a C++20 compiler
  xsimd >= ${needed.xsimd} and doctest >= ${needed.doctest} (headers; in a prefix named by CMAKE_PREFIX_PATH)
  for the tests: clang-format ${needed.clangFormat}, a clang >= 16 with libFuzzer, and Chromium (its path in CHROMIUM if not on PATH)
macOS: brew install emscripten cmake ninja xsimd doctest clang-format`;

if (isScript(import.meta.url)) {
  await main(async () => {
    const { env, ...paths } = await toolchain();
    if (process.argv.includes('--env')) {
      const changed = Object.keys(env).filter((name) => env[name] !== process.env[name]);
      for (const name of changed) console.log(`export ${name}='${env[name]}'`);
    } else {
      for (const [name, path] of Object.entries(paths)) console.log(`${name.padEnd(12)} ${path}`);
    }
  });
}
