// The reader's own shapes as programs: which axes have to agree, and what comes out or is refused.
import type { Programs } from './exhibit.js';

export interface Checked {
  /** [B, H, T, width] of each. */
  query: readonly number[];
  key: readonly number[];
  value: readonly number[];
  /** Up to four axes, aligned right with those of the scores; none without a mask. */
  mask: readonly number[];
  /** The shapes that come out, or the library's error code. */
  answer: { weights: readonly number[]; output: readonly number[] } | string;
}

const title = 'The shapes of a call of attention; fails where a figure says otherwise.';
const remarks = {
  rules: 'the axes that have to agree',
  heads: 'each head of K and V serves as many of Q',
  mask: 'every axis, counted from the right, is 1 or that of the scores; a bare [B, S] may be padding',
  any: 'their numbers do not matter',
};
const listed = (shape: readonly number[]) => shape.join(', ');
const fits = ({ answer }: Checked) => typeof answer !== 'string';

const python = (of: Checked, library: 'np' | 'torch') => `# ${title}
import ${library === 'np' ? 'numpy' : 'torch'} as xp

query, key, value = (${listed(of.query)}), (${listed(of.key)}), (${listed(of.value)})
mask = (${of.mask.map((size) => `${size},`).join(' ')})
scores = query[:3] + key[2:3]
# ${remarks.rules}
agree = query[3] == key[3] and key[2] == value[2] and query[0] == key[0] == value[0]
# ${remarks.heads}
heads = key[1] == value[1] and query[1] % key[1] == 0
# ${remarks.mask}
spread = all(a in (1, b) for a, b in zip(mask[::-1], scores[::-1]))
padding = len(mask) == 2 and query[0] > 1 and mask == (query[0], key[2])
assert (agree and heads and spread and not padding) == ${fits(of) ? 'True' : 'False'}
${
  typeof of.answer === 'string'
    ? 'print("refused")'
    : `
# ${remarks.any}
q, k, v = xp.ones(query), xp.ones(key), xp.ones(value)
each = query[1] // key[1]
grouped = q.reshape(query[0], key[1], each, query[2], query[3])
products = (grouped @ k[:, :, None].swapaxes(-2, -1)).reshape(scores)
weights = products${of.mask.length > 0 ? ' * xp.ones(mask)' : ''}
output = weights.reshape(query[0], key[1], each, query[2], key[2]) @ v[:, :, None]
output = output.reshape(query[:3] + value[3:])
assert tuple(weights.shape) == (${listed(of.answer.weights)})
assert tuple(output.shape) == (${listed(of.answer.output)})
print(tuple(weights.shape), tuple(output.shape))`
}
`;

const javascript = (of: Checked) => `// ${title}
import { load } from 'attention-wasm';

const attention = await load({ threads: 1 });
// ${remarks.any}
const numbers = (...shape) => ({ shape, data: new Float32Array(shape.reduce((a, b) => a * b)) });
const [query, key, value] = [numbers(${listed(of.query)}), numbers(${listed(of.key)}), numbers(${listed(of.value)})];
${of.mask.length > 0 ? `const mask = { shape: [${listed(of.mask)}], data: new Uint8Array(${of.mask.reduce((a, b) => a * b)}) };\n` : ''}function answer() {
  try {
    const { weights, output } = attention.scaledDotProductAttention(query, key, value, {
${of.mask.length > 0 ? "      mask: { kind: 'blocked', mask },\n" : ''}      returns: ['weights'],
    });
    return { weights: weights.shape, output: output.shape };
  } catch (error) {
    return error.code;
  }
}
const [found, expected] = [answer(), ${JSON.stringify(of.answer)}].map((said) => JSON.stringify(said));
if (found !== expected) throw new Error(found + ' instead of ' + expected);
console.log(found);
attention.dispose();
`;

const cpp = (of: Checked) => `// ${title}
// g++ -std=c++20 this.cpp
#include <cstdio>
#include <initializer_list>

constexpr int query[] = {${listed(of.query)}}, key[] = {${listed(of.key)}}, value[] = {${listed(of.value)}};
constexpr std::initializer_list<int> mask = {${listed(of.mask)}};
// ${remarks.rules}
constexpr bool agree = query[3] == key[3] && key[2] == value[2] && query[0] == key[0] &&
                       query[0] == value[0];
// ${remarks.heads}
constexpr bool heads = key[1] == value[1] && query[1] % key[1] == 0;
// ${remarks.mask}
constexpr bool spread() {
  const int scores[] = {query[0], query[1], query[2], key[2]};
  for (std::size_t at = 0; at < mask.size(); ++at)
    if (mask.begin()[at] != 1 && mask.begin()[at] != scores[4 - mask.size() + at]) return false;
  return true;
}
constexpr bool padding = mask.size() == 2 && query[0] > 1 && mask.begin()[0] == query[0] &&
                         mask.begin()[1] == key[2];
static_assert((agree && heads && spread() && !padding) == ${fits(of)});
${
  typeof of.answer === 'string'
    ? ''
    : `
constexpr int weights[] = {query[0], query[1], query[2], key[2]};
constexpr int output[] = {query[0], query[1], query[2], value[3]};
constexpr bool same(const int (&a)[4], const int (&b)[4]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}
static_assert(same(weights, {${listed(of.answer.weights)}}) && same(output, {${listed(of.answer.output)}}));
`
}
int main() { std::puts("agrees"); }
`;

export const shapeCheckPrograms = (of: Checked): Programs => ({
  PyTorch: python(of, 'torch'),
  NumPy: python(of, 'np'),
  JavaScript: javascript(of),
  'C++': cpp(of),
});
