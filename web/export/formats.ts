// Every format a figure can be saved in.
import { toCpp } from './cpp.js';
import { toCSV } from './data.js';
import { download } from './download.js';
import type { Exhibit } from './exhibit.js';
import { toJavaScript } from './javascript.js';
import type { Format } from './menu.js';
import { toPNG, toSVG } from './picture.js';
import { toNumPy, toPyTorch } from './python.js';
import { pictureOf } from './read-picture.js';

export interface Exported {
  /** The files' name, without an ending. */
  name: string;
  exhibit: Exhibit;
  json: string;
  /** Where the figure stands. */
  root: ParentNode;
  /** The colour behind it. */
  paper: string;
}

/** Ending, media type, contents. */
type File = readonly [string, string, string | Promise<Blob>];

const files: Record<Format, (of: Exported) => File> = {
  SVG: ({ root, paper }) => ['.svg', 'image/svg+xml', toSVG(pictureOf(root, paper))],
  PNG: ({ root, paper }) => ['.png', 'image/png', toPNG(pictureOf(root, paper))],
  CSV: ({ exhibit }) => ['.csv', 'text/csv', toCSV(exhibit)],
  JSON: ({ json }) => ['.json', 'application/json', json],
  PyTorch: ({ exhibit }) => ['-pytorch.py', 'text/x-python', toPyTorch(exhibit.calls)],
  NumPy: ({ exhibit }) => ['-numpy.py', 'text/x-python', toNumPy(exhibit.calls)],
  JavaScript: ({ exhibit }) => ['.mjs', 'text/javascript', toJavaScript(exhibit.calls)],
  'C++': ({ exhibit }) => ['.cpp', 'text/x-c++', toCpp(exhibit.calls)],
};

/** Hands the reader a file. */
export async function save(format: Format, of: Exported): Promise<void> {
  const [ending, type, contents] = files[format](of);
  const blob = typeof contents === 'string' ? new Blob([contents], { type }) : await contents;
  download(`${of.name}${ending}`, blob);
}
