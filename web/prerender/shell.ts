// What all pages have around their contents: the document's head, the bar at the top, the foot.
import { readFile, readdir } from 'node:fs/promises';
import type MarkdownIt from 'markdown-it';
import type en from '../content/en/shell.json';
import type { Language, Words } from '../state/words.js';
import { type Section, anchorLink, parseSection } from './markdown.js';

export const content = new URL('../content/', import.meta.url);
export const languages: Record<Language, { tag: string; locale: string; other: Language }> = {
  en: { tag: 'en', locale: 'en_GB', other: 'zh' },
  zh: { tag: 'zh-Hans', locale: 'zh_CN', other: 'en' },
};

/** The interface's words, and those that stand around the figures. */
export type PageWords = Words & typeof en;

export async function readWords(language: Language): Promise<PageWords> {
  const names = ['words', 'shell'].map((name) => new URL(`${language}/${name}.json`, content));
  const texts = await Promise.all(names.map((name) => readFile(name, 'utf8')));
  return Object.assign({}, ...texts.map((text) => JSON.parse(text) as object)) as PageWords;
}

/** The Markdown files of a folder of web/content, in the order of their names. */
export async function readSections(folder: string): Promise<Section[]> {
  const place = new URL(folder, content);
  const files = (await readdir(place)).filter((name) => name.endsWith('.md')).sort();
  return Promise.all(
    files.map(async (name) => parseSection(name, await readFile(new URL(name, place), 'utf8'))),
  );
}

export const escape = (text: string) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!,
  );

/** A section under its title. */
export const sectionMarkup = (
  { id, title }: Section,
  body: string,
  markdown: MarkdownIt,
  words: PageWords,
) => `
      <section id="${id}" aria-labelledby="${id}-title">
        <h2 id="${id}-title">${markdown.renderInline(title)}${anchorLink(id, words)}</h2>
        ${body}
      </section>`;

export interface Shell {
  language: Language;
  title: string;
  description: string;
  /** Where the page is below the site's root: `'en/docs/'`. */
  path: string;
  /** The same page in the other language, or the nearest to it. */
  otherPath: string;
  /** Whether the link to the other language takes the state in the address along. */
  keepsState?: boolean;
  sections: Pick<Section, 'id' | 'nav'>[];
  /** Links to the site's other pages: [path, what it says]. */
  pages: [path: string, label: string][];
  styles: string[];
  script: string;
  main: string;
}

/** A whole page. */
export async function shell(page: Shell): Promise<string> {
  const { language, path, sections, styles, script } = page;
  const { tag, locale, other } = languages[language];
  const [words, otherWords] = await Promise.all([readWords(language), readWords(other)]);
  const up = path.replace(/[^/]+\//g, '../');
  const otherTag = languages[other].tag;
  const contents = sections.map(({ id, nav }) => `<li><a href="#${id}">${escape(nav)}</a></li>`);
  const pages = page.pages.map(([to, label]) => `<a href="${up}${to}">${escape(label)}</a>`);
  const themes = Object.entries(words.themes).map(
    ([value, label]) => `<option value="${value}">${escape(label)}</option>`,
  );
  const sheets = styles.map((sheet) => `<link rel="stylesheet" href="/styles/${sheet}" />`);
  return `<!doctype html>
<html lang="${tag}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(page.title)}</title>
    <meta name="description" content="${escape(page.description)}" />
    <meta property="og:type" content="article" />
    <meta property="og:title" content="${escape(page.title)}" />
    <meta property="og:description" content="${escape(page.description)}" />
    <meta property="og:locale" content="${locale}" />
    <meta property="og:locale:alternate" content="${languages[other].locale}" />
    <meta name="twitter:card" content="summary" />
    <link vite-ignore rel="alternate" hreflang="${otherTag}" href="${up}${page.otherPath}" />
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <script src="/theme.js"></script>
    ${sheets.join('\n    ')}
    <script type="module" src="/${script}"></script>
  </head>
  <body>
    <a class="skip" href="#${sections[0]!.id}">${escape(words.skip)}</a>
    <header class="top">
      <details class="contents">
        <summary><span>${escape(words.contents)}</span><span class="here"></span></summary>
        <nav aria-label="${escape(words.contents)}"><ol>${contents.join('')}</ol></nav>
      </details>
      <div class="settings">
        ${pages.join('\n        ')}
        <a class="other-language" href="${up}${page.otherPath}" hreflang="${otherTag}" lang="${otherTag}"${page.keepsState ? ' data-keep-state' : ''}>${escape(otherWords.language)}</a>
        <label class="theme" hidden><span class="visually-hidden">${escape(words.theme)}</span><select id="theme">${themes.join('')}</select></label>
      </div>
    </header>
    <main>${page.main}
    </main>
    <footer><p>${escape(words.footer)}</p></footer>
  </body>
</html>`;
}
