// A figure whose matrices belong to one case: cells can be looked at, kept, changed, pasted over.
import { html } from 'lit';
import { GridController } from '../draw/grid.js';
import { type Lineage, lineageOf, marksFor } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import type { Shown } from '../export/data.js';
import { type Format, menuView } from '../export/menu.js';
import { type Case, type Cell, sameShape, sizeOf, withBlock } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import { shapeOf } from '../state/link.js';
import type { Page } from '../state/page.js';
import { parseMatrix } from '../state/parse.js';
import { type Stage, isInput } from '../state/steps.js';
import { fill } from '../state/words.js';
import { Figure } from './figure.js';

export abstract class CaseFigure extends Figure {
  protected complaint = '';
  #exported = '';

  protected abstract shownCase(page: Page): Case;
  protected abstract changeCase(to: Case): void;
  protected abstract undo(): void;
  protected abstract pin(): Cell | null;
  protected abstract setPin(cell: Cell | null): void;
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
    isEditable: isInput,
    pin: () => (this.page ? this.pin() : null),
    setPin: (cell) => this.setPin(cell),
    valueOf: ({ stage, row, column }) => this.frame.matrices[stage][row]?.[column] ?? NaN,
    change: (cell, value) => this.#replace(cell, [[value]]),
    paste: (cell, text) => this.#paste(cell, text),
    undo: () => this.undo(),
    complain: (entry) => {
      this.complaint = entry === '' ? '' : fill(this.page!.words.badNumber, { text: entry });
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

  #paste(cell: Cell, text: string): void {
    const { words } = this.page!;
    const block = parseMatrix(text);
    const [rows, columns] = shapeOf(cell.stage, this.shownCase(this.page!));
    const [height, width] = block ? sizeOf(block) : [0, 0];
    this.complaint = '';
    if (!block) this.complaint = words.badPaste;
    else if (cell.row + height > rows || cell.column + width > columns) {
      this.complaint = fill(words.pasteTooBig, {
        block: `${height}×${width}`,
        matrix: words.stages[cell.stage],
        shape: `${rows}×${columns}`,
      });
    } else this.#replace(cell, block);
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

  async #save(format: Format): Promise<void> {
    const { save } = await import('../export/formats.js');
    const { frame, renderRoot: root } = this;
    const paper = getComputedStyle(root.querySelector('.export')!).backgroundColor;
    await save(format, { frame, shown: this.shown(), root, paper });
    this.#say(fill(this.page!.words.export.saved, { format }));
  }

  async #open(file: File): Promise<void> {
    const { words } = this.page!;
    const { fromJSON } = await import('../export/data.js');
    const refuse = (reason: string) =>
      this.#say(fill(words.export.refused, { name: file.name, reason }));
    const found = fromJSON(await file.text());
    if (typeof found === 'string') return refuse(fill(words.export.notThere, { part: found }));
    const now = this.shownCase(this.page!);
    const wrong = (['query', 'key', 'value'] as const).find(
      (name) => !sameShape(found.case[name], now[name]),
    );
    if (wrong) {
      const shapes = [found.case[wrong], now[wrong]].map((matrix) => sizeOf(matrix).join('×'));
      const [given, wanted] = shapes as [string, string];
      return refuse(fill(words.export.otherShape, { matrix: words.stages[wrong], given, wanted }));
    }
    try {
      frameOf(this.page!, found.case);
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
    this.changeCase(found.case);
    this.show(found.shown);
    this.#say(fill(words.export.opened, { name: file.name }));
  }

  async #copy(what: 'link' | 'frame'): Promise<void> {
    const { words, store } = this.page!;
    const section = this.closest('section')?.id ?? '';
    const fragment = [section, store.fragment].filter((part) => part !== '').join('&');
    const { origin, pathname } = location;
    const figure = this.localName.replace('attention-', '');
    const source = `${origin}${pathname}?embed=1&amp;figure=${figure}#${store.fragment}`;
    const text =
      what === 'link'
        ? `${origin}${pathname}#${fragment}`
        : `<iframe src="${source}" width="100%" height="700" title="${document.title}"></iframe>`;
    try {
      await navigator.clipboard.writeText(text);
      this.#say(words.export.copied);
    } catch {
      // Not allowed here: the reader can copy it from the message.
      this.#say(text);
    }
  }

  #say(message: string): void {
    this.#exported = message;
    this.requestUpdate();
  }

  /** Does what a button asks for; whatever fails is said. */
  #try(act: () => Promise<void>): void {
    act().catch((error: unknown) => this.#say(String(error)));
  }

  protected override view(page: Page) {
    const menu = menuView({
      words: page.words,
      message: this.#exported,
      save: (format) => this.#try(() => this.#save(format)),
      open: (file) => this.#try(() => this.#open(file)),
      copy: page.store.isInAddress ? (what) => this.#try(() => this.#copy(what)) : undefined,
    });
    return html`${this.grid.around(this.board(page))}${menu}`;
  }
}
