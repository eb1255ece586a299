// A figure's calls in C++, with the core of this library.
import type { Matrix } from '../state/case.js';
import type { Call } from './exhibit.js';
import { compiling, maskRemark, notations, parts, title } from './literal.js';

function program(call: Call, index: number): string {
  const of = parts(call, notations.cpp);
  const { matrices, case: given } = call.frame;
  const { mask, start, dropout } = given.options;
  const number = of.dtype === 'float64' ? 'double' : 'float';
  const array = (name: string, matrix: Matrix, text: string) =>
    `  ${number} ${name}[${matrix.length}][${matrix[0]?.length ?? 0}] = ${text};\n`;
  const input = (role: 'query' | 'key' | 'value') => {
    const { projection } = call;
    const size = `[${matrices[role].length}][${matrices[role][0]?.length ?? 0}]`;
    if (of.dtype === 'float16') {
      const numbers = `${role}_numbers`;
      return `${array(numbers, matrices[role], of[role])}  Float16 ${role}${size};\n  narrow_all(${numbers}, ${role});\n`;
    }
    if (!projection) return array(role, matrices[role], of[role]);
    return `${array(`w_${role}`, projection.weights[role], of.projection![role])}  double ${role}${size};\n  product(x, w_${role}, ${role});\n`;
  };
  const isCausal = mask === 'causal' && start === undefined;
  const allowed =
    of.allowed && !isCausal
      ? `  // ${maskRemark}\n  bool allowed[${given.query.length}][${given.key.length}] = ${of.allowed};\n`
      : '';
  const rule = isCausal
    ? '{make_rule("causal")}'
    : '{make_rule("allowed", {{"mask", tensor(allowed)}})}';
  return `${call.name ? `// ${call.name}\n` : ''}void check_${index + 1}() {
${call.projection ? array('x', call.projection.x, of.projection!.x) : ''}${input('query')}${input('key')}${input('value')}${allowed}${of.bias ? array('bias', given.options.bias as Matrix, of.bias) : ''}${array('expected_weights', matrices.weights, of.weights)}${array('expected_output', matrices.output, of.output)}
  Call call{tensor(query), tensor(key), tensor(value), {}};
  call.options.scale = ${of.scale};
${of.bias ? '  call.options.bias = tensor(bias);\n' : ''}${of.allowed ? `  call.options.mask = ${rule};\n` : ''}${dropout ? `  call.options.dropout = Dropout{${dropout.p}, ${dropout.seed}};\n` : ''}  Plan plan;
  const Error error = check(call, Purpose::explain, 0, plan);
  assert(!error);
  const Explanation explained = explain(call, plan);
  for (const Step& step : explained${of.dtype === 'float16' ? '.unwidened->' : '.'}steps) {
    const std::string name = step.name;
    if (name == "weights") assert_close(step, expected_weights);
    if (name == "output") assert_close(step, expected_output);
  }
}
`;
}

const product = `
template <std::size_t rows, std::size_t inner, std::size_t columns>
void product(double (&a)[rows][inner], double (&b)[inner][columns], double (&to)[rows][columns]) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      to[i][j] = 0;
      for (std::size_t l = 0; l < inner; ++l) to[i][j] += a[i][l] * b[l][j];
    }
}
`;

const narrowed = `
template <std::size_t rows, std::size_t columns>
void narrow_all(const float (&numbers)[rows][columns], Float16 (&to)[rows][columns]) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) to[i][j] = narrow<Float16>(numbers[i][j]);
}
`;

export const toCpp = (calls: readonly Call[]): string => `// ${title}
${compiling}
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>

#include "core/attention.h"
#include "core/dtype.h"

using namespace attention;

template <class T, std::size_t rows, std::size_t columns>
Tensor tensor(T (&numbers)[rows][columns]) {
  Tensor result;
  result.data = numbers;
  result.dtype = std::is_same_v<T, bool>     ? DType::boolean
                 : std::is_same_v<T, Float16> ? DType::float16
                 : std::is_same_v<T, double> ? DType::float64
                                             : DType::float32;
  result.rank = 2;
  result.shape = {1, 1, rows, columns};
  result.strides = row_major(result.shape);
  result.length = result.size();
  return result;
}

template <class T, std::size_t rows, std::size_t columns>
void assert_close(const Step& step, const T (&expected)[rows][columns]) {
  const auto* got = static_cast<const T*>(step.tensor.data);
  const double near = std::is_same_v<T, double> ? 1e-9 : 1e-5;
  for (std::size_t n = 0; n < rows * columns; ++n) {
    const double want = expected[n / columns][n % columns];
    const double gap = std::abs(got[n] - want);
    assert(std::isnan(want) ? std::isnan(got[n]) : gap <= near * (1e-3 + std::abs(want)));
  }
}
${calls.some(({ frame }) => frame.case.dtype === 'float16') ? narrowed : ''}${calls.some(({ projection }) => projection) ? product : ''}
${calls.map(program).join('\n')}
int main() {
${calls.map((_, index) => `  check_${index + 1}();\n`).join('')}  std::puts("agrees");
}
`;
