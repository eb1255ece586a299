// How much of the workbench's result there is room for: on a phone one stage at a time.
import type { ReactiveController } from 'lit';
import { type Result, isReadable } from '../state/bench-result.js';
import type { Figure } from './figure.js';

/** `all` stages as tables, `one` as a table, or one as a `picture`. */
export type Room = 'all' | 'one' | 'picture';

/** Of the narrowest cell, and of the heads and sums beside a row, in pixels; below `ONE` wide, one table is enough. */
const [CELL, BESIDE, ONE] = [36, 80, 480];

function roomFor(result: Result, width: number): Room {
  const columns = Math.max(...[...result.stages.values()].map((stage) => stage.columns));
  if (!isReadable(result) || columns * CELL + BESIDE > width) return 'picture';
  return width < ONE ? 'one' : 'all';
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
