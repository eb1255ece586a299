// A matrix as a table: a plain one in the prerendered page, an ARIA grid once it is alive.
import { type TemplateResult, html, nothing } from 'lit';
import type { Cell, Matrix } from '../state/case.js';
import type { Stage } from '../state/steps.js';
import { type Words, fill, rulesText } from '../state/words.js';
import type { Editing } from './grid.js';
import type { Mark, Marks } from './lineage.js';
import { cellNumber, cellWeight } from './number.js';
import { type Scale, isBeyond, tint } from './scale.js';

export interface MatrixModel<Name extends string = Stage> {
  stage: Name;
  values: Matrix;
  /** Drawn with rows and columns exchanged (K as Kᵀ); cells keep their stored row and column. */
  transposed?: boolean;
  title?: unknown;
  name: string;
  /** The name as it is read out. */
  spokenName: string;
  isEditable?: boolean;
  rowHeads: readonly unknown[];
  columnHeads: readonly unknown[];
  /** For screen readers: what a stored row and column is called. */
  spoken: (row: number, column: number) => string;
  scale: Scale;
  domain: number;
  cause?: (row: number, column: number) => readonly string[];
  caption?: string;
  /** A number as it is copied, where its type reads a shorter one as the same. */
  copied?: (x: number) => number;
  /** Where its rows hold unlike numbers: how each is written, as wide as it is. */
  write?: (x: number, row: number) => string;
  /** One more column with each row's sum. */
  sums?: boolean;
  /** Its step has not come yet: its numbers wait in grey, without tint, its hatching is pale. */
  ghost: boolean;
}

export interface GridState<Name extends string = Stage> {
  marks: Marks<Name>;
  pin: Cell<Name> | null;
  /** The one cell of each matrix that Tab reaches. */
  tabStop: (stage: Name) => { row: number; column: number };
  editing: Editing<Name> | null;
}

const at = (cell: Cell<string> | null | undefined, stage: string, row: number, column: number) =>
  !!cell && cell.stage === stage && cell.row === row && cell.column === column;

const edgeNames = ['top', 'right', 'bottom', 'left'] as const;
const neighbours = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
] as const;

/** The sides on which a cell's mark ends, so that marked cells share one outline. */
export function edges(
  markAt: (row: number, column: number) => Mark | undefined,
  row: number,
  column: number,
  isTransposed = false,
): string {
  const mark = markAt(row, column);
  return edgeNames
    .filter((_, side) => {
      const [down, right] = neighbours[side]!;
      const [dr, dc] = isTransposed ? [right, down] : [down, right];
      return markAt(row + dr, column + dc) !== mark;
    })
    .join(' ');
}

function cellLabel(
  model: MatrixModel<string>,
  words: Words,
  row: number,
  column: number,
  text: string,
) {
  const rules = model.cause?.(row, column) ?? [];
  const rule = rulesText(rules, words);
  const value =
    rules.length === 0 || text === 'NaN'
      ? text.replace('\u2212∞', words.minusInfinity).replaceAll('\u2212', '-')
      : fill(model.scale === 'weight' ? words.zeroBy : words.maskedBy, { rule });
  return `${model.spokenName}, ${model.spoken(row, column)}, ${value}`;
}

function cellView<Name extends string>(
  model: MatrixModel<Name>,
  words: Words,
  grid: GridState<Name> | undefined,
  row: number,
  column: number,
) {
  const { stage } = model;
  const value = model.values[row]?.[column] ?? NaN;
  const rules = model.cause?.(row, column) ?? [];
  const isForced = rules.length > 0 && value === 0;
  const usual = model.scale === 'weight' ? (isForced ? () => '0' : cellWeight) : cellNumber;
  const text = (model.write ?? usual)(value, row);
  const { amount, tone, strong } = tint(value, model.scale, model.domain);
  const cause =
    rules.length === 0 || Number.isNaN(value) ? nothing : rules.length > 1 ? 'several' : rules[0];
  const look = model.ghost
    ? { tone: nothing, strong: false, isBeyond: false, style: nothing }
    : {
        tone: Number.isNaN(value) ? 'nan' : tone,
        strong,
        isBeyond: isBeyond(value, model.domain),
        style: `--t:${amount.toFixed(3)}`,
      };
  if (!grid) {
    return html`<td
      class="cell"
      data-tone=${look.tone}
      data-cause=${cause}
      ?data-strong=${look.strong}
      ?data-beyond=${look.isBeyond}
      ?data-long=${text.length > 5}
      ?data-lost=${model.write && Math.abs(value) === Infinity}
      style=${look.style}
    >
      ${text}
    </td>`;
  }
  const markAt = (r: number, c: number) => grid.marks(stage, r, c);
  const mark = markAt(row, column);
  const stop = grid.tabStop(stage);
  const content = at(grid.editing?.cell, stage, row, column)
    ? html`<input
        class="edit"
        inputmode="decimal"
        autocomplete="off"
        spellcheck="false"
        aria-label=${fill(words.editLabel, { name: `${model.spokenName}, ${model.spoken(row, column)}` })}
        aria-invalid=${grid.editing!.isBad ? 'true' : 'false'}
        .value=${grid.editing!.text}
      />`
    : text;
  // White space around it would be laid out as a text of its own in every cell, and what is false would
  // be taken away from each new one, which never had it.
  // prettier-ignore
  return html`<td
    class="cell"
    role="gridcell"
    tabindex=${stop.row === row && stop.column === column ? 0 : -1}
    data-stage=${stage}
    data-row=${row}
    data-column=${column}
    data-tone=${look.tone}
    data-cause=${cause}
    data-mark=${mark ?? nothing}
    data-edges=${mark ? edges(markAt, row, column, model.transposed) : nothing}
    ?data-strong=${look.strong || nothing}
    ?data-beyond=${look.isBeyond || nothing}
    ?data-long=${text.length > 5 || nothing}
    ?data-lost=${(model.write && Math.abs(value) === Infinity) || nothing}
    ?data-pinned=${at(grid.pin, stage, row, column) || nothing}
    style=${look.style}
    aria-label=${cellLabel(model, words, row, column, text)}
    aria-readonly=${model.isEditable ? 'false' : 'true'}
    aria-selected=${at(grid.pin, stage, row, column) ? 'true' : 'false'}
  >${content}</td>`;
}

function sumView(
  { spokenName }: MatrixModel<string>,
  words: Words,
  row: number,
  text: string,
  isCell: boolean,
) {
  const name = fill(words.rowOf, { matrix: spokenName, row: row + 1 });
  const spoken = `${name}, ${words.rowSumLabel}, ${text.replaceAll('\u2212', '-')}`;
  // Of a plain table the heads say it.
  return html`<td class="sum" aria-label=${isCell ? spoken : nothing}>${text}</td>`;
}

/** `grid` is what the reader is doing with it; without it the table is for reading only. */
export function matrixView<Name extends string>(
  model: MatrixModel<Name>,
  words: Words,
  grid?: GridState<Name>,
): TemplateResult {
  const { values, transposed } = model;
  const [rows, columns] = [values.length, values[0]?.length ?? 0];
  const [drawnRows, drawnColumns] = transposed ? [columns, rows] : [rows, columns];
  const { copied = (x) => x } = model;
  const numberAt = (row: number, column: number) =>
    copied((transposed ? values[column]?.[row] : values[row]?.[column]) ?? NaN);
  const sum = (row: number) => (values[row] ?? []).reduce((total, x) => total + x, 0);
  return html`<div
    class="matrix ${model.write ? 'lanes' : ''}"
    data-stage=${model.stage}
    data-scale=${model.scale}
    ?data-ghost=${model.ghost}
  >
    ${
      model.title === undefined
        ? nothing
        : html`<p class="matrix-title" aria-hidden="true">
            <span class="symbol">${model.title}</span>
            <span class="matrix-name">${model.name}</span>
            <span class="shape">${drawnRows}×${drawnColumns}</span>
          </p>`
    }
    <table
      .numberAt=${numberAt}
      role=${grid ? 'grid' : nothing}
      aria-label="${model.spokenName}, ${drawnRows}×${drawnColumns}"
    >
      <thead>
        <tr role=${grid ? 'row' : nothing}>
          <td class="corner"></td>
          ${model.columnHeads.map((head) => html`<th scope="col">${head}</th>`)}
          ${model.sums ? html`<th scope="col" class="sum" aria-label=${words.rowSumLabel}>Σ</th>` : nothing}
        </tr>
      </thead>
      <tbody>
        ${Array.from({ length: drawnRows }, (_, r) => {
          const cells = Array.from({ length: drawnColumns }, (_, c) =>
            transposed ? cellView(model, words, grid, c, r) : cellView(model, words, grid, r, c),
          );
          return html`<tr role=${grid ? 'row' : nothing}>
            ${
              model.rowHeads[r] === undefined
                ? html`<td class="row-head"></td>`
                : html`<th scope="row">${model.rowHeads[r]}</th>`
            }
            ${cells}
            ${model.sums ? sumView(model, words, r, cellNumber(sum(r)), grid !== undefined) : nothing}
          </tr>`;
        })}
      </tbody>
    </table>
    ${model.caption ? html`<p class="axes">${model.caption}</p>` : nothing}
  </div>`;
}
