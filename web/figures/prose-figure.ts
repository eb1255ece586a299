// A figure whose substance is prose of the page: it stays in the document, and the figure adds to it.
import type { PropertyValues } from 'lit';
import type { Page } from '../state/page.js';
import { Figure } from './figure.js';

export abstract class ProseFigure extends Figure {
  /** Adds what the prose cannot do by itself; called once. */
  protected abstract enliven(page: Page): void;

  #isAlive = false;

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('page') || !this.page || this.#isAlive) return;
    this.#isAlive = true;
    this.enliven(this.page);
  }

  protected override render(): unknown {
    return this.fallback();
  }

  protected override view(): unknown {
    return this.fallback();
  }
}

/** A button of the page's own prose. */
export function button(text: string, act: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'button';
  made.textContent = text;
  made.addEventListener('click', act);
  return made;
}
