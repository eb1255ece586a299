// <attention-quiz>: questions with feedback on each choice, a model answer, and a check that runs.
import { html, render } from 'lit';
import en from '../content/en/figures/quiz.json';
import zh from '../content/zh/figures/quiz.json';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { ProseFigure, button } from './prose-figure.js';
import { type Line, checks } from './quiz-checks.js';

export class AttentionQuiz extends ProseFigure {
  protected override enliven(page: Page): void {
    const own = { en, zh }[page.language];
    for (const question of this.querySelectorAll<HTMLElement>('.question')) {
      question.dataset.live = '';
      for (const choice of question.querySelectorAll<HTMLElement>('.choices li')) {
        this.#offer(question, choice, own);
      }
      const check = checks[question.dataset.id ?? ''];
      if (check) this.#offerCheck(question, (seed) => check(page, seed), page);
    }
  }

  #offer(question: HTMLElement, choice: HTMLElement, own: typeof en): void {
    const text = choice.querySelector<HTMLElement>('.choice-text')!;
    const isRight = choice.dataset.right === 'true';
    const feedback = choice.querySelector<HTMLElement>('.feedback')!;
    feedback.hidden = true;
    feedback.setAttribute('role', 'status');
    const press = button('', () => {
      for (const other of question.querySelectorAll<HTMLElement>('.choices li')) {
        delete other.dataset.chosen;
        other.querySelector<HTMLElement>('.feedback')!.hidden = other !== choice;
        other.querySelector('button')!.setAttribute('aria-pressed', String(other === choice));
      }
      choice.dataset.chosen = isRight ? 'right' : 'wrong';
    });
    press.className = 'choice-button';
    press.setAttribute('aria-pressed', 'false');
    press.append(...text.childNodes);
    text.replaceWith(press);
    feedback.prepend(`${isRight ? `✓ ${own.right}` : `✗ ${own.wrong}`} `);
  }

  #offerCheck(question: HTMLElement, check: (seed: number) => Line[], { language }: Page): void {
    const own = { en, zh }[language];
    const place = document.createElement('div');
    place.setAttribute('role', 'status');
    let seed = 0;
    const run = button(own.run, () => {
      seed += 1;
      run.textContent = own.again;
      render(
        html`<ul class="check-lines">
          ${check(seed).map(
            ({ holds, word, values }) =>
              html`<li data-holds=${holds ? 'yes' : 'no'}>
                <span class="sign">${holds ? '✓' : '✗'}</span> ${fill(own.lines[word], values)}
              </li>`,
          )}
        </ul>`,
        place,
      );
    });
    question.append(run, place);
  }
}
