// <attention-mask-order>: the causal mask before softmax, and zeros written after it.
import { html } from 'lit';
import en from '../content/en/figures/mask-order.json';
import zh from '../content/zh/figures/mask-order.json';
import { hatchesView } from '../draw/hatches.js';
import { invariantsLine } from '../draw/invariants.js';
import { type Lineage, shapesOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { exactNumber } from '../draw/number.js';
import { causalWeightsView, isFuture, pairView } from '../draw/pair.js';
import { type Line, operation, spellAs } from '../draw/provenance.js';
import { cellName, symbols } from '../draw/symbols.js';
import { tableOf } from '../export/exhibit.js';
import { type Case, type Cell, withCausal } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import { sheets } from './figure.js';
import { TracedFigure, keepLast } from './traced-figure.js';

type Name = 'scaled' | 'before' | 'after' | 'repaired';
type Place = Cell<Name>;

const sumOf = (row: readonly number[]) => row.reduce((sum, x) => sum + x, 0);

const results = keepLast((page, of: Case) => {
  const before = frameOf(page, withCausal(of, true));
  const none = frameOf(page, withCausal(of, false));
  // The fault itself, on the library's unmasked weights.
  const zeroed = none.matrices.weights.map((row, i) => row.map((x, j) => (isFuture(i, j) ? 0 : x)));
  const repaired = zeroed.map((row) => row.map((x) => x / sumOf(row)));
  const matrices = {
    scaled: none.matrices.scaled,
    before: before.matrices.weights,
    after: zeroed,
    repaired,
  };
  const rowOf = (stage: Name, { row }: Place): Place[] =>
    matrices[stage][row]!.map((_, column) => ({ stage, row, column }));
  /** A softmax that comes first reads the future too, which is the fault. */
  const operandsOf = (cell: Place): Place[] => {
    const { stage, row, column } = cell;
    if (stage === 'scaled') return [];
    if (isFuture(row, column)) return stage === 'repaired' ? [{ ...cell, stage: 'after' }] : [];
    if (stage === 'after') return rowOf('scaled', cell);
    return rowOf(stage === 'before' ? 'scaled' : 'after', cell).filter(
      (operand) => !isFuture(row, operand.column),
    );
  };
  const lineage: Lineage<Name> = { shapes: shapesOf(matrices), operandsOf };
  return { before, none, matrices, lineage };
});

function boardView(page: Page, of: Case, grid?: GridState<Name>) {
  const { words } = page;
  const own = { en, zh }[page.language];
  const { before, matrices } = results(page, of);
  const block = (stage: Exclude<Name, 'scaled'>) =>
    causalWeightsView<Name>(words, { stage, name: own[stage], values: matrices[stage] }, grid);
  const { scaled: values } = matrices;
  return html`<div class="comparison" data-picture>
      ${pairView<Name>(words, { stage: 'scaled', title: symbols.scaled, name: own.scaled, values, kind: 'scores' }, grid)}
      ${block('before')} ${block('after')} ${block('repaired')}
    </div>
    <p class="comparison-says">
      ${fill(own.says, { sums: matrices.after.map((row) => exactNumber(sumOf(row))).join(', ') })}
    </p>
    ${hatchesView(words, before.cause)}
    ${(['before', 'after', 'repaired'] as const).map((stage) =>
      invariantsLine(words, { weights: matrices[stage], cause: before.cause }, own[stage]),
    )}`;
}

export class AttentionMaskOrder extends TracedFigure<Name> {
  static override styles = sheets(comparisonSheet);
  static override key = 'order';
  static firstFrame = (page: Page) => boardView(page, page.store.home.case);

  protected override readonly sharesCase = true;

  protected override lineage = (page: Page) => results(page, this.given).lineage;
  protected override example = (): Place => ({ stage: 'after', row: 1, column: 0 });

  protected override linesOf(page: Page, cell: Place): Line[] {
    const own = { en, zh }[page.language];
    const { before, none, matrices } = results(page, this.given);
    const { stage, row, column } = cell;
    if (stage === 'scaled') return spellAs('scaled', cell, none, page.words);
    if (stage === 'before') return spellAs('weights', cell, before, page.words);
    const lines = spellAs('weights', { ...cell, stage: 'after' }, none, page.words);
    const name = (which: 'after' | 'repaired') =>
      html`${cellName('weights', row, column)} ${own[which]}`;
    if (isFuture(row, column)) {
      const text = html`= <b>0</b> <span class="remark">${own.written}</span>`;
      lines.push({ stage: 'after', name: name('after'), text });
    }
    if (stage === 'after') return lines;
    const [x, sum] = [matrices.after[row]![column]!, sumOf(matrices.after[row]!)];
    const ratio = `${x === 0 ? '0' : exactNumber(x)} ÷ ${exactNumber(sum)}`;
    const text = operation(ratio, [x, sum], matrices.repaired[row]![column]!);
    return [...lines, { stage, name: name('repaired'), text }];
  }

  protected override exhibit(page: Page) {
    const { before, none, matrices } = results(page, this.given);
    return {
      calls: [
        { name: 'mask before softmax', frame: before },
        { name: 'no mask', frame: none },
      ],
      tables: [
        tableOf('zeros after softmax', matrices.after),
        tableOf('divided by their sums', matrices.repaired),
      ],
    };
  }

  protected override view(page: Page) {
    return this.traced(page, (grid) => boardView(page, this.given, grid));
  }
}
