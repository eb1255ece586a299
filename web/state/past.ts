// What Undo goes back to: the states before each change.

/** In milliseconds: a slider that rests for longer begins a change of its own. */
const PAUSE = 300;

export class Past<State> {
  readonly #states: State[] = [];
  /** What is changed now is part of the last change: all that one press of a button writes is. */
  #isPressed = false;
  #slid = -Infinity;

  constructor(readonly isSame: (before: State, now: State) => boolean) {}

  /** Called with the state before a change; what a slider passes on its way is no `isEntry`. */
  keep(before: State, isEntry: boolean): void {
    const now = performance.now();
    const isSliding = !isEntry && now - this.#slid < PAUSE;
    this.#slid = isEntry ? -Infinity : now;
    if (this.#isPressed || isSliding) return;
    this.#states.push(before);
    this.#isPressed = true;
    queueMicrotask(() => (this.#isPressed = false));
  }

  /** The last state other than this, which going back in the browser may have come to by itself. */
  before(now: State): State | undefined {
    return this.#states.findLast((state) => !this.isSame(state, now));
  }

  /** Gives that state back and forgets what came after. */
  undo(now: State): State | undefined {
    const found = this.before(now);
    this.#states.length = found ? this.#states.lastIndexOf(found) : 0;
    return found;
  }
}
