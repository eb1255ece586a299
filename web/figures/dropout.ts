// <attention-dropout>: the weights of the example before and after dropout, and on average.
import type { Tensor } from 'attention-wasm';
import { html, nothing } from 'lit';
import en from '../content/en/figures/dropout.json';
import zh from '../content/zh/figures/dropout.json';
import { sliderView } from '../draw/controls.js';
import { hatchesView } from '../draw/hatches.js';
import { footView } from '../draw/inspector.js';
import { checksView, invariantsOf, keptScaled } from '../draw/invariants.js';
import { type Lineage, shapesOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { cellNumber, exactNumber } from '../draw/number.js';
import { causalWeightsView, isFuture } from '../draw/pair.js';
import { type Line, operation, spellAs } from '../draw/provenance.js';
import { cellName } from '../draw/symbols.js';
import { tableOf } from '../export/exhibit.js';
import { type Case, type Cell, type Matrix, sizeOf, withCausal } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import dropoutSheet from '../styles/dropout.css?inline';
import { sheets } from './figure.js';
import { TracedFigure, keepLast } from './traced-figure.js';

type Name = 'before' | 'after' | 'mean';
const names = ['before', 'after', 'mean'] as const;

const COUNT = 1000;
const home = { p: 0.5, seed: 1 };

/** Entry by entry, over as many draws as it takes for the noise to even out. */
interface Draws {
  mean: Matrix;
  /** In which share of the draws it was kept. */
  kept: Matrix;
}

/** For a call in which each draw is a head, and all share the one key and value. */
const callOf = keepLast((_: Page, of: Case) => {
  const { query, key, value, options } = withCausal(of, true);
  const tensorOf = (rows: Matrix, heads: number): Tensor => ({
    shape: [heads, ...sizeOf(rows)],
    data: Float64Array.from(Array<number[]>(heads).fill(rows.flat()).flat()),
  });
  const inputs = [tensorOf(query, COUNT), tensorOf(key, 1), tensorOf(value, 1)] as const;
  return { inputs, options, shape: [query.length, key.length] as const };
});

const drawsOf = keepLast((page, of: Case, p: number): Draws => {
  const { inputs, options, shape } = callOf(page, of);
  const { weights } = page.attention.scaledDotProductAttention(...inputs, {
    ...options,
    dropout: { p, seed: 0 },
    returns: ['weights'],
  });
  const data = weights!.data as Float64Array;
  const [rows, columns] = shape;
  const cells = rows * columns;
  const [sums, times] = [new Float64Array(cells), new Float64Array(cells)];
  for (let at = 0; at < data.length; ++at) {
    sums[at % cells]! += data[at]!;
    if (data[at] !== 0) times[at % cells]! += 1;
  }
  const share = (of: Float64Array): Matrix =>
    Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (_, j) => of[i * columns + j]! / COUNT),
    );
  return { mean: share(sums), kept: share(times) };
});

const shown = keepLast((page, of: Case, p: number, seed: number) => {
  const { options, ...inputs } = withCausal(of, true);
  const frame = frameOf(page, { ...inputs, options: { ...options, dropout: { p, seed } } });
  const { mean, kept } = drawsOf(page, of, p);
  const matrices = { before: frame.matrices.weights, after: frame.dropped!, mean };
  const lineage: Lineage<Name> = {
    shapes: shapesOf(matrices),
    operandsOf: (cell) =>
      cell.stage === 'before' || isFuture(cell.row, cell.column)
        ? []
        : [{ ...cell, stage: 'before' }],
  };
  return { frame, kept, matrices, lineage };
});

type Settings = readonly [of: Case, p: number, seed: number];

function boardView(page: Page, settings: Settings, grid?: GridState<Name>) {
  const [, p] = settings;
  const own = { en, zh }[page.language];
  const { frame, matrices } = shown(page, ...settings);
  const block = (stage: Name) =>
    causalWeightsView(
      page.words,
      { stage, name: fill(own[stage], { count: COUNT }), values: matrices[stage] },
      grid,
    );
  const sums = matrices.after.map((row) => exactNumber(row.reduce((sum, x) => sum + x, 0)));
  // Of a weight that is 1: 1/(1 − p) or 0, so many times.
  const spread = cellNumber(Math.sqrt(p / (1 - p) / COUNT));
  return html`<div class="dropout-board" data-picture>${names.map(block)}</div>
    <p class="dropout-says" aria-live="polite">
      ${p === 1 ? own.none : fill(own.says, { kept: exactNumber(1 - p), sums: sums.join(', ') })}
      ${p === 0 || p === 1 ? nothing : html`<br />${fill(own.spread, { count: COUNT, spread })}`}
    </p>
    ${hatchesView(page.words, frame.cause)}`;
}

function checks(page: Page, settings: Settings) {
  const [, p] = settings;
  const own = { en, zh }[page.language];
  const {
    frame: { cause },
    matrices: { before, after },
  } = shown(page, ...settings);
  const stillMasked = invariantsOf({ weights: after, cause }).filter(
    ({ name }) => name === 'maskedZero',
  );
  return checksView(
    page.words,
    { of: { weights: before, cause }, name: own.before },
    { of: [keptScaled(before, after, p), ...stillMasked], name: own.after },
  );
}

export class AttentionDropout extends TracedFigure<Name> {
  static override styles = sheets(dropoutSheet);
  static override key = 'drop';

  static firstFrame = (page: Page) => {
    const settings = [page.store.home.case, home.p, home.seed] as const;
    return html`${boardView(page, settings)} ${footView(checks(page, settings))}`;
  };

  protected override readonly sharesCase = true;

  get #settings(): Settings {
    const p = this.number('p', [0, 1], home.p);
    return [this.given, p, this.whole('seed', [0, 9999], home.seed)];
  }

  protected override lineage = (page: Page) => shown(page, ...this.#settings).lineage;
  protected override example = (): Cell<Name> => ({ stage: 'after', row: 3, column: 0 });

  protected override linesOf(page: Page, cell: Cell<Name>): Line[] {
    const own = { en, zh }[page.language];
    const settings = this.#settings;
    const [, p] = settings;
    const { frame, kept, matrices } = shown(page, ...settings);
    const { stage, row, column } = cell;
    const lines = spellAs('weights', { ...cell, stage: 'before' }, frame, page.words);
    if (stage === 'before') return lines;
    const [before, result] = [matrices.before[row]![column]!, matrices[stage][row]![column]!];
    const each = `${exactNumber(before)} ÷ ${exactNumber(1 - p)}`;
    const text = () => {
      if (isFuture(row, column)) return html`= <b>0</b>`;
      if (stage === 'after') {
        return result === 0
          ? html`= <b>0</b> <span class="remark">${own.dropped}</span>`
          : operation(each, [before], result);
      }
      const times = Math.round(kept[row]![column]! * COUNT);
      const share = times === 0 ? `0 ÷ ${COUNT}` : `${times} × ${each} ÷ ${COUNT}`;
      return html`${operation(share, [before], result)}
        <span class="remark">${fill(own.times, { times, count: COUNT })}</span>`;
    };
    const name = html`${cellName('weights', row, column)} ${fill(own[stage], { count: COUNT })}`;
    return [...lines, { stage, name, text: html`${text()}` }];
  }

  protected override exhibit(page: Page) {
    const { frame, matrices } = shown(page, ...this.#settings);
    return { calls: [{ frame }], tables: [tableOf(`mean of ${COUNT} draws`, matrices.mean)] };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const settings = this.#settings;
    const [, p, seed] = settings;
    const keep = (name: 'p' | 'seed') => (value: number, isEntry: boolean) =>
      this.set(name, value === home[name] ? undefined : String(value), isEntry);
    return html`<div class="tools">
        ${sliderView({ label: own.p, value: p, min: 0, max: 1, step: 0.05, change: keep('p') })}
        ${sliderView({ label: own.seed, value: seed, min: 0, max: 9999, change: keep('seed') })}
        <button type="button" @click=${() => keep('seed')(seed + 1, true)}>${own.next}</button>
      </div>
      ${this.traced(
        page,
        (grid) => boardView(page, settings, grid),
        () => checks(page, settings),
      )}`;
  }
}
