// Where a cell's number comes from, and what follows from it. Everything rests on one function,
// `operandsOf`; the rest is walking along it in both directions.
import { type Cell, type Matrix, sizeOf } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { type Stage, isPair, pairStages, stages } from '../state/steps.js';

/** focus: the cell itself · operand: read directly · source: further back · result: follows from it. */
export type Mark = 'focus' | 'operand' | 'source' | 'result';

/** How the matrices of a figure are made of one another. */
export interface Lineage<Name extends string = Stage> {
  /** Rows and columns of each. */
  shapes: ReadonlyMap<Name, readonly [rows: number, columns: number]>;
  /** The cells a cell is computed from. */
  operandsOf: (cell: Cell<Name>) => readonly Cell<Name>[];
}

const indices = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The rows of a product that meet in a cell of it: one of the left matrix, one column of the right. */
export const factorsOf = <Name extends string>(
  { row, column }: Cell<string>,
  [left, right]: readonly [Name, Name],
  inner: readonly number[],
): Cell<Name>[] =>
  inner.flatMap((l) => [
    { stage: left, row, column: l },
    { stage: right, row: l, column },
  ]);

/** A key that the mask forbids is not among the operands: it is not read. */
function operandsIn({ matrices, cause }: Frame, cell: Cell): Cell[] {
  const { stage, row, column } = cell;
  const visible = () => indices(matrices.key.length).filter((j) => cause[row]?.[j]?.length === 0);
  const isVisible = cause[row]?.[column]?.length === 0;
  switch (stage) {
    case 'query':
    case 'key':
    case 'value':
      return [];
    case 'scores':
      return indices(matrices.query[0]?.length ?? 0).flatMap((l): Cell[] => [
        { stage: 'query', row, column: l },
        { stage: 'key', row: column, column: l },
      ]);
    case 'scaled':
      return [{ stage: 'scores', row, column }];
    case 'masked':
      return isVisible ? [{ stage: 'scaled', row, column }] : [];
    case 'weights':
      return isVisible ? visible().map((j) => ({ stage: 'masked', row, column: j })) : [];
    case 'output':
      return factorsOf(cell, ['weights', 'value'], visible());
  }
}

/**
 * The cells of the mask, called `stage`, that a weight depends on: of what its query may read all is
 * shared out, so the whole row counts; a forbidden weight is 0, whatever the others are.
 */
export function maskCellsOf<Name extends string>(
  { cause }: Frame,
  { row, column }: Cell<string>,
  stage: Name,
): Cell<Name>[] {
  const rules = cause[row] ?? [];
  const columns = rules[column]?.length === 0 ? indices(rules.length) : [column];
  return columns.map((each) => ({ stage, row, column: each }));
}

/** Of each matrix of a figure. */
export const shapesOf = <Name extends string>(matrices: Readonly<Record<Name, Matrix>>) =>
  new Map(
    Object.entries<Matrix>(matrices).map(([name, rows]) => [name as Name, sizeOf(rows)] as const),
  );

const lineages = new WeakMap<Frame, Lineage>();

/** How the stages of a frame follow from Q, K and V. */
export function lineageOf(frame: Frame): Lineage {
  const known = lineages.get(frame);
  if (known) return known;
  const made: Lineage = {
    shapes: new Map(stages.map((stage) => [stage, sizeOf(frame.matrices[stage])])),
    operandsOf: (cell) => operandsIn(frame, cell),
  };
  lineages.set(frame, made);
  return made;
}

type Id = number | string;

/** What tells a cell from all others: a number, found sooner than a text; what is not shown has a text. */
function idsIn<Name extends string>({ shapes }: Lineage<Name>) {
  let count = 0;
  const places = new Map<Name, readonly [first: number, rows: number, columns: number]>();
  for (const [stage, [rows, columns]] of shapes) {
    places.set(stage, [count, rows, columns]);
    count += rows * columns;
  }
  return ({ stage, row, column }: Cell<Name>): Id => {
    const [first, rows, columns] = places.get(stage) ?? [0, 0, 0];
    const isShown = row >= 0 && row < rows && column >= 0 && column < columns;
    return isShown ? first + row * columns + column : `${stage} ${row} ${column}`;
  };
}

interface Ways<Name extends string> {
  id: (cell: Cell<Name>) => Id;
  /** For each cell, the cells that read it. */
  readers: ReadonlyMap<Id, readonly Cell<Name>[]>;
}
const ways = new WeakMap<object, Ways<string>>();

/** A lineage as it is walked, in both directions. */
function waysIn<Name extends string>(lineage: Lineage<Name>): Ways<Name> {
  const known = ways.get(lineage) as Ways<Name> | undefined;
  if (known) return known;
  const id = idsIn(lineage);
  const readers = new Map<Id, Cell<Name>[]>();
  for (const [stage, [rows, columns]] of lineage.shapes) {
    for (const row of indices(rows)) {
      for (const column of indices(columns)) {
        const cell = { stage, row, column };
        for (const operand of lineage.operandsOf(cell)) {
          const read = id(operand);
          const others = readers.get(read);
          if (others) others.push(cell);
          else readers.set(read, [cell]);
        }
      }
    }
  }
  const made = { id, readers };
  ways.set(lineage, made as unknown as Ways<string>);
  return made;
}

function closure<Name extends string>(
  starts: readonly Cell<Name>[],
  next: (cell: Cell<Name>) => readonly Cell<Name>[],
  id: (cell: Cell<Name>) => Id,
): Set<Id> {
  const reached = new Set<Id>();
  const pending = starts.flatMap(next);
  for (let cell = pending.pop(); cell; cell = pending.pop()) {
    const reads = id(cell);
    if (reached.has(reads)) continue;
    reached.add(reads);
    pending.push(...next(cell));
  }
  return reached;
}

/**
 * A pair that the mask cuts off reads nothing, but it is the same pair at every step: this one and those
 * before it, whose sums are spelled with it.
 */
function samePairUpTo<Name extends string>(focus: Cell<Name>, { shapes }: Lineage<Name>) {
  const before = isPair(focus.stage) ? pairStages.slice(0, pairStages.indexOf(focus.stage)) : [];
  const shown = before.filter((stage) => shapes.has(stage as string as Name));
  return [focus, ...shown.map((stage) => ({ ...focus, stage: stage as string as Name }))];
}

export type Marks<Name extends string = Stage> = (
  stage: Name,
  row: number,
  column: number,
) => Mark | undefined;

/** How each cell is related to `focus`. */
export function marksFor<Name extends string>(
  focus: Cell<Name> | null,
  lineage: Lineage<Name>,
): Marks<Name> {
  if (!focus) return () => undefined;
  const { id, readers } = waysIn(lineage);
  const operands = lineage.operandsOf(focus);
  const sources = closure(samePairUpTo(focus, lineage), lineage.operandsOf, id);
  const results = closure([focus], (cell) => readers.get(id(cell)) ?? [], id);
  // What is nearer comes later and stays.
  const marks = new Map<Id, Mark>();
  for (const result of results) marks.set(result, 'result');
  for (const source of sources) marks.set(source, 'source');
  for (const operand of operands) marks.set(id(operand), 'operand');
  marks.set(id(focus), 'focus');
  return (stage, row, column) => {
    const mark = marks.get(id({ stage, row, column }));
    if (mark) return mark;
    // A forbidden pair has no operands left, but it is still the same pair at every step.
    const samePair = isPair(stage) && isPair(focus.stage);
    return samePair && row === focus.row && column === focus.column ? 'source' : undefined;
  };
}
