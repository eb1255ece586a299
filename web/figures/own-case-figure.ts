// A figure on a case of its own, which changes apart from the page's case, until the reader asks for that.
import type { PropertyValues } from 'lit';
import { seedView } from '../draw/controls.js';
import { inspectorView } from '../draw/inspector.js';
import { type Line, spell } from '../draw/provenance.js';
import type { Shown } from '../export/data.js';
import { type Case, type Cell, sameCase, sameCell } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import { readCase, readCell, writeCase, writeCell } from '../state/link.js';
import type { LocalCase } from '../state/local-case.js';
import type { Page } from '../state/page.js';
import { type Input, inputs, seedOf, seeded } from '../state/random.js';
import { type Stage, isInput, steps } from '../state/steps.js';
import { CaseFigure } from './case-figure.js';

export abstract class OwnCaseFigure extends CaseFigure {
  protected abstract readonly own: LocalCase;

  /** Which of its matrices a seed makes anew. */
  protected readonly random: readonly Input[] = inputs;

  /** What it shows of the page's case, and the page's case after a change of that. */
  protected abstract partOf(whole: Case): Case;
  protected abstract withPart(whole: Case, part: Case): Case;

  protected override readonly sharesCase = true;
  protected override hasChoice = () => true;

  protected override shownCase(): Case {
    return this.isMine ? this.partOf(this.page!.store.view.case) : this.own.now;
  }

  protected override changeCase(to: Case): void {
    if (this.isMine) {
      const { store } = this.page!;
      store.update({ case: this.withPart(store.view.case, to) });
      return;
    }
    this.own.change(to);
    this.#link();
  }

  protected get canUndo(): boolean {
    return this.isMine ? this.page!.store.canUndo : this.own.canUndo;
  }

  protected override undo(): void {
    if (this.isMine) {
      this.page!.store.undo();
      return;
    }
    this.own.undo();
    this.#link();
  }

  /** Back to the article's numbers. */
  protected reset(): void {
    const { store } = this.page!;
    if (this.isMine) store.update({ case: store.home.case });
    else this.changeCase(this.own.home);
  }

  /** The case as the link has it; '' is the article's own. */
  #linked = '';

  #link(): void {
    const { now, home } = this.own;
    const short = writeCase(now, this.random);
    const isWhole = sameCase(readCase(short, home, this.random) ?? home, now);
    this.#linked = sameCase(now, home) ? '' : isWhole ? short : writeCase(now);
    this.set('case', this.#linked || undefined);
    this.requestUpdate();
  }

  /** Follows the link, when it says something else than this figure wrote there. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    const text = this.page ? this.setting('case', String, '') : this.#linked;
    if (text === this.#linked) return;
    this.#linked = text;
    const { home } = this.own;
    const found = text === '' ? home : this.#usable(readCase(text, home, this.random));
    this.own.change(found ?? home);
    this.complaint = found ? '' : this.page!.words.linkCase;
  }

  /** A link's case may have options that the library refuses. */
  #usable(found: Case | undefined): Case | undefined {
    try {
      if (found) frameOf(this.page!, found);
      return found;
    } catch {
      return undefined;
    }
  }

  protected override pin(): Cell | null {
    const { shapes } = this.lineage();
    const read = (text: string) => {
      const cell = readCell(text, shapes);
      return cell && this.shows(cell.stage) ? cell : undefined;
    };
    return this.setting('pin', read, null, writeCell);
  }

  protected override setPin(cell: Cell | null, isEntry?: boolean): void {
    this.set('pin', writeCell(cell), isEntry);
  }

  protected override set(name: string, text: string | undefined, isEntry = true): void {
    const kept = this.pin();
    super.set(name, text, isEntry);
    // A cell that is gone is not kept.
    if (kept && !this.pin()) super.set('pin', undefined, false);
  }

  /** What it is set to beside the case and the pin, which are saved in full. */
  #others(): Record<string, string> {
    const others = Object.entries(this.ownSettings());
    return Object.fromEntries(others.filter(([name]) => name !== 'case' && name !== 'pin'));
  }

  protected override shown() {
    return { ...super.shown(), settings: this.#others() };
  }

  protected override like({ settings }: Partial<Shown>): Case {
    return settings?.mine === '1' ? this.partOf(this.page!.store.view.case) : this.own.now;
  }

  protected override take(of: Case, shown: Partial<Shown>): void {
    const { settings = {} } = shown;
    for (const name of Object.keys({ ...this.#others(), ...settings })) {
      const text: unknown = settings[name];
      if (this.knows(name)) this.set(name, typeof text === 'string' ? text : undefined);
    }
    super.take(of, shown);
  }

  /** Whether its matrix is among those drawn. */
  protected abstract shows(stage: Stage): boolean;

  protected seedBox({ words, store }: Page) {
    const [now, names] = this.isMine
      ? [store.view.case, inputs]
      : ([this.own.now, this.random] as const);
    const change = (seed: number) => {
      const to = seeded(now, seed, names);
      if (this.isMine) store.update({ case: to });
      else this.changeCase(to);
    };
    return seedView({ words, seed: seedOf(now, names), last: now.seed, change });
  }

  /** Everything that led to a cell. */
  protected linesOf(cell: Cell, { words }: Page): Line[] {
    return spell(cell, this.frame, steps.length, words);
  }

  /** The sum behind the cell looked at, or `example`. */
  protected inspector(page: Page, example: Cell | null = null) {
    const { words } = page;
    const { looked } = this.grid;
    const cell = looked ?? example;
    return inspectorView({
      words,
      cell,
      lines: cell ? this.linesOf(cell, page) : [],
      isKept: looked !== null && sameCell(looked, this.pin()),
      isEditable: cell !== null && isInput(cell.stage),
      hint: this.complaint || (looked ? null : words.figureHint),
      edit: (target) => this.grid.edit(target),
      letGo: () => this.setPin(null),
    });
  }
}
