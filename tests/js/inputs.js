// Seeded inputs: the same numbers on every machine.
import { round, toBits } from '../reference/dtypes.js';
import { count } from '../reference/tensor.js';
import { random } from './random.js';

/** Draws of several kinds from one seed. */
export function draws(seed) {
  const uniform = random(seed);
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    integer: (first, last) => first + Math.floor(uniform() * (last - first + 1)),
    pick: (list) => list[Math.floor(uniform() * list.length)],
    chance: (probability) => uniform() < probability,
  };
}

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  bool: Uint8Array,
};

/** How a [B, H, T, d] tensor may lie in memory: the order of its axes, and room around it. */
export const layouts = {
  rowMajor: { order: [0, 1, 2, 3], room: 0 },
  headsInside: { order: [0, 2, 1, 3], room: 0 }, // [B, T, H, d]
  transposed: { order: [0, 1, 3, 2], room: 0 }, // [B, H, d, T]
  padded: { order: [0, 1, 2, 3], room: 5 }, // rows wider than d, in a larger buffer
};

/** A tensor of `shape` whose elements, in row-major order, are next(), rounded to `dtype`. */
export function fill(shape, dtype, next, { order, room } = layouts.rowMajor) {
  const axes = order.slice(-shape.length).map((axis) => axis - 4 + shape.length);
  const strides = [];
  let extent = 1;
  for (const axis of axes.toReversed()) {
    strides[axis] = extent;
    extent *= shape[axis] + (extent === 1 ? room : 0);
  }
  const buffer = new arrays[dtype](extent + 2 * room).fill(room ? 77 : 0);
  const data = buffer.subarray(room, room + extent);
  const index = shape.map(() => 0);
  for (let cell = 0; cell < count(shape); cell++) {
    const place = index.reduce((sum, at, axis) => sum + at * strides[axis], 0);
    const number = next();
    data[place] = arrays[dtype] === Uint16Array ? toBits(dtype, number) : round32(dtype, number);
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) {
      index[axis] = 0;
    }
  }
  const rowMajor = order === layouts.rowMajor.order && !room;
  return { dtype, shape, data, ...(!rowMajor && { strides }) };
}

const round32 = (dtype, number) => (dtype === 'bool' ? Number(number) : round(dtype, number));

/**
 * query, key and value of normal numbers. `size` is { B, H, kvHeads, T, S, dk, dv }, with
 * defaults; `deviation` is that of the query and so of the scores, roughly.
 */
export function inputs(
  seed,
  size,
  { dtype = 'float32', layout = 'rowMajor', deviation = 1, rank = 4 } = {},
) {
  const { normal } = draws(seed);
  const { B, H, kvHeads, T, S, dk, dv } = sized(size);
  const make = (shape, spread) =>
    fill(shape.slice(-rank), dtype, () => spread * normal(), layouts[layout]);
  return {
    query: make([B, H, T, dk], deviation),
    key: make([B, kvHeads, S, dk], 1),
    value: make([B, kvHeads, S, dv], 1),
  };
}

/** A size with its defaults: one batch element and head, S = T, d_k = 8, d_v = d_k. */
export function sized({ B = 1, H = 1, kvHeads = H, T, S = T, dk = 8, dv = dk }) {
  return { B, H, kvHeads, T, S, dk, dv };
}
