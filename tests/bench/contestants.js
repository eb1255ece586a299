// Who takes part. A contestant is { name, group, prepare(test, inputs) }; prepare() returns a
// function that takes the typed arrays in and gives the output's typed array [B, H, T, d] out, or a
// promise of it; or { run, dispose }. What can be made beforehand (graphs, masks) is not measured, nor
// is that array: all but onnxruntime-web, which ignores one, write into the same each time.

import { allows } from './cases.js';
import { attentionGraph, matmulGraph, withConstants } from './onnx.js';

/**
 * This library, one contestant for each build; with several threads also the relaxed build on one, in
 * the same process and by the same clock.
 */
export async function ours({ load, threads }) {
  const all = await builds({ load, threads });
  if (threads === 1) return all;
  const alone = await builds({ load, threads: 1, simds: ['relaxed'] });
  const named = alone.map((one) => ({ ...one, name: `${one.name}, one thread`, group: 'alone' }));
  return [...all, ...named];
}

export async function builds({ load, threads, simds = ['relaxed', 'baseline'] }) {
  const contestants = [];
  for (const simd of simds) {
    const attention = await load({ simd, threads }).catch(() => null);
    if (attention?.info.simd !== simd) continue;
    contestants.push({
      name: `attention-wasm, ${simd}`,
      group: 'ours',
      simd,
      memory: () => attention.memory().total,
      prepare(test, { query, key, value }) {
        const { batch, heads, kvHeads, queries, keys, width, causal, window, lengths } = test;
        const rows = { shape: [batch, heads, queries, width], data: query };
        const columns = (data) => ({ shape: [batch, kvHeads, keys, width], data });
        const into = new Float32Array(query.length);
        const mask = [...(test.mask ?? [])];
        if (causal) mask.push('causal');
        if (window !== undefined) mask.push({ kind: 'window', left: window });
        if (lengths) mask.push({ kind: 'lengths', keys: lengths });
        if (test.cached) {
          const cache = attention.createCache({ batch, kvHeads, headDim: width, capacity: keys });
          cache.append(columns(key), columns(value));
          const run = () => cache.attend(rows, undefined, { into }).output.data;
          return { run, dispose: () => cache.dispose() };
        }
        const [k, v] = [columns(key), columns(value)];
        const options = { mask };
        return () => attention.scaledDotProductAttention(rows, k, v, options, { into }).output.data;
      },
    });
  }
  return contestants;
}

/** A careful loop in plain JavaScript: one row of scores, nothing allocated, masked keys skipped. */
export const plain = {
  name: 'plain JavaScript',
  group: 'plain',
  slow: true,
  prepare(test, { query, key, value }) {
    const { batch, heads, kvHeads, queries, keys, width } = test;
    const weights = new Float32Array(keys);
    const rowOf = (b, h, i) => ((b * heads + h) * queries + i) * width;
    const output = new Float32Array(query.length);
    return () => {
      output.fill(0);
      for (let b = 0; b < batch; ++b)
        for (let h = 0; h < heads; ++h)
          for (let i = 0; i < queries; ++i) {
            const row = rowOf(b, h, i);
            const head = (b * kvHeads + Math.floor((h * kvHeads) / heads)) * keys * width;
            let max = -Infinity;
            for (let j = 0; j < keys; ++j) {
              weights[j] = -Infinity;
              if (!allows(test, b, i, j)) continue;
              let score = 0;
              for (let d = 0; d < width; ++d) score += query[row + d] * key[head + j * width + d];
              weights[j] = score / Math.sqrt(width);
              if (weights[j] > max) max = weights[j];
            }
            let sum = 0;
            for (let j = 0; j < keys; ++j) sum += weights[j] = Math.exp(weights[j] - max);
            for (let j = 0; j < keys; ++j) {
              const weight = weights[j] / sum;
              if (weight === 0) continue;
              for (let d = 0; d < width; ++d)
                output[row + d] += weight * value[head + j * width + d];
            }
          }
      return output;
    };
  },
};

/** 0 where a cell is allowed and −1e9 elsewhere, in the smallest shape that broadcasts; or null. */
function maskArray(test) {
  const { batch, queries, keys, lengths, causal, window } = test;
  if (!lengths && !causal && window === undefined) return null;
  const shape = [lengths ? batch : 1, 1, causal || window !== undefined ? queries : 1, keys];
  const data = new Float32Array(shape[0] * shape[2] * keys);
  for (let b = 0, n = 0; b < shape[0]; ++b)
    for (let i = 0; i < shape[2]; ++i)
      for (let j = 0; j < keys; ++j, ++n) data[n] = allows(test, b, i, j) ? 0 : -1e9;
  return { shape, data };
}

/** onnxruntime-web: the formula as matrix products, and its own operator. */
export function onnxRuntime({ ort, threads, wasmPaths }) {
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = 'error';
  if (wasmPaths) ort.env.wasm.wasmPaths = wasmPaths;
  /** What a graph is run with: name → { data, shape }. Keys and values that are cached are part of it. */
  const prepare = async (test, graphOf, tensors) => {
    const { key, value, ...others } = tensors;
    const [constants, inputs] = test.cached ? [{ key, value }, others] : [{}, tensors];
    const model = withConstants(graphOf(Object.keys(inputs)), constants);
    const session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'] });
    return {
      async run() {
        const feeds = Object.entries(inputs).map(([name, { data, shape }]) => [
          name,
          new ort.Tensor('float32', data, shape),
        ]);
        return (await session.run(Object.fromEntries(feeds))).output.data;
      },
      dispose: () => session.release(),
    };
  };

  const matmul = {
    name: 'onnxruntime-web, MatMul and Softmax',
    group: 'peer',
    prepare(test, { query, key, value }) {
      const { batch, heads, kvHeads, queries, keys, width } = test;
      // One query: the heads of a group are the rows of one product.
      const [h, t] = queries === 1 ? [kvHeads, heads / kvHeads] : [heads, queries];
      if (queries > 1 && heads !== kvHeads) throw new Error('grouped heads need one query');
      const mask = maskArray(test);
      return prepare(test, (inputs) => matmulGraph(1 / Math.sqrt(width), mask !== null, inputs), {
        query: { data: query, shape: [batch, h, t, width] },
        key: { data: key, shape: [batch, h, keys, width] },
        value: { data: value, shape: [batch, h, keys, width] },
        ...(mask && { mask }),
      });
    },
  };

  const operator = {
    name: 'onnxruntime-web, Attention operator',
    group: 'peer',
    prepare(test, { query, key, value }) {
      const { batch, heads, kvHeads, queries, keys, width } = test;
      const mask =
        test.causal && test.window === undefined && !test.lengths ? null : maskArray(test);
      const causal = Boolean(test.causal && !mask);
      return prepare(
        test,
        (inputs) => attentionGraph(1 / Math.sqrt(width), mask !== null, causal, inputs),
        {
          query: { data: query, shape: [batch, heads, queries, width] },
          key: { data: key, shape: [batch, kvHeads, keys, width] },
          value: { data: value, shape: [batch, kvHeads, keys, width] },
          ...(mask && { mask }),
        },
      );
    },
  };
  return [matmul, operator];
}

/** TensorFlow.js on its wasm backend, one 2-D product for each head: faster than its batched one. */
export async function tensorFlow({ tf, wasm, threads, wasmPaths }) {
  wasm.setWasmPaths(wasmPaths);
  if (threads > 1) wasm.setThreadsCount(threads);
  await tf.setBackend('wasm');
  await tf.ready();
  return {
    name: 'TensorFlow.js wasm',
    group: 'peer',
    prepare(test, { query, key, value }) {
      const { batch, heads, kvHeads, queries, keys, width } = test;
      const masks = maskArray(test);
      const maskOf = (b) => {
        const size = masks.shape[2] * keys;
        const first = masks.shape[0] === 1 ? 0 : b * size;
        return tf.tensor2d(masks.data.slice(first, first + size), [masks.shape[2], keys]);
      };
      const kept = masks && Array.from({ length: batch }, (_, b) => tf.keep(maskOf(b)));
      // With one query the heads of a group are the rows of one product.
      const [count, rows] =
        queries === 1 ? [batch * kvHeads, heads / kvHeads] : [batch * heads, queries];
      if (queries > 1 && heads !== kvHeads) throw new Error('grouped heads need one query');
      const part = (data, n, length) =>
        tf.tensor2d(data.subarray(n * length * width, (n + 1) * length * width), [length, width]);
      // Not transposed: a cache grows by rows.
      const cached = test.cached
        ? Array.from({ length: count }, (_, n) => [part(key, n, keys), part(value, n, keys)])
        : null;
      const output = new Float32Array(query.length);
      const run = () => {
        for (let n = 0; n < count; ++n) {
          const head = tf.tidy(() => {
            const [k, v] = cached?.[n] ?? [part(key, n, keys), part(value, n, keys)];
            // Transposed beforehand: its product with a transposed operand is many times slower.
            const scores = tf.matMul(part(query, n, rows), tf.transpose(k));
            let scaled = tf.mul(scores, 1 / Math.sqrt(width));
            if (kept) scaled = tf.add(scaled, kept[Math.floor((n * batch) / count)]);
            return tf.matMul(tf.softmax(scaled), v);
          });
          output.set(head.dataSync(), n * rows * width);
          head.dispose();
        }
        return output;
      };
      return { run, dispose: () => tf.dispose([kept ?? [], cached ?? []]) };
    },
  };
}
