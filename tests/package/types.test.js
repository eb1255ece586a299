// The package's types, as a strict consumer meets them: right calls compile, wrong ones do not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'attention-wasm';
import { project, root } from './packed.js';

const folder = project('types');
const types = join(folder, 'node_modules/attention-wasm/dist');

/** What strict TypeScript says about a consumer, line by line. */
function compile(moduleResolution) {
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
  cpSync(new URL('consumer.ts', import.meta.url), join(folder, 'main.ts'));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['main.ts'] }),
  );
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder],
    { cwd: folder, encoding: 'utf8' },
  );
  return { status, stdout };
}

for (const resolution of ['node16', 'bundler']) {
  test(`right calls compile and wrong ones do not, moduleResolution ${resolution}`, () => {
    assert.deepEqual(compile(resolution), { status: 0, stdout: '' });
  });
}

test('every setting has a doc comment that editors show', () => {
  const settings = {
    load: ['LoadOptions'],
    'worker-client': ['WorkerOptions', 'CallSettings'],
    attention: ['CallOptions', 'TraceOptions', 'LoadInfo', 'MemoryUse'],
    cache: ['CacheShape'],
    mask: ['MaskShape'],
    tensor: ['Tensor'],
  };
  for (const [file, names] of Object.entries(settings)) {
    const text = readFileSync(join(types, `${file}.d.ts`), 'utf8');
    for (const name of names) {
      const [, body] = text.match(new RegExp(`interface ${name}\\b[^]*?\\{\n([^]*?)\n\\}`));
      const lines = body.split('\n');
      const properties = lines.filter((line) => /^ {4}(readonly )?\w+\??: /.test(line));
      assert.ok(properties.length > 0, name);
      for (const property of properties) {
        assert.match(lines[lines.indexOf(property) - 1], /\*\/$/, `${name}: ${property}`);
      }
    }
  }
});

test('every option and mask rule has a doc comment that editors show', async () => {
  const attention = await load({ threads: 1 });
  const { options, masks } = attention.describe();
  const text = readFileSync(join(types, 'generated/options.d.ts'), 'utf8');
  for (const { name, doc } of options) {
    assert.match(text, new RegExp(`\\* ${escape(doc)}[^]*?\\*/\\s*readonly ${name}\\?:`));
  }
  for (const { kind, doc, fields } of masks) {
    assert.ok(text.includes(`when ${doc}`), kind);
    for (const field of fields) assert.ok(text.includes(field.doc), `${kind}.${field.name}`);
  }
  attention.dispose();
});

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
