// Every format a case figure can be saved in.
import type { Frame } from '../state/frame.js';
import { toCpp, toJavaScript, toNumPy, toPyTorch } from './code.js';
import { type Shown, toCSV, toJSON } from './data.js';
import type { Format } from './menu.js';
import { pictureOf, toPNG, toSVG } from './picture.js';

export interface Exported {
  frame: Frame;
  shown: Shown;
  /** Where the matrices stand. */
  root: ParentNode;
  /** The colour behind them. */
  paper: string;
}

/** File name, media type, contents. */
type File = readonly [string, string, string | Promise<Blob>];

const files: Record<Format, (of: Exported) => File> = {
  SVG: ({ root, paper }) => ['attention.svg', 'image/svg+xml', toSVG(pictureOf(root, paper))],
  PNG: ({ root, paper }) => ['attention.png', 'image/png', toPNG(pictureOf(root, paper))],
  CSV: ({ frame }) => ['attention.csv', 'text/csv', toCSV(frame)],
  JSON: ({ frame, shown }) => ['attention.json', 'application/json', toJSON(frame, shown)],
  PyTorch: ({ frame }) => ['attention_pytorch.py', 'text/x-python', toPyTorch(frame)],
  NumPy: ({ frame }) => ['attention_numpy.py', 'text/x-python', toNumPy(frame)],
  JavaScript: ({ frame }) => ['attention.mjs', 'text/javascript', toJavaScript(frame)],
  'C++': ({ frame }) => ['attention.cpp', 'text/x-c++', toCpp(frame)],
};

/** Hands the reader a file. */
export async function save(format: Format, of: Exported): Promise<void> {
  const [name, type, contents] = files[format](of);
  const blob = typeof contents === 'string' ? new Blob([contents], { type }) : await contents;
  const link = document.createElement('a');
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
