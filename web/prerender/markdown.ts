// Markdown to HTML at build time: formulas by KaTeX, our containers, anchored headings.
import MarkdownIt, { type PluginWithOptions, type PluginWithParams, type Token } from 'markdown-it';
import katexModule from '@vscode/markdown-it-katex';
import containerModule from 'markdown-it-container';
import type { PageWords } from './shell.js';

// A CommonJS module whose default export is nested once more under Node's ESM.
const katex = ((katexModule as { default?: unknown }).default ?? katexModule) as PluginWithOptions;
type RenderRule = NonNullable<MarkdownIt['renderer']['rules'][string]>;
const container = containerModule as unknown as PluginWithParams;

/** `### Padding {#padding}`: an anchor that is the same in both languages. */
function anchors(markdown: MarkdownIt, words: PageWords): void {
  markdown.core.ruler.push('anchors', ({ tokens, Token }) => {
    tokens.forEach((token, index) => {
      if (token.type !== 'heading_open') return;
      const inline = tokens[index + 1]!;
      const last = inline.children?.at(-1);
      const found = last?.type === 'text' ? /^(.*?)\s*\{#([\w-]+)\}\s*$/.exec(last.content) : null;
      if (!last || !found) return;
      last.content = found[1]!;
      token.attrSet('id', found[2]!);
      const link = new Token('html_inline', '', 0);
      link.content = anchorLink(found[2]!, words);
      inline.children!.push(link);
    });
  });
}

export const anchorLink = (id: string, words: PageWords) =>
  `<a class="anchor" href="#${id}" aria-label="${words.anchor}"></a>`;

/**
 * `::: note`, `::: correction`, `::: example`: asides with a label of their own. In the margin they
 * may reach down to what takes the whole width: `rows` says how many blocks there are until then,
 * with the one before, which they are about. At a section's end nothing is in their way.
 */
function aside(
  markdown: MarkdownIt,
  kind: 'note' | 'correction' | 'example',
  words: PageWords,
): void {
  markdown.use(container, kind, {
    render: (tokens: Token[], index: number) => {
      if (tokens[index]!.nesting < 0) return '</div></aside>\n';
      const rows = rowsBeside(tokens, index);
      const style = rows ? ` style="--rows: ${rows}"` : '';
      return `<aside class="${kind}"${style}><div><p class="aside-label">${words[kind]}</p>\n`;
    },
  });
}

function rowsBeside(tokens: Token[], index: number): number | undefined {
  const { type, level } = tokens[index]!;
  const end = tokens.findIndex(
    (token, at) => at > index && token.type === type.replace('open', 'close'),
  );
  const blocks = tokens.slice(end).filter((token) => token.level === level && token.nesting >= 0);
  const isAside = ({ type }: Token) => type.startsWith('container');
  const isWide = (block: Token) =>
    block.type === 'html_block' ||
    block.type === 'fence' ||
    block.attrGet('class')?.includes('wide') ||
    tokens[tokens.indexOf(block) + 1]?.content.startsWith('<attention-');
  const next = blocks.findIndex((block) => isAside(block) || isWide(block));
  if (next < 0) return undefined;
  // The next aside begins beside the block before it.
  return isAside(blocks[next]!) ? Math.max(1, next) : next + 1;
}

/** `::: step`: what a stepper says at its first, second, … step. */
function step(markdown: MarkdownIt): void {
  let count = 0;
  markdown.core.ruler.before('normalize', 'count steps', () => {
    count = 0;
  });
  markdown.use(container, 'step', {
    render: (tokens: { nesting: number }[], index: number) =>
      tokens[index]!.nesting === 1
        ? `<div class="step-prose" slot="step-${++count}">\n`
        : '</div>\n',
  });
}

/**
 * A line may break beside a formula, but not between it and the punctuation around it: a short one is
 * kept in one piece with both, a long one, which may break, ends with what follows.
 */
function keepPunctuation(markdown: MarkdownIt): void {
  markdown.core.ruler.push('keep punctuation', ({ tokens, Token }) => {
    const html = (content: string) => Object.assign(new Token('html_inline', '', 0), { content });
    for (const block of tokens) {
      block.children = (block.children ?? []).flatMap((token, index, all) => {
        if (token.type !== 'math_inline') return [token];
        const [before, after] = [all[index - 1], all[index + 1]];
        const take = (text: Token | undefined, pattern: RegExp) => {
          const found = text?.type === 'text' ? (pattern.exec(text.content)?.[0] ?? '') : '';
          if (text && found) text.content = text.content.replace(pattern, '');
          return found;
        };
        if (token.content.length > 30) {
          const next = take(after, /^[,.;:!?)，。；：、！？）]+/);
          if (next) token.content += `\\text{${next}}`;
          return [token];
        }
        const opening = take(before, /[\p{Ps}\p{Pi}]+$/u);
        const closing = take(after, /^[\p{Po}\p{Pe}\p{Pf}]+/u);
        return [html(`<span class="joined">${opening}`), token, html(`${closing}</span>`)];
      });
    }
  });
}

/**
 * Markdown asks for a space after bold words that end in punctuation. The full-width kind brings its
 * own room, so there it is taken back.
 */
function closeUp(markdown: MarkdownIt): void {
  markdown.core.ruler.push('close up', ({ tokens }) => {
    for (const { children } of tokens) {
      children?.forEach((token, index, all) => {
        const [last, next] = [all[index - 1], all[index + 1]];
        const isRunIn =
          token.type === 'strong_close' && /[。：；？！，]$/.test(last?.content ?? '');
        if (isRunIn && next?.type === 'text') next.content = next.content.trimStart();
      });
    }
  });
}

/** The body's columns of the table that opens at `start`, each below its head. */
function columnsOf(tokens: Token[], start: number) {
  const end = tokens.findIndex(({ type }, at) => at > start && type === 'table_close');
  const columns: { open: Token; inline: Token }[][] = [];
  for (let at = start, column = 0; at < end; ++at) {
    const { type } = tokens[at]!;
    if (type === 'tr_open') column = 0;
    if (type !== 'th_open' && type !== 'td_open') continue;
    (columns[column++] ??= []).push({ open: tokens[at]!, inline: tokens[at + 1]! });
  }
  return columns.map(([head, ...cells]) => ({ head: head!.inline.content, cells }));
}

/** What a number is before its decimals, its decimals, its unit. */
const number = /^([−+]?(?:[\d,]+|∞))(\.\d+)?( \S+)?$/;

/**
 * Numbers in one unit stand point below point: all as wide as the widest, those with fewer decimals
 * with room for what they lack. Says whether they are such numbers.
 */
function alignNumbers(cells: { inline: Token }[]): boolean {
  const filled = cells.filter(({ inline }) => inline.content !== '');
  const parts = filled.map(({ inline }) => number.exec(inline.content));
  const isOneUnit = new Set(parts.map((part) => part?.[3])).size === 1;
  if (filled.length === 0 || parts.includes(null) || !isOneUnit) return false;
  const decimals = parts.map((part) => part![2]?.length ?? 0);
  const most = Math.max(...decimals);
  // An infinity is wider than two digits, by a little.
  const lengths = parts.map((part) => part![0].length + (part![0].includes('∞') ? 1.25 : 0));
  const width = most + Math.max(...lengths.map((length, row) => length - decimals[row]!));
  filled.forEach(({ inline }, row) => {
    const missing = decimals[row]! < most ? '.0000000'.slice(decimals[row], most) : '';
    const text = inline.children![0]!;
    text.type = 'html_inline';
    text.content = `<span class="number" style="--width: ${width}" data-missing="${missing}">${text.content}</span>`;
  });
  return true;
}

/** A Chinese paragraph ends with a line of three characters at least, not of one. */
function keepEnds(markdown: MarkdownIt): void {
  markdown.core.ruler.push('keep ends', ({ tokens, Token }) => {
    for (const { children } of tokens) {
      const last = children?.at(-1);
      const [end] = /(?<=.{9})\p{Script=Han}{3}\p{P}*$/u.exec(last?.content ?? '') ?? [];
      if (last?.type !== 'text' || end === undefined) continue;
      last.content = last.content.slice(0, -end.length);
      const content = `<span class="joined">${end}</span>`;
      children!.push(Object.assign(new Token('html_inline', '', 0), { content }));
    }
  });
}

/**
 * A table with words or formulas in three columns or more is, on a phone, a list: row by row, each
 * cell with its head. One of five columns takes the whole width elsewhere, unless it is of numbers.
 */
function layOutTables(markdown: MarkdownIt) {
  markdown.core.ruler.push('tables', ({ tokens }) => {
    tokens.forEach((open, start) => {
      if (open.type !== 'table_open') return;
      const columns = columnsOf(tokens, start);
      const areNumbers = columns.map(({ cells }) => alignNumbers(cells));
      const isList = areNumbers.filter((are) => !are).length >= 3 || columns.length > 5;
      if (!isList) return;
      open.attrSet('class', columns.length < 5 ? 'stacked' : 'stacked wide');
      for (const { head, cells } of columns) {
        const name = head.replace(/\\text\{(.*?)\}|[$\\]/g, '$1').replaceAll('_k', 'ₖ');
        for (const cell of cells) cell.open.attrSet('data-head', name);
      }
    });
  });
}

/** `mathml` is what browsers set by themselves; the other kind needs the sheet and fonts of KaTeX. */
export function markdownFor(
  words: PageWords,
  output: 'htmlAndMathml' | 'mathml' = 'htmlAndMathml',
) {
  const markdown = new MarkdownIt({ html: true, typographer: false });
  markdown.use(katex, { throwOnError: true, output });
  anchors(markdown, words);
  keepPunctuation(markdown);
  keepEnds(markdown);
  closeUp(markdown);
  for (const kind of ['note', 'correction', 'example'] as const) aside(markdown, kind, words);
  step(markdown);
  layOutTables(markdown);
  // Wide tables scroll on their own, never the page.
  markdown.renderer.rules.table_open = (tokens, index) =>
    `<div class="${['table', tokens[index]!.attrGet('class')].filter(Boolean).join(' ')}" tabindex="0"><table>\n`;
  markdown.renderer.rules.table_close = () => '</table></div>\n';
  // A long name breaks between its words.
  markdown.renderer.rules.code_inline = (tokens, index) => {
    const name = markdown.utils.escapeHtml(tokens[index]!.content);
    return `<code>${name.replace(/(?:_|(?<=\w{2})\.)(?=[A-Za-z]{2})/g, '$&<wbr>')}</code>`;
  };
  // An empty head is no head.
  const headUnlessEmpty =
    (inline: 1 | -1): RenderRule =>
    (tokens, index, options, _, renderer) => {
      if (tokens[index + inline]!.content === '') tokens[index]!.tag = 'td';
      return renderer.renderToken(tokens, index, options);
    };
  markdown.renderer.rules.th_open = headUnlessEmpty(1);
  markdown.renderer.rules.th_close = headUnlessEmpty(-1);
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (...args) =>
    fence!(...args).replace('<pre>', '<pre tabindex="0">');
  return markdown;
}

export interface Section {
  id: string;
  title: string;
  nav: string;
  body: string;
}

/** A section file: front matter (id, title, nav), then Markdown. */
export function parseSection(file: string, text: string): Section {
  const [, head, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const fields = Object.fromEntries(
    (head ?? '').split('\n').map((line) => line.split(/:\s+(.*)/s).slice(0, 2)),
  ) as Record<string, string>;
  const { id, title, nav } = fields;
  if (!id || !title || !nav || body === undefined) {
    throw new Error(`${file}: front matter must give id, title and nav`);
  }
  return { id, title, nav, body };
}
