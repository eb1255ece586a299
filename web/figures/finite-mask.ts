// <attention-finite-mask>: a large negative number in place of −∞, beside a real mask.
import { html } from 'lit';
import en from '../content/en/figures/finite-mask.json';
import zh from '../content/zh/figures/finite-mask.json';
import { choiceView } from '../draw/controls.js';
import { pairView } from '../draw/pair.js';
import { domainOf } from '../draw/scale.js';
import example from '../examples/six-step.json';
import { type Frame, frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import { Figure, sheets } from './figure.js';

const constants = { '-10': -10, '-1e4': -1e4, '-1e9': -1e9 } as const;
type Constant = keyof typeof constants;
const constantNames = Object.keys(constants) as Constant[];
type Hidden = 'all' | 'causal';
type Precision = 'float32' | 'float64';
const home = {
  constant: '-1e9' as Constant,
  hidden: 'all' as Hidden,
  dtype: 'float32' as Precision,
};
const names: Record<Constant, string> = { '-10': '−10', '-1e4': '−10⁴', '-1e9': '−10⁹' };

/** Query 2 sees nothing, or what the causal rule leaves it; the others are causal. */
const isHidden = (hidden: Hidden, i: number, j: number) => (hidden === 'all' && i === 1) || j > i;

function results(page: Page, { constant, hidden, dtype }: typeof home) {
  const isHiddenHere = example.inputs.query.map((_, i) =>
    example.inputs.key.map((_key, j) => isHidden(hidden, i, j)),
  );
  const bias = isHiddenHere.map((row) => row.map((is) => (is ? constants[constant] : 0)));
  const mask = { kind: 'blocked' as const, mask: isHiddenHere };
  return {
    added: frameOf(page, { ...example.inputs, options: { bias }, dtype }),
    masked: frameOf(page, { ...example.inputs, options: { mask }, dtype }),
  };
}

function boardView(page: Page, shown: typeof home) {
  const own = { en, zh }[page.language];
  const { added, masked } = results(page, shown);
  const cause = (i: number, j: number) => (isHidden(shown.hidden, i, j) ? ['blocked'] : []);
  const domain = domainOf(added.matrices.scaled);
  const isSame = added.matrices.weights.every((row, i) =>
    row.every((x, j) => Math.abs(x - masked.matrices.weights[i]![j]!) < 1e-6),
  );
  const column = (title: string, { matrices }: Frame, isMask: boolean) =>
    html`<div>
      <p class="comparison-title">${title}</p>
      <div class="comparison-pair">
        ${pairView(page.words, { title: html`+ <var>M</var>`, values: matrices.masked, kind: 'scores', domain, ...(isMask ? { cause } : {}) })}
        ${pairView(page.words, { title: html`<var>A</var>`, values: matrices.weights, kind: 'weights', ...(isMask ? { cause } : {}) })}
      </div>
    </div>`;
  return html`<div class="comparison" data-picture>
      ${column(fill(own.added, { constant: names[shown.constant] }), added, false)}
      ${column(own.masked, masked, true)}
    </div>
    <p class="comparison-says">${own.says[isSame ? 'same' : 'different']}</p>`;
}

export class AttentionFiniteMask extends Figure {
  static override styles = sheets(comparisonSheet);
  static override key = 'finite';

  static firstFrame = (page: Page) => boardView(page, home);

  get #shown(): typeof home {
    const among =
      <T extends string>(values: readonly T[]) =>
      (text: string) =>
        values.find((value) => value === text);
    return {
      constant: this.setting('c', among(constantNames), home.constant),
      hidden: this.setting('hide', among(['all', 'causal'] as const), home.hidden),
      dtype: this.setting('in', among(['float32', 'float64'] as const), home.dtype),
    };
  }

  protected override exhibit(page: Page) {
    const { added, masked } = results(page, this.#shown);
    return {
      calls: [
        { name: `bias ${this.#shown.constant}`, frame: added },
        { name: 'mask', frame: masked },
      ],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const shown = this.#shown;
    return html`<div class="tools">
        ${choiceView<Constant>({
          label: own.constant,
          name: 'constant',
          options: constantNames.map((name) => [name, names[name]]),
          value: shown.constant,
          change: (to) => this.set('c', to === home.constant ? undefined : to),
        })}
        ${choiceView<Hidden>({
          label: own.hidden,
          name: 'hidden',
          options: (['all', 'causal'] as const).map((name) => [name, own.hiddenOptions[name]]),
          value: shown.hidden,
          change: (to) => this.set('hide', to === home.hidden ? undefined : to),
        })}
        ${choiceView<Precision>({
          label: own.dtype,
          name: 'dtype',
          options: (['float32', 'float64'] as const).map((name) => [name, name]),
          value: shown.dtype,
          change: (to) => this.set('in', to === home.dtype ? undefined : to),
        })}
      </div>
      <div aria-live="polite">${boardView(page, shown)}</div>`;
  }
}
