// Seeded random calls against the float64 reference: every option, mask rule, alignment and
// awkward size, in every build, by both ways of asking.
import { test } from 'node:test';
import { instances, paths, runs } from './builds.js';
import { check, expectation } from './expect.js';
import { inputs, draws, sized } from './inputs.js';
import * as table from './options.js';

/** Runs one call everywhere. */
function conforms(what, call) {
  const expected = expectation(call);
  for (const { name, run } of runs) check(run(call), expected, `${what} (${name})`);
}

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

test('every mask rule', () => {
  const size = sized({ B: 2, H: 2, T: 19, S: 35 });
  for (const [name, rule] of Object.entries(table.rules)) {
    for (const seed of [1, 2]) {
      const draw = draws(seed);
      const mask = rule(draw, size);
      const start = draw.pick(Object.values(table.starts))(draw, size);
      conforms(`${name}, seed ${seed}`, { ...inputs(seed, size), options: { mask, start } });
    }
  }
});

test('every option', () => {
  for (const size of [
    { B: 2, H: 3, T: 9, S: 21 },
    { B: 2, H: 4, kvHeads: 2, T: 1, S: 67 },
    { B: 1, H: 6, T: 33, dv: 5 },
  ].map(sized)) {
    for (const [name, option] of Object.entries({ ...table.options, ...table.positionalOptions })) {
      const draw = draws(size.T);
      const options = { ...option(draw, size), start: 'bottom-right', mask: 'causal' };
      conforms(`${name}, ${JSON.stringify(size)}`, { ...inputs(size.S, size), options });
    }
  }
});

test('options and rules thrown together', () => {
  const all = Object.values({ ...table.options, ...table.positionalOptions });
  for (let seed = 1; seed <= 60; seed++) {
    const draw = draws(seed);
    const kvHeads = draw.integer(1, 3);
    const size = sized({
      B: draw.integer(1, 3),
      H: kvHeads * draw.integer(1, 3),
      kvHeads,
      T: draw.pick([1, 2, 5, 16, 17, 40]),
      S: draw.pick([1, 3, 8, 15, 33, 66]),
      dk: draw.integer(1, 20),
      dv: draw.integer(1, 20),
    });
    const mask = Array.from({ length: draw.integer(0, 2) }, () =>
      draw.pick(Object.values(table.rules))(draw, size),
    );
    const options = {
      ...draw.pick(all)(draw, size),
      ...draw.pick(all)(draw, size),
      mask,
      start: draw.pick(Object.values(table.starts))(draw, size),
    };
    conforms(`seed ${seed}`, { ...inputs(seed, size), options });
  }
});

test('large scores: 90 to 100, where exp overflows float32, and 10⁴', () => {
  for (const deviation of [30, 100, 1e4]) {
    for (const [T, S] of [
      [5, 70],
      [66, 66],
    ]) {
      const size = { H: 2, T, S, dk: 16 };
      const options = { mask: { kind: 'window', left: 40, right: 3 }, start: 'bottom-right' };
      conforms(`scores around ${deviation}`, {
        ...inputs(T, size, { deviation }),
        options,
      });
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

test('weights of chosen heads and queries only', () => {
  const size = sized({ B: 2, H: 4, kvHeads: 2, T: 70, S: 90 });
  for (const weightsFor of [
    { heads: [2] },
    { queries: [69, 0, 33] },
    { heads: [3, 1], queries: [5] },
    { heads: [], queries: [1] },
  ]) {
    const options = { mask: 'causal', start: 'bottom-right', sinks: [0, 1, -1, 2], weightsFor };
    const call = { ...inputs(5, size), options };
    const expected = expectation(call);
    for (const { name, attention } of instances) {
      check(paths.call(attention, call), expected, `${JSON.stringify(weightsFor)} (${name})`);
    }
  }
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
