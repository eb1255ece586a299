// Tensors from files. tests/vectors/files was written by NumPy 1.24; the safetensors files are made
// here, from the format's description.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { AttentionError, toNested } from 'attention-wasm';
import { readTensors } from 'attention-wasm/files';

const file = (name) => readFileSync(new URL(`../vectors/files/${name}`, import.meta.url));
const kinds = await readTensors(file('kinds.npz'), 'kinds.npz');
const whole = [0, 1, 2, 3, 4, 5];

/** What is in kinds.npz: the dtype and the elements of each array, 2×3 if nothing else is said. */
const expected = {
  f8: ['float64', whole.map((x) => x / 4 - 0.5)],
  f4: ['float32', whole.map((x) => x / 4 - 0.5)],
  f2: ['float16', whole.map((x) => x / 4 - 0.5)],
  b1: ['bool', whole.map((x) => x % 2 === 1)],
  ...Object.fromEntries(
    ['i8', 'i4', 'i2', 'i1'].map((k) => [k, ['float64', whole.map((x) => x - 3)]]),
  ),
  ...Object.fromEntries(['u8', 'u4', 'u2', 'u1'].map((k) => [k, ['float64', whole]])),
  big_f4: ['float32', whole.map((x) => x / 4 - 0.5)],
  big_i8: ['float64', whole.map((x) => x - 3)],
  fortran: ['float64', whole.map((x) => x / 4 - 0.5)],
  scalar: ['float64', 7.5, []],
  empty: ['float32', [], [0, 3]],
};

test('.npz: every array, whatever its elements and their order', () => {
  assert.deepEqual([...kinds.keys()].sort(), Object.keys(expected).sort());
  for (const [name, [dtype, elements, shape = [2, 3]]] of Object.entries(expected)) {
    const tensor = kinds.get(name);
    assert.equal(tensor.dtype, dtype, name);
    assert.deepEqual(tensor.shape, shape, name);
    const nested = toNested(tensor);
    assert.deepEqual(Array.isArray(nested) ? nested.flat() : nested, elements, name);
  }
});

test('.npz, compressed', async () => {
  const tensors = await readTensors(file('six-step.npz'));
  const example = new URL('../../web/examples/six-step.json', import.meta.url);
  const { inputs } = JSON.parse(readFileSync(example));
  for (const [name, nested] of Object.entries(inputs)) {
    assert.deepEqual(toNested(tensors.get(name)), nested);
  }
});

test('.npy: one tensor, called by the name of the file', async () => {
  const bytes = file('query.npy');
  const named = await readTensors(new Uint8Array(bytes), 'some/folder/q.npy');
  assert.deepEqual([...named.keys()], ['q']);
  assert.equal(named.get('q').dtype, 'float32');
  assert.deepEqual(named.get('q').data.slice(0, 3), new Float32Array([0.11, 0.77, 0.08]));
  const within = new Uint8Array(bytes.length + 3);
  within.set(bytes, 3);
  assert.deepEqual(await readTensors(within.subarray(3), 'q.npy'), named);
});

/** A safetensors file of { name: [dtype, shape, typed array] }. */
function safetensors(tensors) {
  let end = 0;
  const table = { __metadata__: { format: 'pt' } };
  const parts = Object.entries(tensors).map(([name, [dtype, shape, array]]) => {
    const begin = end;
    end += array.byteLength;
    table[name] = { dtype, shape, data_offsets: [begin, end] };
    return Buffer.from(array.buffer);
  });
  const header = Buffer.from(JSON.stringify(table));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...parts]);
}

test('.safetensors', async () => {
  const bytes = safetensors({
    mask: ['BOOL', [3], new Uint8Array([1, 0, 1])],
    'layer.0.q': ['F32', [1, 2], new Float32Array([0.5, -2])], // at no multiple of four bytes
    half: ['F16', [1], new Uint16Array([0x3c00])],
    brain: ['BF16', [1], new Uint16Array([0xc000])],
    double: ['F64', [1], new Float64Array([0.1])],
    lengths: ['I64', [2], new BigInt64Array([7n, -7n])],
  });
  const tensors = await readTensors(bytes, 'x.safetensors');
  const found = [...tensors].map(([name, tensor]) => [name, tensor.dtype, toNested(tensor)]);
  assert.deepEqual(found, [
    ['mask', 'bool', [true, false, true]],
    ['layer.0.q', 'float32', [[0.5, -2]]],
    ['half', 'float16', [1]],
    ['brain', 'bfloat16', [-2]],
    ['double', 'float64', [0.1]],
    ['lengths', 'float64', [7, -7]],
  ]);
});

/** Names that mean something in a header, in JavaScript or in JSON. */
const oddNames = ['data_offsets', 'shape', 'dtype', '__proto__', 'constructor', '__metadata__2'];
oddNames.push('a"b', 'a\\', '{', 'toString', '');

/** A safetensors file whose table is made of these entries, with one float32, 1.5, each. */
function entriesOf(names) {
  const entry = (at) => ({ dtype: 'F32', shape: [1], data_offsets: [4 * at, 4 * at + 4] });
  const written = names.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(entry(at))}`);
  const about = '"__metadata__":{"data_offsets":"{\\"q\\":1}"}';
  const header = Buffer.from(`{${[about, ...written].join(', ')}}`);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.from(Float32Array.from(names, () => 1.5).buffer)]);
}

test('.safetensors: a tensor may have any name, once', async () => {
  const tensors = await readTensors(entriesOf(oddNames), 'odd.safetensors');
  assert.deepEqual([...tensors.keys()], oddNames);
  for (const tensor of tensors.values()) assert.deepEqual(toNested(tensor), [1.5]);
  for (const name of oddNames) {
    await assert.rejects(
      readTensors(entriesOf([...oddNames, name]), 'odd.safetensors'),
      ({ code, message }) => {
        const said = `has the name ${name} twice; save each tensor under a name of its own`;
        return code === 'file' && message === `odd.safetensors ${said}`;
      },
    );
  }
  // The same name, written in two ways.
  const escaped = entriesOf(['q', 'x']).toString('latin1').replace('"x"', '"\\u0071"');
  const bytes = Buffer.from(escaped, 'latin1');
  bytes.writeBigUInt64LE(BigInt(bytes.length - 16));
  await assert.rejects(readTensors(bytes), /has the name q twice/);
});

test('.npz: a tensor may have any name', async () => {
  for (const name of oddNames.filter((each) => each !== '')) {
    const bytes = archive(`${name}.npy`, file('query.npy'));
    assert.deepEqual([...(await readTensors(bytes)).keys()], [name]);
  }
});

/** A zip archive of one file, as it is. */
function archive(name, content) {
  const [entry, sum] = [Buffer.from(name), crc32(content)];
  const about = Buffer.alloc(26);
  [sum, content.length, content.length].forEach((x, at) => about.writeUInt32LE(x, 10 + 4 * at));
  about.writeUInt16LE(entry.length, 22);
  const first = Buffer.concat([Buffer.from('PK\x03\x04'), about, entry, content]);
  const listed = [Buffer.from('PK\x01\x02\0\0'), about, Buffer.alloc(14), entry];
  const list = Buffer.concat(listed);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  [8, 10].forEach((at) => end.writeUInt16LE(1, at));
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(first.length, 16);
  return Buffer.concat([first, list, end]);
}

/** A safetensors file with these tensors of float32 at these bytes. */
function placed(places) {
  const entries = Object.entries(places).map(([name, [from, to]]) => {
    const shape = [(to - from) / 4];
    return [name, { dtype: 'F32', shape, data_offsets: [from, to] }];
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const end = Math.max(...Object.values(places).flat());
  return Buffer.concat([length, header, Buffer.alloc(end)]);
}

test('.safetensors: tensors without elements share a place with others', async () => {
  const bytes = placed({ a: [0, 8], none: [0, 0], b: [8, 16], also: [8, 8] });
  const tensors = await readTensors(bytes, 'some.file');
  assert.deepEqual([...tensors.keys()], ['a', 'none', 'b', 'also']);
});

const npy = file('query.npy');
const altered = (from, to) => Buffer.from(npy.toString('latin1').replace(from, to), 'latin1');
/** A copy with one whole number of the file, little-endian, replaced; from the end where at < 0. */
function withBytes(bytes, at, length, value) {
  const copy = Buffer.from(bytes);
  copy.writeUIntLE(value, at < 0 ? copy.length + at : at, length);
  return copy;
}
/** Where the first entry of the archive's list stands. */
const central = file('six-step.npz').readUInt32LE(file('six-step.npz').length - 6);
const wrong = {
  'another format': [Buffer.from('hello, world'), /neither a \.npy, \.npz nor a \.safetensors/],
  'an empty file': [Buffer.alloc(0), /neither/],
  'a .npy cut off within its elements': [
    npy.subarray(0, -1),
    /47 bytes for 12 elements of 4 bytes/,
    'data',
  ],
  'a .npy cut off within its header': [npy.subarray(0, 30), /header that is cut/],
  'a .npy with a negative shape': [altered('(4, 3), ', '(-4, 3),'), /damaged: its shape is -4×3$/],
  'a .npy cut off at its start': [npy.subarray(0, 7), /some\.file is cut off$/],
  'complex numbers': [
    altered('<f4', '<c8'),
    /elements of type 'c8'; there can be float64/,
    'dtype',
  ],
  'a .npz cut off': [file('six-step.npz').subarray(0, -40), /zip archive that is cut off/],
  'a .npz packed in another way': [
    withBytes(file('six-step.npz'), central + 10, 2, 12),
    /has \w+ packed by method 12; save it with numpy\.savez/,
  ],
  'a .npz whose sizes are beyond 4 GB': [
    withBytes(file('six-step.npz'), central + 24, 4, 0xffffffff),
    /is a zip64 archive/,
  ],
  'a .npz with one byte of an array changed': [
    withBytes(file('kinds.npz'), file('kinds.npz').indexOf('NUMPY') + 130, 1, 7),
    /has \w+ damaged: its CRC-32 is [0-9a-f]{8} and should be [0-9a-f]{8}; copy or save/,
  ],
  'a .npz with more in its list than there is': [
    withBytes(file('six-step.npz'), -12, 2, 60),
    /zip archive that is cut off/,
  ],
  'a zip archive of other files': [
    Buffer.from(file('six-step.npz').toString('latin1').replaceAll('.npy', '.txt'), 'latin1'),
    /without \.npy files; .*safetensors/,
  ],
  'a .safetensors cut off': [
    safetensors({ a: ['F32', [2], new Float32Array(2)] }).subarray(0, -1),
    /a has 7 bytes for 2 elements of 4 bytes/,
    'data',
  ],
  'a .safetensors whose header is cut off': [
    safetensors({ a: ['F32', [2], new Float32Array(2)] }).subarray(0, 20),
    /cut off within its header/,
  ],
  'a .safetensors with two tensors on the same bytes': [
    placed({ a: [0, 8], b: [8, 8], q: [8, 16], k: [12, 20] }),
    /has q and k in the same bytes; save each tensor with bytes of its own/,
  ],
  float8: [safetensors({ a: ['F8_E4M3', [1], new Uint8Array(1)] }), /type 'F8_E4M3'/, 'dtype'],
  'whole numbers too large': [
    safetensors({ a: ['I64', [1], new BigInt64Array([2n ** 53n])] }),
    /a holds the whole number 9007199254740992, which float64 would round/,
    'dtype',
  ],
};

for (const [what, [bytes, message, code = 'file']] of Object.entries(wrong)) {
  test(`${what} is refused`, async () => {
    await assert.rejects(readTensors(bytes, 'some.file'), (error) => {
      assert.ok(error instanceof AttentionError, error.stack);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
  });
}
