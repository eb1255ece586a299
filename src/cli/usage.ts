// What the command line understands.

import { parseArgs } from 'node:util';

/** A command that is not understood. */
export class UsageError extends Error {}

export const help = `attention-wasm: exact scaled dot-product attention

  attention-wasm explain FILE…   every step of one call, and what is suspicious in it
  attention-wasm bench           how fast some calls are on this machine
  attention-wasm info            which build runs here, and why not a better one

explain reads one call from all its files together:
  .json                          { "inputs": { "query", "key", "value" }, "options", "dtype", "tokens" }
  .npy .npz .safetensors         tensors named query, key and value (or q, k, v), bias, sinks, and as
                                 masks allowed (true: may be read) or blocked (true: may not)
  --query, --key, --value NAME   which tensors of the files to take instead
  --options JSON                 options of the call: '{ "mask": "causal", "scale": 1 }'
  --step NAME                    only this step, such as weights; can be given several times
  --limit N                      rows and columns that are shown of a matrix, default 12; 0: all

For every command:
  --json                         the result as JSON
  --threads N                    default: as many as there are cores
  --simd baseline|relaxed        default: relaxed where this Node has it
  --help, --version

Exit code: 0; 1 when the input is at fault; 2 when the command is.`;

const text = { type: 'string' } as const;
const general = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  threads: text,
  simd: text,
} as const;
const ofExplain = {
  query: text,
  key: text,
  value: text,
  options: text,
  step: { type: 'string', multiple: true },
  limit: text,
} as const;

const commands = ['explain', 'bench', 'info'] as const;
type Command = (typeof commands)[number];

export interface Usage {
  command: Command | 'help' | 'version';
  files: string[];
  json: boolean;
  load: { threads?: number; simd?: 'baseline' | 'relaxed' };
  /** Which tensors of the files are the query, the key and the value. */
  names: { query?: string; key?: string; value?: string };
  options: string;
  steps: string[];
  limit: number;
}

/** @throws UsageError */
export function read(words: string[]): Usage {
  const { values, positionals } = parsed(words);
  const [command = '', ...files] = positionals;
  const { query, key, value, threads, simd } = values;
  const usage = {
    files,
    json: values.json ?? false,
    load: {
      ...(threads !== undefined && { threads: whole('threads', threads) }),
      ...(simd !== undefined && { simd: simd as 'baseline' }),
    },
    names: {
      ...(query !== undefined && { query }),
      ...(key !== undefined && { key }),
      ...(value !== undefined && { value }),
    },
    options: values.options ?? '{}',
    steps: values.step ?? [],
    limit: whole('limit', values.limit ?? '12') || Infinity,
  };
  if (values.help || words.length === 0) return { command: 'help', ...usage };
  if (values.version) return { command: 'version', ...usage };
  const known = commands.find((name) => name === command);
  if (!known) {
    throw new UsageError(`there is no command '${command}'; there are ${commands.join(', ')}`);
  }
  const foreign = Object.keys(ofExplain).find((name) => name in values);
  if (known !== 'explain' && (foreign ?? files[0]) !== undefined) {
    const what = foreign === undefined ? `file ${files[0]}` : `--${foreign}`;
    throw new UsageError(`${known} takes no ${what}; only explain does`);
  }
  if (known === 'explain' && files.length === 0) {
    throw new UsageError('explain needs a file: a .json, .npy, .npz or .safetensors');
  }
  return { command: known, ...usage };
}

function parsed(words: string[]) {
  try {
    const options = { ...general, ...ofExplain };
    return parseArgs({ args: words, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function whole(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is '${text}'; give a whole number`);
}
