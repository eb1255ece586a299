// The shapes of the shape flow as programs: what a layer receives, and the shape after each of its steps.
import type { Programs } from './exhibit.js';

export interface ShapeFlow {
  /** Of several heads; undefined where there is one, and the batch and head axes are left out. */
  split: { batch: number; heads: number } | undefined;
  tokens: number;
  model: number;
  /** Of a query or a key, and of a value of one head. */
  dk: number;
  dv: number;
  /** Of every box, in the order of the figure. */
  shapes: Readonly<Record<string, readonly number[]>>;
}

const title = 'The shapes of attention, step by step; fails where a figure says otherwise.';
const remarks = {
  split: 'cut each row into pieces, one for each head, and move the head axis forward',
  join: 'the heads side by side again',
  any: 'their numbers do not matter',
};
const listed = (shape: readonly number[]) => shape.join(', ');

function python({ split, tokens, model, dk, dv, shapes }: ShapeFlow, library: 'np' | 'torch') {
  const heads = split?.heads ?? 1;
  const lead = split ? 'batch, tokens' : 'tokens';
  const cut = (name: string, width: string) =>
    split ? `${name} = ${name}.reshape(batch, tokens, heads, ${width}).swapaxes(1, 2)\n` : '';
  const check = (name: string, of: string) =>
    `assert tuple(${name}.shape) == (${listed(shapes[of]!)},)`;
  const softmax =
    library === 'torch'
      ? 'weights = xp.softmax(masked, -1)'
      : `powers = xp.exp(masked - masked.max(-1, keepdims=True))
weights = powers / powers.sum(-1, keepdims=True)`;
  return `# ${title}
import ${library === 'np' ? 'numpy' : 'torch'} as xp

${split ? `batch, heads, ` : ''}tokens, model, dk, dv = ${split ? `${split.batch}, ${split.heads}, ` : ''}${tokens}, ${model}, ${dk}, ${dv}
# ${remarks.any}
x = xp.ones((${lead}, model))
w_query = xp.ones((model, ${heads} * dk))
w_key = xp.ones((model, ${heads} * dk))
w_value = xp.ones((model, ${heads} * dv))
w_output = xp.ones((${heads} * dv, model))
${check('x', 'x')}

query, key, value = x @ w_query, x @ w_key, x @ w_value
${check('query', 'query')}
${check('key', 'key')}
${check('value', 'value')}
${split ? `# ${remarks.split}\n` : ''}${cut('query', 'dk')}${cut('key', 'dk')}${cut('value', 'dv')}${check('query', 'split')}

scores = query @ key.swapaxes(-2, -1)
scaled = scores * dk**-0.5
causal = xp.tril(xp.ones((tokens, tokens))) == 1
masked = xp.where(causal, scaled, -xp.inf)
${softmax}
output = weights @ value
${['scores', 'scaled', 'masked', 'weights', 'output'].map((name) => check(name, name)).join('\n')}
${split ? `# ${remarks.join}\noutput = output.swapaxes(1, 2).reshape(batch, tokens, heads * dv)\n` : ''}${check('output', 'join')}
result = output @ w_output
${check('result', 'result')}
print(tuple(x.shape), tuple(scores.shape), tuple(result.shape))
`;
}

/** What the library is given, [.., T, width]. */
const given = ({ split, tokens }: ShapeFlow, width: number) => [
  ...(split ? [split.batch, split.heads] : []),
  tokens,
  width,
];
const inside = ['scores', 'scaled', 'masked', 'weights', 'output'] as const;

const javascript = (of: ShapeFlow) => `// ${title}
import { load } from 'attention-wasm';

const attention = await load({ threads: 1 });
// ${remarks.any}
const numbers = (...shape) => ({ shape, data: new Float32Array(shape.reduce((a, b) => a * b)) });
const query = numbers(${listed(given(of, of.dk))});
const key = numbers(${listed(given(of, of.dk))});
const value = numbers(${listed(given(of, of.dv))});
const { steps } = attention.explain(query, key, value, { mask: 'causal' });
const expected = ${JSON.stringify(Object.fromEntries(inside.map((name) => [name, of.shapes[name]])), null, 2)};
for (const [name, shape] of Object.entries(expected)) {
  const found = steps[name].shape;
  if (String(found) !== String(shape)) throw new Error(name + ': ' + found + ' instead of ' + shape);
  console.log(name, JSON.stringify(found));
}
attention.dispose();
`;

function cpp({ split, tokens, model, dk, dv, shapes }: ShapeFlow) {
  const heads = split?.heads ?? 1;
  const check = (name: string, of: string) =>
    `  assert((${name} == Shape{${listed(shapes[of]!)}}));`;
  return `// ${title}
// g++ -std=c++20 this.cpp
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <utility>
#include <vector>

using Shape = std::vector<int>;

/// A row meets a column: what they share is summed away.
Shape product(Shape a, const Shape& b) {
  assert(a.back() == b.end()[-2]);
  a.back() = b.back();
  return a;
}
Shape transposed(Shape a) {
  std::swap(a.end()[-1], a.end()[-2]);
  return a;
}
${
  split
    ? `/// ${remarks.split}
Shape split(const Shape& a, int heads) {
  assert(a[2] % heads == 0);
  return {a[0], heads, a[1], a[2] / heads};
}
/// ${remarks.join}
Shape join(const Shape& a) { return {a[0], a[2], a[1] * a[3]}; }
`
    : ''
}
int main() {
  const int ${split ? `batch = ${split.batch}, heads = ${split.heads}, ` : ''}tokens = ${tokens}, model = ${model}, dk = ${dk}, dv = ${dv};
  const Shape x = {${split ? 'batch, ' : ''}tokens, model};
${check('x', 'x')}
  Shape query = product(x, {model, ${heads} * dk});
  Shape key = product(x, {model, ${heads} * dk});
  Shape value = product(x, {model, ${heads} * dv});
${check('query', 'query')}
${check('key', 'key')}
${check('value', 'value')}
${split ? '  for (Shape* each : {&query, &key, &value}) *each = split(*each, heads);\n' : ''}${check('query', 'split')}
  // scaling, mask and softmax leave the shape as it is
  const Shape weights = product(query, transposed(key));
${['scores', 'scaled', 'masked', 'weights'].map((name) => check('weights', name)).join('\n')}
  Shape output = product(weights, value);
${check('output', 'output')}
${split ? '  output = join(output);\n' : ''}${check('output', 'join')}
  assert((product(output, {${heads} * dv, model}) == Shape{${listed(shapes.result!)}}));
  std::puts("agrees");
}
`;
}

export const shapePrograms = (of: ShapeFlow): Programs => ({
  PyTorch: python(of, 'torch'),
  NumPy: python(of, 'np'),
  JavaScript: javascript(of),
  'C++': cpp(of),
});
