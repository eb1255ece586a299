// Files that people bring to the workbench, clean and broken, of every kind that NumPy, PyTorch and
// spreadsheets write.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { assertSaid, one, readFile, rowsOf, square } from './readers.js';
import { bytesOf, npy, safetensors } from './tensor-files.js';

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
    'badShape',
    { name: 'a.safetensors: q', shape: '-2' },
    'a.safetensors',
    safe(entryOf({ shape: [-2] }), Buffer.alloc(8)),
  ],
  [
    'badShape',
    { name: 'a.safetensors: q', shape: '1.5' },
    'a.safetensors',
    safe(entryOf({ shape: [1.5] }), Buffer.alloc(8)),
  ],
  ['damaged', { name: 'a.safetensors' }, 'a.safetensors', safe('{"q": null}')],
  [
    'sameBytes',
    { name: 'a.safetensors', entry: 'q', other: 'k' },
    'a.safetensors',
    safe(
      JSON.stringify({
        q: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
        k: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
      }),
      Buffer.alloc(4),
    ),
  ],
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
