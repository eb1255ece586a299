// What the page may cost: bytes before the first number runs, and work between a slider and the
// paint.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { figureNames, onPage, site } from './browser.js';

const kB = (bytes) => gzipSync(bytes, { level: 9 }).length / 1000;

for (const isolated of [true, false]) {
  const how = isolated ? 'with' : 'without';
  test(`at first at most 100 kB of scripts and 150 kB of WebAssembly, ${how} threads`, async () => {
    const url = await site({ isolated });
    await onPage(
      'about:blank',
      async (page) => {
        const sizes = { js: new Map(), wasm: new Map() };
        const arrived = [];
        page.on('response', (response) => {
          const kind = /\.(js|wasm)$/.exec(new URL(response.url()).pathname)?.[1];
          if (!kind) return;
          const take = async () => sizes[kind].set(response.url(), kB(await response.body()));
          arrived.push(take());
        });
        await page.goto(`${url}en/`);
        await page.locator('attention-stepper[data-live]').waitFor();
        await page.waitForLoadState('networkidle');
        await Promise.all(arrived);
        const sum = (files) => [...files.values()].reduce((total, size) => total + size, 0);
        assert.ok(sizes.js.size > 5 && sizes.wasm.size === 1);
        assert.ok(sum(sizes.js) <= 100, `${sum(sizes.js)} kB of scripts`);
        assert.ok(sum(sizes.wasm) <= 150, `${sum(sizes.wasm)} kB of WebAssembly`);
      },
      { url },
    );
  });
}

/**
 * Moves the figure's first slider to and fro, and counts the work of one move: calls of the library,
 * cells made anew (not those by which the figure grew), figures drawn again. A clock would time the
 * machine's other programs as well.
 */
const workOfMove = async (element) => {
  const counts = { calls: 0, cells: 0, figures: 0 };
  const undo = [];
  const counted = (object, name, counter) => {
    const own = object[name];
    object[name] = function (...args) {
      counts[counter] += 1;
      return own.apply(this, args);
    };
    undo.push(() => (object[name] = own));
  };
  const library = Object.getPrototypeOf(element.page.attention);
  for (const name of ['explain', 'scaledDotProductAttention', 'mask']) {
    counted(library, name, 'calls');
  }
  for (const figure of document.querySelectorAll('[data-live]')) {
    counted(figure, 'performUpdate', 'figures');
  }
  const observer = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) counts.cells += node.nodeName === 'TD' ? 1 : 0;
    }
  });
  observer.observe(element.shadowRoot, { childList: true, subtree: true });
  const slider = element.shadowRoot.querySelector('input[type="range"]');
  const [low, high, step] = [slider.min, slider.max, slider.step].map(Number);
  const cells = () => element.shadowRoot.querySelectorAll('td').length;
  const moves = 4;
  for (let turn = 0; turn < moves; ++turn) {
    const [made, before] = [counts.cells, cells()];
    slider.value = String(low + step * Math.floor(((high - low) / step) * (turn % 2 ? 0.5 : 0.25)));
    slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    await element.updateComplete;
    // The observer's turn.
    await new Promise((resolve) => setTimeout(resolve));
    counts.cells = Math.max(made, counts.cells - Math.max(0, cells() - before));
  }
  observer.disconnect();
  for (const restore of undo) restore();
  return Object.entries(counts).map(([what, count]) => [what, count / moves]);
};

test('a slider does the work of one figure: few calls, no new cells', async () => {
  await onPage('en/', async (page) => {
    const most = { calls: 30, cells: 0, figures: 2 };
    const tooMuch = [];
    let sliders = 0;
    for (const name of figureNames) {
      const figure = page.locator(name);
      await figure.scrollIntoViewIfNeeded();
      await page.locator(`${name}[data-live]`).waitFor({ state: 'attached' });
      if ((await figure.locator('input[type="range"]').count()) === 0) continue;
      sliders += 1;
      for (const [what, count] of await figure.evaluate(workOfMove)) {
        if (count > most[what]) tooMuch.push(`${name}: ${count} ${what}`);
      }
    }
    assert.ok(sliders >= 4, `${sliders} figures with sliders`);
    assert.deepEqual(tooMuch, []);
  });
});
