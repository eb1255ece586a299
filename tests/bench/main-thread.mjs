// What a call of loadWorker() costs the main thread of the page that makes it, in Chromium:
//   node tests/bench/main-thread.mjs [--cases=CDEJ]
// For each case, with shared memory and without: the call's time, and the processor time of the
// longest tasks of the main thread while it lasts. A frame of 60 a second has 16.7 ms. The inputs,
// whose sizes are those of the benchmark's cases, are copied, not given away.
import { parseArgs } from 'node:util';
import { layOut, withTab } from './browser.mjs';
import { cases } from './cases.js';

const { values: asked } = parseArgs({ options: { cases: { type: 'string', default: 'CDEJ' } } });

const content = `<script type="module">
import { loadWorker } from 'attention-wasm';
window.prepare = async (shape) => {
  const { batch, heads, queries, width } = shape;
  const worker = await loadWorker({ threads: 2 });
  const inputs = Array.from({ length: 3 }, () => ({
    shape: [batch, heads, queries, width],
    data: Float32Array.from({ length: batch * heads * queries * width }, () => Math.random() - 0.5),
  }));
  window.call = async () => {
    const start = performance.now();
    await worker.scaledDotProductAttention(...inputs, { mask: 'causal' }, { progress: () => {} });
    return performance.now() - start;
  };
};
</script>`;

/** Processor times of the main thread's tasks in milliseconds, the longest first. */
function tasksOf(trace) {
  const { traceEvents: events } = JSON.parse(trace.toString());
  const main = events.filter(
    ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
  );
  return events
    .filter(({ name, tdur }) => /RunTask/.test(name) && tdur > 0)
    .filter(({ pid, tid }) => main.some((thread) => thread.pid === pid && thread.tid === tid))
    .map(({ tdur }) => tdur / 1000)
    .sort((a, b) => b - a);
}

const folder = layOut(content);
console.log('| case | MB of inputs | memory | call, ms | longest tasks of the page, ms |');
console.log('| --- | ---: | --- | ---: | ---: |');
for (const isolated of [true, false]) {
  for (const name of asked.cases) {
    const { batch, heads, queries, width } = cases[name];
    await withTab(
      folder,
      async (tab, browser) => {
        await tab.waitForFunction(() => 'prepare' in window);
        await tab.evaluate((shape) => window.prepare(shape), { batch, heads, queries, width });
        await browser.startTracing(tab, { categories: ['toplevel'] });
        const milliseconds = await tab.evaluate(() => window.call());
        const longest = tasksOf(await browser.stopTracing()).slice(0, 3);
        const size = (3 * 4 * batch * heads * queries * width) / 1e6;
        const tasks = longest.map((time) => time.toFixed(1)).join(', ');
        const memory = isolated ? 'shared' : 'apart';
        console.log(
          `| ${name} | ${size.toFixed(0)} | ${memory} | ${milliseconds.toFixed(0)} | ${tasks} |`,
        );
      },
      { isolated },
    );
  }
}
