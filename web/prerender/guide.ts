// The guide, one page in each language, and the frame that it shares with the reference.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Language } from '../state/words.js';
import { type Section, markdownFor } from './markdown.js';
import { languages, readSections, readWords, sectionMarkup, shell } from './shell.js';

interface DocsPage {
  language: Language;
  path: string;
  otherPath: string;
  sections: Section[];
  /** HTML of each section. */
  bodies: string[];
  before?: string;
  pages: [path: string, label: string][];
}

/** The first section opens the page. */
export async function docsPage(page: DocsPage): Promise<string> {
  const { language, path, otherPath, sections, bodies, before = '', pages } = page;
  const words = await readWords(language);
  const markdown = markdownFor(words);
  const [opening, ...rest] = sections.map((section, index) =>
    index > 0
      ? sectionMarkup(section, bodies[index]!, markdown, words)
      : `
      <section id="${section.id}" class="docs-opening"><h1>${markdown.renderInline(section.title)}</h1>${bodies[0]}</section>`,
  );
  return shell({
    ...{ language, path, otherPath, sections, pages },
    title: `${sections[0]!.title} · attention-wasm`,
    description: words.docsDescription,
    styles: ['page.css', 'docs.css'],
    script: 'docs.ts',
    main: before + [opening, ...rest].join(''),
  });
}

/** `<!-- size of FILE -->` and `<!-- gzipped size of FILE -->` become kilobytes of what was built. */
async function withSizes(text: string, folder: string): Promise<string> {
  const marks = /<!-- (gzipped )?size of (\S+) -->/g;
  const sizes = new Map<string, string>();
  for (const [mark, gzipped, name] of text.matchAll(marks)) {
    const bytes = await readFile(join(folder, name!));
    const size = gzipped ? gzipSync(bytes, { level: 9 }).length : bytes.length;
    sizes.set(mark, (size / 1000).toFixed(size < 10_000 ? 1 : 0));
  }
  return text.replace(marks, (mark) => sizes.get(mark)!);
}

/** `script` is the built package's. */
export async function renderGuide(language: Language, script: string): Promise<string> {
  const [words, sections] = await Promise.all([
    readWords(language),
    readSections(`${language}/docs/`),
  ]);
  const markdown = markdownFor(words);
  const folder = dirname(script);
  const bodies = await Promise.all(
    sections.map(async ({ body }) => markdown.render(await withSizes(body, folder))),
  );
  return docsPage({
    language,
    path: `${language}/docs/`,
    otherPath: `${languages[language].other}/docs/`,
    sections,
    bodies,
    pages: [
      [`${language}/`, words.article],
      [`${language}/docs/reference/`, words.reference],
    ],
  });
}
