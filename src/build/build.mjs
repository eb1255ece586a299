// Builds the package into dist/: npm run build
//   node src/build/build.mjs                       the package
//   node src/build/build.mjs PRESET [TARGET …]     one CMake preset, for work on the C++

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, relative } from 'node:path';
import { isScript, main, root, run, step } from './run.mjs';
import { toolchain } from './toolchain.mjs';

export const wasmPresets = ['baseline', 'relaxed'].flatMap((simd) => [
  `wasm-${simd}`,
  `wasm-${simd}-threads`,
]);

/** The path of a program that an npm package brings. */
export const bin = (name) => join(root, 'node_modules/.bin', name);

/** Everything that users get: wasm, JavaScript and types, in dist/. */
export async function buildPackage(tools) {
  for (const preset of wasmPresets) await buildPreset(tools, preset, ['attention']);
  await copyModules();
  if (existsSync(join(root, 'src/build/types.mjs'))) {
    await unlessFresh({
      title: 'Generating types from the C++ tables',
      inputs: ['dist/wasm/attention-baseline.wasm', 'src/build/types.mjs'],
      output: 'src/js/generated',
      task: () => run(process.execPath, ['src/build/types.mjs']),
    });
  }
  await unlessFresh({
    title: 'Compiling src/js and src/cli',
    inputs: ['src/js', 'src/cli', 'tsconfig.json', 'src/build/scripts.mjs', 'package-lock.json'],
    output: 'dist/index.js',
    task: async () => {
      for (const name of readdirSync(join(root, 'dist'))) {
        if (name !== 'wasm') rmSync(join(root, 'dist', name), { recursive: true });
      }
      await run(bin('tsc'), ['-p', 'src/js']);
      const { bundle } = await import('./scripts.mjs');
      await bundle();
    },
  });
  await unlessFresh({
    title: 'Building the figures',
    inputs: ['web', 'dist/index.js', 'vite.config.ts', 'package-lock.json'],
    output: 'dist/figures',
    task: () => run(bin('vite'), ['build', '--mode', 'figures', '--logLevel', 'warn']),
  });
}

/** Configures a preset once, then lets Ninja bring its targets up to date. */
export async function buildPreset(tools, preset, targets) {
  const { cmake, env } = tools;
  const folder = join(root, 'build', preset);
  const stamp = join(folder, 'toolchain');
  const presets = readFileSync(join(root, 'CMakePresets.json'), 'utf8');
  const madeWith = [cmake, tools.emscripten, tools.include, presets].join('\n');
  const configured =
    existsSync(join(folder, 'build.ninja')) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === madeWith;
  const done = step(`Building ${preset}`);
  if (!configured) {
    rmSync(folder, { recursive: true, force: true });
    await run(cmake, ['--preset', preset], { env });
    writeFileSync(stamp, madeWith);
  }
  const jobs = String(availableParallelism());
  await run(cmake, ['--build', folder, '--parallel', jobs, '--target', ...targets], { env });
  done();
}

/**
 * The four WebAssembly files, and the scripts around them: the same for both kinds of SIMD but for
 * the files' names, so that those of the baseline do for both.
 */
async function copyModules() {
  const destination = join(root, 'dist/wasm');
  mkdirSync(destination, { recursive: true });
  for (const preset of wasmPresets) {
    const name = preset.replace('wasm-', 'attention-');
    const place = `build/${preset}/${name}`;
    const baseline = (text) => text.replaceAll('relaxed', 'baseline');
    const script = (path) => baseline(readFileSync(join(root, `${path}.js`), 'utf8'));
    if (script(place) !== script(baseline(place))) {
      throw new Error(
        `The scripts of ${preset} and ${baseline(preset)} differ: src/js needs both.`,
      );
    }
    cpSync(join(root, `${place}.wasm`), join(destination, `${name}.wasm`), {
      preserveTimestamps: true,
    });
    if (baseline(name) !== name) continue;
    await unlessFresh({
      title: `Adjusting ${name}.js`,
      inputs: [`${place}.js`, 'src/build/scripts.mjs', 'package-lock.json'],
      output: `dist/wasm/${name}.js`,
      task: async () => {
        const { adjustScript } = await import('./scripts.mjs');
        await adjustScript(join(root, `${place}.js`), join(destination, `${name}.js`));
      },
    });
  }
}

/**
 * Runs a step unless its output is there and its inputs have the same contents as when it last
 * succeeded. Paths are relative to the project.
 */
export async function unlessFresh({ title, inputs, output, task }) {
  const stamp = join(root, 'build', `${basename(output)}.stamp`);
  const digest = digestOf(inputs);
  const isThere = existsSync(join(root, output)) && existsSync(stamp);
  if (isThere && readFileSync(stamp, 'utf8') === digest) return;
  const done = step(title);
  await task();
  writeFileSync(stamp, digest);
  done();
}

function digestOf(inputs) {
  const hash = createHash('sha256');
  const add = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) add(join(path, name));
    } else {
      hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
    }
  };
  for (const input of inputs) add(join(root, input));
  return hash.digest('hex');
}

/** The npm packages, when they are missing or older than the lock file. */
export async function installNpmPackages() {
  const installed = join(root, 'node_modules/.package-lock.json');
  const changed = statSync(join(root, 'package-lock.json')).mtimeMs;
  if (existsSync(installed) && statSync(installed).mtimeMs >= changed) return;
  const done = step('Installing npm packages');
  await run('npm', ['ci']);
  done();
}

if (isScript(import.meta.url)) {
  await main(async () => {
    const [preset, ...targets] = process.argv.slice(2);
    await installNpmPackages();
    const tools = await toolchain(preset?.startsWith('native') ? 'test' : 'build');
    if (preset) return buildPreset(tools, preset, targets.length ? targets : ['all']);
    await buildPackage(tools);
    console.log('The package is in dist/.');
  });
}
