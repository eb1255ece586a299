// The workbench's readers of texts and files, outside a browser, and what they say in both languages.
import assert from 'node:assert/strict';
import { readFile as readBytes } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = new URL('../../', import.meta.url);
const load = async (path) => (await runnerImport(fileURLToPath(new URL(path, root)))).module;
export const { readFile, readTexts } = await load('web/state/read-tensor.ts');
const { fill } = await load('web/state/words.ts');
const words = async (language) => {
  const path = new URL(`web/content/${language}/figures/workbench.json`, root);
  return JSON.parse(await readBytes(path, 'utf8')).errors;
};
const [en, zh] = await Promise.all(['en', 'zh'].map(words));

/** A tensor's rows as lists. */
export const rowsOf = ({ shape, data }) => {
  const [rows, columns] = shape;
  return Array.from({ length: rows }, (_, i) => [...data.slice(i * columns, (i + 1) * columns)]);
};
/** The only tensor of a file. */
export const one = ({ tensors }) => [...tensors.values()][0];

export const square = [
  [1, 2],
  [3, 4],
];

/** The sentence in both languages has everything it names, and the place. */
export function assertSaid(error, word, values) {
  assert.equal(error.word, word, `${error.word} ${JSON.stringify(error.values)}`);
  assert.deepEqual({ ...error.values }, values);
  for (const errors of [en, zh]) {
    const sentence = fill(errors[word], error.values);
    assert.doesNotMatch(sentence, /\{\w+\}/);
    for (const [name, value] of Object.entries(values)) {
      if (errors[word].includes(`{${name}}`)) assert.ok(sentence.includes(value), sentence);
      else assert.equal(name, 'name');
    }
  }
  return true;
}
