// A figure's calls in JavaScript, with this library.
import type { Call } from './exhibit.js';
import { notations, parts, title } from './literal.js';

const productFunction = `const product = (a, b) =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, x, l) => sum + x * b[l][j], 0)));
`;

function inputs({ query, key, value, projection }: ReturnType<typeof parts>): string {
  if (!projection) return `const query = ${query};\nconst key = ${key};\nconst value = ${value};`;
  const roles = (['query', 'key', 'value'] as const).map(
    (role) => `const ${role} = product(x, ${projection[role]});`,
  );
  return [`const x = ${projection.x};`, ...roles].join('\n');
}

function program(call: Call): string {
  const of = parts(call, notations.javascript);
  return `${inputs(of)}
const options = ${JSON.stringify(call.frame.case.options)};
const { steps } = attention.explain(given(query), given(key), given(value), options)${of.dtype === 'float16' ? '.unwidened' : ''};

const expectedWeights = ${of.weights};
const expectedOutput = ${of.output};
assertClose('weights', toNested(steps.weights), expectedWeights);
assertClose('output', toNested(steps.output), expectedOutput);
console.log(JSON.stringify(toNested(steps.output)));
`;
}

/** A block of its own for each call, where there are several. */
const block = (call: Call) =>
  call.name ? `// ${call.name}\n{\n${program(call).replace(/^(?=.)/gm, '  ')}}\n` : program(call);

export function toJavaScript(calls: readonly Call[]): string {
  // All calls of a figure are of one type.
  const dtype = calls[0]?.frame.case.dtype ?? 'float64';
  const near = dtype === 'float64' ? '1e-12 + 1e-9' : '1e-6 + 1e-5';
  return `// ${title}
import { load, tensor, toNested } from 'attention-wasm';

const attention = await load({ threads: 1 });
const given = (rows) => tensor(rows, '${dtype}');
${calls.some(({ projection }) => projection) ? productFunction : ''}const isClose = (a, b) => Object.is(a, b) || Math.abs(a - b) <= ${near} * Math.abs(b);
function assertClose(name, matrix, expected) {
  const isSame = expected.every((row, i) => row.every((x, j) => isClose(matrix[i][j], x)));
  if (!isSame) throw new Error(name + ' differ: ' + JSON.stringify(matrix));
}

${calls.map(block).join('\n')}
attention.dispose();
`;
}
