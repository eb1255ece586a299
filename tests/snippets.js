// Code blocks of documents that are marked to be run, and what they say they print.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The blocks ```LANGUAGE run of a Markdown text. */
export const snippets = (text, language) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language} run\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code]) => code,
  );

/** For each console.log of a snippet the numbers in the comment behind it, or null without one. */
export const announced = (code) =>
  [...code.matchAll(/console\.log\(.*\);(?:\s*\/\/(.*))?$/gm)].map(
    ([, comment]) => comment && numbersIn(comment),
  );

/** The numbers of a text; true counts as 1 and false as 0. */
export const numbersIn = (text) =>
  (text.match(/-?\d+(?:\.\d+)?|\b(?:true|false)\b/g) ?? []).map((word) => Number(JSON.parse(word)));

/** Where printed and announced numbers differ by more than their rounding; null where they agree. */
export function difference(printed, announcedNumbers) {
  for (const [at, expected] of announcedNumbers.entries()) {
    if (expected === null || expected === undefined) continue;
    const actual = printed[at] ?? [];
    const same =
      actual.length === expected.length &&
      expected.every((number, place) => Math.abs(number - actual[place]) < 6e-5);
    if (!same) return `console.log ${at + 1} printed ${actual}, the comment says ${expected}`;
  }
  return printed.length === announcedNumbers.length ? null : `${printed.length} lines were printed`;
}

/** Put before a snippet: prints a line of JSON, with the numbers of typed arrays. */
const recorder = String.raw`console.log = (...all) => {
  const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
  process.stdout.write(JSON.stringify(all, plain) + '\n');
};
`;

/** Runs a snippet as a module of its own and returns the numbers of each console.log. */
export function run(code, name) {
  const folder = new URL('../build/snippets/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = fileURLToPath(new URL(name, folder));
  writeFileSync(file, recorder + code);
  const output = execFileSync(process.execPath, [...process.execArgv.filter(isEngineFlag), file], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  return output.trim().split('\n').map(numbersIn);
}
const isEngineFlag = (flag) => flag.startsWith('--experimental-wasm');
