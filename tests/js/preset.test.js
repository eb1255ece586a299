// Presets against numbers worked out by hand, as in conventions.test.js: with queries and keys of
// zero an output is the mean of the values that a query may read, which are powers of two.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttentionError, preset, tensor } from 'attention-wasm';
import { runs } from './builds.js';
import { assertClose } from './compare.js';

const zeros = (length) => Array(length).fill([0]);
const powers = (length) => [...Array(length).keys()].map((j) => [2 ** j]);
const call = (T, S, options) => ({
  query: tensor(zeros(T)),
  key: tensor(zeros(S)),
  value: tensor(powers(S)),
  options,
});
const batch = (T, S, options) => ({
  query: tensor([[zeros(T)], [zeros(T)]]),
  key: tensor([[zeros(S)], [zeros(S)]]),
  value: tensor([[powers(S)], [powers(S)]]),
  options,
});

const cells = [
  [true, false, true],
  [false, true, true],
];
const threes = [Math.log(3), 0];
const upperLeft = [1, 1.5];
const lowerRight = [3.75, 6.2];

/** What is said → [call, its numbers]. */
const rows = {
  'pytorch, isCausal': [call(2, 5, preset.pytorch({ isCausal: true })), upperLeft],
  'pytorch, attnMask of bool': [call(2, 3, preset.pytorch({ attnMask: cells })), [2.5, 3]],
  'pytorch, attnMask of a bool tensor': [
    call(2, 3, preset.pytorch({ attnMask: tensor(cells, 'bool') })),
    [2.5, 3],
  ],
  'pytorch, attnMask of bytes': [
    call(
      2,
      3,
      preset.pytorch({ attnMask: { shape: [2, 3], data: Uint8Array.of(1, 0, 1, 0, 1, 1) } }),
    ),
    [2.5, 3],
  ],
  'pytorch, attnMask of float': [call(1, 2, preset.pytorch({ attnMask: [threes] })), [5 / 4]],
  'multiheadAttention, attnMask of bool': [
    call(2, 3, preset.multiheadAttention({ attnMask: cells })),
    [2, 1],
  ],
  'multiheadAttention, attnMask for as many sequences as queries': [
    batch(2, 3, preset.multiheadAttention({ attnMask: cells })),
    [2, 1, 2, 1],
  ],
  'multiheadAttention, attnMask of a bool tensor, for as many': [
    batch(2, 3, preset.multiheadAttention({ attnMask: tensor(cells, 'bool') })),
    [2, 1, 2, 1],
  ],
  'multiheadAttention, attnMask of float': [
    call(1, 2, preset.multiheadAttention({ attnMask: [threes] })),
    [5 / 4],
  ],
  'multiheadAttention, keyPaddingMask': [
    batch(
      1,
      3,
      preset.multiheadAttention({
        keyPaddingMask: [
          [false, false, true],
          [true, false, false],
        ],
      }),
    ),
    [1.5, 3],
  ],
  'flashAttention, causal': [call(2, 5, preset.flashAttention({ causal: true })), lowerRight],
  'flashAttention, windowSize (1, -1)': [
    call(2, 5, preset.flashAttention({ windowSize: [1, -1] })),
    [(4 + 8 + 16) / 3, 12],
  ],
  'flashAttention, causal and windowSize (2, 0)': [
    call(2, 5, preset.flashAttention({ causal: true, windowSize: [2, 0] })),
    [(2 + 4 + 8) / 3, (4 + 8 + 16) / 3],
  ],
  'flashAttention, windowSize (-1, -1)': [
    call(1, 3, preset.flashAttention({ windowSize: [-1, -1] })),
    [7 / 3],
  ],
  'jax, isCausal': [call(2, 5, preset.jax({ isCausal: true })), upperLeft],
  'jax, mask': [call(2, 3, preset.jax({ mask: cells })), [2.5, 3]],
  'jax, localWindowSize of one number': [
    call(3, 3, preset.jax({ localWindowSize: 1 })),
    [1.5, 7 / 3, 3],
  ],
  'jax, localWindowSize of two': [call(2, 3, preset.jax({ localWindowSize: [0, 1] })), [1.5, 3]],
  'jax, lengths': [
    batch(2, 3, preset.jax({ querySeqLengths: [1, 2], keyValueSeqLengths: [2, 3] })),
    [1.5, 0, 7 / 3, 7 / 3],
  ],
  'mlx, causal': [call(2, 5, preset.mlx({ mask: 'causal' })), lowerRight],
  'mlx, mask of bool': [call(2, 3, preset.mlx({ mask: cells })), [2.5, 3]],
  'mlx, mask of float': [call(1, 2, preset.mlx({ mask: [threes] })), [5 / 4]],
  'mlx, no mask': [call(1, 3, preset.mlx({})), [7 / 3]],
  'keras, useCausalMask': [call(2, 5, preset.keras({ useCausalMask: true })), upperLeft],
  'keras, attentionMask [B, T, S]': [
    batch(2, 3, preset.keras({ attentionMask: [cells, [...cells].reverse()] })),
    [2.5, 3, 3, 2.5],
  ],
  'keras, attentionMask [B, T, S] as a tensor': [
    batch(2, 3, preset.keras({ attentionMask: tensor([cells, [...cells].reverse()], 'bool') })),
    [2.5, 3, 3, 2.5],
  ],
  'keras, attentionMask with strides': [
    batch(
      2,
      3,
      preset.keras({
        attentionMask: {
          shape: [2, 2, 3],
          strides: [0, 1, 2],
          data: Uint8Array.of(1, 0, 0, 1, 1, 1),
        },
      }),
    ),
    [2.5, 3, 2.5, 3],
  ],
  'onnx, isCausal with a past of 3': [
    call(2, 5, preset.onnx({ isCausal: true, past: 3 })),
    lowerRight,
  ],
  'onnx, isCausal without one': [call(2, 5, preset.onnx({ isCausal: true })), upperLeft],
  'onnx, attnMask of bool': [call(2, 3, preset.onnx({ attnMask: cells })), [2.5, 3]],
  'transformers, slidingWindow 3': [
    call(2, 5, preset.transformers({ slidingWindow: 3 })),
    [14 / 3, 28 / 3],
  ],
  'transformers, attentionMask': [
    batch(
      1,
      3,
      preset.transformers({
        attentionMask: [
          [false, true, true],
          [true, true, true],
        ],
      }),
    ),
    [3, 7 / 3],
  ],
};

for (const [what, [asked, numbers]] of Object.entries(rows)) {
  test(what, () => {
    for (const { name, run } of runs) {
      assertClose(run(asked).output.data, numbers, 1e-6 * Math.max(...numbers), name);
    }
  });
}

/** The library's error, with this code, argument and message. */
const refused = (make, code, argument, message) =>
  assert.throws(make, (error) => {
    assert.ok(error instanceof AttentionError, String(error));
    assert.deepEqual([error.code, error.argument], [code, argument]);
    assert.match(error.message, message);
    return true;
  });

test('a setting that a preset does not have is refused, with those it has', () => {
  for (const make of Object.values(preset)) {
    refused(
      () => make({ is_causal: true }),
      'option',
      'is_causal',
      /has no option 'is_causal'; its options are \w+/,
    );
  }
});

test('settings that are no plain object are refused', () => {
  for (const [name, make] of Object.entries(preset)) {
    for (const [settings, found] of [
      [null, 'null'],
      [true, 'true'],
      [2, '2'],
      ['causal', "the string 'causal'"],
      [[], 'an array'],
      [new Map(), 'an instance of Map'],
    ]) {
      const message = new RegExp(
        `^preset.${name} must be a plain object \\{ \\w+.* \\}, not ${found}$`,
      );
      refused(() => make(settings), 'type', `preset.${name}`, message);
    }
  }
});

const wrong = {
  flag: [[1, 'yes', {}, tensor([1])], /give true or false$/],
  cells: [
    [true, 1, 'causal ', { shape: [1] }, new Uint8Array(4)],
    /give (a|'causal', a) tensor \{ shape, data \} or nested arrays$/,
  ],
  sides: [
    [2, '2', [1], [1, 2, 3], [1, 0.5], {}],
    /give two whole numbers \[left, right\], −1 for no limit$/,
  ],
  oneOrTwoSides: [['2', 0.5, NaN, [1], [1, '2']], /give a whole number, or two \[left, right\]$/],
  lengths: [
    [2, '2', true, { 0: 1 }],
    /give an array of whole numbers, one for each batch element$/,
  ],
  whole: [[0.5, NaN, '2', [2]], /give a whole number$/],
  fromOne: [[0, -1, 0.5, '2', [2]], /give a whole number from 1$/],
};
const kinds = {
  pytorch: { attnMask: 'cells', isCausal: 'flag' },
  multiheadAttention: { attnMask: 'cells', keyPaddingMask: 'cells' },
  flashAttention: { causal: 'flag', windowSize: 'sides' },
  jax: {
    mask: 'cells',
    isCausal: 'flag',
    localWindowSize: 'oneOrTwoSides',
    querySeqLengths: 'lengths',
    keyValueSeqLengths: 'lengths',
  },
  mlx: { mask: 'cells' },
  keras: { attentionMask: 'cells', useCausalMask: 'flag' },
  onnx: { attnMask: 'cells', isCausal: 'flag', past: 'whole' },
  transformers: { slidingWindow: 'fromOne', attentionMask: 'cells' },
};

test('a setting of the wrong type is refused by its name; null and undefined are as if left out', () => {
  assert.deepEqual(Object.keys(kinds), Object.keys(preset));
  for (const [name, settings] of Object.entries(kinds)) {
    for (const [setting, kind] of Object.entries(settings)) {
      const argument = `preset.${name}.${setting}`;
      const [values, message] = wrong[kind];
      for (const value of values) {
        const make = () => preset[name]({ [setting]: value });
        refused(make, 'type', argument, message);
        refused(make, 'type', argument, new RegExp(`^preset.${name}.${setting} is `));
      }
      for (const value of [null, undefined]) {
        assert.deepEqual(preset[name]({ [setting]: value }), preset[name]());
      }
    }
  }
});

test('a setting that loops do not see is one all the same', () => {
  const hidden = Object.defineProperty({}, 'isCausal', { value: true });
  assert.deepEqual(preset.pytorch(hidden), preset.pytorch({ isCausal: true }));
});

test('axes that are no numbers are refused where a preset adds one', () => {
  const mask = { shape: [1, 1, 1], data: new Uint8Array(1) };
  const argument = 'preset.keras.attentionMask';
  const keras = (changes) => () => preset.keras({ attentionMask: { ...mask, ...changes } });
  refused(
    keras({ shape: new Uint8Array(3) }),
    'shape',
    argument,
    /shape must be an array of whole numbers/,
  );
  refused(keras({ strides: 5 }), 'shape', argument, /strides must be an array of whole numbers/);
});

test('0 and 1 in arrays can be a mask or be added: the presets that take both refuse them', () => {
  const row = [1, 0];
  const takers = {
    pytorch: 'attnMask',
    multiheadAttention: 'attnMask',
    mlx: 'mask',
    onnx: 'attnMask',
  };
  for (const [name, setting] of Object.entries(takers)) {
    for (const bits of [[row, row], [[0, 0]], [[1]], [[[row]]]]) {
      refused(
        () => preset[name]({ [setting]: bits }),
        'type',
        `preset.${name}.${setting}`,
        /holds 0 and 1 alone.*give true and false for a mask, a float tensor for numbers to be added$/,
      );
    }
    for (const numbers of [[[[0, -1e9]]], [[[0.5, 1]]], tensor([[row]]), [[[]]]]) {
      assert.deepEqual(preset[name]({ [setting]: numbers }).bias, numbers);
    }
  }
});

test('a mask that holds itself is no reason to hang', () => {
  const endless = [];
  endless.push(endless);
  const { bias } = preset.pytorch({ attnMask: endless });
  assert.equal(bias, endless);
});

test('lengths of queries alone are refused', () => {
  assert.throws(() => preset.jax({ querySeqLengths: [1] }), /no keyValueSeqLengths; give both/);
});
