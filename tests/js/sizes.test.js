// Awkward sizes against the float64 reference: lengths around tiles and SIMD lanes, T ≠ S, head groups,
// many keys and none, in every build by both ways of asking.
import { test } from 'node:test';
import { conforms } from './expect.js';
import { draws, inputs, sized } from './inputs.js';
import * as table from './options.js';

const awkward = [1, 2, 3, 7, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129];

test('every awkward length and width, plain and causal', () => {
  for (const [at, T] of awkward.entries()) {
    for (const mask of [undefined, 'causal']) {
      const size = { H: 2, T, dk: awkward[(at * 5) % 11], dv: awkward[(at * 3) % 11] };
      conforms(`T = S = ${T}, ${JSON.stringify(size)}, ${mask}`, {
        ...inputs(at, size),
        options: { mask },
      });
    }
  }
});

test('queries and keys of different lengths, every alignment', () => {
  const lengths = [
    [1, 129],
    [1, 64],
    [2, 65],
    [7, 64],
    [17, 63],
    [129, 1],
    [64, 7],
    [65, 17],
  ];
  for (const [seed, [T, S]] of lengths.entries()) {
    for (const [where, start] of Object.entries(table.starts)) {
      const size = sized({ B: 2, T, S });
      conforms(`T ${T}, S ${S}, start ${where}`, {
        ...inputs(seed, size),
        options: { mask: 'causal', start: start(draws(seed), size) },
      });
    }
  }
});

test('head groups', () => {
  for (const [H, kvHeads] of [
    [4, 1],
    [4, 2],
    [6, 3],
    [9, 3],
    [5, 5],
  ]) {
    for (const T of [1, 5, 33]) {
      const size = { B: 2, H, kvHeads, T, S: 37, dk: 12, dv: 20 };
      const options = { mask: 'causal', start: 'bottom-right' };
      conforms(`${H} heads on ${kvHeads}, T ${T}`, { ...inputs(H, size), options });
    }
  }
});

test('few queries over many keys, where the keys are split', () => {
  for (const [T, H, kvHeads] of [
    [1, 8, 2],
    [1, 3, 3],
    [4, 6, 2],
    [16, 2, 1],
  ]) {
    const size = sized({ B: 2, H, kvHeads, T, S: 1100, dk: 20, dv: 12 });
    const draw = draws(T + H);
    for (const options of [
      { mask: 'causal' },
      { mask: { kind: 'window', left: 800 }, sinks: Array(H).fill(1), softcap: 3 },
      { mask: { kind: 'lengths', keys: [0, 777] }, alibi: true },
      { mask: table.positionless['padding, allowed'](draw, size), scale: 4 },
      { mask: table.positional['documents by starts'](draw, size), dropout: { p: 0.2, seed: 5 } },
    ]) {
      const call = { ...inputs(T, size), options: { ...options, start: 'bottom-right' } };
      conforms(`T ${T}, ${H} heads on ${kvHeads}, ${JSON.stringify(options.mask.kind)}`, call);
    }
  }
});

test('many queries and keys, where the mask leaves tiles empty, full and cut', () => {
  const size = sized({ H: 2, kvHeads: 1, T: 140, S: 230, dk: 12 });
  const draw = draws(8);
  for (const mask of [
    'causal',
    { kind: 'window', left: 100, right: 20 },
    { kind: 'documents', starts: [0, 64, 65, 130, 200] },
    { kind: 'prefix', length: 90 },
    { kind: 'strided', stride: 70 },
    { kind: 'not', of: { kind: 'window', left: 70, right: 70 } },
  ]) {
    const call = { ...inputs(6, size), options: { mask, start: 'bottom-right' } };
    conforms(JSON.stringify(mask), call);
  }
  const blocked = table.positionless['blocked [1,1,T,S]'](draw, size);
  conforms('half of the cells', { ...inputs(7, size), options: { mask: blocked } });
});

test('a batch, heads, queries or keys of none', () => {
  for (const size of [
    { B: 0, T: 3 },
    { H: 0, kvHeads: 0, T: 3 },
    { T: 0, S: 5 },
    { B: 2, T: 3, S: 0 },
    { T: 0, S: 0 },
    { T: 3, dv: 0 },
  ].map(sized)) {
    for (const options of [{}, { mask: 'causal', start: 0 }, { sinks: Array(size.H).fill(0.5) }]) {
      conforms(JSON.stringify({ size, options }), { ...inputs(1, size), options });
    }
  }
});
