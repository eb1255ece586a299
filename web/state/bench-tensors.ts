// What the workbench can start from, and which field a tensor of a file belongs to.
import example from '../examples/six-step.json';
import type { Matrix } from './case.js';
import { draws } from './random.js';
import type { GivenTensor } from './read-text.js';
import { slices } from './turns.js';
import { type Field, type Given, fields } from './bench-call.js';

/** Names that files give to what belongs in a field. */
const knownNames: Record<Field, RegExp> = {
  query: /(^|[^a-z])q(uery|ueries)?$/i,
  key: /(^|[^a-z])k(eys?)?$/i,
  value: /(^|[^a-z])v(alues?)?$/i,
  mask: /mask/i,
  bias: /bias/i,
  expected: /expect|^out(put)?s?$|weights?$|^attn$|^o$|^y$/i,
};
export const fieldOf = (name: string) => fields.find((field) => knownNames[field].test(name));

const matrix = (rows: Matrix): GivenTensor => ({
  shape: [rows.length, rows[0]!.length],
  data: Float64Array.from(rows.flat()),
  dtype: 'float64',
});
const { query, key, value } = example.inputs;
export const exampleGiven: Given = { query: matrix(query), key: matrix(key), value: matrix(value) };
const textOf = (rows: Matrix) => `[${rows.map((row) => `[${row.join(', ')}]`).join(',\n ')}]`;
export const exampleTexts = { query: textOf(query), key: textOf(key), value: textOf(value) };

/** Two heads of 1024 tokens. */
export function* randomGiven(): Generator<void, Given> {
  const shape = [1, 2, 1024, 64];
  const given: Given = {};
  for (const [at, field] of (['query', 'key', 'value'] as const).entries()) {
    const next = draws('normal', at + 1);
    const data = new Float64Array(shape.reduce((a, b) => a * b));
    yield* slices(data.length, (from, to) => {
      for (let index = from; index < to; ++index) data[index] = next();
    });
    given[field] = { shape, data, dtype: 'float64' };
  }
  return given;
}
