// The tests of the page's checks as programs: an implementation of one's own, or the library, on the
// same numbers.
import type { Matrix } from '../state/case.js';
import type { Programs } from './exhibit.js';
import { type Notation, notations, rows } from './literal.js';
import { softmaxes } from './softmax.js';

export interface Tests {
  /** B, H, T, S, d_k, d_v. */
  sizes: readonly [number, number, number, number, number, number];
  /** All rows of all heads one below the other, as are those of the outputs. */
  inputs: Readonly<Record<'query' | 'key' | 'value', Matrix>>;
  /** A row for each sequence. */
  blocked: readonly (readonly boolean[])[];
  outputs: Readonly<Record<'plain' | 'padded', Matrix>>;
  /** What another program made of one head, of which the first keys are real. */
  recorded: Readonly<Record<'query' | 'key' | 'value' | 'output', Matrix>> & {
    program: string;
    real: number;
  };
}

const title =
  'Tests of an attention, with the numbers of a figure; fails where one of them does not hold.';
const remarks = {
  plain: 'other lengths and widths than one might expect, so that nothing agrees by chance',
  padded: 'the last keys of sequence 1 are padding, and all of sequence 2',
};
const listed = (sizes: readonly number[]) => sizes.join(', ');

/** Every matrix under its name, as `write` declares it. */
const matricesOf = (
  { inputs, outputs, recorded }: Tests,
  notation: Notation,
  write: (name: string, text: string) => string,
) =>
  Object.entries({
    ...inputs,
    ...{ expected_plain: outputs.plain, expected_padded: outputs.padded },
    ...{ few: recorded.query, many: recorded.key, values: recorded.value },
    recorded: recorded.output,
  })
    .map(([name, matrix]) => write(name, rows(matrix, notation)))
    .join('\n');

const official = `
# where true lets through: the mask is the other way round
sdpa = getattr(xp.nn.functional, 'scaled_dot_product_attention', None)
if sdpa:
    one = sdpa(query[:1], key[:1], value[:1], attn_mask=~blocked[:1, None, None])
    check('the same as scaled_dot_product_attention', near(padded[:1], one))`;

const python = (of: Tests, library: 'np' | 'torch') => {
  const [B, H, T, S, DK, DV] = of.sizes;
  return `# ${title}
import ${library === 'np' ? 'numpy' : 'torch'} as xp


${softmaxes[library]}


def attend(query, key, value, blocked):
    scores = query @ key.swapaxes(-2, -1) * query.shape[-1] ** -0.5
    # [B, S] with the axes of heads and queries
    weights = softmax(scores, ~blocked[:, None, None])
    return weights @ value, weights


def near(found, expected):
    return (abs(found - expected) <= 1e-6 + 1e-5 * abs(expected)).all()


def check(name, holds):
    assert holds, name
    print(name)


${matricesOf(of, notations.python, (name, text) => `${name} = array(${text})`)}
query = query.reshape(${B}, ${H}, ${T}, ${DK})
key = key.reshape(${B}, ${H}, ${S}, ${DK})
value = value.reshape(${B}, ${H}, ${S}, ${DV})
blocked = array(${rows(of.blocked, notations.python)}) == 1

# ${remarks.plain}
plain, weights = attend(query, key, value, blocked & ~blocked)
check('the shapes', tuple(plain.shape) == (${listed([B, H, T, DV])}) and tuple(weights.shape) == (${listed([B, H, T, S])}))
check('every row sums to 1', (abs(weights.sum(-1) - 1) <= 1e-5).all())
check('the output', near(plain.reshape(-1, ${DV}), expected_plain))

# ${remarks.padded}
padded, weights = attend(query, key, value, blocked)
check('nothing is NaN or infinite', xp.isfinite(padded).all() and xp.isfinite(weights).all())
check('the second output is 0', (padded[1] == 0).all())
check('padding has no weight', (weights[0][..., blocked[0]] == 0).all())
check('the output with padding', near(padded.reshape(-1, ${DV}), expected_padded))
${library === 'torch' ? official : ''}
# ${of.recorded.program}, recorded
found, _ = attend(few[None], many[None], values[None], xp.arange(len(many))[None] >= ${of.recorded.real})
check('the same as was recorded', near(found[0, 0], recorded))
`;
};

const javascript = (of: Tests) => {
  const [B, H, T, S, DK, DV] = of.sizes;
  return `// ${title}
import { load } from 'attention-wasm';

const attention = await load({ threads: 1 });
const tensor = (shape, rows) => ({ shape, data: Float32Array.from(rows.flat()) });
const attend = (q, k, v, mask) => attention.scaledDotProductAttention(q, k, v, { mask, returns: ['weights'] });
const near = ({ data }, rows) =>
  rows.flat().every((x, at) => Math.abs(data[at] - x) <= 1e-6 + 1e-5 * Math.abs(x));
function check(name, holds) {
  if (!holds) throw new Error(name);
  console.log(name);
}

${matricesOf(of, notations.javascript, (name, text) => `const ${name} = ${text};`)}
const blocked = ${rows(of.blocked, notations.javascript)};
const inputs = [
  tensor([${listed([B, H, T, DK])}], query),
  tensor([${listed([B, H, S, DK])}], key),
  tensor([${listed([B, H, S, DV])}], value),
];

// ${remarks.plain}
const plain = attend(...inputs);
const shapes = [plain.output.shape, plain.weights.shape].join(' and ');
check('the shapes', shapes === '${[B, H, T, DV].join(',')} and ${[B, H, T, S].join(',')}');
const sums = Array.from({ length: ${B * H * T} }, (_, row) =>
  plain.weights.data.subarray(row * ${S}, (row + 1) * ${S}).reduce((a, b) => a + b),
);
check('every row sums to 1', sums.every((sum) => Math.abs(sum - 1) <= 1e-5));
check('the output', near(plain.output, expected_plain));

// ${remarks.padded}
const { output, weights } = attend(...inputs, { kind: 'padding', blocked });
const isZero = (x) => x === 0;
check('nothing is NaN or infinite', [...output.data, ...weights.data].every(Number.isFinite));
check('the second output is 0', output.data.slice(output.data.length / 2).every(isZero));
const ofPadding = weights.data.filter((_, at) => blocked[Math.floor(at / ${H * T * S})][at % ${S}]);
check('padding has no weight', ofPadding.every(isZero));
check('the output with padding', near(output, expected_padded));

// ${of.recorded.program}, recorded
const one = [few, many, values].map((rows) => tensor([rows.length, rows[0].length], rows));
const found = attend(...one, { kind: 'lengths', keys: [${of.recorded.real}] });
check('the same as was recorded', near(found.output, recorded));
attention.dispose();
`;
};

const cpp = (of: Tests) => {
  const [, H, T, S] = of.sizes;
  return `// ${title}
// g++ -std=c++20 this.cpp
#undef NDEBUG
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

using Matrix = std::vector<std::vector<double>>;
using Mask = std::vector<std::vector<bool>>;

struct Attended {
  Matrix output, weights;
};

/// Heads one below the other, \`queries\` and \`keys\` rows each; blocked: a row for each sequence.
Attended attend(const Matrix& query, const Matrix& key, const Matrix& value, int queries, int keys,
                int heads, const Mask& blocked) {
  Attended result;
  for (int row = 0; row < int(query.size()); ++row) {
    const int head = row / queries;
    std::vector<double> weights(keys, -HUGE_VAL), output(value[0].size());
    for (int j = 0; j < keys; ++j) {
      if (blocked[head / heads][j]) continue;
      weights[j] = 0;
      for (std::size_t l = 0; l < query[row].size(); ++l)
        weights[j] += query[row][l] * key[head * keys + j][l] / std::sqrt(query[row].size());
    }
    const double most = *std::max_element(weights.begin(), weights.end());
    double total = 0;
    for (double& x : weights) total += x = x == -HUGE_VAL ? 0 : std::exp(x - most);
    for (int j = 0; j < keys; ++j) {
      weights[j] /= total == 0 ? 1 : total;
      for (std::size_t c = 0; c < output.size(); ++c)
        output[c] += weights[j] * value[head * keys + j][c];
    }
    result.weights.push_back(weights);
    result.output.push_back(output);
  }
  return result;
}

bool near(const Matrix& found, const Matrix& expected) {
  bool is = found.size() == expected.size();
  for (std::size_t i = 0; is && i < found.size(); ++i) {
    is = found[i].size() == expected[i].size();
    for (std::size_t c = 0; is && c < found[i].size(); ++c)
      is = std::abs(found[i][c] - expected[i][c]) <= 1e-6 + 1e-5 * std::abs(expected[i][c]);
  }
  return is;
}

void check(const char* name, bool holds) {
  std::puts(name);
  assert(holds);
}

int main() {
${matricesOf(of, notations.cpp, (name, text) => `const Matrix ${name} = ${text};`)}
const Mask blocked = ${rows(of.blocked, notations.cpp)};

// ${remarks.plain}
const Mask none(blocked.size(), std::vector<bool>(${S}));
const Attended plain = attend(query, key, value, ${T}, ${S}, ${H}, none);
for (const auto& row : plain.weights) {
  double sum = 0;
  for (const double x : row) sum += x;
  check("a row sums to 1", row.size() == ${S} && std::abs(sum - 1) <= 1e-5);
}
check("the output", near(plain.output, expected_plain));

// ${remarks.padded}
const Attended padded = attend(query, key, value, ${T}, ${S}, ${H}, blocked);
for (int row = 0; row < int(padded.output.size()); ++row) {
  const int sequence = row / ${H * T};
  for (int j = 0; j < ${S}; ++j) {
    const double x = padded.weights[row][j];
    check("a weight is finite, and 0 for padding", std::isfinite(x) && (!blocked[sequence][j] || x == 0));
  }
  for (const double x : padded.output[row])
    check("an output is finite, and 0 in sequence 2", std::isfinite(x) && (sequence == 0 || x == 0));
}
check("the output with padding", near(padded.output, expected_padded));

// ${of.recorded.program}, recorded
const int length = int(many.size());
Mask beyond(1, std::vector<bool>(length));
for (int j = ${of.recorded.real}; j < length; ++j) beyond[0][j] = true;
check("the same as was recorded",
      near(attend(few, many, values, int(few.size()), length, 1, beyond).output, recorded));
}
`;
};

export const checksPrograms = (of: Tests): Programs => ({
  PyTorch: python(of, 'torch'),
  NumPy: python(of, 'np'),
  JavaScript: javascript(of),
  'C++': cpp(of),
});
