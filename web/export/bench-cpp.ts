// The workbench's call in C++, with the core of this library.
import type { MaskRule, Numbers } from 'attention-wasm';
import { type Program, closeness, title } from './bench-program.js';
import { compiling } from './literal.js';

const elements = {
  float32: ['float', 'float'],
  float64: ['double', 'double'],
  float16: ['Float16', 'float'],
  bfloat16: ['BFloat16', 'float'],
} as const;

type Nested = Numbers | readonly Nested[];
const braced = (numbers: Nested | number): string =>
  typeof numbers === 'number'
    ? String(numbers)
    : `{${Array.from(numbers as readonly number[], braced).join(', ')}}`;

/** The rules, and before them the tensors that they read, each with a name. */
class Rules {
  readonly tensors: string[] = [];

  text(rule: MaskRule): string {
    if (typeof rule === 'string') return `make_rule("${rule}")`;
    const { kind, ...fields } = rule;
    const given = Object.entries(fields as Record<string, unknown>)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `{"${name}", ${this.#argument(name, value)}}`);
    return given.length > 0
      ? `make_rule("${kind}", {${given.join(', ')}})`
      : `make_rule("${kind}")`;
  }

  #argument(name: string, value: unknown): string {
    if (name === 'of') {
      const rules = Array.isArray(value) ? (value as MaskRule[]) : [value as MaskRule];
      return `std::vector<Rule>{${rules.map((rule) => this.text(rule)).join(', ')}}`;
    }
    if (name === 'layout') return this.#layout(value as readonly unknown[]);
    if (typeof value === 'object' && 'shape' in value!) return 'tensor(mask, mask_shape)';
    if (typeof value === 'number') return `Numbers(${value})`;
    const [first] = value as readonly unknown[];
    const type = typeof first === 'object' ? 'std::vector<List>' : 'List';
    return `Numbers(${type}${braced(value as Nested)})`;
  }

  /** Rows of blocks, of all heads or of each. */
  #layout(layout: readonly unknown[]): string {
    const shape: number[] = [];
    for (let part: unknown = layout; Array.isArray(part); part = part[0]) shape.push(part.length);
    const bits = layout.flat(2).map(Number);
    const name = `layout_${this.tensors.length + 1}`;
    this.tensors.push(`std::vector<std::uint8_t> ${name} = ${braced(bits)};`);
    return `tensor(${name}, ${braced(shape)})`;
  }
}

/** The options that are numbers, as they are set. */
function settingsOf({ options, slopes, width }: Program): string[] {
  const { scale = 1 / Math.sqrt(width), softcap, alibi, sinks, dropout, start } = options;
  const set = [`scale = ${scale}`];
  if (softcap !== undefined) set.push(`softcap = ${softcap}`);
  if (alibi === true) set.push('alibi = {Alibi::paper, 1, {}}');
  else if (slopes)
    set.push(`alibi = {Alibi::slopes, ${slopes.length > 1 ? 2 : 1}, ${braced(slopes.flat())}}`);
  if (sinks) set.push(`sinks = std::vector<double>${braced(sinks)}`);
  if (dropout) set.push(`dropout = Dropout{${dropout.p}, ${dropout.seed}}`);
  if (start === 'top-left') set.push('start = {Start::top_left, {}}');
  else if (start === 'bottom-right') set.push('start = {Start::bottom_right, {}}');
  else if (start !== undefined)
    set.push(`start = {Start::numbers, ${braced([start].flat() as number[])}}`);
  return set.map((line) => `call.options.${line};`);
}

/** Each literal is a list of numbers: what they are the tensor of, its shape says. */
export function toCpp(program: Program): string {
  const { options, dtype, shapes, literals, mask, bias } = program;
  const [stored, computed] = elements[dtype];
  const rules = new Rules();
  const texts = (options.mask as readonly MaskRule[]).map((rule) => rules.text(rule));
  const input = (name: 'query' | 'key' | 'value') =>
    `std::vector<Stored> ${name} = stored({${literals![name]}});`;
  const lines = [
    ...(['query', 'key', 'value'] as const).map(input),
    ...(mask
      ? [
          `std::vector<std::uint8_t> mask = {${literals!.mask}};`,
          `const List mask_shape = ${braced(mask.shape)};`,
        ]
      : []),
    ...(bias ? [`std::vector<Number> bias = {${literals!.bias}};`] : []),
    ...rules.tensors,
    `const std::vector<Number> expected = {${literals!.output}};`,
    '',
    `Call call{tensor(query, ${braced(shapes.query)}), tensor(key, ${braced(shapes.key)}), tensor(value, ${braced(shapes.value)}), {}};`,
    ...settingsOf(program),
    ...(bias ? [`call.options.bias = tensor(bias, ${braced(bias.shape)});`] : []),
    ...(texts.length > 0 ? [`call.options.mask = {${texts.join(', ')}};`] : []),
    '',
    'Plan plan;',
    'const Error error = check(call, Purpose::attend, 0, plan);',
    'if (error) std::puts(error.message.c_str());',
    'assert(!error);',
    'std::vector<Stored> output(expected.size());',
    'Result result;',
    `result.output = tensor(output, ${braced(shapes.output)});`,
    'attend_plain(call, plan, result);',
  ];
  const [relative, absolute] = closeness[dtype];
  return `// ${title}
${compiling}
#undef NDEBUG
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <vector>

#include "core/attention.h"
#include "core/dtype.h"

using namespace attention;
using Stored = ${stored};
using Number = ${computed};
using List = std::vector<std::int64_t>;

constexpr DType dtype_of(float) { return DType::float32; }
constexpr DType dtype_of(double) { return DType::float64; }
constexpr DType dtype_of(Float16) { return DType::float16; }
constexpr DType dtype_of(BFloat16) { return DType::bfloat16; }
constexpr DType dtype_of(std::uint8_t) { return DType::boolean; }

template <class T>
Tensor tensor(std::vector<T>& numbers, const List& shape) {
  Tensor result;
  result.data = numbers.data();
  result.dtype = dtype_of(T());
  result.rank = static_cast<int>(shape.size());
  std::copy_backward(shape.begin(), shape.end(), result.shape.end());
  result.strides = row_major(result.shape);
  result.length = result.size();
  return result;
}

std::vector<Stored> stored(const std::vector<Number>& numbers) {
  std::vector<Stored> result;
  for (const Number number : numbers) result.push_back(narrow<Stored>(number));
  return result;
}

int main() {
${lines.map((line) => (line ? `  ${line}` : '')).join('\n')}
  for (std::size_t at = 0; at < expected.size(); ++at) {
    const double found = widen(output[at]), wanted = expected[at];
    const bool close = std::abs(found - wanted) <= ${absolute} + ${relative} * std::abs(wanted);
    assert(close || found == wanted || (std::isnan(found) && std::isnan(wanted)));
  }
  std::puts("agrees");
}
`;
}
