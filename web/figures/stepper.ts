// <attention-stepper>: from Q, K and V to the output in six steps, on the page's own case.
import { html } from 'lit';
import example from '../examples/six-step.json';
import type { Shown } from '../export/data.js';
import { type Case, type Cell, type View, withCausal } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import { settingOf } from '../state/mask-rules.js';
import type { Page } from '../state/page.js';
import { seeded } from '../state/random.js';
import { steps } from '../state/steps.js';
import { fill } from '../state/words.js';
import stepperSheet from '../styles/stepper.css?inline';
import { CaseFigure } from './case-figure.js';
import { sheets } from './figure.js';
import { exampleCells, stepperView } from './stepper-view.js';

const { tokens } = example;

/** The case with the same cells forbidden, by rules that a link can say. */
function withLinkableMask(page: Page, of: Case): Case {
  const { query, key, options } = of;
  if (settingOf(options.mask, [query.length, key.length])) return of;
  const mask = frameOf(page, of).cause.map((row) => row.map((rules) => rules.length > 0));
  return { ...of, options: { ...options, start: undefined, mask: [{ kind: 'blocked', mask }] } };
}

export class AttentionStepper extends CaseFigure {
  static override styles = sheets(stepperSheet);

  static firstFrame = (page: Page) => {
    const { home } = page.store;
    return stepperView({ frame: frameOf(page, home.case), view: home, tokens, words: page.words });
  };

  #known: unknown[] = [];

  /** It shows the page's case itself; what other figures are set to is not its concern. */
  protected override isConcerned(): boolean {
    const { view, remarks } = this.page!.store;
    const now = [view.case, view.step, view.pin, remarks];
    const isNew = now.some((part, index) => part !== this.#known[index]);
    this.#known = now;
    return isNew;
  }

  protected shownCase = ({ store }: Page): Case => store.view.case;
  protected changeCase = (to: Case) => this.#update({ case: withLinkableMask(this.page!, to) });
  protected undo = () => this.page?.store.undo();
  protected pin = (): Cell | null => this.page!.store.view.pin;
  protected setPin = (pin: Cell | null, isEntry?: boolean) => this.#update({ pin }, isEntry);

  #update(change: Partial<View>, isEntry?: boolean): void {
    this.page!.store.update(change, isEntry);
    this.requestUpdate();
  }

  protected override shown = () => ({ pin: this.pin(), step: this.page!.store.view.step });
  protected override show(shown: Partial<Shown>): void {
    super.show(shown);
    const { step } = shown;
    if (step !== undefined && Number.isInteger(step) && steps[step - 1]) this.#update({ step });
  }

  /** It says all of them itself. */
  protected override linkRemarks = () => [];

  protected override board({ store, words }: Page) {
    const { view } = store;
    const looked = this.grid.looked ?? exampleCells[steps[view.step - 1]!];
    const remarks = store.remarks.map(({ word, values }) => fill(words[word], values));
    return stepperView(
      { frame: this.frame, view, tokens, words },
      {
        grid: this.gridState(looked),
        looked,
        isExample: this.grid.looked === null,
        canUndo: store.canUndo,
        messages: [...remarks, this.complaint].filter((text) => text !== ''),
        on: {
          step: (step) => this.#update({ step: Math.min(Math.max(step, 1), steps.length) }),
          mask: (isOn) => this.changeCase(withCausal(view.case, isOn)),
          undo: () => store.undo(),
          reset: () => this.#update({ ...store.home, settings: view.settings }),
          seed: (seed) => this.changeCase(seeded(view.case, seed)),
          edit: (cell) => this.grid.edit(cell),
          letGo: () => this.setPin(null),
          dismiss: () => {
            store.remarks = [];
            this.complaint = '';
            this.requestUpdate();
          },
        },
      },
    );
  }

  protected override fallback() {
    const slots = steps.map((_, index) => html`<slot name="step-${index + 1}"></slot>`);
    return html`<slot></slot>${slots}`;
  }
}
