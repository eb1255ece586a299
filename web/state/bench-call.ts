// The workbench's call: from what the reader brought and set to what the library is asked.
import type { AttentionOptions, DType, MaskRule, Tensor, TensorData } from 'attention-wasm';
import { type Meaning, type Settings, maskRules } from './bench-settings.js';
import { sameShape } from './compare.js';
import type { GivenTensor } from './read-text.js';
import { SLICE, slices } from './turns.js';

export const fields = ['query', 'key', 'value', 'mask', 'expected'] as const;
export type Field = (typeof fields)[number];
export type Given = Partial<Record<Field, GivenTensor>>;

/** What keeps a call from being made; `word` names the sentence in the reader's language. */
export class CallProblem extends Error {
  constructor(
    readonly word:
      | 'needed'
      | 'rank'
      | 'maskNumbers'
      | 'meaning'
      | 'start'
      | 'alike'
      | 'heads'
      | 'perHead'
      | 'ambiguous'
      | 'maskShape'
      | 'paddingShape',
    readonly values: Record<string, string | number> & {
      /** Named in the reader's language, as the axis is. */
      field?: Field;
      other?: Field;
      axis?: 'batches' | 'heads' | 'length' | 'width';
      option?: 'alibi' | 'sinks';
    } = {},
  ) {
    super(word);
  }
}

export type Three = readonly [query: Tensor, key: Tensor, value: Tensor];

/** The whole call, and the part of it that one head needs to be explained. */
export interface Call {
  given: Given;
  settings: Settings;
  whole: Three;
  /** What was brought as the mask: bool, or numbers that are added to the scores. */
  mask: Tensor | undefined;
  /** What its numbers mean: said by the reader, or plain from them; undefined without a mask. */
  meaning: Meaning | undefined;
  options: AttentionOptions;
  shown: Three;
  /** Without dropout: which weights it drops depends on the place in the whole. */
  shownOptions: AttentionOptions;
  batch: number;
  head: number;
}

type FourAxes = readonly [batches: number, heads: number, length: number, width: number];

/** [T, d] and [H, T, d] as [B, H, T, d]. */
export const fourAxes = (shape: readonly number[]) =>
  [...Array<number>(4 - shape.length).fill(1), ...shape] as unknown as FourAxes;

/** The numbers in the type that they are computed in. */
function* numbersOf(data: Float64Array, dtype: DType): Generator<void, TensorData> {
  return dtype === 'float64' ? data : yield* copied(data, new Float32Array(data.length));
}

function* copied<Numbers extends Float32Array | Uint8Array>(
  data: Float64Array,
  to: Numbers,
): Generator<void, Numbers> {
  yield* slices(data.length, (from, end) => to.set(data.subarray(from, end), from));
  return to;
}

/** The three as the library takes them: of one rank, so all of four axes where theirs differ. */
function* threeOf(given: Given, dtype: DType): Generator<void, Three> {
  const { query, key, value } = given;
  if (!query || !key || !value) {
    const missing = fields.slice(0, 3).filter((field) => !given[field]);
    throw new CallProblem('needed', {
      missing: missing.map((field) => field[0]!.toUpperCase()).join(', '),
    });
  }
  for (const [field, { shape }] of Object.entries({ query, key, value })) {
    if (shape.length < 2 || shape.length > 4) {
      throw new CallProblem('rank', { field: field as Field, shape: shape.join('×') || '1' });
    }
  }
  const rank = query.shape.length;
  const isOneRank = [key, value].every(({ shape }) => shape.length === rank);
  const three: Tensor[] = [];
  for (const { shape, data } of [query, key, value]) {
    three.push({
      shape: isOneRank ? shape : fourAxes(shape),
      data: yield* numbersOf(data, dtype),
    });
  }
  return three as unknown as Three;
}

/** The mask that was brought, as the library takes it. */
function* maskOf(
  { shape, data }: GivenTensor,
  { meaning, dtype }: Settings,
): Generator<void, { mask: Tensor; meaning: Meaning }> {
  let odd: number | undefined;
  yield* slices(data.length, (from, end) => {
    odd ??= data.subarray(from, end).find((x) => x !== 0 && x !== 1);
  });
  // Truth values go either way. Other numbers can only be added.
  if (meaning === 'unsaid' && odd === undefined) throw new CallProblem('meaning');
  if (meaning === 'bias' || meaning === 'unsaid') {
    return { mask: { shape, data: yield* numbersOf(data, dtype) }, meaning: 'bias' };
  }
  if (odd !== undefined) throw new CallProblem('maskNumbers', { value: odd });
  return { mask: { shape, data: yield* copied(data, new Uint8Array(data.length)) }, meaning };
}

/** What the mask's numbers mean, as a rule. */
const ruleOf: Record<Exclude<Meaning, 'bias'>, (tensor: Tensor) => MaskRule> = {
  blocked: (mask) => ({ kind: 'blocked', mask }),
  allowed: (mask) => ({ kind: 'allowed', mask }),
  padding: (blocked) => ({ kind: 'padding', blocked }),
  real: (allowed) => ({ kind: 'padding', allowed }),
};

/** Where query 0 stands: one number for all, or one for each batch element. */
const from0 = (places: readonly number[]) =>
  places.length === 1 ? places[0]! - 1 : places.map((place) => place - 1);

function optionsOf(
  settings: Settings,
  { mask: brought, meaning }: Pick<Partial<Call>, 'mask' | 'meaning'>,
): AttentionOptions {
  const { mask, start, scale, softcap, alibi, sinks, dropout: p, seed } = settings;
  const rules = maskRules(mask);
  if (brought && meaning && meaning !== 'bias') rules.push(ruleOf[meaning](brought));
  return {
    mask: rules,
    ...(brought && meaning === 'bias' ? { bias: brought } : {}),
    ...(scale === undefined ? {} : { scale }),
    ...(softcap > 0 ? { softcap } : {}),
    ...(alibi === 'off' ? {} : { alibi: alibi === 'paper' ? true : alibi }),
    ...(sinks ? { sinks } : {}),
    ...(p > 0 ? { dropout: { p, seed } } : {}),
    ...(start === 'unsaid' ? {} : { start: typeof start === 'string' ? start : from0(start) }),
  };
}

/**
 * ALiBi's slopes for so many heads: of a power of two n the series 2^(−8/n), 2^(−16/n), …; of other
 * counts that of the power of two below, then every other slope of that of twice it.
 *
 * Source: Press et al. 2022, “Train short, test long”; the library's `alibi: true`.
 */
export function publishedSlopes(heads: number): number[] {
  const power = 2 ** Math.floor(Math.log2(heads));
  const places = Array.from({ length: heads }, (_, h) => (h < power ? h + 1 : h - power + 0.5));
  return places.map((place) => 2 ** ((-8 * place) / power));
}

/** A slope for each head, where there are any. */
export const slopesOf = ({ alibi }: Settings, heads: number): readonly number[] | undefined =>
  alibi === 'off' ? undefined : alibi === 'paper' ? publishedSlopes(heads) : alibi;

/** The part of a tensor that one head reads, [1, 1, rows, columns]; it may be broadcast. */
function headOf({ shape, ...rest }: Tensor, batch: number, head: number): Tensor {
  const [batches, heads, length, width] = fourAxes(shape);
  const size = length * width;
  const at = ((batches > 1 ? batch : 0) * heads + (heads > 1 ? head : 0)) * size;
  const data = (rest.data as Float32Array).subarray(at, at + size);
  return { shape: [1, 1, length, width], data };
}

/** The rules as the head that is shown meets them. */
function rulesOfHead(rules: readonly MaskRule[], batch: number, head: number): MaskRule[] {
  return rules.map((rule): MaskRule => {
    if (typeof rule === 'string') return rule;
    switch (rule.kind) {
      case 'padding': {
        const [name, padding] = rule.blocked
          ? (['blocked', rule.blocked] as const)
          : (['allowed', rule.allowed] as const);
        const { shape, data } = headOf(padding as Tensor, 0, 0);
        const [rows, keys] = [shape[2]!, shape[3]!];
        const at = rows > 1 ? batch * keys : 0;
        const row = (data as Uint8Array).subarray(at, at + keys);
        return { kind: 'padding', [name]: { shape: [1, keys], data: row } };
      }
      case 'prefix':
        return {
          kind: 'prefix',
          length: typeof rule.length === 'number' ? rule.length : rule.length[batch]!,
        };
      case 'lengths': {
        const { keys, queries } = rule;
        return { kind: 'lengths', keys: [keys[batch]!], queries: queries && [queries[batch]!] };
      }
      case 'blocked':
      case 'allowed':
        return { kind: rule.kind, mask: headOf(rule.mask as Tensor, batch, head) };
      default:
        return rule;
    }
  });
}

export function* callOf(given: Given, settings: Settings): Generator<void, Call> {
  const whole = yield* threeOf(given, settings.dtype);
  const [batches, heads, queries] = fourAxes(whole[0].shape);
  const [, kvHeads, keys] = fourAxes(whole[1].shape);
  const batch = Math.min(settings.batch, batches - 1);
  const head = Math.min(settings.head, heads - 1);
  const kvHead = Math.floor((head * kvHeads) / heads);
  const { expected } = given;
  const isWeights = expected && sameShape(expected.shape, [batches, heads, queries, keys]);
  const { mask, meaning } = given.mask
    ? yield* maskOf(given.mask, settings)
    : { mask: undefined, meaning: undefined };
  const options = optionsOf(settings, { mask, meaning });
  const returns = isWeights || options.dropout ? (['weights'] as const) : [];
  const weightsFor = isWeights ? {} : { weightsFor: { heads: [head] } };
  const { bias, sinks, start } = options;
  const slopes = slopesOf(settings, heads);
  return {
    given,
    settings,
    whole,
    mask,
    meaning,
    options: returns.length > 0 ? { ...options, returns, ...weightsFor } : options,
    shown: whole.map((tensor, at) => headOf(tensor, batch, at === 0 ? head : kvHead)) as never,
    shownOptions: {
      ...options,
      dropout: undefined,
      mask: rulesOfHead(options.mask as MaskRule[], batch, head),
      bias: bias && headOf(bias as Tensor, batch, head),
      alibi: slopes && [slopes[head]!],
      sinks: sinks && [sinks[head]!],
      start: typeof start === 'object' ? start[batch]! : start,
    },
    batch,
    head,
  };
}

/** Whether so many tensors are read in one turn of the page. */
export const isSmall = (given: Given) =>
  Object.values(given).reduce((sum, tensor) => sum + (tensor?.data.length ?? 0), 0) <= SLICE;

/** Multiplications and additions of the scores of every head: how long the call will take. */
export const workOf = ({ whole: [query, key] }: Call) =>
  query.shape.reduce((a, b) => a * b) * key.shape.at(-2)!;
