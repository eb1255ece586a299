// <attention-mask-order>: the causal mask before softmax, and zeros written after it. A forbidden score
// can be made so bad that the zeros come too late.
import { html } from 'lit';
import en from '../content/en/figures/mask-order.json';
import zh from '../content/zh/figures/mask-order.json';
import { choiceView } from '../draw/controls.js';
import { hatchesView } from '../draw/hatches.js';
import { footView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { type Lineage, shapesOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { equalsSign, exactNumber, grouped } from '../draw/number.js';
import { causalWeightsView, isFuture, pairView } from '../draw/pair.js';
import { type Line, operation, spellAs } from '../draw/provenance.js';
import { domainOf } from '../draw/scale.js';
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

/** What can be added to the first query's score of the last key, which is forbidden. */
const additions = { '0': 0, '2000': 2000, NaN } as const;
type Addition = keyof typeof additions;
const additionNames = Object.keys(additions) as Addition[];

const sumOf = (row: readonly number[]) => row.reduce((sum, x) => sum + x, 0);
/** What is 0 and what is only near to it are told apart. */
const exactly = (x: number) => (x === 0 ? '0' : exactNumber(x));

const results = keepLast((page, given: Case, addition: Addition) => {
  const last = given.key.length - 1;
  const bias = given.query.map((_, i) =>
    given.key.map((_key, j) => (i === 0 && j === last ? additions[addition] : 0)),
  );
  const of = addition === '0' ? given : { ...given, options: { ...given.options, bias } };
  const before = frameOf(page, withCausal(of, true));
  const none = frameOf(page, withCausal(of, false));
  // The fault itself, on the library's unmasked weights.
  const zeroed = none.matrices.weights.map((row, i) => row.map((x, j) => (isFuture(i, j) ? 0 : x)));
  const repaired = zeroed.map((row) => row.map((x) => x / sumOf(row)));
  const matrices = {
    scaled: none.matrices.masked,
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

function boardView(page: Page, of: Case, addition: Addition, grid?: GridState<Name>) {
  const { words } = page;
  const own = { en, zh }[page.language];
  const { before, none, matrices } = results(page, of, addition);
  const block = (stage: Exclude<Name, 'scaled'>) =>
    causalWeightsView<Name>(words, { stage, name: own[stage], values: matrices[stage] }, grid);
  const { scaled: values } = matrices;
  const hasNaN = (name: Name) => matrices[name][0]!.some(Number.isNaN);
  const loss = hasNaN('after') ? own.spoilt : hasNaN('repaired') ? own.lost : '';
  return html`<div class="comparison" data-picture>
      ${pairView<Name>(words, { stage: 'scaled', title: symbols.scaled, name: own.scaled, values, kind: 'scores', domain: domainOf(none.matrices.scaled) }, grid)}
      ${block('before')} ${block('after')} ${block('repaired')}
    </div>
    <p class="comparison-says">
      ${fill(own.says, { sums: matrices.after.map((row) => exactly(sumOf(row))).join(', ') })}
      ${loss}
    </p>
    ${hatchesView(words, before.cause)}`;
}

function checks(page: Page, of: Case, addition: Addition) {
  const own = { en, zh }[page.language];
  const { before, matrices } = results(page, of, addition);
  const part = (stage: 'before' | 'after' | 'repaired') => ({
    of: { weights: matrices[stage], cause: before.cause },
    name: own[stage],
  });
  return checksView(page.words, part('before'), part('after'), part('repaired'));
}

export class AttentionMaskOrder extends TracedFigure<Name> {
  static override styles = sheets(comparisonSheet);
  static override key = 'order';
  static firstFrame = (page: Page) => {
    const of = page.store.home.case;
    return html`${boardView(page, of, '0')} ${footView(checks(page, of, '0'))}`;
  };

  protected override readonly sharesCase = true;

  get #addition(): Addition {
    return this.setting('add', (text) => additionNames.find((name) => name === text), '0');
  }

  #results(page: Page) {
    return results(page, this.given, this.#addition);
  }

  protected override lineage = (page: Page) => this.#results(page).lineage;
  /** Of its row the whole way is spelled: what was lost, and that dividing brings it back or not. */
  protected override example = (): Place => ({
    stage: 'repaired',
    row: this.#addition === '0' ? 1 : 0,
    column: 0,
  });

  protected override linesOf(page: Page, cell: Place): Line[] {
    const own = { en, zh }[page.language];
    const { before, none, matrices } = this.#results(page);
    const { stage, row, column } = cell;
    if (stage === 'scaled') {
      return spellAs(this.#addition === '0' ? 'scaled' : 'masked', cell, none, page.words);
    }
    if (stage === 'before') return spellAs('weights', cell, before, page.words);
    const lines = spellAs('weights', { ...cell, stage: 'after' }, none, page.words);
    const name = (which: 'after' | 'repaired') =>
      html`${cellName('weights', row, column)} ${own[which]}`;
    const [x, sum] = [matrices.after[row]![column]!, sumOf(matrices.after[row]!)];
    const written = isFuture(row, column)
      ? html`= <b>0</b> <span class="remark">${own.written}</span>`
      : html`${equalsSign([x], exactNumber)} <b>${exactNumber(x)}</b>
          <span class="remark">${own.stays}</span>`;
    lines.push({ stage: 'after', name: name('after'), text: written });
    if (stage === 'after') return lines;
    const ratio = `${exactly(x)} ÷ ${exactly(sum)}`;
    const text = operation(ratio, [x, sum], matrices.repaired[row]![column]!);
    return [...lines, { stage, name: name('repaired'), text }];
  }

  protected override exhibit(page: Page) {
    const { before, none, matrices } = this.#results(page);
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
    const own = { en, zh }[page.language];
    const addition = this.#addition;
    return html`<div class="tools">
        ${choiceView<Addition>({
          label: html`${own.add} ${cellName('scaled', 0, this.given.key.length - 1)}`,
          name: 'addition',
          options: additionNames.map((name) => [name, grouped(additions[name])] as const),
          value: addition,
          change: (to) => this.set('add', to === '0' ? undefined : to),
        })}
      </div>
      ${this.traced(
        page,
        (grid) => boardView(page, this.given, addition, grid),
        () => checks(page, this.given, addition),
      )}`;
  }
}
