// Calls that the library refuses, each with one that is right: as data, so that what is printed is
// what is called.
import type { Attention, AttentionOptions, DType, Tensor } from 'attention-wasm';

/** A tensor of zeros; `length` where its data does not fit its shape. */
interface Zeros {
  shape: readonly number[];
  /** Whole numbers too, which are no dtype of the library. */
  dtype: DType | 'int32';
  length?: number;
}
type Argument = Zeros | string | number | boolean | Argument[] | { [name: string]: Argument };

export interface Call {
  query: Zeros;
  key: Zeros;
  value: Zeros;
  options?: { [name: string]: Argument };
}

const zeros = (...shape: number[]): Zeros => ({ shape, dtype: 'float32' });
const bools = (...shape: number[]): Zeros => ({ shape, dtype: 'bool' });
const integers = (...shape: number[]): Zeros => ({ shape, dtype: 'int32' });
/** Query, key and value alike. */
const alike = (...shape: number[]): Call => {
  const one = zeros(...shape);
  return { query: one, key: one, value: one };
};
const small = alike(2, 3);
const cross: Call = { query: zeros(2, 3), key: zeros(5, 3), value: zeros(5, 3) };
const batch = alike(3, 2, 3, 4);
const heads = (count: number): Call => {
  const kept = zeros(count, 2, 3);
  return { query: zeros(4, 2, 3), key: kept, value: kept };
};

/** In the order in which a call is checked, more or less. */
export const refusals = {
  rank: { wrong: { ...small, key: zeros(1, 2, 3) }, right: small },
  width: { wrong: { ...small, key: zeros(2, 4) }, right: small },
  length: { wrong: { ...cross, value: zeros(4, 3) }, right: cross },
  batch: { wrong: { ...batch, value: zeros(2, 2, 3, 4) }, right: batch },
  heads: { wrong: heads(3), right: heads(2) },
  dtype: { wrong: { ...small, key: { ...small.key, dtype: 'float64' } }, right: small },
  integers: { wrong: { ...small, query: integers(2, 3) }, right: small },
  data: { wrong: { ...small, query: { ...small.query, length: 5 } }, right: small },
  bare: {
    wrong: { ...small, options: { mask: bools(2, 2) } },
    right: { ...small, options: { mask: { kind: 'blocked', mask: bools(2, 2) } } },
  },
  numbers: {
    wrong: { ...small, options: { mask: { kind: 'blocked', mask: zeros(2, 2) } } },
    right: { ...small, options: { mask: { kind: 'blocked', mask: bools(2, 2) } } },
  },
  padding: {
    wrong: { ...batch, options: { mask: { kind: 'blocked', mask: bools(3, 3) } } },
    right: { ...batch, options: { mask: { kind: 'padding', blocked: bools(3, 3) } } },
  },
  start: {
    wrong: { ...cross, options: { mask: 'causal' } },
    right: { ...cross, options: { mask: 'causal', start: 'bottom-right' } },
  },
  dropout: {
    wrong: { ...small, options: { dropout: { p: 1.5, seed: 1 } } },
    right: { ...small, options: { dropout: { p: 0.15, seed: 1 } } },
  },
  unknown: {
    wrong: { ...small, options: { mask: 'casual' } },
    right: { ...small, options: { mask: 'causal' } },
  },
  memory: { wrong: { ...alike(70_000, 1), options: { returns: ['weights'] } } },
} satisfies Record<string, { wrong: Call; right?: Call }>;
export type RefusalName = keyof typeof refusals;
export const refusalNames = Object.keys(refusals) as RefusalName[];

const isZeros = (given: Argument): given is Zeros =>
  typeof given === 'object' && 'shape' in given && 'dtype' in given;

const arrays = {
  ...{ float32: Float32Array, float64: Float64Array },
  ...{ bool: Uint8Array, int32: Int32Array },
};

/** Not a tensor where the call is wrong in that. */
function tensorOf({ shape, dtype, length = shape.reduce((a, b) => a * b) }: Zeros): Tensor {
  return { shape: [...shape], data: new arrays[dtype as keyof typeof arrays](length) } as Tensor;
}

/** The argument with its tensors made. */
function made(given: Argument): unknown {
  if (typeof given !== 'object') return given;
  if (isZeros(given)) return tensorOf(given);
  if (Array.isArray(given)) return given.map(made);
  return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, made(part)]));
}

export const run = (attention: Attention, { query, key, value, options = {} }: Call) =>
  attention.scaledDotProductAttention(
    tensorOf(query),
    tensorOf(key),
    tensorOf(value),
    made(options) as AttentionOptions,
  );

function written(given: Argument): string {
  if (typeof given === 'string') return `'${given}'`;
  if (typeof given !== 'object') return String(given);
  if (isZeros(given)) return `${given.dtype}[${given.shape.join(', ')}]`;
  if (Array.isArray(given)) return `[${given.map(written).join(', ')}]`;
  const parts = Object.entries(given).map(([name, part]) => `${name}: ${written(part)}`);
  return `{ ${parts.join(', ')} }`;
}

/** The call as lines of a program, with dtype and shape in place of the numbers. */
export function linesOf({ query, key, value, options }: Call): string[] {
  const inputs = Object.entries({ query, key, value }).map(([name, given]) => {
    const data = given.length === undefined ? '' : `, data: ${given.length}`;
    return `${name}: ${written(given)}${data}`;
  });
  return options ? [...inputs, written(options)] : inputs;
}
