// The tensors that the reader brings to the workbench: typed, pasted, dropped or chosen, and what is
// wrong with them.
import type { Field, Given } from './bench-call.js';
import {
  type Brought,
  type Texts,
  example,
  isOwn,
  nothing,
  sameNumbers,
  withChosen,
  without,
} from './bench-brought.js';
import { type Left, leftBehind } from './bench-left.js';
import { Memory } from './bench-memory.js';
import { type SettingName, type SettingTexts, blank, textsOf } from './bench-settings.js';
import { fieldOf, ofCase, randomGiven } from './bench-tensors.js';
import { type Case, isCausal } from './case.js';
import { ReadError } from './read-text.js';
import type { Found } from './read-tensor.js';
import { read } from './read.js';
import { inTurns } from './turns.js';

/** A text is read when the reader pauses for so many milliseconds. */
const PAUSE = 300;

export interface FileProblem {
  file: string;
  error: unknown;
}

export interface Listener {
  /** The tensors have changed. */
  changed: () => void;
  /** What is said of them has. */
  said: () => void;
  /** Settings change with the tensors; what is not named stays. */
  set: (settings: SettingTexts) => void;
  /** The settings as they are. */
  settings: () => SettingTexts;
}

/** What there was before a step, and the settings that it changed. */
interface Past {
  brought: Brought;
  settings: SettingTexts;
}

export class BenchInputs {
  #now = example;
  #past: Past[] = [];
  problems: Partial<Record<Field, unknown>> = {};
  fileProblems: readonly FileProblem[] = [];
  /** What went with the last step because it belonged to what that replaced. */
  left: Left | null = null;
  /** The names of the files that are being read. */
  reading: readonly string[] = [];
  #pauses: Partial<Record<Field, number>> = {};
  readonly memory = new Memory(() => this.on.said());

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

  /** Whether there is anything that would be missed. */
  get isOwn(): boolean {
    return isOwn(this.#now);
  }

  /** Goes on with what this tab keeps, and keeps what comes; undefined where there is nothing yet. */
  recall(): Promise<void> | undefined {
    return this.memory.recall((kept) => {
      // What the reader has brought meanwhile counts.
      if (this.#now !== example) return;
      this.#now = kept;
      this.#readAll();
    });
  }

  #set(change: Partial<Brought>): void {
    this.#now = { ...this.#now, ...change };
  }

  #changed(): void {
    this.#save();
    this.on.changed();
  }

  /** A step that can be undone, with the settings that change with it. */
  #step(brought: Brought, settings: SettingTexts = {}): void {
    const now = { ...blank, ...this.on.settings() };
    const names = Object.keys(settings) as SettingName[];
    this.#past.push({
      brought,
      settings: Object.fromEntries(names.map((name) => [name, now[name]])),
    });
    if (names.length > 0) this.on.set(settings);
  }

  /** Takes away what does not belong to what there is now, which replaced `last` and brought `settings`. */
  #leave(last: Brought, settings: SettingTexts = {}): SettingTexts {
    const { hasRules, fields } = leftBehind(last.given, this.given);
    // Those that the reader or a file of the workbench's chose are no longer the example's.
    const isAsked = 'mask' in settings || this.on.settings().mask !== undefined;
    const isExamples = hasRules && !isAsked;
    this.left = isExamples || fields.length > 0 ? { hasRules: isExamples, fields } : null;
    for (const [field] of fields) this.#empty(field);
    const hadMask = fields.some(([field]) => field === 'mask');
    const changed = {
      ...(isExamples ? { mask: 'none' } : {}),
      ...(hadMask ? { meaning: '' } : {}),
    };
    return { ...changed, ...settings };
  }

  #empty(field: Field): void {
    this.#now = without(this.#now, field);
    delete this.problems[field];
  }

  /** Takes a field’s tensor away; what its numbers mean goes with a mask. */
  remove(field: Field): void {
    const last = this.#now;
    this.left = null;
    this.#empty(field);
    this.#step(last, field === 'mask' ? { meaning: '' } : {});
    this.#changed();
  }

  #save(): void {
    this.memory.keep(this.isOwn ? this.#now : undefined);
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
    this.#empty(field);
    this.#changed();
  }

  /** What is not readable leaves the field's last tensor in place; so does what is read `again`. */
  async #read(field: Field, text: string, again = false): Promise<void> {
    try {
      const found = await read({ source: text, name: field });
      if (this.texts[field] !== text) return;
      const tensor = found.tensors.size === 1 ? found.tensors.get(field) : undefined;
      if (tensor && again && sameNumbers(tensor, this.given[field])) return;
      const last = this.#now;
      if (tensor) {
        const { given, chosen } = without(last, field);
        this.#set({ given: { ...given, [field]: tensor }, chosen });
        const settings = this.#leave(last);
        if (this.left) this.#step(last, settings);
      } else this.#step(last, this.#leave(last, this.#place(found, field)));
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
    const when = Date.now();
    // Read all at once, placed one after the other.
    const all = files.map((file) => read({ source: file, name: file.name }));
    const names = files.map(({ name }) => name);
    this.reading = [...this.reading, ...names];
    this.on.said();
    const outcomes = await Promise.allSettled(all);
    this.reading = this.reading.filter((name) => !names.includes(name));
    const last = this.#now;
    let settings: SettingTexts | undefined;
    for (const [at, outcome] of outcomes.entries()) {
      const file = files[at]!.name;
      try {
        if (outcome.status === 'rejected') throw outcome.reason;
        const { value: found } = outcome;
        if (found.skipped.length > 0) {
          const names = found.skipped.join(', ');
          problems.push({ file, error: new ReadError('skipped', { names }) });
        }
        for (const tensor of found.tensors.values()) tensor.came = { file, at: when };
        settings = { ...settings, ...this.#place(found, field) };
      } catch (error) {
        problems.push({ file, error });
      }
    }
    this.fileProblems = problems;
    // A tensor without a place is one to choose.
    this.#save();
    if (!settings) return this.on.said();
    this.#step(last, this.#leave(last, settings));
    this.#changed();
  }

  /**
   * Puts each tensor where its name says; a single one where it was dropped. What the workbench
   * saved is opened as a whole, and its settings are returned.
   */
  #place({ tensors, settings }: Found, field?: Field): SettingTexts {
    const places = [...tensors.keys()].flatMap((name) => {
      const to = tensors.size === 1 && field ? field : fieldOf(name);
      return to ? [[to, name] as const] : [];
    });
    this.#set({ loaded: new Map([...this.loaded, ...tensors]) });
    if (places.length === 0) {
      throw new ReadError('unplaced', { names: [...tensors.keys()].join(', ') });
    }
    if (settings !== undefined) {
      this.#set({ given: {}, texts: {}, chosen: {} });
      this.problems = {};
    }
    for (const [to, name] of places) this.#choose(to, name);
    return settings === undefined ? {} : { ...blank, ...textsOf(settings) };
  }

  #choose(field: Field, name: string): void {
    this.#now = withChosen(this.#now, field, name);
    delete this.problems[field];
  }

  /** A tensor of a file for a field. */
  choose(field: Field, name: string): void {
    const last = this.#now;
    this.#choose(field, name);
    const settings = this.#leave(last);
    if (this.left) this.#step(last, settings);
    this.#changed();
  }

  #start(now: Brought, settings: SettingTexts = {}): void {
    for (const pause of Object.values(this.#pauses)) clearTimeout(pause);
    this.#step(this.#now, settings);
    this.#now = now;
    this.#forget();
    this.#changed();
  }

  /** What was said of what is gone. */
  #forget(): void {
    this.left = null;
    this.problems = {};
    this.fileProblems = [];
  }

  undo(): void {
    const last = this.#past.pop();
    if (!last) return;
    this.#now = last.brought;
    this.#forget();
    if (Object.keys(last.settings).length > 0) this.on.set(last.settings);
    this.#changed();
    this.#readAll();
  }

  /** With its rule. */
  startExample(): void {
    this.#start({ ...example, loaded: this.loaded }, { mask: '' });
  }

  async startRandom(): Promise<void> {
    this.#start({
      ...example,
      given: await inTurns(randomGiven()),
      texts: {},
      loaded: this.loaded,
    });
  }

  /** Nothing stays, of files and options either. */
  clear(): void {
    this.#start(nothing, { ...blank, mask: 'none' });
  }

  /** The reader's numbers in the other figures, with their mask. */
  startCase(of: Case): void {
    const settings = { ...blank, mask: isCausal(of) ? '' : 'none' };
    this.#start({ ...ofCase(of), loaded: this.loaded, chosen: {} }, settings);
  }
}
