// <attention-bug-gallery>: what a faulty attention gives; the right result turns up with the diagnosis.
import { html, render } from 'lit';
import en from '../content/en/figures/bug-gallery.json';
import zh from '../content/zh/figures/bug-gallery.json';
import { pairView } from '../draw/pair.js';
import type { Matrix } from '../state/case.js';
import type { Page } from '../state/page.js';
import { evidence } from './bug-evidence.js';
import { ProseFigure } from './prose-figure.js';

export class AttentionBugGallery extends ProseFigure {
  protected override enliven(page: Page): void {
    const own = { en, zh }[page.language];
    for (const bug of this.querySelectorAll<HTMLElement>('.bug')) {
      const found = evidence[bug.dataset.id ?? '']?.(page);
      if (!found) continue;
      const { faulty, right, isForbidden } = found;
      const show = (name: string, values: Matrix, isRight: boolean) =>
        html`<figure class="evidence">
          ${pairView(page.words, {
            stage: 'weights',
            title: html`<var>A</var>`,
            name,
            values,
            kind: 'weights',
            ...(isRight
              ? {
                  cause: (row: number, column: number) =>
                    isForbidden(row, column) ? ['causal'] : [],
                }
              : {}),
          })}
        </figure>`;
      const place = document.createElement('div');
      bug.querySelector('.symptom')!.after(place);
      render(show(own.faulty, faulty, false), place);
      const answer = document.createElement('div');
      bug.querySelector('.diagnosis > div')!.append(answer);
      render(show(own.right, right, true), answer);
    }
  }
}
