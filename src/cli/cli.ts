#!/usr/bin/env node
// npx attention-wasm: the command line.

import { AttentionError, load } from 'attention-wasm';
import type { Attention } from 'attention-wasm';
import { bench } from './bench.js';
import { explain } from './explain.js';
import { table } from './table.js';
import { help, read, UsageError, type Usage } from './usage.js';

/** What a command found: for people, and for programs. */
export interface Report {
  text: string;
  data: unknown;
}

function info(attention: Attention): Report {
  const { why, ...rest } = attention.info;
  const data = { ...rest, node: process.versions.node, why };
  const rows = Object.entries({ ...rest, node: data.node }).map(([name, value]) => [
    name,
    String(value),
  ]);
  return { text: [table(rows), ...why.map((sentence) => `  ${sentence}`)].join('\n'), data };
}

async function report(usage: Usage): Promise<Report> {
  if (usage.command === 'help') return { text: help, data: help };
  const attention = await load(usage.load);
  try {
    switch (usage.command) {
      case 'explain':
        return await explain(attention, usage);
      case 'bench':
        return bench(attention);
      case 'info':
        return info(attention);
      case 'version':
        return { text: attention.info.version, data: attention.info.version };
    }
  } finally {
    attention.dispose();
  }
}

/** JSON has no infinities and no NaN: they become texts. */
const plain = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

// Whoever reads the output may have seen enough: `| head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  const usage = read(process.argv.slice(2));
  const { text, data } = await report(usage);
  console.log(usage.json ? JSON.stringify(data, plain) : text);
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`${error.message}\nattention-wasm --help says what there is.`);
    process.exitCode = 2;
  } else if (error instanceof AttentionError) {
    console.error(error.message);
    process.exitCode = error.argument in { threads: 0, simd: 0 } ? 2 : 1;
  } else {
    throw error;
  }
}
