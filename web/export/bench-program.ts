// The workbench's call as a program that checks itself, with its numbers in it or read from the
// .safetensors file beside it.
import type { AttentionOptions, Tensor } from 'attention-wasm';
import type { FloatType } from '../state/bench-numbers.js';

/** What a program needs to know of the call. */
export interface Program {
  /** As the library was given them. */
  options: AttentionOptions;
  dtype: FloatType;
  shapes: Readonly<Record<'query' | 'key' | 'value' | 'output', readonly number[]>>;
  batches: number;
  heads: number;
  kvHeads: number;
  queries: number;
  keys: number;
  width: number;
  /** ALiBi's, once or for each batch element. */
  slopes: readonly (readonly number[])[] | undefined;
  /** What was brought as the mask, and is among the rules. */
  mask: Tensor | undefined;
  bias: Tensor | undefined;
  /** The tensors as literals by name, or nothing where the program reads them. */
  literals: Readonly<Record<string, string>> | null;
}

export const FILE = 'attention-workbench.safetensors';
export const title =
  'Scaled dot-product attention as the workbench was set; fails where the output differs.';

/** How far outputs may be apart: relative, then absolute. */
export const closeness: Record<FloatType, readonly [relative: string, absolute: string]> = {
  float64: ['1e-9', '1e-12'],
  float32: ['1e-4', '1e-5'],
  float16: ['2e-3', '1e-3'],
  bfloat16: ['2e-2', '1e-2'],
};

export function toJavaScript({ options, dtype, mask, bias, literals }: Program): string {
  const tensor = (name: string, kind: string = dtype) =>
    literals ? `tensor(${literals[name]}, '${kind}')` : `tensors.get('${name}')`;
  /** Tensors among the options by the names of their variables. */
  const spelled = (value: unknown) =>
    JSON.stringify(value, (_, part: unknown) =>
      part === mask && mask ? '=mask' : part === bias && bias ? '=bias' : part,
    ).replace(/"=(mask|bias)"/g, '$1');
  const { mask: rules, bias: added, scale, softcap, alibi, sinks, dropout, start } = options;
  const set = Object.entries({
    mask: rules,
    bias: added,
    scale,
    softcap,
    alibi,
    sinks,
    dropout,
    start,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${spelled(value)}`);
  const read = `import { readFile } from 'node:fs/promises';
import { load, toNested } from 'attention-wasm';
import { readTensors } from 'attention-wasm/files';

const tensors = await readTensors(await readFile('${FILE}'), '${FILE}');`;
  const names = ['query', 'key', 'value'].map((name) => `const ${name} = ${tensor(name)};`);
  const biasType = dtype === 'float64' ? 'float64' : 'float32';
  if (mask) names.push(`const mask = ${tensor('mask', 'bool')};`);
  if (bias) names.push(`const bias = ${tensor('bias', biasType)};`);
  const [relative, absolute] = closeness[dtype];
  return `// ${title}
${literals ? `import { load, tensor, toNested } from 'attention-wasm';` : read}

${names.join('\n')}
const expected = ${tensor('output')};

const attention = await load();
const { output } = attention.scaledDotProductAttention(query, key, value, {
${set.map((line) => `  ${line},\n`).join('')}});
const isClose = (a, b) => Object.is(a, b) || Math.abs(a - b) <= ${absolute} + ${relative} * Math.abs(b);
const [found, wanted] = [output, expected].map((each) => [toNested(each)].flat(Infinity));
const at = found.findIndex((x, index) => !isClose(x, wanted[index]));
if (at >= 0) throw new Error(\`element \${at} is \${found[at]}, expected \${wanted[at]}\`);
console.log('agrees');
attention.dispose();
`;
}
