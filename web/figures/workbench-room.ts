// How much of the workbench's result there is room for: on a phone one stage at a time.
import type { ReactiveController } from 'lit';
import { type Result, isReadable } from '../state/bench-result.js';
import type { StageName } from '../state/bench-settings.js';
import type { Figure } from './figure.js';

/**
 * `products`: all stages as tables, Kᵀ above the scores and Q beside them, V above the output; `all` one
 * after the other; `one` as a table; one as a `picture`.
 */
export type Room = 'products' | 'all' | 'one' | 'picture';

/** Of the narrowest cell, and of the heads and sums beside a row, in pixels; below `ONE` wide, one table is enough. */
const [CELL, BESIDE, ONE] = [36, 80, 480];
/** Of a cell of the usual width. */
const USUAL = 44;

const widthOf = ({ stages }: Result, stage: StageName) => stages.get(stage)?.columns ?? Infinity;

/** Of the wider of the two products, side by side: Q and the scores, the weights and the output. */
export const productColumns = (result: Result) =>
  Math.max(widthOf(result, 'query'), widthOf(result, 'output')) + widthOf(result, 'scores');

function roomFor(result: Result, width: number): Room {
  const columns = Math.max(...[...result.stages.values()].map((stage) => stage.columns));
  if (!isReadable(result) || columns * CELL + BESIDE > width) return 'picture';
  if (width < ONE) return 'one';
  return productColumns(result) * USUAL + 2 * BESIDE <= width ? 'products' : 'all';
}

/** Draws its figure anew where another width has room for more or less. */
export class RoomController implements ReactiveController {
  #width = Infinity;
  #last: Result | null = null;
  readonly #sized = new ResizeObserver(() => {
    const now = this.#host.renderRoot.querySelector('.bench-result')?.clientWidth ?? Infinity;
    const last = this.#width;
    this.#width = now;
    const result = this.#last;
    if (result && roomFor(result, last) !== roomFor(result, now)) this.#host.requestUpdate();
  });
  readonly #host: Figure;

  constructor(host: Figure) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#sized.observe(this.#host);
  }

  hostDisconnected(): void {
    this.#sized.disconnect();
  }

  for(result: Result): Room {
    this.#last = result;
    return roomFor(result, this.#width);
  }
}
