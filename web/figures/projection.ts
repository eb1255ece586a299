// <attention-projection>: X·W for Q, K and V, and everything that follows from them: each number can
// be followed back to X, and X forward to the output.
import { html, nothing } from 'lit';
import en from '../content/en/figures/projection.json';
import zh from '../content/zh/figures/projection.json';
import { choiceView } from '../draw/controls.js';
import { checkedOf, checksView } from '../draw/invariants.js';
import { atRest } from '../draw/later.js';
import type { Page } from '../state/page.js';
import { isWithFirst } from '../state/shared-case.js';
import projectionSheet from '../styles/projection.css?inline';
import { sheets } from './figure.js';
import { InputsFigure } from './inputs-figure.js';
import {
  type InputName,
  type Name,
  type Place,
  home,
  isInputName,
  isRole,
  projected,
  roles,
  tokensHome,
  tokensMost,
} from './projection-data.js';
import { boardView, linesOf } from './projection-view.js';
import { onward } from './traced-figure.js';

const room = `--tokens-most:${tokensMost}`;

export class AttentionProjection extends InputsFigure<Name, InputName> {
  static override styles = sheets(projectionSheet);
  static override key = 'xw';

  static firstFrame = (page: Page) =>
    html`<div class="projection" style=${room}>
      ${boardView(page, projected(page, home, tokensHome), 'query')}
    </div>`;

  protected override readonly home = home;
  protected override readonly counts = { n: { home: tokensHome, of: ['x'] as const } };
  protected override inputOf = (name: Name) => (isInputName(name) ? name : undefined);
  protected override nameOf = ({ language }: Page, input: InputName) =>
    ({ en, zh })[language].matrices[input];

  get #shown() {
    return projected(this.page!, this.numbers, this.count('n'));
  }

  get #role() {
    return this.setting('role', (text) => (isRole(text) ? text : undefined), 'query');
  }

  #before: number | undefined;

  /** A slider that is moved is moved on: what it will show is computed while the page rests. */
  protected override updated(): void {
    super.updated();
    const { page } = this;
    if (!page) return;
    const { numbers } = this;
    const [before, now] = [this.#before ?? this.count('n'), this.count('n')];
    this.#before = now;
    const next = onward(before, now, numbers.x.length);
    if (next !== undefined) atRest(() => projected(page, numbers, next));
  }

  protected override lineage = () => this.#shown.lineage;
  protected override example = (): Place => ({ stage: this.#role, row: 0, column: 0 });
  protected override linesOf = (page: Page, place: Place) => linesOf(page, this.#shown, place);
  /** The product itself, and all that follows from its row. */
  protected override exampleLines = (page: Page) => [
    ...this.linesOf(page, this.example()),
    ...this.linesOf(page, { stage: 'output', row: 0, column: 0 }),
  ];
  protected override hint = ({ language }: Page) => ({ en, zh })[language].hint;

  protected override exhibit() {
    const { frame, matrices } = this.#shown;
    const { x, wq, wk, wv } = matrices;
    return { calls: [{ frame, projection: { x, weights: { query: wq, key: wk, value: wv } } }] };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const [shown, role] = [this.#shown, this.#role];
    return html`<div class="projection" style=${room}>
      <div class="tools">
        <div class="role-choice">
          ${choiceView({
            label: own.role,
            name: 'role',
            options: roles.map((each) => [each, html`<var class=${each}>${own.roles[each]}</var>`]),
            value: role,
            change: (to) => this.set('role', to === 'query' ? undefined : to),
          })}
        </div>
        ${this.countSlider('n', own.tokens)} ${this.inputTools(page)}
      </div>
      ${this.traced(
        page,
        (grid, follow) => boardView(page, shown, role, grid, follow),
        () =>
          html`<div class="beside">
            ${checksView(page.words, { of: checkedOf(shown.frame) })}
            ${isWithFirst() ? html`<p class="remark">${own.case}</p>` : nothing}
          </div>`,
      )}
    </div>`;
  }
}
