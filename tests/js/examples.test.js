// The page's worked examples through the package: every stage of `explain`, in every build.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attention as reference } from '../reference/attention.js';
import { toBits } from '../reference/dtypes.js';
import { exampleCall, examples } from '../reference/examples.js';
import { dense, tensorOf } from '../reference/tensor.js';
import { instances, paths } from './builds.js';
import { assertClose } from './compare.js';
import { fill, inputs } from './inputs.js';

const stored = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
};

/** The example's call with its tensors over the typed array of `dtype`. */
function callIn(dtype, example) {
  const { options, ...tensors } = exampleCall(example);
  const entries = Object.entries(tensors).map(([name, { shape, data }]) => {
    const numbers = dtype === 'float16' ? data.map((number) => toBits(dtype, number)) : data;
    return [name, { dtype, shape, data: stored[dtype].from(numbers) }];
  });
  return { ...Object.fromEntries(entries), options };
}

for (const { name, attention } of instances) {
  test(`worked examples (${name})`, () => {
    for (const example of examples()) {
      for (const dtype of example.dtype ? [example.dtype] : ['float32', 'float64']) {
        const { query, key, value, options } = callIn(dtype, example);
        const { steps, lse } = attention.explain(query, key, value, options);
        const tolerance = dtype === 'float64' ? 1e-12 : example.tolerance;
        assert.deepEqual(
          [...Object.keys(steps), 'lse'],
          Object.keys(example.expected),
          `${example.name}: the steps`,
        );
        for (const [step, expected] of Object.entries(example.expected)) {
          const { shape, data } = tensorOf(expected);
          const actual = step === 'lse' ? lse : steps[step];
          const what = `${example.name}, ${dtype}, ${step}`;
          assert.deepEqual(actual.shape, shape, what);
          assertClose(values(actual), data, scaledTo(data, tolerance), what);
        }
        const fast = paths.call(attention, { query, key, value, options });
        const { shape, data } = tensorOf(example.expected.output);
        assert.deepEqual(fast.output.shape, shape);
        assertClose(values(fast.output), data, tolerance, `${example.name}, ${dtype}, output`);
      }
    }
  });

  test(`the scaling lab: variance and entropy as the article has them (${name})`, () => {
    const lab = examples().find((example) => example.name === 'scaling-lab');
    const { query, key, value } = callIn('float64', lab);
    lab.article.forEach((article, i) => {
      const row = { ...query, shape: [1, 8], data: query.data.slice(i * 8, i * 8 + 8) };
      for (const [scale, kind] of [
        [1, 'raw'],
        [1 / Math.sqrt(lab.headDims[i]), 'scaled'],
      ]) {
        const { steps, diagnostics } = attention.explain(row, key, value, { scale });
        const mean = steps.scaled.data.reduce((a, b) => a + b) / 8;
        const variance = steps.scaled.data.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 8;
        const found = [variance, diagnostics.rows[0].entropy];
        const expected = [article[`${kind}Variance`], article[`${kind}EntropyBits`]];
        assertClose(found, expected, 1e-12, `d_k ${lab.headDims[i]}, ${kind}`);
      }
    });
  });

  const size = { B: 2, H: 4, T: 3, S: 5, dk: 8, dv: 6 };

  test(`five axes that all differ: shapes and row sums (${name})`, () => {
    for (const ask of Object.values(paths)) {
      const { output, weights } = ask(attention, { ...inputs(1, size), options: {} });
      assert.deepEqual(output.shape, [2, 4, 3, 6]);
      assert.deepEqual(weights.shape, [2, 4, 3, 5]);
      const data = values(weights);
      for (let row = 0; row < data.length; row += size.S) {
        const sum = data.slice(row, row + size.S).reduce((a, b) => a + b);
        assert.ok(Math.abs(sum - 1) < 1e-5, `a row of weights sums to ${sum}`);
      }
    }
  });

  test(`padding, and a sample that is padding only (${name})`, () => {
    const padded = [0, 0, 0, 1, 1, 1, 1, 1, 1, 1];
    const blocked = fill([2, 5], 'bool', () => padded.shift());
    const call = { ...inputs(2, size), options: { mask: { kind: 'padding', blocked } } };
    const mask = { kind: 'allowed', mask: [[[[1, 1, 1, 0, 0]]], [[[0, 0, 0, 0, 0]]]] };
    const expected = reference(call.query, call.key, call.value, { mask });
    for (const ask of Object.values(paths)) {
      const { output, weights } = ask(attention, call);
      const [out, w] = [values(output), values(weights)];
      assert.ok(out.every(Number.isFinite) && w.every(Number.isFinite), 'all finite');
      assert.ok(
        out.slice(out.length / 2).every((x) => x === 0),
        'output of the padding-only sample',
      );
      assert.ok(
        w.every((x, at) => at % size.S < 3 || x === 0),
        'weights of padded keys',
      );
      assertClose(out, expected.output.data, 1e-6, 'output');
    }
  });
}

const values = (tensor) => dense(tensor, tensor.shape);

/** Steps hold numbers up to 10⁵: the tolerance is relative to what is expected, above 1. */
const scaledTo = (data, tolerance) =>
  tolerance * Math.max(1, ...data.map(Math.abs).filter(Number.isFinite));
