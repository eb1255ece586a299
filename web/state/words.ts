// The interface's own words, in both languages; the prose lives in content/*.md.
import type en from '../content/en/words.json';

export type Words = typeof en;
export type Language = 'en' | 'zh';

/** Puts values in place of {names}. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The rules that forbid a pair, by their names. */
export const rulesText = (rules: readonly string[], words: Words): string =>
  rules.map((rule) => words.rules[rule as keyof Words['rules']] ?? rule).join(words.comma);

/** What to say of an entry that is not a number; nothing of none. */
export function complaintOf(words: Words, entry: string | undefined): string {
  if (entry === undefined) return '';
  return entry.trim() === '' ? words.emptyNumber : fill(words.badNumber, { text: entry });
}
