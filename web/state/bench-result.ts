// What the workbench shows of its call, from what the library returned.
import type {
  Attention,
  AttentionResult,
  AttentionWorker,
  CompiledMask,
  Explanation,
  MaskRule,
  WorkerMask,
} from 'attention-wasm';
import type { Call } from './bench-call.js';
import { fourAxes } from './bench-head.js';
import { computedIn, widened } from './bench-numbers.js';
import { type StageName, inputNames, stageNames } from './bench-settings.js';
import { type Comparison, type Numbers, compare } from './compare.js';
import { atOnce, inTurns, slices } from './turns.js';

/** Up to so many rows and columns the numbers themselves are shown. */
export const READABLE = 16;

export interface Shown {
  data: ArrayLike<number>;
  rows: number;
  columns: number;
  /** The largest magnitude of its scale. */
  domain: number;
}

/** What must be true of the weights, and of how many it is not. */
export interface Checks {
  /** The lowest and the highest sum of a row, of those that are numbers. */
  rowSums: readonly [low: number, high: number];
  /** Rows whose sum is NaN, counted from 0. */
  nanRows: readonly number[];
  /** Rows that do not sum to 1, or to less where a sink takes its share; to 0 where they may read nothing. */
  wrongSums: number;
  /** Weights that are not from 0 to 1. */
  wrongShares: number;
  masked: number;
  /** Masked weights that are not 0. */
  wrongMasked: number;
}

export interface Result {
  call: Call;
  /** Of the whole call. */
  output: Numbers;
  /** The same in the type of the inputs. */
  stored: AttentionResult['output'];
  /** Of the chosen batch element and head, in order; some only with their option. */
  stages: ReadonlyMap<StageName, Shown>;
  /** What the softmax is made of, [T], [T, S] and [T]; of a result whose numbers are shown. */
  softmax: Record<'rowMax' | 'exponentials' | 'rowSum', ArrayLike<number>> | null;
  /** What each group of rules lets the head read; of this instance or of the worker's. */
  masks: readonly (CompiledMask | WorkerMask)[];
  /** The groups that forbid each cell, counted from 0, where the numbers themselves are shown. */
  causes: readonly (readonly (readonly number[])[])[] | null;
  batches: number;
  heads: number;
  checks: Checks;
  emptyRows: number;
  largest: number;
  nonFinite: { stage: string; row: number; column: number } | null;
  comparison: Comparison | null;
}

export const isReadable = ({ stages }: Pick<Result, 'stages'>) =>
  [...stages.values()].every(({ rows, columns }) => rows <= READABLE && columns <= READABLE);

/** For each group of rules what its mask is made from. */
const maskArguments = ({ shown: [query, key], shownOptions: { mask, start } }: Call) =>
  (mask as MaskRule[]).map(
    (rule) => [rule, { queries: query.shape[2]!, keys: key.shape[2]!, start }] as const,
  );

/** The groups of rules that forbid a cell, counted from 0. */
export async function causesAt({ masks }: Result, row: number, column: number): Promise<number[]> {
  const asked = masks.map((mask) => Promise.resolve(mask.cause(0, 0, row, column)));
  const kinds = await Promise.all(asked);
  return kinds.flatMap(({ length }, group) => (length > 0 ? [group] : []));
}

/** Asks about every cell of a small mask, row by row. */
function causesOf<Cause>({ stages }: Result, cause: (i: number, j: number) => Cause): Cause[][] {
  const { rows, columns } = stages.get('scores')!;
  const cells = (i: number) => Array.from({ length: columns }, (_, j) => cause(i, j));
  return Array.from({ length: rows }, (_, i) => cells(i));
}

export function disposeMasks({ masks }: Pick<Result, 'masks'>): void {
  for (const mask of masks) mask.dispose();
}

/** The call on the page's own instance: for what is done at once. */
export function runHere(attention: Attention, call: Call): Result {
  const whole = attention.scaledDotProductAttention(...call.whole, call.options);
  const explained = attention.explain(...call.shown, call.shownOptions);
  const masks = maskArguments(call).map((of) => attention.mask(...of));
  const result = atOnce(resultOf(call, whole, explained, masks));
  if (!isReadable(result)) return result;
  const forbids = (i: number, j: number) =>
    masks.flatMap((mask, group) => (mask.cause(0, 0, i, j).length > 0 ? [group] : []));
  return { ...result, causes: causesOf(result, forbids) };
}

/** The call in a worker: the whole for the output and its errors, and the head that is looked at. */
export async function runAway(
  worker: AttentionWorker,
  call: Call,
  signal: AbortSignal,
): Promise<Result> {
  const settings = { signal };
  const whole = await worker.scaledDotProductAttention(...call.whole, call.options, settings);
  const explained = await worker.explain(...call.shown, call.shownOptions, settings);
  const masks: WorkerMask[] = [];
  try {
    for (const of of maskArguments(call)) masks.push(await worker.mask(...of));
    const result = await inTurns(resultOf(call, whole, explained, masks), signal);
    if (!isReadable(result)) return result;
    const asked = causesOf(result, (i, j) => causesAt(result, i, j));
    return { ...result, causes: await Promise.all(asked.map((row) => Promise.all(row))) };
  } catch (error) {
    disposeMasks({ masks });
    throw error;
  }
}

function* largestOf(data: ArrayLike<number>): Generator<void, number> {
  let largest = 0;
  yield* slices(data.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      const size = Math.abs(data[at]!);
      if (size > largest && size < Infinity) largest = size;
    }
  });
  return largest || 1;
}

function* checksOf(
  { data, rows, columns }: Shown,
  masked: ArrayLike<number>,
  { options, settings }: Call,
): Generator<void, Checks> {
  const sums = new Float64Array(rows);
  const read = new Uint32Array(rows);
  let [wrongShares, wrongMasked] = [0, 0];
  yield* slices(data.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      const weight = data[at]!;
      const row = Math.floor(at / columns);
      sums[row]! += weight;
      if (masked[at] !== -Infinity) read[row]! += 1;
      else if (weight !== 0) wrongMasked += 1;
      if (!(weight >= 0 && weight <= 1)) wrongShares += 1;
    }
  });
  // The sum of a row is made of so many rounded terms.
  const near = (columns + 8) * (computedIn(settings.dtype) === 'float64' ? 2 ** -52 : 2 ** -23);
  const holds = (sum: number, row: number) =>
    read[row] === 0 ? sum === 0 : sum <= 1 + near && (options.sinks ? sum >= 0 : sum >= 1 - near);
  return {
    rowSums: sums.reduce(
      ([low, high], sum): [number, number] => [sum < low ? sum : low, sum > high ? sum : high],
      [Infinity, -Infinity],
    ),
    nanRows: Array.from(sums.keys()).filter((row) => Number.isNaN(sums[row])),
    wrongSums: sums.reduce((wrong, sum, row) => wrong + (holds(sum, row) ? 0 : 1), 0),
    wrongShares,
    masked: data.length - read.reduce((sum, count) => sum + count, 0),
    wrongMasked,
  };
}

/** One head of a tensor [B, H, rows, columns]. */
function headOf({ shape, data }: Numbers, batch: number, head: number): ArrayLike<number> {
  const [, heads, rows, columns] = fourAxes(shape);
  const at = (batch * heads + head) * rows * columns;
  return (data as Float32Array).subarray(at, at + rows * columns);
}

/** Q, K and V of the head that is shown. */
function* inputsOf({ shown }: Call): Generator<void, Omit<Shown, 'domain'>[]> {
  const made: Omit<Shown, 'domain'>[] = [];
  for (const tensor of shown) {
    const { data } = yield* widened(tensor);
    made.push({ data, rows: tensor.shape[2]!, columns: tensor.shape[3]! });
  }
  return made;
}

function* resultOf(
  call: Call,
  whole: AttentionResult,
  { steps, diagnostics }: Explanation,
  masks: Result['masks'],
): Generator<void, Result> {
  const { batch, head } = call;
  const { expected } = call.given;
  const [batches, heads, queries] = fourAxes(call.whole[0].shape);
  const [, , keys, width] = fourAxes(call.whole[2].shape);
  const numbers = (of: object) => of as Numbers;
  const weights = whole.weights && (yield* widened(whole.weights));
  const output = yield* widened(whole.output);
  // With dropout the weights after it are those of the whole call, of all heads or of this one.
  const dropped =
    call.options.dropout &&
    headOf(weights!, batch, fourAxes(weights!.shape)[1] === heads ? head : 0);
  // Q, K and V stand beside the other stages where all have room.
  const isWhole = Math.max(queries, keys, width, fourAxes(call.whole[0].shape)[3]) <= READABLE;
  const inputs: Partial<Record<StageName, Shown>> = {};
  if (isWhole) {
    const three = atOnce(inputsOf(call));
    const domain = Math.max(...three.map(({ data }) => atOnce(largestOf(data))));
    for (const [at, name] of inputNames.entries()) inputs[name] = { ...three[at]!, domain };
  }
  const found: Partial<Record<StageName, ArrayLike<number>>> = {
    ...Object.fromEntries(Object.entries(steps).map(([name, { data }]) => [name, data])),
    ...(dropped ? { dropped } : {}),
    output: headOf(output, batch, head),
  };
  const shared = yield* largestOf(numbers(steps.scores).data);
  const full = call.options.dropout ? 1 / (1 - Math.min(call.options.dropout.p, 0.5)) : 1;
  // Side by side the scores share a scale; a stage that is shown alone has its own.
  const isLarge = Math.max(queries, keys, width) > READABLE;
  const stages = new Map<StageName, Shown>();
  for (const name of stageNames) {
    const input = inputs[name];
    if (input) stages.set(name, input);
    const data = found[name];
    if (!data) continue;
    const isOutput = name === 'output';
    const reach = isOutput || isLarge ? yield* largestOf(data) : shared;
    const domain = name === 'weights' ? 1 : name === 'dropped' ? full : reach;
    stages.set(name, { data, rows: queries, columns: isOutput ? width : keys, domain });
  }
  const first = diagnostics.firstNonFinite;
  const all = weights ?? { shape: [queries, keys], data: numbers(steps.weights).data };
  return {
    call,
    output,
    stored: whole.output,
    stages,
    softmax: isWhole
      ? {
          rowMax: numbers(steps.rowMax).data,
          exponentials: numbers(steps.exponentials).data,
          rowSum: numbers(steps.rowSum).data,
        }
      : null,
    masks,
    causes: null,
    batches,
    heads,
    checks: yield* checksOf(stages.get('weights')!, stages.get('masked')!.data, call),
    emptyRows: diagnostics.emptyRows.length,
    // A weight that is NaN is told of by its row.
    largest: diagnostics.rows.reduce(
      (most, row) => (row.largestWeight > most ? row.largestWeight : most),
      0,
    ),
    nonFinite: first && { stage: first.step, row: first.query, column: first.column },
    comparison: expected ? yield* compare(expected, output, all, call.settings) : null,
  };
}
