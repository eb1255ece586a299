// Seeded random calls against the float64 reference: every option and mask rule, alone and together,
// in every build by both ways of asking.
import { test } from 'node:test';
import { instances, paths } from './builds.js';
import { check, conforms, expectation } from './expect.js';
import { draws, inputs, sized } from './inputs.js';
import * as table from './options.js';

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
