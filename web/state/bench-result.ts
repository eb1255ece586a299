// What the workbench shows of its call, from what the library returned.
import type {
  Attention,
  AttentionResult,
  AttentionWorker,
  Explanation,
  MaskRule,
  Tensor,
} from 'attention-wasm';
import type { Call } from './bench-call.js';
import { type Causes, causesOf } from './bench-causes.js';
import { fourAxes } from './bench-head.js';
import { type Hull, hullOf } from './bench-hull.js';
import { firstInput } from './bench-finite.js';
import { computedIn, widened } from './bench-numbers.js';
import { type InputName, type StageName, isInput, stageNames } from './bench-settings.js';
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
  /** The output between the numbers of V that it is made of; null where it need not be. */
  hull: Hull | null;
}

export interface Result {
  call: Call;
  /** Of the whole call. */
  output: Numbers;
  /** The same in the type of the inputs. */
  stored: AttentionResult['output'];
  /** Of the chosen batch element and head, in order; some only with their option. */
  stages: ReadonlyMap<StageName, Shown>;
  /** Q, K and V of that head. */
  inputs: Readonly<Record<InputName, Shown>>;
  /** What the softmax is made of, [T], [T, S] and [T]. */
  softmax: Record<'rowMax' | 'exponentials' | 'rowSum', ArrayLike<number>>;
  /** For each group of rules 1 where it lets a query read a key, [T, S]. */
  allowed: readonly Uint8Array[];
  causes: Causes;
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

/** The call on the page's own instance: for what is done at once. */
export function runHere(attention: Attention, call: Call): Result {
  const whole = attention.scaledDotProductAttention(...call.whole, call.options);
  const explained = attention.explain(...call.shown, call.shownOptions);
  const allowed = maskArguments(call).map((of) => {
    const mask = attention.mask(...of);
    const { data } = mask.toDense();
    mask.dispose();
    return data;
  });
  return atOnce(resultOf(call, whole, explained, allowed));
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
  const allowed: Uint8Array[] = [];
  for (const of of maskArguments(call)) {
    const mask = await worker.mask(...of);
    allowed.push((await mask.toDense()).data);
    mask.dispose();
  }
  return inTurns(resultOf(call, whole, explained, allowed), signal);
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
  stages: Result['stages'],
  value: Shown,
  { cells }: Causes,
  { options, settings }: Call,
): Generator<void, Checks> {
  const { data, rows, columns } = stages.get('weights')!;
  const sums = new Float64Array(rows);
  const read = new Uint32Array(rows);
  let [wrongShares, wrongMasked] = [0, 0];
  yield* slices(data.length, (from, to) => {
    for (let at = from; at < to; ++at) {
      const weight = data[at]!;
      const row = Math.floor(at / columns);
      sums[row]! += weight;
      if (cells[at] === 0) read[row]! += 1;
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
    // Only of weights that sum to 1, or of none. Twice: once more where the output is rounded to its type.
    hull:
      options.dropout || options.sinks
        ? null
        : yield* hullOf(stages.get('output')!, value, cells, 2 * near),
  };
}

/** One head of a tensor [B, H, rows, columns]. */
function headOf({ shape, data }: Numbers, batch: number, head: number): ArrayLike<number> {
  const [, heads, rows, columns] = fourAxes(shape);
  const at = (batch * heads + head) * rows * columns;
  return (data as Float32Array).subarray(at, at + rows * columns);
}

/** Q, K and V of the head that is shown; their colours have one scale. */
function* inputsOf({ shown }: Call): Generator<void, Result['inputs']> {
  const three: Omit<Shown, 'domain'>[] = [];
  let domain = 0;
  for (const tensor of shown) {
    const { data } = yield* widened(tensor);
    three.push({ data, rows: tensor.shape[2]!, columns: tensor.shape[3]! });
    domain = Math.max(domain, yield* largestOf(data));
  }
  const [query, key, value] = three.map((each) => ({ ...each, domain }));
  return { query: query!, key: key!, value: value! };
}

function* resultOf(
  call: Call,
  whole: AttentionResult,
  { steps, diagnostics }: Explanation,
  allowed: Result['allowed'],
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
  const inputs = yield* inputsOf(call);
  const found: Partial<Record<StageName, ArrayLike<number>>> = {
    ...Object.fromEntries(Object.entries(steps).map(([name, { data }]) => [name, data])),
    ...(dropped ? { dropped } : {}),
    output: headOf(output, batch, head),
  };
  const shared = yield* largestOf(numbers(steps.scores).data);
  const full = call.options.dropout ? 1 / (1 - Math.min(call.options.dropout.p, 0.5)) : 1;
  // Side by side the scores share a scale; a stage that is shown alone has its own.
  const isLarge = Math.max(queries, keys, width) > READABLE;
  // Q and K as tables stand beside the others where they have room.
  const isNarrow = inputs.query.columns <= READABLE;
  const stages = new Map<StageName, Shown>();
  for (const name of stageNames) {
    if (isInput(name) && (isLarge || isNarrow)) stages.set(name, inputs[name]);
    const data = found[name];
    if (!data) continue;
    const isOutput = name === 'output';
    const reach = isOutput || isLarge ? yield* largestOf(data) : shared;
    const domain = name === 'weights' ? 1 : name === 'dropped' ? full : reach;
    stages.set(name, { data, rows: queries, columns: isOutput ? width : keys, domain });
  }
  const { bias } = call.shownOptions;
  const causes = yield* causesOf([queries, keys], allowed, bias as Tensor | undefined);
  const first = diagnostics.firstNonFinite;
  const all = weights ?? { shape: [queries, keys], data: numbers(steps.weights).data };
  return {
    call,
    output,
    stored: whole.output,
    stages,
    inputs,
    softmax: {
      rowMax: numbers(steps.rowMax).data,
      exponentials: numbers(steps.exponentials).data,
      rowSum: numbers(steps.rowSum).data,
    },
    allowed,
    causes,
    batches,
    heads,
    checks: yield* checksOf(stages, inputs.value, causes, call),
    emptyRows: diagnostics.emptyRows.length,
    // A weight that is NaN is told of by its row.
    largest: diagnostics.rows.reduce(
      (most, row) => (row.largestWeight > most ? row.largestWeight : most),
      0,
    ),
    // What is computed from an input that is not finite is not finite because of that.
    nonFinite: first && {
      ...{ stage: first.step, row: first.query, column: first.column },
      ...(yield* firstInput(inputs, causes)),
    },
    comparison: expected ? yield* compare(expected, output, all, call.settings) : null,
  };
}
