// Every format a figure can be saved in.
import { toCpp } from './cpp.js';
import { toCSV } from './data.js';
import { download } from './download.js';
import type { Call, Exhibit, Programs } from './exhibit.js';
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
type File = readonly [string, string, string | Promise<string | Blob>];

const program = async (
  language: keyof Programs,
  { calls, programs }: Exhibit,
  repeat: (calls: readonly Call[]) => string,
): Promise<string> => (programs ? (await programs())[language]! : repeat(calls));

const files: Record<Format, (of: Exported) => File> = {
  SVG: ({ root, paper }) => ['.svg', 'image/svg+xml', toSVG(pictureOf(root, paper))],
  PNG: ({ root, paper }) => ['.png', 'image/png', toPNG(pictureOf(root, paper))],
  CSV: ({ exhibit }) => ['.csv', 'text/csv', toCSV(exhibit)],
  JSON: ({ json }) => ['.json', 'application/json', json],
  Markdown: ({ exhibit }) => ['.md', 'text/markdown', exhibit.markdown!],
  PyTorch: ({ exhibit }) => [
    '-pytorch.py',
    'text/x-python',
    program('PyTorch', exhibit, toPyTorch),
  ],
  NumPy: ({ exhibit }) => ['-numpy.py', 'text/x-python', program('NumPy', exhibit, toNumPy)],
  JavaScript: ({ exhibit }) => [
    '.mjs',
    'text/javascript',
    program('JavaScript', exhibit, toJavaScript),
  ],
  'C++': ({ exhibit }) => ['.cpp', 'text/x-c++', program('C++', exhibit, toCpp)],
};

/** Hands the reader a file. */
export async function save(format: Format, of: Exported): Promise<void> {
  const [ending, type, contents] = files[format](of);
  const made = await contents;
  const blob = typeof made === 'string' ? new Blob([made], { type }) : made;
  download(`${of.name}${ending}`, blob);
}
