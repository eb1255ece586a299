// <attention-mask-painter>: rules and paint make a mask; the weights beside it are what is left.
import { html, nothing } from 'lit';
import en from '../content/en/figures/mask-painter.json';
import zh from '../content/zh/figures/mask-painter.json';
import { choiceView, sliderView, switchView } from '../draw/controls.js';
import { byPointer } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import type { GridState } from '../draw/matrix.js';
import { PaintController, paintedView } from '../draw/paint.js';
import { permission, spellAs } from '../draw/provenance.js';
import { indexed } from '../draw/symbols.js';
import type { Given } from '../export/data.js';
import type { Cell } from '../state/case.js';
import {
  type MaskSetting,
  type RuleName,
  clamped,
  cross,
  fieldsOf,
  home,
  limitsOf,
  maskOf,
  needsStart,
  ruleNames,
  rulesOf,
  settingOf,
  strategies,
  write,
} from '../state/mask-rules.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import painterSheet from '../styles/mask-painter.css?inline';
import { sheets } from './figure.js';
import {
  type Masked,
  type Name,
  type Own,
  type Reading,
  maskView,
  masked,
  paintedOf,
  weightsView,
} from './mask-painter-view.js';
import { TracedFigure } from './traced-figure.js';

export class AttentionMaskPainter extends TracedFigure<Name> {
  static override styles = sheets(painterSheet);
  static override key = 'mask';

  static firstFrame = (page: Page) => {
    const shown = masked(page, '');
    const table = paintedView(paintedOf({ en, zh }[page.language], shown, 'added'));
    return html`<div
      class="painter painter-board"
      style="--painted-keys:${shown.frame.matrices.weights[0]!.length}"
    >
      ${maskView(page, shown, 'added', table)} ${weightsView(shown.frame, home, page.words)}
    </div>`;
  };

  protected override readonly sharesCase = true;
  protected override hasChoice = () => true;
  protected override choiceWords = ({ language }: Page) => ({ en, zh })[language].whose;

  protected override undone() {
    return ['mine', 'm'];
  }

  readonly #paint = new PaintController(this);

  get #reading(): Reading {
    const read = (text: string) => (text === 'allowed' ? text : undefined);
    return this.setting<Reading>('show', read, 'added');
  }

  get #shown() {
    const page = this.page!;
    const found = this.setting<Masked | null>(
      'm',
      (text) => masked(page, text),
      null,
      // Of what it does not say, nothing need be told.
      (shown) => (shown ? write(shown.setting, fieldsOf(shown.text).keys()) : undefined),
    );
    return this.isMine ? masked(page, '', page.store.view.case) : (found ?? masked(page, ''));
  }

  protected override lineage = () => this.#shown.lineage;
  protected override example = (): Cell<Name> => {
    return { stage: 'weights', row: Math.min(this.#shown.setting.queries, 4) - 1, column: 0 };
  };

  protected override linesOf({ language, words }: Page, cell: Cell<Name>) {
    const { frame } = this.#shown;
    const { stage, row, column } = cell;
    if (stage === 'weights') return spellAs('weights', cell, frame, words);
    const rules = frame.cause[row]![column]!;
    const feeds = fill({ en, zh }[language].feeds, { query: row + 1 });
    const text = html`= <b>${rules.length === 0 ? '0' : '−∞'}</b> ${permission(rules, words)}<span
        class="remark"
        >${feeds}</span
      >`;
    return [{ stage, name: indexed(html`<var>M</var>`, row, column), text }];
  }

  /** Of the reader's case the mask itself. */
  #change(change: Partial<MaskSetting>, isEntry = true): void {
    const { setting } = this.#shown;
    if (!this.isMine) {
      this.set('m', write(clamped({ ...setting, ...change })), isEntry);
      return;
    }
    const { store } = this.page!;
    const { queries, keys } = setting;
    const mask = maskOf(clamped({ ...setting, ...change, queries, keys }));
    const { case: mine } = store.view;
    this.setCase({ ...mine, options: { ...mine.options, mask } }, isEntry);
  }

  /** The rows of the table inside the element apply themselves. */
  protected override updated(): void {
    super.updated();
    if (!this.page || this.querySelector('.row-button')) return;
    const own = { en, zh }[this.page.language];
    this.querySelectorAll('tbody tr').forEach((row, index) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'row-button';
      const [where, mask] = row.children;
      button.textContent = own.apply;
      button.setAttribute('aria-label', `${own.applyTo}: ${where!.textContent}`);
      button.addEventListener('click', () => this.#change({ ...home, ...strategies[index] }));
      mask!.append(' ', button);
    });
  }

  protected override taken({ inputs, options }: Given) {
    const { mask } = options;
    const found = settingOf(mask, [inputs.query.length, inputs.key.length]);
    if (!found) return undefined;
    const now = this.page!.store.view.case;
    return { ...now, ...inputs, options: { ...now.options, mask } };
  }

  #toggleRule(name: RuleName, isOn: boolean): void {
    const { rules } = this.#shown.setting;
    this.#change({
      rules: ruleNames.filter((each) => (each === name ? isOn : rules.includes(each))),
    });
  }

  #toggleCells(cells: readonly (readonly [number, number])[]): void {
    const painted = new Set(this.#shown.setting.painted);
    const names = cells.map((cell) => cell.join('.'));
    // A mixed row or column is filled first.
    const erase = names.every((name) => painted.has(name));
    for (const name of names) {
      if (erase) painted.delete(name);
      else painted.add(name);
    }
    this.#change({ painted });
  }

  #sliders(setting: MaskSetting, own: Own) {
    const limits = limitsOf(setting);
    const slider = (name: keyof typeof limits, label: string) =>
      sliderView({
        label,
        value: setting[name],
        min: limits[name][0],
        max: limits[name][1],
        change: (value, isEntry) => this.#change({ [name]: value }, isEntry),
      });
    const has = (name: RuleName) => setting.rules.includes(name);
    return html`${this.isMine ? nothing : [slider('queries', own.queries), slider('keys', own.keys)]}
    ${has('window') ? slider('left', own.left) : nothing}
    ${has('prefix') ? slider('length', own.length) : nothing}
    ${has('documents') ? slider('second', own.second) : nothing}
    ${has('padding') ? slider('padded', own.padded) : nothing}`;
  }

  #choices(setting: MaskSetting, own: Own) {
    const choice = <Value extends string>(
      label: string,
      name: string,
      options: Record<Value, string>,
      value: Value,
      change: (value: Value) => void,
    ) =>
      choiceView<Value>({
        label,
        name,
        options: Object.entries(options) as [Value, string][],
        value,
        change,
      });
    return html`${
      setting.rules.includes('padding')
        ? choice(own.side, 'side', own.sides, setting.side, (side) => this.#change({ side }))
        : nothing
    }
    ${
      needsStart(setting)
        ? choice(own.start, 'start', own.starts, setting.start, (start) => this.#change({ start }))
        : nothing
    }
    ${choice(own.reading, 'reading', own.readings, this.#reading, (reading) =>
      this.set('show', reading === 'added' ? undefined : reading),
    )}`;
  }

  protected override exhibit() {
    return { calls: [{ frame: this.#shown.frame }] };
  }

  #maskView(page: Page, grid: GridState<Name>) {
    const own = { en, zh }[page.language];
    const shown = this.#shown;
    const table = this.#paint.view({
      ...paintedOf(own, shown, this.#reading),
      isOn: (row, column) => shown.setting.painted.has(`${row}.${column}`),
      traced: { name: 'mask', markAt: (row, column) => grid.marks('mask', row, column) },
      toggle: (cells) => this.#toggleCells(cells),
    });
    return maskView(page, shown, this.#reading, table);
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const { setting, frame } = this.#shown;
    const allowed = frame.cause.flat().filter((rules) => rules.length === 0).length;
    const empty = frame.cause.filter((row) => row.every((rules) => rules.length > 0)).length;
    const { code, painted } = rulesOf(setting);
    const start = needsStart(setting) ? `, start: '${setting.start}'` : '';
    return html`<div class="painter">
        <div class="tools" role="group" aria-label=${own.rules}>
          ${ruleNames.map((name) =>
            switchView(own.ruleNames[name], setting.rules.includes(name), (isOn) =>
              this.#toggleRule(name, isOn),
            ),
          )}
          ${
            this.isMine
              ? nothing
              : html`<button type="button" @click=${() => this.#change({ ...home, ...cross })}>
                  ${own.cross}
                </button>`
          }
          <button
            type="button"
            aria-disabled=${setting.painted.size === 0}
            @click=${() => this.#change({ painted: new Set() })}
          >
            ${own.clear}
          </button>
          ${this.undoButton(page)}
        </div>
        <div class="sizes">${this.#sliders(setting, own)}</div>
        <div class="tools">${this.#choices(setting, own)}</div>
        ${this.traced(
          page,
          (grid, follow) =>
            html`<div
                class="painter-board"
                style="--painted-keys:${setting.keys}"
                ?data-many=${setting.keys > 7}
                data-picture
              >
                ${this.#maskView(page, grid)}
                ${follow(() => weightsView(frame, setting, page.words, grid))}
              </div>
              <p class="painter-says" aria-live="polite">
                ${fill(own.counts, { allowed, total: setting.queries * setting.keys })}
                ${empty > 0 ? fill(own.empty, { count: empty }) : nothing}
                <span class="remark"
                  >${own.paints} ${byPointer(own.painting)}
                  ${this.isMine ? nothing : own.vectors}</span
                >
              </p>`,
          () =>
            checksView(page.words, { of: { weights: frame.matrices.weights, cause: frame.cause } }),
        )}
        <pre
          aria-label=${own.code}
        ><code>${painted}{ mask: [${code.join(', ')}]${start} }</code></pre>
      </div>
      <slot></slot>`;
  }
}
