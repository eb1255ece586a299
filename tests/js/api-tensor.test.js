// tensor() and toNested(): every dtype there and back.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tensor, toNested } from 'attention-wasm';
import { round, toBits } from '../reference/dtypes.js';
import { random } from './random.js';

test('numbers are float32, booleans are bool, unless said', () => {
  assert.deepEqual(
    tensor([
      [1, 2],
      [3, 4],
      [5, 6],
    ]),
    {
      shape: [3, 2],
      data: Float32Array.of(1, 2, 3, 4, 5, 6),
      dtype: 'float32',
    },
  );
  assert.deepEqual(tensor([true, false]), {
    shape: [2],
    data: Uint8Array.of(1, 0),
    dtype: 'bool',
  });
  assert.ok(tensor([1], 'float64').data instanceof Float64Array);
  assert.ok(tensor([1], 'bfloat16').data instanceof Uint16Array);
  assert.deepEqual(tensor([0, 2], 'bool').data, Uint8Array.of(0, 1));
});

test('there and back, in every rank', () => {
  const nested = [
    [[[1, 2]], [[3, 4]]],
    [[[5, 6]], [[-7, Infinity]]],
  ];
  assert.deepEqual(tensor(nested).shape, [2, 2, 1, 2]);
  for (const dtype of ['float32', 'float64', 'float16', 'bfloat16']) {
    assert.deepEqual(toNested(tensor(nested, dtype)), nested);
  }
  assert.deepEqual(toNested(tensor([[true], [false]])), [[true], [false]]);
  assert.deepEqual(toNested(tensor([[], []])), [[], []]);
  assert.deepEqual(toNested(tensor([])), []);
});

test('strides are followed', () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6);
  assert.deepEqual(toNested({ shape: [3, 2], data, strides: [1, 3] }), [
    [1, 4],
    [2, 5],
    [3, 6],
  ]);
  assert.deepEqual(toNested({ shape: [2, 2], data, strides: [0, 1] }), [
    [1, 2],
    [1, 2],
  ]);
  assert.deepEqual(toNested({ shape: [2], data: data.subarray(3), strides: [2] }), [4, 6]);
});

describe('16-bit floats', () => {
  const bitsOf = ({ data }) => new Uint16Array(data.buffer);

  for (const dtype of ['float16', 'bfloat16']) {
    test(`${dtype}: all 65536 bit patterns read and written back`, () => {
      const data = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
      const numbers = toNested({ shape: [65536], data, dtype });
      const back = bitsOf(tensor(numbers, dtype));
      const nan = data.filter((_, bits) => Number.isNaN(numbers[bits]));
      assert.equal(nan.length, dtype === 'float16' ? 2046 : 254);
      for (let bits = 0; bits < 65536; bits++) {
        if (!Number.isNaN(numbers[bits])) assert.equal(back[bits], bits);
        else
          assert.ok(
            Number.isNaN(toNested({ shape: [1], data: back.slice(bits, bits + 1), dtype })[0]),
          );
      }
    });

    test(`${dtype}: rounded to nearest, ties to even, as the reference does`, () => {
      const next = random(7);
      const numbers = [0, -0, 65504, 65519.99, 65520, -65520, 1e300, 5e-324, 3.4e38, -3.39e38];
      for (let i = 0; i < 20_000; i++)
        numbers.push((next() - 0.5) * 2 ** Math.floor(next() * 300 - 150));
      // Halfway between two neighbours, and a hair to either side.
      for (let bits = 0; bits < 0x7b00; bits += 7) {
        const [a, b] = toNested({ shape: [2], data: Uint16Array.of(bits, bits + 1), dtype });
        numbers.push((a + b) / 2, ((a + b) / 2) * (1 + 2 ** -40), ((a + b) / 2) * (1 - 2 ** -40));
      }
      const made = tensor(numbers, dtype);
      const back = toNested(made);
      numbers.forEach((number, at) => {
        const exact = round(dtype, number);
        // What is too small keeps its sign.
        const bits = exact === 0 && number < 0 ? 0x8000 : toBits(dtype, number);
        assert.equal(bitsOf(made)[at], bits, `${number}`);
        assert.equal(back[at] + 0, exact + 0, `${number}`);
      });
    });
  }

  test('float16 is a Float16Array where the engine has it, otherwise a Uint16Array', () => {
    const wanted = globalThis.Float16Array ?? Uint16Array;
    assert.equal(tensor([1], 'float16').data.constructor, wanted);
  });
});
