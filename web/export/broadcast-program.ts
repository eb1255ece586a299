// The shapes of the broadcast figure as programs: a padding mask [B, S] beside scores [B, H, T, S].
import type { Programs } from './exhibit.js';
import { notations, rows } from './literal.js';

export interface Broadcast {
  batch: number;
  heads: number;
  queries: number;
  keys: number;
  /** True where a key is padding, [B, S]. */
  padding: readonly (readonly boolean[])[];
  /** The library's error code on the bare mask; undefined where it takes it. */
  refusal: string | undefined;
}

/** Whether the bare mask can be stretched to the scores: its first axis then meets the queries. */
const fits = ({ batch, queries }: Broadcast) => batch === queries || batch === 1;

/** Whose padding each query of each sequence gets, [B, T]. */
const givenTo = ({ batch, queries }: Broadcast) =>
  Array.from({ length: batch }, () =>
    Array.from({ length: queries }, (_, i) => (batch === 1 ? 0 : i)),
  );
const wrongRows = (of: Broadcast) =>
  givenTo(of).reduce((count, row, b) => count + row.filter((sequence) => sequence !== b).length, 0);

const title =
  'A padding mask [B, S] broadcast to scores [B, H, T, S]; fails where a figure says otherwise.';
const sizes = ({ batch, heads, queries, keys }: Broadcast) =>
  [batch, heads, queries, keys].join(', ');
const remarks = {
  padding: 'true: padding, which no query may read',
  bare: 'as it is: axes are matched from the right, so its first one meets the queries',
  refused: 'as it is: its first axis meets the queries, which are not as many',
  grows: 'added or chosen from, one query silently becomes as many as there are sequences',
  given: 'the sequence whose padding each query of each sequence gets',
  cured: 'with its axes said, each sequence has its own padding',
};

function python(of: Broadcast, module: string, word: Record<'array' | 'refusal', string>) {
  const { batch, queries } = of;
  const library = module.split(' ').at(-1);
  const table = (cells: readonly (readonly (number | boolean)[])[]) =>
    rows(cells, notations.python);
  const bare = fits(of)
    ? `# ${remarks.bare}
bare = ${library}.broadcast_to(padding, scores.shape)
# ${remarks.given}
sequence = ${library}.arange(batch).reshape(batch, 1)
given = ${library}.broadcast_to(sequence, (batch, heads, queries, 1))[:, 0, :, 0]
assert given.tolist() == ${table(givenTo(of))}
assert int((given != sequence).sum()) == ${wrongRows(of)}
for b in range(batch):
    for t in range(queries):
        assert (bare[b, :, t] == padding[given[b, t]]).all()`
    : `# ${remarks.refused}
try:
    ${library}.broadcast_to(padding, scores.shape)
except ${word.refusal}:
    pass
else:
    raise AssertionError('the bare mask fits')${
      queries === 1
        ? `\n# ${remarks.grows}\nassert tuple((scores + padding).shape) == (batch, heads, ${batch}, keys)`
        : ''
    }`;
  return `# ${title}
import ${module}

batch, heads, queries, keys = ${sizes(of)}
scores = ${library}.zeros((batch, heads, queries, keys))
# ${remarks.padding}
padding = ${library}.${word.array}(${table(of.padding)})
assert padding.shape == (batch, keys)

${bare}

# ${remarks.cured}
cured = ${library}.broadcast_to(padding[:, None, None, :], scores.shape)
for b in range(batch):
    assert (cured[b] == padding[b]).all()
print(tuple(padding.shape), tuple(cured.shape))
`;
}

const javascript = (of: Broadcast) => `// ${title}
import { load, tensor } from 'attention-wasm';

const [batch, heads, queries, keys] = [${sizes(of)}];
// ${remarks.padding}
const padding = ${rows(of.padding, notations.javascript)};
function assertSame(name, found, expected) {
  if (found !== expected) throw new Error(name + ': ' + found + ' instead of ' + expected);
}

const attention = await load({ threads: 1 });
const zeros = (length) => {
  const shape = [batch, heads, length, 2];
  return { shape, data: new Float32Array(batch * heads * length * 2) };
};
const [query, key] = [zeros(queries), zeros(keys)];
function refusalOf(mask) {
  try {
    attention.explain(query, key, key, { mask });
    return undefined;
  } catch (error) {
    return error.code;
  }
}
// as it is, the library ${of.refusal === undefined ? 'takes it: there is one sequence' : 'asks what its axes are'}
assertSame('bare', refusalOf({ kind: 'blocked', mask: tensor(padding) }), ${of.refusal ? `'${of.refusal}'` : 'undefined'});

// ${remarks.cured}
const rule = { kind: 'padding', blocked: tensor(padding) };
assertSame('padding', refusalOf(rule), undefined);
const mask = attention.mask(rule, { batch, heads, queries, keys });
for (let b = 0; b < batch; ++b)
  for (let h = 0; h < heads; ++h)
    for (let t = 0; t < queries; ++t)
      for (let s = 0; s < keys; ++s)
        assertSame([b, h, t, s].join(), mask.cause(b, h, t, s).length > 0, padding[b][s]);
console.log(JSON.stringify(mask.toDense().shape));
mask.dispose();
attention.dispose();
`;

const cpp = (of: Broadcast) => `// ${title}
// g++ -std=c++20 this.cpp
#undef NDEBUG
#include <array>
#include <cassert>
#include <cstdio>

constexpr int batch = ${of.batch}, heads = ${of.heads}, queries = ${of.queries}, keys = ${of.keys};
// ${remarks.padding}
constexpr bool padding[batch][keys] = ${rows(of.padding, notations.cpp)};

/// Broadcasting is strides: along an axis that is not there, or of length 1, nothing moves.
using Strides = std::array<int, 4>;
bool at(Strides strides, int b, int h, int t, int s) {
  return (&padding[0][0])[b * strides[0] + h * strides[1] + t * strides[2] + s * strides[3]];
}

int main() {
${
  fits(of)
    ? `  // ${remarks.bare}
  constexpr Strides bare = {0, 0, batch == 1 ? 0 : keys, 1};
  // ${remarks.given}
  constexpr int given[batch][queries] = ${rows(givenTo(of), notations.cpp)};
  int wrong = 0;
  for (int b = 0; b < batch; ++b)
    for (int t = 0; t < queries; ++t) {
      wrong += given[b][t] != b;
      for (int h = 0; h < heads; ++h)
        for (int s = 0; s < keys; ++s) assert(at(bare, b, h, t, s) == padding[given[b][t]][s]);
    }
  assert(wrong == ${wrongRows(of)});`
    : `  // ${remarks.refused}
  static_assert(batch != queries && batch != 1);`
}
  // ${remarks.cured}
  constexpr Strides cured = {keys, 0, 0, 1};
  for (int b = 0; b < batch; ++b)
    for (int h = 0; h < heads; ++h)
      for (int t = 0; t < queries; ++t)
        for (int s = 0; s < keys; ++s) assert(at(cured, b, h, t, s) == padding[b][s]);
  std::puts("agrees");
}
`;

export const broadcastPrograms = (of: Broadcast): Programs => ({
  PyTorch: python(of, 'torch', { array: 'tensor', refusal: 'RuntimeError' }),
  NumPy: python(of, 'numpy as np', { array: 'array', refusal: 'ValueError' }),
  JavaScript: javascript(of),
  'C++': cpp(of),
});
