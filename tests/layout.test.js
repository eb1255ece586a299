// The shape of the project: who may include whom, and what may lie in the repository.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tracked = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  {
    cwd: root,
    encoding: 'utf8',
  },
);
const files = tracked.split('\0').filter((file) => file && existsSync(join(root, file)));
const read = (file) => readFileSync(join(root, file), 'utf8');
const cpp = files.filter((file) => /\.(h|cpp)$/.test(file));
const core = cpp.filter((file) => file.startsWith('src/core/'));

/** Every match of a pattern's first group in some files, as [file, match]. */
const matches = (list, pattern, text = read) =>
  list.flatMap((file) => [...text(file).matchAll(pattern)].map((match) => [file, match[1]]));
const withoutComments = (file) => read(file).replace(/\/\/.*$/gm, '');
const includes = (list) => matches(list, /^\s*#\s*include\s+([<"][^>"]+)[>"]/gm);
const statement =
  /^(?:import|export)\s(?:[^'"=]*\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
const imports = (list) =>
  list.flatMap((file) =>
    [...read(file).matchAll(statement)].map((match) => {
      const specifier = match[1] ?? match[2];
      const local = specifier.startsWith('.');
      return [file, local ? normalize(join(dirname(file), specifier)) : specifier];
    }),
  );
const none = (found) => assert.deepEqual(found, []);

test('the core includes only itself, the standard library and, in simd.h, SIMD', () => {
  assert.ok(core.length > 5);
  const allowed = (file, header) =>
    header.startsWith('"core/') ||
    /^<[a-z_]+$/.test(header) ||
    (file === 'src/core/simd.h' && /^<(xsimd\/xsimd\.hpp|wasm_simd128\.h)$/.test(header));
  none(includes(core).filter(([file, header]) => !allowed(file, header)));
});

test('xsimd is named only in simd.h', () => {
  const sources = cpp.filter((file) => file.startsWith('src/') && file !== 'src/core/simd.h');
  none(matches(sources, /(xsimd)/g));
});

test('Emscripten is named only in src/wasm, but for its macros where the platform is chosen', () => {
  const elsewhere = cpp.filter((file) => !file.startsWith('src/wasm/'));
  none(includes(elsewhere).filter(([, header]) => /emscripten/.test(header)));
  none(matches(core, /\b(emscripten|EM_JS|EM_ASM|JavaScript|embind)\b/gi, withoutComments));
});

test('the preprocessor chooses only in simd.h and parallel.cpp', () => {
  const chosen = ['src/core/simd.h', 'src/core/parallel.cpp'];
  const others = cpp.filter((file) => file.startsWith('src/') && !chosen.includes(file));
  none(matches(others, /^\s*#\s*((?:if|ifdef|ifndef|elif)\b.*)$/gm));
});

test('every C++ source is built: an unlisted test would pass by never running', () => {
  const list = read('CMakeLists.txt');
  const sources = cpp.filter((file) => /^(src|tests\/core)\/.*\.cpp$/.test(file));
  assert.ok(sources.length > 5);
  none(sources.filter((file) => !list.includes(file)));
});

test('the page imports the package by its name, and nothing else from outside web/', () => {
  const page = files.filter((file) => /^web\/.*\.(ts|js|mjs)$/.test(file));
  none(imports(page).filter(([, path]) => /^(\.\.|src\/|dist\/|tests\/)/.test(path)));
});

test('the package imports neither the page nor the tests', () => {
  const own = files.filter((file) => /^src\/js\/.*\.ts$/.test(file));
  none(imports(own).filter(([, path]) => /^(\.\.|web\/|tests\/)/.test(path)));
});

test('the reference shares no code with what it checks', () => {
  const reference = files.filter((file) => /^tests\/reference\/.*\.js$/.test(file));
  assert.ok(reference.length > 0);
  none(imports(reference).filter(([, path]) => /^(src\/|dist\/|attention-wasm$)/.test(path)));
});

test('the scripts need nothing but Node: they run before anything is installed', () => {
  // scripts.mjs is loaded when the packages are there.
  const scripts = files.filter((file) => /^src\/build\/(?!scripts).*\.mjs$/.test(file));
  assert.ok(scripts.length > 3);
  none(imports(scripts).filter(([, path]) => !/^(node:|src\/build\/|dist\/)/.test(path)));
});

test('no generated file is in the repository', () => {
  const generated = /^(build|dist|node_modules)\/|^src\/js\/generated\/|\.(wasm|o|a|tgz|map)$/;
  none(files.filter((file) => generated.test(file)));
});

test('no address of a package registry or mirror is in the repository', () => {
  const text = files.filter(
    (file) =>
      file !== 'tests/layout.test.js' &&
      !/\.(png|jpg|webp|ico|woff2|npy|npz|safetensors)$/.test(file),
  );
  none(matches(text, /(registry\.\w+\.\w+|\w+\.debian\.\w+\/debian|"resolved": "http)/g));
});

test('the version is written in package.json alone', () => {
  const { version } = JSON.parse(read('package.json'));
  const sources = files.filter(
    (file) =>
      /\.(h|cpp|ts|mjs|js|txt|json|html)$/.test(file) &&
      !/^(package(-lock)?\.json|tests\/)/.test(file),
  );
  none(sources.filter((file) => read(file).includes(version)));
});

test('the top level holds what a reader expects', () => {
  const expected =
    /^(src|web|tests|\.ci|CMakeLists\.txt|CMakePresets\.json|package(-lock)?\.json|tsconfig\.json|(eslint|vite)\.config\.(js|ts)|(README(\.zh)?|CHANGELOG|CONTRIBUTING)\.md|LICENSE|\.(clang-format|prettierrc|prettierignore|editorconfig|gitignore|gitattributes|npmrc))$/;
  const top = [...new Set(files.map((file) => file.split('/')[0]))];
  none(top.filter((name) => !expected.test(name)));
});
