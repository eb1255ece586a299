// Where the workbench's mask allows a key, in PyTorch and in NumPy: i is the query's position, j the key.
import type { MaskRule, Numbers } from 'attention-wasm';
import type { Program } from './bench-program.js';

/** What PyTorch and NumPy call the same things. */
export interface Arrays {
  /** Of the library. */
  name: string;
  array: (literal: string, dtype: string) => string;
  /** How many of the ascending numbers are at most these. */
  count: (numbers: string, of: string) => string;
}

type Nested = Numbers | readonly Nested[];
const nested = (numbers: Nested): string =>
  typeof numbers === 'number'
    ? String(numbers)
    : `[${Array.from(numbers as number[], nested as never).join(', ')}]`;

/** `i + 2`, `i - 2`, or `i` itself; by an array for numbers of the batch elements. */
export const shifted = (text: string, by: number | string, sign = 1) => {
  if (by === 0) return text;
  const isBack = typeof by === 'string' ? sign < 0 : sign * by < 0;
  return `${text} ${isBack ? '-' : '+'} ${typeof by === 'string' ? by : Math.abs(by)}`;
};

const all = (conditions: readonly string[]) =>
  conditions.length === 1 ? conditions[0]! : `(${conditions.join(' & ') || 'j >= 0'})`;

/** Beyond every key: fills up lists of documents that are shorter than others. */
const NEVER = 2 ** 53;

interface Around extends Pick<Program, 'batches' | 'keys'> {
  /** Where query 0 stands; an array where batch elements differ. */
  first: number | string;
  arrays: Arrays;
}

export function ruleText(rule: MaskRule, around: Around): string {
  const { first, batches, keys } = around;
  const { name, array, count } = around.arrays;
  const whole = (numbers: Nested) => array(nested(numbers), 'int64');
  const perBatch = (numbers: number | Numbers) =>
    typeof numbers === 'number' || numbers.length === 1
      ? String(typeof numbers === 'number' ? numbers : numbers[0])
      : `${whole(numbers)}.reshape(-1, 1, 1, 1)`;
  const row = shifted('i', first, -1);
  const batch = `${name}.arange(${batches}).reshape(-1, 1, 1, 1)`;
  if (typeof rule === 'string') return '(j <= i)';
  switch (rule.kind) {
    case 'causal':
      return '(j <= i)';
    case 'window': {
      const { left, right } = rule;
      return all([
        ...(left === undefined ? [] : [`(j >= i - ${left})`]),
        ...(right === undefined ? [] : [`(j <= i + ${right})`]),
      ]);
    }
    case 'prefix':
      return `((j < ${perBatch(rule.length)}) | (j <= i))`;
    case 'lengths':
      return all([
        `(j < ${perBatch(rule.keys)})`,
        ...(rule.queries ? [`(${row} < ${perBatch(rule.queries)})`] : []),
      ]);
    case 'documents': {
      const { starts, ids } = rule;
      if (ids) {
        const isOne = typeof ids[0] === 'number';
        const of = (place: string) => `${whole(ids)}[${isOne ? '' : `${batch}, `}${place}]`;
        const own = of(`${name}.clip(i, 0, ${keys - 1})`);
        return `((${own} == ${of('j')}) & (i >= 0) & (i < ${keys}))`;
      }
      const lists = typeof starts![0] === 'object' ? (starts as readonly Numbers[]) : [];
      if (lists.length === 0) {
        const [own, other] = ['i', 'j'].map((of) => count(whole(starts as Numbers), of));
        return `(${own} == ${other})`;
      }
      const most = Math.max(...lists.map(({ length }) => length), 1);
      const full = lists.map((list) => [...list, ...Array<number>(most - list.length).fill(NEVER)]);
      const table = `${whole(full)}.reshape(-1, 1, 1, 1, ${most})`;
      const [own, other] = ['i', 'j'].map((of) => `(${table} <= ${of}[..., None]).sum(-1)`);
      return `(${own} == ${other})`;
    }
    case 'global': {
      const tokens = whole(rule.tokens);
      return `(${name}.isin(i, ${tokens}) | ${name}.isin(j, ${tokens}))`;
    }
    case 'strided':
      return `((i - j) % ${rule.stride} == 0)`;
    case 'dilated': {
      const { left, right, dilation } = rule;
      return all([
        `((i - j) % ${dilation} == 0)`,
        ...(left === undefined ? [] : [`(i - j <= ${left * dilation})`]),
        ...(right === undefined ? [] : [`(j - i <= ${right * dilation})`]),
      ]);
    }
    case 'blocks': {
      const layout = rule.layout as readonly (readonly (boolean | readonly boolean[])[])[];
      const isPerHead = typeof layout[0]?.[0] === 'object';
      const on = JSON.stringify(layout).replaceAll('true', 'True').replaceAll('false', 'False');
      const head = isPerHead ? `${name}.arange(${layout.length}).reshape(-1, 1, 1), ` : '';
      return `${array(on, 'bool')}[${head}(${row}) // ${rule.size}, j // ${rule.size}]`;
    }
    case 'padding':
      return `${rule.blocked ? '~' : ''}mask.reshape(-1, 1, 1, mask.shape[-1])`;
    case 'blocked':
      return '~mask';
    case 'allowed':
      return 'mask';
    case 'any':
      return `(${rule.of.map((each) => ruleText(each, around)).join(' | ')})`;
    case 'not':
      return `(~(${ruleText(rule.of, around)}))`;
    default:
      throw new Error(rule.kind);
  }
}
