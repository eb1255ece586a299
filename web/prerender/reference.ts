// The reference: made from the library's tables, its type declarations, and examples that are run here.
import MarkdownIt from 'markdown-it';
import type { Attention, Description } from 'attention-wasm';
import { exactNumber } from '../draw/number.js';
import { type Documented, type Exported, exportsOf } from './declarations.js';
import { type MaskExample, maskExamples, optionExamples } from './examples.js';
import { docsPage } from './guide.js';
import { markdownFor } from './markdown.js';
import { hatch, maskPicture, weightsTable } from './pictures.js';
import { runMask, runOption, runRefusals } from './run-examples.js';
import { escape, readSections, readWords } from './shell.js';

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

async function options(library: Library, attention: Attention, tables: Description, label: string) {
  const entries = tables.options.map(async ({ name, typescript, default: fallback, doc }) => {
    const run = await runOption(library, attention, exampleOf(optionExamples, name));
    return `<div class="entry" data-option="${name}"><div>${heading(`option-${name}`, name, label)}
      <p class="type"><code>${escape(typescript)}</code>; default: ${escape(fallback)}</p>
      <p>${inline(doc)}</p>
      ${code(run.code)}
      <p class="result">last row of the output: ${numbers(run.output)}</p></div>
      ${weightsTable(run)}</div>`;
  });
  return (await Promise.all(entries)).join('\n');
}

async function masks(library: Library, attention: Attention, tables: Description, label: string) {
  const entries = tables.masks.map(async ({ kind, doc, usesPositions, fields }) => {
    const rows = fields.map(
      (field) =>
        `<dt><code>${field.name}${field.default ? '?' : ''}: ${escape(field.typescript)}</code></dt><dd>${inline(field.doc)}${field.default ? ` Default: ${escape(field.default)}.` : ''}</dd>`,
    );
    const example = exampleOf(maskExamples, kind);
    return `<div class="entry" data-kind="${kind}"><div>${heading(`mask-${kind}`, kind, label)}
      <p>Query i may read key j when ${inline(doc)}.${usesPositions ? ' Uses positions.' : ''}</p>
      ${rows.length > 0 ? `<dl>${rows.join('')}</dl>` : ''}
      ${await maskExample(library, attention, example)}</div>`;
  });
  return (await Promise.all(entries)).join('\n');
}

async function maskExample(library: Library, attention: Attention, example: MaskExample) {
  const { code: call, mask, queries, keys, meanKey } = await runMask(library, attention, example);
  const cells = `${mask.allowedCells} of ${queries * keys} cells allowed`;
  const empty = mask.emptyRows === 1 ? '1 empty row' : `${mask.emptyRows} empty rows`;
  const last = exactNumber(meanKey.at(-1)!);
  return `${code(call)}
      <p class="result">${cells}, ${empty}; mean key of the last query: ${last}</p></div>
      <figure>${maskPicture(mask, queries, keys)}</figure>`;
}

const table = (head: string[], rows: string[][]) =>
  `<div class="table" tabindex="0"><table><thead><tr>${head.map((text) => `<th>${text}</th>`).join('')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('\n')}</tbody></table></div>`;

const dtypes = ({ dtypes: list }: Description) =>
  table(
    ['dtype', 'bytes', 'held in'],
    list.map(({ name, bytes, doc }) => [`<code>${name}</code>`, String(bytes), inline(doc)]),
  );

const steps = ({ steps: list }: Description) =>
  table(
    ['step', 'shape', 'there', 'what it is'],
    list.map(({ name, shape, option, doc }) => [
      `<code>${name}</code>`,
      escape(shape),
      option ? `with <code>${escape(option)}</code>` : 'always',
      inline(doc),
    ]),
  );

async function errors(library: Library, attention: Attention) {
  const rows = (await runRefusals(library, attention)).map(({ code: name, calls, when }) => {
    const said = calls.map(
      ({ call, argument, message }) =>
        `${code(call)}<p class="message"><code>${escape(argument)}</code>: ${escape(message)}</p>`,
    );
    return `<dt><code>${name}</code></dt><dd>${when ? inline(when) : said.join('')}</dd>`;
  });
  return `<dl class="errors">${rows.join('\n')}</dl>`;
}

/** Everything exported: functions first, then classes, then types. */
function exported(list: Exported[], label: string): string {
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
        if (name === 'param') return `<li><code>${parameter}</code>: ${inline(rest ?? '')}</li>`;
        return `<li>${name}: ${inline(text)}</li>`;
      })
      .join('');
  const prose = (item: Documented) =>
    `${plain.render(item.doc)}${item.tags.length > 0 ? `<ul>${tags(item)}</ul>` : ''}`;
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
export async function renderReference(library: Library, script: string): Promise<string> {
  const [words, sections] = await Promise.all([readWords('en'), readSections('reference/')]);
  const attention = await library.load({ threads: 1 });
  const tables = attention.describe();
  const label = words.anchor;
  const parts: Record<string, string> = {
    base: numbers((await runOption(library, attention, { options: '{}' })).output),
    options: await options(library, attention, tables, label),
    masks: await masks(library, attention, tables, label),
    dtypes: dtypes(tables),
    steps: steps(tables),
    errors: await errors(library, attention),
    exports: exported(await exportsOf(script.replace(/\.js$/, '.d.ts')), label),
  };
  attention.dispose();
  const markdown = markdownFor(words);
  const bodies = sections.map(({ body }) =>
    markdown.render(body).replace(/<!-- (\w+) -->/g, (_, part: string) => parts[part]!),
  );
  return docsPage({
    language: 'en',
    path: 'en/docs/reference/',
    otherPath: 'zh/docs/',
    sections,
    bodies,
    before: hatch,
    pages: [
      ['en/', words.article],
      ['en/docs/', words.docs],
    ],
  });
}
