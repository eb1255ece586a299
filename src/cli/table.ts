// Numbers in rows and columns, for a terminal.

/** Four decimals where they say enough. */
export function numberText(number: number): string {
  if (!Number.isFinite(number)) return String(number).replace('Infinity', '∞');
  const size = Math.abs(number);
  return size !== 0 && (size < 1e-4 || size >= 1e6)
    ? number.toExponential(3)
    : number.toFixed(Number.isInteger(number) && size >= 100 ? 0 : 4);
}

/** Lines of equal columns, the first to the left and the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.map((_, at) => rows.map((row) => row[at]!)) ?? [];
  const widths = columns.map((column) => Math.max(...column.map((text) => [...text].length)));
  const pad = (text: string, at: number) => {
    const space = ' '.repeat(widths[at]! - [...text].length);
    return at === 0 ? text + space : space + text;
  };
  return rows.map((row) => `  ${row.map(pad).join('  ')}`.trimEnd()).join('\n');
}

/**
 * A matrix with names for its rows and columns, of each at most `limit`; what is left out is counted.
 */
export function matrix(
  cells: readonly (readonly number[])[],
  names: { rows: (i: number) => string; columns: (j: number) => string },
  limit: number,
): string {
  const count = cells[0]?.length ?? 0;
  const columns = Array.from({ length: Math.min(count, limit) }, (_, j) => names.columns(j));
  const more = (left: number) => (left > 0 ? [`… ${left} more`] : []);
  const rows = cells
    .slice(0, limit)
    .map((row, i) => [
      names.rows(i),
      ...row.slice(0, limit).map(numberText),
      ...more(count - limit).map(() => '…'),
    ]);
  const lines = table([['', ...columns, ...more(count - limit)], ...rows]);
  return [lines, ...more(cells.length - limit).map((text) => `  ${text}`)].join('\n');
}
