// What the workbench shows, in every format that it saves.
import type { Tensor } from 'attention-wasm';
import { type Format, isSpelled } from '../figures/workbench-export.js';
import { fourAxes } from '../state/bench-call.js';
import { type Result, isReadable } from '../state/bench-result.js';
import { type StageName, settingsText } from '../state/bench-settings.js';
import { type Frame, frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { inTurns } from '../state/turns.js';
import { FILE, type Program, toJavaScript, toNumPy, toPyTorch } from './bench-program.js';
import { toCpp } from './cpp.js';
import { download } from './download.js';
import { toPNG, toSVG } from './picture.js';
import { pictureOf } from './read-picture.js';
import {
  type Numbers,
  type Write,
  toNested,
  toNpy,
  toRows,
  toSafetensors,
} from './tensor-files.js';

export interface Exported {
  page: Page;
  result: Result;
  /** The stage that is looked at. */
  stage: StageName;
  root: ParentNode;
  /** The colour behind the figure. */
  paper: string;
}

const numbersOf = ({ shape, data }: Pick<Tensor, 'shape' | 'data'>): Numbers => ({
  shape,
  data: data as Numbers['data'],
});
const stageOf = ({ result, stage }: Exported): Numbers => {
  const { rows, columns, data } = result.stages.get(stage)!;
  return { shape: [rows, columns], data: data as Float32Array };
};

/** What the call was given and what came of it. */
function tensorsOf({ call: { whole, mask }, output }: Result): Record<string, Numbers> {
  const [query, key, value] = whole.map(numbersOf) as [Numbers, Numbers, Numbers];
  return {
    ...{ query, key, value },
    ...(mask ? { mask: numbersOf(mask) } : {}),
    output: numbersOf(output as Tensor),
  };
}

/** JSON has no infinities and no NaN; their names do. */
const named: Write = (x) => (Number.isFinite(x) ? String(x) : `"${x}"`);

/** What was given, as it was: it loads here again. */
async function toJSON({ result }: Exported): Promise<Blob> {
  const { given, settings } = result.call;
  const about = { title: 'Scaled dot-product attention', source: 'attention-wasm' };
  const head = JSON.stringify({ ...about, workbench: settingsText(settings) }, null, 2);
  const parts = [head.slice(0, -2), ',\n  "inputs": {'];
  for (const [at, [name, tensor]] of Object.entries(given).entries()) {
    const rows = await inTurns(toNested(tensor, named, '     '));
    parts.push(`${at > 0 ? ',' : ''}\n    "${name}":\n     `, ...rows);
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
const spellings: Record<'PyTorch' | 'NumPy' | 'JavaScript', [Write, readonly [string, string]]> = {
  PyTorch: [python, ['False', 'True']],
  NumPy: [python, ['False', 'True']],
  JavaScript: [String, ['false', 'true']],
};
const writers = { PyTorch: toPyTorch, NumPy: toNumPy, JavaScript: toJavaScript };

/** Nine digits are enough to tell any two numbers of float32 apart. */
const shortest = ({ shape, data }: Numbers): Numbers => ({
  shape,
  data:
    data instanceof Float32Array ? Float64Array.from(data, (x) => Number(x.toPrecision(9))) : data,
});

async function literalsOf(format: keyof typeof writers, { call, output }: Result) {
  const { query, key, value, mask } = call.given as Required<typeof call.given>;
  const [write, truth] = spellings[format];
  const isBool = call.mask?.data instanceof Uint8Array;
  const spell = async (tensor: Numbers, as = write) =>
    (await inTurns(toNested(tensor, as, '  '))).join('');
  return {
    query: await spell(query),
    key: await spell(key),
    value: await spell(value),
    ...(call.mask && { mask: await spell(mask, isBool ? (x) => truth[x ? 1 : 0] : write) }),
    output: await spell(shortest(numbersOf(output as Tensor))),
  };
}

async function programOf(format: keyof typeof writers, result: Result): Promise<Blob> {
  const { call } = result;
  const [query, key] = call.whole.map(({ shape }) => fourAxes(shape));
  const literals = isSpelled(result) ? await literalsOf(format, result) : null;
  const program: Program = {
    settings: call.settings,
    options: call.options,
    queries: query![2],
    keys: key![2],
    width: query![3],
    heads: query![1],
    kvHeads: key![1],
    meaning: call.meaning,
    literals,
  };
  return new Blob([writers[format](program)], { type: 'text/plain' });
}

/** The one head there is, as the other figures have theirs. */
function frameOfHead({ page, result }: Exported): Frame {
  const { given, mask, options, settings } = result.call;
  const matrix = ({ shape, data }: Pick<Tensor, 'shape' | 'data'>): number[][] => {
    const [, , rows, columns] = fourAxes(shape);
    const numbers = Array.from(data as Float64Array);
    return Array.from({ length: rows }, (_, row) =>
      numbers.slice(row * columns, (row + 1) * columns),
    );
  };
  const { query, key, value } = given as Required<typeof given>;
  const allowed = result.causes!.map((row) => row.map((rules) => rules.length === 0));
  const { scale, dropout } = options;
  return frameOf(page, {
    query: matrix(query),
    key: matrix(key),
    value: matrix(value),
    options: {
      mask: { kind: 'allowed', mask: allowed },
      ...(scale === undefined ? {} : { scale }),
      ...(dropout ? { dropout } : {}),
      ...(options.bias && mask ? { bias: matrix(mask) } : {}),
    },
    dtype: settings.dtype,
  });
}

const picture = ({ root, paper }: Exported) => pictureOf(root, paper);

/** The picture of a large stage: a pixel for each cell. */
function canvasPNG({ root }: Exported): Promise<Blob> {
  const canvas = root.querySelector('canvas')!;
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('PNG'))), 'image/png');
  });
}

const name = FILE.replace(/\.\w+$/, '');
const files: Record<
  Format,
  readonly [(of: Exported) => string, (of: Exported) => Blob | Promise<Blob>]
> = {
  SVG: [() => `${name}.svg`, (of) => new Blob([toSVG(picture(of))], { type: 'image/svg+xml' })],
  PNG: [
    ({ result, stage }) => (isReadable(result) ? `${name}.png` : `${name}-${stage}.png`),
    (of) => (isReadable(of.result) ? toPNG(picture(of)) : canvasPNG(of)),
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
  'C++': [
    () => `${name}.cpp`,
    (of) => new Blob([toCpp([{ frame: frameOfHead(of) }])], { type: 'text/x-c++' }),
  ],
};

/** Hands the reader a file. */
export async function save(format: Format, of: Exported): Promise<void> {
  const [fileName, contents] = files[format];
  download(fileName(of), await contents(of));
}
