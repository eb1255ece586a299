// What is measured: shapes, inputs, and the right answer for some of the rows.

const full = (heads, length, width = 64) => ({
  batch: 1,
  heads,
  kvHeads: heads,
  queries: length,
  keys: length,
  width,
});

/** Case X with a mask, which is compared with X itself. */
const sparse = (mask) => ({ ...full(8, 8192), mask, rival: 'X' });
const everyFourth = () =>
  Uint8Array.from({ length: 64 * 64 }, (_, n) => Number(((n >> 6) + (n & 63)) % 4 === 0));

/**
 * `title`: in English and Chinese. `lengths`: keys of each batch element that are not padding.
 * `window`: keys to the left. `mask`: any other rules, and
 * `allows` which cells they let through. `cached`: keys and values are in memory beforehand. `rival`: what this
 * library is compared with: the best peer, plain JavaScript, or itself in another case. `aims`: the
 * ratios it is meant to reach with relaxed and with baseline SIMD; `share`: of the limit; `scaling`:
 * two threads against one.
 * `plainHeads`: plain JavaScript does so many heads, and its time is multiplied. `slow`: left out
 * unless asked for.
 */
export const cases = {
  A: { title: 'H12 T=S=128 d64', ...full(12, 128), aims: [1.8, 1.35] },
  B: { title: 'H12 T=S=512 d64', ...full(12, 512), aims: [1.8, 1.35] },
  C: {
    title: 'H12 T=S=1024 d64',
    ...full(12, 1024),
    aims: [2, 1.45],
    share: 0.8,
    scaling: 1.9,
  },
  D: {
    title: 'H12 T=S=2048 d64',
    ...full(12, 2048),
    aims: [2, 1.45],
    share: 0.8,
    scaling: 1.9,
    plainHeads: 1,
  },
  E: { title: 'H8 T=S=4096 d64', ...full(8, 4096), aims: [2, 1.45], share: 0.8, plainHeads: 1 },
  L: { title: 'H8 T=S=1024 d128', ...full(8, 1024, 128), share: 0.9, plainHeads: 1 },
  F: {
    title: 'C, causal',
    titleZh: 'C，因果',
    ...full(12, 1024),
    causal: true,
    aims: [3.6, 2.6],
    scaling: 1.9,
  },
  G: {
    title: 'one query: H32 H_kv8 T=1 S=4096 d128',
    titleZh: '单个查询：H32 H_kv8 T=1 S=4096 d128',
    ...full(32, 4096, 128),
    kvHeads: 8,
    queries: 1,
    aims: [1.5, 1.5],
  },
  R: {
    title: 'G, keys and values cached',
    titleZh: 'G，键和值已缓存',
    ...full(32, 4096, 128),
    kvHeads: 8,
    queries: 1,
    cached: true,
    aims: [3, 3],
  },
  H: { title: '4×3 example', titleZh: '4×3 例子', ...full(1, 4, 3), aims: [3.5, 3.5] },
  I: {
    title: 'B8 H12 T=S=128 d64, half of the keys padding',
    titleZh: 'B8 H12 T=S=128 d64，一半的键是填充',
    ...full(12, 128),
    batch: 8,
    lengths: [32, 96, 48, 80, 64, 64, 40, 88],
    aims: [3, 2.2],
  },
  X: { title: 'H8 T=S=8192 d64', ...full(8, 8192), rival: 'none' },
  W: {
    title: 'X, causal window of 256',
    titleZh: 'X，256 的因果窗口',
    ...full(8, 8192),
    window: 255,
    causal: true,
    rival: 'X',
    aims: [20, 20],
  },
  K: {
    title: 'X, 8 documents (1/8 of the cells)',
    titleZh: 'X，8 个文档（1/8 的格子）',
    ...sparse([{ kind: 'documents', starts: [0, 1, 2, 3, 4, 5, 6, 7].map((n) => 1024 * n) }]),
    allows: (i, j) => i >> 10 === j >> 10,
  },
  M: {
    title: 'X, blocks of 128, every fourth (1/4)',
    titleZh: 'X，128 的块，每四块取一（1/4）',
    ...sparse([{ kind: 'blocks', size: 128, layout: { shape: [64, 64], data: everyFourth() } }]),
    allows: (i, j) => ((i >> 7) + (j >> 7)) % 4 === 0,
  },
  N: {
    title: 'X, window of 129 and 32 global tokens (1/42)',
    titleZh: 'X，129 的窗口和 32 个全局 token（1/42）',
    ...sparse([
      {
        kind: 'any',
        of: [
          { kind: 'window', left: 64, right: 64 },
          { kind: 'global', tokens: Array.from({ length: 32 }, (_, n) => n) },
        ],
      },
    ]),
    allows: (i, j) => Math.abs(i - j) <= 64 || i < 32 || j < 32,
  },
  O: {
    title: 'X, causal after a prefix of 1024 (1/2)',
    titleZh: 'X，1024 的前缀之后因果（1/2）',
    ...sparse([{ kind: 'prefix', length: 1024 }]),
    allows: (i, j) => j < 1024 || j <= i,
  },
  J: {
    title: 'H8 T=S=16384 d64, causal',
    titleZh: 'H8 T=S=16384 d64，因果',
    ...full(8, 16384),
    causal: true,
    rival: 'plain',
    slow: true,
    plainHeads: 1,
    aims: [20, 15],
  },
};

/** Floating-point operations of the whole matrices, masked or not. */
export function operations({ batch, heads, queries, keys, width }) {
  return 4 * batch * heads * queries * keys * width;
}

/** Normally distributed numbers, the same in every run. */
export function makeInputs({ batch, heads, kvHeads, queries, keys, width }) {
  let state = 1;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const make = (rows) => Float32Array.from({ length: rows * width }, normal);
  return {
    query: make(batch * heads * queries),
    key: make(batch * kvHeads * keys),
    value: make(batch * kvHeads * keys),
  };
}

/** Whether query i of batch element b may read key j. */
export function allows({ lengths, causal, window, allows: allowed }, b, i, j) {
  if (allowed) return allowed(i, j);
  if (lengths && j >= lengths[b]) return false;
  if (causal && j > i) return false;
  return window === undefined || j >= i - window;
}

/** The largest error of an output [B, H, T, d] in rows spread over it, against float64. */
export function errorOf(test, { query, key, value }, output) {
  const { batch, heads, kvHeads, queries, keys, width } = test;
  const rows = batch * heads * queries;
  let worst = 0;
  for (let sample = 0; sample < 24; ++sample) {
    const row = Math.floor((sample * (rows - 1)) / 23);
    const b = Math.floor(row / queries / heads);
    const h = Math.floor(row / queries) % heads;
    const i = row % queries;
    const first = (b * kvHeads + Math.floor((h * kvHeads) / heads)) * keys;
    const weights = [];
    let sum = 0;
    for (let j = 0; j < keys; ++j) {
      let score = 0;
      for (let d = 0; d < width; ++d)
        score += query[row * width + d] * key[(first + j) * width + d];
      weights.push(allows(test, b, i, j) ? Math.exp(score / Math.sqrt(width)) : 0);
      sum += weights[j];
    }
    for (let d = 0; d < width; ++d) {
      let right = 0;
      for (let j = 0; j < keys; ++j) right += (weights[j] / sum) * value[(first + j) * width + d];
      const error = Math.abs(output[row * width + d] - right);
      worst = Number.isNaN(error) ? Infinity : Math.max(worst, error);
    }
  }
  return worst;
}
