// One example for every option, mask kind and error: the code the reference shows, which is run when
// the page is built. A row of the library's tables without an example stops the build.

/** Options of a call on the article's four tokens; where `queries` is given, on the last of them. */
export interface OptionExample {
  options: string;
  queries?: number;
}

/** A rule for eight queries, unless `queries` says otherwise, and eight keys. */
export interface MaskExample {
  rule: string;
  queries?: number;
  start?: string;
}

export const optionExamples: Record<string, OptionExample> = {
  scale: { options: '{ scale: 1 }' },
  softcap: { options: '{ softcap: 0.3 }' },
  mask: { options: "{ mask: ['causal', windowOfSize(2)] }" },
  start: { options: "{ mask: 'causal', start: 'bottom-right' }", queries: 2 },
  bias: { options: '{ bias: [[0, 0, 0, 1]] }' },
  alibi: { options: '{ alibi: [0.5] }' },
  sinks: { options: '{ sinks: [1] }' },
  dropout: { options: '{ dropout: { p: 0.5, seed: 7 } }' },
  returns: { options: "{ returns: ['lse', 'weights'] }" },
  weightsFor: { options: "{ returns: ['weights'], weightsFor: { queries: [3] } }" },
};

export const maskExamples: Record<string, MaskExample> = {
  causal: { rule: "'causal'" },
  window: { rule: "{ kind: 'window', left: 2, right: 1 }" },
  lengths: { rule: "{ kind: 'lengths', keys: [5], queries: [6] }" },
  padding: {
    rule: "{ kind: 'padding', blocked: [[1, 1, 0, 0, 0, 0, 1, 0].map(Boolean)] }",
  },
  prefix: { rule: "{ kind: 'prefix', length: 3 }" },
  documents: { rule: "{ kind: 'documents', starts: [0, 3, 5] }" },
  global: { rule: "{ kind: 'global', tokens: [0, 4] }" },
  strided: { rule: "{ kind: 'strided', stride: 3 }" },
  dilated: { rule: "{ kind: 'dilated', left: 2, right: 1, dilation: 2 }" },
  blocks: {
    rule: "{ kind: 'blocks', size: 4, layout: [[true, false], [false, true]] }",
  },
  blocked: {
    rule: "{ kind: 'blocked', mask: [[1, 0, 0, 0, 0, 0, 0, 1].map(Boolean)] }",
  },
  allowed: {
    rule: "{ kind: 'allowed', mask: [[1, 0, 0, 0, 0, 0, 0, 1].map(Boolean)] }",
  },
  all: { rule: "{ kind: 'all', of: ['causal', { kind: 'window', left: 3 }] }" },
  any: {
    rule: "{ kind: 'any', of: [windowOfSize(2), { kind: 'global', tokens: [0] }] }",
  },
  not: { rule: "{ kind: 'not', of: 'causal' }" },
  function: { rule: "{ kind: 'function', allows: (b, h, i, j) => j <= i && (i + j) % 2 === 0 }" },
};

/** Calls that are refused, by the code of the error. */
export const refusedCalls: Record<string, string[]> = {
  type: ["attend(query, key, value, { scale: '1' })"],
  rank: ['attend(tensor([1, 0, 0]), key, value)'],
  shape: [
    'attend(query, tensor([[1, 0]]), value)',
    'attend(query, key, tensor([[1], [2]]))',
    'attend(query, key, value, { bias: [[0, 0, 1]] })',
  ],
  dtype: [
    "attend(query, key, tensor([[1], [2], [3], [4]], 'float64'))",
    'attend({ shape: [1, 3], data: new Uint16Array(3) }, key, value)',
  ],
  data: ['attend({ shape: [2, 3], data: new Float32Array(5) }, key, value)'],
  option: [
    'attend(query, key, value, { scal: 1 })',
    "attend(query, key, value, { mask: { kind: 'casual' } })",
    "attend(tensor([[1, 0, 0]]), key, value, { mask: 'causal' })",
    'attend(query, key, value, { dropout: { p: 1.5, seed: 1 } })',
  ],
  ambiguous: [
    "attend(batchOf2, batchOf2, batchOf2, { mask: { kind: 'blocked', mask: [[false, true], [false, false]] } })",
  ],
  capacity: ['cacheOf2.append(key, value)'],
  memory: ["attend(long, long, long, { returns: ['weights'] })"],
  stopped: ['attend(long, long, long, {}, { progress: (share) => share < 0.001 })'],
  disposed: ['disposed.scaledDotProductAttention(query, key, value)'],
  load: ['await load({ wasmBinary: new Uint8Array(8) })'],
};

/** Errors that only circumstances bring about. */
export const circumstances: Record<string, string> = {
  busy: 'A second call was made from inside a `function` rule or a progress function of the first.',
  file: '`readTensors()` was given a file of another format, or one that is damaged.',
  unsupported: 'The engine has no WebAssembly SIMD.',
  worker:
    'The worker could not be started, or broke down during the call. The next call starts another.',
};
