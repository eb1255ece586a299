// The checks of the quiz as programs.
import type { Matrix } from '../state/case.js';
import type { Programs } from './exhibit.js';
import { type Notation, notations, rows } from './literal.js';
import { matrixCpp, softmaxes } from './softmax.js';

/** Three queries; five keys and values, and other values; two more keys; all four wide. */
export type Numbers = Readonly<Record<'query' | 'key' | 'value' | 'other' | 'more', Matrix>>;

const title = 'The checks of the quiz, with numbers of their own; fails where one does not hold.';
const remarks = {
  roles:
    '1. The values have no say in the weights; keys and values shuffled together, none in the output',
  shape: '2. A row for each query, a column for each key, and in each cell a dot product',
  scaling: '3. Mean entropy of 200 draws at d_k = 64, with scaling and without',
  lengths: '4. The output is as long as the queries; a value for each key',
  masks:
    '5. Filler before the text, which only both masks hide, and after it, where causal alone does',
};
const order = '2, 0, 3, 4, 1';

const given = (of: Numbers, notation: Notation, write: (name: string, text: string) => string) =>
  Object.entries(of)
    .map(([name, matrix]) => write(name, rows(matrix, notation)))
    .join('\n');

const libraries = {
  np: {
    name: 'numpy',
    normal: 'draws = xp.random.default_rng(1).standard_normal',
    repeat: 'xp.concatenate',
    refusal: 'ValueError',
  },
  torch: {
    name: 'torch',
    normal: 'xp.manual_seed(1)\ndraws = lambda shape: xp.randn(shape, dtype=xp.float64)',
    repeat: 'xp.cat',
    refusal: 'RuntimeError',
  },
};

function python(of: Numbers, library: keyof typeof libraries): string {
  const { name, normal, repeat, refusal } = libraries[library];
  return `# ${title}
import ${name} as xp


${softmaxes[library]}


def weigh(query, key, allowed=${library === 'np' ? 'True' : 'None'}, scale=None):
    scores = query @ key.swapaxes(-2, -1)
    return softmax(scores * (query.shape[-1] ** -0.5 if scale is None else scale), allowed)


def near(found, expected):
    return abs(found - expected).max() < 1e-12


${given(of, notations.python, (each, text) => `${each} = array(${text})`)}

# ${remarks.roles}
weights = weigh(query, key)
outputs = weights @ value, weights @ other
assert not near(*outputs)
order = [${order}]
mixed = weigh(query, key[order])
assert near(mixed, weights[:, order])
assert near(mixed @ value[order], outputs[0])

# ${remarks.shape}
assert tuple(weights.shape) == (len(query), len(key))
cell = sum(float(a) * float(b) for a, b in zip(query[1], key[3]))
assert near((query @ key.T)[1, 3], cell)

# ${remarks.scaling}
${normal}
many, ones = draws((200, 8, 64)), draws((200, 1, 64))


def entropy(scale):
    shares = weigh(ones, many, scale=scale)
    bits = xp.where(shares > 0, -shares * xp.log2(xp.where(shares > 0, shares, 1)), 0)
    return bits.sum(-1).mean()


assert abs(entropy(None) - 2.49) < 0.07
assert abs(entropy(1.0) - 0.46) < 0.12

# ${remarks.lengths}
longer = ${repeat}([key, more])
for keys in key, longer:
    assert tuple((weigh(query, keys) @ keys).shape) == (3, 4)
try:
    weights @ value[:4]
    raise SystemExit('a value too few was taken')
except ${refusal}:
    pass

# ${remarks.masks}
causal = xp.tril(xp.ones((5, 5))) == 1
at = xp.arange(5)
assert weigh(key, key, causal)[4, :2].sum() > 0
assert weigh(key, key, causal & (at >= 2))[4, :2].sum() == 0
assert near(weigh(key, key, causal)[:3], weigh(key, key, causal & (at < 3))[:3])
print('all hold')
`;
}

const javascript = (of: Numbers) => `// ${title}
import { AttentionError, load, tensor, toNested } from 'attention-wasm';

const attention = await load({ threads: 1 });
function explain(query, key, value, options = {}) {
  const { steps } = attention.explain(...[query, key, value].map((rows) => tensor(rows, 'float64')), options);
  return Object.fromEntries(['scores', 'weights', 'output'].map((name) => [name, toNested(steps[name])]));
}
const near = (a, b) => a.flat().every((x, at) => Math.abs(x - b.flat()[at]) < 1e-12);
function check(name, holds) {
  if (!holds) throw new Error(name);
  console.log(name);
}

${given(of, notations.javascript, (each, text) => `const ${each} = ${text};`)}

// ${remarks.roles}
const first = explain(query, key, value);
const changed = explain(query, key, other);
check('the weights stay', near(first.weights, changed.weights) && !near(first.output, changed.output));
const shuffled = (rows) => [${order}].map((at) => rows[at]);
const mixed = explain(query, shuffled(key), shuffled(value));
check('the columns move along', near(mixed.weights, first.weights.map(shuffled)));
check('the output stays', near(mixed.output, first.output));

// ${remarks.shape}
check('the shape', first.weights.length === query.length && first.weights[0].length === key.length);
const product = query[1].reduce((sum, x, l) => sum + x * key[3][l], 0);
check('a cell', Math.abs(first.scores[1][3] - product) < 1e-12);

// ${remarks.scaling}
let state = 1;
const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const drawn = (count) => Array.from({ length: count }, () => Array.from({ length: 64 }, normal));
const draws = Array.from({ length: 200 }, () => [drawn(1), drawn(8)]);
function entropy(options) {
  const each = draws.map(([one, many]) => explain(one, many, many, options).weights[0]);
  const bits = each.map((row) => row.reduce((sum, x) => sum - (x > 0 ? x * Math.log2(x) : 0), 0));
  return bits.reduce((a, b) => a + b) / bits.length;
}
check('with scaling', Math.abs(entropy({}) - 2.49) < 0.07);
check('without', Math.abs(entropy({ scale: 1 }) - 0.46) < 0.12);

// ${remarks.lengths}
for (const keys of [key, [...key, ...more]]) check('the length', explain(query, keys, keys).output.length === 3);
let refusal;
try {
  explain(query, key, value.slice(0, 4));
} catch (error) {
  refusal = error;
}
check('a value too few is refused', refusal instanceof AttentionError && refusal.code === 'shape');

// ${remarks.masks}
const under = (...mask) => explain(key, key, value, { mask });
const filler = (isFiller) => ({ kind: 'padding', blocked: [key.map((_, at) => isFiller(at))] });
const before = filler((at) => at < 2);
const ofFiller = ({ weights }) => weights[4][0] + weights[4][1];
check('causal alone reads filler', ofFiller(under('causal')) > 0);
check('both do not', ofFiller(under('causal', before)) === 0);
const text = ({ output }) => output.slice(0, 3);
check('after the text it is the same', near(text(under('causal')), text(under('causal', filler((at) => at > 2)))));
attention.dispose();
`;

const cpp = (of: Numbers) => `// ${title}
// g++ -std=c++20 this.cpp
${matrixCpp}
#include <random>
#include <stdexcept>

Matrix weigh(const Matrix& query, const Matrix& key, const Mask& allowed = {}, double scale = 0) {
  return softmax(products(query, key, scale ? scale : 1 / std::sqrt(query[0].size())), allowed);
}

Matrix average(const Matrix& weights, const Matrix& value) {
  if (weights[0].size() != value.size()) throw std::invalid_argument("a value for each key");
  return products(weights, transposed(value), 1);
}

Matrix shuffled(const Matrix& rows) {
  Matrix result;
  for (const int at : {${order}}) result.push_back(rows[at]);
  return result;
}

/// The mean over 200 draws, in bits.
double entropy(double scale) {
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  const auto draw = [&](int, int, double) { return normal(engine); };
  double bits = 0;
  for (int count = 0; count < 200; ++count) {
    const Matrix one = map(Matrix(1, std::vector<double>(64)), draw);
    const Matrix many = map(Matrix(8, std::vector<double>(64)), draw);
    const Matrix shares = weigh(one, many, {}, scale);
    for (const double x : shares[0]) bits -= x > 0 ? x * std::log2(x) : 0;
  }
  return bits / 200;
}

bool near(const Matrix& a, const Matrix& b) { return apart(a, b) < 1e-12; }

void check(const char* name, bool holds) {
  std::puts(name);
  assert(holds);
}

int main() {
${given(of, notations.cpp, (each, text) => `const Matrix ${each} = ${text};`)}

// ${remarks.roles}
const Matrix weights = weigh(query, key);
const Matrix output = average(weights, value);
check("the output moves", !near(output, average(weights, other)));
const Matrix mixed = weigh(query, shuffled(key));
check("the columns move along", near(mixed, transposed(shuffled(transposed(weights)))));
check("the output stays", near(average(mixed, shuffled(value)), output));

// ${remarks.shape}
check("the shape", weights.size() == query.size() && weights[0].size() == key.size());
double cell = 0;
for (std::size_t l = 0; l < key[3].size(); ++l) cell += query[1][l] * key[3][l];
check("a cell", std::abs(products(query, key, 1)[1][3] - cell) < 1e-12);

// ${remarks.scaling}
check("with scaling", std::abs(entropy(0) - 2.49) < 0.07);
check("without", std::abs(entropy(1) - 0.46) < 0.12);

// ${remarks.lengths}
Matrix longer = key;
longer.insert(longer.end(), more.begin(), more.end());
for (const Matrix& keys : {key, longer}) {
  const Matrix found = average(weigh(query, keys), keys);
  check("the length", found.size() == 3 && found[0].size() == 4);
}
bool refused = false;
try {
  average(weights, Matrix(value.begin(), value.end() - 1));
} catch (const std::invalid_argument&) {
  refused = true;
}
check("a value too few is refused", refused);

// ${remarks.masks}
const auto under = [&](int first, int last) {
  return weigh(key, key, where(5, 5, [&](int i, int j) { return j <= i && j >= first && j < last; }));
};
const auto of_filler = [](const Matrix& found) { return found[4][0] + found[4][1]; };
check("causal alone reads filler", of_filler(under(0, 5)) > 0);
check("both do not", of_filler(under(2, 5)) == 0);
const auto text = [](const Matrix& found) { return Matrix(found.begin(), found.begin() + 3); };
check("after the text it is the same", near(text(under(0, 5)), text(under(0, 3))));
}
`;

export const quizPrograms = (of: Numbers): Programs => ({
  PyTorch: python(of, 'torch'),
  NumPy: python(of, 'np'),
  JavaScript: javascript(of),
  'C++': cpp(of),
});
