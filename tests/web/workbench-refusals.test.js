// What the workbench does not compute, and says so in the reader's language: which tensor, its numbers,
// and what to do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, cells, file, npy, onBench, says, seed, type } from './bench.js';

test('workbench: the common refusals are in Chinese on the Chinese page, counted from 1', async () => {
  await onBench(
    async ({ page, bench }) => {
      const alert = bench.locator('.bench-result [role="alert"]');
      const refused = async (text) => {
        await says(alert, text);
        assert.equal(await alert.getAttribute('lang'), null);
      };
      await type(bench, 'query', JSON.stringify(seed.Q.slice(0, 2)));
      await refused(/Q 有 2 个查询，K 有 4 个键.*第 1 个（左上），第 S − T \+ 1 = 3 个（右下）/);
      await bench.getByLabel('第 1 个查询对着').selectOption('bottom-right');
      await alert.waitFor({ state: 'detached' });
      const hidden = (await cells(bench, 'masked')).map((row) => row.map((x) => x === '−∞'));
      assert.deepEqual(hidden, [
        [false, false, false, true],
        [false, false, false, false],
      ]);

      await type(bench, 'key', JSON.stringify(seed.K.slice(0, 3)));
      await refused('K 是 3×3，V 是 4×3：token 的个数必须相同，现在是 3 和 4。');
      await type(bench, 'key', JSON.stringify(seed.K.map((row) => row.slice(1))));
      await refused('Q 是 2×3，K 是 4×2：最后一轴 d_k 必须相同，现在是 3 和 2。');
      await type(bench, 'key', JSON.stringify([seed.K, seed.K]));
      await type(bench, 'value', JSON.stringify([seed.V, seed.V]));
      await refused('Q 有 1 个 head，K 有 2 个：前者须是后者的整数倍。轴按 [B, H, T, d] 读；');
      await type(bench, 'key', JSON.stringify(seed.K));
      await type(bench, 'value', JSON.stringify(seed.V));
      await alert.waitFor({ state: 'detached' });

      await type(bench, 'mask', '[[0, -1, 0]]');
      await refused('遮罩是 1×3，须能广播到 [B, H, T, S] = 1×1×2×4');
      await type(bench, 'mask', '[[0, 1, 0]]');
      await refused(/scaled_dot_product_attention 是“true 放行”/);
      await bench.getByLabel('遮罩张量里的数表示').selectOption('padding');
      await refused('遮罩是 1×3；当作填充，它须是 [B, S] = 1×4。');

      // What the page has no words for is the library's, in its language.
      await type(bench, 'mask', '');
      await alert.waitFor({ state: 'detached' });
      await page.evaluate(() => (location.hash = '#bench.softcap=1e-300'));
      await says(alert, 'softcap');
      assert.equal(await alert.getAttribute('lang'), 'en');
    },
    { language: 'zh' },
  );
});

const zeros = (name, shape) => {
  const length = shape.reduce((product, axis) => product * axis, 1);
  return file(`${name}.npy`, npy('<f4', shape, bytesOf({ length }, Float32Array)));
};
/** Each with what is brought in place of the last, and what is said of it. */
const shapes = {
  en: [
    ['q', [0, 4], 'Q: the shape [0, 4] has an axis of length 0, so no number. Every axis must be'],
    ['k', [0, 1, 4, 3], 'K: the shape [0, 1, 4, 3] has an axis of length 0'],
    ['v', [4, 0], 'V: the shape [4, 0] has an axis of length 0'],
    ['mask', [0, 4], 'mask: the shape [0, 4] has an axis of length 0'],
    ['q', [], 'Q: the shape is []; 2, 3 or 4 axes are read'],
    ['q', [12], 'Q: the shape is [12]; 2, 3 or 4 axes are read'],
    ['k', [1, 1, 1, 4, 3], 'K: the shape is [1, 1, 1, 4, 3]; 2, 3 or 4 axes are read'],
    ['mask', [1, 1, 1, 4, 4], 'mask: the shape is [1, 1, 1, 4, 4]; 1 to 4 axes are read'],
  ],
  zh: [
    ['q', [0, 4], 'Q：形状 [0, 4] 里有一个轴长 0，没有数。每个轴至少长 1；'],
    ['mask', [0, 4], '遮罩：形状 [0, 4] 里有一个轴长 0，没有数。'],
    ['q', [12], 'Q 的形状是 [12]；只读 2、3、4 个轴'],
    ['mask', [1, 1, 1, 4, 4], '遮罩的形状是 [1, 1, 1, 4, 4]；只读 1 到 4 个轴'],
    ['bias', [], '偏置的形状是 []；只读 1 到 4 个轴'],
  ],
};
for (const [language, all] of Object.entries(shapes)) {
  test(`workbench: axes that are empty, too few or too many, in ${language}`, async () => {
    await onBench(
      async ({ bench, give }) => {
        const alert = bench.locator('.bench-result [role="alert"]');
        const weights = await cells(bench, 'weights');
        for (const [name, shape, text] of all) {
          await give(zeros(name, shape));
          await says(alert, text);
          assert.equal(await alert.getAttribute('lang'), null);
          // What there was stays in sight, and comes back.
          assert.deepEqual(await cells(bench, 'weights'), weights);
          await bench.getByRole('button', { name: language === 'en' ? 'Undo' : '撤销' }).click();
          await alert.waitFor({ state: 'detached' });
        }
      },
      {
        language,
        state: '?embed=1&figure=workbench',
        ready: (page) => page.locator('attention-workbench[data-live]').waitFor(),
      },
    );
  });
}
