// A question's choices with a verdict on each: folds where there is no script, a radio group where
// there is. Arrows only move, so that looking through the choices is no answer yet.
import { button } from './prose-figure.js';

const steps: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

export class Choices {
  readonly #items: readonly HTMLElement[];

  /** `list` is what is asked by `label`; `take` hears that the reader has chosen. */
  constructor(list: HTMLElement, label: HTMLElement, take: () => void) {
    this.#items = [...list.querySelectorAll<HTMLElement>('li')];
    list.setAttribute('role', 'radiogroup');
    list.setAttribute('aria-labelledby', label.id);
    this.#items.forEach((item, index) => {
      this.#offer(item, () => {
        this.show(index + 1);
        take();
      });
    });
    list.addEventListener('keydown', (event) => this.#move(event));
    this.show(0);
  }

  get count(): number {
    return this.#items.length;
  }

  /** What is chosen, from 1; 0 where nothing is. */
  get chosen(): number {
    return this.#items.findIndex(({ dataset }) => dataset.chosen) + 1;
  }

  get isRight(): boolean {
    return this.#items.some(({ dataset }) => dataset.chosen === 'right');
  }

  /** Shows what is said of one of the choices; of none where there is no such one. */
  show(chosen: number): void {
    this.#items.forEach((item, index) => {
      const isChosen = index + 1 === chosen;
      if (isChosen) item.dataset.chosen = item.dataset.right === 'true' ? 'right' : 'wrong';
      else delete item.dataset.chosen;
      item.querySelector<HTMLElement>('.feedback')!.hidden = !isChosen;
      const radio = item.querySelector('button')!;
      radio.setAttribute('aria-checked', String(isChosen));
      radio.tabIndex = isChosen || (chosen === 0 && index === 0) ? 0 : -1;
    });
  }

  #offer(item: HTMLElement, take: () => void): void {
    item.setAttribute('role', 'none');
    const feedback = item.querySelector<HTMLElement>('.feedback')!;
    feedback.setAttribute('role', 'status');
    const radio = button('', take);
    radio.className = 'choice-button';
    radio.setAttribute('role', 'radio');
    radio.append(...item.querySelector('summary')!.childNodes);
    item.replaceChildren(radio, feedback);
  }

  #move(event: KeyboardEvent): void {
    const step = steps[event.key];
    const radios = this.#items.map((item) => item.querySelector('button')!);
    const at = radios.indexOf(event.target as HTMLButtonElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    radios[(at + step + radios.length) % radios.length]!.focus();
  }
}
