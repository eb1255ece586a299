// <attention-bug-gallery>: what a faulty attention gives; the right result turns up with the diagnosis.
import { html, render } from 'lit';
import en from '../content/en/figures/bug-gallery.json';
import zh from '../content/zh/figures/bug-gallery.json';
import { exactNumber } from '../draw/number.js';
import { pairView } from '../draw/pair.js';
import { spell } from '../draw/provenance.js';
import { indexed } from '../draw/symbols.js';
import { tableOf } from '../export/exhibit.js';
import type { Frame } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { stepOf } from '../state/steps.js';
import { fill } from '../state/words.js';
import { type Weights, cross, evidence, inputs } from './bug-evidence.js';
import { ProseFigure } from './prose-figure.js';

const weightsView = (page: Page, name: string, { values, cause }: Weights) =>
  pairView(page.words, {
    stage: 'weights',
    title: html`<var>A</var>`,
    name,
    values,
    kind: 'weights',
    ...(cause ? { cause } : {}),
  });

/** The heads' weights, which differ, and below each its output, which does not. */
function headsView(page: Page, heads: readonly Frame[]) {
  const own = { en, zh }[page.language];
  const headView = ({ matrices: { weights, output } }: Frame, index: number) =>
    html`<div class="evidence">
      ${weightsView(page, fill(own.head, { index: index + 1 }), { values: weights })}
      <p>${indexed(html`<var>O</var>`, 0, 0)} = <b>${exactNumber(output[0]![0]!)}</b></p>
    </div>`;
  return html`<div class="heads">${heads.map(headView)}</div>`;
}

/** How each of them comes to its output: the last line of what the inspector would say. */
function sumsView(page: Page, heads: readonly Frame[]) {
  const own = { en, zh }[page.language];
  const cell = { stage: 'output', row: 0, column: 0 } as const;
  const sumView = (frame: Frame, index: number) =>
    html`<div>
      <dt>${fill(own.head, { index: index + 1 })}</dt>
      <dd>${spell(cell, frame, stepOf('output'), page.words).at(-1)!.text}</dd>
    </div>`;
  return html`<dl class="evidence sums">${heads.map(sumView)}</dl>`;
}

export class AttentionBugGallery extends ProseFigure {
  static override key = 'bug';

  /** What each case shows, and what turns up with its diagnosis. */
  static places = (page: Page) => {
    const own = { en, zh }[page.language];
    const table = (name: string, weights: Weights) =>
      html`<div class="evidence">${weightsView(page, name, weights)}</div>`;
    return Object.fromEntries(
      Object.entries(evidence).flatMap(([id, find]) => {
        const found = find(page);
        const [shown, answer] =
          'heads' in found
            ? [headsView(page, found.heads), sumsView(page, found.heads)]
            : [table(own.faulty, found.faulty), table(own.right, found.right)];
        return [
          [id, shown],
          [`${id}.answer`, answer],
        ];
      }),
    );
  };

  protected override exhibit(page: Page) {
    const found = Object.entries(evidence).flatMap(([id, find]) => {
      const of = find(page);
      return 'heads' in of ? [] : [[id, [of.faulty.values, of.right.values]] as const];
    });
    return {
      calls: [],
      programs: async () => {
        const { bugPrograms } = await import('../export/bug-program.js');
        const { query: few, key: many } = cross;
        return bugPrograms({ inputs: { ...inputs, few, many }, found: Object.fromEntries(found) });
      },
      tables: found.flatMap(([id, [wrong, right]]) => [
        tableOf(`${id}: wrong`, wrong),
        tableOf(`${id}: right`, right),
      ]),
    };
  }

  protected override enliven(page: Page, prose: ParentNode): void {
    const views = AttentionBugGallery.places(page);
    for (const place of prose.querySelectorAll<HTMLElement>('[data-place]')) {
      place.replaceChildren();
      render(views[place.dataset.place!], place);
    }
    const folds = (name: string) => [
      ...prose.querySelectorAll<HTMLDetailsElement>(`.bug .${name}`),
    ];
    this.keepFolds('hint', folds('hint-fold'));
    this.keepFolds('open', folds('diagnosis'));
  }
}
