// Tensors as the package takes them, read as float64 by the plainest means.
import { decode } from './dtypes.js';

/** { shape, data } from nested arrays (numbers or booleans); a tensor is returned as it is. */
export function tensorOf(nested) {
  if (!Array.isArray(nested)) return nested;
  const shape = [];
  for (let level = nested; Array.isArray(level); level = level[0]) shape.push(level.length);
  return { shape, data: nested.flat(Infinity).map(Number) };
}

/** Element count of a shape. */
export const count = (shape) => shape.reduce((product, extent) => product * extent, 1);

/**
 * The tensor as a row-major Float64Array of `shape`, strides followed, each dimension of extent 1
 * and each missing leading dimension repeated (broadcast, aligned from the right).
 */
export function dense(tensor, shape) {
  const { shape: own, strides = rowMajor(own) } = tensor;
  const missing = shape.length - own.length;
  const steps = shape.map((extent, axis) => {
    if (axis < missing || own[axis - missing] === 1) return 0;
    if (own[axis - missing] !== extent) throw new Error(`${own} does not broadcast to ${shape}`);
    return strides[axis - missing];
  });
  const result = new Float64Array(count(shape));
  const index = shape.map(() => 0);
  for (let cell = 0; cell < result.length; cell++) {
    const place = index.reduce((sum, at, axis) => sum + at * steps[axis], 0);
    result[cell] = decode(tensor, place);
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) {
      index[axis] = 0;
    }
  }
  return result;
}

/** Strides, in elements, of a row-major tensor. */
export const rowMajor = (shape) => shape.map((_, axis) => count(shape.slice(axis + 1)));

/** Nested arrays from a row-major tensor. */
export function toNested({ shape, data }) {
  let level = Array.from(data);
  for (const extent of shape.slice(1).reverse()) {
    level = Array.from({ length: level.length / extent }, (_, row) =>
      level.slice(row * extent, (row + 1) * extent),
    );
  }
  return level;
}
