// Measures contestants side by side, in Node and in the browser alike.

import { cases, errorOf, makeInputs, operations } from './cases.js';

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/**
 * Medians of every contestant in every case, in milliseconds of the clock `now`: rounds in which each
 * has its turn, so that whatever else the machine does meets all of them. Slow contestants run once.
 */
export async function measure(
  contestants,
  { names, rounds, enough = 60, report = () => {}, now = () => performance.now() },
) {
  const results = [];
  for (const name of names) {
    const test = cases[name];
    const inputs = makeInputs(test);
    const entries = [];
    for (const contestant of contestants) {
      const entry = { contestant: contestant.name, group: contestant.group, times: [] };
      entries.push(entry);
      try {
        entry.run = await contestant.prepare(test, inputs);
        const started = performance.now();
        const output = await entry.run();
        entry.first = performance.now() - started;
        entry.error = errorOf(test, inputs, output);
        if (!(entry.error < 1e-4)) throw new Error(`wrong by ${entry.error}`);
        // Engines replace their first code by better one while it runs.
        const warm = performance.now();
        let calls = 0;
        while (calls < 1000 && performance.now() - warm < 5 * enough) {
          await entry.run();
          ++calls;
        }
        const usual = (performance.now() - warm) / calls;
        entry.once = entry.first > 5000 || (contestant.slow && entry.first > 1000);
        // Fast ones are called many times in a row, longer than the clock's resolution.
        entry.calls = Math.max(1, Math.min(20000, Math.round(enough / usual)));
      } catch (error) {
        entry.failed = error instanceof Error ? error.message.split('\n')[0] : String(error);
        entry.run = null;
      }
    }
    for (let round = 0; round < rounds; ++round) {
      for (const entry of entries) {
        if (!entry.run || (entry.once && round > 0)) continue;
        const started = now();
        for (let call = 0; call < entry.calls; ++call) await entry.run();
        entry.times.push((now() - started) / entry.calls);
      }
    }
    for (const { contestant, group, times, first, error, failed } of entries) {
      const milliseconds = failed === undefined ? median(times) : undefined;
      const gflops = milliseconds && operations(test) / milliseconds / 1e6;
      results.push({ case: name, contestant, group, milliseconds, gflops, first, error, failed });
      report(results.at(-1));
    }
  }
  return results;
}

/** Best peer over our best, for each case that both have. */
export function ratios(results) {
  const best = (name, group) =>
    results
      .filter((one) => one.case === name && one.group === group && one.milliseconds)
      .sort((a, b) => a.milliseconds - b.milliseconds)[0];
  const found = {};
  for (const name of new Set(results.map((one) => one.case))) {
    const [ours, peer] = [best(name, 'ours'), best(name, 'peer') ?? best(name, 'plain')];
    if (ours && peer) found[name] = peer.milliseconds / ours.milliseconds;
  }
  return found;
}
