// What a move of each slider costs the page's main thread until it is painted, on the built site:
//   node tests/web/slider-times.mjs [--only=scaling-lab]
// work: processor time of the main thread from the key press to the end of the frame that shows the new
// picture, the median of the moves and the most; of it script, layout with style, and painting. then:
// what follows, such as the sum below the picture, which comes a frame later, and what the measurement
// itself takes: of all of it, and the longest of its tasks, medians. paint: the browser's own Event
// Timing, from the press to the paint, in steps of 8 ms, which waits for the screen's next frame and for
// whatever else the machine is doing.
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
const ms = (x) => x.toFixed(1).padStart(9);
/** What a trace calls them. */
const kinds = {
  script: ['EventDispatch', 'FunctionCall', 'RunMicrotasks', 'FireAnimationFrame', 'TimerFire'],
  layout: ['Layout', 'UpdateLayoutTree'],
  painting: ['PrePaint', 'Paint', 'Layerize', 'Commit'],
};
const kindOf = (name) => Object.keys(kinds).find((kind) => kinds[kind].includes(name));

/** The main thread's tasks in a trace, in order, with what each took and of what kind that was. */
function tasksOf(events) {
  const isPress = ({ name, args }) => name === 'EventDispatch' && args.data.type === 'keydown';
  const { pid, tid } = events.find(isPress);
  const own = events
    .filter((event) => event.pid === pid && event.tid === tid && event.tdur !== undefined)
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const tasks = [];
  /** Those that are open: what is within another is not that one's. */
  const open = [];
  for (const event of own) {
    const { name, ts, dur, tdur } = event;
    while (open.length > 0 && open.at(-1).end <= ts) open.pop();
    const isTask = name.endsWith('RunTask');
    const kind = kindOf(name);
    if (open.length === 0) {
      if (!isTask) continue;
      tasks.push({ all: 0, script: 0, layout: 0, painting: 0, isPress: false, isFrame: false });
      tasks.at(-1).all = tdur / 1000;
    }
    const task = tasks.at(-1);
    if (kind) {
      task[kind] += tdur / 1000;
      const around = open.findLast((each) => each.kind);
      if (around) task[around.kind] -= tdur / 1000;
    }
    task.isPress ||= isPress(event);
    task.isFrame ||= name === 'FireAnimationFrame';
    open.push({ end: ts + dur, kind });
  }
  return tasks;
}

/** Of each press the tasks up to the frame that shows what it did, and those after it. */
function movesOf(tasks) {
  const moves = [];
  for (const task of tasks) {
    if (task.isPress) moves.push({ until: [], after: [] });
    const move = moves.at(-1);
    if (!move) continue;
    const isShown = move.until.at(-1)?.isFrame ?? false;
    move[isShown ? 'after' : 'until'].push(task);
  }
  return moves;
}
const sum = (tasks, of) => tasks.reduce((total, task) => total + task[of], 0);

const server = await serve({ folder: fileURLToPath(new URL('../../build/site', import.meta.url)) });
// Without a profile the browser reads the page's icon again whenever the address changes.
const context = await launchWithProfile({
  viewport: { width: 1440, height: 1000 },
  serviceWorkers: 'block',
});
context.setDefaultTimeout(120_000);
try {
  const head = ['work', 'script', 'layout', 'painting', 'most', 'then', 'longest', 'paint', 'most'];
  console.log('ms'.padEnd(36) + head.map((text) => text.padStart(9)).join(''));
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
    const events = [];
    session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
    const traced = new Promise((done) => session.once('Tracing.tracingComplete', done));
    await page.evaluate(() => {
      globalThis.presses = [];
      new PerformanceObserver((list) => {
        for (const { name, duration } of list.getEntries()) {
          if (name === 'keydown') globalThis.presses.push(duration);
        }
      }).observe({ type: 'event', durationThreshold: 16 });
      // The frame that is drawn next is the one that shows what the press did.
      addEventListener('keydown', () => requestAnimationFrame(() => {}), { capture: true });
    });
    const frames = () =>
      page.evaluate(
        () =>
          new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
      );
    const value = () => input.evaluate(({ value }) => value || document.location.hash);
    await frames();
    await session.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: ['toplevel', 'devtools.timeline'] },
    });
    let done = 0;
    for (let move = 0; move < MOVES; ++move) {
      const stood = await value();
      await page.keyboard.press(key);
      await frames();
      await frames();
      // At its end there is nothing to do.
      if (key !== 'Shift' && (await value()) === stood) break;
      ++done;
    }
    await session.send('Tracing.end');
    await traced;
    const moves = movesOf(tasksOf(events)).slice(0, done);
    await page.waitForTimeout(200);
    // Presses that were painted within 16 ms are not reported.
    const slow = await page.evaluate(() => globalThis.presses);
    const paint = [...slow, ...Array(Math.max(moves.length - slow.length, 0)).fill(8)];
    const each = (of) => moves.map(({ until }) => sum(until, of));
    const then = moves.map(({ after }) => sum(after, 'all'));
    const longest = moves.map(({ after }) => Math.max(...after.map(({ all }) => all), 0));
    const cells = [
      ...['all', 'script', 'layout', 'painting'].map((of) => median(each(of))),
      Math.max(...each('all')),
      ...[then, longest, paint].map(median),
      Math.max(...paint),
    ];
    console.log(`${figure}, ${name}`.padEnd(36) + cells.map(ms).join(''));
    await page.close();
  }
} finally {
  await context.close();
  await server.close();
}
