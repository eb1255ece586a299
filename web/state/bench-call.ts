// The workbench's call: from what the reader brought and set to what the library is asked.
import type { AttentionOptions, MaskRule, Tensor } from 'attention-wasm';
import { type Beyond, beyondOf } from './bench-finite.js';
import { fourAxes, headOf, optionsOfHead, slopesOf } from './bench-head.js';
import { type FloatType, computedIn, copied, numbersOf } from './bench-numbers.js';
import { CallProblem } from './bench-problem.js';
import { type Lists, type RuleSizes, type Rules, maskRules, withTensor } from './bench-rules.js';
import type { Meaning, Settings } from './bench-settings.js';
import { sameShape } from './compare.js';
import type { GivenTensor } from './read-text.js';
import { SLICE, slices } from './turns.js';

export const fields = ['query', 'key', 'value', 'mask', 'bias', 'expected'] as const;
export type Field = (typeof fields)[number];
export type Given = Partial<Record<Field, GivenTensor>>;

export type Three = readonly [query: Tensor, key: Tensor, value: Tensor];

/** The whole call, and the part of it that one head needs to be explained. */
export interface Call {
  given: Given;
  settings: Settings;
  whole: Three;
  /** What was brought as the mask, and is one. */
  mask: Tensor | undefined;
  /** What was brought to be added to the scores. */
  bias: Tensor | undefined;
  /** Those of the settings, and the tensor that was brought. */
  rules: Rules;
  options: AttentionOptions;
  shown: Three;
  /** Without dropout: which weights it drops depends on the place in the whole. */
  shownOptions: AttentionOptions;
  /** What of the tensors their type has no number for. */
  beyond: readonly (readonly [field: Field, beyond: Beyond])[];
  batch: number;
  head: number;
}

/** As the reader's program writes it. */
const written = (shape: readonly number[]) => `[${shape.join(', ')}]`;

/** Refuses what has too many axes or too few, or no number in it. What is expected is only compared. */
function checkShapes(given: Given): void {
  for (const field of fields) {
    const { shape } = given[field] ?? {};
    if (!shape || field === 'expected') continue;
    const named = { field, shape: written(shape) };
    const isOfPairs = field === 'mask' || field === 'bias';
    if (shape.length < (isOfPairs ? 1 : 2) || shape.length > 4) {
      throw new CallProblem(isOfPairs ? 'maskRank' : 'rank', named);
    }
    if (shape.includes(0)) throw new CallProblem('empty', named);
  }
}

/** The three as the library takes them: of one rank, so all of four axes where theirs differ. */
function* threeOf(given: Given, dtype: Settings['dtype']): Generator<void, Three> {
  const { query, key, value } = given;
  if (!query || !key || !value) {
    const missing = fields.slice(0, 3).filter((field) => !given[field]);
    throw new CallProblem('needed', {
      missing: missing.map((field) => field[0]!.toUpperCase()).join(', '),
    });
  }
  checkShapes(given);
  const rank = query.shape.length;
  const isOneRank = [key, value].every(({ shape }) => shape.length === rank);
  const three: Tensor[] = [];
  for (const { shape, data } of [query, key, value]) {
    three.push({
      shape: isOneRank ? shape : fourAxes(shape),
      data: yield* numbersOf(data, dtype),
      dtype,
    });
  }
  return three as unknown as Three;
}

/** What the mask's numbers mean, as a rule. */
const ruleOf: Record<Exclude<Meaning, 'bias'>, (tensor: Tensor) => MaskRule> = {
  blocked: (mask) => ({ kind: 'blocked', mask }),
  allowed: (mask) => ({ kind: 'allowed', mask }),
  padding: (blocked) => ({ kind: 'padding', blocked }),
  real: (allowed) => ({ kind: 'padding', allowed }),
};

interface Brought {
  mask?: Tensor;
  rule?: MaskRule;
  bias?: Tensor;
}

/** What was brought as the mask and to be added, as the library takes it. */
function* broughtOf(given: Given, { meaning, dtype }: Settings): Generator<void, Brought> {
  const { mask } = given;
  let odd: number | undefined;
  if (mask) {
    yield* slices(mask.data.length, (from, end) => {
      odd ??= mask.data.subarray(from, end).find((x) => x !== 0 && x !== 1);
    });
    // Truth values go either way. Other numbers can only be added.
    if (meaning === 'unsaid' && odd === undefined) throw new CallProblem('meaning');
  }
  const isAdded = mask !== undefined && (meaning === 'bias' || meaning === 'unsaid');
  if (isAdded && given.bias) throw new CallProblem('twoBiases');
  const added = isAdded ? mask : given.bias;
  const brought: Brought = added
    ? { bias: { shape: added.shape, data: yield* numbersOf(added.data, computedIn(dtype)) } }
    : {};
  if (!mask || meaning === 'bias' || meaning === 'unsaid') return brought;
  if (odd !== undefined) throw new CallProblem('maskNumbers', { value: odd });
  const bools = yield* copied(mask.data, new Uint8Array(mask.data.length));
  const tensor = { shape: mask.shape, data: bools };
  return { ...brought, mask: tensor, rule: ruleOf[meaning](tensor) };
}

/** Slopes of each head, or of each head of each batch element. */
const oneOrAll = (lists: Lists) => (lists.length === 1 ? lists[0]! : lists);

/** Where query 0 stands: one number for all, or one for each batch element. */
const from0 = (places: readonly number[]) =>
  places.length === 1 ? places[0]! - 1 : places.map((place) => place - 1);

function optionsOf(settings: Settings, rules: Rules, { rule, bias }: Brought, sizes: RuleSizes) {
  const { start, scale, softcap, alibi, sinks, dropout: p, seed } = settings;
  return {
    mask: maskRules(rules, sizes, rule),
    ...(bias ? { bias } : {}),
    ...(scale === undefined ? {} : { scale }),
    ...(softcap > 0 ? { softcap } : {}),
    ...(alibi === 'off' ? {} : { alibi: alibi === 'paper' || oneOrAll(alibi) }),
    ...(sinks ? { sinks } : {}),
    ...(p > 0 ? { dropout: { p, seed } } : {}),
    ...(start === 'unsaid' ? {} : { start: typeof start === 'string' ? start : from0(start) }),
  } satisfies AttentionOptions;
}

export function* callOf(given: Given, settings: Settings): Generator<void, Call> {
  const whole = yield* threeOf(given, settings.dtype);
  const [batches, heads, queries] = fourAxes(whole[0].shape);
  const [, kvHeads, keys] = fourAxes(whole[1].shape);
  const batch = Math.min(settings.batch, batches - 1);
  const head = Math.min(settings.head, heads - 1);
  const kvHead = Math.floor((head * kvHeads) / heads);
  const { expected, mask } = given;
  const isWeights = expected && sameShape(expected.shape, [batches, heads, queries, keys]);
  const brought = yield* broughtOf(given, settings);
  const rules = brought.rule ? withTensor(settings.mask) : settings.mask;
  if (!brought.rule && rules.some(({ kind }) => kind === 'tensor')) throw new CallProblem('noMask');
  const beyond: [Field, Beyond][] = [];
  const note = function* (field: Field, made: Tensor, dtype: FloatType) {
    const found = yield* beyondOf(given[field]!, made.data, dtype);
    if (found) beyond.push([field, found]);
  };
  for (const [at, field] of fields.slice(0, 3).entries()) {
    yield* note(field, whole[at]!, settings.dtype);
  }
  const biasField = given.bias ? 'bias' : mask && 'mask';
  if (brought.bias && biasField) yield* note(biasField, brought.bias, computedIn(settings.dtype));
  const sizes = { batches, heads, queries, keys };
  const options: AttentionOptions = optionsOf(settings, rules, brought, sizes);
  const returns = isWeights || options.dropout ? (['weights'] as const) : [];
  const weightsFor = isWeights ? {} : { weightsFor: { heads: [head] } };
  return {
    given,
    settings,
    whole,
    mask: brought.mask,
    bias: brought.bias,
    rules,
    options: returns.length > 0 ? { ...options, returns, ...weightsFor } : options,
    shown: whole.map((tensor, at) => headOf(tensor, batch, at === 0 ? head : kvHead)) as never,
    shownOptions: optionsOfHead(options, slopesOf(settings, heads), batch, head),
    beyond,
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
