// The page's one state: the case, the step and the pin; every change goes through here.
import { type Case, type View, sameCase, sameCell } from './case.js';
import { type Remark, decode, encode } from './link.js';

const sameSettings = (a: View['settings'], b: View['settings']) =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/** Fires `change` after the view has changed. */
export class Store extends EventTarget {
  #view: View;
  #past: Case[] = [];
  remarks: Remark[] = [];
  #isInAddress = false;
  #isEntry = false;

  constructor(readonly home: View) {
    super();
    this.#view = home;
  }

  get view(): View {
    return this.#view;
  }

  /** The view as a link says it. */
  get fragment(): string {
    return encode(this.#view, this.home);
  }

  /** Whether the page's address says all this. */
  get isInAddress(): boolean {
    return this.#isInAddress;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  /**
   * Merges a change; an equal view changes nothing. Edits of the case can be undone. Back undoes the
   * change if it is an entry of its own; what a slider passes on its way is none.
   */
  update(change: Partial<View>, isEntry = true): void {
    const next = { ...this.#view, ...change };
    const edited = !sameCase(next.case, this.#view.case);
    if (!edited) next.case = this.#view.case;
    const isSame =
      !edited &&
      next.step === this.#view.step &&
      sameCell(next.pin, this.#view.pin) &&
      sameSettings(next.settings, this.#view.settings);
    if (isSame) return;
    if (edited) this.#past.push(this.#view.case);
    this.#show(next, isEntry);
  }

  undo(): void {
    const last = this.#past.pop();
    if (last) this.#show({ ...this.#view, case: last });
  }

  #show(view: View, isEntry = true): void {
    this.#view = view;
    this.#isEntry = isEntry;
    this.dispatchEvent(new Event('change'));
    this.#isEntry = false;
  }

  /**
   * Keeps the URL fragment and the view the same: reads it now and whenever the reader goes back,
   * forward or to an anchor, and writes it after each change. All that one press of a button changes
   * is one entry.
   */
  bindToAddress(): void {
    this.#isInAddress = true;
    let isRead = false;
    let isEntered = false;
    let anchor = '';
    let waiting: { timer: ReturnType<typeof setTimeout>; isNewEntry: boolean } | undefined;
    const write = (address: string, isNewEntry: boolean) => {
      clearTimeout(waiting?.timer);
      const isEntry = (isNewEntry || waiting?.isNewEntry === true) && !isEntered;
      waiting = undefined;
      if (address === location.pathname + location.search + location.hash) return;
      try {
        if (!isEntry) {
          history.replaceState(null, '', address);
          return;
        }
        history.pushState(null, '', address);
        isEntered = true;
        queueMicrotask(() => (isEntered = false));
      } catch (error) {
        // Safari takes so many changes in so many seconds, fewer than a slider makes.
        if (!(error instanceof DOMException)) throw error;
        waiting = { timer: setTimeout(write, 1000, address, isEntry), isNewEntry: isEntry };
      }
    };
    const read = () => {
      clearTimeout(waiting?.timer);
      waiting = undefined;
      const { hash } = location;
      // A plain #section is a jump within the article; what the reader was looking at stays.
      const jump = hash !== '' && !hash.includes('=') && isRead;
      const found = decode(hash, jump ? this.#view : this.home);
      anchor = found.anchor;
      this.remarks = found.remarks;
      isRead = true;
      if (jump) write(this.#address(anchor), false);
      else if (anchor !== '') document.getElementById(anchor)?.scrollIntoView();
      this.update(found.view, false);
      if (found.remarks.length > 0) this.dispatchEvent(new Event('change'));
    };
    read();
    addEventListener('hashchange', read);
    this.addEventListener('change', () => write(this.#address(anchor), this.#isEntry));
  }

  #address(anchor: string): string {
    const fragment = [anchor, this.fragment].filter((part) => part !== '').join('&');
    return location.pathname + location.search + (fragment === '' ? '' : `#${fragment}`);
  }
}
