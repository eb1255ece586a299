// What the workbench is set to: every option of its call that is not a tensor, and what of the
// result is looked at. One reading serves the link and the controls, so both check alike.
import {
  type FieldName,
  type Lists,
  type Rules,
  plainRule,
  readRules,
  writeRules,
} from './bench-rules.js';
import { halfWidth, parseNumber, readNumbers, readWholes } from './parse.js';

/** Those with a row for each query and a column for each key. */
export const pairNames = [
  'scores',
  'scaled',
  'capped',
  'biased',
  'masked',
  'weights',
  'dropped',
] as const;
export const inputNames = ['query', 'key', 'value'] as const;
export const stageNames = [...inputNames, ...pairNames, 'output'] as const;
export type StageName = (typeof stageNames)[number];
export type InputName = (typeof inputNames)[number];
export const isInput = (stage: StageName): stage is InputName =>
  (inputNames as readonly string[]).includes(stage);
export const isPair = (stage: StageName) => (pairNames as readonly string[]).includes(stage);

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

/** The same, or such a list for each batch element: `0.5, 0.25; 1, 2`. */
function perBatchHead(text: string): Lists | undefined {
  const lists = halfWidth(text).replace(/;\s*$/, '').split(';').map(perHead);
  return lists.every((list) => list !== undefined) ? lists : undefined;
}

const aligned = ['unsaid', 'top-left', 'bottom-right'] as const;

export const settings = {
  mask: { home: [plainRule('causal')], read: readRules, write: writeRules } as Setting<Rules>,
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
  /** A slope for each head, of each batch element if they differ, or the published ones. */
  alibi: {
    home: 'off',
    read: (text) => (text === 'off' || text === 'paper' ? text : perBatchHead(text)),
    write: (slopes) => (typeof slopes === 'string' ? slopes : slopes.join(';')),
  } as Setting<'off' | 'paper' | Lists>,
  /** Undefined: none. */
  sinks: { home: undefined, read: perHead, write: (x) => String(x ?? '') } as Setting<
    readonly number[] | undefined
  >,
  dropout: number(0, 0, 1),
  seed: number(1, 0, Number.MAX_SAFE_INTEGER, true),
  dtype: oneOf('float32', 'float32', 'float64', 'float16', 'bfloat16'),
  /** What the expected tensor is, where its shape fits both. */
  expected: oneOf('output', 'output', 'weights'),
  /** How far the colours of the weights of a picture go: to 1, or to a few even shares. */
  colors: oneOf('fixed', 'fixed', 'stretched'),
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
  /** Of a rule, where it is one of its numbers. */
  ruleField?: FieldName;
  asked: string;
  used: string;
}

/** The settings that texts say, each by its name; what is not said is as at first. */
export function readSettings(texts: SettingTexts): {
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
export function writeSettings(now: Settings): SettingTexts {
  const written = settingNames.flatMap((name) => {
    const { home, write } = settings[name] as Setting<unknown>;
    const text = write(now[name]);
    return text === write(home) ? [] : [[name, text]];
  });
  return Object.fromEntries(written) as SettingTexts;
}

/** The settings as one text, for a file. */
export const settingsText = (now: Settings): string =>
  new URLSearchParams(writeSettings(now)).toString();

/** Settings by their texts; an empty one is as at first. */
export type SettingTexts = Partial<Record<SettingName, string>>;
/** Every setting as at first. */
export const blank: SettingTexts = Object.fromEntries(settingNames.map((name) => [name, '']));

export function textsOf(text: string): SettingTexts {
  const said = [...new URLSearchParams(text)].filter(([name]) => name in settings);
  return Object.fromEntries(said);
}
