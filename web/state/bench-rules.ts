// The rules of the workbench's mask: how they are combined, how a link writes them, and what the
// library is given.
import type { MaskRule } from 'attention-wasm';
import { halfWidth, readWholes } from './parse.js';

/** One list of numbers, or one for each batch element, or rows of blocks. */
export type Lists = readonly (readonly number[])[];

interface RuleField {
  /** The lowest number that makes sense; without it any does. */
  low?: number;
  /**
   * One number unless said: `blank`, one or none; `each`, one, or one for each batch element; `list`,
   * any count; `lists`, such a list, or one for each batch element; `bits`, rows of 0 and 1.
   */
  many?: 'blank' | 'each' | 'list' | 'lists' | 'bits';
  /** Need not be said. */
  isOptional?: true;
  /** Exactly one of the two is said. */
  insteadOf?: 'starts';
  /** Places are counted from 1 here and in links, from 0 by the library. */
  isPlace?: true;
}
const limit: RuleField = { low: 0, many: 'blank' };

/** The kinds of rules, with their fields as the library names them; `tensor` is the one brought. */
export const ruleFields = {
  causal: {},
  window: { left: limit, right: limit },
  prefix: { length: { low: 0, many: 'each' } },
  lengths: {
    keys: { low: 0, many: 'list' },
    queries: { low: 0, many: 'list', isOptional: true },
  },
  documents: {
    starts: { low: 1, many: 'lists', isPlace: true },
    ids: { many: 'lists', insteadOf: 'starts' },
  },
  global: { tokens: { low: 1, many: 'list', isPlace: true } },
  strided: { stride: { low: 1 } },
  dilated: { left: limit, right: limit, dilation: { low: 1 } },
  blocks: { size: { low: 1 }, layout: { many: 'bits' } },
  tensor: {},
} satisfies Record<string, Record<string, RuleField>>;
export type RuleKind = keyof typeof ruleFields;
export const ruleKinds = Object.keys(ruleFields) as RuleKind[];
export type FieldName = { [Kind in RuleKind]: keyof (typeof ruleFields)[Kind] }[RuleKind];
type NamedField = readonly [name: FieldName, field: RuleField];
export const fieldsOf = (kind: RuleKind) => Object.entries(ruleFields[kind]) as NamedField[];
export type FieldNumbers = Readonly<Partial<Record<FieldName, Lists>>>;

export interface Rule {
  kind: RuleKind;
  /** Whether it and the rule above are one group, of which one is enough; every group must allow. */
  isOr: boolean;
  /** Whether it allows just what its kind forbids. */
  isNot: boolean;
  numbers: FieldNumbers;
}
export type Rules = readonly Rule[];

export const plainRule = (kind: RuleKind, numbers: FieldNumbers = {}): Rule => ({
  ...{ kind, numbers },
  ...{ isOr: false, isNot: false },
});

/** The rules that are one group, of all groups. */
export function groupsOf(rules: Rules): Rule[][] {
  const groups: Rule[][] = [];
  for (const rule of rules) {
    if (rule.isOr && groups.length > 0) groups.at(-1)!.push(rule);
    else groups.push([rule]);
  }
  return groups;
}

/** With the tensor that was brought as the last rule, unless it has its place among them. */
export const withTensor = (rules: Rules): Rules =>
  rules.some(({ kind }) => kind === 'tensor') ? rules : [...rules, plainRule('tensor')];

/** What a rule needs to know of the call. */
export interface RuleSizes {
  batches: number;
  heads: number;
  queries: number;
  keys: number;
}

/** What a rule starts with. */
export function firstNumbers(kind: RuleKind, sizes: RuleSizes): FieldNumbers {
  const { batches, queries, keys } = sizes;
  const size = Math.max(Math.ceil(Math.max(queries, keys) / 8), 2);
  const row = (at: number, count: number) => Array.from({ length: count }, (_, j) => +(j <= at));
  const [rows, columns] = [queries, keys].map((length) => Math.max(Math.ceil(length / size), 1));
  const first: { [Kind in RuleKind]: FieldNumbers } = {
    causal: {},
    window: { left: [[1]], right: [[0]] },
    prefix: { length: [[1]] },
    lengths: { keys: [Array<number>(batches).fill(keys)] },
    documents: { starts: [[...new Set([1, Math.floor(keys / 2) + 1])]] },
    global: { tokens: [[1]] },
    strided: { stride: [[2]] },
    dilated: { left: [[1]], right: [[0]], dilation: [[2]] },
    blocks: {
      size: [[size]],
      layout: Array.from({ length: rows! }, (_, at) => row(at, columns!)),
    },
    tensor: {},
  };
  return first[kind];
}

/** A field's numbers as the library takes them. */
function valueOf(lists: Lists, { many, isPlace, isOptional }: RuleField): unknown {
  const given = lists.map((list) => list.map((x) => (isPlace ? x - 1 : x)));
  const [first] = given;
  if (many === 'lists') return given.length > 1 ? given : first;
  if (many === 'list') return first ?? (isOptional ? undefined : []);
  return first && first.length > 1 ? first : first?.[0];
}

/** Rows of blocks; where there are as many as all heads need, each head's own. */
function layoutOf(rows: Lists, size: number, { queries, heads }: RuleSizes): unknown {
  const layout = rows.map((row) => row.map(Boolean));
  const perHead = Math.ceil(queries / size);
  if (heads === 1 || rows.length !== perHead * heads) return layout;
  return Array.from({ length: heads }, (_, h) => layout.slice(h * perHead, (h + 1) * perHead));
}

function ruleOf({ kind, numbers }: Rule, sizes: RuleSizes, tensor?: MaskRule): MaskRule {
  if (kind === 'tensor') return tensor!;
  const fields = fieldsOf(kind).map(([name, field]) => {
    const lists = numbers[name] ?? [];
    const isLayout = field.many === 'bits';
    return [name, isLayout ? layoutOf(lists, numbers.size![0]![0]!, sizes) : valueOf(lists, field)];
  });
  return { kind, ...Object.fromEntries(fields) } as MaskRule;
}

/** A rule of the library for each group. */
export function maskRules(rules: Rules, sizes: RuleSizes, tensor?: MaskRule): MaskRule[] {
  const made = (rule: Rule): MaskRule => {
    const of = ruleOf(rule, sizes, tensor);
    return rule.isNot ? { kind: 'not', of } : of;
  };
  return groupsOf(rules).map((group) =>
    group.length === 1 ? made(group[0]!) : { kind: 'any', of: group.map(made) },
  );
}

const isNested = ({ many }: RuleField) => many === 'lists' || many === 'bits';

/** `1, 3; 1, 2`, or rows of blocks as `10; 11`; brackets may stand around the lists. */
export function readLists(text: string, field: RuleField): Lists | undefined {
  const plain = halfWidth(text)
    .replace(/\]\s*,?\s*\[/g, ';')
    .replace(/[[\]]/g, '');
  const lists = plain.split(';').map((part) => {
    if (field.many !== 'bits') return readWholes(part);
    const digits = part.replace(/[\s,、.]/g, '');
    return /^[01]*$/.test(digits) ? Array.from(digits, Number) : undefined;
  });
  if (!lists.every((list) => list !== undefined)) return undefined;
  if (isNested(field)) return lists.at(-1)!.length > 0 ? lists : lists.slice(0, -1);
  return lists.flat().length > 0 ? [lists.flat()] : [];
}

/** As `readLists` reads it. */
export const writeLists = (lists: Lists, { many }: RuleField): string =>
  lists.map((list) => list.join(many === 'bits' ? '' : ', ')).join('; ');

/** The numbers brought into bounds; undefined where there are too many or too few. */
function fitted(lists: Lists, { low = -Infinity, many }: RuleField): Lists | undefined {
  const count = lists[0]?.length ?? 0;
  const most = many === undefined || many === 'blank' ? 1 : Infinity;
  const least = many === undefined || many === 'each' || many === 'bits' ? 1 : 0;
  const fits = count >= least && count <= most;
  return fits ? lists.map((list) => list.map((x) => Math.max(x, low))) : undefined;
}

export const fits = (lists: Lists, field: RuleField) => fitted(lists, field) !== undefined;

/** `causal~window.left.3.right.0~or.not.global.tokens.1`: rules, each with its fields' numbers. */
export function writeRules(rules: Rules): string {
  const written = rules.map(({ kind, isOr, isNot, numbers }) => {
    const fields = fieldsOf(kind).flatMap(([name, field]) => {
      const lists = numbers[name] ?? [];
      const text = writeLists(lists, field).replaceAll(', ', '.').replaceAll('; ', ';');
      return lists.length > 0 ? [`${name}.${text}`] : [];
    });
    return [...(isOr ? ['or'] : []), ...(isNot ? ['not'] : []), kind, ...fields].join('.');
  });
  return written.join('~') || 'none';
}

function readRule(text: string): Rule | undefined {
  const [, isOr, isNot, kind = '', rest = ''] =
    /^(or\.)?(not\.)?([a-z]+)((?:\.[a-z]+\.[-\d.;]*)*)$/.exec(text) ?? [];
  if (!Object.hasOwn(ruleFields, kind)) return undefined;
  const known = fieldsOf(kind as RuleKind);
  const given = new Map(
    [...rest.matchAll(/\.([a-z]+)\.([-\d.;]*?)(?=\.[a-z]|$)/g)].map(([, name, list]) => [
      name!,
      list!,
    ]),
  );
  if ([...given.keys()].some((name) => !known.some(([own]) => own === name))) return undefined;
  const numbers: Partial<Record<FieldName, Lists>> = {};
  for (const [name, field] of known) {
    const lists = readLists((given.get(name) ?? '').replaceAll('.', ','), field);
    const taken = lists && fitted(lists, field);
    if (!taken) return undefined;
    if (taken.length > 0) numbers[name] = taken;
    if (field.insteadOf && !numbers[name] === !numbers[field.insteadOf]) return undefined;
  }
  return { kind: kind as RuleKind, isOr: isOr !== undefined, isNot: isNot !== undefined, numbers };
}

export function readRules(text: string): Rules | undefined {
  if (text === 'none') return [];
  const rules = text.split('~').map(readRule);
  if (!rules.every((rule) => rule !== undefined)) return undefined;
  return rules.map((rule, at) => (at === 0 ? { ...rule, isOr: false } : rule));
}
