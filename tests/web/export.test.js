// What a case figure saves: data that loads again, programs that check themselves, pictures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onPage, textsOf } from './browser.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Inside the project, so that 'attention-wasm' is found by its name.
const folder = `${root}build/exported`;
mkdirSync(folder, { recursive: true });

const formats = ['SVG', 'PNG', 'CSV', 'JSON', 'PyTorch', 'NumPy', 'JavaScript', 'C++'];

/** Presses a button of the menu and gives back the file's path. */
async function save(page, format, figure = 'attention-stepper') {
  const menu = page.locator(`${figure} details.export`);
  if ((await menu.getAttribute('open')) === null) await menu.locator('summary').click();
  const coming = page.waitForEvent('download');
  await menu.getByRole('button', { name: format, exact: true }).click();
  const download = await coming;
  const path = `${folder}/${download.suggestedFilename()}`;
  await download.saveAs(path);
  return path;
}

/** A state in which nothing is the article's own: a changed number, a late step, a kept cell. */
const state = 'en/#s=6&p=o.2.1&q=0.11,0.77,0.08;2,-0.28,0.24;-0.79,0.97,-0.74;-0.72,0.95,0.36';

test('every format is saved, and each of the programs agrees with the numbers in it', async () => {
  await onPage(state, async (page) => {
    const paths = {};
    for (const format of formats) paths[format] = await save(page, format);
    const text = (format) => readFileSync(paths[format], 'utf8');

    const run = (path) => execFileSync(process.execPath, [path], { cwd: root, encoding: 'utf8' });
    const printed = JSON.parse(run(paths.JavaScript));
    const shown = await textsOf(page, 'output');
    const rounded = printed.map((row) => row.map((x) => x.toFixed(2).replace('-', '−')));
    assert.deepEqual(rounded, shown);
    // The program's own check is a check: with another number in it, it fails.
    const wrong = `${folder}/wrong.mjs`;
    writeFileSync(wrong, text('JavaScript').replace('[2, -0.28', '[2.001, -0.28'));
    assert.throws(() => execFileSync(process.execPath, [wrong], { cwd: root, stdio: 'pipe' }));

    for (const format of ['PyTorch', 'NumPy']) {
      const parse = 'import ast, sys; print(len(ast.parse(open(sys.argv[1]).read()).body))';
      const statements = execFileSync('python3', ['-c', parse, paths[format]]);
      assert.ok(Number(statements) > 10, format);
      assert.match(text(format), /^assert (np|torch)\.allclose\(output, expected_output/m);
    }
    execFileSync('c++', ['-std=c++20', '-fsyntax-only', '-Wall', '-I', 'src', paths['C++']], {
      cwd: root,
    });

    const { expected, inputs, options } = JSON.parse(text('JSON'));
    assert.deepEqual(expected.output, printed);
    assert.equal(inputs.query[1][0], 2);
    assert.deepEqual(options, { mask: 'causal' });
    assert.deepEqual(expected.masked[0].slice(1), ['-Infinity', '-Infinity', '-Infinity']);

    const lines = text('CSV').trimEnd().split('\n');
    assert.equal(lines[0], 'matrix,row,1,2,3,4');
    assert.ok(lines.includes('query,2,2,-0.28,0.24'));
    assert.ok(lines.includes(`output,1,${printed[0].join(',')}`));
    assert.ok(lines.includes(`masked,1,${expected.masked[0].join(',')}`));
  });
});

test('pictures: well formed, with every number in its place', async () => {
  await onPage(state, async (page) => {
    const svg = readFileSync(await save(page, 'SVG'), 'utf8');
    const png = readFileSync(await save(page, 'PNG'));
    const found = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      const texts = [...parsed.querySelectorAll('text')].map((node) => node.textContent);
      const { width, height } = parsed.documentElement.viewBox.baseVal;
      return { error: parsed.querySelector('parsererror')?.textContent, texts, width, height };
    }, svg);
    assert.equal(found.error, undefined);
    for (const stage of ['query', 'key', 'value', 'scores', 'masked', 'weights', 'output']) {
      const wanted = (await textsOf(page, stage)).flat();
      const missing = wanted.filter((text) => !found.texts.includes(text));
      assert.deepEqual(missing, [], stage);
    }
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    const size = [png.readUInt32BE(16), png.readUInt32BE(20)];
    assert.deepEqual(size, [2 * found.width, 2 * found.height]);
    // A picture, not an empty sheet: the canvas has drawn the same list.
    const colors = await page.evaluate(
      async (bytes) => {
        const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        canvas.drawImage(bitmap, 0, 0);
        const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
        return new Set(new Uint32Array(data.buffer)).size;
      },
      [...png],
    );
    assert.ok(colors > 100, `${colors} colours`);
  });
});

test('saved JSON loads again to the same frame, and a file that does not fit changes nothing', async () => {
  const read = async (page) => [
    await textsOf(page, 'query'),
    await textsOf(page, 'output'),
    await page.locator('attention-stepper .inspector').innerText(),
    new URL(page.url()).hash,
  ];
  let path;
  let first;
  await onPage(state, async (page) => {
    first = await read(page);
    path = await save(page, 'JSON');
  });
  await onPage('en/', async (page) => {
    const menu = page.locator('attention-stepper details.export');
    await menu.locator('summary').click();
    const open = (name, text) =>
      menu
        .locator('input[type="file"]')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    const says = (pattern) => menu.getByRole('status').filter({ hasText: pattern }).waitFor();
    const before = await read(page);
    await open('a.json', '{ "inputs": ');
    await says(/a\.json was not opened, nothing was changed\. .*SyntaxError/);
    await open('b.json', '{ "inputs": { "query": [[1, "2"]] } }');
    await says(/not in the form that is saved here: inputs\.query/);
    await open('c.json', '{ "inputs": { "query": [[1]], "key": [[1]], "value": [[1]] } }');
    await says(/Its Q is 1×1; this figure has 4×3/);
    await open('d.json', readFileSync(path, 'utf8').replace('"causal"', '"casual"'));
    await says(/casual/);
    assert.deepEqual(await read(page), before);
    await menu.locator('input[type="file"]').setInputFiles(path);
    await says(/attention\.json opened/);
    assert.deepEqual(await read(page), first);
  });
});

test('links and frames are copied; a figure with numbers of its own keeps them in the link', async () => {
  let link;
  await onPage(
    'en/',
    async (page) => {
      const figure = page.locator('attention-retrieval');
      await figure.scrollIntoViewIfNeeded();
      await page.locator('attention-retrieval[data-live]').waitFor();
      await figure.locator('td[data-stage="query"]').first().click();
      await page.keyboard.type('3');
      await page.keyboard.press('Enter');
      await figure.locator('summary').click();
      await figure.getByRole('button', { name: 'Copy link' }).click();
      await figure.getByText('Copied.').waitFor();
      link = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(link, /\/en\/#why&fruit\.case=/);
      await figure.getByRole('button', { name: 'Copy frame' }).click();
      await page.waitForFunction(async () => /iframe/.test(await navigator.clipboard.readText()));
      assert.match(
        await page.evaluate(() => navigator.clipboard.readText()),
        /^<iframe src=".*\/en\/\?embed=1&amp;figure=retrieval#fruit\.case=/,
      );
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );
  const ready = async (page) => {
    await page.locator('attention-retrieval').scrollIntoViewIfNeeded();
    await page.locator('attention-retrieval[data-live]').waitFor();
  };
  await onPage(
    link,
    async (page) => {
      const first = page.locator('attention-retrieval td[data-stage="query"]').first();
      assert.equal((await first.innerText()).trim(), '3.00');
    },
    { ready },
  );
});
