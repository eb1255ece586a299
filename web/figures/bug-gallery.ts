// <attention-bug-gallery>: what a faulty attention gives; the right result turns up with the diagnosis.
import { html, render } from 'lit';
import en from '../content/en/figures/bug-gallery.json';
import zh from '../content/zh/figures/bug-gallery.json';
import { pairView } from '../draw/pair.js';
import type { Page } from '../state/page.js';
import { type Weights, evidence } from './bug-evidence.js';
import { ProseFigure } from './prose-figure.js';

export class AttentionBugGallery extends ProseFigure {
  static override key = 'bug';

  protected override enliven(page: Page, prose: ParentNode): void {
    const own = { en, zh }[page.language];
    const show = (name: string, { values, cause }: Weights) =>
      html`<figure class="evidence">
        ${pairView(page.words, {
          stage: 'weights',
          title: html`<var>A</var>`,
          name,
          values,
          kind: 'weights',
          ...(cause ? { cause } : {}),
        })}
      </figure>`;
    for (const bug of prose.querySelectorAll<HTMLElement>('.bug')) {
      const found = evidence[bug.dataset.id ?? '']?.(page);
      if (!found) continue;
      const place = document.createElement('div');
      bug.querySelector('.symptom')!.after(place);
      render(show(own.faulty, found.faulty), place);
      const answer = document.createElement('div');
      bug.querySelector('.diagnosis > div')!.append(answer);
      render(show(own.right, found.right), answer);
    }
    const folds = (name: string) => [
      ...prose.querySelectorAll<HTMLDetailsElement>(`.bug .${name}`),
    ];
    this.keepFolds('hint', folds('hint-fold'));
    this.keepFolds('open', folds('diagnosis'));
  }
}
