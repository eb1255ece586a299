// One language's page as HTML, from its prose, its words and the figures' first frames.
import { readFile, readdir } from 'node:fs/promises';
import type { Language, Words } from '../state/words.js';
import { dataProse } from './data.js';
import type { FirstFrames } from './first-frames.js';
import { type Section, anchorLink, markdownFor, parseSection } from './markdown.js';

const content = new URL('../content/', import.meta.url);
export const languages: Record<Language, { tag: string; other: Language }> = {
  en: { tag: 'en', other: 'zh' },
  zh: { tag: 'zh-Hans', other: 'en' },
};

export const readWords = async (language: Language): Promise<Words> =>
  JSON.parse(await readFile(new URL(`${language}/words.json`, content), 'utf8')) as Words;

async function readSections(language: Language): Promise<Section[]> {
  const folder = new URL(`${language}/`, content);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
  return Promise.all(
    files.map(async (name) => parseSection(name, await readFile(new URL(name, folder), 'utf8'))),
  );
}

const escape = (text: string) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!,
  );

/** Each figure's first frame goes inside its element, before the prose that stands there. */
function withFirstFrames(
  markup: string,
  frames: FirstFrames,
  prose: Record<string, string>,
): string {
  // Markdown takes an element that opens and closes on one line for a paragraph's text.
  const blocks = markup.replace(/<p>(<(attention-[\w-]+)><\/\2>)<\/p>/g, '$1');
  return blocks.replace(/<(attention-[\w-]+)>/g, (_, name: string) => {
    const frame = frames[name];
    const first = frame === undefined ? '' : `<figure class="first-frame">${frame}</figure>`;
    return `<${name} data-figure>${first}${prose[name] ?? ''}`;
  });
}

function controls(language: Language, words: Words, otherWords: Words): string {
  const { other } = languages[language];
  const options = Object.entries(words.themes).map(
    ([value, label]) => `<option value="${value}">${escape(label)}</option>`,
  );
  return `<a class="other-language" href="../${other}/" hreflang="${languages[other].tag}" lang="${languages[other].tag}" data-keep-state>${escape(otherWords.language)}</a>
    <label class="theme" hidden><span class="visually-hidden">${escape(words.theme)}</span><select id="theme">${options.join('')}</select></label>`;
}

export async function renderPage(language: Language, frames: FirstFrames): Promise<string> {
  const { tag, other } = languages[language];
  const [words, otherWords] = await Promise.all([readWords(language), readWords(other)]);
  const sections = await readSections(language);
  const markdown = markdownFor(words);
  const prose = await dataProse(language, words, markdown);
  const [opening, ...rest] = sections.map(({ body, ...fields }) => ({
    ...fields,
    html: withFirstFrames(markdown.render(body), frames, prose),
  }));
  const contents = sections.map(({ id, nav }) => `<li><a href="#${id}">${escape(nav)}</a></li>`);
  const section = ({ id, title, html }: (typeof rest)[number]) => `
      <section id="${id}" aria-labelledby="${id}-title">
        <h2 id="${id}-title">${markdown.renderInline(title)}${anchorLink(id, words)}</h2>
        ${html}
      </section>`;
  return `<!doctype html>
<html lang="${tag}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(opening!.title)}</title>
    <meta name="description" content="${escape(words.description)}" />
    <link vite-ignore rel="alternate" hreflang="${languages[other].tag}" href="../${other}/" />
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <script src="/theme.js"></script>
    <link rel="stylesheet" href="/styles/page.css" />
    <script type="module" src="/main.ts"></script>
  </head>
  <body>
    <a class="skip" href="#${opening!.id}">${escape(words.skip)}</a>
    <header class="top">
      <details class="contents">
        <summary>${escape(words.contents)}</summary>
        <nav aria-label="${escape(words.contents)}"><ol>${contents.join('')}</ol></nav>
      </details>
      <div class="settings">${controls(language, words, otherWords)}</div>
    </header>
    <main>
      <section id="${opening!.id}" class="opening">
        <h1>${markdown.renderInline(opening!.title)}</h1>
        <noscript><div class="notice">${escape(words.noScript)}</div></noscript>
        <div class="notice" id="load-failed" role="status" hidden></div>
        ${opening!.html.replace(/<(\/?)h3/g, (_, close: string) => (close ? '</h2' : '<h2 class="minor"'))}
      </section>${rest.map(section).join('')}
    </main>
    <footer><p>${escape(words.footer)}</p></footer>
  </body>
</html>`;
}

/** The root: a script sends the reader on in their language; without one they choose. */
export async function renderRoot(): Promise<string> {
  const [en, zh] = await Promise.all([readWords('en'), readWords('zh')]);
  const link = (language: Language, words: Words) =>
    `<p><a href="./${language}/" hreflang="${languages[language].tag}" lang="${languages[language].tag}">${escape(words.language)} — ${escape(words.title)}</a></p>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(en.title)} · ${escape(zh.title)}</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <script src="/theme.js"></script>
    <script src="/language.js"></script>
    <link rel="stylesheet" href="/styles/page.css" />
  </head>
  <body>
    <main class="choice">${link('zh', zh)}${link('en', en)}</main>
  </body>
</html>`;
}
