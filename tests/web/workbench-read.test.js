// What people bring to the workbench, clean and broken: each is read as it is meant, or refused in the
// reader's language with the place where it goes wrong. Nothing is left out.
import assert from 'node:assert/strict';
import { readFile as readBytes } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { runnerImport } from 'vite';
import { bytesOf, npy, safetensors } from './tensor-files.js';

const root = new URL('../../', import.meta.url);
const load = async (path) => (await runnerImport(fileURLToPath(new URL(path, root)))).module;
const { readFile, readTexts } = await load('web/state/read-tensor.ts');
const { fill } = await load('web/state/words.ts');
const words = async (language) => {
  const path = new URL(`web/content/${language}/figures/workbench.json`, root);
  return JSON.parse(await readBytes(path, 'utf8')).errors;
};
const [en, zh] = await Promise.all(['en', 'zh'].map(words));

const rowsOf = ({ shape, data }) => {
  const [rows, columns] = shape;
  return Array.from({ length: rows }, (_, i) => [...data.slice(i * columns, (i + 1) * columns)]);
};
const one = ({ tensors }) => [...tensors.values()][0];

const square = [
  [1, 2],
  [3, 4],
];
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
  ['notNumber', { text: 'q1', place: '[1, 1]' }, 'q1,q2\n1,2'],
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

/** The sentence in both languages has everything it names, and the place. */
function assertSaid(error, word, values) {
  assert.equal(error.word, word, `${error.word} ${JSON.stringify(error.values)}`);
  assert.deepEqual({ ...error.values }, values);
  for (const errors of [en, zh]) {
    const sentence = fill(errors[word], error.values);
    assert.doesNotMatch(sentence, /\{\w+\}/);
    for (const [name, value] of Object.entries(values)) {
      if (errors[word].includes(`{${name}}`)) assert.ok(sentence.includes(value), sentence);
      else assert.equal(name, 'name');
    }
  }
  return true;
}

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

const flat = square.flat();
const fileOf = (name, bytes) => new File([bytes], name);
const utf16 = Buffer.from('\ufeff1\t2\r\n3\t4', 'utf16le');
const kinds = {
  'float64, little-endian': npy('<f8', [2, 2], bytesOf(flat, Float64Array)),
  'float64, big-endian': npy('>f8', [2, 2], bytesOf(flat, Float64Array).swap64()),
  'float32, by columns': npy('<f4', [2, 2], bytesOf([1, 3, 2, 4], Float32Array), true),
  'float16, big-endian': npy(
    '>f2',
    [2, 2],
    bytesOf([15360, 16384, 16896, 17408], Uint16Array).swap16(),
  ),
  int64: npy('<i8', [2, 2], bytesOf(flat.map(BigInt), BigInt64Array)),
  'uint8, by columns': npy('|u1', [2, 2], Buffer.from([1, 3, 2, 4]), true),
};
for (const [what, bytes] of Object.entries(kinds)) {
  test(`.npy is read: ${what}`, async () => {
    assert.deepEqual(rowsOf(one(await readFile(fileOf('q.npy', bytes)))), square);
  });
}

test('files are read: bfloat16 and truth values of .safetensors, UTF-16 of a spreadsheet', async () => {
  const bits = bytesOf([0x3f80, 0x4000, 0x4040, 0x4080], Uint16Array);
  const bytes = safetensors({
    q: { dtype: 'BF16', shape: [2, 2], data: bits },
    mask: { dtype: 'BOOL', shape: [1, 2], data: Buffer.from([1, 0]) },
  });
  const { tensors } = await readFile(fileOf('call.safetensors', bytes));
  assert.deepEqual(rowsOf(tensors.get('q')), square);
  assert.deepEqual(rowsOf(tensors.get('mask')), [[1, 0]]);
  assert.equal(tensors.get('q').dtype, 'bfloat16');
  for (const content of [utf16, Buffer.from(utf16).swap16()]) {
    assert.deepEqual(rowsOf(one(await readFile(fileOf('table.txt', content)))), square);
  }
});

/** A zip archive of one entry, as zipfile would write it; of two with one name if it is `twice` there. */
function zip(
  name,
  content,
  {
    method = 0,
    packed = content,
    sum = crc32(content),
    flags = 0,
    comment = '',
    twice = false,
  } = {},
) {
  const file = Buffer.from(name);
  const sizes = [packed.length, content.length];
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50);
  local.writeUInt16LE(method, 8);
  local.writeUInt32LE(sizes[0], 18);
  local.writeUInt32LE(sizes[1], 22);
  local.writeUInt16LE(file.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(sum, 16);
  entry.writeUInt32LE(sizes[0], 20);
  entry.writeUInt32LE(sizes[1], 24);
  entry.writeUInt16LE(file.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(twice ? 2 : 1, 10);
  end.writeUInt16LE(comment.length, 20);
  end.writeUInt32LE(local.length + file.length + packed.length, 16);
  const entries = twice ? [entry, file, entry, file] : [entry, file];
  return Buffer.concat([local, file, packed, ...entries, end, Buffer.from(comment)]);
}

const plain = npy('<f8', [2, 2], bytesOf(flat, Float64Array));
test('.npz is read: stored and deflated', async () => {
  const archives = [
    zip('q.npy', plain),
    zip('q.npy', plain, { method: 8, packed: deflateRawSync(plain) }),
    zip('q.npy', plain, {
      comment: 'by hand, with what looks like an end: PK\x05\x06' + '\0'.repeat(40),
    }),
  ];
  for (const bytes of archives) {
    const { tensors } = await readFile(fileOf('call.npz', bytes));
    assert.deepEqual(rowsOf(tensors.get('q')), square);
  }
});

/** An archive whose end says that its entries begin beyond what 32 bits reach. */
function beyond(archive) {
  archive.writeUInt32LE(0xffffffff, archive.length - 6);
  return archive;
}

/** .npy with a header as it is written here. */
function npyOf(header, data, length = header.length) {
  const start = Buffer.from('\x93NUMPY\x01\0\0\0', 'latin1');
  start.writeUInt16LE(length, 8);
  return Buffer.concat([start, Buffer.from(header), data]);
}
const headerOf = (descr, shape) =>
  `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }\n`;
/** .safetensors with a header as it is written here. */
function safe(header, data = Buffer.alloc(0), length = header.length) {
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(BigInt(length));
  return Buffer.concat([start, Buffer.from(header), data]);
}
const entryOf = (fields) =>
  JSON.stringify({ q: { dtype: 'F32', shape: [2], data_offsets: [0, 8], ...fields } });

test('files are read: an axis of length 0, no axis, five, truth values, a column of a single one', async () => {
  for (const [shape, numbers] of [
    [[0, 4], []],
    [[1, 1, 1, 2, 2], flat],
  ]) {
    const tensor = one(
      await readFile(fileOf('q.npy', npy('<f8', shape, bytesOf(numbers, Float64Array)))),
    );
    assert.deepEqual([tensor.shape, [...tensor.data]], [shape, numbers]);
  }
  const single = npyOf(headerOf("'<f8'", '()'), bytesOf([3], Float64Array));
  assert.deepEqual(one(await readFile(fileOf('q.npy', single))).shape, []);
  const bools = npy('|b1', [2, 2], Buffer.from([1, 0, 0, 1]), true);
  assert.deepEqual(rowsOf(one(await readFile(fileOf('mask.npy', bools)))), [
    [1, 0],
    [0, 1],
  ]);
});

const name = 'a.npy';
const deflated = zip('q.npy', plain, { method: 8, packed: deflateRawSync(plain).subarray(0, 40) });
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

const broken = [
  ['empty', {}, 'a.npy', Buffer.alloc(0)],
  ['empty', {}, 'a.csv', Buffer.alloc(0)],
  ['unknownFile', { name: 'a.png' }, 'a.png', Buffer.from('\x89PNG')],
  ['cutFile', { name }, name, plain.subarray(0, 7)],
  ['cutHeader', { name }, name, plain.subarray(0, 40)],
  [
    'data',
    { name, found: '31', count: '4', bytes: '8', shape: '2×2' },
    name,
    plain.subarray(0, -1),
  ],
  [
    'data',
    { name, found: '32', count: '6', bytes: '8', shape: '3×2' },
    name,
    npy('<f8', [3, 2], bytesOf(flat, Float64Array)),
  ],
  ['dtype', { name, kind: 'c16' }, name, npy('<c16', [1, 1], Buffer.alloc(16))],
  ['dtype', { name, kind: 'O' }, name, npy('|O', [1, 1], Buffer.alloc(8))],
  ['dtype', { name, kind: 'U3' }, name, npy('<U3', [1, 1], Buffer.alloc(12))],
  [
    'whole',
    { name, value: '9007199254740993' },
    name,
    npy('<i8', [1, 1], bytesOf([9007199254740993n], BigInt64Array)),
  ],
  [
    'cutHeader',
    { name: 'a.safetensors' },
    'a.safetensors',
    Buffer.from('\xff\xff\xff\xff\xff\xff\xff\x7f{}', 'latin1'),
  ],
  [
    'damaged',
    { name: 'a.safetensors' },
    'a.safetensors',
    Buffer.from('\x02\0\0\0\0\0\0\0{x', 'latin1'),
  ],
  [
    'damaged',
    { name: 'a.safetensors' },
    'a.safetensors',
    Buffer.from('\x09\0\0\0\0\0\0\0{"q": {}}', 'latin1'),
  ],
  ['noTensor', {}, 'a.safetensors', Buffer.from('\x02\0\0\0\0\0\0\0{}', 'latin1')],
  [
    'dtype',
    { name: 'a.safetensors: q', kind: 'F8_E5M2' },
    'a.safetensors',
    safetensors({ q: { dtype: 'F8_E5M2', shape: [1], data: Buffer.alloc(1) } }),
  ],
  // A header that is not as long as it says.
  ['cutHeader', { name }, name, npyOf(headerOf("'<f8'", '(1,)'), Buffer.alloc(8), 20)],
  [
    'data',
    { name, found: '0', count: '1', bytes: '8', shape: '1' },
    name,
    npyOf(headerOf("'<f8'", '(1,)'), Buffer.alloc(8), 60_000),
  ],
  // More elements than there is memory, and than whole numbers reach.
  [
    'data',
    {
      name,
      found: '32',
      count: '18446744073709552000',
      bytes: '8',
      shape: '4294967296×4294967296',
    },
    name,
    npy('<f8', [2 ** 32, 2 ** 32], Buffer.alloc(32)),
  ],
  [
    'dtype',
    { name, kind: "[('x', '<f4'), ('y', '<f4', (2,))]" },
    name,
    npyOf(headerOf("[('x', '<f4'), ('y', '<f4', (2,))]", '(1,)'), Buffer.alloc(12)),
  ],
  ['dtype', { name, kind: '<M8[ns]' }, name, npyOf(headerOf("'<M8[ns]'", '(1,)'), Buffer.alloc(8))],
  [
    'dtype',
    { name: 'a.safetensors: q', kind: 'toString' },
    'a.safetensors',
    safe(entryOf({ dtype: 'toString' }), Buffer.alloc(8)),
  ],
  [
    'data',
    { name: 'a.safetensors: q', found: '4', count: '2', bytes: '4', shape: '2' },
    'a.safetensors',
    safe(entryOf({}), Buffer.alloc(4)),
  ],
  [
    'damaged',
    { name: 'a.safetensors: q' },
    'a.safetensors',
    safe(entryOf({ shape: [-2] }), Buffer.alloc(8)),
  ],
  [
    'damaged',
    { name: 'a.safetensors: q' },
    'a.safetensors',
    safe(entryOf({ shape: [1.5] }), Buffer.alloc(8)),
  ],
  ['damaged', { name: 'a.safetensors' }, 'a.safetensors', safe('{"q": null}')],
  [
    'cutHeader',
    { name: 'a.safetensors' },
    'a.safetensors',
    safe(entryOf({}), Buffer.alloc(0), 2n ** 60n),
  ],
  [
    'twoNames',
    { entry: 'q' },
    'a.safetensors',
    safe(`${entryOf({}).slice(0, -1)},${entryOf({}).slice(1)}`, Buffer.alloc(8)),
  ],
  ['twoNames', { entry: 'q' }, 'a.npz', zip('q.npy', plain, { twice: true })],
  ['encrypted', { name: 'a.npz', entry: 'q' }, 'a.npz', zip('q.npy', plain, { flags: 1 })],
  ['cutHeader', { name: 'a.npz: q' }, 'a.npz', zip('q.npy', Buffer.from('no NumPy array at all'))],
  ['cutFile', { name: 'a.npz' }, 'a.npz', zip('q.npy', plain).subarray(0, 100)],
  ['zip64', { name: 'a.npz' }, 'a.npz', beyond(zip('q.npy', plain))],
  ['notText', {}, 'a.csv', plain],
  ['notText', {}, 'a.csv', Buffer.from('1\t2', 'utf16le')], // without its mark
  ['comma', { text: '1,5', place: '[1, 1]' }, 'a.csv', Buffer.from('\ufeff1,5\n2,5', 'utf16le')],
  ['cutFile', { name: 'a.npz' }, 'a.npz', zip('q.npy', plain).subarray(0, -1)],
  [
    'packed',
    { name: 'a.npz', entry: 'q', method: '14' },
    'a.npz',
    zip('q.npy', plain, { method: 14 }),
  ],
  ['damaged', { name: 'a.npz' }, 'a.npz', deflated],
  [
    'damagedEntry',
    {
      name: 'a.npz',
      entry: 'q',
      found: crc32(plain).toString(16).padStart(8, '0'),
      sum: '00000abc',
    },
    'a.npz',
    zip('q.npy', plain, { sum: 0xabc }),
  ],
  ['noNpy', { name: 'a.npz' }, 'a.npz', zip('data.pkl', plain)],
  [
    'cutEntry',
    { name: 'a.npz', entry: 'q' },
    'a.npz',
    zip('q.npy', Buffer.concat([plain, plain]), { packed: plain }),
  ],
];
for (const [word, values, file, bytes] of broken) {
  test(`a file is refused as ${word}: ${file}, ${JSON.stringify(values)}`, async () => {
    await assert.rejects(readFile(fileOf(file, bytes)), (error) => assertSaid(error, word, values));
  });
}
