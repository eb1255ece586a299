// <attention-projection>: X·W for Q, K and V, and everything that follows from them: each number can
// be followed back to X, and X forward to the output.
import { html, nothing } from 'lit';
import en from '../content/en/figures/projection.json';
import zh from '../content/zh/figures/projection.json';
import { choiceView, seedView, sliderView } from '../draw/controls.js';
import { GridController } from '../draw/grid.js';
import { footView, inspectorView } from '../draw/inspector.js';
import { checkedOf, checksView } from '../draw/invariants.js';
import { marksFor } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { type Matrix, sameCell, sameMatrix, sizeOf, withBlock } from '../state/case.js';
import { readCell, readMatrix, writeCell, writeMatrix } from '../state/link.js';
import type { Page } from '../state/page.js';
import { seeds } from '../state/random.js';
import { complaintOf } from '../state/words.js';
import projectionSheet from '../styles/projection.css?inline';
import { Figure, sheets } from './figure.js';
import {
  type InputName,
  type Inputs,
  type Name,
  type Place,
  home,
  inputNames,
  inputsOf,
  isInputName,
  isRole,
  projected,
  roles,
  sameInputs,
  tokensHome,
  tokensMost,
} from './projection-data.js';
import { boardView, linesOf } from './projection-view.js';

export class AttentionProjection extends Figure {
  static override styles = sheets(projectionSheet);
  static override key = 'xw';

  static firstFrame = (page: Page) =>
    html`<div class="projection">
      ${boardView(page, projected(page, home, tokensHome), 'query')}
    </div>`;

  #past: { inputs: Inputs; seed: number | undefined }[] = [];
  #complaint = '';
  #inputs = home;

  /** From which the link's numbers were made, though some may have been changed since. */
  get #seed(): number | undefined {
    return this.whole('seed', seeds, 0) || undefined;
  }

  /** As the link has them; the same object as long as they are the same numbers. */
  get #given(): Inputs {
    const base = inputsOf(this.#seed);
    const read = (name: InputName) =>
      this.setting(name, (text) => readMatrix(text, sizeOf(base[name])), base[name], writeMatrix);
    const found = Object.fromEntries(inputNames.map((name) => [name, read(name)])) as Inputs;
    return sameInputs(found, this.#inputs) ? this.#inputs : (this.#inputs = found);
  }

  get #shown() {
    return projected(this.page!, this.#given, this.whole('n', [1, tokensMost], tokensHome));
  }

  get #role() {
    return this.setting('role', (text) => (isRole(text) ? text : undefined), 'query');
  }

  get #pin(): Place | null {
    const read = (text: string) => readCell(text, this.#shown.lineage.shapes);
    return this.setting('pin', read, null, writeCell);
  }

  #keep(place: Place | null): void {
    this.set('pin', writeCell(place));
  }

  #write(inputs: Inputs, seed: number | undefined): void {
    this.#complaint = '';
    const base = inputsOf(seed);
    this.set('seed', seed?.toString());
    for (const name of inputNames) {
      const isBase = sameMatrix(inputs[name], base[name]);
      this.set(name, isBase ? undefined : writeMatrix(inputs[name]));
    }
  }

  /** Can be undone; the same numbers are no change. */
  #replace(inputs: Inputs, seed: number | undefined): void {
    const now = this.#given;
    if (sameInputs(inputs, now)) return;
    this.#past.push({ inputs: now, seed: this.#seed });
    this.#write(inputs, seed);
  }

  #change({ stage, row, column }: Place, block: Matrix): void {
    if (!isInputName(stage)) return;
    const now = this.#given;
    this.#replace({ ...now, [stage]: withBlock(now[stage], row, column, block) }, this.#seed);
  }

  #undo(): void {
    const last = this.#past.pop();
    if (last) this.#write(last.inputs, last.seed);
  }

  #seedBox({ words }: Page) {
    const last = this.#seed;
    const isWhole = last !== undefined && sameInputs(this.#given, inputsOf(last));
    const change = (seed: number) => this.#replace(inputsOf(seed), seed);
    return seedView({ words, seed: isWhole ? last : undefined, last, change });
  }

  async #paste(place: Place, text: string): Promise<void> {
    const page = this.page!;
    const shape = sizeOf(this.#shown.matrices[place.stage]);
    const { matrices } = { en, zh }[page.language];
    const matrix = isInputName(place.stage) ? matrices[place.stage] : '';
    const { pasted } = await import('./paste.js');
    const found = pasted(page, text, { ...place, matrix, shape });
    this.#complaint = '';
    if (typeof found === 'string') this.#complaint = found;
    else this.#change(place, found);
    this.requestUpdate();
  }

  readonly #grid = new GridController<Name>(this, {
    shape: (name) => sizeOf(this.#shown.matrices[name]),
    isTransposed: () => false,
    pin: () => (this.page ? this.#pin : null),
    setPin: (place) => this.#keep(place),
    edits: {
      isEditable: isInputName,
      valueOf: ({ stage, row, column }) => this.#shown.matrices[stage][row]?.[column] ?? NaN,
      change: (place, value) => this.#change(place, [[value]]),
      paste: (place, text) => void this.#paste(place, text),
      undo: () => this.#undo(),
      complain: (entry) => {
        this.#complaint = complaintOf(this.page!.words, entry);
      },
    },
  });

  protected override exhibit() {
    const { frame, matrices } = this.#shown;
    const { x, wq, wk, wv } = matrices;
    return { calls: [{ frame, projection: { x, weights: { query: wq, key: wk, value: wv } } }] };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const [shown, role, pin] = [this.#shown, this.#role, this.#pin];
    const { looked } = this.#grid;
    const place: Place = looked ?? { stage: role, row: 0, column: 0 };
    const grid: GridState<Name> = {
      marks: marksFor(place, shown.lineage),
      pin,
      tabStop: this.#grid.tabStop,
      editing: this.#grid.editing,
    };
    return html`<div class="projection" data-looking=${looked ? 'yes' : nothing}>
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
        ${sliderView({
          label: own.tokens,
          value: shown.matrices.x.length,
          min: 1,
          max: tokensMost,
          change: (count, isEntry) =>
            this.set('n', count === tokensHome ? undefined : String(count), isEntry),
        })}
        <button type="button" aria-disabled=${this.#past.length === 0} @click=${() => this.#undo()}>
          ${page.words.undo}
        </button>
        <button type="button" @click=${() => this.#replace(home, undefined)}>
          ${page.words.reset}
        </button>
        ${this.#seedBox(page)}
      </div>
      ${this.#grid.around(boardView(page, shown, role, grid))}
      ${footView(
        html`<div class="beside">
          ${checksView(page.words, { of: checkedOf(shown.frame) })}
          <p class="remark">${own.case}</p>
        </div>`,
        inspectorView<Name>({
          words: page.words,
          cell: place,
          lines: linesOf(page, shown, place),
          isKept: looked !== null && sameCell(looked, pin),
          isEditable: isInputName(place.stage),
          hint: this.#complaint || (looked ? null : own.hint),
          edit: (target) => this.#grid.edit(target),
          letGo: () => this.#keep(null),
        }),
      )}
    </div>`;
  }
}
