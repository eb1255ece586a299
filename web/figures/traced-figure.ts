// A figure all of whose state is its settings: whatever cell is pointed at, the cells it is made of are
// outlined, and so are those that follow from it, and its sum is spelled. Settings can be undone.
import { html, nothing } from 'lit';
import { GridController, type GridEdits } from '../draw/grid.js';
import { footView, inspectorView } from '../draw/inspector.js';
import { type Follow, afterPaint } from '../draw/later.js';
import { type Lineage, marksFor } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import type { Line } from '../draw/provenance.js';
import { type Case, type Cell, sameCase, sameCell } from '../state/case.js';
import { readCell, writeCell } from '../state/link.js';
import type { Page } from '../state/page.js';
import { Past } from '../state/past.js';
import { Figure } from './figure.js';

/** What was made of the last settings, of so many, is kept: pointing about makes nothing anew. */
export function keepLast<Settings extends readonly unknown[], Made>(
  make: (page: Page, ...settings: Settings) => Made,
  count = 1,
): (page: Page, ...settings: Settings) => Made {
  let kept: { page: Page; settings: Settings; made: Made }[] = [];
  return (page, ...settings) => {
    const found = kept.find(
      (each) =>
        each.page === page &&
        settings.length === each.settings.length &&
        settings.every((x, at) => x === each.settings[at]),
    );
    const last = found ?? { page, settings, made: make(page, ...settings) };
    kept = [last, ...kept.filter((each) => each !== found)].slice(0, count);
    return last.made;
  };
}

/** Where a slider that went from one number to another goes next, if there is such a number. */
export function onward(before: number, now: number, most: number): number | undefined {
  const next = now + Math.sign(now - before);
  return next !== now && next >= 1 && next <= most ? next : undefined;
}

/** What Undo brings back: its settings, and the page's case where that was changed here. */
interface Before {
  settings: string;
  case?: Case;
}

export abstract class TracedFigure<Name extends string> extends Figure {
  /** How its matrices are made of one another: the same object as long as they are the same. */
  protected abstract lineage(page: Page): Lineage<Name>;
  /** Everything that led to a cell. */
  protected abstract linesOf(page: Page, cell: Cell<Name>): readonly Line[];
  /** What is outlined while the reader looks at no cell. */
  protected abstract example(page: Page): Cell<Name>;
  /** What is spelled then: so much that what is spelled of another cell takes no more room. */
  protected exampleLines(page: Page): readonly Line[] {
    return this.linesOf(page, this.example(page));
  }
  /** Drawn with rows and columns exchanged. */
  protected isTransposed: (name: Name) => boolean = () => false;
  /** The settings that Undo brings back. */
  protected undone(): readonly string[] {
    return [];
  }
  /** What becomes of new numbers, where there can be any. */
  protected edits(): GridEdits<Name> | undefined {
    return undefined;
  }
  /** What is said instead of the hint. */
  protected complaint = '';
  protected hint = ({ words }: Page) => words.traceHint;

  readonly #grid = new GridController<Name>(this, {
    shape: (name) => this.lineage(this.page!).shapes.get(name)!,
    isTransposed: (name) => this.isTransposed(name),
    pin: () => (this.page ? this.#pin : null),
    setPin: (cell, isEntry) => this.#keep(cell, isEntry),
    edits: this.edits(),
  });

  constructor() {
    super();
    this.addEventListener('keydown', (event) => this.#undoByKey(event));
  }

  get #pin(): Cell<Name> | null {
    const read = (text: string) => readCell(text, this.lineage(this.page!).shapes);
    return this.setting('pin', read, null, writeCell);
  }

  #keep(cell: Cell<Name> | null, isEntry?: boolean): void {
    this.set('pin', writeCell(cell), isEntry);
  }

  /** Whether what is drawn next is what a slider comes through. */
  #isSliding = false;

  protected override updated(): void {
    super.updated();
    this.#isSliding = false;
  }

  protected override set(name: string, text: string | undefined, isEntry = true): void {
    if (this.undone().includes(name)) {
      this.complaint = '';
      this.#past.keep({ settings: this.#settings }, isEntry);
    }
    this.#put(name, text, isEntry);
  }

  #put(name: string, text: string | undefined, isEntry = true): void {
    const kept = this.#pin;
    this.#isSliding = !isEntry;
    super.set(name, text, isEntry);
    // A cell that is gone is not kept.
    if (kept && !this.#pin) super.set('pin', undefined, isEntry);
  }

  readonly #past = new Past<Before>(
    (before, now) =>
      before.settings === now.settings && (!before.case || sameCase(before.case, now.case!)),
  );

  /** Those that can be undone. */
  get #settings(): string {
    const all = this.ownSettings();
    return JSON.stringify(this.undone().map((name) => all[name] ?? null));
  }

  get #now(): Required<Before> {
    return { settings: this.#settings, case: this.page!.store.view.case };
  }

  /** Changes the page's case, which Undo brings back as well. */
  protected setCase(to: Case, isEntry = true): void {
    this.complaint = '';
    this.#past.keep(this.#now, isEntry);
    this.#isSliding = !isEntry;
    this.page!.store.update({ case: to }, isEntry);
  }

  protected undo(): void {
    this.complaint = '';
    const before = this.#past.undo(this.#now);
    if (!before) return;
    const texts = JSON.parse(before.settings) as (string | null)[];
    this.undone().forEach((name, at) => this.#put(name, texts[at] ?? undefined));
    if (before.case) this.page!.store.update({ case: before.case });
  }

  protected undoButton({ words }: Page) {
    const can = this.#past.before(this.#now) !== undefined;
    return html`<button type="button" aria-disabled=${!can} @click=${() => this.undo()}>
      ${words.undo}
    </button>`;
  }

  /** Ctrl+Z anywhere in the figure; a box that is typed in has its own. */
  #undoByKey(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, defaultPrevented } = event;
    const [target] = event.composedPath() as [HTMLElement];
    const isTyping = target.matches('input:not([type="checkbox"], [type="radio"], [type="range"])');
    if (key !== 'z' || !(ctrlKey || metaKey) || defaultPrevented || isTyping) return;
    event.preventDefault();
    this.undo();
    const { stage } = target.dataset;
    void this.updateComplete.then(() => {
      // The matrix may have become smaller.
      if (target.isConnected || !stage) return;
      const cell = `td[data-stage="${stage}"][tabindex="0"]`;
      this.renderRoot.querySelector<HTMLElement>(cell)?.focus();
    });
  }

  /**
   * What it shows, drawn with what the reader is doing, the sum behind the cell looked at, and checks.
   * What of the board is drawn by `follow` lets the rest go first while a slider moves.
   */
  protected traced(
    page: Page,
    board: (grid: GridState<Name>, follow: Follow) => unknown,
    checks: () => unknown,
  ) {
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
      editing: this.#grid.editing,
    };
    const inspector = () =>
      inspectorView<Name>({
        words: page.words,
        cell,
        lines: looked ? this.linesOf(page, looked) : this.exampleLines(page),
        isKept: looked !== null && sameCell(looked, pin),
        isEditable: this.edits()?.isEditable(cell.stage) ?? false,
        hint: this.complaint || (looked ? null : this.hint(page)),
        edit: (target) => this.#grid.edit(target),
        letGo: () => this.#keep(null),
      });
    const follow: Follow = (make, isUrgent = false) =>
      afterPaint(lineage, make, isUrgent || !this.#isSliding);
    return html`<div class="traced" data-looking=${looked ? 'yes' : nothing}>
      ${this.#grid.around(board(grid, follow))}
      ${afterPaint(lineage, () => footView(checks(), inspector()))}
    </div>`;
  }
}
