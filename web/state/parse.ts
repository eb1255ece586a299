// Numbers as people type and paste them.

/** As it is written; infinite where it is larger than numbers go. */
function numeral(text: string): number | undefined {
  const plain = text
    .normalize('NFKC')
    .trim()
    .replace('\u2212', '-')
    .replace(/^([-+]?\d*),(\d+)$/, '$1.$2');
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return undefined;
  return Number(plain);
}

/** One number, or undefined where the text is not one. Accepts −, full-width digits, a decimal comma. */
export function parseNumber(text: string): number | undefined {
  const value = numeral(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Whether it is written as a number, but beyond the largest of float64. */
export const isTooLarge = (text: string) => Math.abs(numeral(text) ?? 0) === Infinity;

/** Rows from a spreadsheet (tabs, commas, spaces) or from nested brackets (NumPy, PyTorch, JSON). */
export function parseMatrix(text: string): number[][] | undefined {
  const body = text.normalize('NFKC').replace(/^[^[\d.+\u2212-]*(?=\[)/, '');
  const lines = body.includes('[')
    ? [...body.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1] ?? '')
    : body.split(/\r?\n/);
  const rows = lines
    .map((line) => line.trim().replace(/^[,;]+|[,;]+$/g, ''))
    .filter((line) => line !== '')
    .map((line) => line.split(/[\s,;]+/).map(parseNumber));
  const width = rows[0]?.length;
  const complete = rows.every((row) => row.length === width && row.every((x) => x !== undefined));
  return width && complete ? (rows as number[][]) : undefined;
}
