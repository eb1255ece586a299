// Texts that people bring to the workbench, clean and broken: each is read as it is meant, or refused in
// the reader's language with the place where it goes wrong. Nothing is left out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSaid, one, readTexts, rowsOf, square } from './readers.js';

const read = {
  'comma-separated': '1, 2\n3, 4',
  'with a byte order mark and CRLF': '\ufeff1, 2\r\n3, 4\r\n',
  'with the line ends of old Macs': '1, 2\r3, 4',
  'with semicolons': '1;2\n3; 4',
  'with tabs, from a spreadsheet': '1\t2\n3\t4\n',
  'with blanks, from numpy.savetxt': '# two by two\n1.000000e+00 2.000000e+00\n3.0e0 4.0e0\n',
  'with a separator at the ends': '1, 2,\n3, 4,',
  'quoted cells': '"1","2"\n"3","4"',
  'full-width digits, commas and brackets': '［［１，２］，［３，４］］',
  'full-width rows': '１，２\n３　，４',
  'NumPy, printed': '[[1. 2.]\n [3. 4.]]',
  'NumPy, as it represents itself': 'array([[1., 2.],\n       [3., 4.]], dtype=float32)',
  'PyTorch, with a gradient':
    "tensor([[1., 2.], [3., 4.]], device='cuda:0', grad_fn=<MulBackward0>)",
  'an assignment': 'const q2 = [[1, 2], [3, 4]];',
  'Python, with commas at the ends and tuples': 'q = [(1, 2,), (3, 4,),]',
  JSON: '[[1, 2], [3, 4]]',
};
for (const [what, text] of Object.entries(read)) {
  test(`text is read: ${what}`, () => {
    const tensor = one(readTexts(text, 'q'));
    assert.deepEqual(tensor.shape, [2, 2]);
    assert.deepEqual(rowsOf(tensor), square);
  });
}

/** Each with the names that are left out, and whether a column of names is. */
const headed = {
  'names of columns': ['a,b\n1,2\n3,4', 'a, b', false],
  'quoted names, from a spreadsheet': ['"first";"second"\n1;2\n3;4', 'first, second', false],
  'names and an index, from pandas': [',a,b\n0,1,2\n1,3,4', 'a, b', true],
  'names and a named index': [',a,b\nq1,1,2\nq2,3,4', 'a, b', true],
  'columns that are only counted, from pandas': [',0,1\n0,1,2\n1,3,4', '0, 1', true],
  'the same between tabs': ['\t0\t1\n0\t1\t2\n1\t3\t4', '0, 1', true],
  'names and an index, printed': ['   a  b\n0  1  2\n1  3  4', 'a, b', true],
  'rows counted from 1, from R': ['"a","b"\n"1",1,2\n"2",3,4', 'a, b', true],
  'long names': [
    'a-very-long-name,another-long-name\n1,2\n3,4',
    'a-very-long-name, anothe…',
    false,
  ],
};
for (const [what, [text, names, hasIndex]] of Object.entries(headed)) {
  test(`text is read without what is beside its numbers: ${what}`, () => {
    const tensor = one(readTexts(text, 'q'));
    assert.deepEqual(rowsOf(tensor), square);
    assert.deepEqual(tensor.shape, [2, 2]);
    assert.deepEqual(tensor.header, { names, hasIndex });
  });
}

test('text is read: numbers alone have no header', () => {
  for (const text of ['0,1,2\n0,1,2', 'nan inf\n1 2', '1\n2']) {
    assert.equal(one(readTexts(text, 'q')).header, undefined);
  }
});

test('text is read: numbers that are not finite, by every name, and truth values', () => {
  const text = 'nan NaN inf -inf Infinity -Infinity +inf ∞ −∞ -∞ True false −1e−3 .5 5.';
  const wanted = [NaN, NaN, Infinity, -Infinity, Infinity, -Infinity, Infinity, Infinity];
  const numbers = [...wanted, -Infinity, -Infinity, 1, 0, -0.001, 0.5, 5];
  for (const form of [text, `[[${text.replaceAll(' ', ', ')}]]`]) {
    assert.deepEqual([...one(readTexts(form, 'q')).data], numbers);
  }
});

test('text is read: up to four axes', () => {
  assert.deepEqual(one(readTexts('[[[[1], [2]]], [[[3], [4]]]]', 'q')).shape, [2, 1, 2, 1]);
  assert.deepEqual(one(readTexts('[1, 2]', 'q')).shape, [2]);
});

/** Each with the word of its sentence, what the sentence has to name, and the text. */
const refused = [
  ['empty', {}, ''],
  ['empty', {}, '# nothing but a remark'],
  ['ragged', { row: 2, length: 2, first: 3 }, '1,2,3\n4,5'],
  ['ragged', { row: 2, length: 1, first: 2 }, '[[1, 2], [3]]'],
  ['ragged', { row: '[2, 1]', length: 1, first: 2 }, '[[[1, 2]], [[3]]]'],
  ['notNumber', { text: 'two', place: '[1, 2]' }, '[[1, two]]'],
  ['notNumber', { text: '1_000', place: '[2, 1]' }, '[[1], [1_000]]'],
  ['notNumber', { text: '0x10', place: '[2, 2]' }, '1,2\n3,0x10'],
  ['notNumber', { text: '10²', place: '[1, 1]' }, '10²,2'],
  ['notNumber', { text: '1+2j', place: '[1]' }, '[1+2j]'],
  ['notNumber', { text: 'null', place: '[1, 2]' }, '[[1, null]]'],
  ['notNumber', { text: 'q1', place: '[1, 1]' }, 'q1,q2'],
  ['notNumber', { text: 'q1', place: '[1, 1]' }, 'q1,2\n1,2'],
  ['notNumber', { text: 'two', place: '[3, 1]' }, 'a,b\n1,2\ntwo,3'],
  ['notNumber', { text: 'title', place: '[1, 1]' }, 'title\n5 6\n7 8'],
  ['ragged', { row: 3, length: 1, first: 2 }, 'a,b\n1,2\n3'],
  ['missing', { place: '[1, 1]' }, ',2\n3,4'],
  ['missing', { place: '[1, 1]' }, ',0,1\n5,1,2\n3,3,4'],
  ['notNumber', { text: '1 2', place: '[1, 2]' }, '1,1 2'],
  ['notNumber', { text: '1 2', place: '[1]' }, '["1 2"]'],
  ['notNumber', { text: 'np.float64', place: '[1]' }, '[np.float64(1.5)]'],
  ['notNumber', { text: '{', place: '[1]' }, '[{"a": 1}]'],
  ['tooLarge', { text: '1e999', place: '[1, 1]' }, '1e999,2'],
  ['tooLarge', { text: '-1e999', place: '[2, 1]' }, '[[1], [-1e999]]'],
  ['missing', { place: '[1, 2]' }, '1,,3'],
  ['missing', { place: '[2, 2]' }, '1\t2\t3\n4\t\t6'],
  ['missing', { place: '[1, 2]' }, '[[1,,3]]'],
  ['missing', { place: '[1]' }, '[, 1]'],
  ['comma', { text: '1,5', place: '[1, 1]' }, '1,5;2,5'],
  ['comma', { text: '1,5', place: '[1, 1]' }, '1,5\n2,5\n-3,5'],
  ['comma', { text: '2,5', place: '[2, 2]' }, '1\t2\n3\t2,5'],
  ['mixed', { place: '[2]' }, '[1, [2]]'],
  ['mixed', { place: '[2]' }, '[[1, 2], 3, 4]'],
  ['mixed', { place: '[1, 2]' }, '[[[], 1]]'],
  ['outside', { text: '[3, 4]' }, '[1, 2]\n[3, 4]'],
  ['outside', { text: '5 6' }, '[1, 2]\n5 6'],
  ['outside', { text: '1, 2' }, '1, 2\n[3, 4]'],
  ['outside', { text: ']' }, '[1, 2]]'],
  ['abridged', { place: '[1, 2]' }, '[[1. ... 3.]]'],
  ['deep', { depth: 5 }, '[[[[[1]]]]]'],
  ['cut', { missing: ']' }, '[[1, 2], [3'],
  ['notJson', { line: 2 }, '{"q": [[1, 2]],\n "k" [[1]]}'],
  ['notJson', { line: 3 }, '{"q": [[1]],\n"k": [[2]],\n}'],
  ['notJson', { line: 2 }, '{"q": [[1],\n[2} ]}'],
  ['notJson', { line: 1 }, '{"q": [[1]]} {"k": [[1]]}'],
  ['notJson', { line: 1 }, '{q: [[1]]}'],
  ['cut', { missing: '}' }, '{"q": [[1, 2]'],
  ['cut', { missing: '}' }, '{"q": [[1, 2]], "k'.slice(0, -3)],
  ['noTensor', {}, '{"title": "nothing"}'],
  ['tooLarge', { text: '1e999', place: '[1, 2]', name: 'k' }, '{"q": [[1]], "k": [[1, 1e999]]}'],
  ['notNumber', { text: 'null', place: '[1]', name: 'q' }, '{"q": [null]}'],
];

for (const [word, values, text] of refused) {
  test(`text is refused as ${word}: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => readTexts(text, 'q'),
      (error) => assertSaid(error, word, values),
    );
  });
}

test('JSON is read: names, infinities as programs write them, the settings; the rest is named', () => {
  const text = `{
    "title": "a call", "q": [[1, -Infinity]], "k": [[NaN, "inf"]], "options": {"scale": 1}
  }`;
  const { tensors, skipped } = readTexts(text, 'file');
  assert.deepEqual([...tensors.keys()], ['q', 'k']);
  assert.deepEqual([...tensors.get('q').data], [1, -Infinity]);
  assert.deepEqual([...tensors.get('k').data], [NaN, Infinity]);
  assert.deepEqual(skipped, ['options']);
});

test('JSON: a tensor may have any name, once', () => {
  const names = ['inputs', 'data_offsets', 'shape', 'dtype', '__proto__', 'constructor'];
  const json = (all) => `{${all.map((name) => `"${name}": [[1, 2]]`).join(', ')}}`;
  const { tensors, skipped } = readTexts(json(names), 'a');
  assert.deepEqual([...tensors.keys()], names);
  assert.deepEqual(skipped, []);
  for (const tensor of tensors.values()) assert.deepEqual(rowsOf(tensor), [[1, 2]]);
  const refusedFor = (entry, text) =>
    assert.throws(
      () => readTexts(text, 'a'),
      (error) => assertSaid(error, 'twoNames', { entry }),
    );
  for (const name of names) refusedFor(name, json([...names, name]));
  refusedFor('query', '{"inputs": {"query": [[1]], "key": [[2]], "\\u0071uery": [[3]]}}');
});
