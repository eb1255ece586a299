// A figure with matrices of its own that take new numbers: typed, pasted, by seed, and back again. The
// link has those that are not the article's. Some show only their first rows, as many as a slider says.
import { html } from 'lit';
import { seedView, sliderView } from '../draw/controls.js';
import type { GridEdits } from '../draw/grid.js';
import { type Cell, type Matrix, sameMatrix, sizeOf, withBlock } from '../state/case.js';
import { readMatrix, writeMatrix } from '../state/link.js';
import type { Page } from '../state/page.js';
import { inputs, randomLike, seedOf, seeded, seeds } from '../state/random.js';
import { isWithFirst } from '../state/shared-case.js';
import { complaintOf } from '../state/words.js';
import { TracedFigure } from './traced-figure.js';

export type Inputs<Input extends string> = Readonly<Record<Input, Matrix>>;

/** How many rows are shown, and of which matrices. */
interface Count<Input> {
  home: number;
  of: readonly Input[];
}

const namesOf = <Input extends string>(of: Inputs<Input>) => Object.keys(of) as Input[];
export const sameInputs = <Input extends string>(a: Inputs<Input>, b: Inputs<Input>) =>
  namesOf(a).every((name) => sameMatrix(a[name], b[name]));

/** Those of a seed, which makes `names` anew; the others and those without a seed are `home`'s. */
export function inputsOf<Input extends string>(
  home: Inputs<Input>,
  seed: number | undefined,
  names: readonly Input[] = namesOf(home),
): Inputs<Input> {
  if (seed === undefined) return home;
  const made = randomLike(
    names.map((name) => home[name]),
    seed,
  );
  return { ...home, ...Object.fromEntries(names.map((name, at) => [name, made[at]])) };
}

export abstract class InputsFigure<
  Name extends string,
  Input extends string,
> extends TracedFigure<Name> {
  /** The article's, with all the rows there can be. */
  protected abstract readonly home: Inputs<Input>;
  /** By the settings that say them. */
  protected abstract readonly counts: Readonly<Record<string, Count<Input>>>;
  /** Which of its matrices a seed makes anew; all unless said. */
  protected readonly random?: readonly Input[];

  protected abstract inputOf(name: Name): Input | undefined;
  protected abstract nameOf(page: Page, input: Input): string;

  /** Whether its numbers are the page's. */
  get #isCase(): boolean {
    return this.sharesCase && this.isMine;
  }

  /** From which the link's numbers were made, though some may have been changed since. */
  get #seed(): number | undefined {
    return this.whole('seed', seeds, 0) || undefined;
  }

  #known: Inputs<Input> | undefined;

  /** All rows, also those that are not shown; the same object as long as they are the same numbers. */
  protected get numbers(): Inputs<Input> {
    const base = inputsOf(this.home, this.#seed, this.random);
    const read = (name: Input) =>
      this.setting(name, (text) => readMatrix(text, sizeOf(base[name])), base[name], writeMatrix);
    const found = Object.fromEntries(
      namesOf(base).map((name) => [name, read(name)]),
    ) as Inputs<Input>;
    if (this.#isCase) return this.page!.store.view.case as unknown as Inputs<Input>;
    const known = this.#known;
    return known && sameInputs(found, known) ? known : (this.#known = found);
  }

  #write(to: Inputs<Input>, seed: number | undefined): void {
    this.complaint = '';
    if (this.#isCase) {
      this.setCase({ ...this.page!.store.view.case, ...to });
      return;
    }
    if (sameInputs(to, this.numbers)) return;
    const base = inputsOf(this.home, seed, this.random);
    this.set('seed', seed?.toString());
    for (const name of namesOf(to)) {
      this.set(name, sameMatrix(to[name], base[name]) ? undefined : writeMatrix(to[name]));
    }
  }

  #most(name: string): number {
    return sizeOf(this.numbers[this.counts[name]!.of[0]!])[0];
  }

  /** How many rows there are to show may differ between the article's numbers and the page's case. */
  protected count(name: string): number {
    const { home, of } = this.counts[name]!;
    const asked = this.whole(name, [1, sizeOf(this.home[of[0]!])[0]], home);
    return Math.min(asked, this.#most(name));
  }

  #setCount(name: string, to: number, isEntry = true): void {
    this.set(name, to === this.counts[name]!.home ? undefined : String(to), isEntry);
  }

  protected countSlider(name: string, label: string) {
    return sliderView({
      label,
      value: this.count(name),
      min: 1,
      max: this.#most(name),
      change: (to, isEntry) => this.#setCount(name, to, isEntry),
    });
  }

  /** From a cell on; rows that were not shown are from now on. */
  #change({ stage, row, column }: Cell<Name>, block: Matrix): void {
    const name = this.inputOf(stage);
    if (!name) return;
    const now = this.numbers;
    this.#write({ ...now, [name]: withBlock(now[name], row, column, block) }, this.#seed);
    const last = row + block.length;
    const count = Object.keys(this.counts).find((each) => this.counts[each]!.of.includes(name));
    if (count !== undefined && last > this.count(count)) this.#setCount(count, last);
  }

  async #paste(cell: Cell<Name>, text: string): Promise<void> {
    const page = this.page!;
    const name = this.inputOf(cell.stage)!;
    const [rows, columns] = sizeOf(this.numbers[name]);
    const { pasted } = await import('./paste.js');
    const matrix = this.nameOf(page, name);
    const isMost = rows > this.lineage(page).shapes.get(cell.stage)![0];
    const isTransposed = this.isTransposed(cell.stage);
    const room = { ...cell, matrix, shape: [rows, columns] as const, isMost, isTransposed };
    const found = pasted(page, text, room);
    if (typeof found === 'string') this.complaint = found;
    else {
      this.#change(cell, found.block);
      this.complaint = found.note;
    }
    this.requestUpdate();
  }

  protected override undone(): readonly string[] {
    return ['mine', 'seed', ...namesOf(this.home), ...Object.keys(this.counts)];
  }

  protected override edits(): GridEdits<Name> {
    return {
      isEditable: (name) => this.inputOf(name) !== undefined,
      valueOf: ({ stage, row, column }) => this.numbers[this.inputOf(stage)!][row]?.[column] ?? NaN,
      change: (cell, value) => this.#change(cell, [[value]]),
      paste: (cell, text) => void this.#paste(cell, text),
      complain: (entry) => {
        this.complaint = complaintOf(this.page!.words, entry);
      },
    };
  }

  /** Undo, Reset, and new numbers by seed. */
  protected inputTools(page: Page) {
    const { words, store } = page;
    const [isCase, last] = [this.#isCase, this.#seed];
    const whole = store.view.case;
    const reset = () => {
      if (isCase) this.setCase(store.home.case);
      // The link's case is gone with its numbers; the first figure's is there.
      const kept = isWithFirst() ? 'mine' : '';
      for (const name of this.undone()) if (name !== kept) this.set(name, undefined);
    };
    const isWhole =
      last !== undefined && sameInputs(this.numbers, inputsOf(this.home, last, this.random));
    const seed = isCase
      ? {
          seed: seedOf(whole, inputs),
          last: whole.seed,
          change: (to: number) => this.setCase(seeded(whole, to, inputs)),
        }
      : {
          seed: isWhole ? last : undefined,
          last,
          change: (to: number) => this.#write(inputsOf(this.home, to, this.random), to),
        };
    return html`${this.undoButton(page)}
      <button type="button" @click=${reset}>${words.reset}</button>
      ${seedView({ words, ...seed })}`;
  }
}
