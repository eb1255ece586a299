// The four float dtypes by their definition: a sign, an exponent, a fraction.

const formats = {
  float16: { fraction: 10, bias: 15 },
  bfloat16: { fraction: 7, bias: 127 },
};

/** The dtype of a tensor: what it says, else what its array implies. */
export function dtypeOf({ dtype, data }) {
  if (dtype) return dtype;
  const implied = {
    Float32Array: 'float32',
    Float64Array: 'float64',
    Float16Array: 'float16',
    Uint8Array: 'bool',
  };
  return implied[data.constructor.name] ?? 'float64';
}

/** Element `place` of a tensor's data as a float64 number. */
export function decode(tensor, place) {
  const value = tensor.data[place];
  const format = formats[dtypeOf(tensor)];
  return format && tensor.data instanceof Uint16Array ? fromBits(format, value) : Number(value);
}

/** `value` rounded to the nearest number of `dtype`, ties to even, beyond the largest to ∞. */
export function round(dtype, value) {
  if (dtype === 'float64') return value;
  if (dtype === 'float32') return Math.fround(value);
  const { fraction, bias } = formats[dtype];
  if (!Number.isFinite(value) || value === 0) return value;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), 1 - bias);
  const unit = 2 ** (exponent - fraction);
  const steps = roundHalfEven(Math.abs(value) / unit) * unit;
  const largest = (2 - 2 ** -fraction) * 2 ** bias;
  return Math.sign(value) * (steps > largest ? Infinity : steps); // a tiny negative becomes −0
}

/** The 16 bits that hold `value` (rounded first) in float16 or bfloat16. */
export function toBits(dtype, value) {
  const { fraction, bias } = formats[dtype];
  const rounded = round(dtype, value);
  const sign = rounded < 0 || Object.is(rounded, -0) ? 0x8000 : 0;
  const top = 0x7fff & -(1 << fraction); // an exponent of all ones
  if (Number.isNaN(rounded)) return top | (1 << (fraction - 1));
  const magnitude = Math.abs(rounded);
  if (magnitude === Infinity) return sign | top;
  if (magnitude < 2 ** (1 - bias)) return sign | (magnitude / 2 ** (1 - bias - fraction));
  const exponent = Math.floor(Math.log2(magnitude));
  const steps = (magnitude / 2 ** exponent - 1) * 2 ** fraction;
  return sign | ((exponent + bias) << fraction) | steps;
}

function fromBits({ fraction, bias }, bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits & 0x7fff) >> fraction;
  const steps = bits & ((1 << fraction) - 1);
  if (exponent === 2 * bias + 1) return steps ? NaN : sign * Infinity;
  if (exponent === 0) return sign * steps * 2 ** (1 - bias - fraction);
  return sign * (1 + steps / 2 ** fraction) * 2 ** (exponent - bias);
}

function roundHalfEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1;
  return rest < 0.5 ? below : below + 1;
}
