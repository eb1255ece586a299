// The bug gallery as programs: each fault as a line of code, the cure as another, and the weights that
// the figure shows for both.
import type { Matrix } from '../state/case.js';
import type { Programs } from './exhibit.js';
import { type Notation, notations, rows } from './literal.js';
import { matrixCpp, softmaxes } from './softmax.js';

/** A line of code that makes weights. */
type Line = string;
interface Bug {
  remark: string;
  python: readonly [wrong: Line, right: Line];
  javascript: readonly [wrong: Line, right: Line];
  cpp: readonly [wrong: Line, right: Line];
}

/** Whatever the fault, the cure is the causal rule. */
const cure = {
  python: 'softmax(scores, causal)',
  javascript: "weights(query, key, { mask: 'causal' })",
  cpp: 'softmax(scores, causal)',
};
const causal = (remark: string, python: Line, javascript: Line, cpp = python): Bug => ({
  remark,
  python: [python, cure.python],
  javascript: [javascript, cure.javascript],
  cpp: [cpp, cure.cpp],
});

const bugs: Record<string, Bug> = {
  'value-in-scores': causal(
    'the values are used as keys',
    'softmax(query @ value.T * scale, causal)',
    "weights(query, value, { mask: 'causal' })",
    'softmax(products(query, value, scale), causal)',
  ),
  'softmax-columns': {
    remark: 'softmax runs along the queries: each column sums to 1',
    python: ['softmax(scores.T).T', 'softmax(scores)'],
    javascript: ['transposed(weights(key, query))', 'weights(query, key)'],
    cpp: ['transposed(softmax(transposed(scores)))', 'softmax(scores)'],
  },
  'square-assumption': {
    remark: 'the number of keys is read from the queries: there are 3, and 5 keys',
    python: ['softmax(cross, xp.arange(5) < len(cross))', 'softmax(cross)'],
    javascript: [
      "weights(few, many, { mask: { kind: 'lengths', keys: [few.length] } })",
      'weights(few, many)',
    ],
    cpp: [
      'softmax(cross, where(3, 5, [&](int, int j) { return j < int(cross.size()); }))',
      'softmax(cross)',
    ],
  },
  'causal-instead-of-padding': {
    remark: 'tokens 1 and 2 are filler, which no causal rule hides',
    python: ['softmax(scores, causal)', 'softmax(scores, causal & ~filler)'],
    javascript: [
      cure.javascript,
      "weights(query, key, { mask: ['causal', { kind: 'padding', blocked: [filler] }] })",
    ],
    cpp: [
      cure.cpp,
      'softmax(scores, where(4, 4, [&](int i, int j) { return causal[i][j] && !filler[j]; }))',
    ],
  },
  'additive-zero-one': causal(
    '1 and 0 are added where 0 and minus infinity belong',
    'softmax(scores + causal * 1.0)',
    'weights(query, key, { bias: causal.map((row) => row.map(Number)) })',
    'softmax(map(scores, [&](int i, int j, double x) { return x + causal[i][j]; }))',
  ),
  'inverted-mask': causal(
    'true was to mean may look, and is taken for must not',
    'softmax(scores, ~causal)',
    "weights(query, key, { mask: { kind: 'blocked', mask: causal } })",
    'softmax(scores, where(4, 4, [&](int i, int j) { return !causal[i][j]; }))',
  ),
  'no-scaling': causal(
    'the scores are not divided by the root of d_k',
    'softmax(query @ key.T, causal)',
    "weights(query, key, { mask: 'causal', scale: 1 })",
    'softmax(products(query, key, 1), causal)',
  ),
  'scaled-twice': causal(
    'the scores are divided by the root of d_k twice',
    'softmax(scores * scale, causal)',
    "weights(query, key, { mask: 'causal', scale: 1 / 3 })",
    'softmax(products(query, key, scale * scale), causal)',
  ),
  'mask-after-softmax': causal(
    'the mask comes after softmax: the rows no longer sum to 1',
    'softmax(scores) * causal',
    'weights(query, key).map((row, i) => row.map((x, j) => (causal[i][j] ? x : 0)))',
    'map(softmax(scores), [&](int i, int j, double x) { return causal[i][j] ? x : 0; })',
  ),
  'finite-minus-infinity': {
    remark:
      'in float32 the scores drown in -1e9, and query 2, which sees nothing, weighs all keys alike',
    python: ['softmax(single(scores) + single(hidden * -1e9))', 'softmax(scores, ~hidden)'],
    javascript: [
      "weights(query, key, { bias: hidden.map((row) => row.map((is) => (is ? -1e9 : 0))) }, 'float32')",
      "weights(query, key, { mask: { kind: 'blocked', mask: hidden } })",
    ],
    cpp: [
      'softmax(map(scores, [&](int i, int j, double x) { return float(x) + (hidden[i][j] ? -1e9f : 0); }))',
      'softmax(scores, where(4, 4, [&](int i, int j) { return !hidden[i][j]; }))',
    ],
  },
  'padding-broadcast': {
    remark:
      'the padding of three sequences, [B, S], is read as [T, S]; these are queries of the first',
    python: ['softmax(scores[:3], ~padding)', 'softmax(scores[:3], ~padding[0])'],
    javascript: [
      "weights(query.slice(0, 3), key, { mask: { kind: 'blocked', mask: padding } })",
      "weights(query.slice(0, 3), key, { mask: { kind: 'blocked', mask: padding.map(() => padding[0]) } })",
    ],
    cpp: [
      'softmax(first, where(3, 4, [&](int i, int j) { return !padding[i][j]; }))',
      'softmax(first, where(3, 4, [&](int, int j) { return !padding[0][j]; }))',
    ],
  },
};

/** What the figure shows. */
export interface Gallery {
  inputs: Readonly<Record<'query' | 'key' | 'value' | 'few' | 'many', Matrix>>;
  /** Of three sequences, a row each. */
  paddings: readonly (readonly boolean[])[];
  /** Of each bug the weights it gives and the right ones. */
  found: Readonly<Record<string, readonly [wrong: Matrix, right: Matrix]>>;
}

const title =
  'Faults of an attention: what each gives, and what is right; fails where a figure says otherwise.';
const filler = [[true, true, false, false]];
const heads = [
  [[1], [0]],
  [[0], [1]],
];
const headsRemark =
  'two heads weigh two equal values the opposite way: their outputs are the same, and no reasons';

type Kind = 'python' | 'javascript' | 'cpp';
const each = (
  { found }: Gallery,
  kind: Kind,
  write: (id: string, bug: Bug, lines: readonly [Line, Line], weights: readonly string[]) => string,
) =>
  Object.entries(bugs)
    .map(([id, bug]) =>
      write(
        id,
        bug,
        bug[kind],
        found[id]!.map((matrix) =>
          rows(matrix, notations[kind]).replaceAll('\n', kind === 'python' ? '\n    ' : '\n  '),
        ),
      ),
    )
    .join('\n');

const inputsIn = (
  { inputs }: Gallery,
  notation: Notation,
  write: (name: string, text: string) => string,
) =>
  Object.entries(inputs)
    .map(([name, matrix]) => write(name, rows(matrix, notation)))
    .join('\n');

const singles = {
  np: `def single(numbers):
    return numbers.astype(xp.float32)`,
  torch: `def single(numbers):
    return numbers.to(xp.float32)`,
};

const python = (of: Gallery, library: 'np' | 'torch') => `# ${title}
import ${library === 'np' ? 'numpy' : 'torch'} as xp


# along the keys, over those that are allowed; a query that may read none has weights 0
${softmaxes[library]}


${singles[library]}


def check(name, wrong, right, expected_wrong, expected_right):
    assert abs(wrong - array(expected_wrong)).max() < 1e-6, (name, wrong)
    assert abs(right - array(expected_right)).max() < 1e-6, (name, right)
    assert abs(wrong - right).max() > 0.01, name
    print(name)


${inputsIn(of, notations.python, (name, text) => `${name} = array(${text})`)}
scale = query.shape[1] ** -0.5
scores = query @ key.T * scale
cross = few @ many.T * few.shape[1] ** -0.5
# row = query, column = key; true where the query may read the key
causal = xp.tril(xp.ones((4, 4))) == 1
hidden = ~causal
hidden[1] = True
filler = array(${rows(filler, notations.python)}) == 1
padding = array(${rows(of.paddings, notations.python)}) == 1

${each(
  of,
  'python',
  (id, { remark }, [wrong, right], [expectedWrong, expectedRight]) => `# ${remark}
check(
    '${id}',
    ${wrong},
    ${right},
    ${expectedWrong},
    ${expectedRight},
)
`,
)}
# ${headsRemark}
value = array([[0.4], [0.4]])
one, other = (softmax(xp.log(array([[9]])) @ array(key).T) for key in ${JSON.stringify(heads)})
assert abs(one - array([[0.9, 0.1]])).max() < 1e-6 and abs(other - array([[0.1, 0.9]])).max() < 1e-6
assert abs(one @ value - other @ value).max() < 1e-12
print('weights-as-reasons')
`;

const javascript = (of: Gallery) => `// ${title}
import { load, tensor, toNested } from 'attention-wasm';

const attention = await load({ threads: 1 });
/** The values have no influence on them. */
function weights(query, key, options = {}, dtype = 'float64') {
  const [q, k] = [query, key].map((rows) => tensor(rows, dtype));
  return toNested(attention.explain(q, k, k, options).steps.weights);
}
const transposed = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));
const apart = (a, b) => Math.max(...a.flatMap((row, i) => row.map((x, j) => Math.abs(x - b[i][j]))));
function check(name, wrong, right, expectedWrong, expectedRight) {
  if (!(apart(wrong, expectedWrong) < 1e-6)) throw new Error(name + ': ' + JSON.stringify(wrong));
  if (!(apart(right, expectedRight) < 1e-6)) throw new Error(name + ': ' + JSON.stringify(right));
  if (!(apart(wrong, right) > 0.01)) throw new Error(name + ' makes no difference');
  console.log(name);
}

${inputsIn(of, notations.javascript, (name, text) => `const ${name} = ${text};`)}
// row = query, column = key; true where the query may read the key
const causal = query.map((_, i) => key.map((_, j) => j <= i));
const hidden = causal.map((row, i) => row.map((may) => i === 1 || !may));
const [filler] = ${rows(filler, notations.javascript)};
const padding = ${rows(of.paddings, notations.javascript)};

${each(
  of,
  'javascript',
  (id, { remark }, [wrong, right], [expectedWrong, expectedRight]) => `// ${remark}
check(
  '${id}',
  ${wrong},
  ${right},
  ${expectedWrong},
  ${expectedRight},
);
`,
)}
// ${headsRemark}
const [one, other] = ${JSON.stringify(heads)}.map((key) => weights([[Math.log(9)]], key));
check('weights-as-reasons', one, other, [[0.9, 0.1]], [[0.1, 0.9]]);
const output = ([row]) => row[0] * 0.4 + row[1] * 0.4;
if (!(Math.abs(output(one) - output(other)) < 1e-12)) throw new Error('the outputs differ');
attention.dispose();
`;

const cpp = (of: Gallery) => `// ${title}
// g++ -std=c++20 this.cpp
${matrixCpp}
void check(const char* name, const Matrix& wrong, const Matrix& right, const Matrix& expected_wrong,
           const Matrix& expected_right) {
  std::puts(name);
  assert(apart(wrong, expected_wrong) < 1e-6);
  assert(apart(right, expected_right) < 1e-6);
  assert(apart(wrong, right) > 0.01);
}

int main() {
${inputsIn(of, notations.cpp, (name, text) => `const Matrix ${name} = ${text};`)}
const double scale = 1 / std::sqrt(3);
const Matrix scores = products(query, key, scale);
const Matrix first(scores.begin(), scores.begin() + 3);
const Matrix cross = products(few, many, 0.5);
// row = query, column = key; true where the query may read the key
const Mask causal = where(4, 4, [](int i, int j) { return j <= i; });
const Mask hidden = where(4, 4, [&](int i, int j) { return i == 1 || !causal[i][j]; });
const std::vector<bool> filler = ${rows(filler, notations.cpp).replace(/^{\s*|,\s*}$/g, '')};
const Mask padding = ${rows(of.paddings, notations.cpp)};

${each(
  of,
  'cpp',
  (id, { remark }, [wrong, right], [expectedWrong, expectedRight]) => `// ${remark}
check("${id}",
  ${wrong},
  ${right},
  ${expectedWrong},
  ${expectedRight});
`,
)}
// ${headsRemark}
const Matrix equal = {{0.4, 0.4}};
const Matrix one = softmax(products({{std::log(9)}}, {{1}, {0}}, 1));
const Matrix other = softmax(products({{std::log(9)}}, {{0}, {1}}, 1));
check("weights-as-reasons", one, other, {{0.9, 0.1}}, {{0.1, 0.9}});
assert(apart(products(one, equal, 1), products(other, equal, 1)) < 1e-12);
}
`;

export const bugPrograms = (of: Gallery): Programs => ({
  PyTorch: python(of, 'torch'),
  NumPy: python(of, 'np'),
  JavaScript: javascript(of),
  'C++': cpp(of),
});
