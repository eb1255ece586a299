// The tensors that the reader brings to the workbench: typed, pasted, dropped or chosen, and what is
// wrong with them.
import type { Field, Given } from './bench-call.js';
import { type Brought, Keeper, type Texts } from './bench-keep.js';
import { exampleGiven, exampleTexts, fieldOf, ofCase, randomGiven } from './bench-tensors.js';
import { type Case, isCausal } from './case.js';
import { type GivenTensor, ReadError } from './read-text.js';
import type { Found } from './read-tensor.js';
import { read } from './read.js';
import { inTurns } from './turns.js';

/** A text is read when the reader pauses for so many milliseconds. */
const PAUSE = 300;

export interface FileProblem {
  file: string;
  error: unknown;
}

const example: Brought = {
  given: exampleGiven,
  texts: exampleTexts,
  loaded: new Map(),
  chosen: {},
};

const sameNumbers = (a: GivenTensor, b: GivenTensor | undefined) =>
  a.shape.join() === b?.shape.join() && a.data.every((x, at) => Object.is(x, b.data[at]));

export interface Listener {
  /** The tensors have changed. */
  changed: () => void;
  /** What is said of them has. */
  said: () => void;
  /** A file brought settings. */
  opened: (settings: string) => void;
}

export class BenchInputs {
  #now = example;
  /** What all fields held before they were all replaced. */
  #past: Brought[] = [];
  problems: Partial<Record<Field, unknown>> = {};
  fileProblems: readonly FileProblem[] = [];
  /** The names of the files that are being read. */
  reading: readonly string[] = [];
  /** Why what is there now is not kept; undefined where it is. */
  unkept: unknown;
  /** Whether what this tab kept could not be read. */
  isLost = false;
  #pauses: Partial<Record<Field, number>> = {};
  #keeper: Keeper | undefined;

  constructor(readonly on: Listener) {}

  get given(): Given {
    return this.#now.given;
  }

  get texts(): Texts {
    return this.#now.texts;
  }

  get loaded(): Brought['loaded'] {
    return this.#now.loaded;
  }

  get chosen(): Texts {
    return this.#now.chosen;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get isKeeping(): boolean {
    return this.#keeper !== undefined && this.unkept === undefined;
  }

  /** Whether there is anything that would be missed. */
  get isOwn(): boolean {
    const { given, texts, loaded } = this.#now;
    const isExample = given === exampleGiven && texts === exampleTexts;
    const isEmpty = [...Object.values(given), ...Object.values(texts)].every((x) => x === '');
    return loaded.size > 0 || !(isExample || isEmpty);
  }

  /** Goes on with what this tab keeps, and keeps what comes; undefined where there is nothing yet. */
  recall(): Promise<void> | undefined {
    this.#keeper = new Keeper((failure) => {
      if (this.unkept === failure) return;
      this.unkept = failure;
      this.on.said();
    });
    try {
      const kept = this.#keeper.recall();
      return kept && this.#goOn(kept);
    } catch (error) {
      // Not allowed here. It is said once there is something to keep.
      this.#keeper = undefined;
      this.unkept = error;
      return undefined;
    }
  }

  async #goOn(coming: Promise<Brought>): Promise<void> {
    try {
      const kept = await coming;
      // What the reader has brought meanwhile counts.
      if (this.#now !== example) return;
      this.#now = kept;
      this.#readAll();
    } catch {
      this.isLost = true;
    }
  }

  #set(change: Partial<Brought>): void {
    this.#now = { ...this.#now, ...change };
  }

  #changed(): void {
    this.#save();
    this.on.changed();
  }

  #save(): void {
    this.#keeper?.keep(this.isOwn ? this.#now : undefined);
  }

  /** What is typed into a field is read after a pause, or at once when the reader has left it. */
  type(field: Field, text: string, hasLeft: boolean): void {
    clearTimeout(this.#pauses[field]);
    if (text === (this.texts[field] ?? '')) return;
    if (hasLeft) void this.#take(field, text);
    else this.#pauses[field] = window.setTimeout(() => void this.#take(field, text), PAUSE);
  }

  async #take(field: Field, text: string): Promise<void> {
    this.#set({ texts: { ...this.texts, [field]: text } });
    delete this.problems[field];
    if (text.trim() !== '') {
      this.#save();
      return this.#read(field, text);
    }
    const given = { ...this.given };
    delete given[field];
    this.#set({ given });
    this.#changed();
  }

  /** What is not readable leaves the field's last tensor in place; so does what is read `again`. */
  async #read(field: Field, text: string, again = false): Promise<void> {
    try {
      const found = await read({ source: text, name: field });
      if (this.texts[field] !== text) return;
      const tensor = found.tensors.size === 1 ? found.tensors.get(field) : undefined;
      if (tensor && again && sameNumbers(tensor, this.given[field])) return;
      if (tensor) {
        const chosen = { ...this.chosen };
        delete chosen[field];
        this.#set({ given: { ...this.given, [field]: tensor }, chosen });
      } else this.#place(found, field);
      this.#changed();
    } catch (error) {
      if (this.texts[field] !== text) return;
      this.problems[field] = error;
      this.on.said();
    }
  }

  /** Of texts that were there before it is not known how their reading went. */
  #readAll(): void {
    for (const [field, text] of Object.entries(this.texts) as [Field, string][]) {
      if (text.trim() !== '') void this.#read(field, text, true);
    }
  }

  async takeFiles(files: readonly File[], field?: Field): Promise<void> {
    const problems: FileProblem[] = [];
    let placed = 0;
    // Read all at once, placed one after the other.
    const all = files.map((file) => read({ source: file, name: file.name }));
    const names = files.map(({ name }) => name);
    this.reading = [...this.reading, ...names];
    this.on.said();
    const outcomes = await Promise.allSettled(all);
    this.reading = this.reading.filter((name) => !names.includes(name));
    for (const [at, outcome] of outcomes.entries()) {
      const file = files[at]!.name;
      try {
        if (outcome.status === 'rejected') throw outcome.reason;
        const { value: found } = outcome;
        if (found.skipped.length > 0) {
          const names = found.skipped.join(', ');
          problems.push({ file, error: new ReadError('skipped', { names }) });
        }
        this.#place(found, field);
        placed += 1;
      } catch (error) {
        problems.push({ file, error });
      }
    }
    this.fileProblems = problems;
    // A tensor without a place is one to choose.
    this.#save();
    if (placed > 0) this.on.changed();
    else this.on.said();
  }

  /**
   * Puts each tensor where its name says; a single one where it was dropped. What the workbench
   * saved is opened as a whole.
   */
  #place({ tensors, settings }: Found, field?: Field): void {
    const places = [...tensors.keys()].flatMap((name) => {
      const to = tensors.size === 1 && field ? field : fieldOf(name);
      return to ? [[to, name] as const] : [];
    });
    const last = this.#now;
    this.#set({ loaded: new Map([...this.loaded, ...tensors]) });
    if (places.length === 0) {
      throw new ReadError('unplaced', { names: [...tensors.keys()].join(', ') });
    }
    this.#past.push(last);
    if (settings !== undefined) {
      this.#set({ given: {}, texts: {}, chosen: {} });
      this.problems = {};
    }
    for (const [to, name] of places) this.#choose(to, name);
    if (settings !== undefined) this.on.opened(settings);
  }

  #choose(field: Field, name: string): void {
    this.#set({
      given: { ...this.given, [field]: this.loaded.get(name) },
      chosen: { ...this.chosen, [field]: name },
      texts: { ...this.texts, [field]: '' },
    });
    delete this.problems[field];
  }

  /** A tensor of a file for a field. */
  choose(field: Field, name: string): void {
    this.#choose(field, name);
    this.#changed();
  }

  #start(now: Brought): void {
    for (const pause of Object.values(this.#pauses)) clearTimeout(pause);
    this.#past.push(this.#now);
    this.#now = now;
    this.problems = {};
    this.fileProblems = [];
    this.#changed();
  }

  undo(): void {
    const last = this.#past.pop();
    if (!last) return;
    this.#now = last;
    this.problems = {};
    this.#changed();
    this.#readAll();
  }

  startExample(): void {
    this.#start({ ...example, loaded: this.loaded });
  }

  async startRandom(): Promise<void> {
    this.#start({
      ...example,
      given: await inTurns(randomGiven()),
      texts: {},
      loaded: this.loaded,
    });
  }

  /** Nothing stays, of files either. */
  clear(): void {
    this.#start({ given: {}, texts: {}, loaded: new Map(), chosen: {} });
  }

  /** The reader's numbers in the other figures, with their mask. */
  startCase(of: Case): void {
    this.#start({ ...ofCase(of), loaded: this.loaded, chosen: {} });
    this.on.opened(isCausal(of) ? '' : 'mask=none');
  }
}
