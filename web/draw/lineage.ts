// Where a cell's number comes from, and what follows from it. Everything rests on one function,
// `operandsOf`; the rest is walking along it in both directions.
import type { Cell } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { type Stage, isPair, stages } from '../state/steps.js';

/** focus: the cell itself · operand: read directly · source: further back · result: follows from it. */
export type Mark = 'focus' | 'operand' | 'source' | 'result';

const id = ({ stage, row, column }: Cell) => `${stage} ${row} ${column}`;
const indices = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The cells a cell is computed from. A key that the mask forbids is not among them: it is not read. */
export function operandsOf({ stage, row, column }: Cell, frame: Frame): Cell[] {
  const { matrices, cause } = frame;
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
      return visible().flatMap((j): Cell[] => [
        { stage: 'weights', row, column: j },
        { stage: 'value', row: j, column },
      ]);
  }
}

function closure(start: Cell, next: (cell: Cell) => readonly Cell[]): Set<string> {
  const reached = new Set<string>();
  const pending = [...next(start)];
  for (let cell = pending.pop(); cell; cell = pending.pop()) {
    if (reached.has(id(cell))) continue;
    reached.add(id(cell));
    pending.push(...next(cell));
  }
  return reached;
}

const followers = new WeakMap<Frame, Map<string, Cell[]>>();

/** For each cell of a frame, the cells that read it. */
function followersIn(frame: Frame): Map<string, Cell[]> {
  const known = followers.get(frame);
  if (known) return known;
  const map = new Map<string, Cell[]>();
  for (const stage of stages) {
    frame.matrices[stage].forEach((cells, row) =>
      cells.forEach((_, column) => {
        const cell = { stage, row, column };
        for (const operand of operandsOf(cell, frame)) {
          map.set(id(operand), [...(map.get(id(operand)) ?? []), cell]);
        }
      }),
    );
  }
  followers.set(frame, map);
  return map;
}

export type Marks<Name extends string = Stage> = (
  stage: Name,
  row: number,
  column: number,
) => Mark | undefined;

/** How each cell of the frame is related to `focus`. */
export function marksFor(focus: Cell | null, frame: Frame): Marks {
  if (!focus) return () => undefined;
  const operands = new Set(operandsOf(focus, frame).map(id));
  const sources = closure(focus, (cell) => operandsOf(cell, frame));
  const results = closure(focus, (cell) => followersIn(frame).get(id(cell)) ?? []);
  return (stage, row, column) => {
    const cell = id({ stage, row, column });
    if (cell === id(focus)) return 'focus';
    if (operands.has(cell)) return 'operand';
    if (sources.has(cell)) return 'source';
    if (results.has(cell)) return 'result';
    // A forbidden pair has no operands left, but it is still the same pair at every step.
    const samePair = isPair(stage) && isPair(focus.stage);
    return samePair && row === focus.row && column === focus.column ? 'source' : undefined;
  };
}
