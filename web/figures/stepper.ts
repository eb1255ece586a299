// <attention-stepper>: from Q, K and V to the output in six steps, on the page's own case.
import { LitElement, type PropertyValues, html, unsafeCSS } from 'lit';
import tokensSheet from '../styles/tokens.css?inline';
import figureSheet from '../styles/figure.css?inline';
import stepperSheet from '../styles/stepper.css?inline';
import { GridController } from '../draw/grid.js';
import { marksFor } from '../draw/lineage.js';
import { type Cell, type View, sizeOf, withBlock } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import { shapeOf } from '../state/link.js';
import { parseMatrix } from '../state/parse.js';
import type { Page } from '../state/page.js';
import { randomMatrix } from '../state/random.js';
import { steps } from '../state/steps.js';
import { fill } from '../state/words.js';
import { exampleCells, stepperView } from './stepper-view.js';

export class AttentionStepper extends LitElement {
  static override styles = [tokensSheet, figureSheet, stepperSheet].map((sheet) =>
    unsafeCSS(sheet),
  );
  static override properties = { page: { attribute: false } };

  declare page: Page | undefined;
  #complaint = '';
  #seed = 0;

  readonly #grid = new GridController(this, {
    shape: (stage) => shapeOf(stage, this.#view.case),
    isTransposed: (stage) => stage === 'key',
    pin: () => this.page?.store.view.pin ?? null,
    setPin: (pin) => this.#update({ pin }),
    valueOf: ({ stage, row, column }) => this.#frame.matrices[stage][row]?.[column] ?? NaN,
    change: (cell, value) => this.#replace(cell, [[value]]),
    paste: (cell, text) => this.#paste(cell, text),
    undo: () => this.page?.store.undo(),
    complain: (entry) => {
      const { badNumber } = this.page!.words;
      this.#complaint = entry === '' ? '' : fill(badNumber, { text: entry });
    },
  });

  get #view(): View {
    return this.page!.store.view;
  }

  get #frame() {
    return frameOf(this.page!.attention, this.page!.library, this.#view.case);
  }

  #update(change: Partial<View>): void {
    this.page?.store.update(change);
    this.requestUpdate();
  }

  #replace({ stage, row, column }: Cell, block: number[][]): void {
    const given = this.#view.case;
    if (stage !== 'query' && stage !== 'key' && stage !== 'value') return;
    this.#update({ case: { ...given, [stage]: withBlock(given[stage], row, column, block) } });
  }

  #paste(cell: Cell, text: string): void {
    const { words } = this.page!;
    const block = parseMatrix(text);
    const [rows, columns] = shapeOf(cell.stage, this.#view.case);
    this.#complaint = '';
    if (!block) this.#complaint = words.badPaste;
    else {
      const [height, width] = sizeOf(block);
      if (cell.row + height > rows || cell.column + width > columns) {
        const values = {
          block: `${height}×${width}`,
          matrix: words.stages[cell.stage],
          shape: `${rows}×${columns}`,
        };
        this.#complaint = fill(words.pasteTooBig, values);
      } else this.#replace(cell, block);
    }
    this.requestUpdate();
  }

  #random(): void {
    this.#seed += 1;
    const { query, key, value } = this.#view.case;
    const like = (matrix: typeof query, stream: number) =>
      randomMatrix(sizeOf(matrix), this.#seed * 3 + stream);
    this.#update({
      case: { ...this.#view.case, query: like(query, 0), key: like(key, 1), value: like(value, 2) },
    });
  }

  readonly #changed = () => this.requestUpdate();

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('page')) return;
    this.toggleAttribute('data-live', this.page !== undefined);
    if (this.page) this.querySelector('.first-frame')?.remove();
    changed.get('page')?.store.removeEventListener('change', this.#changed);
    this.page?.store.addEventListener('change', this.#changed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.page?.store.removeEventListener('change', this.#changed);
  }

  protected override render() {
    const { page } = this;
    // Until the library is there, and if it never comes, the prerendered first frame stands.
    if (!page)
      return html`<slot></slot>${steps.map((_, i) => html`<slot name="step-${i + 1}"></slot>`)}`;
    const view = this.#view;
    const looked = this.#grid.looked ?? exampleCells[steps[view.step - 1]!];
    const { words, store } = page;
    const remarks = store.remarks.map(({ word, values }) => fill(words[word], values));
    const grid = {
      marks: marksFor(looked, this.#frame),
      pin: view.pin,
      tabStop: this.#grid.tabStop,
      editing: this.#grid.editing,
    };
    const actions = this.#grid;
    return html`<div
      class="figure"
      @pointerover=${actions.pointerOver}
      @pointerleave=${actions.pointerLeave}
      @focusin=${actions.focusIn}
      @focusout=${actions.focusOut}
      @click=${actions.click}
      @keydown=${actions.keyDown}
      @input=${actions.input}
      @paste=${actions.paste}
    >
      ${stepperView(
        { frame: this.#frame, view, tokens: page.tokens, words },
        {
          grid,
          looked,
          isExample: this.#grid.looked === null,
          canUndo: store.canUndo,
          messages: [...remarks, this.#complaint].filter((text) => text !== ''),
          on: {
            step: (step) => this.#update({ step: Math.min(Math.max(step, 1), steps.length) }),
            mask: (causal) => this.#update({ case: { ...view.case, causal } }),
            undo: () => store.undo(),
            reset: () => this.#update(store.home),
            random: () => this.#random(),
            edit: (cell) => actions.edit(cell),
            letGo: () => this.#update({ pin: null }),
            dismiss: () => {
              store.remarks = [];
              this.#complaint = '';
              this.requestUpdate();
            },
          },
        },
      )}
    </div>`;
  }
}
