// What the workbench keeps over a reload and a change of language, what it does not, and what it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, cells, file, npy, onBench, says, seed, type } from './bench.js';

const json = JSON.stringify;
const field = (bench, name) => bench.locator(`[data-field="${name}"]`);
const textOf = (bench, name) => field(bench, name).locator('textarea').inputValue();
const ready = (bench) => bench.locator('.bench-shown:not([data-stale])').waitFor();

/** Resolves when the tab keeps tensors in so many fields, that of the query with so many rows. */
const kept = (page, fields, rows) =>
  page.evaluate(
    async ([fields, rows]) => {
      const answer = (request) =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const isSo = async () => {
        const name = sessionStorage.getItem('workbench');
        if (name === null) return fields === 0;
        const database = await answer(indexedDB.open('attention-workbench'));
        const found = await answer(database.transaction('tabs').objectStore('tabs').get(name));
        database.close();
        if (found?.given.length !== fields) return false;
        return found.tensors.get(new Map(found.given).get('query')).shape[0] === rows;
      };
      while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    [fields, rows],
  );

/** The figure alone: the page around it takes its time, and here nothing depends on it. */
const alone = {
  state: '?embed=1&figure=workbench',
  ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
};

const [tokens, width] = [700, 300]; // more than a slice
const large = Float32Array.from({ length: tokens * width }, (_, at) => Math.sin(at));

test('workbench: tensors and texts stay over a reload and in the other language', async () => {
  await onBench(
    async ({ page, bench, give }) => {
      await give(
        file(
          'expected_weights.npy',
          npy('<f8', [4, 4], bytesOf(seed.weights_causal.flat(), Float64Array)),
        ),
        file('large.npy', npy('<f4', [tokens, width], Buffer.from(large.buffer))),
      );
      await says(bench, /✓ The weights agree/);
      await type(bench, 'value', json(seed.V.map((row) => row.map((x) => 2 * x))));
      await type(bench, 'key', '[[1, 2], [3]]');
      await says(
        field(bench, 'key'),
        'Row 2 is 1 long, the first is 2. The tensor that was read before, 4×3',
      );
      const shown = await cells(bench, 'output');
      await kept(page, 4, 4);

      await page.reload();
      await bench.scrollIntoViewIfNeeded();
      await says(bench, /✓ The weights agree/);
      assert.deepEqual(await cells(bench, 'output'), shown);
      await says(field(bench, 'key'), 'Row 2 is 1 long, the first is 2.');
      assert.equal(await textOf(bench, 'key'), '[[1, 2], [3]]');

      await page.locator('a[data-keep-state][hreflang="zh"], a[data-keep-state]').first().click();
      await page.waitForURL(/\/zh\//);
      await bench.scrollIntoViewIfNeeded();
      await says(bench, '✓ 权重在');
      assert.deepEqual(await cells(bench, 'output'), shown);
      await says(field(bench, 'key'), '第 2 行有 1 个数，第一行有 2 个。仍用之前读到的张量，4×3。');
      // Of a file what is in no field as well, to the last element.
      await field(bench, 'bias').locator('select').selectOption('large');
      await says(field(bench, 'bias'), `${tokens}×${width}，float32`);
      await says(bench, `偏置是 ${tokens}×${width}`);
    },
    { state: '#bench.stage=output' },
  );
});

test('workbench: what was cleared, and the article’s example, are not kept', async () => {
  await onBench(async ({ page, bench }) => {
    await type(bench, 'query', json(seed.Q.slice(0, 3)));
    await kept(page, 3, 3);
    await bench.getByRole('button', { name: 'Clear' }).click();
    await kept(page, 0);
    const left = () =>
      page.evaluate(
        () =>
          new Promise((resolve) => {
            const opening = indexedDB.open('attention-workbench');
            opening.onsuccess = () => {
              const transaction = opening.result.transaction(['tabs', 'slices']);
              const counts = ['tabs', 'slices'].map((name) =>
                transaction.objectStore(name).count(),
              );
              transaction.oncomplete = () => resolve(counts.map(({ result }) => result));
            };
          }),
      );
    assert.deepEqual(await left(), [0, 0]);
    await bench.getByRole('button', { name: 'Undo' }).click();
    await kept(page, 3, 3);
    await page.reload();
    await bench.scrollIntoViewIfNeeded();
    await says(field(bench, 'query'), '3×3, text');
    await bench.getByRole('button', { name: 'The article’s example' }).click();
    await kept(page, 0);
    assert.deepEqual(await left(), [0, 0]);
    await page.reload();
    await bench.scrollIntoViewIfNeeded();
    await ready(bench);
    await says(field(bench, 'query'), '4×3, float64');
  }, alone);
});

test('workbench: each tab keeps its own, one that was opened from another too', async () => {
  await onBench(async ({ page, bench }) => {
    await type(bench, 'query', json(seed.Q.slice(0, 3)));
    await kept(page, 3, 3);
    const coming = page.context().waitForEvent('page');
    await page.evaluate(() => void window.open(location.href));
    const other = await coming;
    const copy = other.locator('attention-workbench');
    await copy.scrollIntoViewIfNeeded();
    await says(field(copy, 'query'), '3×3, text');
    await type(copy, 'query', json(seed.Q.slice(0, 2)));
    await says(field(copy, 'query'), '2×3, text');
    await kept(other, 3, 2);
    for (const [tab, there, rows] of [
      [page, bench, 3],
      [other, copy, 2],
    ]) {
      await tab.reload();
      await there.scrollIntoViewIfNeeded();
      await says(field(there, 'query'), `${rows}×3, text`);
    }
  }, alone);
});

test('workbench: where a browser keeps nothing it works, and says what would be lost', async () => {
  for (const [what, break_] of Object.entries({
    'no sessionStorage': () => {
      Object.defineProperty(globalThis, 'sessionStorage', {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
    },
    'no IndexedDB': () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('not here', 'InvalidStateError');
      };
    },
    'no room': () => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    },
  })) {
    await onBench(async ({ page, bench }) => {
      await page.addInitScript(break_);
      await page.reload();
      await bench.scrollIntoViewIfNeeded();
      await ready(bench);
      assert.equal(await bench.getByText(/will lose/).count(), 0, what);
      await type(bench, 'query', json(seed.Q.slice(0, 3)));
      await says(bench, /^A reload or the other language will lose Q 3×3, K 4×3, V 4×3: /);
      const isFull = what === 'no room';
      await says(
        bench,
        isFull ? /more than this browser has room for/ : /keeps nothing for this page/,
      );
      await says(bench, 'T ≠ S: Q is 3 long');
      await page.reload();
      await bench.scrollIntoViewIfNeeded();
      await says(field(bench, 'query'), '4×3, float64');
    }, alone);
  }
});
