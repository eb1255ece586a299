// The ONNX Attention operator (opsets 23 to 25) in terms of the package's call.
import { readFileSync } from 'node:fs';
import { toBits } from '../reference/dtypes.js';
import { count, dense } from '../reference/tensor.js';

/** Every recorded case as { name, query, key, value, options, expected: { [step]: tensor } }. */
export const onnxCases = () =>
  readFileSync(new URL('onnx-attention.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => fromOnnx(JSON.parse(line)));

/** The stage that `qk_matmul_output_mode` names, by mode. */
const stages = ['scaled', 'capped', 'masked', 'weights'];

export function fromOnnx({ name, attributes, inputs, outputs }) {
  const given = Object.fromEntries(
    Object.entries(inputs).map(([input, tensor]) => [input, typed(tensor)]),
  );
  const { q_num_heads: heads, kv_num_heads: kvHeads } = attributes;
  const query = splitHeads(given.Q, heads);
  const key = append(given.past_key, splitHeads(given.K, kvHeads));
  const value = append(given.past_value, splitHeads(given.V, kvHeads));
  const [T, S] = [query.shape[2], key.shape[2]];
  const past = given.past_key?.shape[2] ?? 0;
  const lengths = given.nonpad_kv_seqlen && Array.from(given.nonpad_kv_seqlen.data, Number);

  const mask = [];
  const options = { start: lengths ? lengths.map((length) => length - T) : past };
  if (attributes.is_causal) mask.push('causal');
  const { left_window_size: left = -1, right_window_size: right = -1 } = attributes;
  if (left >= 0 || right >= 0) {
    mask.push({ kind: 'window', ...(left >= 0 && { left }), ...(right >= 0 && { right }) });
  }
  if (lengths) mask.push({ kind: 'lengths', keys: lengths });
  if (given.attn_mask) {
    const cells = padKeys(given.attn_mask, S);
    if (cells.dtype === 'bool') mask.push({ kind: 'allowed', mask: cells });
    else options.bias = cells;
  }
  if (mask.length) options.mask = mask;
  if (attributes.scale !== undefined) options.scale = attributes.scale;
  if (attributes.softcap) options.softcap = attributes.softcap;

  const expected = { output: splitHeads(typed(outputs.Y), heads) };
  if (outputs.qk_matmul_output) {
    const stage = stages[attributes.qk_matmul_output_mode ?? 0];
    expected[stage === 'capped' && !options.softcap ? 'scaled' : stage] = typed(
      outputs.qk_matmul_output,
    );
  }
  return { name, query, key, value, options, expected };
}

/** A recorded tensor over the typed array that the package takes for its dtype. */
function typed({ dtype, shape, data }) {
  const numbers = data.map(Number); // infinities are recorded as text
  const array = {
    float32: () => Float32Array.from(numbers),
    float64: () => Float64Array.from(numbers),
    float16: () => Uint16Array.from(numbers, (number) => toBits(dtype, number)),
    bfloat16: () => Uint16Array.from(numbers, (number) => toBits(dtype, number)),
    bool: () => Uint8Array.from(numbers),
    int64: () => numbers,
  }[dtype]();
  return { dtype, shape, data: array };
}

/** [B, T, heads·d] seen as [B, heads, T, d]: only the strides change. */
function splitHeads(tensor, heads) {
  if (tensor.shape.length === 4) return tensor;
  const [B, T, width] = tensor.shape;
  const d = width / heads;
  return { ...tensor, shape: [B, heads, T, d], strides: [T * width, d, width, 1] };
}

/** Past and new keys (or values) joined on the time axis. */
function append(past, next) {
  if (!past) return next;
  const [B, H, , d] = next.shape;
  const [P, N] = [past.shape[2], next.shape[2]];
  const joined = new next.data.constructor(B * H * (P + N) * d);
  const { strides = [H * N * d, N * d, d, 1] } = next;
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++) {
      const start = (b * H + h) * (P + N) * d;
      joined.set(past.data.subarray((b * H + h) * P * d, (b * H + h + 1) * P * d), start);
      for (let i = 0; i < N; i++)
        for (let c = 0; c < d; c++)
          joined[start + (P + i) * d + c] =
            next.data[b * strides[0] + h * strides[1] + i * strides[2] + c];
    }
  return { dtype: next.dtype, shape: [B, H, P + N, d], data: joined };
}

/** A mask of rank 4 whose last axis reaches all keys: what is missing is not allowed. */
function padKeys(mask, S) {
  const shape = [...Array(4 - mask.shape.length).fill(1), ...mask.shape];
  const width = shape[3];
  if (width === S) return { ...mask, shape };
  const missing = mask.dtype === 'bool' ? 0 : -Infinity;
  const cells = dense(mask, mask.shape);
  const data = Array.from({ length: (count(shape) / width) * S }, (_, at) =>
    at % S < width ? cells[Math.floor(at / S) * width + (at % S)] : missing,
  );
  return typed({ dtype: mask.dtype, shape: [...shape.slice(0, 3), S], data });
}
