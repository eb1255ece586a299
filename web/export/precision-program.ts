// The three ways of the precision figure as programs.
import type { Programs } from './exhibit.js';
import { list, notations } from './literal.js';

export const ways = ['float16', 'first', 'float32'] as const;
export const stepNames = ['scores', 'scaled', 'weights'] as const;
type Steps = Record<(typeof stepNames)[number], readonly number[]>;

export interface Precision {
  /** Every component of the query and, but for the sign or one, of the keys. */
  component: number;
  width: number;
  /** What the inputs of the last way are rounded to first. */
  given: 'float16' | 'float32';
  expected: Record<(typeof ways)[number], Steps>;
}

const title =
  'A dot product too large for float16, with the numbers of a figure; fails where they differ.';
const rounding =
  'every result is rounded, as arithmetic in that type does; sums are taken in order';
/** Scores are sums and products, the same everywhere; exponentials may differ in their last bit. */
const near = { scores: 0, scaled: 0, weights: 1e-3 };
const remarks = {
  float16: 'all in float16',
  first: 'in float16, the query scaled first: a division by a power of two is exact',
  float32: 'converted to float32 first, or float32 from the start where float16 cannot hold c',
};

/** What is too long for a whole number of C++, as a fraction. */
const whole = (x: number) => (Number.isSafeInteger(x) ? String(x) : x.toExponential());

const each = (line: (way: (typeof ways)[number], step: (typeof stepNames)[number]) => string) =>
  ways.map((way) => stepNames.map((step) => line(way, step)).join('\n')).join('\n');

/** The way each is called: its type, that of the inputs, what divides the query, and the scores. */
const calls = (types: Record<Precision['given'], string>, given: Precision['given']) => ({
  float16: [types.float16, types.float16, '1', 'root'],
  first: [types.float16, types.float16, 'root', '1'],
  float32: [types.float32, types[given], '1', 'root'],
});

function python(
  { component, width, given, expected }: Precision,
  {
    library,
    definitions,
    types,
  }: { library: string; definitions: string; types: Record<Precision['given'], string> },
): string {
  const how = calls(types, given);
  const found = ways.map((way) => `# ${remarks[way]}\n${way} = attend(${how[way].join(', ')})`);
  const numbers = (steps: readonly number[]) => list(steps, notations.python);
  return `# ${title}
${library}

c, width = ${whole(component)}, ${width}
root = width**0.5
keys = [c, -c, c - 1]


# ${rounding}
${definitions}

${found.join('\n')}

${each((way, step) => `check(${way}['${step}'], ${numbers(expected[way][step])}, ${near[step]})`)}
print(float16['weights'], first['weights'], float32['weights'])
`;
}

const numpy = `def attend(number, given, before, after):
    query = number(given(c)) / number(before)
    scores = []
    for key in keys:
        score = number(0)
        for _ in range(width):
            score = score + query * number(given(key))
        scores.append(score)
    scores = np.array(scores, number)
    scaled = scores / number(after)
    exponentials = np.exp(scaled - scaled.max())
    row_sum = number(0)
    for exponential in exponentials:
        row_sum = row_sum + exponential
    return dict(scores=scores, scaled=scaled, weights=exponentials / row_sum)


def check(found, expected, near):
    expected = np.array(expected, found.dtype)
    assert np.allclose(found, expected, rtol=near, atol=near, equal_nan=True), found


# infinity and NaN are what this is about
np.seterr(all='ignore')
`;

const torch = `def attend(dtype, given, before, after):
    def rounded(x, to=dtype):
        return torch.as_tensor(x, dtype=torch.float32).to(to).float()

    query = rounded(rounded(c, given) / before)
    scores = torch.zeros(len(keys))
    for _ in range(width):
        scores = rounded(scores + rounded(query * rounded(keys, given)))
    scaled = rounded(scores / after)
    exponentials = rounded(torch.exp(rounded(scaled - scaled.max())))
    row_sum = rounded(0)
    for exponential in exponentials:
        row_sum = rounded(row_sum + exponential)
    return dict(scores=scores, scaled=scaled, weights=rounded(exponentials / row_sum))


def check(found, expected, near):
    expected = torch.tensor(expected, dtype=torch.float32)
    assert torch.allclose(found, expected, rtol=near, atol=near, equal_nan=True), found
`;

const javascript = ({ component, width, given, expected }: Precision) => `// ${title}
import { load, tensor, toNested } from 'attention-wasm';

const [c, width] = [${whole(component)}, ${width}];
const attention = await load({ threads: 1 });
const rows = (numbers, dtype) => tensor(numbers.map((x) => Array(width).fill(x)), dtype);
const stored = (dtype) => toNested(tensor([c, -c, c - 1], dtype));
const [narrow, given] = [stored('float16'), stored('${given}')];
const [half, single] = [rows(narrow, 'float16'), rows(given, 'float32')];

// of float16, \`unwidened\` is what its own arithmetic gives
const whole = attention.explain(rows([narrow[0]], 'float16'), half, half);
const eighth = rows([narrow[0] / Math.sqrt(width)], 'float16');
const scaledFirst = attention.explain(eighth, half, half, { scale: 1 });
const wide = attention.explain(rows([given[0]], 'float32'), single, single);
${ways.map((way) => `// ${remarks[way]}\nconst ${way} = ${{ float16: 'whole.unwidened', first: 'scaledFirst.unwidened', float32: 'wide' }[way]}.steps;`).join('\n')}

function assertSame(name, { data }, expected) {
  const isSame = expected.every((x, at) => Object.is(data[at], x));
  if (!isSame) throw new Error(name + ' differ: ' + data);
}
${each((way, step) => `assertSame('${way} ${step}', ${way}.${step}, ${list(expected[way][step], notations.javascript)});`)}
console.log(JSON.stringify([float16, first, float32].map(({ weights }) => [...weights.data])));
attention.dispose();
`;

const floats = { ...notations.cpp, infinity: 'HUGE_VALF' };

function cpp({ component, width, given, expected }: Precision): string {
  const how = calls({ float16: 'Float16', float32: 'float' }, given);
  return `// ${title}
// With the number types of attention-wasm: g++ -std=c++20 -I src this.cpp
#undef NDEBUG
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "core/dtype.h"

using namespace attention;
using Numbers = std::array<float, 3>;

struct Steps {
  Numbers scores, scaled, weights;
};

constexpr float c = ${whole(component)};
constexpr int width = ${width};

// ${rounding}
template <class Type, class Given>
Steps attend(float before, float after) {
  const auto rounded = [](float x) { return round_to<Type>(x); };
  const auto stored = [](float x) { return round_to<Given>(x); };
  const Numbers keys = {c, -c, c - 1};
  const float query = rounded(stored(c) / before);
  Steps steps = {};
  float row_max = -HUGE_VALF, row_sum = 0;
  for (int j = 0; j < 3; ++j) {
    for (int at = 0; at < width; ++at)
      steps.scores[j] = rounded(steps.scores[j] + rounded(query * stored(keys[j])));
    steps.scaled[j] = rounded(steps.scores[j] / after);
    row_max = std::max(row_max, steps.scaled[j]);
  }
  for (int j = 0; j < 3; ++j) {
    steps.weights[j] = rounded(std::exp(rounded(steps.scaled[j] - row_max)));
    row_sum = rounded(row_sum + steps.weights[j]);
  }
  for (float& weight : steps.weights) weight = rounded(weight / row_sum);
  return steps;
}

void check(const Numbers& found, const Numbers& expected, float near) {
  for (int j = 0; j < 3; ++j) {
    const float gap = std::abs(found[j] - expected[j]);
    assert(std::isnan(expected[j]) ? std::isnan(found[j])
                                   : found[j] == expected[j] || gap <= near);
  }
}

int main() {
  const float root = std::sqrt(static_cast<float>(width));
${ways.map((way) => `  // ${remarks[way]}\n  const Steps ${way} = attend<${how[way].slice(0, 2).join(', ')}>(${how[way].slice(2).join(', ')});`).join('\n')}

${each((way, step) => `  check(${way}.${step}, ${list(expected[way][step], floats)}, ${near[step]});`)}
  std::puts("agrees");
}
`;
}

export const precisionPrograms = (of: Precision): Programs => ({
  PyTorch: python(of, {
    library: 'import torch',
    definitions: torch,
    types: { float16: 'torch.float16', float32: 'torch.float32' },
  }),
  NumPy: python(of, {
    library: 'import numpy as np',
    definitions: numpy,
    types: { float16: 'np.float16', float32: 'np.float32' },
  }),
  JavaScript: javascript(of),
  'C++': cpp(of),
});
