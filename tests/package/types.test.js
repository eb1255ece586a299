// The package's types, as a strict consumer meets them: right calls compile, wrong ones do not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { load } from 'attention-wasm';
import { project, root } from './packed.js';

const folder = project('types');

/** What strict TypeScript says about a module, line by line. */
function compile(source, moduleResolution) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    module: moduleResolution === 'bundler' ? 'esnext' : 'node16',
    moduleResolution,
    types: [],
  };
  writeFileSync(join(folder, 'main.ts'), source);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['main.ts'] }),
  );
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder],
    { cwd: folder, encoding: 'utf8' },
  );
  return stdout.trim().split('\n').filter(Boolean);
}

const right = `
  import { AttentionError, load, tensor, toNested, windowOfSize } from 'attention-wasm';
  import type { Attention, AttentionOptions, MaskRule, Tensor } from 'attention-wasm';
  import { readTensors } from 'attention-wasm/files';

  using attention: Attention = await load({ threads: 'auto', simd: 'auto' });
  const query: Tensor = { shape: [1, 2], data: new Float32Array(2) };
  const bits: Tensor = { shape: [1, 2], data: new Uint16Array(2), dtype: 'bfloat16', strides: [2, 1] };
  const rules: readonly MaskRule[] = [
    'causal',
    windowOfSize(4),
    { kind: 'lengths', keys: [3] },
    { kind: 'padding', blocked: tensor([[true, false]]) },
    { kind: 'padding', blocked: [[true, false]] },
    { kind: 'any', of: ['causal', { kind: 'not', of: { kind: 'global', tokens: [0] } }] },
    { kind: 'function', allows: (b, h, i, j) => j <= i },
  ];
  const options: AttentionOptions = {
    scale: 1, mask: rules, start: 'bottom-right', dropout: { p: 0.1, seed: 1n },
    returns: ['lse', 'weights'], weightsFor: { heads: [0] }, bias: [[0, 1]], alibi: [0.5],
  };
  const { output, lse, weights, info } = attention.scaledDotProductAttention(query, query, bits, options);
  const first: number = output.data[0]! + (lse?.data[0] ?? 0) + (weights?.data[0] ?? 0) + info.threads;
  const { steps } = attention.explain(query, query, query);
  const scores: number[] = steps.scores.shape;
  const capped: number[] | undefined = steps.capped?.shape;
  const ranges: [number, number][] = attention.mask('causal', { queries: 1, keys: 1 }).rowRanges(0, 0, 0);
  toNested(output);
  const stored: Tensor | undefined = (await readTensors(new Uint8Array(8), 'q.npy')).get('q');
  try { attention.dispose(); } catch (error) {
    if (error instanceof AttentionError) console.log(error.code, error.argument, error.message);
  }
  console.log(first, scores, capped, ranges, attention.info.why, attention.memory().used, stored);
  export {};
`;

/** One wrong line each. */
const wrong = {
  'an unknown option': `attention.scaledDotProductAttention(t, t, t, { isCausal: true });`,
  'an unknown kind': `attention.scaledDotProductAttention(t, t, t, { mask: 'casual' });`,
  'an unknown field': `attention.scaledDotProductAttention(t, t, t, { mask: { kind: 'window', size: 3 } });`,
  'a missing field': `attention.scaledDotProductAttention(t, t, t, { mask: { kind: 'lengths' } });`,
  'a bare boolean mask': `attention.scaledDotProductAttention(t, t, t, { mask: tensor([[true]]) });`,
  'a wrong type': `attention.scaledDotProductAttention(t, t, t, { scale: '1' });`,
  'an unknown dtype': `tensor([1], 'int8');`,
  'integers as query': `attention.scaledDotProductAttention({ shape: [1, 1], data: new Int32Array(1) }, t, t);`,
  'an unknown load option': `await load({ workers: 2 });`,
};

for (const resolution of ['node16', 'bundler']) {
  test(`right calls compile, moduleResolution ${resolution}`, () => {
    assert.deepEqual(compile(right, resolution), []);
  });
}

for (const resolution of ['node16', 'bundler']) {
  describe(`wrong calls do not compile, moduleResolution ${resolution}`, () => {
    const lines = Object.values(wrong);
    const prelude = `import { load, tensor } from 'attention-wasm'; const attention = await load(); const t = tensor([[1]]);`;
    const errors = compile([prelude, ...lines].join('\n'), resolution);
    Object.keys(wrong).forEach((name, at) => {
      test(name, () => {
        assert.ok(
          errors.some((error) => error.startsWith(`main.ts(${at + 2},`)),
          errors.join('\n'),
        );
      });
    });
  });
}

test('every option and mask rule has a doc comment that editors show', async () => {
  const attention = await load({ threads: 1 });
  const { options, masks } = attention.describe();
  const types = readFileSync(
    join(folder, 'node_modules/attention-wasm/dist/generated/options.d.ts'),
    'utf8',
  );
  for (const { name, doc } of options) {
    assert.match(types, new RegExp(`\\* ${escape(doc)}[^]*?\\*/\\s*readonly ${name}\\?:`));
  }
  for (const { kind, doc, fields } of masks) {
    assert.ok(types.includes(`when ${doc}`), kind);
    for (const field of fields) assert.ok(types.includes(field.doc), `${kind}.${field.name}`);
  }
  attention.dispose();
});

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
