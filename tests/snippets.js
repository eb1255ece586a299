// Code blocks of documents that are marked to be run, and what they say they print.

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

export const numbersIn = (text) => (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);

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
