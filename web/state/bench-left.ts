// What goes when the reader brings other tensors: a rule of the example's, and what came with tensors
// that are no longer there.
import type { Field, Given } from './bench-call.js';
import { exampleGiven } from './bench-tensors.js';

/** What a call cannot be without. */
const needed = ['query', 'key', 'value'] as const;
const added = ['mask', 'bias', 'expected'] as const;

export interface Left {
  /** The example's rules. */
  hasRules: boolean;
  /** Fields that are empty now, and the file of each. */
  fields: readonly (readonly [field: Field, file: string])[];
}

const isOfExample = (given: Given) => needed.some((name) => given[name] === exampleGiven[name]);

/** Whether something that came in the same go as this is among Q, K and V. */
const hasCompany = (given: Given, field: Field) =>
  needed.some((name) => given[name]?.came?.at === given[field]?.came?.at);

/**
 * The example's rules go once none of its Q, K and V is left; a mask, a bias and what was expected go
 * with the last of the Q, K and V that came with them. What was brought by itself stays.
 */
export function leftBehind(before: Given, now: Given): Left {
  const stale = added.filter(
    (field) =>
      now[field] !== undefined &&
      now[field] === before[field] &&
      now[field].came !== undefined &&
      hasCompany(before, field) &&
      !hasCompany(now, field),
  );
  return {
    hasRules: isOfExample(before) && !isOfExample(now) && needed.every((name) => now[name]),
    fields: stale.map((field) => [field, now[field]!.came!.file] as const),
  };
}
