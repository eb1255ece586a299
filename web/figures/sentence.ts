// <attention-sentence>: a sentence that reads itself. One of its ten words asks; which of them it may read
// can be chosen, and what is left of its row is shared out anew.
import { html, nothing } from 'lit';
import en from '../content/en/figures/sentence.json';
import zh from '../content/zh/figures/sentence.json';
import { choiceView, switchView } from '../draw/controls.js';
import { footView, inspectorView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { cellWeight, exactNumber, givenNumber } from '../draw/number.js';
import { type Line, operation, spell } from '../draw/provenance.js';
import { cellName } from '../draw/symbols.js';
import { tint } from '../draw/scale.js';
import example from '../examples/sentence.json';
import { type Frame, frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { steps } from '../state/steps.js';
import { fill, rulesText } from '../state/words.js';
import sentenceSheet from '../styles/sentence.css?inline';
import { Figure, sheets } from './figure.js';
import { keepLast } from './traced-figure.js';

const words = example.tokens.keys;
const home = { asks: words.indexOf('it'), isCausal: false, hidden: '' };
type Setting = typeof home;

/** With every word in sight. */
const whole = { ...example.inputs, options: example.options };

/** Words by their places, counted from 1. */
const placesOf = (text: string) => (text === '' ? [] : text.split('.').map(Number));
const written = (places: readonly number[]) => [...new Set(places)].sort((a, b) => a - b).join('.');

const attended = keepLast((page, isCausal: boolean, hidden: string) => {
  const blocked = words.map((_, index) => placesOf(hidden).includes(index + 1));
  const byHand = { kind: 'blocked' as const, mask: words.map(() => blocked) };
  const mask = [...(isCausal ? ['causal' as const] : []), ...(hidden === '' ? [] : [byHand])];
  const options = { ...example.options, mask: mask.length > 0 ? mask : undefined };
  return frameOf(page, { ...example.inputs, options });
});

interface Row {
  frame: Frame;
  shares: readonly number[];
  /** The rules that hide each word. */
  rules: Frame['cause'][number];
  /** What the words held before any was hidden, and what those held together that are left. */
  before: readonly number[];
  left: number;
  isCut: boolean;
}

function rowOf(page: Page, { asks, isCausal, hidden }: Setting): Row {
  const frame = attended(page, isCausal, hidden);
  const rules = frame.cause[asks]!;
  const before = frameOf(page, whole).matrices.weights[asks]!;
  const left = before.reduce((sum, x, j) => (rules[j]!.length > 0 ? sum : sum + x), 0);
  const isCut = rules.some((each) => each.length > 0);
  return { frame, shares: frame.matrices.weights[asks]!, rules, before, left, isCut };
}

const largest = (numbers: readonly number[]) => numbers.indexOf(Math.max(...numbers));

/** What the reader does with a word. */
interface Acts {
  look: (index: number | null) => void;
  point: (index: number | null, event: PointerEvent) => void;
  press: (index: number, event: PointerEvent) => void;
  toggle: (index: number) => void;
}

function rowView(page: Page, setting: Setting, looked: number, acts?: Acts) {
  const own = { en, zh }[page.language];
  const { shares, rules } = rowOf(page, setting);
  const word = (token: string, index: number) => {
    const share = shares[index]!;
    const rule = rulesText(rules[index]!, {
      ...page.words,
      rules: { ...page.words.rules, blocked: own.hand },
    });
    const said = rule
      ? fill(own.hidden, { token, rule })
      : fill(own.share, { token, share: cellWeight(share) });
    const cause = rules[index]!.length > 1 ? 'several' : rules[index]![0];
    const isFixed = rules[index]!.includes('causal');
    const style = `--t:${tint(share, 'weight', 1).amount.toFixed(3)}`;
    const isQuery = index === setting.asks;
    const text = html`<span class="bar"></span><span class="text">${token}</span>`;
    if (!acts) {
      return html`<tr role="row" ?data-query=${isQuery} style=${style}>
        <th role="rowheader" class="word" lang="en">${text}</th>
        <td role="cell" class="share">${cellWeight(share)}</td>
      </tr>`;
    }
    return html`<li ?data-query=${isQuery} ?data-looked=${index === looked} style=${style}>
      <span class="word" lang="en" data-cause=${cause ?? nothing}>${text}</span>
      <span class="share">${rule ? '0' : cellWeight(share)}</span>
      <button
        type="button"
        role="switch"
        aria-checked=${rule === ''}
        aria-disabled=${isFixed}
        aria-label=${said}
        @pointerenter=${(event: PointerEvent) => acts.point(index, event)}
        @pointerleave=${(event: PointerEvent) => acts.point(null, event)}
        @focus=${() => acts.look(index)}
        @blur=${() => acts.look(null)}
        @pointerdown=${(event: PointerEvent) => acts.press(index, event)}
        @click=${() => isFixed || acts.toggle(index)}
      ></button>
    </li>`;
  };
  const name = fill(own.row, { word: words[setting.asks]! });
  const all = words.map(word);
  // It is laid out as a line of words, which some browsers would take for no table any more.
  if (!acts) {
    return html`<table class="sentence" role="table" aria-label=${name}>
      <tbody role="rowgroup">
        ${all}
      </tbody>
    </table>`;
  }
  return html`<ol class="sentence" data-picture aria-label=${name}>
    ${all}
  </ol>`;
}

/** In a sentence: who gets most, and of what. */
function saysView(page: Page, setting: Setting) {
  const own = { en, zh }[page.language];
  const { shares, before, left, isCut, rules } = rowOf(page, setting);
  const word = words[setting.asks]!;
  const first = largest(shares);
  const values = { word, token: words[first]!, share: cellWeight(shares[first]!) };
  const hidden = words.filter((_, index) => rules[index]!.length > 0);
  const says = !isCut
    ? fill(own.says, values)
    : hidden.length === words.length
      ? fill(own.none, values)
      : fill(own.anew, {
          ...values,
          hidden: hidden.map((token) => fill(own.quoted, { token })).join(page.words.comma),
          before: cellWeight(before[first]!),
          left: cellWeight(left),
        });
  return html`<p class="sentence-says" aria-live="polite">
    ${says} <span class="remark">${own.label}</span>
  </p>`;
}

/** The weight of a word, from the score that is given; and from what it was before some were hidden. */
function linesOf(page: Page, setting: Setting, column: number): Line[] {
  const own = { en, zh }[page.language];
  const { frame, shares, before, left, isCut, rules } = rowOf(page, setting);
  const row = setting.asks;
  const cell = { stage: 'weights' as const, row, column };
  const score: Line = {
    stage: 'scores',
    name: cellName('scores', row, column),
    text: html`= <b>${givenNumber(frame.matrices.scores[row]![column]!)}</b>
      <span class="remark">${own.given}</span>`,
  };
  const lines = spell(cell, frame, steps.length, page.words).filter(
    ({ stage }) => stage === 'masked' || stage === 'weights',
  );
  const anew: Line = {
    stage: 'anew',
    name: html`${own.without}`,
    text: operation(
      `${exactNumber(before[column]!)} ÷ ${exactNumber(left)}`,
      [before[column]!, left],
      shares[column]!,
    ),
  };
  const isShared = isCut && rules[column]!.length === 0;
  return [score, ...lines, ...(isShared ? [anew] : [])];
}

function checks(page: Page, setting: Setting) {
  const { shares, rules } = rowOf(page, setting);
  return checksView(page.words, { of: { weights: [shares], cause: [rules] } });
}

export class AttentionSentence extends Figure {
  static override styles = sheets(sentenceSheet);
  static override key = 'it';

  static firstFrame = (page: Page) =>
    html`${rowView(page, home, -1)} ${footView(checks(page, home), saysView(page, home))}`;

  /** The word pointed at, or that has the focus. */
  #looked: number | null = null;
  /** Whether what is pressed was, before it was pressed. */
  #isLookedAt = true;

  get #setting(): Setting {
    const count = words.length;
    const read = (text: string) => {
      const places = /^\d{1,2}(\.\d{1,2})*$/.test(text) ? placesOf(text) : [];
      const known = places.filter((place) => place >= 1 && place <= count);
      return known.length > 0 ? written(known) : undefined;
    };
    return {
      asks: this.whole('asks', [1, count], home.asks + 1) - 1,
      isCausal: this.flag('causal'),
      hidden: this.setting('hide', read, ''),
    };
  }

  protected override exhibit(page: Page) {
    const { isCausal, hidden } = this.#setting;
    return { calls: [{ frame: attended(page, isCausal, hidden) }] };
  }

  readonly #acts: Acts = {
    look: (index) => {
      this.#looked = index;
      this.requestUpdate();
    },
    point: (index, { pointerType }) => {
      if (pointerType !== 'touch') this.#acts.look(index);
    },
    // A finger cannot point: its first tap looks.
    press: (index, { pointerType }) => {
      this.#isLookedAt = pointerType !== 'touch' || this.#looked === index;
      this.#acts.look(index);
    },
    toggle: (index) => {
      if (this.#isLookedAt) {
        const places = placesOf(this.#setting.hidden);
        const place = index + 1;
        const isHidden = places.includes(place);
        const next = isHidden ? places.filter((each) => each !== place) : [...places, place];
        this.set('hide', written(next) || undefined);
      }
      this.#isLookedAt = true;
    },
  };

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const setting = this.#setting;
    const column = this.#looked ?? Math.max(largest(rowOf(page, setting).shares), 0);
    return html`<div class="tools">
        ${choiceView({
          label: own.asks,
          name: 'asks',
          options: words.map((token, at) => [String(at + 1), html`<bdi lang="en">${token}</bdi>`]),
          value: String(setting.asks + 1),
          change: (to) => this.set('asks', to === String(home.asks + 1) ? undefined : to),
        })}
        ${switchView(own.causal, setting.isCausal, (isOn) => this.set('causal', isOn ? '1' : undefined))}
        <button
          type="button"
          aria-disabled=${setting.hidden === ''}
          @click=${() => this.set('hide', undefined)}
        >
          ${own.all}
        </button>
      </div>
      ${rowView(page, setting, column, this.#acts)} ${saysView(page, setting)}
      <div class="traced">
        ${footView(
          checks(page, setting),
          inspectorView({
            words: page.words,
            cell: { stage: 'weights', row: setting.asks, column },
            lines: linesOf(page, setting, column),
            isKept: false,
            isEditable: false,
            hint: this.#looked === null ? own.hint : null,
            edit: () => undefined,
            letGo: () => undefined,
          }),
        )}
      </div>`;
  }
}
