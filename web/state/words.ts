// The interface's own words, in both languages; the prose lives in content/*.md.
import type en from '../content/en/words.json';

export type Words = typeof en;
export type Language = 'en' | 'zh';

/** Puts values in place of {names}. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
