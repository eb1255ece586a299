// <attention-cards>: review cards. Each turns over by itself; here all of them do.
import en from '../content/en/figures/cards.json';
import zh from '../content/zh/figures/cards.json';
import type { Page } from '../state/page.js';
import { ProseFigure, button } from './prose-figure.js';

export class AttentionCards extends ProseFigure {
  protected override enliven({ language }: Page): void {
    const own = { en, zh }[language];
    const turn = (isOpen: boolean) => {
      for (const card of this.querySelectorAll<HTMLDetailsElement>('.card')) card.open = isOpen;
    };
    const tools = document.createElement('p');
    tools.className = 'prose-tools';
    tools.append(
      button(own.open, () => turn(true)),
      button(own.close, () => turn(false)),
    );
    this.append(tools);
  }
}
