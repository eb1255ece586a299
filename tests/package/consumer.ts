// How a strict consumer meets the package's types: what is right compiles, and each line that is
// wrong is an error. types.test.js compiles it as a user would.
import { AttentionError, load, loadWorker, tensor, toNested, windowOfSize } from 'attention-wasm';
import type { Attention, AttentionOptions, AttentionWorker, CacheShape } from 'attention-wasm';
import type { CallSettings, KeyValueCache, LoadInfo, MaskRule } from 'attention-wasm';
import type { ResultTensor, Tensor, TileStep, WorkerOptions } from 'attention-wasm';
import { readTensors } from 'attention-wasm/files';

using attention: Attention = await load({ threads: 'auto', simd: 'auto', wasmURL: '/wasm/' });
const query: Tensor = { shape: [1, 2], data: new Float32Array(2) };
const bits: Tensor = {
  shape: [1, 2],
  data: new Uint16Array(2),
  dtype: 'bfloat16',
  strides: [2, 1],
};

const rules: readonly MaskRule[] = [
  'causal',
  windowOfSize(4),
  { kind: 'window', left: 3 },
  { kind: 'lengths', keys: [3], queries: new Int32Array([2]) },
  { kind: 'padding', blocked: tensor([[true, false]]) },
  { kind: 'padding', allowed: [[true, false]] },
  { kind: 'documents', starts: [0, 4] },
  { kind: 'blocks', size: 2, layout: [[true]] },
  { kind: 'any', of: ['causal', { kind: 'not', of: { kind: 'global', tokens: [0] } }] },
  { kind: 'function', allows: (b, h, i, j) => b + h + j <= i },
];
const options: AttentionOptions = {
  scale: 1,
  softcap: 30,
  mask: rules,
  start: 'bottom-right',
  dropout: { p: 0.1, seed: 1n },
  returns: ['lse', 'weights'],
  weightsFor: { heads: [0] },
  bias: [[0, 1]],
  alibi: [0.5],
  sinks: new Float32Array(1),
};
const { output, lse, weights, info } = attention.scaledDotProductAttention(
  query,
  query,
  bits,
  options,
  { progress: (share) => share < 0.5 },
);
const result: ResultTensor = output;
const first: number = result.data[0]! + (lse?.data[0] ?? 0) + (weights?.data[0] ?? 0);

const { steps, diagnostics } = attention.explain(query, query, query);
const scores: number[] = steps.scores.shape;
const capped: number[] | undefined = steps.capped?.shape;
const tiles: TileStep[] = attention.trace(query, query, query, {}, { tileKeys: 4 }).tiles;

using mask = attention.mask('causal', { queries: 1, keys: 1 });
const ranges: [number, number][] = mask.rowRanges(0, 0, 0);

const shape: CacheShape = { headDim: 2, capacity: 8, dtype: 'float16' };
using cache: KeyValueCache = attention.createCache(shape);
cache.append(query, query);
cache.truncate(cache.length - 1);
const step: number = cache.attend(query, { mask: 'causal' }).output.data[0]!;

const settings: WorkerOptions = { threads: 2, parallelism: 'workers' };
const worker: AttentionWorker = await loadWorker(settings);
const call: CallSettings = { signal: new AbortController().signal, progress: console.log };
const later: Promise<{ output: ResultTensor }> = worker.scaledDotProductAttention(
  query,
  query,
  query,
  options,
  call,
);
const far = await worker.createCache({ headDim: 2, capacity: 8 });
await far.attend(query, { scale: 1 }, { transfer: [query.data.buffer as ArrayBuffer] });

const stored: Tensor | undefined = (await readTensors(new Uint8Array(8), 'q.npy')).get('q');
const about: Readonly<LoadInfo> = worker.info;
const how: 'threads' | 'workers' | 'none' = about.parallelism;
const { total, used, maximum }: { total: number; used: number; maximum: number } =
  await worker.memory();
try {
  worker.dispose();
} catch (error) {
  if (error instanceof AttentionError) console.log(error.code, error.argument, error.message);
}
console.log(first, info.threads, scores, capped, diagnostics.emptyRows.length, tiles, ranges, step);
console.log(later, how, total, used, maximum, toNested(output), stored);

// ---- Each of these is an error -------------------------------------------------------------------

const run = (wrong: AttentionOptions): unknown =>
  attention.scaledDotProductAttention(query, query, query, wrong);

// @ts-expect-error an unknown option
run({ isCausal: true });
// @ts-expect-error an unknown kind
run({ mask: 'casual' });
// @ts-expect-error an unknown field
run({ mask: { kind: 'window', size: 3 } });
// @ts-expect-error a missing field
run({ mask: { kind: 'lengths' } });
// @ts-expect-error a kind that needs fields, by its name alone
run({ mask: 'documents' });
// @ts-expect-error a bare boolean mask
run({ mask: tensor([[true]]) });
// @ts-expect-error a wrong type
run({ scale: '1' });
// @ts-expect-error a corner that is none
run({ start: 'top-right' });
// @ts-expect-error dropout without its seed
run({ dropout: { p: 0.5 } });
// @ts-expect-error a result that is none
run({ returns: ['scores'] });
// @ts-expect-error an unknown dtype
tensor([1], 'int8');
// @ts-expect-error integers as query
attention.explain({ shape: [1, 1], data: new Int32Array(1) }, query, query);
// @ts-expect-error an array where a tensor is wanted
attention.explain([[1]], query, query);
// @ts-expect-error results are not promises here
void attention.explain(query, query, query).then;
// @ts-expect-error a value is missing
attention.scaledDotProductAttention(query, query);
// @ts-expect-error a step that is none
console.log(steps.logits);
// @ts-expect-error an unknown setting of a trace
attention.trace(query, query, query, {}, { tile: 4 });
// @ts-expect-error an unknown size
attention.createCache({ headDim: 2, capacity: 8, heads: 2 });
// @ts-expect-error no capacity
attention.createCache({ headDim: 2 });
// @ts-expect-error an unknown setting of load()
await load({ workers: 2 });
// @ts-expect-error a build that is none
await load({ simd: 'avx' });
// @ts-expect-error only loadWorker() has it
await load({ parallelism: 'workers' });
// @ts-expect-error a kind of parallelism that is none
await loadWorker({ parallelism: 'processes' });
// @ts-expect-error a signal that is none
await worker.mask('causal', { queries: 1, keys: 1 }, { signal: true });
// @ts-expect-error the answer of a worker is a promise
console.log(worker.explain(query, query, query).steps);
