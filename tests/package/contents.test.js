// What is in the tarball, and how big it is.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundle } from '../../src/build/scripts.mjs';
import { folder, pack, packed, project, root } from './packed.js';
import { bundler } from './users.js';

const installed = join(project('contents'), 'node_modules/attention-wasm');
const read = (file) => readFileSync(join(installed, file));
const about = JSON.parse(read('package.json'));
const files = packed.files.map(({ path }) => path).sort();
const scripts = files.filter((file) => file.endsWith('.js'));
/** kB as the web counts them: thousands of bytes. */
const kB = (bytes) => bytes / 1000;
const gzipped = (list) =>
  list.reduce((sum, file) => sum + kB(gzipSync(read(file), { level: 9 }).length), 0);

test('the tarball holds these files and no others', () => {
  const builds = ['baseline', 'baseline-threads', 'relaxed', 'relaxed-threads'];
  const expected = [
    'LICENSE',
    'README.md',
    'README.zh.md',
    'dist/LICENSE.wasm-feature-detect.txt',
    'dist/cli.js',
    'dist/files.js',
    'dist/index.js',
    'dist/shared.js',
    'dist/wasm/attention-baseline-threads.js',
    'dist/wasm/attention-baseline.js',
    'dist/worker.js',
    ...builds.map((build) => `dist/wasm/attention-${build}.wasm`),
    'package.json',
  ];
  const types = readdirSync(join(root, 'src/js'), { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => `dist/${file.replace('.ts', '.d.ts')}`);
  const inFigures = (file) => file.startsWith('dist/figures/');
  const others = files.filter((file) => !inFigures(file));
  assert.deepEqual(others, [...expected, ...types].sort());
  // The figures' scripts have hashes in their names.
  const figures = files.filter(inFigures).map((file) => file.replace('dist/figures/', ''));
  const chunk = /^[\w-]+-[\w-]{8}\.js$/;
  assert.deepEqual(
    figures.filter((file) => !chunk.test(file)),
    ['LICENSE.lit.txt', 'index.d.ts', 'index.js'],
  );
});

test('the figures: at most 269 kB gzipped, all together', () => {
  const figures = scripts.filter((file) => file.startsWith('dist/figures/'));
  assert.ok(figures.length > 20);
  assert.ok(gzipped(figures) <= 269, `${gzipped(figures)} kB`);
});

test('WebAssembly: each build at most 400 kB, and 150 kB gzipped', () => {
  const wasm = files.filter((file) => file.endsWith('.wasm'));
  assert.equal(wasm.length, 4);
  for (const file of wasm) {
    assert.ok(kB(read(file).length) <= 400, `${file}: ${kB(read(file).length)} kB`);
    assert.ok(gzipped([file]) <= 150, `${file}: ${gzipped([file])} kB gzipped`);
  }
});

test('JavaScript: the package at most 16 kB gzipped, a script around the wasm at most 10 kB', () => {
  const own = ['dist/index.js', 'dist/shared.js', 'dist/worker.js'];
  assert.ok(gzipped(own) <= 16, `${gzipped(own)} kB`);
  for (const script of scripts.filter((file) => file.startsWith('dist/wasm/'))) {
    assert.ok(gzipped([script]) <= 10, `${script}: ${gzipped([script])} kB`);
  }
});

test('nothing runs on installation, and nothing else is installed', () => {
  const { scripts: commands = {}, dependencies = {} } = about;
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
  assert.deepEqual(
    hooks.filter((hook) => commands[hook]),
    [],
  );
  assert.ok(!existsSync(join(installed, 'binding.gyp')));
  assert.deepEqual(dependencies, {});
  assert.deepEqual(about.peerDependencies ?? {}, {});
  assert.deepEqual(about.optionalDependencies ?? {}, {});
});

/** A module bundled in a user's project: its code, and the files that went into it. */
async function bundled(contents) {
  const { default: esbuild } = await bundler('esbuild');
  const place = dirname(dirname(installed));
  const { outputFiles, metafile } = await esbuild.build({
    stdin: { contents, resolveDir: place },
    absWorkingDir: place,
    ...{ bundle: true, format: 'esm', platform: 'browser' },
    ...{ write: false, metafile: true, logLevel: 'silent' },
  });
  const files = Object.keys(metafile.inputs).filter((file) => file !== '<stdin>');
  return { code: outputFiles[0].text, files };
}

test('nothing outside the package is imported', async () => {
  const names = Object.keys(about.exports).map((name) => name.replace('.', about.name));
  const { files } = await bundled(names.map((name) => `export * from '${name}';`).join('\n'));
  assert.ok(files.length > 3);
  for (const file of files) assert.ok(file.startsWith(`node_modules/${about.name}/`), file);
  const ofProgram = [
    ...read('dist/cli.js')
      .toString()
      .matchAll(/\bfrom ?"([^"]+)"/g),
  ];
  for (const [, name] of ofProgram) assert.ok(name.startsWith('node:') || names.includes(name));
});

test('bundlers leave out what is not used, and keep what is imported for its effects', async () => {
  const unused = await bundled("import { load } from 'attention-wasm'; console.log(1);");
  assert.doesNotMatch(unused.code, /attention-/);
  const figures = await bundled("import 'attention-wasm/figures';");
  assert.match(figures.code, /customElements/);
});

test('what is exported and told of the package is there', () => {
  const named = Object.values(about.exports).flatMap((entry) => Object.values(entry));
  assert.ok(named.length > 0);
  named.push(...Object.values(about.bin));
  for (const file of named) assert.ok(files.includes(file.replace('./', '')), file);
});

test('no file knows where it was built', () => {
  for (const file of files) assert.ok(!read(file).includes(root.replace(/\/$/, '')), file);
});

test('packing again gives the same bytes, and so does bundling again', async () => {
  const again = pack(join(folder, 'again'));
  assert.deepEqual(readFileSync(again.path), readFileSync(packed.path));
  const anew = join(folder, 'anew');
  mkdirSync(anew);
  await bundle(anew);
  for (const file of readdirSync(anew)) {
    assert.deepEqual(readFileSync(join(anew, file)), read(join('dist', file)), file);
  }
});
