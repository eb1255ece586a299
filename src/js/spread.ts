// One call done by several workers without shared memory: each is sent the rows of [B·H·T] that it
// does, and the heads of keys and values that they read. A row has the same bits wherever it is done.
// In a worker's memory there is room for the whole call, of which it touches its part.

import type { AttentionOptions } from './generated/options.js';
import type { AttentionResult, CallInfo } from './results.js';
import { arrayLike, fill } from './snapshot.js';
import { lengthOf, sizeOf, widthOf, type ResultTensor, type Tensor } from './tensor.js';

/** The rows begin ≤ row < end of a call, as its worker is told. */
export interface Share {
  begin: number;
  end: number;
  /** At which element query, key and value begin; undefined: they are whole. */
  first: (number | undefined)[];
}

/** A share and what its worker gets of the tensors. */
export interface Piece {
  share: Share;
  inputs: [query: Tensor, key: Tensor, value: Tensor];
}

/** Calls of fewer multiplications are done before other workers have been told: about 2 ms. */
const worthwhile = 3e7;
/** A cut elsewhere would leave blocks of queries half full; so would one within a smaller head. */
const blockRows = 64;

/**
 * A call in two pieces for each worker, of which the first and the last make up a pair, and so on:
 * under a causal mask early rows have less to do. None if it should stay whole: it is small, returns
 * weights, or something is wrong with it, which the worker that gets it will say.
 */
export function cut(inputs: Piece['inputs'], options: unknown, workers: number): Piece[] {
  const { returns } = (options ?? {}) as AttentionOptions;
  const wantsWeights = Array.isArray(returns) && returns.includes('weights');
  if (workers < 2 || wantsWeights || !inputs.every(isPlain)) return [];
  const [query, key, value] = inputs;
  const rank = query.shape.length;
  if (rank < 2 || inputs.some(({ shape }) => shape.length !== rank)) return [];
  const [rows, keyHeads] = [sizeOf(query.shape.slice(0, -1)), sizeOf(key.shape.slice(0, -2))];
  const keys = lengthOf(key);
  if (rows * keys * (widthOf(query) + widthOf(value)) < worthwhile) return [];
  const rowsOfHead = rows / keyHeads; // of all query heads that read it
  if (!Number.isInteger(rowsOfHead) || sizeOf(value.shape) !== keyHeads * keys * widthOf(value)) {
    return [];
  }
  const unit = Math.min(blockRows, rowsOfHead);
  const size = Math.ceil(rows / (2 * workers) / unit) * unit;
  return Array.from({ length: Math.ceil(rows / size) }, (_, at) => {
    const [begin, end] = [at * size, Math.min((at + 1) * size, rows)];
    const [head, headEnd] = [Math.floor(begin / rowsOfHead), Math.ceil(end / rowsOfHead)];
    const parts = [
      part(query, begin * widthOf(query), end * widthOf(query)),
      part(key, head * keys * widthOf(key), headEnd * keys * widthOf(key)),
      part(value, head * keys * widthOf(value), headEnd * keys * widthOf(value)),
    ];
    return {
      share: { begin, end, first: parts.map(([, first]) => first) },
      inputs: parts.map(([tensor]) => tensor) as Piece['inputs'],
    };
  });
}

/** The result of a call from those of its pieces, which are in order. */
export async function join(
  pieces: readonly AttentionResult[],
  [query, , value]: Piece['inputs'],
): Promise<AttentionResult> {
  const rows = query.shape.slice(0, -1);
  const joined = async (tensors: ResultTensor[], shape: number[]): Promise<ResultTensor> => {
    const { data, dtype } = tensors[0]!;
    const whole = arrayLike(data, sizeOf(shape));
    let end = 0;
    await fill(tensors.map(({ data }) => [data, whole.subarray(end, (end += data.length))]));
    return { shape, data: whole, dtype };
  };
  const sum = (field: 'emptyRows' | 'tilesSkipped' | 'tilesTotal') =>
    pieces.reduce((total, { info }) => total + info[field], 0);
  const info: CallInfo = {
    ...pieces[0]!.info,
    emptyRows: sum('emptyRows'),
    tilesSkipped: sum('tilesSkipped'),
    tilesTotal: sum('tilesTotal'),
  };
  const outputs = pieces.map(({ output }) => output);
  const result: AttentionResult = {
    output: await joined(outputs, [...rows, widthOf(value)]),
    info,
  };
  const lses = pieces.flatMap(({ lse }) => lse ?? []);
  if (lses.length > 0) result.lse = await joined(lses, rows);
  return result;
}

/** Whether a tensor has a shape of numbers and, if it is not strided, the data for it. */
function isPlain(tensor: Tensor): boolean {
  const { shape, data, strides } = (tensor as Partial<Tensor> | undefined) ?? {};
  if (!Array.isArray(shape) || !shape.every(Number.isInteger)) return false;
  return ArrayBuffer.isView(data) && (strides !== undefined || data.length === sizeOf(shape));
}

/** Elements begin to end of a tensor, with the number of the first; strided ones stay whole. */
function part(tensor: Tensor, begin: number, end: number): [Tensor, number | undefined] {
  if (tensor.strides) return [tensor, undefined];
  return [{ ...tensor, data: tensor.data.subarray(begin, end) }, begin];
}
