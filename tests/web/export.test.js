// What the figures save: data that loads again, programs that check themselves, pictures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load, tensor, toNested } from 'attention-wasm';
import { onPage, textsOf } from './browser.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Inside the project, so that 'attention-wasm' is found by its name.
const folder = `${root}build/exported`;
mkdirSync(folder, { recursive: true });

const programs = ['PyTorch', 'NumPy', 'JavaScript', 'C++'];
const formats = ['SVG', 'PNG', 'CSV', 'JSON', ...programs];
const attention = await load({ threads: 1 });

/** The first Python of this machine that has NumPy; without one, the programs are parsed only. */
const numpy = ['python3', '/usr/bin/python3'].find((python) => {
  try {
    execFileSync(python, ['-c', 'import numpy'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});
console.log(numpy ? `NumPy runs in ${numpy}` : 'no NumPy here: its programs are parsed only');

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

const run = (path) => execFileSync(process.execPath, [path], { cwd: root, encoding: 'utf8' });

/** Both parse and check themselves by `asserts`; NumPy's runs. */
function checkPython(
  { PyTorch, NumPy },
  asserts = /^assert (np|torch)\.allclose\(output, expected_output/m,
) {
  for (const path of [PyTorch, NumPy]) {
    const parse = 'import ast, sys; print(len(ast.parse(open(sys.argv[1]).read()).body))';
    assert.ok(Number(execFileSync('python3', ['-c', parse, path])) > 6, path);
    const text = readFileSync(path, 'utf8');
    assert.match(text, asserts);
  }
  if (numpy) execFileSync(numpy, [NumPy], { stdio: 'pipe' });
}

function checkCpp(path) {
  const flags = ['-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Werror', '-I', 'src'];
  execFileSync('c++', [...flags, path], { cwd: root, stdio: 'pipe' });
}

/** A state in which nothing is the article's own: a changed number, a late step, a kept cell. */
const state = 'en/#s=6&p=o.2.1&q=0.11,0.77,0.08;2,-0.28,0.24;-0.79,0.97,-0.74;-0.72,0.95,0.36';

test('every format is saved, and each of the programs agrees with the numbers in it', async () => {
  await onPage(state, async (page) => {
    const paths = {};
    for (const format of formats) paths[format] = await save(page, format);
    const text = (format) => readFileSync(paths[format], 'utf8');

    const printed = JSON.parse(run(paths.JavaScript));
    const shown = await textsOf(page, 'output');
    const rounded = printed.map((row) => row.map((x) => x.toFixed(2).replace('-', '−')));
    assert.deepEqual(rounded, shown);
    // The program's own check is a check: with another number in it, it fails.
    const wrong = `${folder}/wrong.mjs`;
    writeFileSync(wrong, text('JavaScript').replace('[2, -0.28', '[2.001, -0.28'));
    assert.throws(() => execFileSync(process.execPath, [wrong], { cwd: root, stdio: 'pipe' }));

    checkPython(paths);
    checkCpp(paths['C++']);
    if (numpy) {
      const wrongToo = `${folder}/wrong.py`;
      writeFileSync(wrongToo, text('NumPy').replace('[2, -0.28', '[2.001, -0.28'));
      assert.throws(() => execFileSync(numpy, [wrongToo], { stdio: 'pipe' }), /AssertionError/);
    }

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

test('a picture has the lengths that shares are drawn as', async () => {
  await onPage(
    'en/?embed=1&figure=retrieval',
    async (page) => {
      const figure = page.locator('attention-retrieval');
      await figure.locator('.export summary').click();
      const waiting = page.waitForEvent('download');
      await figure.getByRole('button', { name: 'SVG', exact: true }).click();
      const svg = readFileSync(await (await waiting).path(), 'utf8');
      const cells = await figure.locator('[data-stage=weights] td.cell').all();
      const boxes = await Promise.all(cells.map((cell) => cell.boundingBox()));
      const shares = await Promise.all(
        cells.map((cell) => cell.evaluate((one) => Number(one.style.getPropertyValue('--t')))),
      );
      assert.ok(Math.max(...shares) > 0.8, 'there is something to see');
      const widths = [...svg.matchAll(/<rect [^>]*?width="([\d.]+)"/g)].map(([, width]) =>
        Number(width),
      );
      shares.forEach((share, at) => {
        const wanted = share * boxes[at].width;
        assert.ok(
          widths.some((width) => Math.abs(width - wanted) < 1),
          `a bar of ${wanted} among ${widths}`,
        );
      });
    },
    { ready: (page) => page.locator('attention-retrieval[data-live]').waitFor() },
  );
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
    await says(/a\.json was not opened, nothing was changed\. It is not JSON/);
    await open('b.json', '{ "inputs": { "query": [[1, "2"]] } }');
    await says(/not in the form that is saved here: inputs\.query/);
    await open('bench.json', '{ "inputs": { "query": [[1]] }, "workbench": "" }');
    await says(
      /saved by another figure, “Workbench for your own tensors”, and can be opened there/,
    );
    await open('c.json', '{ "inputs": { "query": [[1]], "key": [[1]], "value": [[1]] } }');
    await says(/Its Q is 1×1; this figure has 4×3/);
    await open('d.json', readFileSync(path, 'utf8').replace('"causal"', '"casual"'));
    await says(/casual/);
    assert.deepEqual(await read(page), before);
    await menu.locator('input[type="file"]').setInputFiles(path);
    await says(/attention-stepper\.json opened/);
    // What was said is over once something else is shown.
    await page.locator('attention-stepper').getByRole('button', { name: 'Reset' }).click();
    await menu.getByRole('status').filter({ hasText: /^\s*$/ }).waitFor({ state: 'attached' });
    await menu.locator('input[type="file"]').setInputFiles(path);
    await says(/attention-stepper\.json opened/);
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
      assert.match(link, /\/en\/#figure-retrieval&fruit\.pin=query\.1\.1&fruit\.case=/);
      await figure.getByRole('button', { name: 'Copy frame' }).click();
      await page.waitForFunction(() => {
        void navigator.clipboard.readText().then((text) => (globalThis.copied = text));
        return /iframe/.test(globalThis.copied);
      });
      assert.match(
        await page.evaluate(() => navigator.clipboard.readText()),
        /^<iframe src=".*\/en\/\?embed=1&amp;figure=retrieval#fruit\.pin=query\.1\.1&fruit\.case=/,
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

/** Every other figure with a result, in a state of its own, and what its tables are called. */
const figures = {
  'bug-gallery': {
    link: 'bug.rows=2.5&bug.chosen=3.0.0.0.1.0.0.0.0.0.0.0&bug.open=2.5',
    calls: 0,
    programs: true,
    tables: Array.from({ length: 22 }, (_, at) => (at % 2 ? /: right$/ : /: wrong$/)),
  },
  checks: {
    link: 'test.seed=3',
    tables: ['shapes', 'padding', 'recorded', /output of PyTorch/],
  },
  alignment: { link: 'align.t=4&align.s=6&align.first=2&align.seed=5', calls: 3 },
  broadcast: { link: 'cast.batch=2', calls: 0, programs: true, tables: ['shapes', /bare mask/] },
  cost: { link: 'cost.tokens=1000&cost.heads=3', calls: 0, programs: true, tables: ['count'] },
  cross: {
    link: 'cross.t=2&cross.s=6&cross.pin=output.1.2&cross.value=1,2,3;4,5,6;7,8,9;1,2,3;4,5,6;7,8,9',
  },
  'dot-product': { link: 'dot.q=1,2&dot.k=-1.5,0.5', tables: ['geometry'] },
  dropout: { link: 'drop.p=0.25&drop.seed=7', tables: ['mean of 1000 draws'] },
  'finite-mask': { link: 'finite.in=float16', calls: 2 },
  'mask-order': { link: 'order.add=2000', calls: 2, tables: [/zeros/, /sums/] },
  'mask-painter': {
    link: 'mask.m=keys:8,left:2,rules:causal+window+padding,paint:4.1+4.2+4.3+4.4',
  },
  'nan-repair': {
    link: 'nan.enter=filled',
    calls: 1,
    tables: ['late', 'early'].flatMap((way) =>
      ['Softmax', 'Weights', 'Output', 'Scores', 'Key', 'Value'].map((part) => `^${way}${part}$`),
    ),
  },
  'online-softmax': { link: 'online.row=3&online.tile=2', tables: ['query 3 in tiles of 2'] },
  overflow: { link: 'exp.x=89,88,80&exp.t=bfloat16', tables: ['textbook, bfloat16'] },
  polarity: { link: 'true.bits=0110011001100110', calls: 2 },
  precision: {
    link: 'half.c=80',
    calls: 0,
    programs: true,
    tables: ['float16', /first/, 'float32'],
  },
  projection: { link: 'xw.n=5&xw.pin=output.1.2&xw.role=key' },
  'scaling-lab': {
    link: 'lab.mode=uniform&lab.d=32&lab.seed=3&lab.keys=4&lab.n=50',
    calls: 2,
    tables: [/variance/, /scaled/, /entropy/, /scaled/],
  },
  sentence: { link: 'it.asks=3&it.causal=1&it.hide=2' },
  'shape-flow': {
    link: 'shape.tokens=6&shape.mode=single',
    calls: 0,
    programs: true,
    tables: ['shapes'],
  },
};

/** A CSV's lines as fields; a quoted field may hold commas. */
const fieldsOf = (csv) =>
  csv
    .trimEnd()
    .split('\n')
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
        .slice(0, -1)
        .map(([, field]) => field.replace(/^"|"$/g, '').replaceAll('""', '"')),
    );

/** JSON's names of what it has no numbers for. */
const numbers = (rows) => rows.map((row) => row.map(Number));

for (const [name, { link, calls = 1, programs: isCode = calls > 0, tables = [] }] of Object.entries(
  figures,
)) {
  test(`${name}: what is saved is what the core gives, runs, and loads again`, async () => {
    const tag = `attention-${name}`;
    const wake = async (page) => {
      await page.locator(tag).scrollIntoViewIfNeeded();
      await page.locator(`${tag}[data-live]`).waitFor({ state: 'attached' });
      await page.locator(`${tag} [aria-busy="true"]`).waitFor({ state: 'detached' });
    };
    const paths = {};
    let shown;
    await onPage(
      `en/#${link}`,
      async (page) => {
        await wake(page);
        const menu = page.locator(`${tag} details.export`);
        await menu.locator('summary').click();
        const there = await menu.locator('.formats button').allInnerTexts();
        const expected = isCode ? formats : formats.slice(0, 4);
        assert.deepEqual(there, [...expected, 'Copy link', 'Copy frame for a page']);
        for (const format of expected) paths[format] = await save(page, format, tag);
        shown = await page.locator(`${tag} .figure`).innerText();

        const svg = readFileSync(paths.SVG, 'utf8');
        const drawn = await page.evaluate((text) => {
          const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
          if (parsed.querySelector('parsererror')) return [];
          return [...parsed.querySelectorAll('text')].map((node) => node.textContent);
        }, svg);
        const cells = await page.locator(`${tag} td.cell:visible`).allInnerTexts();
        const missing = cells.map((text) => text.trim()).filter((text) => !drawn.includes(text));
        assert.deepEqual(missing, []);
        assert.ok(drawn.length > 5, `${drawn.length} texts`);
        assert.equal(readFileSync(paths.PNG).toString('latin1', 1, 4), 'PNG');
      },
      { ready: wake },
    );

    const whole = JSON.parse(readFileSync(paths.JSON, 'utf8'));
    const fields = fieldsOf(readFileSync(paths.CSV, 'utf8'));
    const rowsIn = (matrix) =>
      fields.filter(([first]) => first === matrix).map((row) => row.slice(2));
    assert.equal(whole.figure, tag);
    assert.equal(whole.calls.length, calls);
    for (const call of whole.calls) {
      const { query, key, value } = call.inputs;
      const given = [query, key, value].map((rows) => tensor(rows, call.dtype ?? 'float64'));
      const explained = attention.explain(...given, call.options);
      // Of float16 what its own arithmetic gives.
      const { steps } = explained.unwidened ?? explained;
      for (const step of ['scores', 'scaled', 'masked', 'weights', 'dropped', 'output']) {
        if (!steps[step]) continue;
        const core = toNested(steps[step]);
        assert.deepEqual(numbers(call.expected[step]), core, `${call.name} ${step}`);
        const matrix = call.name ? `${call.name}: ${step}` : step;
        assert.deepEqual(numbers(rowsIn(matrix)), core, `CSV ${matrix}`);
      }
    }
    assert.equal(whole.tables.length, tables.length);
    for (const [index, table] of whole.tables.entries()) {
      assert.match(table.name, new RegExp(tables[index]));
      assert.deepEqual(
        rowsIn(table.name),
        table.rows.map((row) => row.map(String)),
      );
    }
    if (calls > 0 && !(name in ownPrograms)) {
      const printed = run(paths.JavaScript)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        printed,
        // What JSON has no numbers for prints as null.
        JSON.parse(JSON.stringify(whole.calls.map(({ expected }) => numbers(expected.output)))),
      );
      checkPython(paths);
      checkCpp(paths['C++']);
    } else if (isCode) {
      run(paths.JavaScript);
      checkPython(paths, /^ *assert /m);
      checkCpp(paths['C++']);
    }

    await onPage(
      'en/',
      async (page) => {
        await wake(page);
        const menu = page.locator(`${tag} details.export`);
        await menu.locator('summary').click();
        await menu.locator('input[type="file"]').setInputFiles(paths.JSON);
        await menu
          .getByRole('status')
          .filter({ hasText: `${tag}.json opened` })
          .waitFor();
        await wake(page); // what it computes anew
        const without = (text) => text.replace(/^.*(saved|opened)\.$/m, '');
        const again = await page.locator(`${tag} .figure`).innerText();
        assert.equal(without(again), without(shown));
        assert.equal(decodeURIComponent(new URL(page.url()).hash.slice(1)), link);
      },
      { ready: wake },
    );
  });
}

/** Of the figures whose programs repeat no call: states, and what makes their programs wrong. */
const ownPrograms = {
  'bug-gallery': [
    ['', [/0\.466\d+/, '0.4662']],
    ['bug.rows=2', [/(?<=0\.1, )0\.9/, '0.8']],
  ],
  broadcast: [
    ['', [/1, 2\b/, '2, 1'], [/'ambiguous'/, 'undefined']],
    ['cast.batch=1', [/0, 0, 0/, '0, 1, 0'], [/undefined\);/, "'ambiguous');"]],
    [
      'cast.batch=4&cast.queries=1',
      [/= 4, 2, 1,/, '= 4, 2, 4,'],
      [/'\w+'\);/, "'x');"],
      [/queries = 1/, 'queries = 4'],
    ],
    [
      'cast.batch=2&cast.keys=1',
      [/= 2, 2, 3,/, '= 2, 2, 2,'],
      [/'\w+'\);/, "'x');"],
      [/queries = 3/, 'queries = 2'],
    ],
  ],
  checks: [
    ['', [/(?<=recorded = [^-]*)-0\.1766/, '-0.1767']],
    ['test.seed=7', [/(?<=expected_plain = [^-]*-?)0\.\d/, '9.9']],
    ['test.seed=8', [/(?<=expected_padded = [^-]*-?)0\.\d/, '9.9']],
  ],
  cost: [
    ['', [/805306368/, '805306369']],
    ['cost.batch=63&cost.heads=127&cost.tokens=99999&cost.width=251', [/63\b/, '64']],
  ],
  'shape-flow': [
    ['shape.heads=4', [/\b2, 4, 4, 4\b/g, '2, 4, 4, 5'], [/"scores": \[\n\s+2/, '"scores": [3']],
    [
      'shape.mode=single&shape.dk=3&shape.dv=6',
      [/(?<=Shape\{|== \()4, 6/g, '4, 7'],
      [/4,\s+6\s+\]/, '4, 7]'],
    ],
    [
      'shape.mode=check&shape.k=2.2.5.8&shape.v=2.2.5.6',
      [/\b2, 4, 3, 6\b/g, '2, 4, 3, 7'],
      [/2,4,3,6/, '2,4,3,7'],
    ],
    [
      'shape.mode=check&shape.m=2.5',
      [/== (False|false)/, '== True'],
      [/True\);/, 'true);'],
      [/"ambiguous"/, '"shape"'],
    ],
    [
      'shape.mode=check&shape.m=none&shape.v=2.4.3.6',
      [/== (False|false)/, '== True'],
      [/True\);/, 'true);'],
      [/"shape"/, '"rank"'],
    ],
  ],
  precision: [
    ['half.c=20', [/\b25600\b/, '25616']],
    ['', [/(?<=[[{])(Infinity|float\('inf'\)|HUGE_VALF)/, '65504']],
    ['half.c=300', [/5760000/, '5760001']],
    ['half.c=2049', [/33554432/, '33554436']],
    ['half.c=70000', [/\b39199973376\b/, '39199981568']],
    ['half.c=1e20', [/(?<=float32.*[[{])(Infinity|float\('inf'\)|HUGE_VALF)/, '1']],
  ],
};

/** Runs a program to its end. */
const runners = {
  NumPy: (path) => numpy && execFileSync(numpy, [path], { stdio: 'pipe' }),
  JavaScript: (path) => execFileSync(process.execPath, [path], { cwd: root, stdio: 'pipe' }),
  'C++': (path) => {
    const flags = ['-std=c++20', '-Wall', '-Wextra', '-Werror', '-I', 'src'];
    execFileSync('c++', [...flags, path, '-o', `${path}.out`], { cwd: root, stdio: 'pipe' });
    return execFileSync(`${path}.out`, { stdio: 'pipe' });
  },
};

for (const [name, states] of Object.entries(ownPrograms)) {
  test(`${name}: its programs run, in every kind of state, and fail with another number`, async () => {
    const tag = `attention-${name}`;
    for (const [link, ...faults] of states) {
      const paths = {};
      await onPage(
        `en/?embed=1&figure=${name}#${link}`,
        async (page) => {
          for (const format of programs) paths[format] = await save(page, format, tag);
        },
        { ready: (page) => page.locator(`${tag}[data-live]`).waitFor() },
      );
      checkPython(paths, /^ *assert /m);
      for (const [language, runProgram] of Object.entries(runners)) {
        runProgram(paths[language]);
        const text = readFileSync(paths[language], 'utf8');
        const changed = faults.reduce((whole, fault) => whole.replace(...fault), text);
        assert.notEqual(changed, text, `${language} ${link}`);
        writeFileSync(paths[language], changed);
        if (language === 'NumPy' && !numpy) continue;
        assert.throws(() => runProgram(paths[language]), undefined, `${language} ${link}`);
      }
    }
  });
}

/** Figures on a case of their own, at a step and in a way of telling that are not the first. */
const ownCases = {
  retrieval: 'fruit.s=2&fruit.story=library&fruit.pin=scores.1.2',
  'causal-steps': 'causal.s=2&causal.pin=masked.2.2',
};

for (const [name, link] of Object.entries(ownCases)) {
  test(`${name}: its step comes back with its case`, async () => {
    const tag = `attention-${name}`;
    const ready = (page) => page.locator(`${tag}[data-live]`).waitFor();
    const address = `en/?embed=1&figure=${name}`;
    let path;
    await onPage(
      `${address}#${link}`,
      async (page) => {
        path = await save(page, 'JSON', tag);
      },
      { ready },
    );
    await onPage(
      address,
      async (page) => {
        const menu = page.locator(`${tag} details.export`);
        await menu.locator('summary').click();
        await menu.locator('input[type="file"]').setInputFiles(path);
        await menu.getByRole('status').filter({ hasText: 'opened' }).waitFor();
        const said = new URL(page.url()).hash.slice(1).split('&');
        assert.deepEqual(said.sort(), link.split('&').sort());
      },
      { ready },
    );
  });
}

/** Figures that are prose: what a teacher takes along of them. */
const prose = {
  cards: [
    'cards.open=2.3',
    10,
    ['# Review cards', /^## What is the core formula\?\n\n\$\\operatorname\{softmax\}/m],
  ],
  quiz: [
    'quiz.chosen=1.2.0.0.0',
    5,
    [
      /^# Questions\n\n## 1\. What does each of Query, Key and Value do\?\n\n- \[ \] A\. All three/,
      /^# Model answer\n\n## 1\. .*\n\n\*\*B\.\*\* The Query says/m,
      /^- A\. ✗ .*Only two of them are ever compared\.$/m,
      /\$q_i\\cdot k_j\$ decides the weight \$A_\{ij\}\$/,
    ],
  ],
};

for (const [name, [link, count, patterns]] of Object.entries(prose)) {
  test(`${name}: saved as Markdown and as tables, and opened again`, async () => {
    const tag = `attention-${name}`;
    const ready = (page) => page.locator(`${tag}[data-live]`).waitFor({ state: 'attached' });
    const address = `en/?embed=1&figure=${name}`;
    const paths = {};
    await onPage(
      `${address}#${link}`,
      async (page) => {
        const menu = page.locator(`${tag} details.export`);
        await menu.locator('summary').click();
        const there = await menu.locator('.formats button').allInnerTexts();
        const code = name === 'quiz' ? programs : [];
        assert.deepEqual(there.slice(0, -2), ['CSV', 'JSON', 'Markdown', ...code]);
        for (const format of there.slice(0, -2)) paths[format] = await save(page, format, tag);
      },
      { ready },
    );
    const text = readFileSync(paths.Markdown, 'utf8');
    for (const pattern of patterns) assert.match(text, new RegExp(pattern));
    assert.doesNotMatch(text, /undefined|null|\n\n\n/);
    const lines = fieldsOf(readFileSync(paths.CSV, 'utf8'));
    assert.equal(lines.length, count + 1);
    for (const line of lines) assert.equal(line.length, lines[0].length, line.join());
    await onPage(
      address,
      async (page) => {
        const menu = page.locator(`${tag} details.export`);
        await menu.locator('summary').click();
        await menu.locator('input[type="file"]').setInputFiles(paths.JSON);
        await menu.getByRole('status').filter({ hasText: 'opened' }).waitFor();
        assert.equal(new URL(page.url()).hash, `#${link}`);
      },
      { ready },
    );
    if (!paths.JavaScript) return;
    // The programs of its checks run, and fail where one of them does not hold.
    checkPython(paths, /^ *assert /m);
    for (const [language, ...faults] of [
      ['JavaScript', [/explain\(query, key, other\)/, 'explain(query, other, value)']],
      ['JavaScript', [/scale: 1 /, 'scale: 0.5 ']],
      ['JavaScript', [/under\('causal', before\)/, "under('causal')"]],
      ['NumPy', [/entropy\(1\.0\)/, 'entropy(0.5)']],
      [
        'C++',
        [/key\[3\]\[l\]/, 'key[2][l]'],
        [/average\(mixed, shuffled\(value\)\)/, 'average(mixed, value)'],
        [/entropy\(1\)/, 'entropy(0.5)'],
        [/of_filler\(under\(2, 5\)\)/, 'of_filler(under(0, 5))'],
      ],
    ]) {
      if (language === 'NumPy' && !numpy) continue;
      runners[language](paths[language]);
      const whole = readFileSync(paths[language], 'utf8');
      for (const fault of faults) {
        assert.match(whole, fault[0]);
        writeFileSync(paths[language], whole.replace(...fault));
        assert.throws(() => runners[language](paths[language]), undefined, String(fault[0]));
      }
      writeFileSync(paths[language], whole);
    }
  });
}

test('a figure of settings refuses what is not its own, and changes nothing', async () => {
  await onPage('en/#drop.seed=3', async (page) => {
    const figure = page.locator('attention-dropout');
    await figure.scrollIntoViewIfNeeded();
    const menu = figure.locator('details.export');
    await menu.locator('summary').click();
    const open = async (whole, pattern) => {
      const buffer = Buffer.from(typeof whole === 'string' ? whole : JSON.stringify(whole));
      const file = { name: 'a.json', mimeType: 'application/json', buffer };
      await menu.locator('input[type="file"]').setInputFiles(file);
      await menu.getByRole('status').filter({ hasText: pattern }).waitFor();
    };
    await open('{', /It is not JSON, or only a part of one/);
    await open([1], /\{ … \} is missing/);
    await open(
      { figure: 'attention-cost', settings: {} },
      /saved by another figure, “Cost calculator”, and can be opened there/,
    );
    await open({ figure: 'attention-dropout', settings: { p: 1 } }, /settings\.p/);
    assert.match(page.url(), /#drop\.seed=3$/);
  });
});
