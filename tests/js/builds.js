// The builds and the two ways of calling that the conformance tests run over.
import assert from 'node:assert/strict';
import v8 from 'node:v8';
import { load } from 'attention-wasm';

// Node 20 has relaxed SIMD behind a flag.
if (process.versions.node.startsWith('20.')) {
  v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
}

/** ATTENTION_BUILDS=baseline:1,relaxed:2 limits a run to some of them. */
const wanted = process.env.ATTENTION_BUILDS ?? 'baseline:1,baseline:2,relaxed:1,relaxed:2';

/** One loaded instance for each build, as { name, attention }. */
export const instances = await Promise.all(
  wanted.split(',').map(async (name) => {
    const [simd, threads] = name.split(':');
    const attention = await load({ simd, threads: Number(threads) });
    assert.equal(attention.info.simd, simd, String(attention.info.why));
    assert.equal(attention.info.threads, Number(threads), String(attention.info.why));
    return { name, attention };
  }),
);

/** Both ways to ask, answering alike: call → { output, lse, weights }. */
export const paths = {
  explain(attention, { query, key, value, options }) {
    const { steps, lse } = attention.explain(query, key, value, options);
    return { output: steps.output, lse, weights: steps.dropped ?? steps.weights };
  },
  call(attention, { query, key, value, options }) {
    const returns = ['lse', 'weights'];
    return attention.scaledDotProductAttention(query, key, value, { ...options, returns });
  },
};

/** Every build asked in both ways, as { name, run }; `run` answers a call. */
export const runs = instances.flatMap(({ name, attention }) =>
  Object.entries(paths).map(([path, ask]) => ({
    name: `${name} ${path}`,
    run: (call) => ask(attention, call),
  })),
);
