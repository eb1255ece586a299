// A case of a figure's own: its numbers, its kept cell and its undo list, apart from the page's case.
import { type Case, type Cell, sameCase } from './case.js';

export class LocalCase {
  #past: Case[] = [];
  #now: Case;
  pin: Cell | null = null;

  constructor(readonly home: Case) {
    this.#now = home;
  }

  get now(): Case {
    return this.#now;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  change(to: Case): void {
    if (sameCase(to, this.#now)) return;
    this.#past.push(this.#now);
    this.#now = to;
  }

  undo(): void {
    this.#now = this.#past.pop() ?? this.#now;
  }
}
