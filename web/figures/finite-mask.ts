// <attention-finite-mask>: a large negative number in place of −∞, beside a real mask.
import { html, nothing } from 'lit';
import en from '../content/en/figures/finite-mask.json';
import zh from '../content/zh/figures/finite-mask.json';
import { choiceView } from '../draw/controls.js';
import { hatchesView } from '../draw/hatches.js';
import { footView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { type Lineage, shapesOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { exactNumber } from '../draw/number.js';
import { pairView } from '../draw/pair.js';
import { spellAs } from '../draw/provenance.js';
import { domainOf, isBeyond } from '../draw/scale.js';
import type { Case, Cell } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import { among, sheets } from './figure.js';
import { type Hidden, causeOf, hiddenView, isHidden, readHidden } from './hidden-row.js';
import { TracedFigure, keepLast } from './traced-figure.js';

const constants = { '-10': -10, '-1e4': -1e4, '-1e9': -1e9 } as const;
type Constant = keyof typeof constants;
const constantNames = Object.keys(constants) as Constant[];
const precisions = ['float16', 'float32', 'float64'] as const;
type Precision = (typeof precisions)[number];
const home = {
  constant: '-1e9' as Constant,
  hidden: 'all' as Hidden,
  dtype: 'float32' as Precision,
};
/** Of each way, what softmax is given and what it makes of that. */
type Way = 'added' | 'masked';
type Name = `${Way}Scores` | `${Way}Weights`;
const names: Record<Constant, string> = { '-10': '−10', '-1e4': '−10⁴', '-1e9': '−10⁹' };

const wayOf = (name: Name): Way => (name.startsWith('added') ? 'added' : 'masked');
const isWeights = (name: Name) => name.endsWith('Weights');

const results = keepLast((page, of: Case, constant: Constant, hidden: Hidden, dtype: Precision) => {
  const isHiddenHere = of.query.map((_, i) => of.key.map((_key, j) => isHidden(hidden, i, j)));
  const bias = isHiddenHere.map((row) => row.map((is) => (is ? constants[constant] : 0)));
  const mask = { kind: 'blocked' as const, mask: isHiddenHere };
  const frameUnder = (options: Case['options']) =>
    frameOf(page, { ...of, options: { ...of.options, ...options }, dtype });
  const frames = {
    added: frameUnder({ bias, mask: undefined }),
    masked: frameUnder({ mask }),
  };
  const matrices = {
    addedScores: frames.added.matrices.masked,
    addedWeights: frames.added.matrices.weights,
    maskedScores: frames.masked.matrices.masked,
    maskedWeights: frames.masked.matrices.weights,
  };
  const lineage: Lineage<Name> = {
    shapes: shapesOf(matrices),
    operandsOf: ({ stage, row, column }) => {
      const { cause } = frames[wayOf(stage)];
      const isVisible = (j: number) => cause[row]?.[j]?.length === 0;
      if (!isWeights(stage) || !isVisible(column)) return [];
      const scores = `${wayOf(stage)}Scores` as const;
      return matrices[scores][row]!.map((_, j) => ({ stage: scores, row, column: j })).filter(
        (cell) => isVisible(cell.column),
      );
    },
  };
  return { frames, matrices, lineage };
});
type Shown = typeof home & { of: Case };
const resultsOf = (page: Page, { of, constant, hidden, dtype }: Shown) =>
  results(page, of, constant, hidden, dtype);

const titles = ({ language }: Page, { constant }: Shown) => {
  const own = { en, zh }[language];
  return { added: fill(own.added, { constant: names[constant] }), masked: own.masked };
};

function boardView(page: Page, shown: Shown, grid?: GridState<Name>) {
  const own = { en, zh }[page.language];
  const { matrices, frames } = resultsOf(page, shown);
  const hatch = (i: number, j: number) => (isHidden(shown.hidden, i, j) ? ['blocked'] : []);
  const domain = domainOf(frames.added.matrices.scaled);
  const isSame = matrices.addedWeights.every((row, i) =>
    row.every((x, j) => Math.abs(x - matrices.maskedWeights[i]![j]!) < 1e-6),
  );
  // Beyond the largest number of the type.
  const isInfinite = matrices.addedScores.flat().includes(-Infinity);
  const says = isInfinite
    ? `${fill(own.says.infinite, { constant: names[shown.constant] })}${own.says[isSame ? 'same' : 'empty']}`
    : own.says[isSame ? 'same' : 'different'];
  const column = (title: string, way: Way) => {
    const [scores, weights] = [`${way}Scores`, `${way}Weights`] as const;
    const cause = way === 'masked' ? { cause: hatch } : {};
    return html`<div>
      <p class="comparison-title">${title}</p>
      <div class="comparison-pair">
        ${pairView<Name>(page.words, { stage: scores, spokenName: `${title}: ${page.words.stages.masked}`, title: html`+ <var>M</var>`, values: matrices[scores], kind: 'scores', domain, ...cause }, grid)}
        ${pairView<Name>(page.words, { stage: weights, spokenName: `${title}: ${page.words.stages.weights}`, title: html`<var>A</var>`, values: matrices[weights], kind: 'weights', ...cause }, grid)}
      </div>
    </div>`;
  };
  const title = titles(page, shown);
  return html`<div class="comparison" data-picture>
      ${column(title.added, 'added')} ${column(title.masked, 'masked')}
    </div>
    <p class="comparison-says" aria-live="polite">${says}</p>
    ${
      matrices.addedScores.flat().some((x) => isBeyond(x, domain))
        ? html`<p class="hatches">
            <span
              ><span class="cell" data-tone="negative" data-beyond style="--t:0.8"></span>
              ${fill(own.beyond, { domain: exactNumber(domain) })}</span
            >
          </p>`
        : nothing
    }
    ${hatchesView(page.words, causeOf(shown))}`;
}

function checks(page: Page, shown: Shown) {
  const { matrices } = resultsOf(page, shown);
  const part = (way: Way) => ({
    of: { weights: matrices[`${way}Weights`], cause: causeOf(shown), dtype: shown.dtype },
    name: titles(page, shown)[way],
  });
  return checksView(page.words, part('added'), part('masked'));
}

export class AttentionFiniteMask extends TracedFigure<Name> {
  static override styles = sheets(comparisonSheet);
  static override key = 'finite';

  static firstFrame = (page: Page) => {
    const shown = { ...home, of: page.store.home.case };
    return html`${boardView(page, shown)} ${footView(checks(page, shown))}`;
  };

  protected override readonly sharesCase = true;

  get #shown(): Shown {
    return {
      of: this.given,
      constant: this.setting('c', among(constantNames), home.constant),
      hidden: this.setting('hide', readHidden, home.hidden),
      dtype: this.setting('in', among(precisions), home.dtype),
    };
  }

  protected override lineage = (page: Page) => resultsOf(page, this.#shown).lineage;
  protected override example = (): Cell<Name> => ({ stage: 'addedWeights', row: 1, column: 3 });

  protected override linesOf(page: Page, cell: Cell<Name>) {
    const frame = resultsOf(page, this.#shown).frames[wayOf(cell.stage)];
    return spellAs(isWeights(cell.stage) ? 'weights' : 'masked', cell, frame, page.words);
  }

  protected override exhibit(page: Page) {
    const { added, masked } = resultsOf(page, this.#shown).frames;
    return {
      calls: [
        { name: `bias ${this.#shown.constant}`, frame: added },
        { name: 'mask', frame: masked },
      ],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const shown = this.#shown;
    return html`<div class="tools">
        ${choiceView<Constant>({
          label: own.constant,
          name: 'constant',
          options: constantNames.map((name) => [name, names[name]]),
          value: shown.constant,
          change: (to) => this.set('c', to === home.constant ? undefined : to),
        })}
        ${hiddenView(page, shown.hidden, (key, to) => this.set(key, to))}
        ${choiceView<Precision>({
          label: own.dtype,
          name: 'dtype',
          options: precisions.map((name) => [name, name]),
          value: shown.dtype,
          change: (to) => this.set('in', to === home.dtype ? undefined : to),
        })}
      </div>
      ${this.traced(
        page,
        (grid) => boardView(page, shown, grid),
        () => checks(page, shown),
      )}`;
  }
}
