// Inputs on which attention libraries have gone wrong, as calls with their right answers.
// The small ones are written out in known-faults.jsonl, which also describes the rest in words.
import { readFileSync } from 'node:fs';
import { count } from '../reference/tensor.js';

const records = new Map(
  readFileSync(new URL('known-faults.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((record) => [record.n, record]),
);

/** Every fault as { name, calls: [{ query, key, value, options, output, lse? }] }. */
export const faultCases = () =>
  [...records.values()].map((record) => ({
    name: record.fault,
    calls: record.input ? [written(record)] : described[record.n](record),
  }));

function written({ input, right, lse }) {
  const tensor = ({ shape, data }) => f32(shape, data.map(Number));
  const options = {};
  if (input.scale !== undefined) options.scale = input.scale;
  if (input.mask) {
    const { shape, data } = input.mask;
    options.mask = { kind: 'allowed', mask: { shape, data: Uint8Array.from(data) } };
  }
  const { q, k, v } = input;
  return {
    query: tensor(q),
    key: tensor(k),
    value: tensor(v),
    options,
    output: right,
    ...(lse && { lse }),
  };
}

const described = {
  3: () => {
    const T = 600;
    const bias = each([T, T], (at) => {
      const [i, j] = [Math.floor(at / T), at % T];
      return i - 10 < j && j <= i ? 0 : -Infinity;
    });
    const output = Array.from({ length: T }, (_, i) => (Math.max(0, i - 9) + i) / 2);
    const value = each([1, 1, T, 1], (j) => j);
    return [{ query: zeros(1, 1, T, 2), key: zeros(1, 1, T, 2), value, options: { bias }, output }];
  },

  7: ({ right }) => {
    const call = (T, S, start, output) => ({
      query: zeros(1, 1, T, 1),
      key: zeros(1, 1, S, 1),
      value: each([1, 1, S, 1], (j) => 2 ** j),
      options: { mask: 'causal', start },
      output,
    });
    return [
      call(2, 5, 'bottom-right', right),
      call(2, 5, 'top-left', [1, 1.5]),
      call(5, 2, 'top-left', [1, 1.5, 1.5, 1.5, 1.5]),
      call(5, 2, 'bottom-right', [0, 0, 0, 1, 1.5]),
    ];
  },

  9: () =>
    [1, 63, 65, 66, 127, 129].map((S) => ({
      query: zeros(1, 1, 1, 4),
      key: zeros(1, 1, S, 4),
      value: each([1, 1, S, 1], () => 1),
      options: { softcap: 2 },
      output: [1],
      lse: [Math.log(S)],
    })),

  13: ({ right }) => [
    {
      query: zeros(1, 1, 5, 1),
      key: zeros(1, 1, 5, 1),
      value: each([1, 1, 5, 1], (j) => 2 ** j),
      options: { mask: { kind: 'window', left: 2, right: 0 } },
      output: right,
    },
  ],

  17: ({ right }) => {
    const stored = (data) => ({ ...f32([1, 2, 3, 2], data), strides: [12, 2, 4, 1] });
    return [
      {
        query: stored([1, 0, 2, -1, 0, 1, 1, 1, -1, 2, 0, 3]),
        key: stored([0, 1, 1, 0, 2, 1, -1, 1, 1, -2, 3, 0]),
        value: stored([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        options: {},
        output: right,
      },
    ];
  },

  19: ({ right }) => [
    {
      query: zeros(1, 3, 2, 1),
      key: zeros(1, 3, 4, 1),
      value: each([1, 3, 4, 1], () => 1),
      options: { sinks: [0, Math.log(4), Math.log(12)] },
      output: right,
    },
  ],

  21: ({ right }) => [
    {
      query: zeros(1, 6, 1, 1),
      key: zeros(1, 6, 4, 1),
      value: each([1, 6, 4, 1], (at) => 2 ** (at % 4)),
      options: { alibi: true, start: 3 },
      output: right,
    },
  ],

  23: ({ right, lse }) => {
    const call = (keys, output, lse) => ({
      query: f32([1, 1, 2, 1], [1, 2]),
      key: f32([1, 1, 2, 1], [1, 3]),
      value: f32([1, 1, 2, 1], [4, 8]),
      options: { scale: 1, mask: { kind: 'lengths', keys: [keys] } },
      output,
      lse,
    });
    return [call(2, right, lse), call(0, [0, 0], [-Infinity, -Infinity])];
  },

  25: ({ right, lse }) => {
    const S = 33728;
    const value = each([1, 1, S, 2], (at) => (at % 2 ? 1 : (at - (at % 2)) / 2 / S));
    const [query, key] = [zeros(1, 1, 1, 2), zeros(1, 1, S, 2)];
    return [{ query, key, value, options: {}, output: right, lse }];
  },

  27: ({ right }) => {
    const inside = (...numbers) => ({
      shape: [1, 1, 2, 2],
      data: Float32Array.from([9, 9, 9, ...numbers, 9, 9]).subarray(3, 7),
    });
    const [query, key, value] = [inside(1, 0, 0, 1), inside(1, 0, 0, 1), inside(1, 2, 3, 4)];
    return [{ query, key, value, options: {}, output: right }];
  },
};

const f32 = (shape, numbers) => ({ shape, data: Float32Array.from(numbers) });
const each = (shape, f) =>
  f32(
    shape,
    Array.from({ length: count(shape) }, (_, at) => f(at)),
  );
const zeros = (...shape) => each(shape, () => 0);
