// Measures contestants side by side, in Node and in the browser alike.

import { cases, errorOf, makeInputs, operations } from './cases.js';

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Whether a contestant takes part: some cases compare this library with itself or plain JavaScript. */
function takesPart({ group }, { share, scaling, rival = 'peer', cached }) {
  if (group === 'limit') return share !== undefined;
  if (group === 'alone') return scaling !== undefined;
  if (group === 'plain') return (rival === 'peer' && !cached) || rival === 'plain';
  return group === 'ours' || rival === 'peer';
}

/** The case as one contestant does it, and how many times as much the whole would be. */
function partFor({ group }, test, inputs) {
  if (group !== 'plain' || !test.plainHeads) return { test, inputs, times: 1 };
  const part = { ...test, heads: test.plainHeads, kvHeads: test.plainHeads };
  return { test: part, inputs: makeInputs(part), times: test.heads / test.plainHeads };
}

/** Prepares a contestant, checks its answer and finds how long a call takes, in milliseconds. */
async function start(contestant, wholeTest, wholeInputs, enough) {
  const { test, inputs, times } = partFor(contestant, wholeTest, wholeInputs);
  const prepared = await contestant.prepare(test, inputs);
  const { run, dispose } = typeof prepared === 'function' ? { run: prepared } : prepared;
  const started = performance.now();
  const output = await run();
  const first = performance.now() - started;
  const error = contestant.group === 'limit' ? 0 : errorOf(test, inputs, output);
  if (!(error < 1e-4)) throw new Error(`wrong by ${error}`);
  // Engines replace their first code by better one while it runs.
  const warm = performance.now();
  let calls = 0;
  while (calls < 1000 && performance.now() - warm + first < 5 * enough) {
    await run();
    ++calls;
  }
  const usual = calls ? (performance.now() - warm) / calls : first;
  return { run, dispose, first, error, usual, times };
}

/**
 * Medians of every contestant in every case, in milliseconds of the clock `now`: rounds in which each
 * has its turn, so that whatever else the machine does meets all of them. Slow ones have fewer turns.
 * A contestant is made warm for five times `enough` milliseconds, and a turn lasts about `turn`.
 */
export async function measure(
  contestants,
  { names, rounds, enough = 60, turn = enough, report = () => {}, now = () => performance.now() },
) {
  for (const name of names) {
    const test = cases[name];
    const inputs = makeInputs(test);
    const entries = [];
    for (const contestant of contestants.filter((one) => takesPart(one, test))) {
      const entry = { contestant, durations: [] };
      entries.push(entry);
      try {
        Object.assign(entry, await start(contestant, test, inputs, enough));
        // Fast ones are called many times in a row, longer than the clock's resolution.
        entry.calls = Math.max(1, Math.min(200_000, Math.round(turn / entry.usual)));
        entry.turns = Math.min(rounds, Math.ceil((50 * enough) / entry.usual));
        if (entry.first > 50 * enough) {
          entry.turns = 0;
          entry.durations.push(entry.first * entry.times);
        }
      } catch (error) {
        entry.failed = error instanceof Error ? error.message.split('\n')[0] : String(error);
      }
    }
    for (let round = 0; round < rounds; ++round) {
      for (const entry of entries) {
        if (entry.failed !== undefined || round >= entry.turns) continue;
        const started = now();
        for (let call = 0; call < entry.calls; ++call) await entry.run();
        entry.durations.push(((now() - started) / entry.calls) * entry.times);
      }
    }
    for (const { contestant, durations, first, error, failed, dispose } of entries) {
      const milliseconds = failed === undefined ? median(durations) : undefined;
      report({
        ...{ case: name, contestant: contestant.name, group: contestant.group },
        ...{ simd: contestant.simd, milliseconds, first, error, failed },
        gflops: milliseconds && (contestant.operations ?? operations(test)) / milliseconds / 1e6,
        memory: contestant.memory?.(),
      });
      await dispose?.();
    }
  }
}

/**
 * What each case shows: for each kind of SIMD our result, its ratio to the rival, its share of the
 * limit, and how many times as fast as one thread it is.
 */
export function outcomes(results) {
  const found = {};
  for (const name of new Set(results.map((one) => one.case))) {
    const { rival = 'peer', aims, share, scaling } = cases[name];
    const best = (wanted) =>
      results
        .filter((one) => one.milliseconds && wanted(one))
        .sort((a, b) => a.milliseconds - b.milliseconds)[0];
    const ofCase = (group) => best((one) => one.case === name && one.group === group);
    found[name] = { peer: ofCase('peer'), plain: ofCase('plain'), ours: {} };
    ['relaxed', 'baseline'].forEach((simd, n) => {
      const result = (group, of) =>
        best((one) => one.case === of && one.group === group && one.simd === simd);
      const ours = result('ours', name);
      if (!ours) return;
      const other =
        { peer: found[name].peer, plain: found[name].plain }[rival] ?? result('ours', rival);
      const limit = result('limit', name);
      const alone = result('alone', name);
      found[name].ours[simd] = {
        milliseconds: ours.milliseconds,
        ratio: other && other.milliseconds / ours.milliseconds,
        aim: aims?.[n],
        share: limit && ours.gflops / limit.gflops,
        shareAim: share,
        scaling: alone && alone.milliseconds / ours.milliseconds,
        scalingAim: scaling,
      };
    });
  }
  return found;
}
