// The page's own small parts: numbers, tints, links.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const read = async (path) => {
  const file = fileURLToPath(new URL(`../../web/${path}`, import.meta.url));
  return (await runnerImport(file)).module;
};
const { cellNumber, cellWeight, equalsSign, exactNumber, givenNumber, operand, sumTerms } =
  await read('draw/number.ts');
const { parseNumber } = await read('state/parse.ts');
const { encode, decode } = await read('state/link.ts');
const { invariantsOf, keptScaled, likeWhole } = await read('draw/invariants.ts');
const { tint } = await read('draw/scale.ts');

test('cells have two decimals, a real minus, and never pretend', () => {
  const rows = [
    [0.11, '0.11'],
    [-0.3733, '−0.37'],
    [-0.001, '0.00'],
    [-0, '0.00'],
    [999.994, '999.99'],
    [-12345, '−1e4'],
    [-Infinity, '−∞'],
    [Infinity, '∞'],
    [NaN, 'NaN'],
  ];
  for (const [x, text] of rows) assert.equal(cellNumber(x), text);
  const weights = [
    [0, '0.00'],
    [1e-9, '<0.005'],
    [0.00499, '<0.005'],
    [0.005, '0.01'],
    [0.994, '0.99'],
    [0.9999, '>0.995'],
    [1, '1.00'],
    [NaN, 'NaN'],
  ];
  for (const [x, text] of weights) assert.equal(cellWeight(x), text);
});

test('the inspector has four decimals, and given numbers are as they were given', () => {
  assert.equal(exactNumber(-0.21552485548848732), '−0.2155');
  assert.equal(exactNumber(0.00001234), '1.234e-5'.replace('-', '−'));
  assert.equal(exactNumber(1e7), '1.000e7');
  assert.equal(exactNumber(-1.5e-8), '−1.500e−8');
  assert.equal(givenNumber(0.1), '0.10');
  assert.equal(givenNumber(-0.125), '−0.125');
  assert.equal(givenNumber(3), '3.00');
  assert.equal(givenNumber(1e-8), '1.000e−8');
  assert.equal(givenNumber(-2e21), '−2.000e21');
  assert.equal(givenNumber(1 / 3), '0.3333');
  assert.equal(operand('−0.17'), '(−0.17)');
  assert.equal(operand('0.17'), '0.17');
  assert.deepEqual(sumTerms([-0.0187, 0.6237, -0.008]), ['−0.0187', '+ 0.6237', '− 0.0080']);
});

test('≈ says that a last digit is rounded, and = that none is', () => {
  assert.equal(equalsSign([0.597, -0.0187, 1, 0, -Infinity, NaN]), '=');
  // A sum of floats is not taken for a rounded number.
  assert.equal(equalsSign([0.1 + 0.2]), '=');
  assert.equal(equalsSign([0.597, 1 / 3]), '≈');
  assert.equal(equalsSign([0.00001234]), '=');
  // However small it is.
  assert.equal(equalsSign([7.8812e-8]), '≈');
  assert.equal(equalsSign([0.000012345]), '≈');
  assert.equal(
    equalsSign([0.125], (x) => x.toFixed(2)),
    '≈',
  );
});

test('numbers as people write them are read, and nothing else', () => {
  const good = {
    ' 1.5 ': 1.5,
    '−0.5': -0.5,
    '.25': 0.25,
    '1e-3': 0.001,
    '0,5': 0.5,
    '１２': 12,
    '+3.': 3,
  };
  for (const [text, x] of Object.entries(good)) assert.equal(parseNumber(text), x, text);
  for (const text of ['', '-', '.', '1.2.3', '1e', 'NaN', 'Infinity', '1e999', '0x10', '1 2']) {
    assert.equal(parseNumber(text), undefined, text);
  }
});

const home = {
  case: {
    query: [
      [0.1, 0.2],
      [0.3, 0.4],
    ],
    key: [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
    value: [[1], [2], [3]],
    options: { mask: 'causal' },
  },
  step: 1,
  pin: null,
  settings: {},
};

test('a view survives the way through a link, and home needs none', () => {
  assert.equal(encode(home, home), '');
  const view = {
    case: { ...home.case, options: { mask: undefined }, value: [[1e-7], [-2.5], [1e21]] },
    step: 4,
    pin: { stage: 'weights', row: 1, column: 2 },
    settings: { 'lab.d': '64', 'xw.x': '1,-2;0.5,4', 'fruit.case': 'a:b&c=d%2C#é|{}' },
  };
  const link = encode(view, home);
  assert.equal(
    link,
    's=4&p=w.2.3&m=0&v=1e-7;-2.5;1e+21&lab.d=64&xw.x=1,-2;0.5,4&fruit.case=a:b%26c%3Dd%252C%23%C3%A9%7C%7B%7D',
  );
  assert.deepEqual(decode(`#${link}`, home), { view, anchor: '', remarks: [] });
  assert.deepEqual(decode(`#masks&${link}`, home), { view, anchor: 'masks', remarks: [] });
  assert.deepEqual(decode('#masks', home), { view: home, anchor: 'masks', remarks: [] });
});

test('what a link cannot have is put right and remarked', () => {
  const cases = {
    's=0': ['linkStep', { step: 1 }],
    's=99': ['linkStep', { step: 6 }],
    's=x': ['linkStep', { step: 1 }],
    's=2.6': ['linkStep', { step: 3 }],
    'p=w.1.9': ['linkPin', { pin: { stage: 'weights', row: 0, column: 2 } }],
    'p=o.0.1': ['linkPin', { pin: { stage: 'output', row: 0, column: 0 } }],
    'p=z.1.1': ['linkUnusable', { pin: null }],
    'p=w.1': ['linkUnusable', { pin: null }],
    'm=yes': ['linkMask', {}],
    'q=1,2;3': ['linkMatrix', {}],
    'k=1,2;3,4;5,NaN': ['linkMatrix', {}],
    'v=%E0': ['linkMatrix', {}],
  };
  for (const [link, [word, change]] of Object.entries(cases)) {
    const { view, remarks } = decode(link, home);
    assert.deepEqual(view, { ...home, ...change }, link);
    assert.deepEqual(
      remarks.map((remark) => remark.word),
      [word],
      link,
    );
  }
});

// Contrast of the tints, from the tokens themselves.
const tokens = await readFile(new URL('../../web/styles/tokens.css', import.meta.url), 'utf8');
const token = (name, theme) => {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens);
  const hex = theme === 'light' ? light : dark;
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
};
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
};

test('every tint leaves its number readable, in both themes', () => {
  for (const theme of ['light', 'dark']) {
    for (const [scale, values] of [
      ['signed', [-1, 1]],
      ['weight', [1]],
    ]) {
      for (const sign of values) {
        for (let share = 0; share <= 1; share += 0.01) {
          const { amount, tone, strong } = tint(sign * share, scale, 1);
          const [color, surface] = [token(tone, theme), token('surface', theme)];
          const mixed = color.map((x, i) => x * amount + surface[i] * (1 - amount));
          const ink = strong ? [1, 1, 1] : token('cell-ink', theme);
          const ratio = contrast(mixed, ink);
          assert.ok(ratio >= 4.5, `${theme} ${tone} ${share.toFixed(2)}: ${ratio.toFixed(2)}`);
        }
      }
    }
  }
});

test('what is always true of weights fails where it is not', () => {
  const free = [];
  const cause = [
    [free, ['causal']],
    [free, free],
  ];
  const value = [[1], [3]];
  const right = {
    weights: [
      [1, 0],
      [0.25, 0.75],
    ],
    cause,
    value,
    output: [[1], [2.5]],
  };
  const failing = (of) =>
    invariantsOf({ ...right, ...of })
      .filter(({ holds }) => !holds)
      .map(({ name }) => name);
  assert.deepEqual(failing({}), []);
  const weights = (...rows) => failing({ weights: rows });
  assert.deepEqual(weights([1, 0], [0.25, 0.7]), ['rowsSum']);
  assert.deepEqual(weights([1, 0], [-0.25, 1.25]), ['inUnit']);
  assert.deepEqual(weights([0.5, 0.5], [0.25, 0.75]), ['maskedZero']);
  assert.deepEqual(weights([NaN, 0], [0.25, 0.75]), ['rowsSum', 'inUnit']);
  assert.deepEqual(failing({ output: [[1.1], [2.5]] }), ['inHull']);
  // A row that may read nothing has weights of 0, and the words say so.
  const empty = [[['padding'], ['padding']], cause[1]];
  assert.deepEqual(failing({ cause: empty }), ['rowsSumOrEmpty', 'maskedZero', 'inHull']);
  const none = { cause: empty, weights: [[0, 0], right.weights[1]], output: [[0], [2.5]] };
  assert.deepEqual(failing(none), []);
  // What rounding in float32 leaves is none of it in float64.
  const rounded = [right.weights[0], [0.25, 0.75 + 2 ** -24]];
  assert.deepEqual(failing({ weights: rounded, dtype: 'float32' }), []);
  assert.deepEqual(weights(...rounded), ['rowsSum']);
  assert.ok(keptScaled([[0.25, 0.75]], [[0, 1.5]], 0.5).holds);
  assert.ok(!keptScaled([[0.25, 0.75]], [[0, 0.75]], 0.5).holds);
  assert.ok(likeWhole([1, 2 + 2 ** -51], [1, 2]).holds);
  assert.equal(likeWhole([1, 2 + 1e-9], [1, 2]).wrong, 1);
  assert.equal(likeWhole([NaN, 2], [1, 2]).wrong, 1);
});
