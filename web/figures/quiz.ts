// <attention-quiz>: questions with feedback on each choice, a model answer, and a check that runs.
import { html, render } from 'lit';
import en from '../content/en/figures/quiz.json';
import zh from '../content/zh/figures/quiz.json';
import { withWidths } from '../draw/symbols.js';
import { markdownOf, paragraphs } from '../export/markdown.js';
import type { Format } from '../export/menu.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { ProseFigure, button } from './prose-figure.js';
import { type Line, checks } from './quiz-checks.js';

const LETTERS = 'ABC';

/** Shows what is said of one of the choices; of none where there is no such one. */
function choose(choices: readonly HTMLElement[], chosen: number): void {
  choices.forEach((choice, index) => {
    const isChosen = index === chosen;
    if (isChosen) choice.dataset.chosen = choice.dataset.right === 'true' ? 'right' : 'wrong';
    else delete choice.dataset.chosen;
    choice.querySelector<HTMLElement>('.feedback')!.hidden = !isChosen;
    choice.querySelector('button')!.setAttribute('aria-pressed', String(isChosen));
  });
}

export class AttentionQuiz extends ProseFigure {
  static override key = 'quiz';

  protected override readonly formats: readonly Format[] = ['CSV', 'JSON', 'Markdown'];

  /** To be printed: the questions with boxes to tick, and the answers on a page of their own. */
  protected override exhibit(page: Page) {
    const questions = [...this.place.querySelectorAll('.question')].map((question) => {
      const choices = [...question.querySelectorAll<HTMLElement>('.choices li')];
      const textsOf = (selector: string) =>
        choices.map((choice) => markdownOf(choice.querySelector(selector)));
      const right = choices.findIndex(({ dataset }) => dataset.right === 'true');
      return {
        asked: markdownOf(question.querySelector('h4')),
        choices: textsOf('.choice-button').map((text, at) => `${LETTERS[at]}. ${text}`),
        right: LETTERS[right]!,
        feedback: textsOf('.feedback').map((text, at) => `${LETTERS[at]}. ${text}`),
        answer: markdownOf(question.querySelector('.answer p')),
        check: markdownOf(question.querySelector('.check-text')),
      };
    });
    const answers = markdownOf(this.place.querySelector('.answer summary'));
    const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
    return {
      calls: [],
      tables: [
        {
          name: 'quiz',
          head: ['question', 'A', 'B', 'C', 'right', 'answer'],
          rows: questions.map(({ asked, choices, right, answer }) => [
            asked,
            ...choices.map((choice) => choice.slice(3)),
            right,
            answer,
          ]),
        },
      ],
      markdown: paragraphs(
        `# ${this.name(page)}`,
        ...questions.flatMap(({ asked, choices }) => [
          `## ${asked}`,
          list(choices.map((choice) => `[ ] ${choice}`)),
        ]),
        `# ${answers}`,
        ...questions.flatMap(({ asked, right, answer, feedback, check }) => [
          `## ${asked}`,
          `**${right}.** ${answer}`,
          list(feedback),
          check,
        ]),
      ),
    };
  }

  protected override enliven(page: Page, prose: ParentNode): void {
    const questions = [...prose.querySelectorAll<HTMLElement>('.question')];
    const choicesOf = (question: HTMLElement) => [
      ...question.querySelectorAll<HTMLElement>('.choices li'),
    ];
    const chosen = () =>
      questions.map((each) => choicesOf(each).findIndex((choice) => choice.dataset.chosen) + 1);
    // Of each question the number of what was chosen; 0 where nothing was.
    const change = this.keep(
      'chosen',
      (asked) =>
        questions.map((each, index) => Math.min(asked[index] ?? 0, choicesOf(each).length)),
      (numbers) => {
        questions.forEach((each, index) => choose(choicesOf(each), (numbers[index] ?? 0) - 1));
      },
    );
    for (const question of questions) {
      question.dataset.live = '';
      const choices = choicesOf(question);
      choices.forEach((choice, index) => {
        this.#offer(choice, () => {
          choose(choices, index);
          change(chosen());
        });
      });
      const check = checks[question.dataset.id ?? ''];
      if (check) this.#offerCheck(question, (seed) => check(page, seed), page);
    }
    this.keepFolds('open', [...prose.querySelectorAll<HTMLDetailsElement>('.answer')]);
  }

  /** What is a fold where there is no script becomes a button, with the verdict below it. */
  #offer(choice: HTMLElement, take: () => void): void {
    const feedback = choice.querySelector<HTMLElement>('.feedback')!;
    feedback.hidden = true;
    feedback.setAttribute('role', 'status');
    const press = button('', take);
    press.className = 'choice-button';
    press.setAttribute('aria-pressed', 'false');
    press.append(...choice.querySelector('summary')!.childNodes);
    choice.replaceChildren(press, feedback);
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
                <span class="sign">${holds ? '✓' : '✗'}</span>
                <span>${withWidths(fill(own.lines[word], values))}</span>
              </li>`,
          )}
        </ul>`,
        place,
      );
    });
    question.append(run, place);
  }
}
