// What the workbench is set to: every option of its call that is not a tensor, and what of the
// result is looked at. One reading serves the link and the controls, so both check alike.
import type { MaskRule } from 'attention-wasm';
import { halfWidth, parseNumber } from './parse.js';

export const stageNames = [
  'scores',
  'scaled',
  'capped',
  'biased',
  'masked',
  'weights',
  'dropped',
  'output',
] as const;
export type StageName = (typeof stageNames)[number];

interface RuleField {
  /** The lowest number that makes sense. */
  low: number;
  /** `list`: any count of numbers; `each`: one, or one for each batch element; `blank`: one or none. */
  many?: 'list' | 'each' | 'blank';
  /** Need not be said, of a list. */
  isOptional?: true;
  /** Places are counted from 1 here and in links, from 0 by the library. */
  isPlace?: true;
}
const limit: RuleField = { low: 0, many: 'blank' };

/** The mask rules that are made of numbers, with the fields as the library names them. */
export const ruleFields = {
  causal: {},
  window: { left: limit, right: limit },
  prefix: { length: { low: 0, many: 'each' } },
  lengths: {
    keys: { low: 0, many: 'list' },
    queries: { low: 0, many: 'list', isOptional: true },
  },
  documents: { starts: { low: 1, many: 'list', isPlace: true } },
  global: { tokens: { low: 1, many: 'list', isPlace: true } },
  strided: { stride: { low: 1 } },
  dilated: { left: limit, right: limit, dilation: { low: 1 } },
} satisfies Record<string, Record<string, RuleField>>;
export type RuleKind = keyof typeof ruleFields;
export const ruleKinds = Object.keys(ruleFields) as RuleKind[];
export type FieldName = { [Kind in RuleKind]: keyof (typeof ruleFields)[Kind] }[RuleKind];
export const fieldsOf = (kind: RuleKind) =>
  Object.entries(ruleFields[kind]) as [FieldName, RuleField][];

/** The numbers of each rule that is on, by field. */
export type Rules = Readonly<
  Partial<Record<RuleKind, Readonly<Partial<Record<FieldName, readonly number[]>>>>>
>;

/** What a rule starts with, for so many keys in each of so many batch elements. */
export function firstNumbers(kind: RuleKind, batches: number, keys: number): Rules[RuleKind] {
  const middle = Math.floor(keys / 2) + 1;
  const first: { [Kind in RuleKind]: Rules[RuleKind] } = {
    causal: {},
    window: { left: [1], right: [0] },
    prefix: { length: [1] },
    lengths: { keys: Array<number>(batches).fill(keys) },
    documents: { starts: [...new Set([1, middle])] },
    global: { tokens: [1] },
    strided: { stride: [2] },
    dilated: { left: [1], right: [0], dilation: [2] },
  };
  return first[kind];
}

export function maskRules(rules: Rules): MaskRule[] {
  return ruleKinds.flatMap((kind) => {
    const numbers = rules[kind];
    if (!numbers) return [];
    const fields = fieldsOf(kind).map(([name, { many, isPlace, isOptional }]) => {
      const given = (numbers[name] ?? []).map((x) => (isPlace ? x - 1 : x));
      const isList = many === 'list' ? given.length > 0 || !isOptional : given.length > 1;
      return [name, isList ? given : given[0]] as const;
    });
    return [{ kind, ...Object.fromEntries(fields) } as MaskRule];
  });
}

/** A list with nothing but a comma between its entries. */
const listed = (text: string) =>
  halfWidth(text)
    .split(/[\s,;、]+/)
    .filter((part) => part !== '');

/** Numbers as a reader lists them; undefined for anything else. */
function readNumbers(text: string): number[] | undefined {
  const numbers = listed(text).map(parseNumber);
  return numbers.every((x) => x !== undefined) ? numbers : undefined;
}
export const readWholes = (text: string): number[] | undefined => {
  const numbers = readNumbers(text);
  return numbers?.every(Number.isSafeInteger) ? numbers : undefined;
};

/** The numbers brought into bounds; undefined where there are too many or too few. */
function fitted(numbers: readonly number[], { low, many }: RuleField): number[] | undefined {
  const least = many === 'list' || many === 'blank' ? 0 : 1;
  const most = many === 'list' || many === 'each' ? Infinity : 1;
  const fits = numbers.length >= least && numbers.length <= most;
  return fits ? numbers.map((x) => Math.max(x, low)) : undefined;
}

/** `causal~window.left.3.right.0`: rules, each with its fields and their numbers. */
export function writeRules(rules: Rules): string {
  const written = ruleKinds.flatMap((kind) => {
    const numbers = rules[kind];
    if (!numbers) return [];
    const fields = fieldsOf(kind).map(([name]) => [name, ...(numbers[name] ?? [])]);
    return [[kind, ...fields.filter(({ length }) => length > 1).flat()].join('.')];
  });
  return written.join('~') || 'none';
}

function readRules(text: string): Rules | undefined {
  if (text === 'none') return {};
  const rules: Record<string, Record<string, number[]>> = {};
  for (const part of text.split('~')) {
    const [, kind = '', rest = ''] = /^([a-z]+)((?:\.[a-z]+(?:\.-?\d+)+)*)$/.exec(part) ?? [];
    if (!(kind in ruleFields)) return undefined;
    const known = new Map(fieldsOf(kind as RuleKind));
    const given = new Map(
      [...rest.matchAll(/\.([a-z]+)((?:\.-?\d+)+)/g)].map(([, name, list]) => [name!, list!]),
    );
    if ([...given.keys()].some((name) => !known.has(name as FieldName))) return undefined;
    rules[kind] = {};
    for (const [name, field] of known) {
      const list = readWholes(given.get(name)?.replaceAll('.', ',') ?? '');
      const numbers = list && fitted(list, field);
      if (!numbers) return undefined;
      rules[kind][name] = numbers;
    }
  }
  return rules;
}

interface Setting<Value> {
  home: Value;
  /** Undefined where the text says nothing that can be used; what is out of bounds is brought in. */
  read: (text: string) => Value | undefined;
  write: (value: Value) => string;
}

const oneOf = <Name extends string>(home: Name, ...names: Name[]): Setting<Name> => ({
  home,
  read: (text) => names.find((name) => name === text),
  write: (name) => name,
});
const number = (home: number, low: number, high: number, isWhole = false): Setting<number> => ({
  home,
  read: (text) => {
    const asked = text === '' ? home : parseNumber(text);
    if (asked === undefined) return undefined;
    return Math.min(Math.max(isWhole ? Math.round(asked) : asked, low), high);
  },
  write: String,
});
/** Counted from 1 in links, from 0 in code. */
const index: Setting<number> = {
  home: 0,
  read: (text) => {
    const asked = number(1, 1, Infinity, true).read(text);
    return asked === undefined ? undefined : asked - 1;
  },
  write: (at) => String(at + 1),
};

/** A number for each head. */
const perHead = (text: string) => {
  const numbers = readNumbers(text);
  return numbers && numbers.length > 0 ? numbers : undefined;
};

const aligned = ['unsaid', 'top-left', 'bottom-right'] as const;

export const settings = {
  mask: { home: { causal: {} }, read: readRules, write: writeRules } as Setting<Rules>,
  /** Of the tensor that is brought as the mask; libraries differ, so nothing is taken for granted. */
  meaning: oneOf('unsaid', 'unsaid', 'blocked', 'allowed', 'padding', 'real', 'bias'),
  /** Numbers are the place of query 1, counted from 1: one, or one for each batch element. */
  start: {
    home: 'unsaid',
    read: (text) => {
      const places = readWholes(text) ?? [];
      return aligned.find((name) => name === text) ?? (places.length > 0 ? places : undefined);
    },
    write: String,
  } as Setting<(typeof aligned)[number] | readonly number[]>,
  /** Undefined: 1/√d_k. */
  scale: { home: undefined, read: parseNumber, write: (x) => String(x ?? '') } as Setting<
    number | undefined
  >,
  softcap: number(0, 0, Infinity),
  /** A slope for each head, or the published ones. */
  alibi: {
    home: 'off',
    read: (text) => (text === 'off' || text === 'paper' ? text : perHead(text)),
    write: String,
  } as Setting<'off' | 'paper' | readonly number[]>,
  /** Undefined: none. */
  sinks: { home: undefined, read: perHead, write: (x) => String(x ?? '') } as Setting<
    readonly number[] | undefined
  >,
  dropout: number(0, 0, 1),
  seed: number(1, 0, Number.MAX_SAFE_INTEGER, true),
  dtype: oneOf('float32', 'float32', 'float64'),
  /** What the expected tensor is, where its shape fits both. */
  expected: oneOf('output', 'output', 'weights'),
  batch: index,
  head: index,
  stage: oneOf('weights', ...stageNames),
  /** The cell that is kept, row and column. */
  cell: {
    home: null,
    read: (text) => {
      const [row, column] = readWholes(text.replaceAll('.', ',')) ?? [];
      if (row === undefined || column === undefined) return undefined;
      return [Math.max(row, 1) - 1, Math.max(column, 1) - 1];
    },
    write: (at) => at?.map((x) => x + 1).join('.') ?? '',
  } as Setting<readonly [row: number, column: number] | null>,
};
export type SettingName = keyof typeof settings;
export type Settings = {
  [Name in SettingName]: (typeof settings)[Name] extends Setting<infer Value> ? Value : never;
};
/** What the mask's numbers mean, once it is said. */
export type Meaning = Exclude<Settings['meaning'], 'unsaid'>;
export const settingNames = Object.keys(settings) as SettingName[];
export const home = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].home]),
) as Settings;

/** What was asked for and could not be had, and what there is instead. */
export interface Clamped {
  name: SettingName;
  asked: string;
  used: string;
}

/** The settings that texts say, each by its name; what is not said is as at first. */
export function readSettings(texts: Partial<Record<SettingName, string>>): {
  found: Settings;
  clamped: Clamped[];
} {
  const clamped: Clamped[] = [];
  const found = settingNames.map((name) => {
    const { home, read, write } = settings[name] as Setting<unknown>;
    const asked = texts[name];
    if (asked === undefined || asked === '') return [name, home];
    const value = read(asked) ?? home;
    const used = write(value);
    const [numbers, taken] = [asked, used].map((text) => readNumbers(text)?.join());
    const isSame = used === asked || (numbers !== undefined && numbers === taken);
    if (!isSame) clamped.push({ name, asked, used });
    return [name, value];
  });
  return { found: Object.fromEntries(found) as Settings, clamped };
}

/** Only what is not as at first. */
export function writeSettings(now: Settings): Partial<Record<SettingName, string>> {
  const written = settingNames.flatMap((name) => {
    const { home, write } = settings[name] as Setting<unknown>;
    const text = write(now[name]);
    return text === write(home) ? [] : [[name, text]];
  });
  return Object.fromEntries(written) as Partial<Record<SettingName, string>>;
}

/** The settings as one text, for a file. */
export const settingsText = (now: Settings): string =>
  new URLSearchParams(writeSettings(now)).toString();

export function textsOf(text: string): Partial<Record<SettingName, string>> {
  const said = [...new URLSearchParams(text)].filter(([name]) => name in settings);
  return Object.fromEntries(said);
}
