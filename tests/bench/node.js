// One round of measurements in this Node, as a process of its own: runtimes choose their number of
// threads once. Prints one JSON line for each result, then one with what was measured.
//   node node.js '{ "threads": 1, "names": ["A"], "rounds": 5, "peers": "/folder/or/null" }'

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load } from 'attention-wasm';
import { onnxRuntime, ours, plain, tensorFlow } from './contestants.js';
import { limits } from './limit.js';
import { measure } from './measure.js';

const { threads, names, rounds, enough, peers } = JSON.parse(process.argv[2]);

const contestants = await ours({ load, threads });
const versions = { node: process.version, v8: process.versions.v8 };
if (threads === 1) contestants.push(plain, ...limits());
if (peers) {
  const require = createRequire(join(peers, 'package.json'));
  const versionOf = (name) =>
    JSON.parse(readFileSync(join(peers, 'node_modules', name, 'package.json'), 'utf8')).version;
  for (const name of ['onnxruntime-web', '@tensorflow/tfjs-backend-wasm']) {
    versions[name] = versionOf(name);
  }
  const ort = await import(
    pathToFileURL(join(peers, 'node_modules/onnxruntime-web/dist/ort.node.min.mjs')).href
  );
  contestants.push(...onnxRuntime({ ort: ort.default ?? ort, threads }));
  const wasmPaths = join(peers, 'node_modules/@tensorflow/tfjs-backend-wasm/dist/');
  const tf = require('@tensorflow/tfjs-core');
  const wasm = require('@tensorflow/tfjs-backend-wasm');
  contestants.push(await tensorFlow({ tf, wasm, threads, wasmPaths }));
}
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
// One thread is measured by its own clock, which stands still while other programs run. It ticks
// every few milliseconds: of so long a turn that is 1 %.
const cpu = threads === 1 && enough > 50 && process.threadCpuUsage;
const now = () => {
  if (!cpu) return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
await measure(contestants, {
  names,
  rounds,
  enough,
  turn: cpu ? 400 : enough,
  now,
  report: (result) => print({ result }),
});
print({ versions, clock: cpu ? 'cpu' : 'wall' });
process.exit(0); // the peers' threads would keep the process alive
