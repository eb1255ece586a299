// The README keeps its promises: snippets run, commands and files exist, dependencies are named.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { announced, difference, run, snippets } from './snippets.js';

const root = new URL('../', import.meta.url);
const read = (file) => readFileSync(new URL(file, root), 'utf8');
const readmes = ['README.md', 'README.zh.md'];
const packageJson = JSON.parse(read('package.json'));

const all = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
const withoutCode = (text) => text.replace(/^```.*?^```$/gms, '');

for (const file of [...readmes, 'web/content/en/13-library.md', 'web/content/zh/13-library.md']) {
  const blocks = snippets(read(file), 'js');
  test(`${file}: the snippets print what they say`, () => {
    assert.ok(blocks.length > 0);
    blocks.forEach((code, at) => {
      const name = `${file.replaceAll(/\W/g, '-')}-${at}.mjs`;
      assert.equal(difference(run(code, name), announced(code)), null, code);
    });
  });
}

for (const file of readmes) {
  test(`${file}: the commands exist`, () => {
    const scripts = all(read(file), /\bnpm (?:run )?(start|test|(?<=run )\w+)/g);
    assert.ok(scripts.includes('start') && scripts.includes('test'));
    for (const script of scripts) assert.ok(packageJson.scripts[script], `npm run ${script}`);
  });

  test(`${file}: links within the repository lead somewhere`, () => {
    const links = all(read(file), /\]\((?!https?:)([^)#]+)/g);
    for (const link of links) assert.ok(existsSync(new URL(link, root)), link);
  });

  test(`${file}: the map of the folders is what is there`, () => {
    const rows = all(read(file), /^\| (`(?:src|web|tests)\/.*?) +\|/gm);
    const named = rows.flatMap((row) => {
      const [first, ...rest] = all(row, /`([^`]+)`/g);
      return [first, ...rest.map((name) => first.split('/')[0] + '/' + name)];
    });
    const there = ['src', 'web', 'tests'].flatMap((top) =>
      readdirSync(new URL(`${top}/`, root), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${top}/${name}/`),
    );
    assert.deepEqual(named.sort(), there.sort());
  });

  test(`${file}: every dependency is named, and no other`, () => {
    const { dependencies = {}, devDependencies = {} } = packageJson;
    const used = Object.keys({ ...dependencies, ...devDependencies }).sort();
    const section = withoutCode(read(file)).split('\n## ').at(-2);
    const linked = Object.keys(dependencies).filter((name) => section.includes(`[${name}](`));
    const named = all(section, /`([@\w/.-]+)`/g).filter((name) => !name.endsWith('/'));
    assert.deepEqual([...linked, ...named].sort(), used);
  });
}

test('both READMEs have the same parts, code and table rows', () => {
  const [english, chinese] = readmes.map(read);
  const code = (text) =>
    all(text, /^```(.*?)^```$/gms).map((block) => block.replace(/\/\/.*$/gm, ''));
  const shape = (text) => all(text, /^(#+ |\||- |```)/gm);
  assert.deepEqual(code(english), code(chinese));
  assert.deepEqual(shape(english), shape(chinese));
  const cells = (text) => all(text, /^\|.*\| *(`mask:[^|]*?`).*\|$/gm);
  assert.deepEqual(cells(english), cells(chinese));
});
