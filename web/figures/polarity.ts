// <attention-polarity>: one boolean array under its two meanings, side by side.
import { html, nothing } from 'lit';
import en from '../content/en/figures/polarity.json';
import zh from '../content/zh/figures/polarity.json';
import { hatchesView } from '../draw/hatches.js';
import { footView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { type Lineage, maskCellsOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { PaintController } from '../draw/paint.js';
import { pairView } from '../draw/pair.js';
import { permission, spellAs } from '../draw/provenance.js';
import { vector } from '../draw/symbols.js';
import example from '../examples/six-step.json';
import type { Case, Cell } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import polaritySheet from '../styles/polarity.css?inline';
import { sheets } from './figure.js';
import { TracedFigure, keepLast } from './traced-figure.js';

const kinds = ['blocked', 'allowed'] as const;
type Kind = (typeof kinds)[number];
/** In PyTorch, who takes an array that way. */
const takers = { blocked: 'nn.MultiheadAttention', allowed: 'F.scaled_dot_product_attention' };
type Name = 'array' | Kind;
const count = example.tokens.queries.length;
const range = Array.from({ length: count }, (_, index) => index);
const triangle = (isTrue: (i: number, j: number) => boolean) =>
  range.map((i) => range.map((j) => (isTrue(i, j) ? '1' : '0')).join('')).join('');
const presets = { upper: triangle((i, j) => j > i), lower: triangle((i, j) => j <= i) };

const masked = keepLast((page, of: Case, bits: string) => {
  const mask = range.map((i) => range.map((j) => bits[i * count + j] === '1'));
  const frameOfKind = (kind: Kind) =>
    frameOf(page, { ...of, options: { ...of.options, mask: { kind, mask } } });
  const frames = { blocked: frameOfKind('blocked'), allowed: frameOfKind('allowed') };
  const lineage: Lineage<Name> = {
    shapes: new Map((['array', ...kinds] as const).map((name) => [name, [count, count]])),
    operandsOf: (cell) =>
      cell.stage === 'array' ? [] : maskCellsOf(frames[cell.stage], cell, 'array'),
  };
  return { frames, lineage };
});

type Shown = readonly [of: Case, bits: string];

function weightsView(page: Page, shown: Shown, kind: Kind, grid?: GridState<Name>) {
  const own = { en, zh }[page.language];
  const { matrices, cause } = masked(page, ...shown).frames[kind];
  const empty = cause.filter((row) => row.every((rules) => rules.length > 0)).length;
  return html`<div>
    <p class="polarity-title">
      ${own[kind]} <code>kind: '${kind}'</code><code>${takers[kind]}</code>
    </p>
    ${pairView<Name>(
      page.words,
      {
        stage: kind,
        title: html`<var>A</var>`,
        spokenName: `kind: '${kind}', ${page.words.stages.weights}`,
        values: matrices.weights,
        kind: 'weights',
        // An array by hand either way, so hatched alike.
        cause: (row, column) => (cause[row]![column]!.length ? ['blocked'] : []),
      },
      grid,
    )}
    <p class="remark">${empty > 0 ? fill(own.empty, { count: empty }) : nothing}</p>
  </div>`;
}

const bothView = (page: Page, shown: Shown, grid?: GridState<Name>) =>
  kinds.map((kind) => weightsView(page, shown, kind, grid));

function checks(page: Page, shown: Shown) {
  const { frames } = masked(page, ...shown);
  const part = (kind: (typeof kinds)[number]) => ({
    of: { weights: frames[kind].matrices.weights, cause: frames[kind].cause },
    name: `kind: '${kind}'`,
  });
  return checksView(page.words, ...kinds.map(part));
}

export class AttentionPolarity extends TracedFigure<Name> {
  static override styles = sheets(polaritySheet);
  static override key = 'true';

  static firstFrame = (page: Page) => {
    const shown = [page.store.home.case, presets.upper] as const;
    return html`<div class="polarity">${bothView(page, shown)}</div>
      ${footView(checks(page, shown))}`;
  };

  protected override readonly sharesCase = true;

  protected override undone() {
    return ['bits'];
  }

  readonly #paint = new PaintController(this);

  get #bits(): string {
    const read = (text: string) => (/^[01]{16}$/.test(text) ? text : undefined);
    return this.setting('bits', read, presets.upper);
  }

  get #shown(): Shown {
    return [this.given, this.#bits];
  }

  protected override lineage = (page: Page) => masked(page, ...this.#shown).lineage;
  protected override example = (): Cell<Name> => ({ stage: 'blocked', row: 3, column: 0 });

  protected override linesOf(page: Page, cell: Cell<Name>) {
    const { stage, row, column } = cell;
    const { frames } = masked(page, ...this.#shown);
    if (stage !== 'array') return spellAs('weights', cell, frames[stage], page.words);
    return kinds.map((kind) => ({
      stage: kind === 'blocked' ? stage : kind,
      name: html`<code>kind: '${kind}'</code>`,
      text: permission(frames[kind].cause[row]![column]!, page.words),
    }));
  }

  protected override exhibit(page: Page) {
    const { frames } = masked(page, ...this.#shown);
    return { calls: kinds.map((name) => ({ name, frame: frames[name] })) };
  }

  #change(bits: string): void {
    this.set('bits', bits === presets.upper ? undefined : bits);
  }

  #arrayView(page: Page, grid: GridState<Name>) {
    const own = { en, zh }[page.language];
    const bits = this.#bits;
    const isTrue = (row: number, column: number) => bits[row * count + column] === '1';
    return html`<div>
      <p class="polarity-title">${own.array}</p>
      ${this.#paint.view({
        label: own.array,
        rows: count,
        columns: count,
        rowHeads: range.map((i) => vector('q', i)),
        columnHeads: range.map((j) => vector('k', j)),
        text: (row, column) => (isTrue(row, column) ? 'True' : 'False'),
        number: (row, column) => Number(isTrue(row, column)),
        spoken: (row, column) =>
          fill(own.cell, {
            row: row + 1,
            column: column + 1,
            value: own[isTrue(row, column) ? 'true' : 'false'],
          }),
        isOn: isTrue,
        traced: { name: 'array', markAt: (row, column) => grid.marks('array', row, column) },
        toggle: (cells) => {
          const next = [...bits];
          for (const [row, column] of cells) {
            const at = row * count + column;
            next[at] = next[at] === '1' ? '0' : '1';
          }
          this.#change(next.join(''));
        },
      })}
      <p class="axes">${page.words.axes}</p>
    </div>`;
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    return html`<div class="tools">
        <span>${own.presets}</span>
        ${(['upper', 'lower'] as const).map(
          (name) =>
            html`<button type="button" @click=${() => this.#change(presets[name])}>
              ${own[name]}
            </button>`,
        )}
        ${this.undoButton(page)}
      </div>
      ${this.traced(
        page,
        (grid) =>
          html`<div class="polarity" data-picture>
              ${this.#arrayView(page, grid)} ${bothView(page, this.#shown, grid)}
            </div>
            ${hatchesView(page.words, ['blocked'])}`,
        () => checks(page, this.#shown),
      )}`;
  }
}
