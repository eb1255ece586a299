// The library's most common refusals of the workbench's call, as problems that the page tells in the
// reader's language and counts from 1. Any other refusal stays in the library's words.
import { AttentionError } from 'attention-wasm';
import type { Field } from './bench-call.js';
import { fourAxes } from './bench-head.js';
import { CallProblem } from './bench-problem.js';
import { type FieldName, type Lists, type RuleKind, ruleFields } from './bench-rules.js';
import type { Settings } from './bench-settings.js';

/** Which axes of which two must be equal, as the library checks them. */
const alike = [
  ['query', 'key', 3],
  ['query', 'key', 0],
  ['query', 'value', 0],
  ['key', 'value', 1],
  ['key', 'value', 2],
] as const satisfies (readonly [Field, Field, number])[];
const axes = ['batches', 'heads', 'length', 'width'] as const;

const textOf = (shape: readonly number[]) => shape.join('×');

/** What the library says of the numbers of a rule. */
const ofRules = [
  ['ruleLeast', / is (?<value>-?\d+), but must be at least (?<limit>-?\d+)/],
  ['ruleMost', / is (?<value>-?\d+), but must be at most (?<limit>\d+)/],
  ['ruleCount', /, but it is a (nested )?list of length (?<count>\d+)/],
  [
    'ruleLength',
    / has length (?<count>\d+), but must have one number for each of the (?<limit>\d+)/,
  ],
  ['ruleAscend', / must ascend, but (?<value>\d+) comes after (?<limit>\d+)/],
] as const;

/** One of the rules' refusals; places are counted from 1 here. */
function ruleProblem({ argument, message }: AttentionError, values: { batches: number }) {
  const [, kind = '', name = ''] = /(\w+)\.(\w+)$/.exec(argument) ?? [];
  if (!Object.hasOwn(ruleFields, kind)) return undefined;
  const named = { rule: kind as RuleKind, ruleField: name as FieldName };
  for (const [word, sentence] of ofRules) {
    const found = sentence.exec(message)?.groups;
    if (!found) continue;
    const first = word === 'ruleAscend' ? 1 : 0;
    const numbers: Record<string, number> = {};
    for (const [key, text] of Object.entries(found)) numbers[key] = Number(text) + first;
    return new CallProblem(word, { ...values, ...named, ...numbers });
  }
  return undefined;
}

/** Rows of blocks that do not fit the queries and keys. */
function blocksProblem({ message }: AttentionError) {
  const found =
    /layout is (?<count>\S+), but (?<queries>\d+) queries and (?<keys>\d+) keys in blocks of (?<size>\d+) need (?<full>\S+) or, with heads in front, (?<heads>\d+)/.exec(
      message,
    )?.groups;
  return found && new CallProblem('blocks', { ...found });
}

/** Of what is given only the shapes matter. */
type Shapes = Partial<Record<Field, { shape: readonly number[] } | undefined>>;

/** What of the settings the refusals are about; a figure whose call has no others leaves them out. */
type Told = Pick<Settings, 'start' | 'meaning'> & Partial<Pick<Settings, 'alibi' | 'sinks'>>;

export function refusalOf(
  error: unknown,
  given: Shapes,
  settings: Told = { start: 'unsaid', meaning: 'blocked' },
): unknown {
  const { query, key, value, mask, bias } = given;
  const { start, meaning } = settings;
  if (!(error instanceof AttentionError) || !query || !key || !value) return error;
  const { code, argument } = error;
  const [batches, heads, queries] = fourAxes(query.shape);
  const [, kvHeads, keys] = fourAxes(key.shape);
  if (code === 'option' && argument === 'start' && start === 'unsaid') {
    return new CallProblem('start', { queries, keys, last: keys - queries + 1 });
  }
  if (code === 'ambiguous' && mask) {
    // Only where there are as many queries as batch elements can it be meant for the queries.
    const word = batches === queries ? 'ambiguous' : 'isPadding';
    return new CallProblem(word, { shape: textOf(mask.shape) });
  }
  const isOfRules = argument.startsWith('mask.') && !/\.(blocked|allowed|mask)$/.test(argument);
  if (isOfRules) return blocksProblem(error) ?? ruleProblem(error, { batches }) ?? error;
  if (code !== 'shape') return error;
  const three = { query, key, value };
  for (const [field, other, axis] of alike) {
    const [here, there] = [three[field].shape, three[other].shape];
    const [count, otherCount] = [fourAxes(here)[axis], fourAxes(there)[axis]];
    if (count === otherCount) continue;
    const values = { axis: axes[axis], field, other, count: count, otherCount: otherCount };
    const shapes = { shape: textOf(here), otherShape: textOf(there) };
    return new CallProblem('alike', { ...values, ...shapes });
  }
  if (kvHeads > 0 && heads % kvHeads !== 0) return new CallProblem('heads', { heads, kvHeads });
  if (argument === 'start') {
    return new CallProblem('startCount', { count: settings.start.length, batches });
  }
  const slopes = settings.alibi as Lists;
  if (argument === 'alibi' && slopes.length > 1) {
    const count = `${slopes.length} × ${slopes.map(({ length }) => length).join('/')}`;
    return new CallProblem('perBatchHead', {
      option: argument,
      count,
      full: `${batches} × ${heads}`,
    });
  }
  if (argument === 'sinks' || argument === 'alibi') {
    const count = argument === 'alibi' ? slopes[0]!.length : settings.sinks!.length;
    return new CallProblem('perHead', { option: argument, count, heads });
  }
  if (argument === 'bias' && bias) {
    const full = textOf([batches, heads, queries, keys]);
    return new CallProblem('biasShape', { shape: textOf(bias.shape), full });
  }
  if (!mask || !/^bias$|\b(allowed|blocked)\b/.test(argument)) return error;
  const isPadding = meaning === 'padding' || meaning === 'real';
  return new CallProblem(isPadding ? 'paddingShape' : 'maskShape', {
    shape: textOf(mask.shape),
    full: textOf(isPadding ? [batches, keys] : [batches, heads, queries, keys]),
  });
}
