// The 16-bit float types, for engines without Float16Array and for bfloat16, which none has.

import type { DType } from './generated/options.js';

interface Format {
  /** Bits of the fraction. */
  readonly fraction: number;
  /** Exponent of the largest numbers; of the smallest normal ones it is 1 − this. */
  readonly exponent: number;
}

export const formats: { readonly [dtype in DType]?: Format } = {
  float16: { fraction: 10, exponent: 15 },
  bfloat16: { fraction: 7, exponent: 127 },
};

/** The bits nearest to a number, ties to even; what is too large becomes infinity. */
export function encode(number: number, { fraction, exponent }: Format): number {
  const infinity = (2 * exponent + 1) << fraction;
  const sign = number < 0 || Object.is(number, -0) ? 0x8000 : 0;
  if (Number.isNaN(number)) return infinity | (1 << (fraction - 1));
  const magnitude = Math.abs(number);
  if (magnitude === Infinity) return sign | infinity;
  // Numbers below the smallest normal one have its exponent: their spacing is the same.
  const power = Math.max(floorLog2(magnitude), 1 - exponent);
  // Counts steps of 2^(power − fraction). Adding and subtracting 2⁵² rounds to a whole number, as
  // float64 addition rounds: to nearest, ties to even.
  const steps = magnitude * 2 ** (fraction - power) + 2 ** 52 - 2 ** 52;
  // A fraction that rounded up to the next power of two carries into the exponent by itself.
  const bits = ((power + exponent - 1) << fraction) + steps;
  return sign | Math.min(bits, infinity);
}

export function decode(bits: number, { fraction, exponent }: Format): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const power = (bits & 0x7fff) >> fraction;
  const steps = bits & ((1 << fraction) - 1);
  if (power === 2 * exponent + 1) return steps === 0 ? sign * Infinity : NaN;
  const whole = power === 0 ? steps : steps + (1 << fraction);
  return sign * whole * 2 ** (Math.max(power, 1) - exponent - fraction);
}

/** ⌊log₂ x⌋ for x > 0, exact; far below any format's range for 0. */
function floorLog2(x: number): number {
  const estimate = Math.floor(Math.log2(x));
  if (!Number.isFinite(estimate)) return -1023;
  // The logarithm is rounded and may come out on the other side of a power of two.
  if (2 ** estimate > x) return estimate - 1;
  return 2 ** (estimate + 1) <= x ? estimate + 1 : estimate;
}
