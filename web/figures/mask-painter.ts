// <attention-mask-painter>: rules and paint make a mask; the weights beside it are what is left.
import { html, nothing } from 'lit';
import en from '../content/en/figures/mask-painter.json';
import zh from '../content/zh/figures/mask-painter.json';
import { choiceView, sliderView, switchView } from '../draw/controls.js';
import { hatchesView } from '../draw/hatches.js';
import { invariantsLine } from '../draw/invariants.js';
import { type Lineage, maskCellsOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { PaintController, type Painted, paintedView } from '../draw/paint.js';
import { pairView } from '../draw/pair.js';
import { permission, spellAs } from '../draw/provenance.js';
import { indexed, vector } from '../draw/symbols.js';
import type { Given } from '../export/data.js';
import type { Case, Cell } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import {
  type MaskSetting,
  type RuleName,
  clamped,
  fieldsOf,
  home,
  isPadding,
  limitsOf,
  maskOf,
  needsStart,
  read,
  ruleNames,
  rulesOf,
  settingOf,
  strategies,
  write,
} from '../state/mask-rules.js';
import type { Page } from '../state/page.js';
import { randomMatrix } from '../state/random.js';
import { type Words, fill } from '../state/words.js';
import painterSheet from '../styles/mask-painter.css?inline';
import { sheets } from './figure.js';
import { TracedFigure, keepLast } from './traced-figure.js';

type Own = typeof en;
type Name = 'mask' | 'weights';
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/**
 * Vectors of four numbers for up to ten queries and keys; a mask is seen on any. The queries are long,
 * so that the weights differ enough to be told apart.
 */
const given = {
  query: randomMatrix([10, 4], 11).map((row) => row.map((x) => 4 * x)),
  key: randomMatrix([10, 4], 12),
};

function caseOf(setting: MaskSetting): Case {
  const [query, key] = [given.query.slice(0, setting.queries), given.key.slice(0, setting.keys)];
  const start = needsStart(setting) ? setting.start : undefined;
  return { query, key, value: key, options: { mask: rulesOf(setting).rules, start } };
}

/** The mask a link says, or that of the page's case, and all that follows from it. */
const masked = keepLast((page, text: string, mine?: Case) => {
  const setting = mine ? settingOfCase(mine) : text === '' ? home : read(text);
  const frame = frameOf(page, mine ?? caseOf(setting));
  const size = [setting.queries, setting.keys] as const;
  const lineage: Lineage<Name> = {
    shapes: new Map([
      ['mask', size],
      ['weights', size],
    ]),
    operandsOf: (cell) => (cell.stage === 'mask' ? [] : maskCellsOf(frame, cell, 'mask')),
  };
  return { text, setting, frame, lineage };
});

/** A page's case has no other masks: see the stepper. */
const settingOfCase = ({ query, key, options }: Case) =>
  settingOf(options.mask, [query.length, key.length])!;

type Masked = ReturnType<typeof masked>;

const nameOf = (rule: string, own: Own) =>
  rule === 'blocked' ? own.paint : (own.ruleNames[rule as RuleName] ?? rule);

const keyHeads = (setting: MaskSetting) =>
  range(setting.keys).map((key) => (isPadding(setting, key) ? html`<s>pad</s>` : vector('k', key)));

function weightsView(
  { matrices, cause }: Frame,
  setting: MaskSetting,
  words: Words,
  grid?: GridState<Name>,
) {
  return pairView(
    words,
    {
      stage: 'weights',
      title: html`<var>A</var>`,
      values: matrices.weights,
      kind: 'weights',
      keys: keyHeads(setting),
      cause: (row, column) => cause[row]?.[column] ?? [],
    },
    grid,
  );
}

type Reading = keyof Own['readings'];
/** What is added to the scores, or whether a pair is allowed. */
const textsOf: Record<Reading, readonly [string, string]> = {
  added: ['0', '−∞'],
  allowed: ['1', '0'],
};

function paintedOf(own: Own, { setting, frame }: Masked, reading: Reading): Painted {
  const cause = (row: number, column: number) => frame.cause[row]?.[column] ?? [];
  const text = (row: number, column: number) => textsOf[reading][cause(row, column).length ? 1 : 0];
  return {
    label: own.grid,
    rows: setting.queries,
    columns: setting.keys,
    rowHeads: range(setting.queries).map((i) => vector('q', i)),
    columnHeads: keyHeads(setting),
    text,
    spoken: (row, column) => {
      const rules = cause(row, column)
        .map((rule) => nameOf(rule, own))
        .join(own.comma);
      const values = { query: row + 1, key: column + 1, rules };
      const said = fill(rules === '' ? own.allowedCell : own.blockedCell, values);
      return `${said}: ${text(row, column)}`;
    },
    cause,
  };
}

/** A 0/1 table is no M, which is added. */
const maskView = (page: Page, { setting }: Masked, reading: Reading, table: unknown) =>
  html`<div>
    <p class="matrix-title">
      <span class="symbol"
        >${reading === 'added' ? html`<var>M</var>` : { en, zh }[page.language].allowed}</span
      >
      <span class="shape">${setting.queries}×${setting.keys}</span>
    </p>
    ${table}
    <p class="axes">${page.words.axes}</p>
  </div>`;

/** Each with a way of its own to be hatched. */
const hatched = ['causal', 'padding', 'window', 'prefix', 'documents', 'several'] as const;

export class AttentionMaskPainter extends TracedFigure<Name> {
  static override styles = sheets(painterSheet);
  static override key = 'mask';

  static firstFrame = (page: Page) => {
    const shown = masked(page, '');
    const table = paintedView(paintedOf({ en, zh }[page.language], shown, 'added'));
    return html`<div class="painter painter-board">
      ${maskView(page, shown, 'added', table)} ${weightsView(shown.frame, home, page.words)}
    </div>`;
  };

  protected override readonly sharesCase = true;
  protected override hasChoice = () => true;
  protected override choiceWords = ({ language }: Page) => ({ en, zh })[language].whose;

  readonly #paint = new PaintController(this);
  #reading: Reading = 'added';

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
    store.update({ case: { ...mine, options: { ...mine.options, mask } } }, isEntry);
  }

  /** The rows of the table inside the element apply themselves. */
  protected override updated(): void {
    if (!this.page || this.querySelector('.row-button')) return;
    const own = { en, zh }[this.page.language];
    this.querySelectorAll('tbody tr').forEach((row, index) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'row-button';
      button.title = own.apply;
      button.append(...row.firstElementChild!.childNodes);
      button.addEventListener('click', () => this.#change({ ...home, ...strategies[index] }));
      row.firstElementChild!.append(button);
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
    ${choice(own.reading, 'reading', own.readings, this.#reading, (reading) => {
      this.#reading = reading;
      this.requestUpdate();
    })}`;
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
          <button
            type="button"
            aria-disabled=${setting.painted.size === 0}
            @click=${() => this.#change({ painted: new Set() })}
          >
            ${own.clear}
          </button>
        </div>
        <div class="sizes">${this.#sliders(setting, own)}</div>
        <div class="tools">${this.#choices(setting, own)}</div>
        ${this.traced(
          page,
          (grid) =>
            html`<div class="painter-board" ?data-many=${setting.keys > 7} data-picture>
                ${this.#maskView(page, grid)} ${weightsView(frame, setting, page.words, grid)}
              </div>
              <p class="painter-says" aria-live="polite">
                ${fill(own.counts, { allowed, total: setting.queries * setting.keys })}
                ${empty > 0 ? fill(own.empty, { count: empty }) : nothing}
                <span class="remark">${own.keyboard} ${this.isMine ? nothing : own.vectors}</span>
              </p>
              ${hatchesView(page.words, hatched)}
              ${invariantsLine(page.words, { weights: frame.matrices.weights, cause: frame.cause })}`,
        )}
        <pre
          aria-label=${own.code}
        ><code>${painted}{ mask: [${code.join(', ')}]${start} }</code></pre>
      </div>
      <slot></slot>`;
  }
}
