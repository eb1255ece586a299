// The counts of the cost figure as programs.
import type { Programs } from './exhibit.js';

export interface Cost {
  sizes: Record<'batch' | 'heads' | 'tokens' | 'width', number>;
  counts: Record<keyof typeof formulas, number>;
}

/** Read alike by every language here. The later ones use the earlier ones. */
const formulas = {
  core: '2 * batch * heads * tokens * tokens * (width + width)',
  causal: 'core * allowed / (tokens * tokens)',
  projections: '8 * batch * tokens * (heads * width) * (heads * width)',
  stored: '2 * batch * heads * tokens * tokens * 4',
  tiled: '4 * batch * heads * tokens * width * 4',
};
const remarks: Record<keyof typeof formulas, string> = {
  core: 'operations of QK^T and of A V; a product and its sum are two',
  causal: 'of which a causal mask leaves',
  projections: 'operations of the four projections',
  stored: 'bytes of scores and weights in float32, if they are stored',
  tiled: 'bytes of Q, K, V and the output, which is all that tiles keep',
};
const names = Object.keys(formulas) as (keyof typeof formulas)[];

const title = 'The cost of attention with the numbers of a figure; fails where they differ.';
const allowedRemark = 'under a causal mask query i may read i keys';

const lines = (line: (name: keyof typeof formulas) => string) => names.map(line).join('\n');

const python = ({ sizes, counts }: Cost, module: string, own: string) => `# ${title}
from math import isclose

${module}

${Object.keys(sizes).join(', ')} = ${Object.values(sizes).join(', ')}
# ${allowedRemark}
allowed = tokens * (tokens + 1) // 2

${lines((name) => `# ${remarks[name]}\n${name} = ${formulas[name]}`)}

${lines((name) => `assert isclose(${name}, ${counts[name]}, rel_tol=1e-12), ${name}`)}

${own}
print(${names.join(', ')})
`;

const javascript = ({ sizes, counts }: Cost) => `// ${title}
import { load } from 'attention-wasm';

const [${Object.keys(sizes).join(', ')}] = [${Object.values(sizes).join(', ')}];
const attention = await load({ threads: 1 });
// ${allowedRemark}: the library counts them
const mask = attention.mask('causal', { queries: tokens, keys: tokens });
const allowed = mask.allowedCells;

${lines((name) => `// ${remarks[name]}\nconst ${name} = ${formulas[name]};`)}

function assertClose(name, counted, expected) {
  const isSame = Math.abs(counted - expected) <= 1e-12 * expected;
  if (!isSame) throw new Error(name + ' differ: ' + counted);
}
assertClose('allowed pairs', allowed, (tokens * (tokens + 1)) / 2);
${lines((name) => `assertClose('${name}', ${name}, ${counts[name]});`)}
console.log(JSON.stringify([${names.join(', ')}]));
mask.dispose();
attention.dispose();
`;

const cpp = ({ sizes, counts }: Cost) => `// ${title}
// g++ -std=c++20 this.cpp
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <cstdio>

bool is_close(double counted, double expected) {
  return std::abs(counted - expected) <= 1e-12 * expected;
}

int main() {
  const double ${Object.entries(sizes)
    .map(([name, size]) => `${name} = ${size}`)
    .join(', ')};
  // ${allowedRemark}
  double allowed = 0;
  for (double i = 1; i <= tokens; ++i) allowed += i;
${lines((name) => `  // ${remarks[name]}\n  const double ${name} = ${formulas[name]};`)}

${lines((name) => `  assert(is_close(${name}, ${counts[name]}));`)}
  std::puts("agrees");
}
`;

export const costPrograms = (of: Cost): Programs => ({
  PyTorch: python(
    of,
    'import torch',
    `# the same bytes, of tensors that have a shape and no memory
def size(*shape):
    empty = torch.empty(shape, dtype=torch.float32, device='meta')
    return empty.nelement() * empty.element_size()

assert 2 * size(batch, heads, tokens, tokens) == stored
assert 4 * size(batch, heads, tokens, width) == tiled`,
  ),
  NumPy: python(
    of,
    'import numpy as np',
    `# the same bytes, of arrays that have a shape and one number
def size(*shape):
    return np.broadcast_to(np.float32(0), shape).nbytes

assert 2 * size(batch, heads, tokens, tokens) == stored
assert 4 * size(batch, heads, tokens, width) == tiled`,
  ),
  JavaScript: javascript(of),
  'C++': cpp(of),
});
