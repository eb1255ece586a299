// The files that NumPy and PyTorch write, made here to be read back.
export const bytesOf = (numbers, Type) => Buffer.from(Type.from(numbers).buffer);
export function npy(descr, shape, data, isFortran = false) {
  const text = `{'descr': '${descr}', 'fortran_order': ${isFortran ? 'True' : 'False'}, 'shape': (${shape.join(', ')},), }`;
  const header = Buffer.from(`${text}${' '.repeat(63 - ((10 + text.length) % 64))}\n`);
  const start = Buffer.from([
    0x93,
    ...Buffer.from('NUMPY'),
    1,
    0,
    header.length & 255,
    header.length >> 8,
  ]);
  return Buffer.concat([start, header, data]);
}
export function safetensors(tensors) {
  let at = 0;
  const table = {};
  for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
    table[name] = { dtype, shape, data_offsets: [at, (at += data.length)] };
  }
  const header = Buffer.from(JSON.stringify(table));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...Object.values(tensors).map(({ data }) => data)]);
}
