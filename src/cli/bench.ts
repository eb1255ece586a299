// bench: how fast some calls are here. A look, not a comparison.

import type { Attention, AttentionOptions } from 'attention-wasm';
import type { Report } from './cli.js';
import { table } from './table.js';

interface Shape {
  title: string;
  heads: number;
  queries: number;
  keys: number;
  options: AttentionOptions;
}

const width = 64;
const shapes: Shape[] = [
  { title: 'a short text', heads: 8, queries: 128, keys: 128, options: {} },
  { title: 'a long text', heads: 8, queries: 1024, keys: 1024, options: {} },
  {
    title: 'a long text, causal',
    heads: 8,
    queries: 1024,
    keys: 1024,
    options: { mask: 'causal' },
  },
  { title: 'one more token', heads: 8, queries: 1, keys: 1024, options: {} },
];
/** Each is called for so long, and at least so often. */
const patience = 400;
const rounds = 5;

export function bench(attention: Attention): Report {
  const { simd, threads } = attention.info;
  const results = shapes.map((shape) => measure(attention, shape));
  const rows = results.map(({ title, shape, milliseconds, gflops }) => [
    title,
    shape,
    milliseconds.toPrecision(3),
    gflops.toFixed(1),
  ]);
  const text = [
    table([['', 'B×H×T×S×d', 'milliseconds', 'GFLOP/s'], ...rows]),
    `  float32, ${simd} SIMD, ${threads} thread${threads === 1 ? '' : 's'}; medians`,
  ];
  return { text: text.join('\n'), data: { simd, threads, results } };
}

function measure(attention: Attention, { title, heads, queries, keys, options }: Shape) {
  const tensor = (length: number) => ({
    shape: [1, heads, length, width],
    data: Float32Array.from({ length: heads * length * width }, () => Math.random() * 2 - 1),
  });
  const [query, key, value] = [tensor(queries), tensor(keys), tensor(keys)];
  const { info } = attention.scaledDotProductAttention(query, key, value, options);
  const times: number[] = [];
  const end = performance.now() + patience;
  while (times.length < rounds || performance.now() < end) {
    const started = performance.now();
    attention.scaledDotProductAttention(query, key, value, options);
    times.push(performance.now() - started);
  }
  const milliseconds = times.sort((a, b) => a - b)[times.length >> 1]!;
  // Two operations each for a product in Q·Kᵀ and in the sum of values, where the mask allows.
  const operations = 4 * info.allowedCells * width;
  const shape = [1, heads, queries, keys, width].join('×');
  return { title, shape, milliseconds, gflops: operations / milliseconds / 1e6 };
}
