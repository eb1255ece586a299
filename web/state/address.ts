// The page's address: what its fragment says in full, though a long one is shortened there as soon as
// the reader pauses. Each entry of the history knows its full text, so going back waits for nothing.
import { isLong, isShortened, lengthen, shorten } from './shorten.js';

/** In milliseconds: a slider that is still moving has its work done in less. */
const PAUSE = 300;

const join = (...parts: string[]) => parts.filter((part) => part !== '').join('&');

export class Address {
  #waiting: { timer: ReturnType<typeof setTimeout>; isNewEntry: boolean } | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #isEntered = false;
  #settled = { state: '', short: '' };

  /** `written` is called when the address has been written or shortened. */
  constructor(readonly written: () => void) {}

  /** What stands after the #, in full; not the text to look for, which some browsers leave there. */
  get fragment(): string {
    const entry = history.state as { fragment?: string } | null;
    return entry?.fragment ?? location.hash.slice(1).replace(/:~:.*$/, '');
  }

  /** A state as links say it: short, once the address does. */
  linkOf(state: string): string {
    return state === this.#settled.state ? this.#settled.short : state;
  }

  /** Whether `fragment` has to be waited for. */
  get isClosed(): boolean {
    return isShortened(this.fragment);
  }

  /** Makes what a link shortens readable, where it can be; false if the reader has gone on meanwhile. */
  async open(): Promise<boolean> {
    const { hash } = location;
    const fragment = await lengthen(hash.slice(1));
    if (location.hash !== hash) return false;
    if (fragment !== undefined) history.replaceState({ fragment }, '', hash);
    return true;
  }

  /** All that one press of a button writes is one entry. */
  write(anchor: string, state: string, isNewEntry: boolean): void {
    const isEntry = (isNewEntry || this.#waiting?.isNewEntry === true) && !this.#isEntered;
    clearTimeout(this.#waiting?.timer);
    this.#waiting = undefined;
    const fragment = join(anchor, state);
    if (fragment === this.fragment) return;
    try {
      const address = location.pathname + location.search + (fragment && `#${fragment}`);
      if (isEntry) {
        history.pushState(null, '', address);
        this.#isEntered = true;
        queueMicrotask(() => (this.#isEntered = false));
      } else history.replaceState(null, '', address);
      this.settle(anchor, state);
      this.written();
    } catch (error) {
      // Safari takes so many changes in so many seconds, fewer than a slider makes.
      if (!(error instanceof DOMException)) throw error;
      const again = () => this.write(anchor, state, isEntry);
      this.#waiting = { timer: setTimeout(again, 1000), isNewEntry: isEntry };
    }
  }

  /** Calls `write` when nothing has changed for a while. */
  rest(write: () => void): void {
    const isNewEntry = this.#waiting?.isNewEntry ?? false;
    clearTimeout(this.#waiting?.timer);
    this.#waiting = { timer: setTimeout(write, PAUSE), isNewEntry };
  }

  /** What is still to be written or shortened is not, for the reader has gone elsewhere. */
  stop(): void {
    clearTimeout(this.#waiting?.timer);
    clearTimeout(this.#pause);
    this.#waiting = undefined;
  }

  /** Shortens what stands there, if it still does after a pause. */
  settle(anchor: string, state: string): void {
    clearTimeout(this.#pause);
    if (isLong(state)) this.#pause = setTimeout(() => void this.#shorten(anchor, state), PAUSE);
  }

  async #shorten(anchor: string, state: string): Promise<void> {
    const short = await shorten(state);
    const fragment = join(anchor, state);
    if (fragment !== this.fragment) return;
    this.#settled = { state, short };
    try {
      history.replaceState({ fragment }, '', `#${join(anchor, short)}`);
    } catch (error) {
      // Refused as above: the longer form says the same.
      if (!(error instanceof DOMException)) throw error;
    }
    this.written();
  }
}
