// The ONNX Attention cases through the package: outputs and the stage each case asks for.
import { test } from 'node:test';
import { dense } from '../reference/tensor.js';
import { onnxCases } from '../vectors/onnx.js';
import { instances, paths } from './builds.js';
import { assertClose } from './compare.js';

// The stored numbers are float64 results rounded once; float16 ones lie below 2.
const tolerance = { float32: 1e-6, float16: 2 ** -10 };
const cases = onnxCases();

for (const { name: build, attention } of instances) {
  test(`44 ONNX cases (${build})`, () => {
    for (const { name, query, key, value, options, expected } of cases) {
      const { steps } = attention.explain(query, key, value, options);
      const fast = paths.call(attention, { query, key, value, options });
      for (const [step, tensor] of Object.entries(expected)) {
        const numbers = dense(tensor, tensor.shape);
        const within = tolerance[tensor.dtype];
        assertClose(values(steps[step]), numbers, within, `${name}, explain, ${step}`);
        if (fast[step]) assertClose(values(fast[step]), numbers, within, `${name}, ${step}`);
      }
    }
  });
}

const values = (tensor) => dense(tensor, tensor.shape);
