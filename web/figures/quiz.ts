// <attention-quiz>: questions with feedback on each choice, a model answer, and a check that runs.
import { html, render } from 'lit';
import en from '../content/en/figures/quiz.json';
import zh from '../content/zh/figures/quiz.json';
import { withWidths } from '../draw/symbols.js';
import { languages } from '../export/exhibit.js';
import { markdownOf, paragraphs } from '../export/markdown.js';
import type { Format } from '../export/menu.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { Choices } from './choices.js';
import { ProseFigure, button } from './prose-figure.js';
import { type Line, checks, programNumbers } from './quiz-checks.js';

const LETTERS = 'ABC';

export class AttentionQuiz extends ProseFigure {
  static override key = 'quiz';

  protected override readonly formats: readonly Format[] = [
    'CSV',
    'JSON',
    'Markdown',
    ...languages,
  ];

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
        shown: markdownOf(question.querySelector('.answer .shown')),
      };
    });
    const answers = markdownOf(this.place.querySelector('.answer summary'));
    const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
    return {
      calls: [],
      programs: async () => {
        const { quizPrograms } = await import('../export/quiz-program.js');
        return quizPrograms(programNumbers());
      },
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
        ...questions.flatMap(({ asked, right, answer, feedback, check, shown }) => [
          `## ${asked}`,
          `**${right}.** ${answer}`,
          list(feedback),
          check,
          shown,
        ]),
      ),
    };
  }

  protected override enliven(page: Page, prose: ParentNode): void {
    const questions = [...prose.querySelectorAll<HTMLElement>('.question')];
    const all = questions.map((question) => {
      const check = checks[question.dataset.id ?? ''];
      if (check) this.#offerCheck(question, (seed) => check(page, seed), page);
      const take = () => change(all.map(({ chosen }) => chosen));
      return new Choices(
        question.querySelector('.choices')!,
        question.querySelector<HTMLElement>('h4')!,
        take,
      );
    });
    const change = this.keepChoices('chosen', all);
    this.keepFolds('open', [...prose.querySelectorAll<HTMLDetailsElement>('.answer')]);
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
