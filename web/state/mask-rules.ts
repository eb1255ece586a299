// The mask a reader puts together: its settings in a link, and as the library's rules.
import type { AttentionOptions, MaskRule } from 'attention-wasm';

export const ruleNames = ['causal', 'padding', 'window', 'prefix', 'documents'] as const;
export type RuleName = (typeof ruleNames)[number];

export interface MaskSetting {
  queries: number;
  keys: number;
  rules: readonly RuleName[];
  /** Of the window: keys before the query's own. */
  left: number;
  /** Of the prefix. */
  length: number;
  /** Where the second document begins, from 1. */
  second: number;
  padded: number;
  side: 'right' | 'left';
  start: 'top-left' | 'bottom-right';
  /** Cells forbidden by hand, row by row, counted from 0. */
  painted: ReadonlySet<string>;
}

export const home: MaskSetting = {
  queries: 6,
  keys: 6,
  rules: ['causal', 'padding'],
  left: 1,
  length: 2,
  second: 4,
  padded: 1,
  side: 'right',
  start: 'bottom-right',
  painted: new Set(),
};

/** Queries of another sequence than the keys. */
export const cross: Partial<MaskSetting> = { rules: ['padding'], queries: 4, padded: 2 };

/** In the order of the table of strategies. */
export const strategies: readonly Partial<MaskSetting>[] = [
  { rules: ['padding'] },
  { rules: ['causal', 'padding'] },
  cross,
  { rules: ['causal', 'window'] },
  { rules: ['prefix'] },
  { rules: ['causal', 'documents'] },
];

export const isPadding = ({ padded, side, keys, rules }: MaskSetting, key: number) =>
  rules.includes('padding') && (side === 'right' ? key >= keys - padded : key < padded);

const bools = (rows: number, columns: number, isTrue: (row: number, column: number) => boolean) =>
  Array.from({ length: rows }, (_row, i) =>
    Array.from({ length: columns }, (_column, j) => isTrue(i, j)),
  );

export interface Written {
  /** What the library is given. */
  rules: MaskRule[];
  /** The same as a reader would type it. */
  code: string[];
  /** Before it, what `painted` in it is; empty where it is not. */
  painted: string;
}

export function rulesOf(setting: MaskSetting): Written {
  const { queries, keys, left, length, second, painted } = setting;
  const rules: MaskRule[] = [];
  const code: string[] = [];
  let rows = '';
  const add = (rule: MaskRule, text: string) => {
    rules.push(rule);
    code.push(text);
  };
  for (const name of setting.rules) {
    if (name === 'causal') add('causal', "'causal'");
    else if (name === 'window') add({ kind: 'window', left }, `{ kind: 'window', left: ${left} }`);
    else if (name === 'prefix')
      add({ kind: 'prefix', length }, `{ kind: 'prefix', length: ${length} }`);
    else if (name === 'documents') {
      const starts = [0, second - 1];
      add({ kind: 'documents', starts }, `{ kind: 'documents', starts: [${starts.join(', ')}] }`);
    } else {
      const blocked = bools(1, keys, (_, key) => isPadding(setting, key));
      add(
        { kind: 'padding', blocked },
        `{ kind: 'padding', blocked: [[${blocked[0]!.join(', ')}]] }`,
      );
    }
  }
  if (painted.size > 0) {
    const isPainted = (row: number, column: number) => painted.has(`${row}.${column}`);
    const mask = bools(queries, keys, isPainted);
    add({ kind: 'blocked', mask }, `{ kind: 'blocked', mask: painted }`);
    rows = `const painted = [\n${mask.map((row) => `  [${row.join(', ')}],\n`).join('')}];\n`;
  }
  return { rules, code, painted: rows };
}

/** As a case has it. */
export function maskOf(setting: MaskSetting): AttentionOptions['mask'] {
  const { rules } = rulesOf(setting);
  if (rules.length > 1) return rules;
  return rules[0] === 'causal' ? 'causal' : rules.length === 0 ? undefined : rules;
}

/** Of a mask as rows; masks of other forms have none here. */
const rowsOf = (mask: unknown): boolean[][] =>
  Array.isArray(mask) && mask.every(Array.isArray) ? (mask as boolean[][]) : [];

/** The setting that makes the mask of a case; undefined where none makes just this one. */
export function settingOf(
  mask: AttentionOptions['mask'],
  [queries, keys]: readonly [number, number],
): MaskSetting | undefined {
  const list = (mask === undefined ? [] : Array.isArray(mask) ? mask : [mask]) as MaskRule[];
  const found = { ...home, queries, keys, rules: [] as RuleName[], painted: new Set<string>() };
  for (const rule of list) {
    if (rule === 'causal') found.rules.push(rule);
    else if (typeof rule === 'string') return undefined;
    else if (rule.kind === 'blocked') {
      rowsOf(rule.mask).forEach((row, i) =>
        row.forEach((isBlocked, j) => isBlocked && found.painted.add(`${i}.${j}`)),
      );
    } else {
      const name = ruleNames.find((each) => each === rule.kind);
      if (!name) return undefined;
      found.rules.push(name);
      if (rule.kind === 'window') found.left = rule.left as number;
      else if (rule.kind === 'prefix') found.length = rule.length as number;
      else if (rule.kind === 'documents') found.second = (rule.starts as number[])[1]! + 1;
      else if (rule.kind === 'padding') {
        const [blocked = []] = rowsOf(rule.blocked);
        found.padded = blocked.filter(Boolean).length;
        found.side = blocked[0] ? 'left' : 'right';
      }
    }
  }
  const setting = clamped(found);
  return JSON.stringify(rulesOf(setting).rules) === JSON.stringify(list) ? setting : undefined;
}

/** A rule that counts positions must be told where query 1 stands when T ≠ S. */
export const needsStart = ({ queries, keys, rules }: MaskSetting) =>
  queries !== keys && rules.some((name) => name !== 'padding');

const numbers = ['queries', 'keys', 'left', 'length', 'second', 'padded'] as const;
type Numeric = (typeof numbers)[number];
export const limitsOf = ({
  keys,
}: Pick<MaskSetting, 'keys'>): Record<Numeric, readonly [number, number]> => ({
  queries: [1, 10],
  keys: [1, 10],
  left: [0, keys - 1],
  length: [0, keys],
  second: [1, keys],
  padded: [0, keys],
});

const textsOf = (setting: MaskSetting): Record<string, string> => ({
  ...Object.fromEntries(numbers.map((name) => [name, String(setting[name])])),
  rules: setting.rules.join('+'),
  side: setting.side,
  start: setting.start,
  paint: counted(setting.painted, 1).join('+'),
});

/** Cells whose rows and columns are counted from 0, counted from 1, or the other way round. */
const counted = (cells: Iterable<string>, more: 1 | -1) =>
  [...cells].map((cell) =>
    cell
      .split('.')
      .map((index) => Number(index) + more)
      .join('.'),
  );

/** What `names` say of it: unless given, those that differ from home. Undefined where that is nothing. */
export function write(setting: MaskSetting, names?: Iterable<string>): string | undefined {
  const [texts, usual] = [textsOf(setting), textsOf(home)];
  const said = names ?? Object.keys(texts).filter((name) => texts[name] !== usual[name]);
  const parts = [...said].filter((name) => name in texts).map((name) => `${name}:${texts[name]}`);
  return parts.length > 0 ? parts.join(',') : undefined;
}

/** What a text says, by name. */
export const fieldsOf = (text: string): Map<string, string> =>
  new Map(
    text.split(',').map((part): [string, string] => {
      const [name = '', value = ''] = part.split(':');
      return [name, value];
    }),
  );

export function read(text: string, sizes: Partial<MaskSetting> = {}): MaskSetting {
  const fields = fieldsOf(text);
  const setting = { ...home, ...sizes };
  const rules = fields.get('rules')?.split('+');
  if (rules) setting.rules = ruleNames.filter((name) => rules.includes(name));
  if (fields.get('side') === 'left') setting.side = 'left';
  if (fields.get('start') === 'top-left') setting.start = 'top-left';
  return clamped(
    setting,
    (name) => {
      const value = Number(fields.get(name) ?? NaN);
      return Number.isInteger(value) ? value : setting[name];
    },
    counted(fields.get('paint')?.split('+') ?? [], -1),
  );
}

/** Every number within its limits, and only cells that exist painted. */
export function clamped(
  setting: MaskSetting,
  valueOf = (name: Numeric): number => setting[name],
  painted: Iterable<string> = setting.painted,
): MaskSetting {
  const keys = Math.min(Math.max(valueOf('keys'), 1), 10);
  const limits = limitsOf({ keys });
  const values = Object.fromEntries(
    numbers.map((name) => {
      const [low, high] = limits[name];
      return [name, Math.min(Math.max(valueOf(name), low), high)];
    }),
  ) as Record<Numeric, number>;
  const exists = (cell: string) => {
    const [row = NaN, column = NaN] = cell.split('.').map(Number);
    const isIn = row >= 0 && row < values.queries && column >= 0 && column < values.keys;
    return isIn && cell === `${row}.${column}`;
  };
  return { ...setting, ...values, painted: new Set([...painted].filter(exists)) };
}
