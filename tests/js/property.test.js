// What must hold whatever the numbers are, in every build by both ways of asking.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dense } from '../reference/tensor.js';
import { instances, paths, runs } from './builds.js';
import { assertClose } from './compare.js';
import { fill, inputs, layouts, draws, sized } from './inputs.js';
import * as table from './options.js';

/** The same for every build and path. */
function property(what, f) {
  test(what, () => runs.forEach(({ name, run }) => f(run, name)));
}

const values = (tensor) => dense(tensor, tensor.shape);
const size = sized({ B: 2, H: 4, kvHeads: 2, T: 21, S: 37, dk: 12, dv: 10 });
const { B, H, kvHeads, T, S, dk, dv } = size;
const causal = { mask: 'causal', start: 'bottom-right' };

/** The tensor with its rows [b, h, j] put in the order of `order`. */
const reordered = ({ shape, ...rest }, order) => {
  const from = { shape, ...rest };
  const numbers = values(from);
  const [, , rows, width] = shape;
  let at = 0;
  return fill(shape, 'float32', () => {
    const [row, column] = [Math.floor(at / width), at++ % width];
    const first = Math.floor(row / rows) * rows;
    return numbers[(first + order[row % rows]) * width + column];
  });
};

property('keys and values in another order give the same answer', (run, name) => {
  const call = { ...inputs(1, size), options: {} };
  const order = Array.from({ length: S }, (_, j) => (j * 11 + 5) % S);
  const [key, value] = [reordered(call.key, order), reordered(call.value, order)];
  const [a, b] = [run(call), run({ ...call, key, value })];
  assertClose(values(b.output), values(a.output), 1e-6, name);
  assertClose(values(b.lse), values(a.lse), 1e-6, name);
});

property('a constant added to a row of the scores changes its lse alone', (run, name) => {
  const call = { ...inputs(2, size), options: causal };
  const shift = (i) => (i - 8) / 4; // exact in float32
  let at = 0;
  const bias = fill([T, 1], 'float32', () => shift(at++));
  const [a, b] = [run(call), run({ ...call, options: { ...causal, bias } })];
  assertClose(values(b.output), values(a.output), 2e-6, name);
  assertClose(values(b.weights), values(a.weights), 1e-6, name);
  const shifted = values(a.lse).map((lse, row) => lse + shift(row % T));
  assertClose(values(b.lse), shifted, 2e-6, `${name}, lse`);
});

property('a vector added to every key is such a constant', (run, name) => {
  const call = { ...inputs(3, size), options: {} };
  let at = 0;
  const keys = values(call.key);
  const key = fill(call.key.shape, 'float32', () => keys[at] + (at++ % dk) / 8 - 0.5);
  const [a, b] = [run(call), run({ ...call, key })];
  assertClose(values(b.output), values(a.output), 4e-6, name);
});

property('NaN and ∞ in keys and values that no query may read change no bit', (run, name) => {
  const hidden = new Set([0, 5, 6, 17, S - 1]);
  let place = 0;
  const blocked = fill([B, S], 'bool', () => hidden.has(place++ % S));
  const call = { ...inputs(4, size), options: { mask: { kind: 'padding', blocked } } };
  const clean = run(call);
  for (const poison of [NaN, Infinity, -Infinity, 3e38]) {
    const poisoned = (tensor) => {
      const data = tensor.data.slice();
      const width = tensor.shape[3];
      for (let at = 0; at < data.length; at++) {
        if (hidden.has(Math.floor(at / width) % S)) data[at] = poison;
      }
      return { ...tensor, data };
    };
    const result = run({ ...call, key: poisoned(call.key), value: poisoned(call.value) });
    for (const part of ['output', 'lse', 'weights']) {
      assert.deepEqual(result[part].data, clean[part].data, `${name}, ${poison}, ${part}`);
    }
  }
});

property('NaN in a key reaches the queries that may read it and no other', (run, name) => {
  const call = { ...inputs(5, size), options: causal };
  const clean = run(call);
  const place = 30; // read by queries at positions from 30 on
  for (const input of ['query', 'key', 'value']) {
    const { shape, data } = call[input];
    const tainted = { ...call[input], data: data.slice() };
    const row = input === 'query' ? place - (S - T) : place;
    tainted.data[row * shape[3] + 1] = NaN; // batch 0, head 0
    const output = values(run({ ...call, [input]: tainted }).output);
    for (let b = 0; b < B; b++)
      for (let h = 0; h < H; h++)
        for (let i = 0; i < T; i++) {
          const readers = input === 'query' ? h === 0 && i === row : h < 2 && i + S - T >= place;
          const first = ((b * H + h) * T + i) * dv;
          const numbers = Array.from(output.slice(first, first + dv));
          const what = `${name}, ${input}, batch ${b}, head ${h}, query ${i}`;
          if (b > 0 || !readers) {
            const expected = Array.from(clean.output.data.slice(first, first + dv));
            assert.deepEqual(numbers, expected, what);
          } else {
            assert.ok(numbers.some(Number.isNaN), what);
            if (input !== 'value') assert.ok(numbers.every(Number.isNaN), what);
          }
        }
  }
});

property('rows of weights sum to 1, or to 0 where nothing is allowed', (run, name) => {
  for (const [rule, make] of Object.entries(table.rules)) {
    const options = { mask: make(draws(6), size), start: 2 };
    const { output, lse, weights } = run({ ...inputs(6, size), options });
    const [out, w, l] = [values(output), values(weights), values(lse)];
    for (let row = 0; row < B * H * T; row++) {
      const sum = w.slice(row * S, row * S + S).reduce((a, b) => a + b);
      const what = `${name}, ${rule}, row ${row}`;
      if (l[row] === -Infinity) {
        assert.equal(sum, 0, what);
        assert.ok(
          out.slice(row * dv, row * dv + dv).every((x) => x === 0),
          what,
        );
      } else {
        assert.ok(Math.abs(sum - 1) < 1e-6, `${what}: ${sum}`);
      }
    }
  }
});

property('an output lies between the least and the greatest value it may read', (run, name) => {
  const call = { ...inputs(7, size, { deviation: 4 }), options: causal };
  const [out, v] = [values(run(call).output), values(call.value)];
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++)
      for (let i = 0; i < T; i++)
        for (let c = 0; c < dv; c++) {
          const first = (b * kvHeads + Math.floor(h / (H / kvHeads))) * S;
          const seen = Array.from({ length: i + 1 + S - T }, (_, j) => v[(first + j) * dv + c]);
          const number = out[((b * H + h) * T + i) * dv + c];
          const slack = 1e-6;
          assert.ok(
            number >= Math.min(...seen) - slack && number <= Math.max(...seen) + slack,
            name,
          );
        }
});

property('grouped heads are heads repeated', (run, name) => {
  const call = { ...inputs(8, size), options: causal };
  const repeated = (tensor) => {
    const numbers = values(tensor);
    const plane = S * tensor.shape[3];
    let at = 0;
    return fill([B, H, S, tensor.shape[3]], 'float32', () => {
      const [head, cell] = [Math.floor(at / plane), at++ % plane];
      const [b, h] = [Math.floor(head / H), head % H];
      return numbers[(b * kvHeads + Math.floor(h / (H / kvHeads))) * plane + cell];
    });
  };
  const [key, value] = [repeated(call.key), repeated(call.value)];
  const [a, b] = [run(call), run({ ...call, key, value })];
  assert.deepEqual(a.output.data, b.output.data, name);
  assert.deepEqual(a.lse.data, b.lse.data, name);
});

property('a window without an end on the left and of 0 on the right is causal', (run, name) => {
  const call = { ...inputs(9, size), options: causal };
  const window = { kind: 'window', right: 0 };
  const [a, b] = [run(call), run({ ...call, options: { ...causal, mask: window } })];
  assert.deepEqual(a.output.data, b.output.data, name);
});

property('a row does not depend on what else is in the batch', (run, name) => {
  const call = { ...inputs(10, size), options: { mask: 'causal', start: 'bottom-right' } };
  const whole = values(run(call).output);
  const part = (tensor, b) => {
    const length = tensor.data.length / B;
    const data = tensor.data.slice(b * length, (b + 1) * length);
    return { ...tensor, shape: [1, ...tensor.shape.slice(1)], data };
  };
  for (let b = 0; b < B; b++) {
    const [query, key, value] = [call.query, call.key, call.value].map((t) => part(t, b));
    const alone = values(run({ ...call, query, key, value }).output);
    assert.deepEqual(alone, whole.slice(b * alone.length, (b + 1) * alone.length), name);
  }
});

property('later tokens do not change earlier rows under a causal mask', (run, name) => {
  const long = inputs(11, { H: 2, T: 40 });
  const options = { mask: 'causal' };
  const cut = 23;
  const head = ({ shape: [b, h, , d], ...rest }) => ({
    ...rest,
    shape: [b, h, cut, d],
    strides: [h * 40 * d, 40 * d, d, 1],
  });
  const short = { query: head(long.query), key: head(long.key), value: head(long.value) };
  const [a, b] = [run({ ...long, options }), run({ ...short, options })];
  const [whole, part] = [values(a.output), values(b.output)];
  for (let h = 0; h < 2; h++) {
    const rows = part.slice(h * cut * 8, (h + 1) * cut * 8);
    assertClose(whole.slice(h * 40 * 8, h * 40 * 8 + cut * 8), rows, 1e-6, name);
  }
});

property('halves of the keys, merged by their lse, give the whole', (run, name) => {
  const call = inputs(12, size);
  const whole = run({ ...call, options: causal });
  const cut = 19;
  const first = { ...causal, mask: ['causal', { kind: 'lengths', keys: [cut, cut] }] };
  const rest = { kind: 'not', of: { kind: 'lengths', keys: [cut, cut] } };
  const second = { ...causal, mask: ['causal', rest] };
  const [a, b] = [first, second].map((options) => run({ ...call, options }));
  const [la, lb] = [values(a.lse), values(b.lse)];
  const lse = la.map((x, row) => Math.log(Math.exp(x) + Math.exp(lb[row])));
  assertClose(values(whole.lse), lse, 2e-6, `${name}, lse`);
  const [oa, ob] = [values(a.output), values(b.output)];
  const merged = oa.map((x, at) => {
    const row = Math.floor(at / dv);
    return x * Math.exp(la[row] - lse[row]) + ob[at] * Math.exp(lb[row] - lse[row]);
  });
  assertClose(values(whole.output), merged, 2e-6, name);
});

property('values doubled give the output doubled, to the bit', (run, name) => {
  const call = { ...inputs(13, size), options: causal };
  const value = { ...call.value, data: call.value.data.map((x) => 2 * x) };
  const doubled = values(run({ ...call, value }).output);
  assert.deepEqual(
    doubled,
    values(run(call).output).map((x) => 2 * x),
    name,
  );
});

property('how tensors lie in memory changes no bit', (run, name) => {
  const plain = run({ ...inputs(14, size), options: causal });
  for (const layout of Object.keys(layouts)) {
    const result = run({ ...inputs(14, size, { layout }), options: causal });
    assert.deepEqual(result.output.data, plain.output.data, `${name}, ${layout}`);
    assert.deepEqual(result.lse.data, plain.lse.data, `${name}, ${layout}`);
  }
});

property('rank 2 and 3 are rank 4 without the axes that are 1', (run, name) => {
  for (const [rank, H] of [
    [2, 1],
    [3, 3],
  ]) {
    const small = { H, T: 9, S: 14, dk: 5, dv: 7 };
    const options = { mask: 'causal', start: 3, bias: fill([9, 1], 'float32', () => 0.5) };
    const four = run({ ...inputs(15, small), options });
    const fewer = run({ ...inputs(15, small, { rank }), options });
    for (const part of ['output', 'weights', 'lse']) {
      const axes = part === 'lse' ? rank - 1 : rank;
      assert.deepEqual(fewer[part].shape, four[part].shape.slice(-axes), `${name}, ${part}`);
      assert.deepEqual(fewer[part].data, four[part].data, `${name}, ${part}`);
    }
  }
});

property('dropout depends on the seed and the cell alone', (run, name) => {
  const call = inputs(16, size);
  const pattern = (seed, more = {}) => {
    const options = { dropout: { p: 0.4, seed }, ...more };
    return values(run({ ...call, options }).weights).map(Number);
  };
  const first = pattern(1);
  assert.deepEqual(pattern(1), first, name);
  assert.notDeepEqual(pattern(2), first, name);
  const masked = pattern(1, causal);
  masked.forEach((weight, at) => assert.ok(weight === 0 || first[at] !== 0, name));
  const kept = first.filter((weight) => weight !== 0).length / first.length;
  assert.ok(Math.abs(kept - 0.6) < 0.05, `${name}: keeps ${kept}`);
});

test('the number of threads changes no bit', () => {
  const kinds = new Set(instances.map(({ attention }) => attention.info.simd));
  const large = { B: 2, H: 4, kvHeads: 2, T: 150, S: 170, dk: 32 };
  const options = { ...causal, dropout: { p: 0.1, seed: 3 }, sinks: [0, 1, 2, 3] };
  const call = { ...inputs(17, large), options };
  for (const simd of kinds) {
    const builds = instances.filter(({ attention }) => attention.info.simd === simd);
    for (const [path, ask] of Object.entries(paths)) {
      const [first, ...others] = builds.map(({ attention }) => ask(attention, call));
      for (const other of others) {
        for (const part of ['output', 'lse', 'weights']) {
          assert.deepEqual(other[part].data, first[part].data, `${simd}, ${path}, ${part}`);
        }
      }
    }
  }
});
