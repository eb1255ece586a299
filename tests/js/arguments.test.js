// Arguments that look right and are not: each is an AttentionError that names what was given, and
// none is silently left out.
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { AttentionError, load, loadWorker, preset, tensor, toNested } from 'attention-wasm';

const attention = await load({ threads: 1 });
const worker = await loadWorker({ threads: 1 });
after(() => {
  attention.dispose();
  worker.dispose();
});

const x = { shape: [4, 1], data: Float32Array.of(1, 2, 3, 4) };
const shape = { queries: 4, keys: 4 };
const sdpa = (options, watch) => attention.scaledDotProductAttention(x, x, x, options, watch);
const inWorker = (options, settings) =>
  worker.scaledDotProductAttention(x, x, x, options, settings);
const causal = sdpa({ mask: 'causal' }).output;

function isError(error, code, argument, message) {
  assert.ok(error instanceof AttentionError, error.stack);
  assert.deepEqual([error.code, error.argument], [code, argument], error.message);
  assert.match(error.message, message);
  return true;
}
const refuses = (call, ...expected) => assert.throws(call, (error) => isError(error, ...expected));
const rejects = (promise, ...expected) =>
  assert.rejects(promise, (error) => isError(error, ...expected));

// Whatever was wrong, the next call is right.
afterEach(() => assert.deepEqual(sdpa({ mask: 'causal' }).output, causal));

describe('mask functions', () => {
  test('one that throws is not asked again', () => {
    let asked = 0;
    const allows = () => {
      if (++asked > 1000) throw new Error('stop');
      return true;
    };
    const rule = { kind: 'function', allows };
    const call = () => attention.mask(['causal', rule, rule], { queries: 3000, keys: 3000 });
    assert.throws(call, { message: 'stop' });
    assert.equal(asked, 1001);
  });

  test('an answer that is neither true nor false is an error', () => {
    const answers = [
      [Promise.resolve(true), /not an instance of Promise/],
      ['x', /not the string 'x'/],
      [undefined, /not undefined/],
      [1, /not 1/],
    ];
    for (const [answer, message] of answers) {
      const mask = { kind: 'function', allows: () => answer };
      refuses(() => sdpa({ mask }), 'type', 'mask.function.allows', message);
    }
  });
});

describe('objects', () => {
  class Options {
    get mask() {
      return 'causal';
    }
  }
  const inherited = [
    [new Options(), /Options/],
    [Object.create({ mask: 'causal' }), /prototype of its own/],
    [new Map([['mask', 'causal']]), /Map/],
  ];

  test('options that a listing of their own fields would lose are refused', async () => {
    for (const [options, name] of inherited) {
      refuses(() => sdpa(options), 'type', 'options', name);
      await assert.rejects(inWorker(options), (error) => {
        assert.ok(error instanceof AttentionError, error.stack);
        assert.match(error.message, name);
        return true;
      });
    }
    for (const [rule, name] of inherited) refuses(() => sdpa({ mask: rule }), 'type', 'mask', name);
    refuses(() => sdpa({ dropout: new Map() }), 'type', 'dropout', /Map/);
  });

  test('plain ones of every sort are read whole', () => {
    const hidden = Object.defineProperty({}, 'mask', { value: 'causal' });
    const bare = Object.assign(Object.create(null), { mask: 'causal' });
    const elsewhere = runInNewContext("({ mask: 'causal' })");
    const getter = {
      get mask() {
        return 'causal';
      },
    };
    for (const options of [hidden, bare, elsewhere, getter]) {
      assert.deepEqual(sdpa(options).output, causal);
    }
  });

  test('settings of a mask, a cache, loading and watching', async () => {
    for (const wrong of [undefined, null, '', 'x', [], true, new Map()]) {
      refuses(() => attention.mask('causal', wrong), 'type', 'shape', /queries, keys/);
      refuses(() => attention.createCache(wrong), 'type', 'shape', /capacity/);
    }
    refuses(() => attention.mask('causal', { ...shape, head: 2 }), 'option', 'head', /heads/);
    for (const wrong of ['4', [4], true, null, '', undefined]) {
      refuses(() => attention.mask('causal', { queries: wrong, keys: 4 }), 'type', 'queries', /is/);
    }
    refuses(() => attention.mask('causal', {}), 'type', 'queries', /undefined/);
    await rejects(load(null), 'type', 'options', /not null/);
    await rejects(loadWorker(null), 'type', 'options', /not null/);
    await rejects(load({ threads: '2' }), 'option', 'threads', /the string '2'/);
    refuses(() => sdpa({}, null), 'type', 'call', /not null/);
    refuses(() => sdpa({}, { progres: () => {} }), 'option', 'progres', /progress/);
    refuses(() => sdpa({}, { progress: 1 }), 'type', 'progress', /is 1/);
    for (const wrong of [null, 1, [0], new ArrayBuffer(16), { length: 4 }, new Float64Array(4)]) {
      refuses(() => sdpa({}, { into: wrong }), 'dtype', 'into', /is float32.*give a Float32Array/);
    }
    for (const length of [0, 3, 5]) {
      const into = new Float32Array(length);
      refuses(() => sdpa({}, { into }), 'shape', 'into', /shape 4×1, so 4 .*array of 4/);
    }
    refuses(() => attention.trace(x, x, x, {}, null), 'type', 'trace', /tileKeys/);
  });

  test('settings of a call to a worker', async () => {
    await rejects(inWorker({}, null), 'type', 'settings', /not null/);
    await rejects(inWorker({}, { singal: 1 }), 'option', 'singal', /signal, progress, transfer/);
    await rejects(inWorker({}, { progres: 1 }), 'option', 'progres', /progress/);
    await rejects(inWorker({}, { signal: {} }), 'type', 'signal', /AbortController/);
    await rejects(inWorker({}, { progress: 1 }), 'type', 'progress', /is 1/);
    await rejects(inWorker({}, { transfer: [1] }), 'type', 'transfer', /1/);
    await rejects(worker.explain(x, x, x, {}, { singal: 1 }), 'option', 'singal', /signal/);
  });

  test('what a worker cannot be sent', async () => {
    await rejects(inWorker({ scale: () => 1 }), 'type', 'scale', /scale is a function$/);
    const mask = { kind: 'function', allows: () => true };
    await rejects(inWorker({ mask }), 'type', 'allows', /bool tensor/);
    const endless = { kind: 'not' };
    endless.of = endless;
    await rejects(inWorker({ mask: endless }), 'option', 'options', /64 deep/);
  });

  test('presets need no settings', () => {
    for (const settings of Object.values(preset)) assert.deepEqual(settings(), settings({}));
  });
});

describe('tensors', () => {
  test('the shape counts that was checked, whatever a getter does to it afterwards', () => {
    const query = { shape: [4, 1], data: x.data };
    const options = {
      get mask() {
        query.shape[0] = 4000;
        return 'causal';
      },
    };
    const { output } = attention.scaledDotProductAttention(query, x, x, options);
    assert.deepEqual(output, causal);
  });

  test('a shape that is at fault is what the error names', () => {
    const call = (shape) => () => attention.scaledDotProductAttention({ ...x, shape }, x, x);
    refuses(call(new Int32Array([4, 1])), 'shape', 'query', /query\.shape must be an array.*Int32/);
    refuses(call([4, '1']), 'shape', 'query', /\[1\] is the string '1'/);
    refuses(
      () => sdpa({ bias: { shape: ['4', 4], data: new Int32Array(16) } }),
      'shape',
      'bias',
      /'4'/,
    );
  });

  test('toNested() refuses data that is too short, and no tensor', () => {
    refuses(() => toNested({ ...x, shape: [5, 1] }), 'data', 'tensor', /needs 5 .* has 4/);
    refuses(() => toNested({ ...x, strides: [2, 1] }), 'data', 'tensor', /needs 7 .* has 4/);
    refuses(() => toNested({ ...x, strides: [-1, 1] }), 'shape', 'tensor', /not -1/);
    refuses(() => toNested({ ...x, strides: [1] }), 'shape', 'tensor', /2 whole numbers/);
    refuses(() => toNested(null), 'type', 'tensor', /null/);
    assert.deepEqual(toNested({ shape: [0, 3], data: new Float32Array(0) }), []);
  });

  test('tensor() of an array that holds itself ends', () => {
    const endless = [];
    endless.push(endless);
    refuses(() => tensor(endless), 'rank', 'nested', /64 deep/);
  });
});

describe('messages', () => {
  test('null is not undefined', () => {
    const call = () => attention.scaledDotProductAttention(null, x, x);
    refuses(call, 'type', 'query', /not null/);
    refuses(() => sdpa({ mask: [null] }), 'type', 'mask', /not null/);
  });

  test('what is wrong in a list, and where', () => {
    refuses(() => sdpa({ sinks: [1, 2, 3, '4'] }), 'type', 'sinks', /element 3 is the string '4'/);
    refuses(() => sdpa({ sinks: [NaN] }), 'option', 'sinks', /sinks\[0\] is NaN/);
    const ragged = { kind: 'allowed', mask: [[true, false], [true]] };
    refuses(
      () => sdpa({ mask: ragged }),
      'type',
      'mask.allowed.mask',
      /element 1 is an array of 1 numbers but element 0 is an array of 2/,
    );
  });

  test('types in words, not in names of TypeScript', () => {
    const call = (rule) => () => sdpa({ mask: rule });
    refuses(
      call({ kind: 'lengths', keys: 'x' }),
      'type',
      'mask.lengths.keys',
      /must be an array of numbers, not the string 'x'/,
    );
    refuses(
      call({ kind: 'prefix', length: 'x' }),
      'type',
      'mask.prefix.length',
      /must be a number or an array of numbers/,
    );
  });

  test('sizes of a mask that nothing can hold', () => {
    const huge = { queries: 2 ** 33, keys: 4, start: 0 };
    refuses(() => attention.mask('causal', huge), 'memory', 'mask', /1×1×8589934592×4/);
    const mask = attention.mask('causal', { queries: 1e6, keys: 1e6 });
    refuses(() => mask.toDense(), 'memory', 'mask', /1000000000000 cells/);
  });

  test('truncate() takes whole numbers', () => {
    const cache = attention.createCache({ headDim: 1, capacity: 4 });
    refuses(() => cache.truncate('2'), 'type', 'length', /the string '2'/);
    refuses(() => cache.truncate(undefined), 'type', 'length', /undefined/);
  });

  test('a getter that calls the instance is told so', () => {
    const options = {
      get mask() {
        return sdpa();
      },
    };
    refuses(() => sdpa(options), 'busy', 'attention', /getter/);
  });
});

test('a progress function that throws ends its call with what it threw', async () => {
  const rows = { shape: [8, 3000, 64], data: new Float32Array(8 * 3000 * 64) };
  const own = new Error('mine');
  const progress = () => {
    throw own;
  };
  const call = worker.scaledDotProductAttention(rows, rows, rows, {}, { progress });
  await assert.rejects(call, (error) => error === own);
  assert.deepEqual((await inWorker({ mask: 'causal' })).output, causal);
});
