// Pictures of masks and weights in the reference, drawn from what the library answers.
import type { CompiledMask } from 'attention-wasm';
import { cellWeight } from '../draw/number.js';
import { tint } from '../draw/scale.js';
import { fill } from '../state/words.js';
import type { Said } from './reference-words.js';
import type { OptionRun } from './run-examples.js';

const cell = 15;

/** Which keys each query may read. The hatch that stands for "not allowed" is drawn by the page once. */
export function maskPicture(
  mask: CompiledMask,
  queries: number,
  keys: number,
  words: Said['words'],
): string {
  const rows = Array.from({ length: queries }, (_, i) => mask.rowRanges(0, 0, i));
  const allowed = rows.flatMap((ranges, i) =>
    ranges.map(
      ([begin, end]) =>
        `M${begin * cell} ${i * cell}h${(end - begin) * cell}v${cell}h${(begin - end) * cell}z`,
    ),
  );
  const lines = [
    ...Array.from({ length: queries + 1 }, (_, i) => `M0 ${i * cell}h${keys * cell}`),
    ...Array.from({ length: keys + 1 }, (_, j) => `M${j * cell} 0v${queries * cell}`),
  ];
  const [width, height] = [keys * cell, queries * cell];
  return `<svg class="mask" role="img" aria-label="${rows.map((ranges, query) => rowInWords(ranges, query, words)).join(words.rowComma)}" viewBox="-1 -1 ${width + 2} ${height + 2}" width="${width + 2}" height="${height + 2}"><path class="forbidden" d="M0 0h${width}v${height}H0z"/><path class="allowed" d="${allowed.join('')}"/><path class="seams" d="${lines.join('')}"/></svg>`;
}

function rowInWords(
  ranges: [begin: number, end: number][],
  query: number,
  words: Said['words'],
): string {
  if (ranges.length === 0) return fill(words.readsNone, { query });
  const keys = ranges.map(([first, end]) =>
    end - first === 1 ? String(first) : fill(words.range, { first, last: end - 1 }),
  );
  return fill(words.reads, { query, keys: keys.join(words.rangeComma) });
}

export const hatch =
  '<svg class="hatch" width="0" height="0" aria-hidden="true"><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0v6"/></pattern></svg>';

/** Weights [T, S] as a table: row = query, column = key. What a rule makes 0 is hatched. */
export function weightsTable({ weights, firstQuery, cause }: OptionRun, caption: string): string {
  const [queries, keys] = weights.shape as [number, number];
  const numbers = Array.from(weights.data);
  const heads = Array.from({ length: keys }, (_, j) => `<th scope="col">k${j}</th>`);
  const cellOf = (weight: number, rules: string[]) => {
    if (rules.length > 0) {
      return `<td class="cell" data-cause="${rules.length > 1 ? 'several' : rules[0]!}">0</td>`;
    }
    const { amount, strong } = tint(weight, 'weight', 1);
    return `<td class="cell" data-tone="weight"${strong ? ' data-strong' : ''} style="--t:${amount.toFixed(3)}">${cellWeight(weight).replace('<', '&lt;')}</td>`;
  };
  const rows = Array.from({ length: queries }, (_, i) => {
    const cells = numbers
      .slice(i * keys, (i + 1) * keys)
      .map((weight, j) => cellOf(weight, cause[i]?.[j] ?? []));
    return `<tr><th scope="row">q${firstQuery + i}</th>${cells.join('')}</tr>`;
  });
  return `<table class="weights"><caption>${caption}</caption><thead><tr><td></td>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
