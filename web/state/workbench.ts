// The workbench's call: from what the reader brought to what the library returns.
import type {
  Attention,
  AttentionOptions,
  AttentionResult,
  AttentionWorker,
  DType,
  Explanation,
  MaskRule,
  Tensor,
} from 'attention-wasm';
import { type Comparison, compare, sameShape } from './compare.js';
import type { GivenTensor } from './read-tensor.js';

export const fields = ['query', 'key', 'value', 'mask', 'expected'] as const;
export type Field = (typeof fields)[number];
export type Given = Partial<Record<Field, GivenTensor>>;

export interface Settings {
  maskMeaning: 'blocked' | 'allowed' | 'padding' | 'bias';
  isCausal: boolean;
  start: 'unsaid' | 'top-left' | 'bottom-right';
  /** Absent: 1/√d_k. */
  scale: number | undefined;
  dtype: 'float32' | 'float64';
  batch: number;
  head: number;
}

export const stageNames = ['scores', 'scaled', 'masked', 'weights', 'output'] as const;
export type StageName = (typeof stageNames)[number];

/** What keeps a call from being made; `word` names the sentence in the reader's language. */
export class CallProblem extends Error {
  constructor(
    readonly word: 'needed' | 'rank' | 'maskNumbers',
    readonly values: { field?: Field; rank?: number; value?: number } = {},
  ) {
    super(word);
  }
}

export type Three = readonly [query: Tensor, key: Tensor, value: Tensor];

/** The whole call, and the part of it that one head needs to be explained. */
export interface Call {
  whole: Three;
  options: AttentionOptions;
  shown: Three;
  shownOptions: AttentionOptions;
  batch: number;
  head: number;
  expected: GivenTensor | undefined;
}

export interface Shown {
  data: ArrayLike<number>;
  rows: number;
  columns: number;
  /** The largest magnitude of its scale. */
  domain: number;
}

export interface Result {
  /** Of the chosen batch element and head. */
  stages: Record<StageName, Shown>;
  batch: number;
  head: number;
  batches: number;
  heads: number;
  rowSums: readonly [low: number, high: number];
  emptyRows: number;
  largest: number;
  nonFinite: { stage: string; row: number; column: number } | null;
  comparison: Comparison | null;
}

/** [T, d] and [H, T, d] as [B, H, T, d]. */
const fourAxes = (shape: readonly number[]) => [
  ...Array<number>(4 - shape.length).fill(1),
  ...shape,
];

function tensorOf(field: Field, given: Given, dtype: DType): Tensor {
  const { shape, data } = given[field]!;
  const rank = shape.length;
  if (rank < 2 || rank > 4) throw new CallProblem('rank', { field, rank });
  return { shape: fourAxes(shape), data: dtype === 'float64' ? data : new Float32Array(data) };
}

function optionsOf(given: Given, settings: Settings): AttentionOptions {
  const rules: MaskRule[] = settings.isCausal ? ['causal'] : [];
  let bias: Tensor | undefined;
  if (given.mask) {
    const { shape, data } = given.mask;
    const odd = settings.maskMeaning === 'bias' ? undefined : data.find((x) => x !== 0 && x !== 1);
    if (odd !== undefined) throw new CallProblem('maskNumbers', { value: odd });
    const mask = { shape, data: new Uint8Array(data) };
    if (settings.maskMeaning === 'bias') {
      bias = { shape, data: settings.dtype === 'float64' ? data : new Float32Array(data) };
    } else if (settings.maskMeaning === 'padding') rules.push({ kind: 'padding', blocked: mask });
    else rules.push({ kind: settings.maskMeaning, mask });
  }
  return {
    mask: rules,
    bias,
    scale: settings.scale,
    start: settings.start === 'unsaid' ? undefined : settings.start,
  };
}

/** One head's part of a tensor of four axes, still with four axes. */
function slice({ shape, data }: Tensor, batch: number, head: number): Tensor {
  const [, heads, length, width] = shape as [number, number, number, number];
  const size = length * width;
  const at = (batch * heads + head) * size;
  const part = (data as Float32Array).subarray(at, at + size);
  return { shape: [1, 1, length, width], data: part };
}

/** A mask or bias that differs by batch or head, cut to the head that is shown. */
function sliceBroadcast(tensor: Tensor, batch: number, head: number): Tensor {
  const shape = [...tensor.shape];
  if (shape.length < 3) return tensor;
  const full = fourAxes(shape) as [number, number, number, number];
  const size = full[2] * full[3];
  const at = ((full[0] > 1 ? batch : 0) * full[1] + (full[1] > 1 ? head : 0)) * size;
  const part = (tensor.data as Float32Array).subarray(at, at + size);
  return { shape: [1, 1, full[2], full[3]], data: part };
}

function sliceOptions(options: AttentionOptions, batch: number, head: number): AttentionOptions {
  const rules = (options.mask as readonly MaskRule[]).map((rule): MaskRule => {
    if (typeof rule === 'string') return rule;
    if (rule.kind === 'padding' && rule.blocked) {
      const { shape, data } = rule.blocked as Tensor;
      const keys = shape.at(-1)!;
      const at = shape.length > 1 && shape[0]! > 1 ? batch * keys : 0;
      const row = (data as Uint8Array).subarray(at, at + keys);
      return { kind: 'padding', blocked: { shape: [1, keys], data: row } };
    }
    if (rule.kind === 'blocked' || rule.kind === 'allowed') {
      return { kind: rule.kind, mask: sliceBroadcast(rule.mask as Tensor, batch, head) };
    }
    return rule;
  });
  const { bias } = options;
  return { ...options, mask: rules, bias: bias && sliceBroadcast(bias as Tensor, batch, head) };
}

export function callOf(given: Given, settings: Settings): Call {
  if (!given.query || !given.key || !given.value) throw new CallProblem('needed');
  const whole = (['query', 'key', 'value'] as const).map((field) =>
    tensorOf(field, given, settings.dtype),
  ) as unknown as Three;
  const [{ shape: queryShape }, { shape: keyShape }] = whole;
  const [batches, heads, queries] = queryShape as [number, number, number, number];
  const [, kvHeads, keys] = keyShape as [number, number, number, number];
  const batch = Math.min(settings.batch, batches - 1);
  const head = Math.min(settings.head, heads - 1);
  const kvHead = Math.floor((head * kvHeads) / heads);
  const { expected } = given;
  const asked = expected && sameShape(expected.shape, [batches, heads, queries, keys]);
  const options = optionsOf(given, settings);
  return {
    whole,
    options: asked ? { ...options, returns: ['weights'] } : options,
    shown: whole.map((tensor, at) => slice(tensor, batch, at === 0 ? head : kvHead)) as never,
    shownOptions: sliceOptions(options, batch, head),
    batch,
    head,
    expected,
  };
}

/** Cells of the scores of the head that is shown. */
export const cellsOf = ({ shown: [query, key] }: Call) => query.shape[2]! * key.shape[2]!;

/** The call on the page's own instance: for what is done at once. */
export const runHere = (attention: Attention, call: Call): Result =>
  resultOf(
    call,
    attention.scaledDotProductAttention(...call.whole, call.options),
    attention.explain(...call.shown, call.shownOptions),
  );

/** The call in a worker: the whole for the output and its errors, and the head that is looked at. */
export async function runAway(
  worker: AttentionWorker,
  call: Call,
  signal: AbortSignal,
): Promise<Result> {
  const settings = { signal };
  return resultOf(
    call,
    await worker.scaledDotProductAttention(...call.whole, call.options, settings),
    await worker.explain(...call.shown, call.shownOptions, settings),
  );
}

function largestOf(data: ArrayLike<number>): number {
  let largest = 0;
  for (let at = 0; at < data.length; ++at) {
    const size = Math.abs(data[at]!);
    if (size > largest && size < Infinity) largest = size;
  }
  return largest || 1;
}

/** Of the weights: the lowest and the highest sum of a row. */
function rowSumsOf({ data, rows, columns }: Shown): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < rows; ++row) {
    let sum = 0;
    for (let column = 0; column < columns; ++column) sum += data[row * columns + column]!;
    [low, high] = [Math.min(low, sum), Math.max(high, sum)];
  }
  return [low, high];
}

function resultOf(
  { whole: [query, key, value], batch, head, expected }: Call,
  { output, weights }: AttentionResult,
  { steps, diagnostics }: Explanation,
): Result {
  const [batches, heads, queries] = query.shape as [number, number, number];
  const [keys, width] = [key.shape[2]!, value.shape[3]!];
  const numbers = (name: StageName) => steps[name].data as ArrayLike<number>;
  const shared = largestOf(numbers('scores'));
  const stage = (name: StageName, domain: number): Shown => ({
    data: numbers(name),
    rows: queries,
    columns: name === 'output' ? width : keys,
    domain,
  });
  const stages = {
    scores: stage('scores', shared),
    scaled: stage('scaled', shared),
    masked: stage('masked', shared),
    weights: stage('weights', 1),
    output: stage('output', largestOf(numbers('output'))),
  };
  const first = diagnostics.firstNonFinite;
  const all = weights ?? { shape: [queries, keys], data: steps.weights.data };
  return {
    stages,
    batch,
    head,
    batches,
    heads,
    rowSums: rowSumsOf(stages.weights),
    emptyRows: diagnostics.emptyRows.length,
    largest: diagnostics.rows.reduce((most, row) => Math.max(most, row.largestWeight), 0),
    nonFinite: first && { stage: first.step, row: first.query, column: first.column },
    comparison: expected ? compare(expected, output, all) : null,
  };
}
