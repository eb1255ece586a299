// What a move of each slider costs the page's main thread until it is painted, on the built site:
//   node tests/web/slider-times.mjs [--only=scaling-lab]
// work: processor time of the main thread between the key press and the second frame after it, the
// median of the moves and the most; of it script, style and layout. paint: the browser's own Event
// Timing, from the press to the paint, in steps of 8 ms, which waits for the screen's next frame and
// for whatever else the machine is doing.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serve } from '../../src/build/serve.mjs';
import { launchWithProfile } from '../chromium.js';

const MOVES = 12;
const { values: asked } = parseArgs({ options: { only: { type: 'string' } } });
/** Figure, what is moved, the key that moves it, and a state to begin in. */
const sliders = [
  ['cost', 'none: what measuring costs', 'Shift', ''],
  ['scaling-lab', 'd_k', 'ArrowRight', 'lab.d=8'],
  ['mask-painter', 'T', 'ArrowLeft', 'mask.m=queries:10,keys:10,left:4,rules:causal+window', 0],
  ['mask-painter', 'S', 'ArrowLeft', 'mask.m=queries:10,keys:10,left:4,rules:causal+window', 1],
  [
    'mask-painter',
    'window',
    'ArrowRight',
    'mask.m=queries:10,keys:10,left:0,rules:causal+window',
    2,
  ],
  ['cost', 'tokens', 'ArrowRight', '', 2],
  ['cost', 'heads', 'ArrowRight', '', 1],
  ['alignment', 'keys', 'ArrowRight', 'align.s=1', 1],
  ['broadcast', 'keys', 'ArrowRight', 'cast.keys=1', 2],
  ['projection', 'tokens', 'ArrowRight', 'xw.n=1'],
  ['dropout', 'p', 'ArrowRight', 'drop.p=0.1'],
  ['precision', 'c', 'ArrowRight', ''],
  ['shape-flow', 'heads', 'ArrowRight', 'shape.heads=1', 1],
  ['online-softmax', 'Next', 'Enter', '', 'button.primary'],
];

const median = (xs) => xs.toSorted((a, b) => a - b)[Math.floor(xs.length / 2)];
const ms = (x) => x.toFixed(1).padStart(8);
const kinds = ['TaskDuration', 'ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];

const server = await serve({ folder: fileURLToPath(new URL('../../build/site', import.meta.url)) });
// Without a profile the browser reads the page's icon again whenever the address changes.
const context = await launchWithProfile({
  viewport: { width: 1440, height: 1000 },
  serviceWorkers: 'block',
});
context.setDefaultTimeout(120_000);
try {
  const head = ['work', 'script', 'style', 'layout', 'most', 'paint', 'most'];
  console.log('ms'.padEnd(36) + head.map((text) => text.padStart(8)).join(''));
  for (const [figure, name, key, state, which = 0] of sliders) {
    if (asked.only && asked.only !== figure) continue;
    const page = await context.newPage();
    await page.goto(`${server.url}en/#${state}`);
    const element = page.locator(`attention-${figure}`);
    await element.scrollIntoViewIfNeeded();
    await page.locator(`attention-${figure}[data-live]`).waitFor({ state: 'attached' });
    const control =
      typeof which === 'number'
        ? element.locator('input[type="range"]').nth(which)
        : element.locator(which);
    await control.focus();
    // Found once: each search through the page's figures leaves garbage that the moves would clear.
    const input = await control.elementHandle();
    await page.waitForTimeout(1000);
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const tasks = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return kinds.map((kind) => 1000 * metrics.find(({ name }) => name === kind).value);
    };
    await page.evaluate(() => {
      globalThis.presses = [];
      new PerformanceObserver((list) => {
        for (const { name, duration } of list.getEntries()) {
          if (name === 'keydown') globalThis.presses.push(duration);
        }
      }).observe({ type: 'event', durationThreshold: 16 });
    });
    const frames = () =>
      page.evaluate(
        () =>
          new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
      );
    const value = () => input.evaluate(({ value }) => value || document.location.hash);
    const work = [];
    await frames();
    for (let move = 0; move < MOVES; ++move) {
      const stood = await value();
      const before = await tasks();
      await page.keyboard.press(key);
      await frames();
      const after = await tasks();
      // At its end there is nothing to do.
      if (key !== 'Shift' && (await value()) === stood) break;
      work.push(after.map((x, at) => x - before[at]));
    }
    await page.waitForTimeout(200);
    // Presses that were painted within 16 ms are not reported.
    const slow = await page.evaluate(() => globalThis.presses);
    const paint = [...slow, ...Array(Math.max(work.length - slow.length, 0)).fill(8)];
    const parts = kinds.map((_, at) => median(work.map((each) => each[at])));
    const most = Math.max(...work.map(([all]) => all));
    const cells = [...parts, most, median(paint), Math.max(...paint)];
    console.log(`${figure}, ${name}`.padEnd(36) + cells.map(ms).join(''));
    await page.close();
  }
} finally {
  await context.close();
  await server.close();
}
