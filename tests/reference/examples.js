// The page's worked examples as calls: web/examples/*.json
import { readFileSync, readdirSync } from 'node:fs';
import { round } from './dtypes.js';
import { tensorOf } from './tensor.js';

export const examplesFolder = new URL('../../web/examples/', import.meta.url);

/** Every example as { name, ...its JSON }. */
export const examples = () =>
  readdirSync(examplesFolder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({
      name: file.replace('.json', ''),
      ...JSON.parse(readFileSync(new URL(file, examplesFolder))),
    }));

/** { query, key, value, options }: tensors of float64 data, each number one that `dtype` can hold. */
export function exampleCall({ inputs, options = {}, dtype = 'float64' }) {
  const held = (nested) => {
    const { shape, data } = tensorOf(nested);
    return { shape, data: data.map((number) => round(dtype, number)) };
  };
  const [query, key, value] = [inputs.query, inputs.key, inputs.value].map(held);
  return { query, key, value, options };
}
