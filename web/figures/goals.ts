// <attention-goals>: the learning goals as a checklist. What is ticked stays on this device.
import type { Page } from '../state/page.js';
import { ProseFigure } from './prose-figure.js';

const place = 'goals';

function remembered(): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return Array.isArray(ids) ? ids.map(String) : [];
  } catch {
    return [];
  }
}

function remember(ids: string[]): void {
  try {
    localStorage.setItem(place, JSON.stringify(ids));
  } catch {
    // Not remembered then.
  }
}

export class AttentionGoals extends ProseFigure {
  /** The list is prose of the page; each item gets a box, and stays where it is. */
  protected override enliven(_: Page, prose: ParentNode): void {
    prose.querySelectorAll('li').forEach((item, index) => {
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.value = String(index);
      const label = document.createElement('label');
      // One part, formulas and all: the label sets its parts side by side.
      const text = document.createElement('span');
      text.append(...item.childNodes);
      label.append(box, text);
      item.replaceChildren(label);
    });
    const boxes = [...prose.querySelectorAll<HTMLInputElement>('input')];
    const show = () => {
      const done = remembered();
      for (const box of boxes) box.checked = done.includes(box.value);
    };
    show();
    prose.addEventListener('change', ({ target }) => {
      const { value, checked } = target as HTMLInputElement;
      const others = remembered().filter((id) => id !== value);
      remember(checked ? [...others, value] : others);
    });
    addEventListener('storage', show); // another tab's
  }
}
