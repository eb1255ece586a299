// The state of a case figure as programs with its numbers in them, which check themselves.
import type { Frame } from '../state/frame.js';

/** How a language writes a matrix and what stands in it. */
interface Notation {
  infinity: string;
  nan: string;
  truth: readonly [string, string];
  brackets: readonly [string, string];
}

const python: Notation = {
  infinity: "float('inf')",
  nan: "float('nan')",
  truth: ['False', 'True'],
  brackets: ['[', ']'],
};
const javascript: Notation = {
  infinity: 'Infinity',
  nan: 'NaN',
  truth: ['false', 'true'],
  brackets: ['[', ']'],
};
const cpp: Notation = {
  infinity: 'HUGE_VAL',
  nan: 'NAN',
  truth: ['false', 'true'],
  brackets: ['{', '}'],
};

type Entry = number | boolean;

function literal(x: Entry, { infinity, nan, truth }: Notation): string {
  if (typeof x === 'boolean') return truth[x ? 1 : 0];
  if (Number.isNaN(x)) return nan;
  if (!Number.isFinite(x)) return x > 0 ? infinity : `-${infinity}`;
  return String(x);
}

function rows(matrix: readonly (readonly Entry[])[], notation: Notation): string {
  const [open, close] = notation.brackets;
  const row = (cells: readonly Entry[]) =>
    `    ${open}${cells.map((x) => literal(x, notation)).join(', ')}${close},\n`;
  return `${open}\n${matrix.map(row).join('')}${close}`;
}

/** What the programs are made of: every matrix and the mask, as the language writes them. */
function parts({ case: of, matrices, cause }: Frame, notation: Notation) {
  const allowed = cause.map((row) => row.map((rules) => rules.length === 0));
  const write = (name: keyof typeof matrices) => rows(matrices[name], notation);
  return {
    query: write('query'),
    key: write('key'),
    value: write('value'),
    weights: write('weights'),
    output: write('output'),
    scale: literal(of.options.scale ?? 1 / Math.sqrt(of.query[0]?.length ?? 0), notation),
    allowed: allowed.flat().includes(false) ? rows(allowed, notation) : undefined,
    hasEmptyRow: allowed.some((row) => !row.includes(true)),
  };
}

const title = 'Scaled dot-product attention with the numbers of a figure; fails where they differ.';
const maskRemark = 'row = query, column = key; true where the query may read the key';
const emptyRemark = 'a query that may read no key has weights 0';

export function toPyTorch(frame: Frame): string {
  const { query, key, value, weights, output, scale, allowed, hasEmptyRow } = parts(frame, python);
  const matrix = (text: string) => `torch.tensor(${text}, dtype=torch.float64)`;
  return `# ${title}
import torch

query = ${matrix(query)}
key = ${matrix(key)}
value = ${matrix(value)}
scale = ${scale}
${allowed ? `# ${maskRemark}\nallowed = torch.tensor(${allowed})\n` : ''}
scores = query @ key.T
scaled = scores * scale
masked = ${allowed ? "scaled.masked_fill(~allowed, float('-inf'))" : 'scaled'}
weights = torch.softmax(masked, dim=-1)
${hasEmptyRow ? `# ${emptyRemark}\nweights = weights.masked_fill(~allowed.any(-1, keepdim=True), 0.0)\n` : ''}output = weights @ value

expected_weights = ${matrix(weights)}
expected_output = ${matrix(output)}
close = dict(rtol=1e-9, atol=1e-12, equal_nan=True)
assert torch.allclose(weights, expected_weights, **close), weights
assert torch.allclose(output, expected_output, **close), output
print(output)
`;
}

export function toNumPy(frame: Frame): string {
  const { query, key, value, weights, output, scale, allowed, hasEmptyRow } = parts(frame, python);
  const matrix = (text: string) => `np.array(${text}, dtype=np.float64)`;
  const shift = hasEmptyRow
    ? `row_max = np.where(allowed.any(-1, keepdims=True), masked.max(-1, keepdims=True), 0.0)`
    : 'row_max = masked.max(-1, keepdims=True)';
  const divide = hasEmptyRow
    ? `# ${emptyRemark}\nweights = exponentials / np.where(allowed.any(-1, keepdims=True), row_sum, 1.0)`
    : 'weights = exponentials / row_sum';
  return `# ${title}
import numpy as np

query = ${matrix(query)}
key = ${matrix(key)}
value = ${matrix(value)}
scale = ${scale}
${allowed ? `# ${maskRemark}\nallowed = np.array(${allowed})\n` : ''}
scores = query @ key.T
scaled = scores * scale
masked = ${allowed ? 'np.where(allowed, scaled, -np.inf)' : 'scaled'}
${shift}
exponentials = np.exp(masked - row_max)
row_sum = exponentials.sum(-1, keepdims=True)
${divide}
output = weights @ value

expected_weights = ${matrix(weights)}
expected_output = ${matrix(output)}
close = dict(rtol=1e-9, atol=1e-12, equal_nan=True)
assert np.allclose(weights, expected_weights, **close), weights
assert np.allclose(output, expected_output, **close), output
print(output)
`;
}

export function toJavaScript(frame: Frame): string {
  const { query, key, value, weights, output } = parts(frame, javascript);
  return `// ${title}
import { load, tensor, toNested } from 'attention-wasm';

const query = ${query};
const key = ${key};
const value = ${value};
const options = ${JSON.stringify(frame.case.options)};

const attention = await load({ threads: 1 });
const float64 = (rows) => tensor(rows, 'float64');
const { steps } = attention.explain(float64(query), float64(key), float64(value), options);

const expectedWeights = ${weights};
const expectedOutput = ${output};
const isClose = (a, b) => Object.is(a, b) || Math.abs(a - b) <= 1e-12 + 1e-9 * Math.abs(b);
function assertClose(name, matrix, expected) {
  const isSame = expected.every((row, i) => row.every((x, j) => isClose(matrix[i][j], x)));
  if (!isSame) throw new Error(name + ' differ: ' + JSON.stringify(matrix));
}
assertClose('weights', toNested(steps.weights), expectedWeights);
assertClose('output', toNested(steps.output), expectedOutput);
console.log(toNested(steps.output));
attention.dispose();
`;
}

export function toCpp(frame: Frame): string {
  const { query, key, value, weights, output, scale, allowed } = parts(frame, cpp);
  const { matrices, case: of } = frame;
  const array = (name: keyof typeof matrices, text: string, as: string = name) =>
    `double ${as}[${matrices[name].length}][${matrices[name][0]?.length ?? 0}] = ${text};`;
  const isCausal = of.options.mask === 'causal' && of.options.start === undefined;
  const mask = isCausal
    ? '  call.options.mask = {make_rule("causal")};\n'
    : '  call.options.mask = {make_rule("allowed", {{"mask", tensor(allowed, DType::boolean)}})};\n';
  return `// ${title}
// With the core of attention-wasm: g++ -std=c++20 -I src this.cpp src/core/*.cpp -pthread
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <cstdio>

#include "core/attention.h"

using namespace attention;

${array('query', query)}
${array('key', key)}
${array('value', value)}
${allowed && !isCausal ? `// ${maskRemark}\nbool allowed[${of.query.length}][${of.key.length}] = ${allowed};\n` : ''}
${array('weights', weights, 'expected_weights')}
${array('output', output, 'expected_output')}

template <class T, std::size_t rows, std::size_t columns>
Tensor tensor(T (&numbers)[rows][columns], DType dtype = DType::float64) {
  Tensor result;
  result.data = numbers;
  result.dtype = dtype;
  result.rank = 2;
  result.shape = {1, 1, rows, columns};
  result.strides = row_major(result.shape);
  result.length = result.size();
  return result;
}

template <std::size_t rows, std::size_t columns>
void assert_close(const Step& step, const double (&expected)[rows][columns]) {
  const auto* got = static_cast<const double*>(step.tensor.data);
  for (std::size_t n = 0; n < rows * columns; ++n) {
    const double want = expected[n / columns][n % columns];
    const bool same = std::isnan(want) ? std::isnan(got[n]) : std::abs(got[n] - want) <= 1e-12 + 1e-9 * std::abs(want);
    assert(same);
  }
}

int main() {
  Call call{tensor(query), tensor(key), tensor(value), {}};
  call.options.scale = ${scale};
${allowed ? mask : ''}  Plan plan;
  const Error error = check(call, Purpose::explain, 0, plan);
  assert(!error);
  for (const Step& step : explain(call, plan).steps) {
    const std::string name = step.name;
    if (name == "weights") assert_close(step, expected_weights);
    if (name == "output") assert_close(step, expected_output);
  }
  std::puts("agrees");
}
`;
}
