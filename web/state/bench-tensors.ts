// What the workbench can start from, and which field a tensor of a file belongs to.
import example from '../examples/six-step.json';
import { type Case, type Matrix, sizeOf } from './case.js';
import { draws } from './random.js';
import type { GivenTensor } from './read-text.js';
import { slices } from './turns.js';
import type { Field, Given } from './bench-call.js';

/**
 * Names that files give to what belongs in a field, the clearest first: `q`, `my_keys`, `v_f16`, but no
 * weights of a projection.
 */
const knownNames: readonly (readonly [Field, RegExp])[] = [
  ['expected', /expect|(^|[^a-z])(attn_|attention_)?weights$|^out(put)?s?$|^attn$|^o$|^y$/i],
  ['mask', /mask/i],
  ['bias', /bias$/i],
  ['query', /(^|[^a-z])q(uery|ueries)?(?![a-z]|_?proj)/i],
  ['key', /(^|[^a-z])k(eys?)?(?![a-z]|_?proj)/i],
  ['value', /(^|[^a-z])v(alues?)?(?![a-z]|_?proj)/i],
];
export const fieldOf = (name: string) => knownNames.find(([, known]) => known.test(name))?.[0];

const matrix = (rows: Matrix): GivenTensor => ({
  shape: [rows.length, rows[0]!.length],
  data: Float64Array.from(rows.flat()),
  dtype: 'float64',
});
const { query, key, value } = example.inputs;
export const exampleGiven: Given = { query: matrix(query), key: matrix(key), value: matrix(value) };
const textOf = (rows: Matrix) => `[${rows.map((row) => `[${row.join(', ')}]`).join(',\n ')}]`;
/** Q, K and V of a case of the page's, and as a reader would type them. */
export function ofCase({ query, key, value }: Pick<Case, 'query' | 'key' | 'value'>) {
  const three = { query, key, value };
  const map = <Made>(make: (rows: Matrix) => Made) =>
    Object.fromEntries(Object.entries(three).map(([field, rows]) => [field, make(rows)]));
  return { given: map(matrix) as Given, texts: map(textOf) as Record<Field, string> };
}

/** The page's case with these numbers; undefined where they are none of its shape. */
export function caseWith(given: Given, of: Case): Case | undefined {
  const rows: Partial<Record<'query' | 'key' | 'value', Matrix>> = {};
  for (const name of ['query', 'key', 'value'] as const) {
    const [count, width] = sizeOf(of[name]);
    const { shape = [], data } = given[name] ?? {};
    const isAlike = shape.length >= 2 && shape.slice(-2).join() === `${count},${width}`;
    if (!isAlike || data!.length !== count * width || !data!.every(Number.isFinite))
      return undefined;
    rows[name] = Array.from({ length: count }, (_, i) =>
      Array.from(data!.subarray(i * width, (i + 1) * width)),
    );
  }
  return { ...of, ...rows };
}
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
