// The workbench's call as a program that checks itself, with its numbers in it or read from the
// .safetensors file beside it.
import type { AttentionOptions } from 'attention-wasm';
import { slopesOf } from '../state/bench-call.js';
import {
  type FieldName,
  type RuleKind,
  type Meaning,
  type Settings,
  maskRules,
} from '../state/bench-settings.js';

/** What a program needs to know of the call. */
export interface Program {
  settings: Settings;
  /** As the library was given them: scale, softcap, ALiBi, sinks, dropout, start. */
  options: AttentionOptions;
  queries: number;
  keys: number;
  width: number;
  heads: number;
  kvHeads: number;
  /** Of the mask that was brought; undefined without one. */
  meaning: Meaning | undefined;
  /** The tensors as literals by name, or nothing where the program reads them. */
  literals: Readonly<Record<string, string>> | null;
}

export const FILE = 'attention-workbench.safetensors';
const title =
  'Scaled dot-product attention as the workbench was set; fails where the output differs.';

/** What PyTorch and NumPy call the same things. */
interface Dialect {
  name: string;
  imports: string;
  load: string;
  array: (literal: string, dtype: string) => string;
  repeat: (name: string, times: number) => string;
  documents: (starts: string, of: string) => string;
  softmax: string;
  /** The same with a sink beside the keys. */
  sunkSoftmax: string;
  isFloat32: boolean;
}

const torch: Omit<Dialect, 'isFloat32'> = {
  name: 'torch',
  imports: 'import torch',
  load: `from safetensors.torch import load_file`,
  array: (literal, dtype) => `torch.tensor(${literal}, dtype=torch.${dtype})`,
  repeat: (name, times) => `${name}.repeat_interleave(${times}, dim=1)`,
  documents: (starts, of) => `torch.searchsorted(${starts}, ${of}, right=True)`,
  softmax: `weights = torch.where(empty, 0.0, torch.softmax(masked, dim=-1))`,
  sunkSoftmax: `sink = sinks.expand(masked.shape[0], -1, masked.shape[2], -1)
weights = torch.softmax(torch.cat([masked, sink], dim=-1), dim=-1)[..., :-1]
weights = torch.where(empty, 0.0, weights)`,
};
const numpy: Omit<Dialect, 'isFloat32'> = {
  name: 'np',
  imports: 'import numpy as np',
  load: `from safetensors.numpy import load_file`,
  array: (literal, dtype) => `np.array(${literal}, dtype=np.${dtype === 'bool' ? 'bool_' : dtype})`,
  repeat: (name, times) => `np.repeat(${name}, ${times}, axis=1)`,
  documents: (starts, of) => `np.searchsorted(${starts}, ${of}, side='right')`,
  softmax: `row_max = np.where(empty, 0.0, masked.max(-1, keepdims=True))
exponentials = np.exp(masked - row_max)
weights = exponentials / np.where(empty, 1.0, exponentials.sum(-1, keepdims=True))`,
  sunkSoftmax: `row_max = np.where(empty, 0.0, np.maximum(masked.max(-1, keepdims=True), sinks))
exponentials = np.exp(masked - row_max)
row_sum = exponentials.sum(-1, keepdims=True) + np.exp(sinks - row_max)
weights = exponentials / np.where(empty, 1.0, row_sum)`,
};

type Places = (name: FieldName) => readonly number[];

/** `i + 2`, `i - 2`, or `i` itself; by an array for numbers of the batch elements. */
const shifted = (text: string, by: number | string, sign = 1) => {
  if (by === 0) return text;
  const isBack = typeof by === 'string' ? sign < 0 : sign * by < 0;
  return `${text} ${isBack ? '-' : '+'} ${typeof by === 'string' ? by : Math.abs(by)}`;
};

/** Where a rule allows key j for the query at position i. */
function ruleText(
  kind: RuleKind,
  numbers: Places,
  first: number | string,
  { name, array, documents }: Dialect,
): string[] {
  const one = (field: FieldName) => numbers(field)[0];
  const list = (field: FieldName) => array(`[${numbers(field).join(', ')}]`, 'int64');
  const perBatch = (field: FieldName) =>
    numbers(field).length === 1 ? String(one(field)) : `${list(field)}.reshape(-1, 1, 1, 1)`;
  const side = (field: 'left' | 'right', text: (x: number) => string) => {
    const x = one(field);
    return x === undefined ? [] : [text(x)];
  };
  switch (kind) {
    case 'causal':
      return ['(j <= i)'];
    case 'window':
      return [
        ...side('left', (x) => `(j >= i - ${x})`),
        ...side('right', (x) => `(j <= i + ${x})`),
      ];
    case 'prefix':
      return [`((j < ${perBatch('length')}) | (j <= i))`];
    case 'lengths': {
      const isReal = `(j < ${perBatch('keys')})`;
      const row = shifted('i', first, -1);
      return numbers('queries').length > 0
        ? [isReal, `(${row} < ${perBatch('queries')})`]
        : [isReal];
    }
    case 'documents':
      return [`(${documents(list('starts'), 'i')} == ${documents(list('starts'), 'j')})`];
    case 'global':
      return [`(${name}.isin(i, ${list('tokens')}) | ${name}.isin(j, ${list('tokens')}))`];
    case 'strided':
      return [`((i - j) % ${one('stride')} == 0)`];
    case 'dilated': {
      const step = one('dilation')!;
      return [
        `((i - j) % ${step} == 0)`,
        ...side('left', (x) => `(i - j <= ${x * step})`),
        ...side('right', (x) => `(j - i <= ${x * step})`),
      ];
    }
  }
}

/** What the tensor that was brought says, by its meaning. */
const brought: Record<Exclude<Meaning, 'bias'>, string> = {
  blocked: '~mask',
  allowed: 'mask',
  padding: '~mask.reshape(-1, 1, 1, mask.shape[-1])',
  real: 'mask.reshape(-1, 1, 1, mask.shape[-1])',
};

function toPython(program: Program, dialect: Dialect): string {
  const { settings, options, queries, keys, width, heads, kvHeads, meaning, literals } = program;
  const { name, imports, load, array, repeat, softmax, sunkSoftmax, isFloat32 } = dialect;
  const dtype = isFloat32 ? 'float32' : 'float64';
  const isBias = meaning === 'bias';
  const names = ['query', 'key', 'value', ...(meaning ? ['mask'] : []), 'output'];
  const variable = (tensor: string) => (tensor === 'output' ? 'expected_output' : tensor);
  const given = names.map((tensor) => {
    const kind = tensor === 'mask' && !isBias ? 'bool' : dtype;
    const text = literals ? array(literals[tensor]!, kind) : `tensors['${tensor}']`;
    return `${variable(tensor)} = ${text}`;
  });
  const { start = 0, scale = 1 / Math.sqrt(width), softcap, sinks } = options;
  const slopes = slopesOf(settings, heads);
  const perHead = (of: ArrayLike<number>) =>
    `${array(`[${Array.from(of).join(', ')}]`, dtype)}.reshape(1, -1, 1, 1)`;
  const corners = { 'top-left': 0, 'bottom-right': keys - queries };
  const first =
    typeof start === 'string'
      ? corners[start]
      : typeof start === 'number'
        ? start
        : `${array(`[${Array.from(start).join(', ')}]`, 'int64')}.reshape(-1, 1, 1, 1)`;
  const rules = maskRules(settings.mask).flatMap((rule) => {
    const { kind, ...numbers } = rule as { kind: RuleKind } & Record<string, unknown>;
    return ruleText(kind, (field) => [numbers[field] ?? []].flat() as number[], first, dialect);
  });
  if (meaning && meaning !== 'bias') rules.push(brought[meaning]);
  const times = heads / kvHeads;
  const stages = [
    `scores = query @ key.swapaxes(-1, -2)`,
    `masked = scores * ${scale}`,
    ...(softcap === undefined ? [] : [`masked = ${softcap} * ${name}.tanh(masked / ${softcap})`]),
    ...(isBias ? ['masked = masked + mask'] : []),
    ...(slopes ? [`masked = masked - ${perHead(slopes)} * abs(i - j)`] : []),
    ...(rules.length > 0 ? [`masked = ${name}.where(allowed, masked, float('-inf'))`] : []),
  ];
  const positions = [
    `# Query number i stands at ${shifted('i', first)} on the key axis; both count from 0.`,
    `i = ${shifted(`${name}.arange(${queries})[:, None]`, first)}`,
    `j = ${name}.arange(${keys})[None, :]`,
    ...(rules.length > 0 ? [`allowed = ${rules.join(' & ')}`] : []),
  ];
  const isPlaced = rules.length > 0 || slopes !== undefined;
  const [relative, absolute] = isFloat32 ? ['1e-4', '1e-5'] : ['1e-9', '1e-12'];
  return `# ${title}
${[imports, ...(literals ? [] : [load, '', `tensors = load_file('${FILE}')`])].join('\n')}

${given.join('\n')}

# [T, d] and [H, T, d] as [B, H, T, d]
query, key, value = (x.reshape((1,) * (4 - x.ndim) + tuple(x.shape)) for x in (query, key, value))
${times > 1 ? `key, value = ${repeat('key', times)}, ${repeat('value', times)}\n` : ''}${isPlaced ? `\n${positions.join('\n')}\n` : ''}
${stages.join('\n')}
# a query that may read no key has weights 0
empty = ${name}.isneginf(masked).all(-1)[..., None]
${sinks ? `sinks = ${perHead(sinks)}\n${sunkSoftmax}` : softmax}
output = (weights @ value).reshape(tuple(expected_output.shape))

assert ${name}.allclose(output, expected_output, rtol=${relative}, atol=${absolute}, equal_nan=True), output
print('agrees')
`;
}

export const toPyTorch = (program: Program): string =>
  toPython(program, { ...torch, isFloat32: program.settings.dtype === 'float32' });
export const toNumPy = (program: Program): string =>
  toPython(program, { ...numpy, isFloat32: program.settings.dtype === 'float32' });

export function toJavaScript({ settings, options, meaning, literals }: Program): string {
  const { dtype, mask } = settings;
  const tensor = (name: string, kind: string = dtype) =>
    literals ? `tensor(${literals[name]}, '${kind}')` : `tensors.get('${name}')`;
  const rules = maskRules(mask).map((rule) => JSON.stringify(rule));
  const padding = { padding: 'blocked', real: 'allowed' } as const;
  if (meaning && meaning !== 'bias') {
    const [kind, field] =
      meaning === 'padding' || meaning === 'real'
        ? ['padding', padding[meaning]]
        : [meaning, 'mask'];
    rules.push(`{ kind: '${kind}', ${field}: mask }`);
  }
  const { scale, softcap, alibi, sinks, dropout, start } = options;
  const plain = Object.entries({ scale, softcap, alibi, sinks, dropout, start }).filter(
    ([, value]) => value !== undefined,
  );
  const set = [
    `mask: [${rules.join(', ')}]`,
    ...(meaning === 'bias' ? ['bias: mask'] : []),
    ...plain.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ];
  const read = `import { readFile } from 'node:fs/promises';
import { load } from 'attention-wasm';
import { readTensors } from 'attention-wasm/files';

const tensors = await readTensors(await readFile('${FILE}'), '${FILE}');`;
  const names = ['query', 'key', 'value'].map((name) => `const ${name} = ${tensor(name)};`);
  if (meaning) names.push(`const mask = ${tensor('mask', meaning === 'bias' ? dtype : 'bool')};`);
  const [relative, absolute] = dtype === 'float32' ? ['1e-4', '1e-5'] : ['1e-9', '1e-12'];
  return `// ${title}
${literals ? `import { load, tensor } from 'attention-wasm';` : read}

${names.join('\n')}
const expected = ${tensor('output')};

const attention = await load();
const { output } = attention.scaledDotProductAttention(query, key, value, {
${set.map((line) => `  ${line},\n`).join('')}});
const isClose = (a, b) => Object.is(a, b) || Math.abs(a - b) <= ${absolute} + ${relative} * Math.abs(b);
const at = output.data.findIndex((x, index) => !isClose(x, expected.data[index]));
if (at >= 0) throw new Error(\`element \${at} is \${output.data[at]}, expected \${expected.data[at]}\`);
console.log('agrees');
attention.dispose();
`;
}
