// A figure whose numbers are looked at, not changed: whatever cell is pointed at, the cells it is made
// of are outlined, and so are those that follow from it, and its sum is spelled.
import { html, nothing } from 'lit';
import { GridController } from '../draw/grid.js';
import { footView, inspectorView } from '../draw/inspector.js';
import { type Lineage, marksFor } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import type { Line } from '../draw/provenance.js';
import { type Cell, sameCell } from '../state/case.js';
import { readCell, writeCell } from '../state/link.js';
import type { Page } from '../state/page.js';
import { Figure } from './figure.js';

/** What was made of the last settings is kept: pointing about makes nothing anew. */
export function keepLast<Settings extends readonly unknown[], Made>(
  make: (page: Page, ...settings: Settings) => Made,
): (page: Page, ...settings: Settings) => Made {
  let last: { page: Page; settings: Settings; made: Made } | undefined;
  return (page, ...settings) => {
    const isSame =
      last?.page === page &&
      settings.length === last.settings.length &&
      settings.every((x, at) => x === last!.settings[at]);
    if (!last || !isSame) last = { page, settings, made: make(page, ...settings) };
    return last.made;
  };
}

export abstract class TracedFigure<Name extends string> extends Figure {
  /** How its matrices are made of one another: the same object as long as they are the same. */
  protected abstract lineage(page: Page): Lineage<Name>;
  /** Everything that led to a cell. */
  protected abstract linesOf(page: Page, cell: Cell<Name>): readonly Line[];
  /** What is spelled while the reader looks at no cell. */
  protected abstract example(page: Page): Cell<Name>;
  /** Drawn with rows and columns exchanged. */
  protected isTransposed: (name: Name) => boolean = () => false;

  readonly #grid = new GridController<Name>(this, {
    shape: (name) => this.lineage(this.page!).shapes.get(name)!,
    isTransposed: (name) => this.isTransposed(name),
    pin: () => this.#pin,
    setPin: (cell) => this.#keep(cell),
  });

  get #pin(): Cell<Name> | null {
    const read = (text: string) => readCell(text, this.lineage(this.page!).shapes);
    return this.setting('pin', read, null, writeCell);
  }

  #keep(cell: Cell<Name> | null): void {
    this.set('pin', writeCell(cell));
  }

  protected override set(name: string, text: string | undefined, isEntry = true): void {
    const kept = this.#pin;
    super.set(name, text, isEntry);
    // A cell that is gone is not kept.
    if (kept && !this.#pin) super.set('pin', undefined, isEntry);
  }

  /** What it shows, drawn with what the reader is doing, the sum behind the cell looked at, and checks. */
  protected traced(page: Page, board: (grid: GridState<Name>) => unknown, checks: unknown) {
    const [pin, lineage] = [this.#pin, this.lineage(page)];
    // What was under the pointer may be gone.
    const { looked: under } = this.#grid;
    const [rows, columns] = (under && lineage.shapes.get(under.stage)) ?? [0, 0];
    const looked = under && under.row < rows && under.column < columns ? under : null;
    const cell = looked ?? this.example(page);
    const grid: GridState<Name> = {
      marks: marksFor(cell, lineage),
      pin,
      tabStop: this.#grid.tabStop,
      editing: null,
    };
    return html`<div class="traced" data-looking=${looked ? 'yes' : nothing}>
      ${this.#grid.around(board(grid))}
      ${footView(
        checks,
        inspectorView<Name>({
          words: page.words,
          cell,
          lines: this.linesOf(page, cell),
          isKept: looked !== null && sameCell(looked, pin),
          isEditable: false,
          hint: looked ? null : page.words.traceHint,
          edit: () => undefined,
          letGo: () => this.#keep(null),
        }),
      )}
    </div>`;
  }
}
