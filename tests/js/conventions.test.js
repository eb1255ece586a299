// How this call is written to get what other libraries give: a row each, with numbers worked out by
// hand. Queries and keys are zero where not said otherwise, so an output is the mean of the values
// that a query may read, and the values are powers of two, so a mean tells which they were.
import { test } from 'node:test';
import { tensor, windowOfSize } from 'attention-wasm';
import { runs } from './builds.js';
import { assertClose } from './compare.js';

const powers = (S) => [...Array(S).keys()].map((j) => 2 ** j);

/** T queries over S keys of one head; `values` default to 1, 2, 4, … */
const blank = (T, S, options, values = powers(S)) => ({
  query: tensor(Array(T).fill([0])),
  key: tensor(Array(S).fill([0])),
  value: tensor(values.map((value) => [value])),
  options,
});

/** The same for a batch of two and one head. */
const blankBatch = (T, S, options) => {
  const pair = (rows) => tensor([[rows], [rows]]);
  return {
    query: pair(Array(T).fill([0])),
    key: pair(Array(S).fill([0])),
    value: pair(powers(S).map((value) => [value])),
    options,
  };
};

const bools = (nested) => tensor(nested, 'bool');

/** Library → what it says → [call, its numbers]. */
const conventions = {
  'PyTorch, scaled_dot_product_attention': {
    'attn_mask of bool: True takes part': [
      blank(2, 3, {
        mask: {
          kind: 'allowed',
          mask: bools([
            [1, 0, 1],
            [0, 1, 1],
          ]),
        },
      }),
      [2.5, 3],
    ],
    'attn_mask of float: added': [
      blank(1, 2, { bias: tensor([[0, Math.log(3)]]) }),
      [(1 + 3 * 2) / 4],
    ],
    'is_causal, T ≠ S: aligned at the upper left': [
      blank(2, 5, { mask: 'causal', start: 'top-left' }),
      [1, 1.5],
    ],
    'enable_gqa: each key/value head serves neighbouring query heads': [
      {
        query: tensor(Array(4).fill([[0]])),
        key: tensor([[[0]], [[0]]]),
        value: tensor([[[10]], [[20]]]),
        options: {},
      },
      [10, 10, 20, 20],
    ],
    'a row with nothing allowed gives 0 (since 2.5)': [
      blank(2, 2, {
        mask: {
          kind: 'allowed',
          mask: bools([
            [0, 0],
            [1, 1],
          ]),
        },
      }),
      [0, 1.5],
    ],
  },
  'PyTorch, nn.MultiheadAttention': {
    'attn_mask of bool: True may not be read': [
      blank(2, 3, {
        mask: {
          kind: 'blocked',
          mask: bools([
            [0, 1, 0],
            [1, 0, 0],
          ]),
        },
      }),
      [2.5, 3],
    ],
    'key_padding_mask [N, S]: True is padding': [
      blankBatch(1, 3, {
        mask: {
          kind: 'padding',
          blocked: bools([
            [0, 0, 1],
            [1, 0, 0],
          ]),
        },
      }),
      [1.5, 3],
    ],
    'both at once': [
      blankBatch(2, 3, {
        mask: [
          'causal',
          {
            kind: 'padding',
            blocked: bools([
              [0, 0, 1],
              [1, 0, 0],
            ]),
          },
        ],
        start: 'top-left',
      }),
      [1, 1.5, 0, 2], // where nn.MultiheadAttention gives NaN, here is 0
    ],
  },
  FlashAttention: {
    'causal, T ≠ S: aligned at the lower right (since 2.1)': [
      blank(2, 5, { mask: 'causal', start: 'bottom-right' }),
      [3.75, 6.2],
    ],
    'causal, T > S: the first queries read nothing and give 0': [
      blank(5, 2, { mask: 'causal', start: 'bottom-right' }),
      [0, 0, 0, 1, 1.5],
    ],
    'window_size (2, 0): two keys besides the own one': [
      blank(5, 5, { mask: { kind: 'window', left: 2, right: 0 } }),
      [1, 3 / 2, 7 / 3, 14 / 3, 28 / 3],
    ],
    'window_size (1, -1): −1 is a side without limit, left out here': [
      blank(2, 5, { mask: { kind: 'window', left: 1 }, start: 'bottom-right' }),
      [(4 + 8 + 16) / 3, 12],
    ],
    'alibi_slopes: −slope · |i + S − T − j|': [
      blank(1, 2, { alibi: [Math.log(3)], start: 'bottom-right' }),
      [(1 / 3 + 2) / (1 / 3 + 1)],
    ],
    '[batch, length, heads, dim] inputs: strides instead of a copy': [
      {
        query: { shape: [1, 2, 1, 1], strides: [2, 1, 2, 1], data: new Float32Array(2) },
        key: { shape: [1, 2, 2, 1], strides: [4, 1, 2, 1], data: new Float32Array(4) },
        value: { shape: [1, 2, 2, 1], strides: [4, 1, 2, 1], data: Float32Array.of(1, 10, 3, 30) },
        options: {},
      },
      [2, 20],
    ],
  },
  'JAX, jax.nn.dot_product_attention': {
    'mask of bool: True takes part': [
      blank(2, 3, {
        mask: {
          kind: 'allowed',
          mask: bools([
            [1, 0, 1],
            [0, 1, 1],
          ]),
        },
      }),
      [2.5, 3],
    ],
    'is_causal, T ≠ S: aligned at the upper left': [
      blank(2, 5, { mask: 'causal', start: 'top-left' }),
      [1, 1.5],
    ],
    'local_window_size (1, 1): besides the own key': [
      blank(3, 3, { mask: { kind: 'window', left: 1, right: 1 } }),
      [1.5, 7 / 3, 3],
    ],
    'query_seq_lengths and key_value_seq_lengths': [
      blankBatch(2, 3, { mask: { kind: 'lengths', queries: [1, 2], keys: [2, 3] } }),
      [1.5, 0, 7 / 3, 7 / 3],
    ],
    'a row with nothing allowed is the mean of all values: a finite bias instead of a mask': [
      blank(2, 2, {
        bias: tensor([
          [-2.4e38, -2.4e38],
          [0, -2.4e38],
        ]),
      }),
      [1.5, 1],
    ],
  },
  'MLX, fast.scaled_dot_product_attention': {
    "mask='causal', T ≠ S: aligned at the lower right": [
      blank(2, 5, { mask: 'causal', start: 'bottom-right' }),
      [3.75, 6.2],
    ],
    'scale has no default there: 1 means 1': [
      { ...blank(1, 2, { scale: 1 }), query: tensor([[2]]), key: tensor([[0], [Math.log(3) / 2]]) },
      [7 / 4],
    ],
    'sinks: one more logit for each head': [
      {
        query: tensor([[[0]], [[0]]]),
        key: tensor([
          [[0], [0]],
          [[0], [0]],
        ]),
        value: tensor([
          [[1], [1]],
          [[1], [1]],
        ]),
        options: { sinks: [0, Math.log(2)] },
      },
      [2 / 3, 1 / 2],
    ],
  },
  Keras: {
    'MultiHeadAttention, attention_mask [B, T, S]: 1 takes part': [
      blankBatch(2, 2, {
        mask: {
          kind: 'allowed',
          mask: bools([
            [
              [
                [1, 0],
                [1, 1],
              ],
            ],
            [
              [
                [0, 1],
                [1, 1],
              ],
            ],
          ]),
        },
      }),
      [1, 1.5, 2, 1.5],
    ],
    'use_causal_mask, T ≠ S: aligned at the upper left': [
      blank(2, 5, { mask: 'causal', start: 'top-left' }),
      [1, 1.5],
    ],
    'ops.dot_product_attention, attn_logits_soft_cap': [
      {
        ...blank(1, 2, { softcap: 2, scale: 1 }),
        query: tensor([[1]]),
        key: tensor([[0], [2 * Math.atanh(Math.log(3) / 2)]]),
      },
      [7 / 4],
    ],
  },
  'ONNX, Attention': {
    'is_causal with a past of 3 keys': [blank(2, 5, { mask: 'causal', start: 3 }), [3.75, 6.2]],
    'is_causal without one, T ≠ S: aligned at the upper left': [
      blank(2, 5, { mask: 'causal', start: 0 }),
      [1, 1.5],
    ],
    'is_causal with nonpad_kv_seqlen [2, 4]: a start for each batch element': [
      blankBatch(2, 4, {
        mask: ['causal', { kind: 'lengths', keys: [2, 4] }],
        start: [0, 2],
      }),
      [1, 1.5, 7 / 3, 15 / 4],
    ],
    'left_window_size 2 shows three keys': [
      blank(5, 5, { mask: ['causal', { kind: 'window', left: 2 }] }),
      [1, 3 / 2, 7 / 3, 14 / 3, 28 / 3],
    ],
  },
  'Hugging Face Transformers': {
    'sliding_window 3 is three keys in all': [
      blank(5, 5, { mask: windowOfSize(3) }),
      [1, 3 / 2, 7 / 3, 14 / 3, 28 / 3],
    ],
    'attention_mask [B, S]: 1 is a real token, padding on the left': [
      blankBatch(1, 3, {
        mask: {
          kind: 'padding',
          allowed: bools([
            [0, 1, 1],
            [1, 1, 1],
          ]),
        },
      }),
      [3, 7 / 3],
    ],
  },
};

for (const [library, rows] of Object.entries(conventions)) {
  for (const [what, [call, numbers]] of Object.entries(rows)) {
    test(`${library}: ${what}`, () => {
      for (const { name, run } of runs) {
        assertClose(run(call).output.data, numbers, 1e-6 * Math.max(...numbers), name);
      }
    });
  }
}
