// The documentation keeps its promises: its snippets run and print what they say, in both languages.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { announced, difference, run, snippets } from './snippets.js';

const content = new URL('../web/content/', import.meta.url);
const read = (file) => readFileSync(new URL(file, content), 'utf8');
const files = readdirSync(new URL('en/docs/', content));
const withoutComments = (code) => code.replace(/\/\/.*$/gm, '');

for (const file of files) {
  const blocks = snippets(read(`en/docs/${file}`), 'js');
  if (blocks.length === 0) continue;
  test(`${file}: the snippets print what they say`, () => {
    blocks.forEach((code, at) => {
      assert.ok(announced(code).length > 0, `nothing is printed:\n${code}`);
      const printed = run(code, `docs-${file}-${at}.mjs`);
      assert.equal(difference(printed, announced(code)), null, code);
    });
  });
}

test('the Chinese snippets are the English ones, with what they print', () => {
  for (const file of files) {
    const [english, chinese] = ['en', 'zh'].map((language) =>
      snippets(read(`${language}/docs/${file}`), 'js'),
    );
    assert.deepEqual(chinese.map(withoutComments), english.map(withoutComments), file);
    assert.deepEqual(chinese.map(announced), english.map(announced), file);
  }
});

test('what a bundler is told is what the tests of the package tell it', () => {
  const tests = ['bundlers.test.js', 'users.js', 'browser.test.js']
    .map((file) => readFileSync(new URL(`package/${file}`, import.meta.url), 'utf8'))
    .join('\n');
  const blocks = [...read('en/docs/05-bundlers.md').matchAll(/^```\w+\n(.*?)^```$/gms)];
  const settings = blocks.flatMap(([, code]) => [
    ...code.matchAll(
      /^ *((?:alias|external|paths|format|optimizeDeps|worker|'Cross-[\w-]+'): .*|\{ "imports".*)$/gm,
    ),
    ...code.matchAll(/(external: \[[^\]]*\])/g),
  ]);
  assert.ok(settings.length > 6);
  for (const [, setting] of settings) assert.ok(tests.includes(setting), setting);
});

test('most of the snippets are run', () => {
  const all = files.flatMap((file) => [...read(`en/docs/${file}`).matchAll(/^```js(.*)$/gm)]);
  assert.ok(all.filter(([, how]) => how === ' run').length > 10);
});
