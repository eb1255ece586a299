// All that the reader brought to the workbench, as one value that is replaced and never changed.
import type { Field, Given } from './bench-call.js';
import { exampleGiven, exampleTexts } from './bench-tensors.js';
import type { GivenTensor } from './read-text.js';

/** By field. */
export type Texts = Partial<Record<Field, string>>;

/** All that the reader brought. */
export interface Brought {
  given: Given;
  /** What the fields hold as text. */
  texts: Texts;
  /** Everything that files have brought, by name. */
  loaded: ReadonlyMap<string, GivenTensor>;
  /** Which of it is in a field. */
  chosen: Texts;
}

export const example: Brought = {
  given: exampleGiven,
  texts: exampleTexts,
  loaded: new Map(),
  chosen: {},
};
export const nothing: Brought = { given: {}, texts: {}, loaded: new Map(), chosen: {} };

/** Whether there is anything that would be missed. */
export function isOwn({ given, texts, loaded }: Brought): boolean {
  const isExample = given === exampleGiven && texts === exampleTexts;
  const isEmpty = [...Object.values(given), ...Object.values(texts)].every((x) => x === '');
  return loaded.size > 0 || !(isExample || isEmpty);
}

/** With nothing in a field. */
export function without(brought: Brought, field: Field): Brought {
  const [given, chosen] = [{ ...brought.given }, { ...brought.chosen }];
  delete given[field];
  delete chosen[field];
  return { ...brought, given, chosen, texts: { ...brought.texts, [field]: '' } };
}

/** With a tensor of a file in a field. */
export const withChosen = (brought: Brought, field: Field, name: string): Brought => ({
  ...brought,
  given: { ...brought.given, [field]: brought.loaded.get(name)! },
  chosen: { ...brought.chosen, [field]: name },
  texts: { ...brought.texts, [field]: '' },
});

export const sameNumbers = (a: GivenTensor, b: GivenTensor | undefined) =>
  a.shape.join() === b?.shape.join() && a.data.every((x, at) => Object.is(x, b.data[at]));
