// How fast an engine multiplies matrices at best: a WebAssembly module, put together here, that does
// nothing but the innermost loop of a matrix product on operands in the first cache. Each step loads 2
// vectors and 6 single numbers for 12 multiply-adds, as src/core/tile.h does.

const rows = 6;
const vectors = 2;
const depth = 64;
const turns = 2000;

const each = (count, code) => Array.from({ length: count }, (_, n) => code(n)).flat();

/** A whole number as the binary format has it: LEB128, signed. */
function signed(value) {
  const bytes = [];
  for (; value < -64 || value > 63; value >>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value & 127];
}

/** The same, unsigned. */
function unsigned(value) {
  const bytes = [];
  for (; value > 127; value >>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value];
}

const get = (local) => [0x20, local];
const set = (local) => [0x21, local];
const constant = (value) => [0x41, ...signed(value)];
const access = (code, offset) => [0xfd, code, 2, ...unsigned(offset)]; // aligned to 4 bytes
const load = (offset) => access(0x00, offset);
const loadSplat = (offset) => access(0x09, offset);
const store = (offset) => access(0x0b, offset);
const increase = (local, by) => [...get(local), ...constant(by), 0x6a, ...set(local)];
/** do … while (−−local) */
const loop = (local, body) => {
  const again = [...increase(local, -1), ...get(local), 0x0d, 0];
  return [0x03, 0x40, ...body, ...again, 0x0b];
};
const multiplyAdd = (relaxed, a, b, c) =>
  relaxed
    ? [...get(a), ...get(b), ...get(c), 0xfd, 0x85, 0x02]
    : [...get(a), ...get(b), 0xfd, 0xe6, 0x01, ...get(c), 0xfd, 0xe4, 0x01];

/** A module that exports run(turns). */
function moduleBytes(relaxed) {
  const [turn, vectorAt, numberAt, step, number] = [0, 1, 2, 3, 4];
  const vector = (v) => 5 + v;
  const sum = (row, v) => 5 + vectors + row * vectors + v;
  const inner = [
    ...each(vectors, (v) => [...get(vectorAt), ...load(16 * v), ...set(vector(v))]),
    ...each(rows, (row) => [
      ...[...get(numberAt), ...loadSplat(4 * row), ...set(number)],
      ...each(vectors, (v) => [
        ...multiplyAdd(relaxed, number, vector(v), sum(row, v)),
        ...set(sum(row, v)),
      ]),
    ]),
    ...increase(vectorAt, 16 * vectors),
    ...increase(numberAt, 4 * rows),
  ];
  const outer = [
    ...[...constant(0), ...set(vectorAt), ...constant(1 << 14), ...set(numberAt)],
    ...[...constant(depth), ...set(step), ...loop(step, inner)],
    // Stored, so that no engine may leave it out.
    ...each(rows, (row) =>
      each(vectors, (v) => [
        ...[...constant(1 << 15), ...get(sum(row, v)), ...store(16 * (row * vectors + v))],
      ]),
    ),
  ];
  const [i32, v128] = [0x7f, 0x7b];
  const locals = [2, 3, i32, 1 + vectors + rows * vectors, v128];
  const body = [...locals, ...loop(turn, outer), 0x0b];
  const section = (id, content) => [id, ...unsigned(content.length), ...content];
  const name = [...new TextEncoder().encode('run')];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, i32, 0]), // a function from an i32 to nothing
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]), // one page of memory
    ...section(7, [1, name.length, ...name, 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

/** One contestant for each kind of SIMD that the engine has; it takes no part in any case's work. */
export function limits() {
  return ['relaxed', 'baseline'].flatMap((simd) => {
    const bytes = moduleBytes(simd === 'relaxed');
    if (!WebAssembly.validate(bytes)) return [];
    const { run } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
    const operations = 2 * turns * depth * rows * vectors * 4;
    return [
      { name: `limit, ${simd}`, simd, group: 'limit', operations, prepare: () => () => run(turns) },
    ];
  });
}
