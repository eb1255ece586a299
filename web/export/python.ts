// A figure's calls in PyTorch and in NumPy.
import type { Call } from './exhibit.js';
import { each, emptyRemark, maskRemark, notations, parts, title } from './literal.js';

/** Q, K and V: given, or X times their matrices. */
function inputs(
  { query, key, value, projection }: ReturnType<typeof parts>,
  matrix: (text: string) => string,
): string {
  if (!projection) {
    return `query = ${matrix(query)}\nkey = ${matrix(key)}\nvalue = ${matrix(value)}`;
  }
  const roles = (['query', 'key', 'value'] as const).map(
    (role) => `w_${role} = ${matrix(projection[role])}\n${role} = x @ w_${role}`,
  );
  return [`x = ${matrix(projection.x)}`, ...roles].join('\n');
}

/** Asserts `name` against its numbers. */
const check = (library: string, name: string, matrix: string) =>
  `expected_${name} = ${matrix}\nassert ${library}.allclose(${name}, expected_${name}, **close), ${name}`;

const tolerances = {
  float16: 'rtol=2e-3, atol=1e-3',
  float32: 'rtol=1e-5, atol=1e-6',
  float64: 'rtol=1e-9, atol=1e-12',
};
type DType = keyof typeof tolerances;
const closeness = (dtype: DType) => `close = dict(${tolerances[dtype]}, equal_nan=True)`;

function torchProgram(call: Call): string {
  const of = parts(call, notations.python);
  const { weights, output, scale, allowed, bias, kept, dropout, hasEmptyRow, dtype } = of;
  // What float16 does not hold is refused at once, but turns into infinity when it is converted.
  const matrix = (text: string) =>
    dtype === 'float16'
      ? `torch.tensor(${text}).half()`
      : `torch.tensor(${text}, dtype=torch.${dtype})`;
  const biased = bias ? 'scaled + bias' : 'scaled';
  const empty = `# ${emptyRemark}\nweights = weights.masked_fill(~allowed.any(-1, keepdim=True), 0.0)\n`;
  return `${inputs(of, matrix)}
scale = ${scale}
${bias ? `bias = ${matrix(bias)}\n` : ''}${allowed ? `# ${maskRemark}\nallowed = torch.tensor(${allowed})\n` : ''}
scores = query @ key.T
scaled = scores * scale
masked = ${allowed ? `(${biased}).masked_fill(~allowed, float('-inf'))` : biased}
weights = torch.softmax(masked, dim=-1)
${hasEmptyRow ? empty : ''}${dropped('weights', kept && `torch.tensor(${kept})`, dropout?.p)}

${closeness(dtype)}
${check('torch', 'weights', matrix(weights))}
${check('torch', 'output', matrix(output))}
print(output)
`;
}

function numpyProgram(call: Call): string {
  const of = parts(call, notations.python);
  const { weights, output, scale, allowed, bias, kept, dropout, hasEmptyRow, dtype } = of;
  const matrix = (text: string) => `np.array(${text}, dtype=np.${dtype})`;
  const biased = bias ? 'scaled + bias' : 'scaled';
  const shift = hasEmptyRow
    ? `row_max = np.where(allowed.any(-1, keepdims=True), masked.max(-1, keepdims=True), 0.0)`
    : 'row_max = masked.max(-1, keepdims=True)';
  const divide = hasEmptyRow
    ? `# ${emptyRemark}\nweights = exponentials / np.where(allowed.any(-1, keepdims=True), row_sum, 1.0)`
    : 'weights = exponentials / row_sum';
  return `${inputs(of, matrix)}
scale = ${scale}
${bias ? `bias = ${matrix(bias)}\n` : ''}${allowed ? `# ${maskRemark}\nallowed = np.array(${allowed})\n` : ''}
scores = query @ key.T
scaled = scores * scale
masked = ${allowed ? `np.where(allowed, ${biased}, -np.inf)` : biased}
${shift}
exponentials = np.exp(masked - row_max)
row_sum = exponentials.sum(-1, keepdims=True)
${divide}
${dropped('weights', kept && `np.array(${kept})`, dropout?.p)}

${closeness(dtype)}
${check('np', 'weights', matrix(weights))}
${check('np', 'output', matrix(output))}
print(output)
`;
}

/** The weighted sum, after dropout where there is one; which weights it keeps is the library's draw. */
const dropped = (weights: string, kept: string | undefined, p = 0): string =>
  kept
    ? `# dropout: what is kept grows by 1 / (1 - p)
kept = ${kept}
dropped = ${p === 1 ? `${weights} * 0` : `${weights} * kept / (1 - ${p})`}
output = dropped @ value`
    : `output = ${weights} @ value`;

export const toPyTorch = (calls: readonly Call[]): string =>
  `# ${title}\nimport torch\n\n${each(calls, '#', torchProgram)}`;

export const toNumPy = (calls: readonly Call[]): string =>
  `# ${title}\nimport numpy as np\n\n${each(calls, '#', numpyProgram)}`;
