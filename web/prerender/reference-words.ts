// What the library says of itself is English; on a Chinese page each of its texts has a Chinese one.
import { readFile } from 'node:fs/promises';
import type en from '../content/en/reference/words.json';
import type { Language } from '../state/words.js';
import { content } from './shell.js';

export interface Said {
  /** The words of the page itself. */
  words: typeof en;
  /** A text of the library in the page's language. */
  say: (text: string) => string;
  /** Complains of translations that nothing asked for. */
  finish: () => void;
}

const read = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(path, content), 'utf8'));

export async function readSaid(language: Language): Promise<Said> {
  const words = (await read(`${language}/reference/words.json`)) as typeof en;
  if (language === 'en') return { words, say: (text) => text, finish: () => undefined };

  const place = `reference/${language}.json`;
  const texts = (await read(place)) as Record<string, string>;
  const unused = new Set(Object.keys(texts));
  return {
    words,
    say(text) {
      // As it was before it was broken into the lines of a comment.
      const whole = text.trim().replace(/\s+/g, ' ');
      if (whole === '') return '';
      unused.delete(whole);
      const found = texts[whole];
      if (!found) throw new Error(`web/content/${place} has nothing for “${whole}”`);
      return found;
    },
    finish() {
      if (unused.size === 0) return;
      throw new Error(`web/content/${place} has what nothing says: ${[...unused].join(' | ')}`);
    },
  };
}
