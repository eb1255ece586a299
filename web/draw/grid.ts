// What a reader does with the cells of a figure: move, look, keep, change, paste.
// Arrows move in the drawn direction; Enter changes a number or keeps a cell; Escape lets go. Ctrl+A
// selects the matrix and Shift+Space the row, to be copied.
import {
  type ReactiveController,
  type ReactiveControllerHost,
  type TemplateResult,
  html,
} from 'lit';
import { type Cell, sameCell } from '../state/case.js';
import { parseNumber } from '../state/parse.js';
import type { Stage } from '../state/steps.js';
import { selectCells } from './copy.js';
import { givenNumber, plain } from './number.js';

/** `place`: where its grids stand. */
type Host = ReactiveControllerHost & { place: ParentNode };

/** What the figure does with new numbers. */
export interface GridEdits<Name extends string> {
  isEditable: (stage: Name) => boolean;
  valueOf: (cell: Cell<Name>) => number;
  change: (cell: Cell<Name>, value: number) => void;
  paste: (cell: Cell<Name>, text: string) => void;
  /** Absent where the figure itself listens for Ctrl+Z. */
  undo?: () => void;
  /** Says that an entry is not a number; `undefined` takes it back. */
  complain: (entry: string | undefined) => void;
}

/** What the figure does when its grids ask for it. */
export interface GridActions<Name extends string> {
  /** Rows and columns of the matrix as stored. */
  shape: (stage: Name) => readonly [number, number];
  isTransposed: (stage: Name) => boolean;
  pin: () => Cell<Name> | null;
  /** `isEntry`: whether Back undoes it by itself. */
  setPin: (cell: Cell<Name> | null, isEntry?: boolean) => void;
  /** Absent where no number can be changed. */
  edits?: GridEdits<Name> | undefined;
}

export interface Editing<Name extends string = Stage> {
  cell: Cell<Name>;
  text: string;
  isBad: boolean;
}

const arrows: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const cellAt = <Name extends string>(event: Event): Cell<Name> | null => {
  const element = (event.target as Element).closest<HTMLElement>('td[data-stage]');
  if (!element) return null;
  const { stage, row, column } = element.dataset;
  return { stage: stage as Name, row: Number(row), column: Number(column) };
};

export class GridController<Name extends string = Stage> implements ReactiveController {
  editing: Editing<Name> | null = null;
  #hover: Cell<Name> | null = null;
  #focus: Cell<Name> | null = null;
  #stops = new Map<Name, Cell<Name>>();

  constructor(
    readonly host: Host,
    readonly actions: GridActions<Name>,
  ) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#hover = this.#focus = this.editing = null;
  }

  /** The cell being looked at: under the pointer, else focused, else kept. */
  get looked(): Cell<Name> | null {
    return this.#hover ?? this.#focus ?? this.actions.pin();
  }

  /** The matrix may have become smaller since. */
  readonly tabStop = (stage: Name) => {
    const { row, column } = this.#stops.get(stage) ?? { row: 0, column: 0 };
    if (row === 0 && column === 0) return { row, column };
    const [rows, columns] = this.actions.shape(stage);
    return { row: Math.min(row, rows - 1), column: Math.min(column, columns - 1) };
  };

  #isEditable(stage: Name): boolean {
    return this.actions.edits?.isEditable(stage) ?? false;
  }

  /** Opens a cell for a new number, which may have been begun. */
  edit(cell: Cell<Name>, begun?: string): void {
    const { edits } = this.actions;
    if (!edits) return;
    const text = begun ?? givenNumber(edits.valueOf(cell));
    this.editing = { cell, text: plain(text), isBad: false };
    const isFresh = text.length === 1;
    this.#after((root) => {
      const input = root.querySelector<HTMLInputElement>('input.edit');
      input?.focus();
      if (!isFresh) input?.select();
    });
  }

  /** The grids, with everything that happens in them handled here. */
  around(grids: unknown): TemplateResult {
    return html`<div
      @pointerover=${this.#pointerOver}
      @pointerleave=${this.#pointerLeave}
      @focusin=${this.#focusIn}
      @focusout=${this.#focusOut}
      @click=${this.#click}
      @keydown=${this.#keyDown}
      @input=${this.#input}
      @paste=${this.#paste}
    >
      ${grids}
    </div>`;
  }

  readonly #pointerOver = (event: PointerEvent): void => this.#look(cellAt<Name>(event));
  readonly #pointerLeave = (): void => this.#look(null);

  readonly #focusIn = (event: FocusEvent): void => {
    const cell = cellAt<Name>(event);
    if (cell) this.#stops.set(cell.stage, cell);
    this.#focus = cell;
    this.host.requestUpdate();
  };

  readonly #focusOut = (event: FocusEvent): void => {
    if (event.target instanceof HTMLInputElement && this.editing) this.#commit();
    const left = this.#focus;
    const letGo = () => {
      if (this.#focus !== left) return;
      this.#focus = null;
      this.host.requestUpdate();
    };
    // What is being pressed must not move away as the inspector shrinks: it is let go after the click.
    if (!document.querySelector(':active')) return letGo();
    const ends = new AbortController();
    const end = () => {
      ends.abort();
      setTimeout(letGo);
    };
    for (const name of ['mouseup', 'pointercancel', 'dragend']) {
      addEventListener(name, end, { signal: ends.signal, capture: true });
    }
  };

  /** Where the last click was, and what was kept before it. */
  #clicked: { cell: Cell<Name>; pin: Cell<Name> | null } | undefined;

  readonly #click = (event: MouseEvent): void => {
    const cell = cellAt<Name>(event);
    if (!cell || event.target instanceof HTMLInputElement) return;
    const last = this.#clicked;
    // A double click opens a cell, and what its first click kept goes; where nothing opens it is one click.
    if (event.detail > 1 && last && sameCell(cell, last.cell)) {
      if (!this.#isEditable(cell.stage)) return;
      if (!sameCell(last.pin, this.actions.pin())) this.actions.setPin(last.pin, false);
      return this.edit(cell);
    }
    this.#clicked = { cell, pin: this.actions.pin() };
    if (!sameCell(cell, this.actions.pin())) this.actions.setPin(cell);
    else if (this.#isEditable(cell.stage)) this.edit(cell);
    else this.actions.setPin(null);
  };

  readonly #paste = (event: ClipboardEvent): void => {
    const cell = cellAt<Name>(event);
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const isSingle = event.target instanceof HTMLInputElement && !/[\n\t[]/.test(text);
    if (!cell || !this.#isEditable(cell.stage) || isSingle) return;
    event.preventDefault();
    this.editing = null;
    this.actions.edits!.paste(cell, text);
  };

  readonly #input = (event: InputEvent): void => {
    if (!this.editing) return;
    const { value } = event.target as HTMLInputElement;
    const isBad = value !== '' && value !== '-' && parseNumber(value) === undefined;
    this.editing = { ...this.editing, text: value, isBad };
    this.actions.edits?.complain(isBad ? value : undefined);
    this.host.requestUpdate();
  };

  readonly #keyDown = (event: KeyboardEvent): void => {
    const cell = cellAt<Name>(event);
    if (!cell) {
      // Esc lets go from wherever the focus is, such as the button of the next step.
      if (event.key === 'Escape' && this.actions.pin()) this.actions.setPin(null);
      return;
    }
    const handled =
      event.target instanceof HTMLInputElement
        ? this.#keyInInput(event, cell)
        : this.#keyOnCell(event, cell);
    if (handled) event.preventDefault();
  };

  #keyOnCell(event: KeyboardEvent, cell: Cell<Name>): boolean {
    const { key } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    // Caps Lock makes no other letter.
    const letter = isCommand && !event.shiftKey ? key.toLowerCase() : '';
    const all = letter === 'a';
    const { undo } = this.actions.edits ?? {};
    if (letter === 'z' && undo) undo();
    else if (all || (key === ' ' && event.shiftKey))
      selectCells(event.target as HTMLTableCellElement, all ? 'matrix' : 'row');
    else if (key in arrows || key === 'Home' || key === 'End') this.#move(cell, key, isCommand);
    else if (isCommand || event.altKey) return false;
    else if ((key === 'Enter' || key === 'F2') && this.#isEditable(cell.stage)) this.edit(cell);
    else if (key === 'Enter' || key === ' ') {
      this.actions.setPin(sameCell(cell, this.actions.pin()) ? null : cell);
    } else if (key === 'Escape' && this.actions.pin()) this.actions.setPin(null);
    else if (/^[-\d.]$/.test(key) && this.#isEditable(cell.stage)) this.edit(cell, key);
    else return false;
    return true;
  }

  #keyInInput({ key }: KeyboardEvent, cell: Cell<Name>): boolean {
    if (key === 'Enter') {
      if (this.#commit()) this.#focusCell(cell);
      return true;
    }
    if (key === 'Escape') {
      this.editing = null;
      this.actions.edits?.complain(undefined);
      this.#focusCell(cell);
      return true;
    }
    return false;
  }

  #move(from: Cell<Name>, key: string, toCorner: boolean): void {
    const swap = this.actions.isTransposed(from.stage);
    const [rows, columns] = this.actions.shape(from.stage);
    const [height, width] = swap ? [columns, rows] : [rows, columns];
    let [down, right] = swap ? [from.column, from.row] : [from.row, from.column];
    const step = arrows[key];
    if (step) {
      down = Math.min(Math.max(down + step[0], 0), height - 1);
      right = Math.min(Math.max(right + step[1], 0), width - 1);
    } else {
      right = key === 'Home' ? 0 : width - 1;
      if (toCorner) down = key === 'Home' ? 0 : height - 1;
    }
    const [row, column] = swap ? [right, down] : [down, right];
    this.#hover = null;
    getSelection()?.removeAllRanges();
    this.#focusCell({ stage: from.stage, row, column });
  }

  /** Takes the entry over; a bad one stays open and marked, and the last good number stands. */
  #commit(): boolean {
    const entry = this.editing;
    if (!entry) return true;
    const value = parseNumber(entry.text);
    if (value === undefined) {
      this.editing = { ...entry, isBad: true };
      this.actions.edits?.complain(entry.text);
      this.host.requestUpdate();
      return false;
    }
    this.editing = null;
    this.actions.edits?.complain(undefined);
    this.actions.edits?.change(entry.cell, value);
    this.host.requestUpdate();
    return true;
  }

  #look(cell: Cell<Name> | null): void {
    if (sameCell(cell, this.#hover)) return;
    this.#hover = cell;
    this.host.requestUpdate();
  }

  #focusCell({ stage, row, column }: Cell<Name>): void {
    this.#stops.set(stage, { stage, row, column });
    const selector = `td[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`;
    this.#after((root) => root.querySelector<HTMLElement>(selector)?.focus());
  }

  #after(act: (root: ParentNode) => void): void {
    this.host.requestUpdate();
    void this.host.updateComplete.then(() => act(this.host.place));
  }
}
