// Runs the examples of the reference on the library.
import type {
  Attention,
  AttentionOptions,
  CompiledMask,
  ResultTensor,
  Tensor,
} from 'attention-wasm';
import sixSteps from '../examples/six-step.json' with { type: 'json' };
import { type MaskExample, type OptionExample, circumstances, refusedCalls } from './examples.js';

type Library = typeof import('attention-wasm');

/** The value of a JavaScript expression in which `names` are known. */
const evaluate = (expression: string, names: Record<string, unknown>): unknown =>
  // Our own text from examples.ts, nothing a reader could have written.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
  new Function(...Object.keys(names), `return async () => ${expression}`)(...Object.values(names));

const run = async <T>(expression: string, names: Record<string, unknown>): Promise<T> =>
  await (evaluate(expression, names) as () => Promise<T>)();

const inputs = ({ tensor }: Library): Record<'query' | 'key' | 'value', ResultTensor> => ({
  query: tensor(sixSteps.inputs.query),
  key: tensor(sixSteps.inputs.key),
  value: tensor(sixSteps.inputs.value),
});

export interface OptionRun {
  code: string;
  /** [T, S], also where the example does not ask for them. */
  weights: ResultTensor;
  firstQuery: number;
  /** Of each weight, the mask rules that make it 0. */
  cause: string[][][];
  /** Of the last query. */
  output: number[];
}

export async function runOption(
  library: Library,
  attention: Attention,
  { options, queries }: OptionExample,
): Promise<OptionRun> {
  const { query, key, value } = inputs(library);
  const all = query.shape[0]!;
  const count = queries ?? all;
  const width = query.shape[1]!;
  const some: Tensor = {
    shape: [count, width],
    data: (query.data as Float32Array).subarray((all - count) * width),
  };
  const given = await run<AttentionOptions>(`(${options})`, { ...library });
  const result = attention.scaledDotProductAttention(some, key, value, {
    ...given,
    returns: ['weights'],
  });
  const output = Array.from(result.output.data).slice(-value.shape[1]!);
  const weights = result.weights!;
  const [rows, keys] = weights.shape as [number, number];
  const mask = attention.mask(given.mask ?? [], { queries: count, keys, start: given.start });
  const cause = Array.from({ length: rows }, (_row, i) =>
    Array.from({ length: keys }, (_key, j) => mask.cause(0, 0, count - rows + i, j)),
  );
  mask.dispose();
  const name = queries ? `lastQueries` : 'query';
  return {
    code: `attention.scaledDotProductAttention(${name}, key, value, ${options});`,
    weights,
    firstQuery: all - rows,
    cause,
    output,
  };
}

export interface MaskRun {
  code: string;
  mask: CompiledMask;
  queries: number;
  keys: number;
  /** For each query the mean place of the keys it reads: a call in which all scores are equal. */
  meanKey: number[];
}

export async function runMask(
  library: Library,
  attention: Attention,
  { rule, queries = 8, start }: MaskExample,
): Promise<MaskRun> {
  const keys = 8;
  const place = start === undefined ? '' : `, start: ${start}`;
  const shape = `{ queries: ${queries}, keys: ${keys}${place} }`;
  const short = `attention.mask(${rule}, ${shape});`;
  const code = short.length <= 64 ? short : `attention.mask(\n  ${rule},\n  ${shape},\n);`;
  const mask = await run<CompiledMask>(code.slice(0, -1), { ...library, attention });
  const zeros = (length: number): Tensor => ({
    shape: [length, 1],
    data: new Float32Array(length),
  });
  const value: Tensor = {
    shape: [keys, 1],
    data: Float32Array.from({ length: keys }, (_, j) => j),
  };
  const options = await run<object>(`({ mask: ${rule}${place} })`, { ...library });
  const { output } = attention.scaledDotProductAttention(
    zeros(queries),
    zeros(keys),
    value,
    options,
  );
  return { code, mask, queries, keys, meanKey: Array.from(output.data) };
}

export interface Refusal {
  code: string;
  calls: { call: string; argument: string; message: string }[];
  /** Instead of calls, where no call alone brings it about. */
  when?: string;
}

/** Every error code with calls that have it, and what the library says of each. */
export async function runRefusals(library: Library, attention: Attention): Promise<Refusal[]> {
  const disposed = await library.load({ threads: 1 });
  disposed.dispose();
  const names = {
    ...library,
    ...inputs(library),
    attention,
    disposed,
    attend: attention.scaledDotProductAttention.bind(attention),
    batchOf2: { shape: [2, 1, 2, 1], data: new Float32Array(4) },
    cacheOf2: attention.createCache({ headDim: 3, capacity: 2 }),
    long: { shape: [200_000, 1], data: new Float32Array(200_000) },
  };
  const refusals: Refusal[] = [];
  for (const [code, calls] of Object.entries(refusedCalls)) {
    const said = [];
    for (const call of calls) {
      const { argument, message } = await refusal(library, code, call, names);
      said.push({ call, argument, message });
    }
    refusals.push({ code, calls: said });
  }
  const others = Object.entries(circumstances).map(([code, when]) => ({ code, calls: [], when }));
  return [...refusals, ...others];
}

async function refusal(
  { AttentionError }: Library,
  code: string,
  call: string,
  names: Record<string, unknown>,
) {
  try {
    await run(call, names);
  } catch (error) {
    if (error instanceof AttentionError && error.code === code) return error;
    throw new Error(`${call} is refused otherwise than with '${code}'`, { cause: error });
  }
  throw new Error(`${call} is not refused`);
}
