// npm test: every check there is, then one summary. Ends with "N passed, N failed".
//   npm test -- --only=native,node     some of the groups below

import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, buildPackage, buildPreset, installNpmPackages, wasmPresets } from './build.mjs';
import { main, root, run, seconds, step, UserError } from './run.mjs';
import { buildSite } from './start.mjs';
import { toolchain } from './toolchain.mjs';

/** Name → a function that returns [{ name, passed, failed }]. In the order they run. */
const groups = {
  style,
  native: (tools) => doctest(tools, 'native'),
  asan: (tools) => doctest(tools, 'native-asan'),
  tsan: (tools) => doctest(tools, 'native-tsan'),
  fuzzer,
  wasm: async (tools) => {
    const results = [];
    for (const preset of wasmPresets) results.push(...(await doctest(tools, preset)));
    return results;
  },
  node: async (tools) => {
    await buildPackage(tools);
    return nodeTests(
      tools,
      'node',
      testFiles('tests').filter((file) => !isWebTest(file) && !isPackageTest(file)),
    );
  },
  web: async (tools) => {
    await buildPackage(tools);
    await buildSite();
    // Much of a browser's time is waiting: one for each core, where the test runner would leave one free.
    const together = `--test-concurrency=${availableParallelism()}`;
    const all = await nodeTests(tools, 'web', testFiles('tests').filter(isWebTest), [together]);
    return all[0].failed ? onceMore(tools, all) : all;
  },
  package: async (tools) => {
    await buildPackage(tools);
    await run(process.execPath, ['tests/package/users.js'], { show: true }); // installs them once
    return nodeTests(tools, 'package', testFiles('tests').filter(isPackageTest));
  },
};

/** Formatting, types and lint: each is one check. */
async function style(tools) {
  await buildPackage(tools); // the page's types come from the package
  const sources = (await run('git', ['ls-files', '-z', '*.h', '*.cpp']))
    .split('\0')
    .filter(Boolean);
  const checks = {
    'clang-format': [tools.clangFormat, '--dry-run', '--Werror', ...sources],
    prettier: [bin('prettier'), '--check', '--log-level', 'warn', '.'],
    'strict types': [bin('tsc'), '--noEmit'],
    eslint: [bin('eslint'), '--max-warnings', '0', '.'],
  };
  const results = [];
  for (const [name, [program, ...args]] of Object.entries(checks)) {
    results.push(await oneCheck(name, () => run(program, args)));
  }
  return results;
}

async function oneCheck(name, task) {
  const done = step(name);
  try {
    await task();
    done();
    return { name, passed: 1, failed: 0 };
  } catch (error) {
    console.error(error instanceof UserError ? error.message : error.stack);
    return { name, passed: 0, failed: 1 };
  }
}

/** The C++ tests of one preset; the wasm ones run in this Node. A skipped test is a failure. */
async function doctest(tools, preset) {
  await buildPreset(tools, preset, ['attention_tests']);
  const done = step(`Running the C++ tests, ${preset}`);
  const folder = join(root, 'build', preset);
  const [program, ...args] = preset.startsWith('wasm')
    ? [process.execPath, ...relaxedSimdFlag(), join(folder, 'tests/attention_tests.js')]
    : [join(folder, 'attention_tests')];
  const output = await outputOf(program, [...args, '--no-colors'], { env: tools.env });
  const number = '\\s*(\\d+) ';
  const line = new RegExp(
    `test cases:${number}\\|${number}passed \\|${number}failed \\|${number}skipped`,
  );
  const [, total, passed, failed, skipped] = (line.exec(output.text) ?? []).map(Number);
  const name = `C++ ${preset}`;
  if (output.ok && total > 0 && passed === total && skipped === 0) {
    done(`${passed} passed`);
    return [{ name, passed, failed: 0 }];
  }
  console.error(output.text);
  return [{ name, passed: passed || 0, failed: Math.max(failed + skipped || 0, 1) }];
}

/** libFuzzer on the inputs that are kept, then on new ones for a while. */
async function fuzzer(tools) {
  await buildPreset(tools, 'native-asan', ['attention_fuzzer']);
  const folder = join(root, 'build/native-asan');
  const found = join(folder, 'found');
  mkdirSync(found, { recursive: true });
  // An input takes milliseconds; what takes minutes even on a machine with much else to do hangs.
  const limits = ['-max_total_time=20', '-timeout=180', '-rss_limit_mb=4096'];
  const inputs = ['-max_len=256', '-len_control=0'];
  const args = [...limits, ...inputs, `-artifact_prefix=${folder}/`, found, 'tests/core/corpus'];
  return [
    await oneCheck('fuzzing for 20 s', () =>
      run(join(folder, 'attention_fuzzer'), args, { env: tools.env }),
    ),
  ];
}

const testFiles = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => join(folder, file))
    .sort();
const isWebTest = (file) => file.startsWith(join('tests', 'web'));
const isPackageTest = (file) => file.startsWith(join('tests', 'package'));

/** Test files for Node's test runner. A skipped, cancelled or unfinished test is a failure. */
async function nodeTests(tools, name, files, options = []) {
  const reports = join(root, 'build/reports');
  mkdirSync(reports, { recursive: true });
  const report = join(reports, `${name}.tap`);
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${report}`,
  ];
  const done = step(`Running ${files.length} test files, ${name}`);
  const args = [...relaxedSimdFlag(), '--test', ...options, ...reporters, ...files];
  const output = await outputOf(process.execPath, args, { env: tools.env, show: true });
  const tap = existsSync(report) ? readFileSync(report, 'utf8') : '';
  const count = (key) => Number(new RegExp(`^# ${key} (\\d+)$`, 'm').exec(tap)?.[1] ?? 0);
  const passed = count('pass');
  const failed = ['fail', 'cancelled', 'skipped', 'todo'].reduce((sum, key) => sum + count(key), 0);
  done(`${passed} passed`);
  const broken = (!output.ok || passed === 0) && failed === 0;
  return [{ name: `${name} tests`, passed, failed: broken ? 1 : failed }];
}

/**
 * Browsers that share a few cores may miss a frame that a test counts on. Where few of the page's files
 * have failed they run again, one by one: what fails then has failed, and the summary tells of the rest.
 */
async function onceMore(tools, all) {
  const tap = readFileSync(join(root, 'build/reports/web.tap'), 'utf8');
  const places = tap.matchAll(/^not ok (?:(?!^ok |^not ok )[^])*?^ {2}location: '(.+):\d+:\d+'/gm);
  const failing = [...places].map(([, file]) => file);
  const files = [...new Set(failing)];
  // What was skipped, or never told a result, is no accident.
  if (failing.length !== all[0].failed || files.length > 3) return all;
  const [{ failed }] = await nodeTests(tools, 'web-again', files, ['--test-concurrency=1']);
  const late = all[0].failed - failed;
  if (late <= 0) return all;
  const of = files.map((file) => basename(file)).join(', ');
  return [
    { name: 'web tests', passed: all[0].passed, failed },
    { name: `web tests, run again (${of})`, passed: late, failed: 0 },
  ];
}

/** Like run(), but a failing program is a result too. */
async function outputOf(program, args, options) {
  try {
    return { ok: true, text: await run(program, args, options) };
  } catch (error) {
    return { ok: false, text: error.message };
  }
}

/** Node 20 knows relaxed SIMD only when told. */
function relaxedSimdFlag() {
  // (module (func (result v128) i32.const 1 i8x16.splat i32.const 2 i8x16.splat
  //   i8x16.relaxed_swizzle))
  const code = [65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11];
  const header = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0];
  const relaxed = [...header, 10, code.length + 3, 1, code.length + 1, 0, ...code];
  return WebAssembly.validate(new Uint8Array(relaxed)) ? [] : ['--experimental-wasm-relaxed-simd'];
}

function chosenGroups() {
  const names = Object.keys(groups);
  let only;
  try {
    only = parseArgs({ options: { only: { type: 'string' } } }).values.only?.split(',') ?? names;
  } catch (error) {
    throw new UserError(`${error.message}\nUsage: npm test -- [--only=${names.join(',')}]`);
  }
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new UserError(`--only=${unknown}: there are ${names.join(', ')}.`);
  }
  return names.filter((name) => only.includes(name));
}

function summary(results, started) {
  const width = Math.max(...results.map(({ name }) => name.length));
  console.log('\nSummary');
  for (const { name, passed, failed } of results) {
    const verdict = failed ? `${passed} passed, ${failed} FAILED` : `${passed} passed`;
    console.log(`  ${name.padEnd(width)}  ${verdict}`);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`  in ${seconds(performance.now() - started)}\n`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed');
}

await main(async () => {
  const started = performance.now();
  const chosen = chosenGroups();
  await installNpmPackages();
  const tools = await toolchain('test');
  const results = [];
  for (const name of chosen) {
    try {
      results.push(...(await groups[name](tools)));
    } catch (error) {
      console.error(error instanceof UserError ? error.message : error.stack);
      results.push({ name, passed: 0, failed: 1 });
    }
  }
  if (summary(results, started) > 0) process.exitCode = 1;
});
