// The command line, as a person at a terminal and as a program meets it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { attention } from '../reference/attention.js';
import { exampleCall, examples } from '../reference/examples.js';
import { assertClose } from './compare.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
mkdirSync(join(root, 'build'), { recursive: true });
const folder = mkdtempSync(join(root, 'build/cli-'));
after(() => rmSync(folder, { recursive: true }));

function run(...words) {
  const program = join(root, 'dist/cli.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

/** What a command that succeeds prints. */
function printed(...words) {
  const { status, stdout, stderr } = run(...words);
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  return stdout;
}

function fails(status, message, ...words) {
  const result = run(...words);
  assert.equal(result.status, status, result.stderr);
  assert.equal(result.stdout, '');
  assert.match(result.stderr, message);
  assert.doesNotMatch(result.stderr, /\n {4}at /, 'no stack trace');
}

const given = (name, content) => {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};
const sixStep = 'web/examples/six-step.json';
const npz = 'tests/vectors/files/six-step.npz';
const numbers = (nested) =>
  [nested].flat(Infinity).map((x) => (typeof x === 'string' ? Number(x) : x));

test('explain: every worked example has the numbers that float64 gives', () => {
  for (const { name, ...example } of examples()) {
    const { steps, lse } = JSON.parse(printed('explain', `web/examples/${name}.json`, '--json'));
    const { query, key, value, options } = exampleCall(example);
    const exact = attention(query, key, value, options);
    const tolerance = (x) => Math.max(example.tolerance ?? 1e-6, Math.abs(x) * 2 ** -8);
    const within = example.dtype?.endsWith('16') ? tolerance : () => 1e-9;
    assert.deepEqual(Object.keys(steps), Object.keys(exact.steps), name);
    assertClose(numbers(lse), exact.lse.data, within, `${name}: lse`);
    for (const [step, { data }] of Object.entries(exact.steps)) {
      assertClose(numbers(steps[step]), data, within, `${name}: ${step}`);
    }
  }
});

test('explain prints tables with the names of the tokens', () => {
  const weights = printed('explain', sixStep, '--step', 'weights');
  assert.deepEqual(weights.trimEnd().split('\n'), [
    'weights: exponentials / rowSum; 0 where not allowed.',
    '          t1      t2      t3      t4',
    '  t1  1.0000  0.0000  0.0000  0.0000',
    '  t2  0.5998  0.4002  0.0000  0.0000',
    '  t3  0.3866  0.5145  0.0989  0.0000',
    '  t4  0.2946  0.4164  0.1099  0.1791',
  ]);
  assert.match(
    printed('explain', sixStep, '--step', 'masked'),
    /^ {2}t1 {2}-0\.2155 +-∞ +-∞ +-∞$/m,
  );
});

test('explain leaves out what is beyond the limit, and says so', () => {
  const text = printed('explain', sixStep, '--step', 'weights', '--limit', '2');
  assert.deepEqual(text.trimEnd().split('\n').slice(1), [
    '          t1      t2  … 2 more',
    '  t1  1.0000  0.0000         …',
    '  t2  0.5998  0.4002         …',
    '  … 2 more',
  ]);
  const all = printed('explain', sixStep, '--step', 'weights', '--limit', '0');
  assert.equal(all, printed('explain', sixStep, '--step', 'weights'));
});

test('explain names empty rows, and the rule that empties them', () => {
  const text = printed('explain', 'web/examples/padding-batch.json');
  assert.match(text, /no key may be read: batch 2, head 1, query 1 \(padding\)/);
  assert.match(text, /^query 2×1×3×4, key 2×1×5×4, value 2×1×5×3, float64, mask/);
});

test('explain reads .npz, .npy and .safetensors, several files together', () => {
  const step = (...words) => JSON.parse(printed('explain', ...words, '--json')).steps;
  const expected = step(sixStep);
  assert.deepEqual(step(npz), expected); // with the array `allowed`, which is what causal allows
  const options = given('options.json', { options: { scale: 0 } });
  assert.deepEqual(
    step(npz, options).scaled,
    [1, 2, 3, 4].map(() => [0, 0, 0, 0]),
  );
  assert.deepEqual(step(npz, options, '--options', '{"scale":0.5773502691896258}'), expected);

  const { inputs } = JSON.parse(readFileSync(join(root, sixStep)));
  const others = given('others.json', {
    inputs: { key: inputs.key, value: inputs.value },
    options: { mask: 'causal' },
    dtype: 'float32',
  });
  const float32 = step('tests/vectors/files/query.npy', others);
  assertClose(numbers(float32.output), numbers(expected.output), 1e-6, 'output');

  const named = given('named.json', {
    inputs: { a: inputs.query, b: inputs.key, c: inputs.value },
  });
  const chosen = step(named, '--query', 'a', '--key', 'b', '--value', 'c');
  assert.deepEqual(chosen.scores, expected.scores);
});

for (const language of ['en', 'zh']) {
  test(`the guide shows what is printed (${language})`, () => {
    const guide = readFileSync(join(root, `web/content/${language}/docs/07-terminal.md`), 'utf8');
    const blocks = (kind) => [
      ...guide.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms')),
    ];
    const [[, content]] = blocks('json');
    const file = given('case.json', content);
    const sessions = blocks('text').map(([, text]) => text.split(/^\$ npx attention-wasm (.*)\n/m));
    assert.equal(sessions.length, 2);
    for (const [, command, output] of sessions) {
      const words = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
      assert.equal(printed(...words.map((word) => (word === 'case.json' ? file : word))), output);
    }
  });
}

test('bench measures and prints a table', () => {
  const { threads, results } = JSON.parse(printed('bench', '--json', '--threads', '1'));
  assert.equal(threads, 1);
  assert.ok(results.length > 2);
  for (const { milliseconds, gflops } of results) assert.ok(milliseconds > 0 && gflops > 0);
  assert.match(
    printed('bench'),
    /milliseconds {2}GFLOP\/s\n {2}a short text +1×8×128×128×64 +[\d.]+/,
  );
});

test('info says which build runs here, and why', () => {
  const info = JSON.parse(printed('info', '--json', '--threads', '1', '--simd', 'baseline'));
  assert.equal(info.simd, 'baseline');
  assert.equal(info.threads, 1);
  assert.deepEqual(info.why, ['threads: one was asked for', 'simd: baseline was asked for']);
  assert.match(printed('info', '--simd', 'baseline'), /simd +baseline\n[^]*baseline was asked for/);
});

test('--help and --version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json')));
  const help = printed('--help');
  for (const word of ['explain', 'bench', 'info', '--step', '--json', '.safetensors']) {
    assert.ok(help.includes(word), word);
  }
  assert.equal(printed(), help);
  assert.equal(printed('explain', '-h'), help);
  assert.equal(printed('--version'), `${version}\n`);
});

test('a command that is not understood: exit code 2', () => {
  fails(2, /there is no command 'explian'; there are explain, bench, info/, 'explian');
  fails(2, /--help says what there is/, 'explian');
  fails(2, /explain needs a file/, 'explain');
  fails(
    2,
    /there is no step 'weight'; the steps are .*weights/,
    'explain',
    sixStep,
    '--step',
    'weight',
  );
  fails(2, /no step 'capped': .*softcap/, 'explain', sixStep, '--step', 'capped');
  fails(2, /--limit is 'ten'; give a whole number/, 'explain', sixStep, '--limit', 'ten');
  fails(2, /--colour/, 'explain', sixStep, '--colour');
  fails(2, /bench takes no --step/, 'bench', '--step', 'weights');
  fails(2, /info takes no file/, 'info', sixStep);
  fails(2, /threads is 0; give 'auto' or a whole number/, 'info', '--threads', '0');
  fails(2, /simd is 'avx'; give 'auto', 'relaxed' or 'baseline'/, 'info', '--simd', 'avx');
});

test('an input that is at fault: exit code 1', () => {
  const inputs = { query: [[1, 2]], key: [[1, 2]], value: [[1]] };
  const explain = (message, content, ...words) =>
    fails(1, message, 'explain', given('wrong.json', content), ...words);
  fails(1, /nowhere\.json: it cannot be read/, 'explain', 'nowhere.json');
  fails(1, /README\.md is neither a \.npy/, 'explain', 'README.md');
  explain(/it is no JSON/, '{');
  explain(/has to be a JSON object/, '[1]');
  explain(/key: no tensor of that name; there are: query. Choose with --key/, {
    inputs: { query: [[1]] },
  });
  explain(/wrong\.json: inputs\.query: it has to be an array/, {
    inputs: { ...inputs, query: 'x' },
  });
  explain(/wrong\.json: inputs\.query: .* element 1 is the string 'x'/, {
    inputs: { ...inputs, query: [[1, 'x']] },
  });
  explain(/wrong\.json: it has no place for 'optoins'; there is inputs, options/, {
    inputs,
    optoins: { mask: 'causal' },
  });
  explain(/mask: .* does not say what true means/, { inputs: { ...inputs, mask: [[1]] } });
  explain(/hidden: this tensor has no place/, { inputs: { ...inputs, hidden: [[1]] } });
  explain(/allowed: a mask holds 0 and 1, this one holds -3; /, {
    inputs: { ...inputs, allowed: [[-3]] },
  });
  explain(/head_dim 2 but query has head_dim 1/, { inputs: { ...inputs, query: [[1]] } });
  explain(/isCausal/, { inputs, options: { isCausal: true } });
  explain(/--options: it is no JSON/, { inputs }, '--options', 'causal');
  fails(1, /the tensor query is in another file too/, 'explain', npz, sixStep);
});
