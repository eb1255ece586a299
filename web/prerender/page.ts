// The article in one language as HTML, from its prose, its words and the figures' first frames.
import type { Language } from '../state/words.js';
import { dataProse } from './data.js';
import type { FirstFrames } from './first-frames.js';
import { markdownFor } from './markdown.js';
import {
  type PageWords,
  escape,
  languages,
  readSections,
  readWords,
  sectionMarkup,
  shell,
} from './shell.js';

/**
 * Each figure's first frame goes inside its element, before the prose that stands there; places of the
 * prose are filled.
 */
function withFirstFrames(
  markup: string,
  { frames, places }: FirstFrames,
  prose: Record<string, string>,
): string {
  // Markdown takes an element that opens and closes on one line for a paragraph's text.
  const blocks = markup.replace(/<p>(<(attention-[\w-]+)><\/\2>)<\/p>/g, '$1');
  return blocks.replace(/<(attention-[\w-]+)>/g, (_, name: string) => {
    const frame = frames[name];
    const first = frame === undefined ? '' : `<figure class="first-frame">${frame}</figure>`;
    const own = (prose[name] ?? '').replace(
      /(<div data-place="([\w.-]+)">)(?=<\/div>)/g,
      (_, open: string, place: string) => open + (places[place] ?? ''),
    );
    const id = name.replace('attention-', 'figure-');
    return `<${name} id="${id}" data-figure>${first}${own}`;
  });
}

export async function renderPage(language: Language, frames: FirstFrames): Promise<string> {
  const [words, sections] = await Promise.all([readWords(language), readSections(`${language}/`)]);
  const markdown = markdownFor(words);
  const prose = await dataProse(language, words, markdown);
  const bodies = sections.map(({ body }) => withFirstFrames(markdown.render(body), frames, prose));
  const [opening, ...rest] = sections.map((section, index) =>
    index > 0
      ? sectionMarkup(section, bodies[index]!, markdown, words)
      : `
      <section id="${section.id}" class="opening">
        <h1>${markdown.renderInline(section.title)}</h1>
        <noscript><div class="notice">${escape(words.noScript)}</div></noscript>
        <div class="notice" id="load-failed" role="status" hidden></div>
        ${bodies[0]!.replace(/<(\/?)h3/g, (_, close: string) => (close ? '</h2' : '<h2 class="minor"'))}
      </section>`,
  );
  return shell({
    language,
    title: sections[0]!.title,
    description: words.description,
    path: `${language}/`,
    otherPath: `${languages[language].other}/`,
    keepsState: true,
    sections,
    pages: [[`${language}/docs/`, words.docs]],
    styles: ['page.css'],
    script: 'main.ts',
    main: [opening, ...rest].join(''),
  });
}

/** The root: a script sends the reader on in their language; without one they choose. */
export async function renderRoot(): Promise<string> {
  const [en, zh] = await Promise.all([readWords('en'), readWords('zh')]);
  const link = (language: Language, words: PageWords) =>
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
