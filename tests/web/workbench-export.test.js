// What the workbench saves: data that loads again, programs that check themselves, pictures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toNested } from 'attention-wasm';
import { readTensors } from 'attention-wasm/files';
import { cells, file, onBench, says, seed, type } from './bench.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Inside the project, so that 'attention-wasm' is found by its name.
const folder = `${root}build/exported-bench`;
mkdirSync(folder, { recursive: true });

const small = ['SVG', 'PNG', 'CSV', 'JSON', '.npy of weights', '.safetensors'];
const programs = ['PyTorch', 'NumPy', 'JavaScript'];
const copies = ['Copy link', 'Copy frame for a page'];

async function offered(bench) {
  const menu = bench.locator('details.export');
  if ((await menu.getAttribute('open')) === null) await menu.locator('summary').click();
  return menu.getByRole('button').allInnerTexts();
}

/** Presses a button of the open menu and gives back the file's path. */
async function save(page, bench, format) {
  const coming = page.waitForEvent('download');
  await bench.locator('details.export').getByRole('button', { name: format, exact: true }).click();
  const download = await coming;
  const path = `${folder}/${download.suggestedFilename()}`;
  await download.saveAs(path);
  return path;
}

const run = (path) => execFileSync(process.execPath, [path], { cwd: folder, encoding: 'utf8' });

/** The cells that a Python program's rules allow, by plain Python in place of the library. */
function allowedBy(path, library) {
  const script = `
import bisect, json, re, sys

class Numbers(list):
    def reshape(self, *shape):
        return self[0]
    def __getitem__(self, at):
        for place in at if isinstance(at, tuple) else (at,):
            self = list.__getitem__(self, place)
        return self

class Library:
    int64 = bool = bool_ = None
    def array(self, numbers, dtype):
        return Numbers(numbers)
    tensor = array
    def isin(self, x, numbers):
        return x in numbers
    def clip(self, x, low, high):
        return max(low, min(x, high))
    def searchsorted(self, numbers, x, **side):
        return bisect.bisect_right(numbers, x)

text = open(sys.argv[1]).read()
# ~ turns bits of a bool of Python's over that arrays do not have
rule = re.search(r'^allowed = (.*)$', text, re.M)[1].replace('(~(', '(1 ^ (')
[rows, first] = re.search(r'^i = \\w+\\.arange\\((\\d+)\\)\\[:, None\\](.*)$', text, re.M).groups()
[columns] = re.search(r'^j = \\w+\\.arange\\((\\d+)\\)', text, re.M).groups()
first = eval(first or '0')
print(json.dumps([[bool(eval(rule, {sys.argv[2]: Library(), 'i': i + first, 'j': j}))
    for j in range(int(columns))] for i in range(int(rows))]))
`;
  return JSON.parse(execFileSync('python3', ['-c', script, path, library], { encoding: 'utf8' }));
}

const states = [
  'mask=causal~window.left.2~documents.starts.1.3&softcap=0.5&scale=2&dtype=float64',
  'mask=lengths.keys.3~global.tokens.2~strided.stride.2&start=2',
  'mask=dilated.left.1.right.1.dilation.2~prefix.length.1&start=0',
  'mask=lengths.keys.3.queries.2&alibi=paper&sinks=1',
  'mask=causal~window.left.1.right.0~or.global.tokens.1~not.strided.stride.3&alibi=0.5',
  'mask=documents.ids.5.5.-2.5~or.not.causal~blocks.size.2.layout.10;11&dtype=float16',
  'mask=not.window.left.0.right.0~prefix.length.2~or.not.prefix.length.1&dtype=bfloat16&softcap=2',
];

for (const state of states) {
  test(`workbench: programs agree with ${state}`, async () => {
    const fragment = `#${state.replace(/(^|&)/g, '$1bench.')}`;
    await onBench(
      async ({ page, bench }) => {
        assert.deepEqual(await offered(bench), [...small, ...programs, 'C++', ...copies]);
        const flags = ['-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Werror', '-I', 'src'];
        execFileSync('c++', [...flags, await save(page, bench, 'C++')], { cwd: root });
        assert.match(run(await save(page, bench, 'JavaScript')), /agrees/);
        const masked = await cells(bench, 'masked');
        const shown = masked.map((row) => row.map((text) => text !== '−∞'));
        for (const [format, library] of [
          ['PyTorch', 'torch'],
          ['NumPy', 'np'],
        ]) {
          const path = await save(page, bench, format);
          execFileSync('python3', ['-m', 'py_compile', path]);
          assert.match(
            readFileSync(path, 'utf8'),
            /^assert \w+\.allclose\(output, expected_output/m,
          );
          assert.deepEqual(allowedBy(path, library), shown, format);
        }
      },
      { state: fragment },
    );
  });
}

test('workbench: its JSON loads again, tensors, mask, expectation and options', async () => {
  let path;
  const mask = [0, 1, 0, 0].map((x, at) => [0, 0, 0, x].with(at, 1));
  const state =
    '#bench.mask=window.left.2&bench.meaning=allowed&bench.softcap=3&bench.stage=masked';
  await onBench(
    async ({ page, bench }) => {
      await type(bench, 'mask', JSON.stringify(mask));
      await type(bench, 'query', JSON.stringify(seed.Q).replace('0.11', 'NaN'));
      await type(bench, 'expected', JSON.stringify(seed.output_causal));
      await says(bench, /✗ The outputs differ first at \[1, 1\]/);
      await offered(bench);
      path = await save(page, bench, 'JSON');
    },
    { state },
  );
  await onBench(async ({ page, bench, give }) => {
    await give(file('saved.json', readFileSync(path)));
    await says(bench, /✗ The outputs differ first at \[1, 1\]/);
    assert.equal(new URL(page.url()).hash, state);
    assert.equal((await cells(bench, 'scores'))[0][0], 'NaN');
    await offered(bench);
    assert.equal(readFileSync(await save(page, bench, 'JSON'), 'utf8'), readFileSync(path, 'utf8'));
  });
});

test('workbench: .safetensors, .npy and CSV hold what is shown; dropout is the library’s own', async () => {
  await onBench(
    async ({ page, bench }) => {
      assert.deepEqual(await offered(bench), [...small, 'JavaScript', 'C++', ...copies]);
      await says(bench, 'No PyTorch or NumPy');
      assert.match(run(await save(page, bench, 'JavaScript')), /agrees/);
      const read = async (path) => readTensors(readFileSync(path), path);
      const saved = await read(await save(page, bench, '.safetensors'));
      assert.deepEqual([...saved.keys()], ['query', 'key', 'value', 'output']);
      const fixed = (rows) => rows.map((row) => row.map((x) => x.toFixed(2).replace('-', '−')));
      assert.deepEqual(fixed(toNested(saved.get('output'))), await cells(bench, 'output'));
      const [weights] = [...(await read(await save(page, bench, '.npy of weights'))).values()];
      assert.deepEqual(weights.shape, [4, 4]);
      const lines = readFileSync(await save(page, bench, 'CSV'), 'utf8').split('\n');
      assert.equal(lines[0], 'matrix,row,1,2,3,4');
      assert.ok(lines.includes(`weights,4,${toNested(weights)[3].join(',')}`));
      assert.ok(lines.some((line) => line.startsWith('dropped,1,')));
    },
    { state: '#bench.dropout=0.5&bench.seed=3' },
  );
});

test('workbench: of large tensors what makes sense, with programs that read them', async () => {
  await onBench(async ({ page, bench }) => {
    await bench.getByRole('button', { name: 'Random, 1024 tokens' }).click();
    await says(bench, 'Rows that may read nothing: 0 of 1,024.');
    const formats = [
      'PNG',
      'CSV',
      'JSON',
      '.npy of weights',
      '.safetensors',
      ...programs,
      ...copies,
    ];
    assert.deepEqual(await offered(bench), formats);
    await says(bench, 'No SVG: 1024×1024 cells');
    await save(page, bench, '.safetensors');
    const program = await save(page, bench, 'JavaScript');
    assert.ok(readFileSync(program, 'utf8').length < 2000);
    assert.match(run(program), /agrees/);
    const png = readFileSync(await save(page, bench, 'PNG'));
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1024, 1024]);
    const rows = readFileSync(await save(page, bench, 'CSV'), 'utf8')
      .trimEnd()
      .split('\n');
    assert.equal(rows.length, 1024);
    assert.equal(rows[1023].split(',').length, 1024);
  });
});
