// What a reader does with the cells of a figure: move, look, keep, change, paste.
// Arrows move in the drawn direction; Enter changes a number or keeps a cell; Escape lets go.
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { type Cell, sameCell } from '../state/case.js';
import { parseNumber } from '../state/parse.js';
import { type Stage, isInput, stages } from '../state/steps.js';
import { givenNumber } from './number.js';

type Host = ReactiveControllerHost & { renderRoot: ParentNode };

/** What the figure does when its grids ask for it. */
export interface GridActions {
  /** Rows and columns of the matrix as stored. */
  shape: (stage: Stage) => readonly [number, number];
  isTransposed: (stage: Stage) => boolean;
  pin: () => Cell | null;
  setPin: (cell: Cell | null) => void;
  valueOf: (cell: Cell) => number;
  change: (cell: Cell, value: number) => void;
  paste: (cell: Cell, text: string) => void;
  undo: () => void;
  /** Says what is wrong with an entry; an empty text takes it back. */
  complain: (entry: string) => void;
}

export interface Editing {
  cell: Cell;
  text: string;
  isBad: boolean;
}

const arrows: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const cellAt = (event: Event): Cell | null => {
  const element = (event.target as Element).closest<HTMLElement>('td[data-stage]');
  if (!element) return null;
  const { stage, row, column } = element.dataset;
  return {
    stage: stages.find((name) => name === stage)!,
    row: Number(row),
    column: Number(column),
  };
};

export class GridController implements ReactiveController {
  editing: Editing | null = null;
  #hover: Cell | null = null;
  #focus: Cell | null = null;
  #stops = new Map<Stage, Cell>();

  constructor(
    readonly host: Host,
    readonly actions: GridActions,
  ) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#hover = this.#focus = this.editing = null;
  }

  /** The cell being looked at: under the pointer, else focused, else kept. */
  get looked(): Cell | null {
    return this.#hover ?? this.#focus ?? this.actions.pin();
  }

  readonly tabStop = (stage: Stage) => this.#stops.get(stage) ?? { row: 0, column: 0 };

  /** Opens a cell for a new number. */
  edit(cell: Cell, text = givenNumber(this.actions.valueOf(cell))): void {
    this.editing = { cell, text: text.replace('\u2212', '-'), isBad: false };
    const isFresh = text.length === 1;
    this.#after((root) => {
      const input = root.querySelector<HTMLInputElement>('input.edit');
      input?.focus();
      if (!isFresh) input?.select();
    });
  }

  readonly pointerOver = (event: PointerEvent): void => this.#look(cellAt(event));
  readonly pointerLeave = (): void => this.#look(null);

  readonly focusIn = (event: FocusEvent): void => {
    const cell = cellAt(event);
    if (cell) this.#stops.set(cell.stage, cell);
    this.#focus = cell;
    this.host.requestUpdate();
  };

  readonly focusOut = (event: FocusEvent): void => {
    if (event.target instanceof HTMLInputElement && this.editing) this.#commit();
    this.#focus = null;
    this.host.requestUpdate();
  };

  readonly click = (event: MouseEvent): void => {
    const cell = cellAt(event);
    if (!cell || event.target instanceof HTMLInputElement) return;
    if (!sameCell(cell, this.actions.pin())) this.actions.setPin(cell);
    else if (isInput(cell.stage)) this.edit(cell);
    else this.actions.setPin(null);
  };

  readonly paste = (event: ClipboardEvent): void => {
    const cell = cellAt(event);
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const isSingle = event.target instanceof HTMLInputElement && !/[\n\t[]/.test(text);
    if (!cell || !isInput(cell.stage) || isSingle) return;
    event.preventDefault();
    this.editing = null;
    this.actions.paste(cell, text);
  };

  readonly input = (event: InputEvent): void => {
    if (!this.editing) return;
    const { value } = event.target as HTMLInputElement;
    const isBad = value !== '' && value !== '-' && parseNumber(value) === undefined;
    this.editing = { ...this.editing, text: value, isBad };
    this.actions.complain(isBad ? value : '');
    this.host.requestUpdate();
  };

  readonly keyDown = (event: KeyboardEvent): void => {
    const cell = cellAt(event);
    if (!cell) return;
    const handled =
      event.target instanceof HTMLInputElement
        ? this.#keyInInput(event, cell)
        : this.#keyOnCell(event, cell);
    if (handled) event.preventDefault();
  };

  #keyOnCell(event: KeyboardEvent, cell: Cell): boolean {
    const { key } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && key === 'z') this.actions.undo();
    else if (key in arrows || key === 'Home' || key === 'End') this.#move(cell, key, isCommand);
    else if (isCommand || event.altKey) return false;
    else if ((key === 'Enter' || key === 'F2') && isInput(cell.stage)) this.edit(cell);
    else if (key === 'Enter' || key === ' ') {
      this.actions.setPin(sameCell(cell, this.actions.pin()) ? null : cell);
    } else if (key === 'Escape' && this.actions.pin()) this.actions.setPin(null);
    else if (/^[-\d.]$/.test(key) && isInput(cell.stage)) this.edit(cell, key);
    else return false;
    return true;
  }

  #keyInInput({ key }: KeyboardEvent, cell: Cell): boolean {
    if (key === 'Enter') {
      if (this.#commit()) this.#focusCell(cell);
      return true;
    }
    if (key === 'Escape') {
      this.editing = null;
      this.actions.complain('');
      this.#focusCell(cell);
      return true;
    }
    return false;
  }

  #move(from: Cell, key: string, toCorner: boolean): void {
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
    this.#focusCell({ stage: from.stage, row, column });
  }

  /** Takes the entry over; a bad one stays open and marked, and the last good number stands. */
  #commit(): boolean {
    const entry = this.editing;
    if (!entry) return true;
    const value = parseNumber(entry.text);
    if (value === undefined) {
      this.editing = { ...entry, isBad: true };
      this.actions.complain(entry.text);
      this.host.requestUpdate();
      return false;
    }
    this.editing = null;
    this.actions.complain('');
    this.actions.change(entry.cell, value);
    this.host.requestUpdate();
    return true;
  }

  #look(cell: Cell | null): void {
    if (sameCell(cell, this.#hover)) return;
    this.#hover = cell;
    this.host.requestUpdate();
  }

  #focusCell({ stage, row, column }: Cell): void {
    this.#stops.set(stage, { stage, row, column });
    const selector = `td[data-stage="${stage}"][data-row="${row}"][data-column="${column}"]`;
    this.#after((root) => root.querySelector<HTMLElement>(selector)?.focus());
  }

  #after(act: (root: ParentNode) => void): void {
    this.host.requestUpdate();
    void this.host.updateComplete.then(() => act(this.host.renderRoot));
  }
}
