// The prose that is kept as data: cards, questions, bugs. As HTML it reads without a script, with
// answers folded away; the figures take it over in place. In other pages they bring it with them.
import type MarkdownIt from 'markdown-it';
import { readFile } from 'node:fs/promises';
import type { Language } from '../state/words.js';
import { markdownFor } from './markdown.js';
import { type PageWords, readSections, readWords } from './shell.js';

interface Card {
  id: string;
  question: string;
  answer: string;
}
interface Choice {
  text: string;
  right: boolean;
  feedback: string;
}
interface Question extends Card {
  choices: Choice[];
  check: { does: string; holds: string };
}
interface Bug {
  id: string;
  symptom: string;
  suspects: Choice[];
  hint: string;
  diagnosis: string;
  fix: string;
}

const read = async <T>(language: Language, name: string): Promise<T[]> =>
  JSON.parse(
    await readFile(new URL(`../content/${language}/${name}.json`, import.meta.url), 'utf8'),
  ) as T[];

/** By element name: what stands inside it. */
export async function dataProse(
  language: Language,
  words: PageWords,
  markdown: MarkdownIt,
): Promise<Record<string, string>> {
  const text = (source: string) => markdown.renderInline(source);
  const folded = (label: string, body: string, name: string) =>
    `<details class="${name}"><summary>${label}</summary><div>${body}</div></details>`;

  /** A full-width full stop brings its own room. */
  const inOneLine = (sentences: string[]) => sentences.join(language === 'zh' ? '' : ' ');
  /** For what the figure computes. */
  const place = (name: string) => `<div data-place="${name}"></div>`;

  const card = ({ id, question, answer }: Card) =>
    `<details class="card" data-id="${id}"><summary>${text(question)}</summary><p>${text(answer)}</p></details>`;

  const choicesList = (choices: readonly Choice[]) => {
    const items = choices.map(({ text: offered, right, feedback }) => {
      const verdict = inOneLine([right ? `✓ ${words.right}` : `✗ ${words.wrong}`, text(feedback)]);
      return `<li data-right="${right}"><details><summary>${text(offered)}</summary><p class="feedback">${verdict}</p></details></li>`;
    });
    return `<ol class="choices">${items.join('')}</ol>`;
  };

  const question = ({ id, question: asked, choices, answer, check }: Question, index: number) => {
    const checked = `<p class="check-text">${inOneLine([`<b>${words.check}</b>`, text(check.does)])}</p>`;
    // What the check shows would give the answer away.
    const solution = `<p>${text(answer)}</p><p class="shown">${inOneLine([`<b>${words.checkShows}</b>`, text(check.holds)])}</p>`;
    return `<section class="question" data-id="${id}"><h4 id="quiz-${id}">${index + 1}. ${text(asked)}</h4>${choicesList(choices)}${folded(words.modelAnswer, solution, 'answer')}${checked}</section>`;
  };

  const bug = ({ id, symptom, suspects, hint, diagnosis, fix }: Bug, index: number) => {
    const row = `<summary><h4 data-picture>${words.bug} ${index + 1}</h4><span class="symptom" data-picture>${text(symptom)}</span></summary>`;
    const asked = `<p class="asked" id="bug-${id}">${words.suspects}</p>${choicesList(suspects)}`;
    const cure = `<p>${text(diagnosis)}</p><p>${text(fix)}</p>`;
    const answer = folded(
      words.diagnosis,
      `${place(`${id}.answer`)}<div>${cure}</div>`,
      'diagnosis',
    );
    return `<details class="bug" data-id="${id}"${index === 0 ? ' open' : ''}>${row}<div class="case">${place(id)}<div class="suspects">${asked}${folded(words.hint, `<p>${text(hint)}</p>`, 'hint-fold')}</div>${answer}</div></details>`;
  };

  const [cards, quiz, bugs] = await Promise.all([
    read<Card>(language, 'cards'),
    read<Question>(language, 'quiz'),
    read<Bug>(language, 'bugs'),
  ]);
  return {
    'attention-cards': `<div class="cards">${cards.map(card).join('')}</div>`,
    'attention-quiz': `<div class="quiz">${quiz.map(question).join('')}</div>`,
    'attention-bug-gallery': `<div class="bugs">${bugs.map(bug).join('')}</div>`,
  };
}

/** The same for figures in other pages, with the goals, which here are prose of a section. */
export async function proseForElements(language: Language): Promise<Record<string, string>> {
  const [words, sections] = await Promise.all([readWords(language), readSections(`${language}/`)]);
  const markdown = markdownFor(words, 'mathml');
  const goals = sections
    .map(({ body }) => /<attention-goals>(.*?)<\/attention-goals>/s.exec(body)?.[1])
    .find((list) => list !== undefined);
  if (goals === undefined) throw new Error(`No section of ${language} has the goals`);
  const all = {
    ...(await dataProse(language, words, markdown)),
    'attention-goals': `<div class="goals">${markdown.render(goals)}</div>`,
  };
  return Object.fromEntries(Object.entries(all).map(([name, html]) => [name, bare(html)]));
}

/** Formulas without their source and what wraps it. */
const bare = (html: string) =>
  html
    .replace(/<annotation.*?<\/annotation>|<\/?semantics>| xmlns="[^"]*"/gs, '')
    .replace(/<span class="katex">(.*?<\/math>)<\/span>/gs, '$1');
