// Fills in what each worked example of the page should give: node tests/reference/record.js
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { attention } from './attention.js';
import { toNested } from './tensor.js';
import { exampleCall, examplesFolder } from './examples.js';

for (const name of readdirSync(examplesFolder).filter((file) => file.endsWith('.json'))) {
  const file = new URL(name, examplesFolder);
  const example = JSON.parse(readFileSync(file));
  const { query, key, value, options } = exampleCall(example);
  const { steps, lse } = attention(query, key, value, options);
  example.expected = Object.fromEntries(
    Object.entries({ ...steps, lse }).map(([step, tensor]) => [step, toNested(tensor)]),
  );
  const json = JSON.stringify(example, infinitiesAsText, 2);
  const style = await resolveConfig(file);
  writeFileSync(file, await format(json, { ...style, parser: 'json' }));
}

/** JSON has no infinities: they are the strings "Infinity" and "-Infinity". */
function infinitiesAsText(_, value) {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
