// What the figures of rows that see nothing have in common: query 2 may read nothing, or what the causal
// rule leaves it; the other queries are causal.
import en from '../content/en/figures/hidden-row.json';
import zh from '../content/zh/figures/hidden-row.json';
import { choiceView } from '../draw/controls.js';
import type { Case } from '../state/case.js';
import type { Page } from '../state/page.js';

const kinds = ['all', 'causal'] as const;
export type Hidden = (typeof kinds)[number];

/** The query that may read nothing. */
export const EMPTY = 1;
export const isEmpty = (hidden: Hidden, i: number) => hidden === 'all' && i === EMPTY;
export const isHidden = (hidden: Hidden, i: number, j: number) => isEmpty(hidden, i) || j > i;

/** The rule behind each cell, in the way in which a frame says it. */
export const causeOf = ({ of, hidden }: { of: Case; hidden: Hidden }) =>
  of.query.map((_, i) => of.key.map((_key, j) => (isHidden(hidden, i, j) ? ['blocked'] : [])));

/** Of a figure's settings, `hide`. */
export const readHidden = (text: string) => kinds.find((kind) => kind === text);

export function hiddenView(
  { language }: Page,
  value: Hidden,
  set: (key: 'hide', to: Hidden | undefined) => void,
) {
  const own = { en, zh }[language];
  return choiceView<Hidden>({
    label: own.label,
    name: 'hidden',
    options: kinds.map((kind) => [kind, own.kinds[kind]]),
    value,
    change: (to) => set('hide', to === 'all' ? undefined : to),
  });
}
