// One call to the library, read from files.

import { readFile } from 'node:fs/promises';
import { AttentionError, tensor, toNested } from 'attention-wasm';
import type { AttentionOptions, DType, MaskRule, Nested, Tensor } from 'attention-wasm';
import { readTensors } from 'attention-wasm/files';

export interface Call {
  query: Tensor;
  key: Tensor;
  value: Tensor;
  options: AttentionOptions;
  /** What the rows and columns are, if the files say it. */
  tokens: { queries?: string[]; keys?: string[] };
}

type Names = Partial<Record<'query' | 'key' | 'value', string>>;
type Tensors = Map<string, Tensor>;

/** What a .json file holds. */
interface Case {
  inputs?: Record<string, Nested>;
  options?: AttentionOptions;
  dtype?: DType;
  tokens?: Call['tokens'];
}

/** What there can be in it: first what is read, then what only says where a case is from. */
const caseKeys = [
  ...['inputs', 'options', 'dtype', 'tokens'],
  ...['title', 'source', 'note', 'expected', 'tolerance', 'article', 'headDims', 'projections'],
];

/**
 * The call that some files hold together.
 *
 * @param names which tensors are the query, the key and the value, where they are called otherwise
 * @param options as JSON; these come on top of those in the files
 */
export async function readCall(files: string[], names: Names, options: string): Promise<Call> {
  const tensors: Tensors = new Map();
  let inFiles: AttentionOptions = {};
  let tokens: Call['tokens'] = {};
  for (const file of files) {
    const bytes = await contents(file);
    const isCase = /\.json$/i.test(file);
    const found = isCase
      ? readCase(parse(bytes, file), file)
      : { tensors: await readTensors(bytes, file) };
    for (const [name, one] of found.tensors) {
      if (tensors.has(name)) throw wrong(file, `the tensor ${name} is in another file too`);
      tensors.set(name, one);
    }
    if ('options' in found) inFiles = { ...inFiles, ...found.options };
    if ('tokens' in found) tokens = { ...tokens, ...found.tokens };
  }
  const given = parse(options, '--options') as AttentionOptions;
  return { ...assemble(tensors, names, { ...inFiles, ...given }), tokens };
}

async function contents(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw wrong(file, `it cannot be read: ${(error as Error).message}`);
  }
}

/** JSON, in which infinities and NaN are written as texts. */
function parse(source: string | Uint8Array, name: string): object {
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
  const special = /^(-?Infinity|NaN)$/;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, (_, value: unknown) =>
      typeof value === 'string' && special.test(value) ? Number(value) : value,
    );
  } catch (error) {
    throw wrong(name, `it is no JSON: ${(error as Error).message}`);
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw wrong(name, 'it has to be a JSON object, { … }');
}

function readCase(found: Case, file: string) {
  const unknown = Object.keys(found).find((name) => !caseKeys.includes(name));
  if (unknown !== undefined) {
    throw wrong(file, `it has no place for '${unknown}'; there is ${caseKeys.join(', ')}`);
  }
  const { inputs = {}, options = {}, dtype = 'float64', tokens = {} } = found;
  const tensors: Tensors = new Map();
  for (const [name, nested] of Object.entries(inputs)) {
    const place = `${file}: inputs.${name}`;
    if (!Array.isArray(nested)) throw wrong(place, 'it has to be an array');
    try {
      tensors.set(name, tensor(nested, dtype));
    } catch (error) {
      throw wrong(place, (error as Error).message);
    }
  }
  return { tensors, options, tokens };
}

const short: Record<string, string> = { q: 'query', k: 'key', v: 'value' };

function assemble(tensors: Tensors, names: Names, options: AttentionOptions) {
  const roles: Tensors = new Map();
  const rest: string[] = [];
  for (const [name, one] of tensors) {
    const chosen = Object.entries(names).find(([, wanted]) => wanted === name)?.[0];
    const role = chosen ?? short[name.toLowerCase()] ?? name.toLowerCase();
    if (chosen === undefined && role in names) continue; // another was chosen for this
    const known = ['query', 'key', 'value', 'bias', 'sinks', 'allowed', 'blocked'].includes(role);
    if (known) roles.set(role, one);
    else rest.push(name);
  }
  const [query, key, value] = ['query', 'key', 'value'].map((role) => {
    const found = roles.get(role);
    if (found) return found;
    const there = [...tensors.keys()].join(', ') || 'none';
    throw wrong(role, `no tensor of that name; there are: ${there}. Choose with --${role} NAME`);
  }) as [Tensor, Tensor, Tensor];
  if (rest.includes('mask')) {
    const remedy = 'call it allowed (true: may be read), blocked (true: may not) or bias (added)';
    throw wrong('mask', `a tensor of that name does not say what true means; ${remedy}`);
  }
  if (rest.length > 0 && Object.keys(names).length < 3) {
    const remedy = 'name all three with --query, --key and --value to leave others out';
    throw wrong(rest[0]!, `this tensor has no place in the call; ${remedy}`);
  }
  const rules = ['allowed', 'blocked'].flatMap((kind) => {
    const mask = roles.get(kind);
    return mask ? [{ kind, mask: asBool(mask, kind) } as MaskRule] : [];
  });
  const bias = roles.get('bias');
  const sinks = roles.get('sinks');
  return {
    query,
    key,
    value,
    options: {
      ...(bias && { bias }),
      ...(sinks && { sinks: toNested(sinks) as number[] }),
      ...options,
      ...(rules.length > 0 && { mask: rules.concat(options.mask ?? []) }),
    },
  };
}

/** Masks are often stored as numbers. */
function asBool(mask: Tensor, name: string): Tensor {
  if (mask.dtype === 'bool') return mask;
  const odd = mask.data.find((number) => number !== 0 && number !== 1);
  if (odd === undefined) return { ...mask, data: Uint8Array.from(mask.data), dtype: 'bool' };
  throw wrong(name, `a mask holds 0 and 1, this one holds ${odd}; call what is added bias`);
}

const wrong = (name: string, what: string): AttentionError =>
  new AttentionError('file', name, `${name}: ${what}`);
