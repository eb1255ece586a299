// What the workbench shows, in every format that it saves.
import type { Tensor } from 'attention-wasm';
import { type Format, type Shown, isSpelled } from '../figures/workbench-export.js';
import { fourAxes, slopesOf } from '../state/bench-head.js';
import { shortestOf, widened } from '../state/bench-numbers.js';
import { type Result, isReadable } from '../state/bench-result.js';
import { settingsText } from '../state/bench-settings.js';
import type { Page } from '../state/page.js';
import { inTurns } from '../state/turns.js';
import { toCpp } from './bench-cpp.js';
import { FILE, type Program, toJavaScript } from './bench-program.js';
import { toNumPy, toPyTorch } from './bench-python.js';
import { download } from './download.js';
import { toPNG, toSVG } from './picture.js';
import { pictureOf } from './read-picture.js';
import {
  type Numbers,
  type Write,
  toBlobs,
  toNested,
  toNpy,
  toRows,
  toSafetensors,
} from './tensor-files.js';

export interface Exported extends Shown {
  page: Page;
  root: ParentNode;
  /** The colour behind the figure. */
  paper: string;
}

const numbersOf = ({ shape, data, dtype }: Tensor): Numbers => ({
  shape,
  data: data as Numbers['data'],
  dtype,
});
const stageOf = ({ result, stage }: Exported): Numbers => {
  const { rows, columns, data } = result.stages.get(stage)!;
  return { shape: [rows, columns], data: data as Float32Array };
};

/** What the call was given and what came of it. */
function tensorsOf({ call: { whole, mask, bias }, stored }: Result): Record<string, Numbers> {
  const [query, key, value] = whole.map(numbersOf) as [Numbers, Numbers, Numbers];
  return {
    ...{ query, key, value },
    ...(mask ? { mask: numbersOf(mask) } : {}),
    ...(bias ? { bias: numbersOf(bias) } : {}),
    output: numbersOf(stored),
  };
}

/** JSON has no infinities and no NaN; their names do. */
const named: Write = (x) => (Number.isFinite(x) ? String(x) : `"${x}"`);

/** What was given, as it was: it loads here again. */
async function toJSON({ result }: Exported): Promise<Blob> {
  const { given, settings } = result.call;
  const about = { title: 'Scaled dot-product attention', source: 'attention-wasm' };
  const head = JSON.stringify({ ...about, workbench: settingsText(settings) }, null, 2);
  const parts: BlobPart[] = [head.slice(0, -2), ',\n  "inputs": {'];
  for (const [at, [name, tensor]] of Object.entries(given).entries()) {
    const rows = await inTurns(toNested(tensor, named, '     '));
    parts.push(`${at > 0 ? ',' : ''}\n    "${name}":\n     `, ...(await inTurns(toBlobs(rows))));
  }
  return new Blob([...parts, '\n  }\n}\n'], { type: 'application/json' });
}

/** Of small stages all, each with its name; of large ones that which is looked at. */
async function toCSV(of: Exported): Promise<Blob> {
  const { stages } = of.result;
  if (!isReadable(of.result)) {
    return new Blob(await inTurns(toRows(stageOf(of))), { type: 'text/csv' });
  }
  const width = Math.max(...[...stages.values()].map(({ columns }) => columns));
  const head = ['matrix', 'row', ...Array.from({ length: width }, (_, index) => index + 1)];
  const lines = [...stages].flatMap(([name, { data, rows, columns }]) =>
    Array.from({ length: rows }, (_, row) => {
      const cells = Array.from({ length: columns }, (_, column) => data[row * columns + column]);
      return [name, row + 1, ...cells];
    }),
  );
  const text = [head, ...lines].map((line) => `${line.join(',')}\n`).join('');
  return new Blob([text], { type: 'text/csv' });
}

const python: Write = (x) => (Number.isFinite(x) ? String(x) : `float('${x}')`.toLowerCase());
const cpp: Write = (x) =>
  Number.isFinite(x) ? String(x) : String(x).replace('Infinity', 'INFINITY').toUpperCase();
type Language = 'PyTorch' | 'NumPy' | 'JavaScript' | 'C++';
const languages: Record<
  Language,
  { write: Write; truth: readonly [string, string]; program: (of: Program) => string }
> = {
  PyTorch: { write: python, truth: ['False', 'True'], program: toPyTorch },
  NumPy: { write: python, truth: ['False', 'True'], program: toNumPy },
  JavaScript: { write: String, truth: ['false', 'true'], program: toJavaScript },
  'C++': { write: cpp, truth: ['0', '1'], program: toCpp },
};

const shortest = ({ shape, data }: Numbers): Numbers => ({
  shape,
  data: data instanceof Float32Array ? Float64Array.from(data, shortestOf) : data,
});

/** The tensors that a program needs, as its language writes them: what the call was given, to the bit. */
async function literalsOf(language: Language, result: Result): Promise<Record<string, string>> {
  const { write, truth } = languages[language];
  const spelled = Object.entries(tensorsOf(result)).map(async ([name, tensor]) => {
    const numbers = shortest(await inTurns(widened(tensor)));
    const isBool = numbers.data instanceof Uint8Array;
    const as: Write = isBool ? (x) => truth[x ? 1 : 0] : write;
    // In C++ a tensor is a list and a shape.
    const parts =
      language === 'C++'
        ? [Array.from(numbers.data, as).join(', ')]
        : await inTurns(toNested(numbers, as, '  '));
    return [name, parts.join('')] as const;
  });
  return Object.fromEntries(await Promise.all(spelled));
}

async function programOf(language: Language, result: Result): Promise<Blob> {
  const { call, stored } = result;
  const [query, key, value] = call.whole.map(({ shape }) => shape);
  const [batches, heads, queries, width] = fourAxes(query!);
  const [, kvHeads, keys] = fourAxes(key!);
  const program: Program = {
    options: call.options,
    dtype: call.settings.dtype,
    shapes: { query: query!, key: key!, value: value!, output: stored.shape },
    ...{ batches, heads, kvHeads, queries, keys, width },
    slopes: slopesOf(call.settings, heads),
    mask: call.mask,
    bias: call.bias,
    literals: isSpelled(result) ? await literalsOf(language, result) : null,
  };
  return new Blob([languages[language].program(program)], { type: 'text/plain' });
}

const picture = ({ root, paper }: Exported) => pictureOf(root, paper);

/** The picture of a large stage: a pixel for each cell. */
async function canvasPNG({ root }: Exported): Promise<Blob> {
  const bitmap = await createImageBitmap(root.querySelector('canvas')!);
  const worker = new Worker(new URL('./png-worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Blob>) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(bitmap, [bitmap]);
    });
  } finally {
    worker.terminate();
  }
}

const name = FILE.replace(/\.\w+$/, '');
const files: Record<
  Format,
  readonly [(of: Exported) => string, (of: Exported) => Blob | Promise<Blob>]
> = {
  SVG: [() => `${name}.svg`, (of) => new Blob([toSVG(picture(of))], { type: 'image/svg+xml' })],
  PNG: [
    ({ room, stage }) => (room === 'all' ? `${name}.png` : `${name}-${stage}.png`),
    (of) => (of.room === 'picture' ? canvasPNG(of) : toPNG(picture(of))),
  ],
  CSV: [
    ({ result, stage }) => (isReadable(result) ? `${name}.csv` : `${name}-${stage}.csv`),
    toCSV,
  ],
  JSON: [() => `${name}.json`, toJSON],
  '.npy': [({ stage }) => `${stage}.npy`, (of) => toNpy(stageOf(of))],
  '.safetensors': [() => FILE, ({ result }) => toSafetensors(tensorsOf(result))],
  PyTorch: [() => `${name}-pytorch.py`, ({ result }) => programOf('PyTorch', result)],
  NumPy: [() => `${name}-numpy.py`, ({ result }) => programOf('NumPy', result)],
  JavaScript: [() => `${name}.mjs`, ({ result }) => programOf('JavaScript', result)],
  'C++': [() => `${name}.cpp`, ({ result }) => programOf('C++', result)],
};

/** Hands the reader a file. */
export async function save(format: Format, of: Exported): Promise<void> {
  const [fileName, contents] = files[format];
  download(fileName(of), await contents(of));
}
