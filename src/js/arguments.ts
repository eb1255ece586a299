// What every entry point asks of the objects it is given, and how errors show a value.

import { AttentionError } from './errors.js';

/** How deep arguments may be nested; one that holds itself is deeper. */
export const deepest = 64;

/** A value in an error: `2`, `the string '2'`, `null`, `an instance of Map`. */
export function text(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the string '${value}'`;
    case 'bigint':
      return `the bigint ${value}`;
    case 'symbol':
    case 'function':
      return `a ${typeof value}`;
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'an array';
      return isPlain(value) ? 'an object' : `an instance of ${className(value)}`;
    default:
      return String(value);
  }
}

/** The same where a name is wanted, and a string is only the wrong one: `'avx'`. */
export const quoted = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : text(value);

function className(value: object): string {
  const { constructor } = value as { constructor?: unknown };
  const name = typeof constructor === 'function' ? constructor.name : '';
  return name === '' || name === 'Object' ? 'a prototype of its own' : name;
}

/**
 * Whether all that an object has is its own, as in `{ … }`, also of another realm. What inherits
 * fields would lose them where the own ones are listed or cloned.
 */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Refuses what is no plain object, and fields of other names: a misspelt one would do nothing. */
export function checkFields(
  value: unknown,
  argument: string,
  names: readonly string[],
  owner = argument,
): void {
  if (!isPlain(value)) {
    const wanted = `a plain object { ${names.join(', ')} }`;
    throw new AttentionError('type', argument, `${argument} must be ${wanted}, not ${text(value)}`);
  }
  const unknown = Object.getOwnPropertyNames(value).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new AttentionError(
    'option',
    unknown,
    `${owner} has no option '${unknown}'; its options are ${names.join(', ')}`,
  );
}

/** Refuses what is no whole number. */
export function checkWhole(value: unknown, argument: string): void {
  if (Number.isSafeInteger(value)) return;
  throw new AttentionError('type', argument, `${argument} is ${text(value)}; give a whole number`);
}

/** Refuses what is no function; it may be left out. */
export function checkFunction(value: unknown, argument: string): void {
  if (value === undefined || typeof value === 'function') return;
  throw new AttentionError('type', argument, `${argument} is ${text(value)}; give a function`);
}

/** Refuses what would silently become numbers; which numbers are right, the reader says. */
export function checkNumbers(numbers: unknown, name: string, what: string): void {
  if (!Array.isArray(numbers)) {
    const found = `must be an array of whole numbers, not ${text(numbers)}`;
    throw new AttentionError('shape', name, `${name}.${what} ${found}`);
  }
  for (let axis = 0; axis < numbers.length; axis++) {
    const number: unknown = numbers[axis];
    if (typeof number === 'number') continue;
    const found = `must hold whole numbers, but [${axis}] is ${text(number)}`;
    throw new AttentionError('shape', name, `${name}.${what} ${found}`);
  }
}

export function tooDeep(): AttentionError {
  return new AttentionError(
    'option',
    'options',
    `options hold something nested more than ${deepest} deep, or within itself`,
  );
}
