// The calls that a profile watches, in Node and in the browser alike.

import { cases, makeInputs, operations } from './cases.js';
import { builds } from './contestants.js';
import { limits } from './limit.js';

/** Keys of a decoding call whose keys and values fit into the second cache. */
const nearKeys = 128;

/**
 * { repeat(what, milliseconds), copying(what, milliseconds), whats, dispose() }: `what` is the call of this name in cases.js,
 * relaxed SIMD on one thread, or what it is compared with: the limit, for decoding the same call
 * on few keys and on one, and where two threads are to gain something, that call on two.
 */
export async function watched(name, load) {
  const [contestant] = await builds({ load, threads: 1, simds: ['relaxed'] });
  const [limit] = limits();
  if (!contestant || limit?.simd !== 'relaxed') throw new Error('this engine has no relaxed SIMD');
  const prepare = async (test, by = contestant) => {
    const prepared = await by.prepare(test, makeInputs(test));
    return typeof prepared === 'function' ? { run: prepared } : prepared;
  };
  const test = cases[name];
  const calls = { call: await prepare(test), limit: { run: limit.prepare() } };
  if (test.cached) {
    calls.near = await prepare({ ...test, keys: 1 + nearKeys });
    calls.one = await prepare({ ...test, keys: 1 });
  }
  if (test.scaling) {
    const [two] = await builds({ load, threads: 2, simds: ['relaxed'] });
    calls.pair = await prepare(test, two);
  }
  const repeat = (what, milliseconds) => timed(calls[what].run, milliseconds);
  for (const what of Object.keys(calls)) repeat(what, 500);
  return {
    repeat,
    copying: (what, milliseconds) => timeCopying(() => repeat(what, milliseconds)),
    whats: Object.keys(calls),
    dispose: () => Object.values(calls).forEach(({ dispose }) => dispose?.()),
  };
}

/** From the times of all of them, milliseconds: the products' share of the limit, near keys' time. */
export function comparison(name, times, products) {
  const test = cases[name];
  const speed = operations(test) / (times.call * products);
  const [limit] = limits();
  const whole = !test.causal && !test.lengths;
  return {
    ofLimit: whole ? speed / (limit.operations / times.limit) : undefined,
    near: test.cached ? ((times.near - times.one) * test.keys) / nearKeys / times.call : undefined,
  };
}

/** Of the time that a repetition takes the share in which its thread copies arrays. */
function timeCopying(repetition) {
  const { prototype } = Object.getPrototypeOf(Float32Array);
  const { set } = prototype;
  let spent = 0;
  prototype.set = function (...args) {
    const begun = performance.now();
    set.apply(this, args);
    spent += performance.now() - begun;
  };
  try {
    const begun = performance.now();
    repetition();
    return spent / (performance.now() - begun);
  } finally {
    prototype.set = set;
  }
}

/** Runs for about so long; milliseconds of a run. */
function timed(run, milliseconds) {
  const started = performance.now();
  let runs = 0;
  do {
    run();
    ++runs;
  } while (performance.now() - started < milliseconds);
  return (performance.now() - started) / runs;
}
