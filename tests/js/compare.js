import assert from 'node:assert/strict';

/**
 * Largest |actual − expected|. Infinities must be the same infinity and NaN must meet NaN,
 * otherwise the error is infinite.
 */
export function largestError(actual, expected) {
  assert.equal(actual.length, expected.length, 'element counts differ');
  let largest = 0;
  for (let at = 0; at < expected.length; at++) {
    const [a, e] = [actual[at], expected[at]];
    if (a === e || (Number.isNaN(a) && Number.isNaN(e))) continue;
    const error = Math.abs(a - e);
    if (!(error <= largest)) largest = Number.isFinite(error) ? error : Infinity;
  }
  return largest;
}

/** Fails unless every element is within `tolerance`; the message says which one is worst. */
export function assertClose(actual, expected, tolerance, what) {
  const error = largestError(actual, expected);
  if (error <= tolerance) return;
  const at = Array.from(expected).findIndex(
    (e, place) => !(largestError([actual[place]], [e]) < error),
  );
  assert.fail(
    `${what}: element ${at} is ${actual[at]}, should be ${expected[at]} (±${tolerance}); ` +
      `${expected.length} elements, largest error ${error}`,
  );
}
