// The library's most common refusals of the workbench's call, as problems that the page tells in the
// reader's language and counts from 1. Any other refusal stays in the library's words.
import { AttentionError } from 'attention-wasm';
import { CallProblem, type Field, type Given, fourAxes } from './bench-call.js';
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

export function refusalOf(error: unknown, given: Given, settings: Settings): unknown {
  const { query, key, value, mask } = given;
  const { start, meaning } = settings;
  if (!(error instanceof AttentionError) || !query || !key || !value) return error;
  const { code, argument } = error;
  const [batches, heads, queries] = fourAxes(query.shape);
  const [, kvHeads, keys] = fourAxes(key.shape);
  if (code === 'option' && argument === 'start' && start === 'unsaid') {
    return new CallProblem('start', { queries, keys, last: keys - queries + 1 });
  }
  if (code === 'ambiguous' && mask) {
    return new CallProblem('ambiguous', { shape: textOf(mask.shape) });
  }
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
  if (argument === 'sinks' || argument === 'alibi') {
    const count = settings[argument]!.length;
    return new CallProblem('perHead', { option: argument, count, heads });
  }
  if (!mask || !/^bias$|\b(allowed|blocked)\b/.test(argument)) return error;
  const isPadding = meaning === 'padding' || meaning === 'real';
  return new CallProblem(isPadding ? 'paddingShape' : 'maskShape', {
    shape: textOf(mask.shape),
    full: textOf(isPadding ? [batches, keys] : [batches, heads, queries, keys]),
  });
}
