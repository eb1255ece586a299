// The reference: made from the library's tables, its type declarations, and examples that are run here.
import MarkdownIt from 'markdown-it';
import type { Attention, Description } from 'attention-wasm';
import { exactNumber } from '../draw/number.js';
import { type Language, fill } from '../state/words.js';
import { type Documented, type Exported, exportsOf } from './declarations.js';
import { type MaskExample, maskExamples, optionExamples } from './examples.js';
import { docsPage } from './guide.js';
import { markdownFor } from './markdown.js';
import { hatch, maskPicture, weightsTable } from './pictures.js';
import { type Said, readSaid } from './reference-words.js';
import { runMask, runOption, runRefusals } from './run-examples.js';
import { escape, languages, readSections, readWords } from './shell.js';

type Library = typeof import('attention-wasm');

/** Documentation in the code is Markdown without HTML. */
const plain = new MarkdownIt();
const inline = (text: string) => plain.renderInline(text);
const numbers = (list: number[]) => `[${list.map(exactNumber).join(', ')}]`;
const code = (text: string) => `<pre tabindex="0"><code>${escape(text)}</code></pre>`;
const heading = (id: string, name: string, label: string) =>
  `<h3 id="${id}"><code>${escape(name)}</code><a class="anchor" href="#${id}" aria-label="${label}"></a></h3>`;

const exampleOf = <T>(examples: Record<string, T>, name: string): T => {
  const example = examples[name];
  if (!example) throw new Error(`web/prerender/examples.ts has no example of '${name}'`);
  return example;
};

/** What an entry is made with: the library, its tables, and how the page's language says things. */
interface Source {
  library: Library;
  attention: Attention;
  tables: Description;
  said: Said;
  /** What a link to a heading is called. */
  label: string;
}

async function options({ library, attention, tables, said: { say, words }, label }: Source) {
  const entries = tables.options.map(async ({ name, typescript, default: fallback, doc }) => {
    const run = await runOption(library, attention, exampleOf(optionExamples, name));
    return `<div class="entry" data-option="${name}"><div>${heading(`option-${name}`, name, label)}
      <p class="type"><code>${escape(typescript)}</code>${escape(fill(words.default, { value: say(fallback) }))}</p>
      <p>${inline(say(doc))}</p>
      ${code(run.code)}
      <p class="result">${fill(words.lastRow, { numbers: numbers(run.output) })}</p></div>
      ${weightsTable(run, words.weights)}</div>`;
  });
  return (await Promise.all(entries)).join('\n');
}

async function masks(source: Source) {
  const { say, words } = source.said;
  const entries = source.tables.masks.map(async ({ kind, doc, usesPositions, fields }) => {
    const rows = fields.map((field) => {
      const fallback = field.default && fill(words.fieldDefault, { value: say(field.default) });
      return `<dt><code>${field.name}${fallback ? '?' : ''}: ${escape(field.typescript)}</code></dt><dd>${inline(say(field.doc))}${escape(fallback)}</dd>`;
    });
    return `<div class="entry" data-kind="${kind}"><div>${heading(`mask-${kind}`, kind, source.label)}
      <p>${inline(fill(words.allows, { rule: say(doc) }))}${usesPositions ? words.usesPositions : ''}</p>
      ${rows.length > 0 ? `<dl>${rows.join('')}</dl>` : ''}
      ${await maskExample(source, exampleOf(maskExamples, kind))}</div>`;
  });
  return (await Promise.all(entries)).join('\n');
}

async function maskExample({ library, attention, said: { words } }: Source, example: MaskExample) {
  const { code: call, mask, queries, keys, meanKey } = await runMask(library, attention, example);
  const { allowedCells: allowed, emptyRows } = mask;
  const empty = fill(emptyRows === 1 ? words.emptyRow : words.emptyRows, { count: emptyRows });
  const mean = exactNumber(meanKey.at(-1)!);
  return `${code(call)}
      <p class="result">${fill(words.cells, { allowed, all: queries * keys, empty, mean })}</p></div>
      <figure>${maskPicture(mask, queries, keys, words)}</figure>`;
}

const table = (head: string[], rows: string[][]) =>
  `<div class="table" tabindex="0"><table><thead><tr>${head.map((text) => `<th>${text}</th>`).join('')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('\n')}</tbody></table></div>`;

const dtypes = ({ tables, said: { say, words } }: Source) =>
  table(
    words.dtypeHead,
    tables.dtypes.map(({ name, bytes, doc }) => [
      `<code>${name}</code>`,
      String(bytes),
      inline(say(doc)),
    ]),
  );

const steps = ({ tables, said: { say, words } }: Source) =>
  table(
    words.stepHead,
    tables.steps.map(({ name, shape, option, doc }) => [
      `<code>${name}</code>`,
      escape(shape),
      option ? fill(words.with, { option: `<code>${escape(say(option))}</code>` }) : words.always,
      inline(say(doc)),
    ]),
  );

async function errors({ library, attention, said: { say } }: Source) {
  const rows = (await runRefusals(library, attention)).map(({ code: name, calls, when }) => {
    const said = calls.map(
      ({ call, argument, message }) =>
        `${code(call)}<p class="message"><code>${escape(argument)}</code>: <span lang="en">${escape(message)}</span></p>`,
    );
    return `<dt><code>${name}</code></dt><dd>${when ? inline(say(when)) : said.join('')}</dd>`;
  });
  return `<dl class="errors">${rows.join('\n')}</dl>`;
}

/** Everything exported: functions first, then classes, then types. */
function exported(list: Exported[], { label, said: { say, words } }: Source): string {
  const elsewhere: Record<string, string> = {
    ...{ AttentionOptions: 'options', MaskRule: 'masks', DType: 'dtypes', StepName: 'explain' },
    ...Object.fromEntries(list.map(({ name }) => [name, `type-${name}`])),
  };
  const known = new RegExp(`\\b(${Object.keys(elsewhere).join('|')})\\b`, 'g');
  const signature = (text: string, own?: string) =>
    escape(text).replace(known, (name: string) =>
      name === own ? name : `<a href="#${elsewhere[name]!}">${name}</a>`,
    );
  const tags = ({ tags: all }: Documented) =>
    all
      .map(({ name, text }) => {
        const [, parameter, rest] = /^(\w+)\s+(?:- )?(.*)$/s.exec(text) ?? [];
        if (name === 'param') {
          return `<li>${fill(words.param, { name: `<code>${parameter}</code>`, text: inline(say(rest ?? '')) })}</li>`;
        }
        return `<li>${fill(words[name as 'throws' | 'returns'], { text: inline(say(text)) })}</li>`;
      })
      .join('');
  const prose = (item: Documented) =>
    `${plain.render(say(item.doc))}${item.tags.length > 0 ? `<ul>${tags(item)}</ul>` : ''}`;
  const member = (item: Documented) =>
    `<dt><code>${signature(item.signature)}</code></dt><dd>${prose(item)}</dd>`;
  const kinds = ['function', 'class', 'type'];
  return [...list]
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    .map(
      (item) => `<div class="exported">${heading(`type-${item.name}`, item.name, label)}
      <p class="type"><code>${signature(item.signature, item.name)}</code></p>
      ${prose(item)}${item.members.length > 0 ? `<dl>${item.members.map(member).join('')}</dl>` : ''}</div>`,
    )
    .join('\n');
}

/** `script` is the built package's; its declarations are beside it. */
export async function renderReference(
  language: Language,
  library: Library,
  script: string,
): Promise<string> {
  const [words, said, sections] = await Promise.all([
    readWords(language),
    readSaid(language),
    readSections(`${language}/reference/`),
  ]);
  const attention = await library.load({ threads: 1 });
  const source = { library, attention, tables: attention.describe(), said, label: words.anchor };
  const parts: Record<string, string> = {
    base: numbers((await runOption(library, attention, { options: '{}' })).output),
    options: await options(source),
    masks: await masks(source),
    dtypes: dtypes(source),
    steps: steps(source),
    errors: await errors(source),
    exports: exported(await exportsOf(script.replace(/\.js$/, '.d.ts')), source),
  };
  attention.dispose();
  said.finish();
  const markdown = markdownFor(words);
  const bodies = sections.map(({ body }) =>
    markdown.render(body).replace(/<!-- (\w+) -->/g, (_, part: string) => parts[part]!),
  );
  return docsPage({
    language,
    path: `${language}/docs/reference/`,
    otherPath: `${languages[language].other}/docs/reference/`,
    sections,
    bodies,
    before: hatch,
    pages: [
      [`${language}/`, words.article],
      [`${language}/docs/`, words.docs],
    ],
  });
}
