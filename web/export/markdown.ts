// Prose of the page as Markdown: emphasis, code, and formulas in the TeX they are made from.

const marks: Record<string, string> = { b: '**', strong: '**', i: '*', em: '*', code: '`' };

/** On one line. */
export const markdownOf = (node: Node | null): string => inline(node).trim();

function inline(node: Node | null): string {
  if (node instanceof Text) return node.data.replace(/\s+/g, ' ');
  if (!(node instanceof Element)) return '';
  if (node.matches('.katex, math')) {
    const source = node.querySelector('annotation')?.textContent;
    return source ? `$${source}$` : (node.textContent ?? '').replace(/\s+/g, ' ');
  }
  const mark = marks[node.localName] ?? '';
  return `${mark}${[...node.childNodes].map(inline).join('')}${mark}`;
}

/** Parts of a text, an empty line between them. */
export const paragraphs = (...parts: readonly string[]) => `${parts.join('\n\n')}\n`;
