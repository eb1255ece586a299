// What <attention-mask-painter> shows: the mask that a setting makes, and the weights it leaves.
import { html } from 'lit';
import en from '../content/en/figures/mask-painter.json';
import zh from '../content/zh/figures/mask-painter.json';
import { hatchesView } from '../draw/hatches.js';
import { type Lineage, maskCellsOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { grouped } from '../draw/number.js';
import type { Painted } from '../draw/paint.js';
import { pairView } from '../draw/pair.js';
import { vector } from '../draw/symbols.js';
import type { Case } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import {
  type MaskSetting,
  type RuleName,
  home,
  isPadding,
  needsStart,
  read,
  ruleNames,
  rulesOf,
  settingOf,
} from '../state/mask-rules.js';
import type { Page } from '../state/page.js';
import { randomMatrix } from '../state/random.js';
import { type Words, fill } from '../state/words.js';
import { keepLast } from './traced-figure.js';

export type Own = typeof en;
export type Name = 'mask' | 'weights';
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/**
 * Vectors of four numbers for up to ten queries and keys; a mask is seen on any. The queries are long,
 * so that the weights differ enough to be told apart.
 */
const given = {
  query: randomMatrix([10, 4], 11).map((row) => row.map((x) => 4 * x)),
  key: randomMatrix([10, 4], 12),
};

function caseOf(setting: MaskSetting): Case {
  const [query, key] = [given.query.slice(0, setting.queries), given.key.slice(0, setting.keys)];
  const start = needsStart(setting) ? setting.start : undefined;
  return { query, key, value: key, options: { mask: rulesOf(setting).rules, start } };
}

/** The mask a link says, or that of the page's case, and all that follows from it. */
export const masked = keepLast((page, text: string, mine?: Case) => {
  const setting = mine ? settingOfCase(mine) : text === '' ? home : read(text);
  const frame = frameOf(page, mine ?? caseOf(setting));
  const size = [setting.queries, setting.keys] as const;
  const lineage: Lineage<Name> = {
    shapes: new Map([
      ['mask', size],
      ['weights', size],
    ]),
    operandsOf: (cell) => (cell.stage === 'mask' ? [] : maskCellsOf(frame, cell, 'mask')),
  };
  return { text, setting, frame, lineage };
});

/** A page's case has no other masks: see the stepper. */
const settingOfCase = ({ query, key, options }: Case) =>
  settingOf(options.mask, [query.length, key.length])!;

export type Masked = ReturnType<typeof masked>;

const nameOf = (rule: string, own: Own) =>
  rule === 'blocked' ? own.paint : (own.ruleNames[rule as RuleName] ?? rule);

const heads = (setting: MaskSetting, letter: 'q' | 'k', count: number) =>
  range(count).map((at) => (isPadding(setting, at) ? html`<s>pad</s>` : vector(letter, at)));
const keyHeads = (setting: MaskSetting) => heads(setting, 'k', setting.keys);
/** Where there are as many as keys, the queries are of the same tokens. */
const queryHeads = (setting: MaskSetting) =>
  setting.queries === setting.keys
    ? heads(setting, 'q', setting.queries)
    : range(setting.queries).map((i) => vector('q', i));

export function weightsView(
  { matrices, cause }: Frame,
  setting: MaskSetting,
  words: Words,
  grid?: GridState<Name>,
) {
  return pairView(
    words,
    {
      stage: 'weights',
      title: html`<var>A</var>`,
      values: matrices.weights,
      kind: 'weights',
      queries: queryHeads(setting),
      keys: keyHeads(setting),
      cause: (row, column) => cause[row]?.[column] ?? [],
    },
    grid,
  );
}

export type Reading = keyof Own['readings'];
/** What is added to the scores, or whether a pair is allowed; of an allowed pair and of a masked one. */
const numbersOf: Record<Reading, readonly [number, number]> = {
  added: [0, -Infinity],
  allowed: [1, 0],
};

export function paintedOf(own: Own, { setting, frame }: Masked, reading: Reading): Painted {
  const cause = (row: number, column: number) => frame.cause[row]?.[column] ?? [];
  const number = (row: number, column: number) =>
    numbersOf[reading][cause(row, column).length ? 1 : 0];
  const text = (row: number, column: number) => grouped(number(row, column));
  return {
    label: own.grid,
    rows: setting.queries,
    columns: setting.keys,
    rowHeads: queryHeads(setting),
    columnHeads: keyHeads(setting),
    text,
    number,
    spoken: (row, column) => {
      const rules = cause(row, column)
        .map((rule) => nameOf(rule, own))
        .join(own.comma);
      const values = { query: row + 1, key: column + 1, rules };
      const said = fill(rules === '' ? own.allowedCell : own.blockedCell, values);
      return `${said}: ${text(row, column)}`;
    },
    cause,
  };
}

/** What the rules and the paint can bring; paint is crossed, as are several rules. */
const hatched = [...ruleNames, 'several'] as const;
const asHatched = (cause: Frame['cause']) =>
  cause.map((row) => row.map((rules) => (rules.includes('blocked') ? ['several'] : rules)));

/** A 0/1 table is no M, which is added. */
export const maskView = (
  page: Page,
  { setting, frame }: Masked,
  reading: Reading,
  table: unknown,
) =>
  html`<div class="painter-mask">
    <div>
      <p class="matrix-title">
        <span class="symbol"
          >${reading === 'added' ? html`<var>M</var>` : { en, zh }[page.language].allowed}</span
        >
        <span class="shape">${setting.queries}×${setting.keys}</span>
      </p>
      ${table}
      <p class="axes">${page.words.axes}</p>
    </div>
    ${hatchesView(page.words, asHatched(frame.cause), undefined, hatched)}
  </div>`;
