// What a call should give, and how far from it the package may be. The tolerance calibrates itself:
// twice the error that a plain evaluation in the same arithmetic makes on the same inputs, which
// may be a lucky one, and so a little more.
import assert from 'node:assert/strict';
import { attention } from '../reference/attention.js';
import { dense } from '../reference/tensor.js';
import { dtypeOf } from '../reference/dtypes.js';
import { runs } from './builds.js';
import { assertClose, largestError } from './compare.js';

/** The reference's { output, lse, weights, steps, … } with `limits`: the tolerance of each. */
export function expectation({ query, key, value, options }) {
  const dtype = dtypeOf(query);
  const exact = attention(query, key, value, options);
  const arithmetic = dtype === 'float64' ? 'float64' : 'float32';
  const plain =
    arithmetic === 'float64' ? exact : attention(query, key, value, options, arithmetic);
  const unit = { float64: 2 ** -53, float32: 2 ** -24 }[arithmetic];
  // A score s, however it is summed, is rounded to within s·unit, and e^s then is off by as much.
  const score = Math.max(2, largest(exact.steps.masked.data));
  const limits = {};
  for (const name of ['output', 'lse', 'weights']) {
    const floor = 2 * unit * score * Math.max(1, largest(exact[name].data));
    limits[name] = 2 * largestError(plain[name].data, exact[name].data) + floor;
  }
  return { ...exact, dtype, limits };
}

/** Fails unless { output, lse, weights } and, where there is one, `info` are as expected. */
export function check(result, expected, what) {
  if (result.info) {
    const { emptyRows, allowedCells } = result.info;
    assert.equal(emptyRows, expected.emptyRows, `${what}: empty rows`);
    assert.equal(allowedCells, expected.allowedCells, `${what}: allowed cells`);
  }
  for (const name of ['output', 'lse', 'weights']) {
    const { shape, data } = expected[name];
    const actual = dense(result[name], result[name].shape);
    const stored = name === 'lse' ? 'float32' : expected.dtype;
    assertClose(actual, data, tolerance(stored, expected.limits[name]), `${what}: ${name}`);
    if (String(result[name].shape) !== String(shape)) {
      throw new Error(`${what}: ${name} has shape ${result[name].shape}, should have ${shape}`);
    }
  }
}

/** Fails unless a call gives what it should in every build by both ways of asking. */
export function conforms(what, call) {
  const expected = expectation(call);
  for (const { name, run } of runs) check(run(call), expected, `${what} (${name})`);
}

/** A 16-bit result may be off by half a unit in its last place more. */
function tolerance(dtype, limit) {
  const fraction = { float16: 10, bfloat16: 7 }[dtype];
  if (fraction === undefined) return () => limit;
  const smallest = dtype === 'float16' ? -14 : -126;
  return (expected) => {
    const exponent = Math.max(smallest, Math.floor(Math.log2(Math.abs(expected) + limit)));
    return limit + 2 ** (exponent - fraction - 1);
  };
}

const largest = (data) =>
  data.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
