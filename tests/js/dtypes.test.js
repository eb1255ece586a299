// float64, float16 and bfloat16: widened before the dot product, rounded once at the end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attention as reference } from '../reference/attention.js';
import { decode, round, toBits } from '../reference/dtypes.js';
import { instances, paths, runs } from './builds.js';
import { assertClose } from './compare.js';
import { conforms } from './expect.js';
import { fill, inputs, layouts, draws, sized } from './inputs.js';
import * as table from './options.js';

const dtypes = ['float64', 'float16', 'bfloat16'];

for (const dtype of dtypes) {
  test(`${dtype}: every option and many rules`, () => {
    const size = sized({ B: 2, H: 4, kvHeads: 2, T: 18, S: 37, dk: 11, dv: 9 });
    const options = { ...table.options, ...table.positionalOptions };
    for (const [at, [name, option]] of Object.entries(options).entries()) {
      const draw = draws(at);
      const call = {
        ...inputs(at, size, { dtype, layout: draw.pick(Object.keys(layouts)) }),
        options: withBiasIn(dtype, {
          ...option(draw, size),
          mask: table.rule(draw, size),
          start: 'bottom-right',
        }),
      };
      conforms(`${dtype}, ${name}`, call);
    }
  });

  test(`${dtype}: awkward lengths and large scores`, () => {
    for (const T of [1, 3, 16, 65, 129]) {
      for (const deviation of [1, 90]) {
        const call = {
          ...inputs(T, { H: 2, T, dk: 16 }, { dtype, deviation }),
          options: { mask: 'causal' },
        };
        conforms(`${dtype}, T ${T}`, call);
      }
    }
  });

  test(`${dtype}: results come in the inputs' dtype`, () => {
    for (const { attention } of instances) {
      const call = { ...inputs(1, { T: 3 }, { dtype }), options: {} };
      const { output, weights, lse } = paths.call(attention, call);
      assert.equal(output.dtype, dtype);
      assert.equal(weights.dtype, dtype);
      assert.equal(lse.dtype, dtype === 'float64' ? 'float64' : 'float32');
    }
  });
}

/** Options with a bias of the inputs' own dtype. */
function withBiasIn(dtype, options) {
  if (!options.bias) return options;
  const numbers = Array.from(options.bias.data);
  return { ...options, bias: fill(options.bias.shape, dtype, () => numbers.shift()) };
}

/** query [1,1], keys and values [S,1] in a 16-bit dtype, scale 1. */
const column = (dtype, query, keys, given, options = {}) => {
  const tensor = (numbers) => ({
    dtype,
    shape: [numbers.length, 1],
    data: Uint16Array.from(numbers, (number) => toBits(dtype, number)),
  });
  return {
    query: tensor([query]),
    key: tensor(keys),
    value: tensor(given),
    options: { scale: 1, ...options },
  };
};
const first = (result) => decode(result.output, 0);

test('a dot product beyond float16 is not an overflow, as it is widened first', () => {
  // 300 · 300 = 90000 > 65504; the other score is 300 · 299.75.
  const call = column('float16', 300, [300, 299.75], [1, 3]);
  for (const { name, run } of runs) assert.equal(first(run(call)), 1, name);
});

test('an output halfway between two numbers goes to the even one', () => {
  for (const { name, attention } of instances) {
    const mean = (dtype, a, b) => first(paths.call(attention, column(dtype, 0, [0, 0], [a, b])));
    assert.equal(mean('float16', 2048, 2050), 2048, name);
    assert.equal(mean('float16', 2050, 2052), 2052, name);
    assert.equal(mean('bfloat16', 256, 258), 256, name);
    assert.equal(mean('bfloat16', 258, 260), 260, name);
    assert.equal(mean('float16', 2 ** -24, 0), 0, name);
    assert.equal(mean('float16', 3 * 2 ** -24, 0), 2 ** -23, name);
  }
});

test('an output beyond the largest number of its dtype is ∞', () => {
  const seed = [...Array(99).keys()].find((seed) => {
    const draws = runs[0].run(column('float16', 0, [0], [1], { dropout: { p: 0.5, seed } }));
    return first(draws) !== 0;
  });
  const call = (dtype, value) => column(dtype, 0, [0], [value], { dropout: { p: 0.5, seed } }); // the weight becomes 2
  for (const { name, attention } of instances) {
    assert.equal(first(paths.call(attention, call('float16', 32752))), 65504, name);
    assert.equal(first(paths.call(attention, call('float16', 65504))), Infinity, name);
    assert.equal(first(paths.call(attention, call('bfloat16', -3e38))), -Infinity, name);
  }
});

test('explain also says what 16-bit arithmetic would have given', () => {
  for (const dtype of ['float16', 'bfloat16']) {
    const draw = draws(7);
    const eighths = () => draw.integer(-16, 16) / 8;
    const tensor = (...shape) => fill(shape, dtype, eighths);
    const call = {
      query: tensor(2, 5, 4),
      key: tensor(2, 7, 4),
      value: tensor(2, 7, 3),
      options: { mask: 'causal', start: 2, alibi: true, softcap: 3, sinks: [0.5, -1] },
    };
    const { steps } = reference(call.query, call.key, call.value, call.options, dtype);
    const unit = dtype === 'float16' ? 2 ** -10 : 2 ** -7;
    for (const { name, attention } of instances) {
      const { unwidened } = attention.explain(call.query, call.key, call.value, call.options);
      for (const [step, { data }] of Object.entries(steps)) {
        // e^x and tanh are rounded twice there and once here: a unit in the last place, or two.
        const within = (expected) => 2 * unit * Math.max(1, Math.abs(expected));
        const exact = ['scores', 'scaled'].includes(step);
        const what = `${dtype}, ${step} (${name})`;
        assertClose(unwidened.steps[step].data, data, exact ? 0 : within, what);
      }
    }
  }
});

test('what overflows without widening: the dot product of 64 forties', () => {
  const forties = (sign) => fill([1, 64], 'float16', () => 40 * sign);
  const value = fill([1, 64], 'float16', () => 1);
  for (const { name, attention } of instances) {
    const { steps, unwidened } = attention.explain(forties(1), forties(1), value);
    assert.equal(steps.scores.data[0], 102400, name);
    assert.equal(unwidened.steps.scores.data[0], Infinity, name);
    assert.ok(Number.isNaN(unwidened.steps.output.data[0]), name);
  }
});

test('subnormal 16-bit inputs are read exactly', () => {
  for (const [dtype, smallest] of [
    ['float16', 2 ** -24],
    ['bfloat16', 2 ** -133],
  ]) {
    for (const { name, run } of runs) {
      assert.equal(first(run(column(dtype, 0, [0], [smallest]))), smallest, `${dtype}, ${name}`);
      assert.equal(first(run(column(dtype, 0, [0], [-3 * smallest]))), -3 * smallest, name);
    }
  }
});

test('every finite 16-bit number passes through unchanged', () => {
  const bits = Uint16Array.from({ length: 0x10000 }, (_, pattern) => pattern);
  for (const dtype of ['float16', 'bfloat16']) {
    const tensor = (data, columns) => ({ dtype, shape: [1, columns], data });
    const zero = tensor(Uint16Array.of(0), 1);
    for (const { name, attention } of instances) {
      const { output } = attention.scaledDotProductAttention(zero, zero, tensor(bits, bits.length));
      for (let at = 0; at < bits.length; at++) {
        const [given, got] = [decode({ dtype, data: bits }, at), decode(output, at)];
        if (!Number.isFinite(given)) continue;
        assert.ok(got === given, `${dtype}, pattern ${at.toString(16)} (${name})`);
      }
    }
  }
});

test('Float16Array is float16, where the engine has it', (context) => {
  if (typeof Float16Array === 'undefined') {
    // Said, not skipped: this engine has no such array, so a Uint16Array with its dtype is the way.
    context.diagnostic('this engine has no Float16Array');
    for (const { attention } of instances) {
      const bare = { shape: [1, 1], data: Uint16Array.of(0) };
      assert.throws(() => attention.scaledDotProductAttention(bare, bare, bare), { code: 'dtype' });
    }
    return;
  }
  for (const { attention } of instances) {
    const tensor = (...numbers) => ({
      shape: [numbers.length, 1],
      data: Float16Array.from(numbers),
    });
    const result = attention.scaledDotProductAttention(tensor(1), tensor(0, 0), tensor(1, 2));
    assert.equal(result.output.dtype, 'float16');
    assert.equal(decode(result.output, 0), round('float16', 1.5));
  }
});
