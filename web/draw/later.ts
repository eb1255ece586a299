// The foot of a figure is drawn once its matrices have been painted, not with them: who moves a slider
// looks at the matrices, and the sum and the checks below them would hold those up by a quarter. They
// come with the next frame, so that nothing is ever said of other numbers for longer than that.
import { noChange } from 'lit';
import { AsyncDirective } from 'lit/async-directive.js';
import { directive } from 'lit/directive.js';

class AfterPaint extends AsyncDirective {
  #of: object | undefined;
  #make: () => unknown = () => noChange;
  #isDue = false;

  override render(of: object, make: () => unknown): unknown {
    const isSame = this.#of === undefined || this.#of === of;
    this.#of = of;
    this.#make = make;
    if (isSame && !this.#isDue) return make();
    if (!this.#isDue) {
      this.#isDue = true;
      requestAnimationFrame(() => setTimeout(() => this.#draw()));
    }
    return noChange;
  }

  #draw(): void {
    this.#isDue = false;
    this.setValue(this.#make());
  }
}

/**
 * What `make` gives: at once while `of` is the same object, as when the reader points about, and else
 * after the frame that is now being drawn. Of several that follow one another within a frame the last
 * is drawn.
 */
export const afterPaint = directive(AfterPaint);

/** Does what there is time for while the page rests. */
export const atRest = (act: () => void): void => {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(act);
  else setTimeout(act);
};
