// npm run bench: this package beside onnxruntime-web, TensorFlow.js and plain JavaScript, checked
// against float64. Prints tables and writes build/bench.json.
//   --cases=ACG        which of cases.js; all but the slowest by default
//   --threads=1,2      numbers of threads, each measured in a process of its own
//   --rounds=9         turns that every contestant has
//   --browser          in Chromium instead of in this Node
//   --readme           all cases in both, and the tables into README.md and README.zh.md
//   --quick            only checks that it runs: small cases, one round, no installation

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cases } from './cases.js';
import { outcomes } from './measure.js';
import { peers } from './peers.js';
import { writeIntoReadme } from './readme.mjs';
import { tableOf } from './table.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { values: options } = parseArgs({
  options: {
    cases: { type: 'string' },
    threads: { type: 'string', default: '1,2' },
    rounds: { type: 'string', default: '9' },
    browser: { type: 'boolean' },
    readme: { type: 'boolean' },
    quick: { type: 'boolean' },
  },
});

const usual = Object.keys(cases).filter((name) => !cases[name].slow);
const names = options.cases ? [...options.cases] : options.quick ? ['H', 'A'] : usual;
if (options.readme && !options.cases) names.push('J');
const unknown = names.filter((name) => !cases[name]);
if (unknown.length) {
  console.error(`no case ${unknown.join(', ')}; there are ${Object.keys(cases).join(', ')}`);
  process.exit(2);
}
const rounds = options.quick ? 1 : Number(options.rounds);
const job = {
  rounds,
  enough: options.quick ? 1 : 60,
  peers: peers({ install: !options.quick }),
};

const environments = options.readme
  ? ['Node', 'Chromium']
  : [options.browser ? 'Chromium' : 'Node'];
const runs = [];
for (const environment of environments) {
  for (const threads of options.threads.split(',').map(Number)) {
    console.error(`• ${environment}, ${threads === 1 ? 'one thread' : `${threads} threads`}`);
    // Once is enough for the slowest, when there is much else to do.
    const once = options.readme && runs.length > 0;
    const mine = { ...job, threads, names: names.filter((name) => !(once && cases[name].slow)) };
    const measured =
      environment === 'Node'
        ? await inNode(mine)
        : await (await import('./browser.mjs')).inBrowser(mine, report);
    runs.push({ environment, threads, ...measured });
  }
}

const summary = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus()[0]?.model.trim() ?? arch()}, ${cpus().length} cores`,
  package: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
  names,
  rounds,
  runs: runs.map((run) => ({ ...run, outcomes: outcomes(run.results) })),
};
mkdirSync(join(root, 'build'), { recursive: true });
const file = join(root, 'build/bench.json');
writeFileSync(file, `${JSON.stringify(summary, null, 2)}\n`);
console.log(tableOf(summary, 'en'));
console.error(`• Written to ${file}`);
if (options.readme) await writeIntoReadme('benchmark', (language) => tableOf(summary, language));

const wrong = runs
  .flatMap((run) => run.results)
  .filter((one) => ['ours', 'alone'].includes(one.group) && one.failed);
for (const { case: name, contestant, failed } of wrong)
  console.error(`${name}: ${contestant}: ${failed}`);
process.exit(wrong.length ? 1 : 0);

function inNode(job) {
  const script = join(root, 'tests/bench/node.js');
  const flags =
    Number(process.versions.node.split('.')[0]) < 22 ? ['--experimental-wasm-relaxed-simd'] : [];
  const child = spawn(process.execPath, [...flags, script, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const results = [];
  let rest = {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return; // what a peer prints
    const { result, ...others } = JSON.parse(line);
    if (!result) return void (rest = others);
    results.push(result);
    report(result);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve({ results, ...rest }) : reject(new Error(`node.js ended with ${code}`)),
    );
  });
}

function report({ case: name, contestant, milliseconds, gflops, failed }) {
  const figures = failed ?? `${timeText(milliseconds)} ms, ${gflops.toFixed(1)} GFLOP/s`;
  console.error(`  ${name}  ${contestant.padEnd(36)} ${figures}`);
}

function timeText(milliseconds) {
  return milliseconds < 0.1 ? milliseconds.toFixed(4) : milliseconds.toPrecision(3);
}
