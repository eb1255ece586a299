// The page's one state: the case, the step and the pin; every change goes through here.
import { Address } from './address.js';
import { type Case, type View, sameCase, sameCell } from './case.js';
import { type Remark, decode, encode, safeDecode } from './link.js';

const sameSettings = (a: View['settings'], b: View['settings']) =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/** Where an anchor leads, as the browser finds it. */
function placeOf(anchor: string): Element | null {
  if (anchor === 'top') return document.documentElement;
  return document.getElementById(anchor) ?? document.getElementById(safeDecode(anchor));
}

/** Fires `change` after the view has changed. */
export class Store extends EventTarget {
  #view: View;
  #past: Case[] = [];
  remarks: Remark[] = [];
  #address: Address | undefined;
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
    const all = Object.entries(this.#view.settings);
    const settings = Object.fromEntries(all.filter(([name]) => !this.#unknown.has(name)));
    return encode({ ...this.#view, settings }, this.home);
  }

  /** Settings of the link that their figures do not know: they are told, and links say them no more. */
  readonly #unknown = new Set<string>();

  /** Whether links are to say a setting, as its figure knows once it is there. */
  carry(name: string, isKnown: boolean): void {
    if (isKnown) this.#unknown.delete(name);
    else this.#unknown.add(name);
  }

  /** The same as it is shared: shortened where it is long. */
  get link(): string {
    return this.#address?.linkOf(this.fragment) ?? this.fragment;
  }

  /** Whether the page's address says all this. */
  get isInAddress(): boolean {
    return this.#address !== undefined;
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
   * forward or to an anchor, and writes it after each change, or when a slider comes to rest. Fulfils
   * when it has been read; fires `address` whenever it has been written.
   */
  async bindToAddress(): Promise<void> {
    const address = new Address(() => this.dispatchEvent(new Event('address')));
    this.#address = address;
    let isRead = false;
    let isReading = false;
    let anchor = '';
    const read = () => {
      address.stop();
      const { fragment } = address;
      // A plain #section is a jump within the article; what the reader was looking at stays. So it does
      // when the link is damaged.
      const jump = fragment !== '' && !fragment.includes('=') && isRead;
      const found = decode(fragment, jump || address.isClosed ? this.#view : this.home);
      const isSaid = this.remarks.length > 0;
      anchor = found.anchor;
      this.remarks = found.remarks;
      if (anchor !== '' && !placeOf(anchor)) {
        this.remarks.push({ word: 'linkUnknown', values: { name: anchor } });
        anchor = '';
      }
      isRead = true;
      if (jump) address.write(anchor, this.fragment, false);
      else placeOf(anchor)?.scrollIntoView();
      isReading = true;
      this.update(found.view, false);
      if (isSaid || found.remarks.length > 0) this.dispatchEvent(new Event('change'));
      isReading = false;
      address.settle(anchor, this.fragment);
    };
    const follow = async () => {
      if (await address.open()) read();
    };
    addEventListener('hashchange', () => (address.isClosed ? void follow() : read()));
    await (address.isClosed ? follow() : read());
    const write = (isEntry: boolean) => address.write(anchor, this.fragment, isEntry);
    this.addEventListener('change', () => {
      if (this.#isEntry || isReading) write(this.#isEntry);
      else address.rest(() => write(false));
    });
  }
}
