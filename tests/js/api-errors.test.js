// Every error a caller can cause: its code, argument and text, and that the next call works.
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { AttentionError, load, tensor, windowOfSize } from 'attention-wasm';

const attention = await load({ threads: 1 });
const zeros = (...shape) => ({
  shape,
  data: new Float32Array(shape.reduce((product, extent) => product * extent, 1)),
});
const query = zeros(1, 8, 128, 64);
const key = zeros(1, 8, 96, 64);
const value = zeros(1, 8, 96, 64);
const bools = (...shape) => ({
  ...zeros(...shape),
  data: new Uint8Array(zeros(...shape).data.length),
});

/** The error of a call, which must be an AttentionError. */
function errorOf(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof AttentionError, `${error.stack}`);
    assert.ok(error instanceof RangeError);
    assert.equal(error.name, 'AttentionError');
    return error;
  }
  return assert.fail('nothing was thrown');
}

function assertError(call, code, argument, ...texts) {
  const error = errorOf(call);
  assert.deepEqual(
    { code: error.code, argument: error.argument },
    { code, argument },
    error.message,
  );
  for (const text of texts) assert.match(error.message, text);
}

const sdpa = (...args) => attention.scaledDotProductAttention(...args);

// After every one of these tests the instance still computes.
afterEach(() => {
  const one = tensor([[2]]);
  assert.equal(sdpa(one, one, one, { mask: 'causal' }).output.data[0], 2);
});
after(() => attention.dispose());

describe('inputs', () => {
  test('head_dim of query and key differ: the message names both shapes', () => {
    const narrow = zeros(1, 8, 128, 32);
    const { message, code, argument } = errorOf(() => sdpa(query, narrow, narrow));
    assert.equal(
      message,
      'key has head_dim 32 but query has head_dim 64 (query 1×8×128×64, key 1×8×128×32)',
    );
    assert.deepEqual([code, argument], ['shape', 'key']);
  });

  test('other shapes that do not fit', () => {
    assertError(() => sdpa(query, key, zeros(1, 8, 95, 64)), 'shape', 'value', /95/, /96/);
    assertError(
      () => sdpa(query, zeros(2, 8, 96, 64), value),
      'shape',
      'key',
      /batch 2/,
      /batch 1/,
    );
    assertError(
      () => sdpa(query, zeros(1, 3, 96, 64), zeros(1, 3, 96, 64)),
      'shape',
      'query',
      /multiple/,
    );
  });

  test('ranks', () => {
    assertError(() => sdpa(zeros(8, 128, 64), key, value), 'rank', 'key', /rank 4/, /rank 3/);
    assertError(() => sdpa(zeros(64), key, value), 'rank', 'query', /rank 1/);
    assertError(() => sdpa(zeros(1, 1, 1, 1, 64), key, value), 'rank', 'query', /rank 5/);
  });

  test('dtypes', () => {
    const integers = { shape: [1, 8, 96, 64], data: new Int32Array(8 * 96 * 64) };
    assertError(() => sdpa(integers, key, value), 'dtype', 'query', /Int32Array/);
    assertError(() => sdpa(query, bools(1, 8, 96, 64), value), 'dtype', 'key', /bool/);
    const double = { shape: key.shape, data: new Float64Array(key.data.length) };
    assertError(() => sdpa(query, double, value), 'dtype', 'key', /float64/, /float32/);
    const bits = { shape: key.shape, data: new Uint16Array(key.data.length) };
    assertError(() => sdpa(query, bits, value), 'dtype', 'key', /Uint16Array/, /'bfloat16'/);
    assertError(
      () => sdpa(query, { ...key, dtype: 'float64' }, value),
      'dtype',
      'key',
      /Float32Array/,
    );
    assertError(() => sdpa(query, { ...key, dtype: 'half' }, value), 'dtype', 'key', /'half'/);
  });

  test('data that is longer or shorter than its shape', () => {
    for (const length of [8 * 96 * 64 - 1, 8 * 96 * 64 + 1]) {
      const odd = { shape: key.shape, data: new Float32Array(length) };
      assertError(() => sdpa(query, odd, value), 'data', 'key', /49152/, new RegExp(length));
    }
  });

  test('strides that lead out of the data, or are not strides', () => {
    const strided = (strides) => ({ ...key, strides });
    assertError(() => sdpa(query, strided([0, 6144, 64, 2]), value), 'data', 'key', /strides/);
    assertError(() => sdpa(query, strided([0, 6144, 64, -1]), value), 'shape', 'key', /-1/);
    assertError(() => sdpa(query, strided([0, 6144, 0.5, 1]), value), 'shape', 'key', /0\.5/);
    assertError(() => sdpa(query, strided([64, 1]), value), 'shape', 'key', /2 strides but 4 axes/);
  });

  test('shapes that are not shapes', () => {
    assertError(
      () => sdpa({ ...query, shape: [1, 8, -128, 64] }, key, value),
      'shape',
      'query',
      /-128/,
    );
    assertError(
      () => sdpa({ ...query, shape: [1, 8, 1.5, 64] }, key, value),
      'shape',
      'query',
      /1\.5/,
    );
    assertError(
      () => sdpa({ ...query, shape: [1, 8, NaN, 64] }, key, value),
      'shape',
      'query',
      /NaN/,
    );
    assertError(
      () => sdpa({ ...query, shape: [1, 8, '128', 64] }, key, value),
      'shape',
      'query',
      /./,
    );
    assertError(() => sdpa({ ...query, shape: 64 }, key, value), 'type', 'query', /tensor/);
  });

  test('what is no tensor at all', () => {
    for (const wrong of [undefined, null, 3, 'query', [[1, 2]], new Float32Array(3), {}, () => 1]) {
      assertError(() => sdpa(wrong, key, value), 'type', 'query', /tensor \{ shape, data \}/);
      assertError(() => sdpa(query, wrong, value), 'type', 'key', /tensor \{ shape, data \}/);
      assertError(() => sdpa(query, key, wrong), 'type', 'value', /tensor \{ shape, data \}/);
    }
    assertError(() => sdpa([[1]], key, value), 'type', 'query', /tensor\(\)/);
  });
});

describe('options', () => {
  const call = (options) => () => sdpa(query, key, value, options);
  const all = /scale, softcap, mask, start, bias, alibi, sinks, dropout, returns, weightsFor/;

  test('an unknown option: the message lists those there are', () => {
    assertError(call({ isCausal: true }), 'option', 'isCausal', /isCausal/, all);
    assertError(call({ scale: 1, größe: 1 }), 'option', 'größe', /größe/, all);
    assertError(
      () => attention.explain(query, key, value, { causal: true }),
      'option',
      'causal',
      all,
    );
    assertError(
      call({ dropout: { p: 0.5, seed: 1, rate: 2 } }),
      'option',
      'dropout.rate',
      /p, seed/,
    );
    assertError(call({ weightsFor: { head: [0] } }), 'option', 'weightsFor.head', /heads, queries/);
    for (const wrong of ['causal', 3, true, [1], () => 1]) {
      assertError(call(wrong), 'type', 'options', /object/);
    }
  });

  test('values of the wrong type', () => {
    assertError(call({ scale: '1' }), 'type', 'scale', /number/, /'1'/);
    assertError(call({ softcap: true }), 'type', 'softcap', /number/);
    assertError(call({ start: 'bottom-left' }), 'type', 'start', /'top-left', 'bottom-right'/);
    assertError(call({ start: 0.5 }), 'type', 'start', /0\.5/);
    assertError(call({ bias: 3 }), 'type', 'bias', /tensor/);
    assertError(call({ bias: [[1, 2], [3]] }), 'type', 'bias', /tensor/);
    assertError(call({ alibi: 'paper' }), 'type', 'alibi', /slopes/);
    assertError(call({ sinks: 1 }), 'type', 'sinks', /array of numbers/);
    assertError(call({ dropout: 0.5 }), 'type', 'dropout', /\{ p, seed \}/);
    assertError(call({ dropout: { p: 0.5 } }), 'type', 'dropout.seed', /undefined/);
    assertError(call({ dropout: { seed: 1 } }), 'type', 'dropout.p', /undefined/);
    assertError(call({ dropout: { p: 0.5, seed: -1 } }), 'type', 'dropout.seed', /-1/);
    assertError(call({ dropout: { p: 0.5, seed: 2n ** 64n } }), 'type', 'dropout.seed', /2⁶⁴/);
    assertError(call({ returns: 'weights' }), 'type', 'returns', /array/);
    assertError(call({ returns: ['attn'] }), 'option', 'returns', /'lse' and 'weights'/, /'attn'/);
    assertError(call({ weightsFor: [0] }), 'type', 'weightsFor', /heads, queries/);
    assertError(call({ mask: Symbol('causal') }), 'type', 'mask', /symbol/);
    const endless = { kind: 'not' };
    endless.of = endless;
    assertError(call({ mask: endless }), 'option', 'options', /64 deep/);
  });

  test('values out of range', () => {
    assertError(call({ scale: NaN }), 'option', 'scale', /NaN/);
    assertError(call({ scale: Infinity }), 'option', 'scale', /Infinity/);
    assertError(call({ softcap: -1 }), 'option', 'softcap', /-1/);
    for (const p of [-0.1, 1.1, NaN]) {
      assertError(
        call({ dropout: { p, seed: 0 } }),
        'option',
        'dropout.p',
        new RegExp(p),
        /0 to 1/,
      );
    }
    assertError(call({ sinks: [1, 2] }), 'shape', 'sinks', /2/, /8/);
    assertError(call({ alibi: [1, 2] }), 'shape', 'alibi', /2/, /8/);
    assertError(call({ bias: zeros(5, 96) }), 'shape', 'bias', /5×96/);
    assertError(
      call({ weightsFor: { heads: [8] }, returns: ['weights'] }),
      'option',
      'weightsFor.heads',
      /8/,
    );
  });

  test('start must be said where it matters and T ≠ S; both choices are shown', () => {
    assertError(
      call({ mask: 'causal' }),
      'option',
      'start',
      /128/,
      /96/,
      /'top-left'/,
      /'bottom-right'/,
    );
    assertError(call({ alibi: true }), 'option', 'start', /alibi/);
    sdpa(query, key, value, { mask: { kind: 'lengths', keys: [3] } });
  });
});

describe('mask rules', () => {
  const call =
    (mask, start = 0) =>
    () =>
      sdpa(query, key, value, { mask, start });

  test('an unknown kind or field: the message lists those there are', () => {
    assertError(call('casual'), 'option', 'mask', /casual/, /causal, window, lengths/, /function/);
    assertError(call({ kind: 'sliding' }), 'option', 'mask', /sliding/, /causal, window/);
    assertError(call({ kind: 'window', size: 3 }), 'option', 'mask.window.size', /left, right/);
    assertError(call({ kind: 'causal', left: 3 }), 'option', 'mask.causal.left', /none/);
    const nested = { kind: 'any', of: [{ kind: 'not', of: { kind: 'window', width: 1 } }] };
    assertError(call(nested), 'option', 'mask.any.of.not.of.window.width', /left, right/);
    assertError(call({ left: 3 }), 'type', 'mask', /causal, window/);
  });

  test('a bare boolean mask says nothing of its polarity', () => {
    for (const bare of [bools(128, 96), [[true, false]]]) {
      assertError(call(bare), 'type', 'mask', /'allowed'/, /'blocked'/);
    }
  });

  test('fields that are missing, of the wrong type or out of range', () => {
    assertError(call({ kind: 'lengths' }), 'option', 'mask.lengths.keys', /keys/);
    assertError(call({ kind: 'lengths', keys: [1, 2] }), 'shape', 'mask.lengths.keys', /2/);
    assertError(call({ kind: 'lengths', keys: [97] }), 'option', 'mask.lengths.keys', /97/, /96/);
    assertError(call({ kind: 'lengths', keys: [0.5] }), 'type', 'mask.lengths.keys', /0\.5/);
    assertError(call({ kind: 'window', left: '3' }), 'type', 'mask.window.left', /number/);
    assertError(call({ kind: 'function', allows: true }), 'type', 'mask.function.allows', /=>/);
    assertError(call({ kind: 'allowed', mask: 'all' }), 'type', 'mask.allowed.mask', /tensor/);
    assertError(call({ kind: 'allowed', mask: [[0.5]] }), 'dtype', 'mask.allowed.mask', /bias/);
    assertError(
      call({ kind: 'allowed', mask: zeros(128, 96) }),
      'dtype',
      'mask.allowed.mask',
      /float32/,
    );
    assertError(
      call({ kind: 'allowed', mask: bools(128, 95) }),
      'shape',
      'mask.allowed.mask',
      /95/,
    );
  });

  test('a [B, S] mask that could be for padding is refused by name', () => {
    const [q, k] = [zeros(3, 1, 4, 2), zeros(3, 1, 5, 2)];
    const mask = { kind: 'blocked', mask: bools(3, 5) };
    assertError(() => sdpa(q, k, k, { mask }), 'ambiguous', 'mask.blocked.mask', /padding/);
  });

  test('what a mask function throws reaches the caller as it is', () => {
    const own = new TypeError('mine');
    const allows = (b, h, i) => {
      if (i === 100) throw own;
      return true;
    };
    assert.throws(call({ kind: 'function', allows }), (error) => error === own);
  });

  test('a mask function must not call the instance it is asked by', () => {
    const allows = () => sdpa(query, key, value) !== undefined;
    assertError(call({ kind: 'function', allows }), 'busy', 'attention', /mask function/);
  });
});

describe('memory', () => {
  const far = (...shape) => ({
    shape,
    data: new Float32Array(shape.at(-1)),
    strides: [0, 0, 0, 1].slice(-shape.length),
  });

  test('a result that wasm32 cannot hold: the message says what is needed and what there is', () => {
    const before = attention.memory();
    const [q, k, v] = [far(1, 1, 2 ** 22, 64), far(1, 1, 8, 64), far(1, 1, 8, 1024)];
    assertError(() => sdpa(q, k, v), 'memory', 'output', /16\d\d\d MiB/, /40\d\d MiB/);
    assertError(
      () =>
        attention.explain(far(1, 1, 2 ** 20, 64), far(1, 1, 2 ** 20, 64), far(1, 1, 2 ** 20, 64)),
      'memory',
      'steps',
      /MiB/,
    );
    assert.equal(attention.memory().total, before.total, 'nothing was allocated');
  });

  test('sizes past 2³¹ and 2⁵³ do not wrap', () => {
    for (const length of [2 ** 31, 2 ** 32 + 1, 2 ** 33, 2 ** 53]) {
      const error = errorOf(() => sdpa(far(1, 1, length, 64), far(1, 1, 8, 64), far(1, 1, 8, 64)));
      assert.ok(['memory', 'shape'].includes(error.code), `${error.code}: ${error.message}`);
    }
    const huge = far(2 ** 30, 2 ** 30, 2 ** 30, 64);
    assert.match(errorOf(() => sdpa(huge, huge, huge)).message, /1073741824/);
  });

  test('a mask whose table of ranges would fill the memory is an error too', async () => {
    const own = await load({ threads: 1 });
    // Every other key allowed: as ranges this mask is sixteen times as large as in bytes, and no
    // check can know that before it is compiled.
    const size = 23_000;
    const mask = { shape: [size, size], data: new Uint8Array(2 * size), strides: [1, 1] };
    mask.data.forEach((_, at) => (mask.data[at] = at % 2));
    const [q, k] = [far(1, 1, size, 64), far(1, 1, size, 64)];
    const one = tensor([[2]]);
    const options = { mask: { kind: 'allowed', mask } };
    assertError(
      () => own.scaledDotProductAttention(q, k, k, options),
      'memory',
      'mask',
      /separate ranges/,
      /\d+ MiB that can be had/,
    );
    assert.equal(own.scaledDotProductAttention(one, one, one).output.data[0], 2);
    own.dispose();
  });
});

describe('the rest of the package', () => {
  test('tensor()', () => {
    assertError(() => tensor([[1, 2], [3]]), 'shape', 'nested', /axis 1/, /2 and one of length 1/);
    assertError(() => tensor([1, [2]]), 'type', 'nested');
    assertError(() => tensor([[1], 2]), 'shape', 'nested', /axis 1/);
    assertError(() => tensor(3), 'type', 'nested', /array/);
    assertError(() => tensor(['1']), 'type', 'nested', /1/);
    assertError(() => tensor([1], 'int8'), 'dtype', 'dtype', /int8/, /float32, float64/);
  });

  test('mask() and windowOfSize()', () => {
    assertError(
      () => attention.mask('casual', { queries: 2, keys: 2 }),
      'option',
      'mask',
      /causal/,
    );
    assertError(
      () => attention.mask('causal', { queries: 2, keys: 3 }),
      'option',
      'start',
      /'top-left'/,
    );
    assertError(
      () => attention.mask('causal', { queries: 2.5, keys: 3 }),
      'type',
      'queries',
      /2\.5/,
    );
    assertError(() => attention.mask('causal', { queries: -1, keys: 3 }), 'shape', 'queries', /-1/);
    assertError(() => attention.mask('causal', { keys: 3 }), 'type', 'queries');
    const mask = attention.mask('causal', { queries: 2, keys: 2 });
    assertError(() => mask.rowRanges(0, 0, 2), 'shape', 'i', /2/, /0 to 1/);
    assertError(() => mask.cause(0, 0, 0, -1), 'shape', 'j', /-1/);
    mask.dispose();
    assertError(() => mask.toDense(), 'disposed', 'mask');
    assertError(() => windowOfSize(0), 'option', 'size', /0/);
  });

  test('a disposed instance says so', async () => {
    const own = await load({ threads: 1 });
    const mask = own.mask('causal', { queries: 2, keys: 2 });
    own.dispose();
    own.dispose();
    const one = tensor([[2]]);
    for (const call of [
      () => own.scaledDotProductAttention(one, one, one),
      () => own.explain(one, one, one),
      () => own.mask('causal', { queries: 1, keys: 1 }),
      () => own.describe(),
      () => own.memory(),
    ]) {
      assertError(call, 'disposed', 'attention', /load/);
    }
    assertError(() => mask.rowRanges(0, 0, 0), 'disposed', 'mask');
    mask.dispose();
  });
});
