import assert from 'node:assert/strict';

/**
 * Largest |actual − expected|. Infinities must be the same infinity and NaN must meet NaN,
 * otherwise the error is infinite.
 */
export const largestError = (actual, expected) =>
  expected.reduce((largest, e, at) => Math.max(largest, errorOf(actual[at], e)), 0);

/** Fails unless every element is within `tolerance`, a number or a function of what is expected. */
export function assertClose(actual, expected, tolerance, what) {
  assert.equal(actual.length, expected.length, `${what}: element counts differ`);
  const within = typeof tolerance === 'function' ? tolerance : () => tolerance;
  let bad = 0;
  let worst = { excess: 0 };
  for (let at = 0; at < expected.length; at++) {
    const error = errorOf(actual[at], expected[at]);
    const excess = error - within(expected[at]);
    if (!(excess > 0)) continue;
    bad++;
    if (excess > worst.excess) worst = { at, error, excess };
  }
  if (!bad) return;
  const { at, error } = worst;
  assert.fail(
    `${what}: ${bad} of ${expected.length} elements are off; element ${at} is ${actual[at]}, ` +
      `should be ${expected[at]}: off by ${error}, ±${within(expected[at])} allowed`,
  );
}

function errorOf(actual, expected) {
  if (actual === expected || (Number.isNaN(actual) && Number.isNaN(expected))) return 0;
  const error = Math.abs(actual - expected);
  return Number.isFinite(error) ? error : Infinity;
}
