// What is measured: shapes, inputs, and the right answer for some of the rows.

const full = (heads, length, width = 64) => ({
  batch: 1,
  heads,
  kvHeads: heads,
  queries: length,
  keys: length,
  width,
});

/** `lengths`: keys of each batch element that are not padding. `window`: keys to the left. */
export const cases = {
  A: { title: 'H12 T=S=128 d64', ...full(12, 128) },
  B: { title: 'H12 T=S=512 d64', ...full(12, 512) },
  C: { title: 'H12 T=S=1024 d64', ...full(12, 1024) },
  D: { title: 'H12 T=S=2048 d64', ...full(12, 2048) },
  E: { title: 'H8 T=S=4096 d64', ...full(8, 4096) },
  F: { title: 'C, causal', ...full(12, 1024), causal: true },
  G: { title: 'decode: H32 H_kv8 T=1 S=4096 d128', ...full(32, 4096, 128), kvHeads: 8, queries: 1 },
  H: { title: '4×3 example', ...full(1, 4, 3) },
  I: {
    title: 'B8 H12 T=S=128 d64, half of the keys padding',
    ...full(12, 128),
    batch: 8,
    lengths: [32, 96, 48, 80, 64, 64, 40, 88],
  },
  J: { title: 'H8 T=S=16384 d64, causal', ...full(8, 16384), causal: true, slow: true },
  L: { title: 'H8 T=S=1024 d128', ...full(8, 1024, 128) },
  W: { title: 'H8 T=S=8192 d64, window 256', ...full(8, 8192), window: 255, causal: true },
  X: { title: 'H8 T=S=8192 d64', ...full(8, 8192), slow: true },
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
export function allows({ lengths, causal, window }, b, i, j) {
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
