// <attention-cards>: review cards. Each turns over by itself; here all of them do.
import en from '../content/en/figures/cards.json';
import zh from '../content/zh/figures/cards.json';
import { markdownOf, paragraphs } from '../export/markdown.js';
import type { Format } from '../export/menu.js';
import type { Page } from '../state/page.js';
import { ProseFigure, button } from './prose-figure.js';

export class AttentionCards extends ProseFigure {
  static override key = 'cards';

  protected override readonly formats: readonly Format[] = ['CSV', 'JSON', 'Markdown'];

  /** As tables of questions and answers, which programs for learning with cards can read. */
  protected override exhibit(page: Page) {
    const cards = [...this.place.querySelectorAll('.card')];
    const rows = cards.map((card) => [
      markdownOf(card.querySelector('summary')),
      markdownOf(card.querySelector('p')),
    ]);
    const texts = rows.map(([question, answer]) => `## ${question}\n\n${answer}`);
    return {
      calls: [],
      tables: [{ name: 'cards', head: ['question', 'answer'], rows }],
      markdown: paragraphs(`# ${this.name(page)}`, ...texts),
    };
  }

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
