// What is copied from a matrix: its numbers in full, never as the cells show them. Several cells are
// separated by tabs and lines, as spreadsheets and this page's own cells take them.

/** A table that knows its numbers by the rows and columns that are drawn. */
export type NumberTable = HTMLTableElement & {
  numberAt?: (row: number, column: number) => number;
};

const matrixSelector = '.matrix table, .paint';
const cellSelector = 'td.cell';

function numberOf(cell: HTMLTableCellElement): number | undefined {
  const table = cell.closest<NumberTable>('table');
  const row = cell.parentElement as HTMLTableRowElement;
  // The first cell of a row is its head.
  return table?.numberAt?.(row.sectionRowIndex, cell.cellIndex - 1);
}

/** What is selected in `root`, in the browsers' several ways of saying so across a shadow root. */
function selectedIn(root: Node): Range | undefined {
  const whole = getSelection();
  if (!whole || whole.rangeCount === 0) return undefined;
  const inner = root as { getSelection?: () => Selection | null };
  const shadowRoots = root instanceof ShadowRoot ? [root] : [];
  const found =
    (whole.getComposedRanges as Selection['getComposedRanges'] | undefined)?.call(whole, {
      shadowRoots,
    })[0] ?? (inner.getSelection?.() ?? whole).getRangeAt(0);
  const range = document.createRange();
  range.setStart(found.startContainer, found.startOffset);
  range.setEnd(found.endContainer, found.endOffset);
  return range.collapsed ? undefined : range;
}

/** The cells of each matrix that a range covers, row by row; none where it begins or ends in prose. */
function cellsIn(range: Range, figure: Element): HTMLTableCellElement[][][] {
  const isInMatrix = (node: Node) =>
    (node instanceof Element ? node : node.parentElement)?.closest(matrixSelector);
  if (!isInMatrix(range.startContainer) || !isInMatrix(range.endContainer)) return [];
  const tables = [...figure.querySelectorAll(matrixSelector)];
  return tables.map((table) => rowsIn(range, table)).filter((rows) => rows.length > 0);
}

function rowsIn(range: Range, table: Element): HTMLTableCellElement[][] {
  if (!range.intersectsNode(table)) return [];
  const rows = [...table.querySelectorAll('tr')];
  const content = document.createRange();
  const isCovered = (cell: Element) => {
    content.selectNodeContents(cell);
    return (
      range.compareBoundaryPoints(Range.START_TO_END, content) > 0 &&
      range.compareBoundaryPoints(Range.END_TO_START, content) < 0
    );
  };
  return rows
    .map((row) => [...row.querySelectorAll<HTMLTableCellElement>(cellSelector)].filter(isCovered))
    .filter((cells) => cells.length > 0);
}

/**
 * Of the cells that are selected, an empty line between those of two matrices; else of the cell that
 * has the focus or is kept.
 */
export function copyNumbers(event: ClipboardEvent): void {
  const [target, figure] = [event.composedPath()[0] as Element, event.currentTarget as Element];
  if (target.matches('input, textarea')) return;
  const selected = selectedIn(figure.getRootNode());
  const cell =
    target.closest<HTMLTableCellElement>(cellSelector) ??
    figure.querySelector<HTMLTableCellElement>('td[data-pinned]');
  const cells = selected ? cellsIn(selected, figure) : cell ? [[[cell]]] : [];
  const numbers = cells.map((rows) => rows.map((row) => row.map(numberOf)));
  if (numbers.length === 0 || numbers.some((rows) => rows.flat().includes(undefined))) return;
  const blocks = numbers.map((rows) => rows.map((row) => row.join('\t')).join('\n'));
  event.clipboardData?.setData('text/plain', blocks.join('\n\n'));
  event.preventDefault();
}

/** Selects the row of a cell, or all of its matrix, as what is to be copied. */
export function selectCells(cell: HTMLTableCellElement, what: 'row' | 'matrix'): void {
  const within = cell.closest(what === 'row' ? 'tr' : 'table')!;
  const cells = within.querySelectorAll(cellSelector);
  const last = cells[cells.length - 1]!;
  getSelection()?.setBaseAndExtent(cells[0]!, 0, last, last.childNodes.length);
}
