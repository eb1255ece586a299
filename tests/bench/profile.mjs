// npm run profile: where the time of a call goes, by V8's sampling profiler, in this Node; and where
// that of two threads does that share one.
//   --browser          in Chromium as well
//   --cases=ACDLFIGR   which of cases.js
//   --seconds=8        how long each is watched
//   --readme           the table into README.md and README.zh.md

import { existsSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { load } from 'attention-wasm';
import { watchInBrowser } from './browser.mjs';
import { cases } from './cases.js';
import { median } from './measure.js';
import { writeIntoReadme } from './readme.mjs';
import { comparison, watched } from './watched.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Parts of the work, and the functions that do them; the first that fits. */
const parts = [
  { en: 'scores, Q·Kᵀ', zh: '分数 Q·Kᵀ', does: /^(score_|Products<\w+>::scores)/ },
  { en: 'weights·V', zh: '权重·V', does: /^(value_|Products<\w+>::add_values)/ },
  { en: 'softmax', zh: 'softmax', does: /^OnlineSoftmax\b/ },
  { en: 'copying in and out', zh: '复制进出', does: /^JavaScript$/ },
  { en: 'garbage collection', zh: '垃圾回收', does: /^\(garbage collector\)$/ },
  { en: 'rows, masks, checks', zh: '行、掩码、检查', does: /./ },
];

/** The profiler's own work, and what it cannot tell. */
const notOurs = ['(program)', '(idle)', 'post', 'dispatch'];

const texts = {
  en: {
    head: 'share of the time',
    limit: 'the two products: share of the limit',
    near: 'the same call on keys in the second cache: share of the time',
    note: ({ date, machine, engine }) =>
      `${date}, ${machine}, ${engine}, relaxed SIMD, one thread.`,
    shared: {
      head: 'share of the time of two threads',
      work: 'what one thread takes for the work alone',
      copied: 'copying in and out, by the calling thread',
      slower: 'the same work takes longer on two',
      waiting: 'starting, waiting, other programs',
      times: 'times one thread',
    },
  },
  zh: {
    head: '占时间的份额',
    limit: '两个乘积：占极限的份额',
    near: '同样的调用，键在第二级缓存里：占时间的份额',
    note: ({ date, machine, engine }) => `${date}，${machine}，${engine}，relaxed SIMD，单线程。`,
    shared: {
      head: '占两个线程的时间的份额',
      work: '单线程做这些工作要的时间',
      copied: '复制进出，由发起调用的线程做',
      slower: '同样的工作由两个线程做时多用的时间',
      waiting: '启动、等待、别的程序',
      times: '是单线程的几倍',
    },
  },
};
const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: 'ACDLFIGR' },
    seconds: { type: 'string', default: '8' },
    browser: { type: 'boolean' },
    readme: { type: 'boolean' },
  },
});
const nameOf = functionNames('relaxed');
const profiles = [];
const watchCases = async (engine) => {
  const milliseconds = Number(options.seconds) * 1000;
  const [columns, pairs] = [[], []];
  for (const name of options.cases) {
    columns.push(await watch(engine, name, milliseconds));
    // Chromium tells a process's time in hundredths of a second, which is too coarse.
    if (cases[name].scaling && engine.cpu) pairs.push(await watchPair(engine, name, milliseconds));
  }
  profiles.push({ engine: engine.name, columns, pairs });
};
await watchInNode(watchCases);
if (options.browser) await watchInBrowser(watchCases);
const tables = (language) => profiles.map((one) => table(language, one)).join('\n\n');
console.log(tables('en'));
if (options.readme) await writeIntoReadme('profile', tables);
process.exit(0);

/** Calls use(engine) with this Node; watchInBrowser of browser.mjs does it with Chromium. */
async function watchInNode(use) {
  const session = new Session();
  session.connect();
  let now;
  await use({
    name: `Node ${process.versions.node}`,
    post: (method, parameters) => session.post(method, parameters),
    prepare: async (name) => {
      now = await watched(name, load);
      return now.whats;
    },
    repeat: (what, milliseconds) => now.repeat(what, milliseconds),
    copying: (what, milliseconds) => now.copying(what, milliseconds),
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    dispose: () => now.dispose(),
  });
  session.disconnect();
}

/** Names of the functions of the built WebAssembly, by their numbers. */
function functionNames(simd) {
  const built = join(root, `build/wasm-${simd}/attention-${simd}`);
  const files = [`${built}.wasm`, join(root, `dist/wasm/attention-${simd}.wasm`)];
  const [made, used] = files.map((file) => existsSync(file) && readFileSync(file));
  if (!made || !used || !made.equals(used)) {
    throw new Error('build/ does not hold what dist/ was made of; run npm run build');
  }
  const names = new Map();
  for (const line of readFileSync(`${built}.js.symbols`, 'utf8').trim().split('\n')) {
    const [number] = line.split(':', 1);
    names.set(number, bare(line.slice(number.length + 1)));
  }
  return ({ functionName, url }) => {
    const number = /^wasm-function\[(\d+)\]$/.exec(functionName)?.[1];
    if (number !== undefined) return names.get(number);
    return /\/(dist|package)\//.test(url) ? 'JavaScript' : functionName;
  };
}

/** A C++ function's own name, from how the linker writes it. */
function bare(symbol) {
  const text = symbol.replace(/\\([0-9a-f]{2})/g, (_, code) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  return text.replace(/^void /, '').replaceAll(/attention::|\(anonymous namespace\)::/g, '');
}

/**
 * Watches a case, and in turn with it times the call by itself and what it is compared with: what
 * else the machine does meets all of them.
 */
async function watch(engine, name, milliseconds) {
  const whats = await engine.prepare(name);
  await engine.post('Profiler.enable');
  await engine.post('Profiler.setSamplingInterval', { interval: 200 });
  const spent = parts.map(() => 0);
  const times = Object.fromEntries(whats.map((what) => [what, []]));
  const turns = 16;
  for (let turn = 0; turn < turns; ++turn) {
    for (const what of whats) {
      times[what].push(await engine.repeat(what, milliseconds / turns / 4));
    }
    await engine.post('Profiler.start');
    await engine.repeat('call', milliseconds / turns / 2);
    const { profile } = await engine.post('Profiler.stop');
    const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
    profile.samples.forEach((id, at) => {
      const what = nameOf(nodes.get(id).callFrame);
      if (notOurs.includes(what)) return;
      spent[parts.findIndex(({ does }) => does.test(what))] += profile.timeDeltas[at];
    });
  }
  await engine.dispose();
  const total = spent.reduce((sum, time) => sum + time, 0);
  const shares = spent.map((time) => time / total);
  const medians = Object.fromEntries(whats.map((what) => [what, median(times[what])]));
  return { name, shares, ...comparison(name, medians, shares[0] + shares[1]) };
}

/** Of two threads that share a call, in shares of the time that both have. */
async function watchPair(engine, name, milliseconds) {
  await engine.prepare(name);
  const turns = 16;
  const seen = { call: [], pair: [] };
  for (let turn = 0; turn < turns; ++turn) {
    for (const [what, calls] of Object.entries(seen)) {
      const [cpu, begun] = [await engine.cpu(), performance.now()];
      const time = await engine.repeat(what, milliseconds / turns / 4);
      const busy = ((await engine.cpu()) - cpu) / (performance.now() - begun);
      const copying = time * (await engine.copying(what, milliseconds / turns / 4));
      calls.push({ time, cpu: busy * time, copying });
    }
  }
  await engine.dispose();
  const of = (what, field) => median(seen[what].map((call) => call[field]));
  const whole = 2 * of('pair', 'time');
  const cpu = of('pair', 'cpu');
  const work = of('call', 'cpu') - of('call', 'copying');
  const copied = of('pair', 'copying');
  return {
    ...{ name, work: work / whole, copied: copied / whole, waiting: 1 - cpu / whole },
    slower: (cpu - work - copied) / whole,
    times: (2 * of('call', 'time')) / whole,
  };
}

function pairTable(language, pairs) {
  const text = texts[language].shared;
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const shares = (of) =>
    row([text[of], ...pairs.map((pair) => `${(100 * pair[of]).toFixed(1)} %`)]);
  return [
    row([text.head, ...pairs.map(({ name }) => name)]),
    row(['---', ...pairs.map(() => '---:')]),
    ...['work', 'copied', 'slower', 'waiting'].map(shares),
    row([text.times, ...pairs.map(({ times }) => times.toPrecision(3))]),
  ].join('\n');
}

function table(language, { engine, columns, pairs }) {
  const text = texts[language];
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const percent = (share) => (share === undefined ? '' : `${(100 * share).toFixed(0)} %`);
  return [
    row([text.head, ...columns.map(({ name }) => name)]),
    row(['---', ...columns.map(() => '---:')]),
    ...parts.map((part, at) =>
      row([part[language], ...columns.map(({ shares }) => percent(shares[at]))]),
    ),
    row([text.limit, ...columns.map(({ ofLimit }) => percent(ofLimit))]),
    row([text.near, ...columns.map(({ near }) => percent(near))]),
    '',
    text.note({
      date: new Date().toISOString().slice(0, 10),
      machine: cpus()[0]?.model.trim(),
      engine,
    }),
    ...(pairs.length > 0 ? ['', pairTable(language, pairs)] : []),
  ].join('\n');
}
