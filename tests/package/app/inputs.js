// What every kind of user computes in these tests: enough rows for two threads, and two heads that
// share one of keys and values.

const tensor = (shape, f) => ({
  shape,
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, at) => f(at)),
});

export const query = tensor([1, 2, 96, 16], (at) => Math.sin(at * 0.7));
export const key = tensor([1, 1, 96, 16], (at) => Math.cos(at * 1.3));
export const value = tensor([1, 1, 96, 8], (at) => Math.sin(at * 2.1 + 1));
export const options = { mask: 'causal', returns: ['lse'] };
