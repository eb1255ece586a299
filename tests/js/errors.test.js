// Wrong calls: each is refused with a code, the argument at fault and a sentence that names both
// values and the remedy; and the next call works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttentionError } from 'attention-wasm';
import { instances } from './builds.js';
import { inputs } from './inputs.js';
import { huge, wrongCalls } from './wrong-calls.js';
import { wrongMasks } from './wrong-masks.js';

const good = { ...inputs(9, { T: 4 }), options: { mask: 'causal' } };

for (const { name: build, attention } of instances) {
  const ways = {
    call: ({ query, key, value, options }) =>
      attention.scaledDotProductAttention(query, key, value, options),
    explain: ({ query, key, value, options }) => attention.explain(query, key, value, options),
  };
  const before = ways.call(good).output.data;

  for (const [what, [call, code, argument, ...parts]] of Object.entries({
    ...wrongCalls,
    ...wrongMasks,
  })) {
    test(`${what} (${build})`, () => {
      for (const [way, ask] of Object.entries(ways)) {
        if (code === 'memory' && way === 'explain') continue; // it has a limit of its own, below
        assert.throws(
          () => ask(call),
          (error) => {
            assert.ok(error instanceof AttentionError, `${way}: ${error.stack}`);
            assert.ok(error instanceof RangeError);
            assert.equal(error.name, 'AttentionError');
            for (const part of parts) {
              assert.ok(error.message.includes(part), `“${error.message}” lacks “${part}”`);
            }
            assert.equal(error.code, code, error.message);
            assert.equal(error.argument, argument, error.message);
            return true;
          },
        );
        assert.deepEqual(ways.call(good).output.data, before, 'the call after it');
      }
    });
  }

  test(`explain says what memory its steps need (${build})`, () => {
    assert.throws(() => ways.explain({ ...huge(), options: {} }), {
      code: 'memory',
      argument: 'steps',
      message: /MiB.*explain/,
    });
    assert.deepEqual(ways.call(good).output.data, before);
  });

  test(`a mask function that throws is the caller's error (${build})`, () => {
    const allows = () => {
      throw new TypeError('mine');
    };
    assert.throws(() => ways.call({ ...good, options: { mask: { kind: 'function', allows } } }), {
      name: 'TypeError',
      message: 'mine',
    });
    assert.deepEqual(ways.call(good).output.data, before);
  });
}

test('a number of elements beyond 2³¹ does not wrap', () => {
  const [{ attention }] = instances;
  const one = { data: new Float32Array(1), strides: [0, 0, 0, 0] };
  // 65536 · 65536 is 0 in 32 bits, and 65537 · 65537 is 131073.
  for (const side of [65536, 65537, 2 ** 31, 2 ** 53 - 1]) {
    const tensor = { ...one, shape: [1, 1, side, side] };
    const key = { ...one, shape: [1, 1, 1, side] };
    assert.throws(() => attention.scaledDotProductAttention(tensor, key, key), { code: 'memory' });
  }
});
