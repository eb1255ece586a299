// A grid of on and off: click or Space toggles a cell, Shift+Space its row, Ctrl+Space its column. Ctrl+A
// selects it, to be copied.
import { type ReactiveController, type ReactiveControllerHost, html, nothing } from 'lit';
import type { Mark } from './lineage.js';
import { selectCells } from './copy.js';
import { edges } from './matrix.js';

type Host = ReactiveControllerHost & { renderRoot: ParentNode };

/** What a reader without a script sees of it too. */
export interface Painted {
  label: string;
  rows: number;
  columns: number;
  rowHeads: readonly unknown[];
  columnHeads: readonly unknown[];
  /** What the cell reads, and how it is said. */
  text: (row: number, column: number) => string;
  /** What is copied of it. */
  number: (row: number, column: number) => number;
  spoken: (row: number, column: number) => string;
  /** Names the rule that forbids a cell; its hatch follows it. */
  cause?: (row: number, column: number) => readonly string[];
}

/** Without what is said of each cell, which a table tells by itself, and what is copied of it. */
type Drawn = Omit<Painted, 'spoken' | 'number'>;

export interface Painting extends Painted {
  isOn: (row: number, column: number) => boolean;
  /** Where the reader can look at its cells: its name among the figure's matrices, and the marks. */
  traced?: { name: string; markAt: (row: number, column: number) => Mark | undefined };
  /** Toggles these cells together. */
  toggle: (cells: readonly (readonly [row: number, column: number])[]) => void;
}

const arrows: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const causeOf = ({ cause }: Drawn, row: number, column: number) => {
  const causes = cause?.(row, column) ?? [];
  return causes.length > 1 ? 'several' : (causes[0] ?? nothing);
};

const headView = ({ columnHeads }: Drawn, role: 'row' | typeof nothing) =>
  html`<thead>
    <tr role=${role}>
      <td class="corner"></td>
      ${columnHeads.map((head) => html`<th scope="col">${head}</th>`)}
    </tr>
  </thead>`;

/** For reading only. */
export const paintedView = (painted: Drawn) =>
  html`<table class="paint" aria-label=${painted.label}>
    ${headView(painted, nothing)}
    <tbody>
      ${range(painted.rows).map(
        (row) =>
          html`<tr>
            <th scope="row">${painted.rowHeads[row]}</th>
            ${range(painted.columns).map(
              (column) =>
                html`<td class="cell" data-cause=${causeOf(painted, row, column)}>
                  ${painted.text(row, column)}
                </td>`,
            )}
          </tr>`,
      )}
    </tbody>
  </table>`;

export class PaintController implements ReactiveController {
  #stops = new Map<string, readonly [number, number]>();

  constructor(readonly host: Host) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#stops.clear();
  }

  view(painting: Painting) {
    const { label, rows, columns, rowHeads, traced } = painting;
    const [stopRow, stopColumn] = this.#stops.get(label) ?? [0, 0];
    const cell = (row: number, column: number) => {
      const mark = traced?.markAt(row, column);
      const isStop =
        row === Math.min(stopRow, rows - 1) && column === Math.min(stopColumn, columns - 1);
      // As in a matrix, without white space.
      // prettier-ignore
      return html`<td
        class="cell"
        role="gridcell"
        tabindex=${isStop ? 0 : -1}
        data-stage=${traced?.name ?? nothing}
        data-row=${row}
        data-column=${column}
        data-mark=${mark ?? nothing}
        data-edges=${traced && mark ? edges(traced.markAt, row, column) : nothing}
        data-cause=${causeOf(painting, row, column)}
        aria-selected=${painting.isOn(row, column) ? 'true' : 'false'}
        aria-label=${painting.spoken(row, column)}
      >${painting.text(row, column)}</td>`;
    };
    return html`<table
      class="paint"
      .numberAt=${painting.number}
      role="grid"
      aria-label=${label}
      @click=${(event: Event) => this.#click(event, painting)}
      @keydown=${(event: KeyboardEvent) => this.#key(event, painting)}
    >
      ${headView(painting, 'row')}
      <tbody>
        ${range(rows).map(
          (row) =>
            html`<tr role="row">
              <th scope="row">${rowHeads[row]}</th>
              ${range(columns).map((column) => cell(row, column))}
            </tr>`,
        )}
      </tbody>
    </table>`;
  }

  #at(event: Event): readonly [number, number] | null {
    const element = (event.target as Element).closest<HTMLElement>('td[data-row]');
    return element ? [Number(element.dataset.row), Number(element.dataset.column)] : null;
  }

  #click(event: Event, painting: Painting): void {
    const at = this.#at(event);
    if (!at) return;
    event.stopPropagation();
    this.#stops.set(painting.label, at);
    painting.toggle([at]);
  }

  #key(event: KeyboardEvent, painting: Painting): void {
    const at = this.#at(event);
    if (!at) return;
    const [row, column] = at;
    const { key, shiftKey, ctrlKey, metaKey } = event;
    const step = arrows[key];
    if (key === ' ' || key === 'Enter') {
      if (shiftKey) painting.toggle(range(painting.columns).map((j) => [row, j] as const));
      else if (ctrlKey) painting.toggle(range(painting.rows).map((i) => [i, column] as const));
      else painting.toggle([at]);
    } else if (key.toLowerCase() === 'a' && (ctrlKey || metaKey)) {
      selectCells(event.target as HTMLTableCellElement, 'matrix');
    } else if (step) this.#move(painting, row + step[0], column + step[1], event);
    else if (key === 'Home') this.#move(painting, row, 0, event);
    else if (key === 'End') this.#move(painting, row, painting.columns - 1, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #move({ label, rows, columns }: Painting, row: number, column: number, event: Event): void {
    const clamp = (x: number, most: number) => Math.min(Math.max(x, 0), most - 1);
    const to = [clamp(row, rows), clamp(column, columns)] as const;
    this.#stops.set(label, to);
    getSelection()?.removeAllRanges();
    this.host.requestUpdate();
    const table = event.currentTarget as HTMLElement;
    void this.host.updateComplete.then(() =>
      table.querySelector<HTMLElement>(`[data-row="${to[0]}"][data-column="${to[1]}"]`)?.focus(),
    );
  }
}
