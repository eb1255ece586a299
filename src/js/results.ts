import { text } from './arguments.js';
import type { CallOptions } from './attention.js';
import { AttentionError } from './errors.js';
import { dtypes, type DType, type StepName } from './generated/options.js';
import { Reply, type RawStep, type RawTrace } from './module.js';
import type { Session } from './session.js';
import type { Share } from './spread.js';
import { bytesOf, kindOf, sizeOf } from './tensor.js';
import type { ResultTensor, Tensor, TensorData } from './tensor.js';

/** What scaledDotProductAttention() returns. */
export interface AttentionResult {
  /** [B, H, T, d_v], in the dtype and rank of the inputs. */
  output: ResultTensor;
  /** ln Σ exp of each row's scores, [B, H, T]: float64 for float64 inputs, otherwise float32. */
  lse?: ResultTensor;
  /** [B, H, T, S] after dropout, or what `weightsFor` asks for; in the dtype of the inputs. */
  weights?: ResultTensor;
  info: CallInfo;
}

/** How a call went. */
export interface CallInfo {
  /** Rows to which the mask and a bias of −∞ together leave no key: their output is 0. */
  emptyRows: number;
  /** Cells of [B, H, T, S] that the mask's rules allow; −∞ in a bias is not counted here. */
  allowedCells: number;
  totalCells: number;
  /** Tiles that were left out because the mask leaves nothing in them. */
  tilesSkipped: number;
  tilesTotal: number;
  /** The algorithm that ran. */
  path: string;
  /** How many threads took part. */
  threads: number;
}

/** A cell [batch, head, query, column] of a step; the column is 0 in steps [B, H, T]. */
export interface Cell {
  step: StepName;
  batch: number;
  head: number;
  query: number;
  column: number;
}

export interface RowDiagnostics {
  batch: number;
  head: number;
  query: number;
  /** Of the weights before dropout, in bits. */
  entropy: number;
  largestWeight: number;
  /** One of several keys has a weight of exactly 1. */
  saturated: boolean;
  /** No key is allowed. */
  empty: boolean;
}

/** A query with no allowed key. */
export interface EmptyRow {
  batch: number;
  head: number;
  query: number;
  /**
   * The mask rules, or `'bias'`, that forbid every key by themselves; if none does, all that forbid
   * some. Nothing where there are no keys.
   */
  causes: string[];
}

/** Only what can reach the result counts, not what stands behind the mask. */
export interface Diagnostics {
  /** One for each row of [B, H, T]. */
  rows: RowDiagnostics[];
  emptyRows: EmptyRow[];
  /** In the order of the steps, then of the cells. */
  firstNonFinite: Cell | null;
  /** Cells that are NaN or infinite in a step up to `masked`. */
  nonFiniteScores: number;
  firstOverflow: Cell | null;
  /** Those made from finite numbers. */
  overflows: number;
}

/** One run of the plain path. */
export interface Trace {
  /** Every stage of the formula, in order, in the type it was computed in. */
  steps: Partial<Record<StepName, ResultTensor>> & Record<AlwaysThere, ResultTensor>;
  /** [B, H, T]. */
  lse: ResultTensor;
  diagnostics: Diagnostics;
}

type AlwaysThere = Exclude<StepName, 'capped' | 'biased' | 'dropped'>;

/** What explain() returns. */
export interface Explanation extends Trace {
  /**
   * For float16 and bfloat16 inputs: what their own arithmetic would have given, with every number
   * on the way rounded to the type instead of widened before the dot product.
   */
  unwidened?: Trace;
}

/** What one tile did to one row. */
export interface TileStep {
  batch: number;
  head: number;
  query: number;
  /** The tile's keys, begin ≤ j < end. */
  begin: number;
  end: number;
  /** Of these keys, masked. */
  scores: number[];
  /** e^(score − rowMax), after dropout. */
  weights: number[];
  tileMax: number;
  /** Of all keys so far. */
  rowMax: number;
  /** e^(rowMax before − rowMax): what the sums so far shrink by. */
  rescale: number;
  /** Σ e^(score − rowMax) of all keys so far. */
  rowSum: number;
  /** Σ weight · value of all keys so far, not yet divided by rowSum. */
  output: number[];
}

/** What trace() returns. */
export interface TracedResult extends AttentionResult {
  /** In the order they were done. */
  tiles: TileStep[];
}

/** Does the call that is prepared, and copies its results out of memory. */
export function attend(
  session: Session,
  dtype: DType,
  query: Tensor,
  keys: number,
  width: number,
  call?: CallOptions,
): AttentionResult {
  const shape = [...query.shape.slice(0, -1), width];
  let into = call?.into;
  if (into !== undefined) checkInto(into, dtype, shape, query);
  else if (session.takesMeanwhile(call)) into = session.room(dtype, shape, query);
  session.attend(call, undefined, into && { into, dtype, width });
  return readResult(session, dtype, query, keys, width, into);
}

/** What `into` cannot hold would be cut off, converted or left as it was. */
function checkInto(into: unknown, dtype: DType, shape: number[], query: Tensor): void {
  const [kind, wanted] = [kindOf(into), kindOf(query.data)];
  if (kind !== wanted) {
    const found = kind === 'none' ? text(into) : `a ${kind}`;
    const reason = `the output is ${dtype} in a ${wanted}, as the query is`;
    throw new AttentionError('dtype', 'into', `into is ${found}, but ${reason}; give a ${wanted}`);
  }
  const [given, needed] = [(into as TensorData).length, sizeOf(shape)];
  if (given === needed) return;
  const reason = `the output has shape ${shape.join('×')}, so ${needed} elements`;
  throw new AttentionError(
    'shape',
    'into',
    `into has ${given} elements, but ${reason}; give an array of ${needed}`,
  );
}

/** Copies what a call gave out of memory. */
export function readResult(
  session: Session,
  dtype: DType,
  query: Tensor,
  keys: number,
  width: number,
  into?: TensorData,
): AttentionResult {
  const rows = query.shape.slice(0, -1);
  const shape = [...rows, width];
  const output = into
    ? session.readOutput(dtype, shape, into)
    : session.read(dtype, shape, session.reply(Reply.output), query);
  const result: AttentionResult = { output, info: callInfo(session) };
  if (session.reply(Reply.lse) !== 0) {
    result.lse = session.read(lseType(dtype), rows.slice(), session.reply(Reply.lse));
  }
  if (session.reply(Reply.weights) !== 0) {
    const heads = session.reply(Reply.weightHeads);
    const shape = [session.reply(Reply.weightQueries), keys];
    if (rows.length > 1 || heads !== 1) shape.unshift(heads);
    if (rows.length > 2) shape.unshift(rows[0]!);
    result.weights = session.read(dtype, shape, session.reply(Reply.weights), query);
  }
  return result;
}

/** Copies the rows of a share out of memory, by what is whole there. */
export function readRows(
  session: Session,
  dtype: DType,
  query: Tensor,
  width: number,
  { begin, end }: Share,
): AttentionResult {
  const read = (dtype: DType, shape: number[], field: Reply, like?: Tensor) => {
    const bytes = begin * (shape[1] ?? 1) * bytesOf(dtype);
    return session.read(dtype, shape, session.reply(field) + bytes, like);
  };
  const rows = end - begin;
  const output = read(dtype, [rows, width], Reply.output, query);
  const result: AttentionResult = { output, info: callInfo(session) };
  if (session.reply(Reply.lse) !== 0) {
    result.lse = read(lseType(dtype), [rows], Reply.lse);
  }
  return result;
}

/** Explains the call that is prepared, and copies every step out of memory. */
export function readExplanation(session: Session): Explanation {
  const tensorOf = ({ dtype, shape, address }: RawStep) =>
    session.read(dtypes[dtype]!, shape, address);
  const traceOf = ({ steps, lse, diagnostics }: RawTrace) =>
    ({
      steps: Object.fromEntries(steps.map((step) => [step.name, tensorOf(step)])),
      lse: tensorOf(lse),
      diagnostics,
    }) as Trace;
  const { unwidened, ...widened } = session.explain();
  const explanation: Explanation = traceOf(widened);
  if (unwidened !== undefined) explanation.unwidened = traceOf(unwidened);
  return explanation;
}

const lseType = (dtype: DType): DType => (dtype === 'float64' ? dtype : 'float32');

function callInfo(session: Session): CallInfo {
  return {
    emptyRows: session.reply(Reply.emptyRows),
    allowedCells: session.reply(Reply.allowedCells),
    totalCells: session.reply(Reply.totalCells),
    tilesSkipped: session.reply(Reply.tilesSkipped),
    tilesTotal: session.reply(Reply.tilesTotal),
    path: session.path(),
    threads: session.reply(Reply.threads),
  };
}
