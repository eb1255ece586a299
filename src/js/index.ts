/**
 * Exact scaled dot-product attention for the browser and Node: a C++ core in WebAssembly SIMD, with
 * threads where memory may be shared.
 *
 * @packageDocumentation
 */
export { Attention } from './attention.js';
export type { CallOptions, Description, LoadInfo, MemoryUse, TraceOptions } from './attention.js';
export type { CacheShape, KeyValueCache } from './cache.js';
export { AttentionError } from './errors.js';
export type * from './generated/options.js';
export { load } from './load.js';
export type { LoadOptions } from './load.js';
export { windowOfSize } from './mask.js';
export { preset } from './preset.js';
export type { MaskOrBias } from './preset.js';
export type { CompiledMask, MaskShape } from './mask.js';
export type {
  AttentionResult,
  CallInfo,
  Cell,
  Diagnostics,
  EmptyRow,
  Explanation,
  RowDiagnostics,
  TileStep,
  Trace,
  TracedResult,
} from './results.js';
export { loadWorker } from './worker-client.js';
export type { AttentionWorker, CallSettings, WorkerOptions } from './worker-client.js';
export type { WorkerCache, WorkerMask } from './worker-objects.js';
export { tensor, toNested } from './tensor.js';
export type { Bools, Nested, Numbers, ResultTensor, Tensor, TensorData } from './tensor.js';
