// <attention-cards>: review cards. Each turns over by itself; here all of them do.
import en from '../content/en/figures/cards.json';
import zh from '../content/zh/figures/cards.json';
import type { Page } from '../state/page.js';
import { ProseFigure, button } from './prose-figure.js';

export class AttentionCards extends ProseFigure {
  static override key = 'cards';

  protected override enliven({ language }: Page, prose: ParentNode): void {
    const own = { en, zh }[language];
    const cards = [...prose.querySelectorAll<HTMLDetailsElement>('.card')];
    this.keepFolds('open', cards);
    const turn = (isOpen: boolean) => {
      for (const card of cards) card.open = isOpen;
    };
    const tools = document.createElement('p');
    tools.className = 'prose-tools';
    tools.append(
      button(own.open, () => turn(true)),
      button(own.close, () => turn(false)),
    );
    prose.querySelector('.cards')!.after(tools);
  }
}
