// The prose in both languages: same sections, same headings, same figures, same numbers.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import MarkdownIt from 'markdown-it';

const languages = ['en', 'zh'];
const folder = (language) => new URL(`../../web/content/${language}/`, import.meta.url);
/** Every file of a language: the article's at the top, the guide's in docs/, the reference's in reference/. */
const list = (language) => readdirSync(folder(language), { recursive: true }).sort();
const read = (language, file) => readFileSync(new URL(file, folder(language)), 'utf8');

function section(language, file) {
  const [, front, body] = read(language, file).match(/^---\n(.*?)\n---\n(.*)$/s);
  const meta = Object.fromEntries(front.split('\n').map((line) => line.split(/: (.*)/s)));
  return { file, meta, body };
}
const sections = (language) =>
  list(language)
    .filter((file) => file.endsWith('.md'))
    .map((file) => section(language, file));

const all = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
const headings = (body) => all(body, /^(#+) .*$/gm).map((marks) => marks.length);
const anchors = (body) => all(body, /^#+ .*\{#([\w-]+)\}$/gm);
const figures = (body) => all(body.replace(/^```.*?^```$/gms, ''), /<(attention-[\w-]+)/g);
const containers = (body) => all(body, /^::: *(\w+)$/gm);
const links = (body) => all(body, /\]\((#[\w-]+|https?:[^)\s]+)\)/g);
/** Anchors and links are a page's own: the article's, the guide's and the reference's. */
const pages = (language) =>
  [/^[^/]+$/, /^docs\//, /^reference\//].map((of) =>
    sections(language).filter(({ file }) => of.test(file)),
  );
/** Links within the page as they are; of other links only that there is one: a source may exist in both languages. */
const linkKinds = (body) =>
  links(body)
    .map((link) => link.replace(/^https?:.*/, 'https'))
    .sort();
const code = (body) => all(body, /^```[\w ]*\n(.*?)^```$/gms);
const formulas = (text) => all(text, /\$\$(.+?)\$\$|\$[^$]+\$/gs).map((f) => f.replaceAll('$', ''));
const tables = (body) => all(body, /^\|.*\|$/gm);

/** Numbers, sorted; thousands separators and the typographic minus do not count as differences. */
const numbers = (text) =>
  all(text.replaceAll('−', '-').replace(/(\d),(?=\d{3}\b)/g, '$1'), /-?\d+(?:\.\d+)?/g).sort();

const bothSections = (check) => {
  const [english, chinese] = languages.map(sections);
  english.forEach((section, at) => check(section, chinese[at]));
};

test('both languages have the same files', () => {
  assert.deepEqual(list('en'), list('zh'));
});

test('sections agree in id, heading levels, anchors, figures and containers', () => {
  bothSections((english, chinese) => {
    assert.equal(english.meta.id, chinese.meta.id, english.file);
    for (const { meta, file } of [english, chinese])
      assert.ok(meta.id && meta.title && meta.nav, `${file} lacks id, title or nav`);
    for (const part of [headings, anchors, figures, containers])
      assert.deepEqual(part(english.body), part(chinese.body), `${english.file}: ${part.name}`);
    assert.equal(anchors(english.body).length, headings(english.body).length, english.file);
    assert.deepEqual(linkKinds(english.body), linkKinds(chinese.body), english.file);
  });
});

test('every figure is placed once', () => {
  const names = [
    ...[
      'alignment',
      'broadcast',
      'bug-gallery',
      'cards',
      'causal-steps',
      'checks',
      'cost',
      'cross',
    ],
    ...['dot-product', 'dropout', 'finite-mask', 'goals', 'install', 'mask-order', 'mask-painter'],
    ...['nan-repair'],
    ...[
      'online-softmax',
      'overflow',
      'polarity',
      'precision',
      'projection',
      'quiz',
      'refusals',
      'retrieval',
    ],
    ...['scaling-lab', 'sentence', 'shape-flow', 'stepper', 'workbench'],
  ].map((name) => `attention-${name}`);
  for (const language of languages) {
    const placed = pages(language)[0].flatMap(({ body }) => figures(body));
    assert.deepEqual(placed.sort(), names.sort());
  }
});

test('formulas, tables and code hold the same numbers', () => {
  bothSections((english, chinese) => {
    for (const part of [formulas, tables, code]) {
      const [ours, theirs] = [english, chinese].map(({ body }) => numbers(part(body).join('\n')));
      assert.deepEqual(ours, theirs, `${english.file}: ${part.name}`);
    }
  });
});

test('decimal and large numbers of the prose are the same', () => {
  const telling = (body) =>
    numbers(body.replace(/https?:\S+|\{#.*?\}|<svg.*?<\/svg>/gs, '')).filter(
      (number) => number.includes('.') || Math.abs(number) >= 100,
    );
  bothSections((english, chinese) =>
    assert.deepEqual(telling(english.body), telling(chinese.body), english.file),
  );
});

test('formulas are closed and the same ones are displayed', () => {
  bothSections((english, chinese) => {
    const displayed = ({ body }) => all(body, /\$\$(.+?)\$\$/gs).length;
    assert.equal(displayed(english), displayed(chinese), english.file);
    for (const { body, file } of [english, chinese])
      assert.equal(all(body, /\$/g).length % 2, 0, `${file} has an open formula`);
  });
});

test('letters mean what the legend says: S no matrix, H no entropy, m no index', () => {
  const others = /(?<!\w)S_|(?<!\w)S\s*=\s*Q|(?<!\w)S\s*\/|(?<!\w)H_\{?i|sum_\{?m|x_\{ij\}/;
  for (const { body, file } of languages.flatMap(sections))
    for (const formula of formulas(body)) assert.doesNotMatch(formula, others, file);
});

test('anchors are unique and every link inside the page has one', () => {
  for (const page of languages.flatMap(pages)) {
    const known = page.flatMap(({ meta, body }) => [meta.id, ...anchors(body)]);
    assert.deepEqual(known, [...new Set(known)]);
    for (const { body, file } of page)
      for (const link of links(body).filter((link) => link.startsWith('#')))
        assert.ok(known.includes(link.slice(1)), `${file} links to ${link}`);
  }
});

test('emphasis, links and code are closed: none of their marks reaches the reader', () => {
  const markdown = new MarkdownIt({ html: true });
  for (const language of languages)
    for (const { body, file } of sections(language)) {
      const shown = markdown
        .render(body.replace(/\$\$.+?\$\$|\$[^$]+\$/gs, '…'))
        .replace(/<pre>.*?<\/pre>|<code>.*?<\/code>|<[^>]+>/gs, '');
      assert.deepEqual(all(shown, /.{0,20}(?:\*\*|\]\(|`|(?<!\w)_\w).{0,20}/g), [], file);
    }
});

test('Chinese prose keeps a space between Han characters and Latin letters or digits', () => {
  const tight = /\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9]\p{Script=Han}/gu;
  for (const { body, file } of sections('zh')) {
    const prose = body.replace(/```.*?```|<svg.*?<\/svg>|\$\$.+?\$\$|\$[^$]+\$|`[^`]*`/gs, ' ');
    assert.deepEqual(all(prose, tight), [], file);
  }
});

test('data files have the same shape and the same numbers', () => {
  /** Replaces texts, so that what remains is keys, ids, order and flags. */
  const shape = (value, key) =>
    typeof value === 'string'
      ? key === 'id'
        ? value
        : 'text'
      : Array.isArray(value)
        ? value.map((item) => shape(item))
        : value && typeof value === 'object'
          ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, shape(v, k)]))
          : value;
  for (const file of list('en').filter((name) => name.endsWith('.json'))) {
    const [english, chinese] = languages.map((language) => read(language, file));
    assert.deepEqual(shape(JSON.parse(english)), shape(JSON.parse(chinese)), file);
    const telling = (text) =>
      numbers(formulas(text).join('\n')).concat(numbers(text).filter((n) => n.includes('.')));
    assert.deepEqual(telling(english), telling(chinese), file);
    const ids = [JSON.parse(english)].flat().map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)], file);
  }
});
