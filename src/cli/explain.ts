// explain: every step of one call as tables, and what is suspicious in it.

import { toNested } from 'attention-wasm';
import type { Attention, Cell, Diagnostics, ResultTensor, StepName } from 'attention-wasm';
import { readCall, type Call } from './call.js';
import type { Report } from './cli.js';
import { matrix, numberText } from './table.js';
import { UsageError, type Usage } from './usage.js';

export async function explain(attention: Attention, usage: Usage): Promise<Report> {
  const { steps: rows } = attention.describe();
  const names = rows.map(({ name }) => name);
  const unknown = usage.steps.find((step) => !names.includes(step as StepName));
  if (unknown !== undefined) {
    throw new UsageError(`there is no step '${unknown}'; the steps are ${names.join(', ')}`);
  }
  const call = await readCall(usage.files, usage.names, usage.options);
  const { steps, lse, diagnostics } = attention.explain(
    call.query,
    call.key,
    call.value,
    call.options,
  );
  const wanted = usage.steps.length > 0 ? usage.steps : names;
  const missing = usage.steps.find((step) => !(step in steps));
  if (missing !== undefined) {
    const { option } = rows.find(({ name }) => name === missing)!;
    throw new UsageError(`this call has no step '${missing}': it comes with the option ${option}`);
  }
  const shown = rows.filter(({ name }) => wanted.includes(name) && name in steps);
  const sections = shown.map(({ name, doc }) =>
    stepText(`${name}: ${doc}`, steps[name]!, name, call, usage.limit),
  );
  if (usage.steps.length === 0) {
    sections.unshift(callText(call));
    sections.push(stepText('lse: ln Σ exp of each row', lse, 'lse', call, usage.limit));
    sections.push(diagnosticsText(diagnostics, usage.limit));
  }
  const nested = shown.map(({ name }) => [name, toNested(steps[name]!)] as const);
  return {
    text: sections.join('\n\n'),
    data: { steps: Object.fromEntries(nested), lse: toNested(lse), diagnostics },
  };
}

function callText({ query, key, value, options }: Call): string {
  const shapes = Object.entries({ query, key, value }).map(
    ([name, { shape }]) => `${name} ${shape.join('×')}`,
  );
  const settings = Object.entries(options).map(([name, setting]) => {
    const text = JSON.stringify(setting, (_, part: unknown) =>
      ArrayBuffer.isView(part) ? '…' : part,
    );
    return `${name} ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`;
  });
  return [...shapes, query.dtype ?? '', ...settings].join(', ');
}

/** A step, one matrix for each batch element and head. */
function stepText(
  title: string,
  step: ResultTensor,
  name: StepName | 'lse',
  { query, tokens }: Call,
  limit: number,
): string {
  const hasColumns = step.shape.length === query.shape.length;
  const leading = step.shape.slice(0, hasColumns ? -2 : -1);
  const lengths = step.shape.slice(leading.length);
  const [rows, columns] = [lengths[0]!, hasColumns ? lengths[1]! : 1];
  const flat = { ...step, shape: [leading.reduce((a, b) => a * b, 1), rows, columns] };
  const label = (list: string[] | undefined, fallback: string) => (at: number) =>
    list?.[at] ?? `${fallback}${at + 1}`;
  const names = {
    rows: label(tokens.queries, 'query '),
    columns:
      name === 'output' ? label([], '') : hasColumns ? label(tokens.keys, 'key ') : () => name,
  };
  const parts = (toNested(flat) as number[][][]).map((cells, at) => {
    const place = [...placeOf(at, leading), ''].join('\n');
    return place + matrix(cells, names, limit);
  });
  const most = Number.isFinite(limit) ? limit : parts.length;
  const rest =
    parts.length > most ? [`  … ${parts.length - most} more batch elements and heads`] : [];
  return [title, ...parts.slice(0, most), ...rest].join('\n');
}

/** `batch 1, head 2`, counted from 1, where there is more than one. */
function placeOf(at: number, leading: readonly number[]): string[] {
  const [heads = 1, batch = 1] = [...leading].reverse();
  const parts = [
    ...(batch > 1 ? [`batch ${Math.floor(at / heads) + 1}`] : []),
    ...(heads > 1 ? [`head ${(at % heads) + 1}`] : []),
  ];
  return parts.length > 0 ? [` ${parts.join(', ')}`] : [];
}

function diagnosticsText(found: Diagnostics, limit: number): string {
  const { rows, emptyRows, firstNonFinite, nonFiniteScores, firstOverflow, overflows } = found;
  const place = ({ batch, head, query }: { batch: number; head: number; query: number }) =>
    `batch ${batch + 1}, head ${head + 1}, query ${query + 1}`;
  const cell = (at: Cell) => `${place(at)}, column ${at.column + 1} of ${at.step}`;
  const few = (list: string[]) =>
    list.length > limit ? [...list.slice(0, limit), `… ${list.length - limit} more`] : list;
  const saturated = rows.filter((row) => row.saturated);
  const entropies = rows.filter(({ empty }) => !empty).map(({ entropy }) => entropy);
  const range = [Math.min(...entropies), Math.max(...entropies)].map(numberText);
  const lines = [
    ...few(emptyRows.map((row) => `no key may be read: ${place(row)} (${row.causes.join(', ')})`)),
    ...few(saturated.map((row) => `one of several keys has all the weight: ${place(row)}`)),
    ...(firstNonFinite
      ? [
          `${nonFiniteScores} scores are not finite, the first cell that is not: ${cell(firstNonFinite)}`,
        ]
      : []),
    ...(firstOverflow
      ? [`${overflows} cells overflow from finite numbers, the first: ${cell(firstOverflow)}`]
      : []),
    ...(entropies.length > 0 ? [`entropy of the rows: ${range[0]} to ${range[1]} bits`] : []),
  ];
  return ['diagnostics', ...lines.map((line) => `  ${line}`)].join('\n');
}
