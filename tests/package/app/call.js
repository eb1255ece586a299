// A user's own code: the package called where it was loaded, and in a worker.

import { load, loadWorker } from 'attention-wasm';
import { key, options, query, value } from './inputs.js';

/** { output, lse, info } with plain arrays. */
export async function callHere(settings) {
  const attention = await load(settings);
  const result = attention.scaledDotProductAttention(query, key, value, options);
  attention.dispose();
  return plain(result, attention.info);
}

export async function callInWorker(settings) {
  const attention = await loadWorker(settings);
  const result = await attention.scaledDotProductAttention(query, key, value, options);
  attention.dispose();
  return plain(result, attention.info);
}

export const callBoth = async (settings) => ({
  here: await callHere(settings),
  inWorker: await callInWorker(settings),
});

const plain = ({ output, lse }, info) => ({
  output: [...output.data],
  lse: [...lse.data],
  info,
});
