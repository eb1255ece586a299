// Inputs on which other libraries have been wrong, in every build by both ways of asking.
import { test } from 'node:test';
import { faultCases } from '../vectors/faults.js';
import { runs } from './builds.js';
import { assertClose } from './compare.js';
import { expectation } from './expect.js';

for (const { name: fault, calls } of faultCases()) {
  test(fault, () => {
    for (const call of calls) {
      const magnitude = Math.max(1, ...call.output.map(Math.abs));
      const close = 1e-6 * magnitude;
      // The plain path's float32 sum over 33,728 keys is itself off by more.
      const plain = call.key.shape[2] > 10_000 ? expectation(call).limits.output : close;
      for (const { name, run } of runs) {
        const within = name.endsWith('explain') ? plain : close;
        const { output, lse } = run(call);
        assertClose(output.data, call.output, within, `output (${name})`);
        if (call.lse) {
          assertClose(
            lse.data,
            call.lse,
            (e) => Math.max(1e-6 * Math.abs(e), within),
            `lse (${name})`,
          );
        }
      }
    }
  });
}
