// Whether what the reader brought to the workbench is kept in this tab, and why where it is not.
import type { Brought } from './bench-brought.js';
import { Keeper } from './bench-keep.js';

export class Memory {
  /** Why what is there now is not kept; undefined where it is. */
  unkept: unknown;
  /** Whether what this tab kept could not be read. */
  isLost = false;
  #keeper: Keeper | undefined;

  /** `said` hears when that what is there is kept no longer, or is again. */
  constructor(readonly said: () => void) {}

  get isKeeping(): boolean {
    return this.#keeper !== undefined && this.unkept === undefined;
  }

  /** Hands over what this tab keeps, and keeps what comes; undefined where there is nothing yet. */
  recall(take: (kept: Brought) => void): Promise<void> | undefined {
    this.#keeper = new Keeper((failure) => {
      if (this.unkept === failure) return;
      this.unkept = failure;
      this.said();
    });
    try {
      return this.#keeper.recall()?.then(take, () => {
        this.isLost = true;
      });
    } catch (error) {
      // Not allowed here. It is said once there is something to keep.
      this.#keeper = undefined;
      this.unkept = error;
      return undefined;
    }
  }

  /** Keeps this and nothing else; undefined keeps nothing. */
  keep(brought: Brought | undefined): void {
    this.#keeper?.keep(brought);
  }
}
