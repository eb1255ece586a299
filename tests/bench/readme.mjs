// Writes what was measured into README.md and README.zh.md, between the marks of its place.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Puts text('en') and text('zh') between <!-- mark --> and <!-- /mark -->. */
export async function writeIntoReadme(mark, text) {
  const files = { 'README.md': text('en'), 'README.zh.md': text('zh') };
  for (const [name, table] of Object.entries(files)) {
    const path = join(root, name);
    const [begin, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
    const [before, rest] = readFileSync(path, 'utf8').split(begin);
    const after = rest?.split(end)[1];
    if (after === undefined) throw new Error(`${name} has no ${begin} … ${end}`);
    const changed = `${before}${begin}\n\n${table}\n\n${end}${after}`;
    const config = { ...(await resolveConfig(path)), filepath: path };
    writeFileSync(path, await format(changed, config));
  }
}
