// The float64 reference against numbers that were published or computed elsewhere.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { alibiSlopes, attention } from '../reference/attention.js';
import { philox } from '../reference/dropout.js';
import { decode, round, toBits } from '../reference/dtypes.js';
import { exampleCall, examples } from '../reference/examples.js';
import { dense, tensorOf } from '../reference/tensor.js';
import { faultCases } from '../vectors/faults.js';
import { onnxCases } from '../vectors/onnx.js';
import { assertClose } from './compare.js';

const seedValues = JSON.parse(
  readFileSync(new URL('../vectors/seed-values.json', import.meta.url)),
);

test('the six-step example, every stage, with and without the mask', () => {
  const given = seedValues.six_step;
  const [query, key, value] = [given.Q, given.K, given.V].map(tensorOf);
  for (const [mask, suffix] of [
    ['causal', 'causal'],
    [undefined, 'nomask'],
  ]) {
    const { steps } = attention(query, key, value, { mask });
    const expected = {
      scores: given.scores,
      scaled: given.scaled,
      weights: given[`weights_${suffix}`],
      output: given[`output_${suffix}`],
    };
    for (const [step, numbers] of Object.entries(expected)) {
      assertClose(steps[step].data, numbers.flat(), 1e-15, `${step}, ${suffix}`);
    }
  }
});

test('the causal demonstration on given scores', () => {
  const { scores, weights } = seedValues.causal_demo;
  const identity = tensorOf(scores.map((row, i) => row.map((_, j) => Number(i === j))));
  const result = attention(tensorOf(scores), identity, identity, { mask: 'causal', scale: 1 });
  assertClose(result.weights.data, weights.flat(), 1e-15, 'weights');
});

test('the recorded examples hold what the reference gives', () => {
  assert.ok(examples().length > 0);
  for (const example of examples()) {
    const { query, key, value, options } = exampleCall(example);
    const { steps, lse } = attention(query, key, value, options);
    const stages = { ...steps, lse };
    assert.deepEqual(Object.keys(example.expected), Object.keys(stages), example.name);
    for (const [step, tensor] of Object.entries(stages)) {
      const recorded = tensorOf(example.expected[step]);
      assert.deepEqual(recorded.shape, tensor.shape, `${example.name}, ${step}`);
      assertClose(recorded.data, tensor.data, 1e-15, `${example.name}, ${step}`);
    }
  }
});

test('the ONNX cases, to the rounding of their stored type', () => {
  const cases = onnxCases();
  assert.equal(cases.length, 44);
  for (const { name, query, key, value, options, expected } of cases) {
    const { steps } = attention(query, key, value, options);
    for (const [step, tensor] of Object.entries(expected)) {
      const numbers = dense(tensor, tensor.shape);
      const rounded = steps[step].data.map((number) => round(tensor.dtype, number));
      const unit = { float32: 2 ** -23, float16: 2 ** -10 }[tensor.dtype];
      assertClose(rounded, numbers, unit, `${name}, ${step}`);
    }
  }
});

test('inputs on which other libraries have been wrong', () => {
  const faults = faultCases();
  assert.equal(faults.length, 14);
  for (const { name, calls } of faults) {
    for (const { query, key, value, options, output, lse } of calls) {
      const result = attention(query, key, value, options);
      assertClose(result.output.data, output, 1e-12, name);
      if (lse) assertClose(result.lse.data, lse, 1e-12, `${name}, lse`);
    }
  }
});

test("Philox4x32-10's published known answers", () => {
  const ones = 0xffffffff;
  const answers = [
    [[0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
    [[ones, ones, ones, ones], [ones, ones], '408f276d 41c83b0e a20bc7c6 6d5451fd'],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      'd16cfe09 94fdcceb 5001e420 24126ea1',
    ],
  ];
  for (const [counter, key, words] of answers) {
    const hexadecimal = philox(counter, key).map((word) => word.toString(16).padStart(8, '0'));
    assert.equal(hexadecimal.join(' '), words);
  }
});

test("ALiBi's slopes as the paper gives them", () => {
  assert.deepEqual(
    alibiSlopes(8),
    [1, 2, 3, 4, 5, 6, 7, 8].map((h) => 2 ** -h),
  );
  assert.deepEqual(
    alibiSlopes(6),
    [2, 4, 6, 8, 1, 3].map((h) => 2 ** -h),
  );
  assert.deepEqual(alibiSlopes(1), [2 ** -8]);
});

test('16-bit floats: every pattern survives, ties go to even, the largest plus half overflows', () => {
  for (const dtype of ['float16', 'bfloat16']) {
    for (let bits = 0; bits < 0x10000; bits++) {
      const number = decode({ dtype, data: Uint16Array.of(bits) }, 0);
      if (Number.isNaN(number)) continue;
      assert.equal(toBits(dtype, number), bits);
      assert.ok(Object.is(round(dtype, number), number));
    }
  }
  const rounded = [
    ['float16', 65504, 65504],
    ['float16', 65519.99, 65504],
    ['float16', 65520, Infinity],
    ['float16', -1e6, -Infinity],
    ['float16', 2049, 2048], // a tie
    ['float16', 2051, 2052], // a tie
    ['float16', 2 ** -25, 0], // a tie
    ['float16', 2 ** -25 * 1.0001, 2 ** -24],
    ['bfloat16', 257, 256], // a tie
    ['bfloat16', 259, 260], // a tie
    ['bfloat16', 3.4e38, Infinity],
  ];
  for (const [dtype, number, expected] of rounded) {
    assert.equal(round(dtype, number), expected);
    assert.ok(Object.is(round(dtype, -number), -expected), 'the sign is kept, that of zero too');
    assert.equal(toBits(dtype, -number), toBits(dtype, number) ^ 0x8000);
  }
});
