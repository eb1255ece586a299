// What is pasted into a matrix: read as the workbench reads it, so that what can be meant in two ways is
// refused in the same words.
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import type { Page } from '../state/page.js';
import { type GivenTensor, ReadError, readText } from '../state/read-text.js';
import { fill } from '../state/words.js';

/** Where it is to go, in the matrix as stored. */
export interface Room {
  /** The matrix by its name, and its rows and columns. */
  matrix: string;
  shape: readonly [rows: number, columns: number];
  /** Whether it has fewer rows now, and that is what it can have. */
  isMost?: boolean;
  /** Whether its rows are drawn as columns. */
  isTransposed: boolean;
  row: number;
  column: number;
}

/** Numbers to put there, and what is to be said of them. */
export interface Pasted {
  block: number[][];
  note: string;
}

/** What of a text was no number of the tensor's, and was left out. */
export const headerText = ({ language }: Page, { header }: Pick<GivenTensor, 'header'>): string => {
  if (!header) return '';
  const own = { en, zh }[language].header;
  return fill(header.hasIndex ? own.both : own.row, { names: header.names });
};

/** A single row may stand without brackets of its own. */
function rowsOf({ shape, data }: GivenTensor): number[][] | undefined {
  const [height, width] = shape.length === 1 ? [1, shape[0]!] : (shape as [number, number]);
  if (shape.length > 2 || height * width === 0) return undefined;
  return Array.from({ length: height }, (_, i) => [...data.slice(i * width, (i + 1) * width)]);
}

const transpose = (rows: number[][]): number[][] =>
  rows[0]!.map((_, column) => rows.map((row) => row[column]!));

/**
 * The numbers, or in the reader's language why there are none. They go where they are seen to go: what is
 * pasted over a matrix that is drawn transposed is read as it is drawn, or, where only that fits, as the
 * matrix itself; which of the two is said.
 */
export function pasted(page: Page, text: string, room: Room): Pasted | string {
  const { errors } = { en, zh }[page.language];
  const { words } = page;
  try {
    const read = readText(text);
    const given = rowsOf(read);
    if (!given) return words.badPaste;
    const [rows, columns] = room.shape;
    const fits = (block: number[][]) =>
      room.row + block.length <= rows && room.column + block[0]!.length <= columns;
    const asDrawn = room.isTransposed ? transpose(given) : given;
    const block = [asDrawn, given].find(fits);
    const drawn = room.isTransposed ? `${room.matrix}ᵀ` : room.matrix;
    if (!block) {
      const [height, width] = room.isTransposed ? [columns, rows] : [rows, columns];
      return fill(words.pasteTooBig, {
        block: `${given.length}×${given[0]!.length}`,
        matrix: drawn,
        shape: fill(room.isMost ? words.atMost : '{shape}', { shape: `${height}×${width}` }),
      });
    }
    for (const [i, row] of given.entries()) {
      const j = row.findIndex((x) => !Number.isFinite(x));
      if (j >= 0) return fill(errors.notNumber, { text: row[j]!, place: `[${i + 1}, ${j + 1}]` });
    }
    const says = block === asDrawn ? words.pastedAsDrawn : words.pastedAsStored;
    const notes = [
      headerText(page, read),
      room.isTransposed ? fill(says, { matrix: room.matrix, drawn }) : '',
    ];
    return { block, note: notes.filter((note) => note !== '').join(' ') };
  } catch (error) {
    if (error instanceof ReadError) return fill(errors[error.word], error.values);
    throw error;
  }
}
