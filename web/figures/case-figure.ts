// A figure whose matrices belong to one case: cells can be looked at, kept, changed, pasted over.
import { GridController } from '../draw/grid.js';
import { type Lineage, lineageOf, marksFor } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import type { Shown } from '../export/data.js';
import { type Case, type Cell, sameCase, sameShape, sizeOf, withBlock } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import { shapeOf } from '../state/link.js';
import type { Page } from '../state/page.js';
import { type Stage, isInput } from '../state/steps.js';
import { complaintOf, fill } from '../state/words.js';
import { Figure } from './figure.js';
import type { Shared } from './sharing.js';

export abstract class CaseFigure extends Figure {
  #complaint = '';
  #complaintOf: Case | undefined;

  /** What was wrong with the last entry or paste, until the case is another. */
  protected get complaint(): string {
    const of = this.#complaintOf;
    return of && sameCase(of, this.shownCase(this.page!)) ? this.#complaint : '';
  }
  protected set complaint(text: string) {
    this.#complaint = text;
    this.#complaintOf = this.shownCase(this.page!);
  }

  protected abstract shownCase(page: Page): Case;
  protected abstract changeCase(to: Case): void;
  protected abstract undo(): void;
  protected abstract pin(): Cell | null;
  protected abstract setPin(cell: Cell | null, isEntry?: boolean): void;
  /** Drawn with rows and columns exchanged. */
  protected isTransposed(stage: Stage): boolean {
    return stage === 'key';
  }
  /** Drawn above the matrices' own area. */
  protected abstract board(page: Page): unknown;

  protected get frame(): Frame {
    return frameOf(this.page!, this.shownCase(this.page!));
  }

  protected readonly grid = new GridController(this, {
    shape: (stage) => shapeOf(stage, this.shownCase(this.page!)),
    isTransposed: (stage) => this.isTransposed(stage),
    pin: () => (this.page ? this.pin() : null),
    setPin: (cell, isEntry) => this.setPin(cell, isEntry),
    edits: {
      isEditable: isInput,
      valueOf: ({ stage, row, column }) => this.frame.matrices[stage][row]?.[column] ?? NaN,
      change: (cell, value) => this.#replace(cell, [[value]]),
      paste: (cell, text) => void this.#paste(cell, text),
      undo: () => this.undo(),
      complain: (entry) => {
        this.complaint = complaintOf(this.page!.words, entry);
      },
    },
  });

  /** How what it draws is made of one another. */
  protected lineage(): Lineage {
    return lineageOf(this.frame);
  }

  /** What the grids need to draw themselves, with `looked` and all it is related to marked. */
  protected gridState(looked: Cell | null): GridState {
    return {
      marks: marksFor(looked, this.lineage()),
      pin: this.pin(),
      tabStop: this.grid.tabStop,
      editing: this.grid.editing,
    };
  }

  #replace({ stage, row, column }: Cell, block: number[][]): void {
    if (!isInput(stage)) return;
    const given = this.shownCase(this.page!);
    this.changeCase({ ...given, [stage]: withBlock(given[stage], row, column, block) });
  }

  async #paste(cell: Cell, text: string): Promise<void> {
    const page = this.page!;
    const shape = shapeOf(cell.stage, this.shownCase(page));
    const { pasted } = await import('./paste.js');
    const matrix = page.words.stages[cell.stage];
    const isTransposed = this.isTransposed(cell.stage);
    const found = pasted(page, text, { ...cell, matrix, shape, isTransposed });
    if (typeof found === 'string') this.complaint = found;
    else {
      this.#replace(cell, found.block);
      this.complaint = found.note;
    }
    this.requestUpdate();
  }

  /** What an exported file says beside the case, and what is done with it when it comes back. */
  protected shown(): Shown {
    return { pin: this.pin() };
  }

  protected show({ pin }: Partial<Shown>): void {
    const shape = pin && shapeOf(pin.stage, this.shownCase(this.page!));
    const isInside = pin && shape && pin.row < shape[0] && pin.column < shape[1];
    this.setPin(isInside ? pin : null);
  }

  /** The case whose sizes that of a file has to have, where it is not the one that is shown. */
  protected like?(shown: Partial<Shown>): Case;

  protected take(of: Case, shown: Partial<Shown>): void {
    this.changeCase(of);
    this.show(shown);
  }

  protected override exhibit() {
    return { calls: [{ frame: this.frame }] };
  }

  /** The case itself is saved, so that it can be given to the library as it is, and opened. */
  protected override shared(): Shared {
    return {
      formats: this.formats,
      exhibit: () => this.exhibit(),
      json: async () => {
        const { caseJSON } = await import('../export/data.js');
        return caseJSON(this.frame, this.shown());
      },
      open: (text) => this.#open(this.page!, text),
    };
  }

  async #open(page: Page, text: string): Promise<string | undefined> {
    const { words } = page;
    const { Misfit, caseFrom } = await import('../export/data.js');
    const found = caseFrom(text);
    if (found instanceof Misfit) return found.text(words);
    const now = this.like?.(found.shown) ?? this.shownCase(page);
    const wrong = (['query', 'key', 'value'] as const).find(
      (name) => !sameShape(found.case[name], now[name]),
    );
    if (wrong) {
      const shapes = [found.case[wrong], now[wrong]].map((matrix) => sizeOf(matrix).join('×'));
      const [given, wanted] = shapes as [string, string];
      return fill(words.export.otherShape, { matrix: words.stages[wrong], given, wanted });
    }
    try {
      frameOf(page, found.case);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    this.take(found.case, found.shown);
    return undefined;
  }

  protected override view(page: Page) {
    return this.grid.around(this.board(page));
  }
}
