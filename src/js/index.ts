/**
 * Exact scaled dot-product attention for the browser and Node: a C++ core in WebAssembly SIMD, with
 * threads where memory may be shared.
 *
 * @packageDocumentation
 */
export { Attention } from './attention.js';
export type {
  AttentionResult,
  CallInfo,
  Cell,
  Description,
  Diagnostics,
  EmptyRow,
  Explanation,
  LoadInfo,
  MemoryUse,
  RowDiagnostics,
  Trace,
} from './attention.js';
export { AttentionError } from './errors.js';
export type * from './generated/options.js';
export { load } from './load.js';
export type { LoadOptions } from './load.js';
export { windowOfSize } from './mask.js';
export type { CompiledMask, MaskShape } from './mask.js';
export { loadWorker } from './worker-client.js';
export type { AttentionWorker, CallSettings } from './worker-client.js';
export type { WorkerMask } from './worker-mask.js';
export { tensor, toNested } from './tensor.js';
export type { Bools, Nested, Numbers, ResultTensor, Tensor, TensorData } from './tensor.js';
