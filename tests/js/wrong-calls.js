// Calls that must be refused, each with what the refusal has to say.
import { inputs } from './inputs.js';

export const f32 = (...shape) => ({
  shape,
  data: new Float32Array(shape.reduce((a, b) => a * b, 1)),
});
export const bool = (...shape) => ({
  shape,
  data: new Uint8Array(shape.reduce((a, b) => a * b, 1)),
});

/** A call on query 1×8×128×64, key and value 1×8×128×64, with some of them replaced. */
const sized = (replaced, options) => ({
  query: f32(1, 8, 128, 64),
  key: f32(1, 8, 128, 64),
  value: f32(1, 8, 128, 64),
  ...replaced,
  options,
});

/** A call on two batch elements, two heads, three queries and five keys. */
export const small = (options, replaced) => ({
  ...inputs(1, { B: 2, H: 2, T: 3, S: 5 }),
  ...replaced,
  options,
});

/** What is wrong → [call, code, argument, what the message must contain]. */
export const wrongCalls = {
  'head dimensions differ': [
    sized({ key: f32(1, 8, 128, 32) }),
    'shape',
    'key',
    'key has head_dim 32 but query has head_dim 64 (query 1×8×128×64, key 1×8×128×32)',
  ],
  'batch sizes differ': [
    sized({ key: f32(2, 8, 128, 64) }),
    'shape',
    'key',
    'key has batch 2 but query has batch 1 (query 1×8×128×64, key 2×8×128×64)',
  ],
  'value of another batch size': [
    sized({ value: f32(3, 8, 128, 64) }),
    'shape',
    'value',
    'value has batch 3 but query has batch 1',
  ],
  'keys without values': [
    sized({ value: f32(1, 8, 127, 64) }),
    'shape',
    'value',
    'value has length 127 but key has length 128',
  ],
  'heads of keys and values differ': [
    sized({ value: f32(1, 4, 128, 64) }),
    'shape',
    'value',
    'value has heads 4 but key has heads 8',
  ],
  'heads that do not divide': [
    sized({ key: f32(1, 3, 128, 64), value: f32(1, 3, 128, 64) }),
    'shape',
    'query',
    'query has heads 8 but key has heads 3',
    'multiple',
  ],
  'rank 1': [small({}, { query: f32(8) }), 'rank', 'query', 'query has rank 1', '2'],
  'rank 5': [small({}, { query: f32(1, 1, 1, 3, 8) }), 'rank', 'query', 'query has rank 5', '4'],
  'ranks differ': [
    small({}, { key: f32(2, 5, 8) }),
    'rank',
    'key',
    'key has rank 3 but query has rank 4',
  ],
  'dtypes differ': [
    small({}, { value: { shape: [2, 2, 5, 8], data: new Float64Array(160) } }),
    'dtype',
    'value',
    'value is float64 but query is float32',
  ],
  'inputs of whole numbers': [
    small({}, { query: { shape: [2, 2, 3, 8], data: new Int32Array(96) } }),
    'dtype',
    'query',
    'Int32Array',
    'Float32Array',
  ],
  'inputs of booleans': [
    small({}, { query: bool(2, 2, 3, 8) }),
    'dtype',
    'query',
    'query is bool',
    'float32',
  ],
  'a Uint16Array that does not say its dtype': [
    small({}, { query: { shape: [2, 2, 3, 8], data: new Uint16Array(96) } }),
    'dtype',
    'query',
    'Uint16Array',
    'float16',
    'bfloat16',
  ],
  'an unknown dtype': [
    small({}, { query: { ...f32(2, 2, 3, 8), dtype: 'float8' } }),
    'dtype',
    'query',
    'float8',
    'float32',
  ],
  'data shorter than the shape': [
    small({}, { query: { shape: [2, 2, 3, 8], data: new Float32Array(95) } }),
    'data',
    'query',
    '2×2×3×8',
    '96',
    '95',
  ],
  'data longer than the shape': [
    small({}, { query: { shape: [2, 2, 3, 8], data: new Float32Array(97) } }),
    'data',
    'query',
    '96',
    '97',
  ],
  'strides that leave the data': [
    small({}, { query: { ...f32(2, 2, 3, 8), strides: [48, 24, 8, 2] } }),
    'data',
    'query',
    'strides',
    '96',
  ],
  'a stride below 0': [
    small({}, { query: { ...f32(2, 2, 3, 8), strides: [48, 24, -8, 1] } }),
    'shape',
    'query',
    '-8',
  ],
  'strides of another rank': [
    small({}, { query: { ...f32(2, 2, 3, 8), strides: [8, 1] } }),
    'shape',
    'query',
    'strides',
    '2',
    '4',
  ],
  'a length below 0': [
    small({}, { query: { shape: [2, 2, -3, 8], data: new Float32Array(96) } }),
    'shape',
    'query',
    '-3',
  ],
  'a length that is not whole': [
    small({}, { query: { shape: [2, 2, 1.5, 8], data: new Float32Array(48) } }),
    'shape',
    'query',
    '1.5',
  ],
  'no key': [small({}, { key: undefined }), 'type', 'key', 'key'],
  'an unknown option': [
    small({ scal: 1 }),
    'option',
    'scal',
    'scal',
    'scale',
    'softcap',
    'mask',
    'start',
    'bias',
    'alibi',
    'sinks',
    'dropout',
    'returns',
    'weightsFor',
  ],
  'scale that is not finite': [small({ scale: Infinity }), 'option', 'scale', 'Infinity', 'finite'],
  'scale that is NaN': [small({ scale: NaN }), 'option', 'scale', 'NaN', 'finite'],
  'scale that is no number': [small({ scale: '1' }), 'type', 'scale', 'number'],
  'softcap below 0': [small({ softcap: -1 }), 'option', 'softcap', '-1', '0'],
  'dropout of more than everything': [
    small({ dropout: { p: 1.5, seed: 1 } }),
    'option',
    'dropout.p',
    '1.5',
    'from 0 to 1',
  ],
  'dropout below 0': [small({ dropout: { p: -0.1, seed: 1 } }), 'option', 'dropout.p', '-0.1'],
  'dropout of NaN': [small({ dropout: { p: NaN, seed: 1 } }), 'option', 'dropout.p', 'NaN'],
  'dropout without a seed': [small({ dropout: { p: 0.5 } }), 'type', 'dropout.seed', 'seed'],
  'a causal mask that does not say where T ≠ S begins': [
    small({ mask: 'causal' }),
    'option',
    'start',
    '3 and 5',
    'causal',
    'top-left',
    'bottom-right',
    '2',
  ],
  'ALiBi that does not say where T ≠ S begins': [
    small({ alibi: true }),
    'option',
    'start',
    'alibi',
    'top-left',
    'bottom-right',
  ],
  'a window inside other rules that does not say where it begins': [
    small({ mask: { kind: 'not', of: { kind: 'any', of: [{ kind: 'window', left: 1 }] } } }),
    'option',
    'start',
    'top-left',
    'bottom-right',
  ],
  'start for another batch size': [small({ start: [1, 2, 3] }), 'shape', 'start', '3', '2'],
  'a start that does not exist': [
    small({ start: 'centre' }),
    'type',
    'start',
    'centre',
    'top-left',
  ],
  'a start that is not whole': [small({ start: 0.5 }), 'type', 'start', '0.5'],
  'a bias that does not broadcast': [
    small({ bias: f32(3, 4) }),
    'shape',
    'bias',
    '3×4',
    '2×2×3×5',
    'keys must be 5 or 1 but is 4',
  ],
  'a bias of booleans': [
    small({ bias: bool(3, 5) }),
    'dtype',
    'bias',
    'bool',
    'allowed',
    'blocked',
  ],
  'slopes for another number of heads': [
    small({ alibi: [1, 2, 3], start: 0 }),
    'shape',
    'alibi',
    '3',
    '2',
  ],
  'sinks for another number of heads': [small({ sinks: [1] }), 'shape', 'sinks', '1', '2'],
  'sinks that are NaN': [small({ sinks: [1, NaN] }), 'option', 'sinks', 'NaN'],
  'a result that does not exist': [
    small({ returns: ['weigths'] }),
    'option',
    'returns',
    'weigths',
    'lse',
    'weights',
  ],
  'weights of a head that does not exist': [
    small({ returns: ['weights'], weightsFor: { heads: [2] } }),
    'option',
    'weightsFor.heads',
    '2',
    'heads 2',
  ],
  'weights of a query that does not exist': [
    small({ returns: ['weights'], weightsFor: { queries: [-1] } }),
    'option',
    'weightsFor.queries',
    '-1',
    'length 3',
  ],
  'more memory than there is': [
    {
      query: f32(1, 1, 1, 1),
      key: f32(1, 1, 1, 1),
      value: f32(1, 1, 1, 1),
      ...huge(),
      options: { returns: ['weights'] },
    },
    'memory',
    'weights',
    'MiB',
    'weightsFor',
  ],
};

/** 70,000 queries and keys, every one the same element: 18 GB of weights from a few bytes. */
export function huge() {
  const one = { data: new Float32Array(1), shape: [1, 1, 70_000, 1], strides: [0, 0, 0, 0] };
  return { query: one, key: one, value: one };
}
