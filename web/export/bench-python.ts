// The workbench's call in PyTorch and in NumPy.
import type { MaskRule } from 'attention-wasm';
import { computedIn } from '../state/bench-numbers.js';
import { FILE, type Program, closeness, title } from './bench-program.js';
import { type Arrays, ruleText, shifted } from './bench-python-rules.js';

interface Dialect extends Arrays {
  imports: string;
  load: string;
  repeat: (name: string, times: number) => string;
  /** What a type is called; NumPy has no bfloat16, whose numbers float32 has all. */
  type: (dtype: string) => string;
  cast: (name: string, type: string) => string;
  softmax: string;
  /** The same with a sink beside the keys. */
  sunkSoftmax: string;
}

const torch: Dialect = {
  name: 'torch',
  imports: 'import torch',
  load: `from safetensors.torch import load_file`,
  array: (literal, dtype) => `torch.tensor(${literal}, dtype=torch.${dtype})`,
  type: (dtype) => dtype,
  cast: (name, type) => `${name}.to(torch.${type})`,
  repeat: (name, times) => `${name}.repeat_interleave(${times}, dim=1)`,
  count: (numbers, of) => `torch.searchsorted(${numbers}, ${of}, right=True)`,
  softmax: `weights = torch.where(empty, 0.0, torch.softmax(masked, dim=-1))`,
  sunkSoftmax: `sink = sinks.expand(masked.shape[0], -1, masked.shape[2], -1)
weights = torch.softmax(torch.cat([masked, sink], dim=-1), dim=-1)[..., :-1]
weights = torch.where(empty, 0.0, weights)`,
};
const numpy: Dialect = {
  name: 'np',
  imports: 'import numpy as np',
  load: `from safetensors.numpy import load_file`,
  array: (literal, dtype) => `np.array(${literal}, dtype=np.${dtype === 'bool' ? 'bool_' : dtype})`,
  type: (dtype) => (dtype === 'bfloat16' ? 'float32' : dtype),
  cast: (name, type) => `${name}.astype(np.${type})`,
  repeat: (name, times) => `np.repeat(${name}, ${times}, axis=1)`,
  count: (numbers, of) => `np.searchsorted(${numbers}, ${of}, side='right')`,
  softmax: `row_max = np.where(empty, 0.0, masked.max(-1, keepdims=True))
exponentials = np.exp(masked - row_max)
weights = exponentials / np.where(empty, 1.0, exponentials.sum(-1, keepdims=True))`,
  sunkSoftmax: `row_max = np.where(empty, 0.0, np.maximum(masked.max(-1, keepdims=True), sinks))
exponentials = np.exp(masked - row_max)
row_sum = exponentials.sum(-1, keepdims=True) + np.exp(sinks - row_max)
weights = exponentials / np.where(empty, 1.0, row_sum)`,
};

function toPython(program: Program, dialect: Dialect): string {
  const { options, dtype, queries, keys, width, heads, kvHeads, slopes, literals } = program;
  const { name, imports, load, array, type, cast, repeat, softmax, sunkSoftmax } = dialect;
  const [stored, computed] = [type(dtype), computedIn(dtype)];
  const kinds = {
    ...{ query: stored, key: stored, value: stored },
    ...(program.mask ? { mask: 'bool' } : {}),
    ...(program.bias ? { bias: computed } : {}),
    output: stored,
  };
  const given = Object.entries(kinds).map(([tensor, kind]) => {
    const text = literals ? array(literals[tensor]!, kind) : `tensors['${tensor}']`;
    return `${tensor === 'output' ? 'expected_output' : tensor} = ${text}`;
  });
  const { start = 0, scale = 1 / Math.sqrt(width), softcap, sinks } = options;
  const perHead = (lists: ArrayLike<number>[]) => {
    const texts = lists.map((list) => `[${Array.from(list).join(', ')}]`);
    return `${array(texts.length > 1 ? `[${texts.join(', ')}]` : texts[0]!, computed)}.reshape(${lists.length}, -1, 1, 1)`;
  };
  const corners = { 'top-left': 0, 'bottom-right': keys - queries };
  const first =
    typeof start === 'string'
      ? corners[start]
      : typeof start === 'number'
        ? start
        : `${array(`[${Array.from(start).join(', ')}]`, 'int64')}.reshape(-1, 1, 1, 1)`;
  const rules = (options.mask as readonly MaskRule[]).map((rule) =>
    ruleText(rule, { ...program, first, arrays: dialect }),
  );
  const times = heads / kvHeads;
  const stages = [
    `scores = query @ key.swapaxes(-1, -2)`,
    `masked = scores * ${scale}`,
    ...(softcap === undefined ? [] : [`masked = ${softcap} * ${name}.tanh(masked / ${softcap})`]),
    ...(program.bias ? ['masked = masked + bias'] : []),
    ...(slopes ? [`masked = masked - ${perHead([...slopes])} * abs(i - j)`] : []),
    ...(rules.length > 0 ? [`masked = ${name}.where(allowed, masked, float('-inf'))`] : []),
  ];
  const positions = [
    `# Query number i stands at ${shifted('i', first)} on the key axis; both count from 0.`,
    `i = ${shifted(`${name}.arange(${queries})[:, None]`, first)}`,
    `j = ${name}.arange(${keys})[None, :]`,
    ...(rules.length > 0 ? [`allowed = ${rules.join(' & ')}`] : []),
  ];
  const isPlaced = rules.length > 0 || slopes !== undefined;
  const isHalf = stored !== computed;
  const three = (text: string) => `query, key, value = (${text} for x in (query, key, value))`;
  const inputs = [
    '# [T, d] and [H, T, d] as [B, H, T, d]',
    three('x.reshape((1,) * (4 - x.ndim) + tuple(x.shape))'),
    ...(isHalf ? [`# widened before the dot product`, three(cast('x', computed))] : []),
    ...(times > 1 ? [`key, value = ${repeat('key', times)}, ${repeat('value', times)}`] : []),
  ];
  const [relative, absolute] = closeness[dtype];
  const found = isHalf ? cast(`${cast('output', stored)}`, computed) : 'output';
  const wanted = isHalf ? cast('expected_output', computed) : 'expected_output';
  return `# ${title}
${[imports, ...(literals ? [] : [load, '', `tensors = load_file('${FILE}')`])].join('\n')}

${given.join('\n')}

${inputs.join('\n')}
${isPlaced ? `\n${positions.join('\n')}\n` : ''}
${stages.join('\n')}
# a query that may read no key has weights 0
empty = ${name}.isneginf(masked).all(-1)[..., None]
${sinks ? `sinks = ${perHead([sinks])}\n${sunkSoftmax}` : softmax}
output = (weights @ value).reshape(tuple(expected_output.shape))
${isHalf ? `output, expected_output = ${found}, ${wanted}\n` : ''}
assert ${name}.allclose(output, expected_output, rtol=${relative}, atol=${absolute}, equal_nan=True), output
print('agrees')
`;
}

export const toPyTorch = (program: Program): string => toPython(program, torch);
export const toNumPy = (program: Program): string => toPython(program, numpy);
