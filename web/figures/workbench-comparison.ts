// What the workbench says of a result: where it differs from what was expected, and the facts.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { checkView } from '../draw/invariants.js';
import { cellWeight, exactNumber, grouped } from '../draw/number.js';
import type { Result } from '../state/bench-result.js';
import type { StageName } from '../state/bench-settings.js';
import type { Comparison } from '../state/compare.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { type Asking, selectView } from './workbench-boxes.js';
import { shapeText } from './workbench-inputs.js';

/** Where a comparison points to, counted from 0. */
export interface Place {
  stage: StageName;
  batch: number;
  head: number;
  row: number;
  column: number;
}

/** The place of the first difference; null where there is none. */
export function placeOf({ comparison, call, stages }: Result): Place | null {
  if (comparison?.kind !== 'differs') return null;
  const [column, row, head = call.head + 1, batch = call.batch + 1] = [
    ...comparison.place,
  ].reverse();
  // Weights are compared as the call returns them: after dropout.
  const isDropped = comparison.what === 'weights' && stages.has('dropped');
  return {
    stage: isDropped ? 'dropped' : comparison.what,
    batch: batch - 1,
    head: head - 1,
    row: row! - 1,
    column: column! - 1,
  };
}

type Fitting = Exclude<Comparison, { kind: 'noFit' }>;

/** What the comparison is of: which tensor, where the shape alone does not tell, and without what. */
function scopeView(page: Page, { what, fitsBoth, unknown }: Fitting, ask: Asking['ask']) {
  const { compare: own, takenFor } = { en, zh }[page.language];
  const choice = fitsBoth
    ? html`<p class="remark">${own.fitsBoth}</p>
        ${selectView(own.takenFor, takenFor, what, (to) => ask('expected', to))}`
    : nothing;
  if (!unknown) return choice;
  const { count, place } = unknown;
  const said = fill(own.unknown, { count, place: `[${place.join(', ')}]` });
  return html`${choice}
    <p class="bench-problem">${said}</p>`;
}

/** `show` looks at the first difference, `ask` takes a setting. */
export function comparisonView(
  page: Page,
  comparison: Comparison,
  { show, ask }: { show: () => void; ask: Asking['ask'] },
) {
  const own = { en, zh }[page.language];
  if (comparison.kind === 'noFit') {
    const { shape, output, weights } = comparison;
    return html`<p class="bench-problem">
      ${fill(own.compare.noFit, { shape: shapeText(shape), output: shapeText(output), weights: shapeText(weights) })}
    </p>`;
  }
  const what = own.compare[comparison.what];
  const largest = exactNumber(comparison.largest);
  const [absolute, relative, decimals] = comparison.tolerance;
  const near = { absolute, relative };
  const printed =
    decimals === undefined
      ? nothing
      : html`<p class="remark">${fill(own.compare.printed, { decimals, absolute })}</p>`;
  if (comparison.kind === 'same') {
    return html`${scopeView(page, comparison, ask)}
      <p class="bench-same">✓ ${fill(own.compare.same, { what, value: largest, ...near })}</p>
      ${printed}`;
  }
  const { place, found, expected, count, worst } = comparison;
  const values = {
    count: grouped(count),
    worst: `[${worst.join(', ')}]`,
    what,
    place: `[${place.join(', ')}]`,
    found: exactNumber(found),
    expected: exactNumber(expected),
    value: largest,
  };
  return html`${scopeView(page, comparison, ask)}
    <p class="bench-problem">
      ✗ ${fill(own.compare.differs, values)}
      <button type="button" @click=${show}>${own.compare.show}</button>
    </p>
    ${printed}`;
}

/** So many rows are named, then only counted. */
const NAMED = 4;

export function factsView(page: Page, result: Result) {
  const own = { en, zh }[page.language];
  const { checks, emptyRows, largest, nonFinite, stages } = result;
  const [low, high] = checks.rowSums.map(exactNumber);
  const { nanRows } = checks;
  const named = nanRows.slice(0, NAMED).map((row) => row + 1);
  const rowsText = named.join(own.comma) + (nanRows.length > NAMED ? '…' : '');
  const { words } = page;
  const nameOf = (stage: string) => stageName(page, stage as StageName);
  const { wrongSums, wrongShares, wrongMasked, hull } = checks;
  const hasSinks = !!result.call.options.sinks;
  const { rows, columns } = stages.get('weights')!;
  const sumsText = () => {
    if (nanRows.length > 0) return own.facts.otherSums;
    if (wrongSums === 0) {
      if (low === high) return own.facts.oneSum;
      return hasSinks ? own.facts.sinkSums : own.facts.sums;
    }
    return hasSinks ? own.facts.wrongSinkSums : own.facts.wrongSums;
  };
  const count = (wrong: number, of: number) => ({ wrong: grouped(wrong), count: grouped(of) });
  const ruleView = (name: 'inUnit' | 'maskedZero' | 'inHull', wrong: number, of: number) =>
    checkView(
      words,
      fill(words[wrong === 0 ? 'invariant' : 'notSo'][name], count(wrong, of)),
      wrong === 0,
    );
  return html`<ul class="bench-facts invariants">
    ${nanRows.length > 0 ? checkView(words, fill(own.facts.nanSums, { rows: rowsText, count: grouped(nanRows.length) }), false) : nothing}
    ${low === '∞' ? nothing : checkView(words, fill(sumsText(), { low: low!, high: high!, ...count(wrongSums, rows) }), nanRows.length > 0 ? undefined : wrongSums === 0)}
    ${ruleView('inUnit', wrongShares, rows * columns)}
    ${
      checks.masked > 0
        ? ruleView('maskedZero', wrongMasked, checks.masked)
        : checkView(words, own.facts.noneMasked)
    }
    ${hull ? ruleView('inHull', hull.wrong, hull.count) : checkView(words, hasSinks ? own.facts.sinkHull : own.facts.dropoutHull)}
    ${checkView(
      words,
      nonFinite
        ? fill(own.facts.nonFinite, {
            stage: nameOf(nonFinite.stage),
            row: nonFinite.row + 1,
            column: nonFinite.column + 1,
          })
        : own.facts.finite,
      !nonFinite,
    )}
    ${checkView(words, fill(own.facts.empty, { count: grouped(emptyRows), total: grouped(rows) }))}
    ${checkView(words, fill(own.facts.largest, { value: cellWeight(largest) }))}
  </ul>`;
}

/** A stage as the page calls it. */
export function stageName({ words, language }: Page, stage: StageName): string {
  const own: Partial<Record<StageName, string>> = { en, zh }[language].stages;
  return own[stage] ?? words.stages[stage as keyof typeof words.stages] ?? stage;
}
