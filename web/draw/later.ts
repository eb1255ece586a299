// Who moves a slider looks at the matrices that it changes. What follows from those, the sum and the
// checks at a figure's foot above all, would hold them up, by a quarter and more: it comes with the next
// frame, so that nothing is ever said of other numbers for longer than that.
import { noChange } from 'lit';
import { AsyncDirective } from 'lit/async-directive.js';
import { directive } from 'lit/directive.js';

class AfterPaint extends AsyncDirective {
  #of: object | undefined;
  #make: () => unknown = () => noChange;
  #isDue = false;

  override render(of: object, make: () => unknown, isUrgent: boolean): unknown {
    const isSame = this.#of === undefined || this.#of === of;
    this.#of = of;
    this.#make = make;
    if (isUrgent || (isSame && !this.#isDue)) {
      this.#isDue = false;
      return make();
    }
    if (!this.#isDue) {
      this.#isDue = true;
      requestAnimationFrame(() => setTimeout(() => this.#draw()));
    }
    return noChange;
  }

  #draw(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.setValue(this.#make());
  }
}

const later = directive(AfterPaint);

/**
 * What `make` gives: at once while `of` is the same object, as when the reader points about, or where it
 * `isUrgent`, and else after the frame that is now being drawn. Of several that follow one another within
 * a frame the last is drawn.
 */
export const afterPaint = (of: object, make: () => unknown, isUrgent = false): unknown =>
  later(of, make, isUrgent);

/**
 * How a part of a picture is drawn that follows from others: a frame after them, or with them, as it is
 * where it `isUrgent`.
 */
export type Follow = (make: () => unknown, isUrgent?: boolean) => unknown;
export const withTheRest: Follow = (make) => make();

/** Does what there is time for while the page rests. */
export const atRest = (act: () => void): void => {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(act);
  else setTimeout(act);
};
