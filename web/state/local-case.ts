// A case of a figure's own: its numbers and its undo list, apart from the page's case.
import { type Case, sameCase } from './case.js';

export class LocalCase {
  #past: Case[] = [];
  #now: Case;

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
