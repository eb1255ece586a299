// What is pasted into a matrix: read as the workbench reads it, so that what can be meant in two ways is
// refused in the same words.
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import type { Page } from '../state/page.js';
import { type GivenTensor, ReadError, readText } from '../state/read-text.js';
import { fill } from '../state/words.js';

/** Where it is to go. */
export interface Room {
  /** The matrix by its name, and its rows and columns. */
  matrix: string;
  shape: readonly [rows: number, columns: number];
  /** Whether it has fewer rows now, and that is what it can have. */
  isMost?: boolean;
  row: number;
  column: number;
}

/** A single row may stand without brackets of its own. */
function rowsOf({ shape, data }: GivenTensor): number[][] | undefined {
  const [height, width] = shape.length === 1 ? [1, shape[0]!] : (shape as [number, number]);
  if (shape.length > 2 || height * width === 0) return undefined;
  return Array.from({ length: height }, (_, i) => [...data.slice(i * width, (i + 1) * width)]);
}

/** Its numbers, or in the reader's language why it has none to give. */
export function pasted(page: Page, text: string, room: Room): number[][] | string {
  const { errors } = { en, zh }[page.language];
  const { atMost, badPaste, pasteTooBig } = page.words;
  try {
    const block = rowsOf(readText(text));
    if (!block) return badPaste;
    const [height, width] = [block.length, block[0]!.length];
    const [rows, columns] = room.shape;
    if (room.row + height > rows || room.column + width > columns) {
      return fill(pasteTooBig, {
        block: `${height}×${width}`,
        matrix: room.matrix,
        shape: fill(room.isMost ? atMost : '{shape}', { shape: `${rows}×${columns}` }),
      });
    }
    for (const [i, row] of block.entries()) {
      const j = row.findIndex((x) => !Number.isFinite(x));
      if (j >= 0) return fill(errors.notNumber, { text: row[j]!, place: `[${i + 1}, ${j + 1}]` });
    }
    return block;
  } catch (error) {
    if (error instanceof ReadError) return fill(errors[error.word], error.values);
    throw error;
  }
}
