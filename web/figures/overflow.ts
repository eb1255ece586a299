// <attention-overflow>: softmax of a row as in the textbook, which overflows, beside the library's,
// which subtracts the largest first.
import type { DType } from 'attention-wasm';
import { html, nothing } from 'lit';
import en from '../content/en/figures/overflow.json';
import zh from '../content/zh/figures/overflow.json';
import { choiceView, enter, takenView } from '../draw/controls.js';
import { ownChecksView } from '../draw/invariants.js';
import { cellShare, exactNumber, grouped } from '../draw/number.js';
import { explain } from '../state/explain.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import precisionSheet from '../styles/precision.css?inline';
import { Figure, sheets } from './figure.js';

/** The largest number of each. */
const largest = {
  float16: 65504,
  bfloat16: 2 ** 127 * (2 - 2 ** -7),
  float32: 2 ** 127 * (2 - 2 ** -23),
  float64: Number.MAX_VALUE,
} as const;
type Format = keyof typeof largest & DType;
const formats = Object.keys(largest) as Format[];

type Scores = readonly [number, number, number];
interface Shown {
  scores: Scores;
  format: Format;
}
const home: Shown = { scores: [1000, 999, 998], format: 'float32' };
const tries: readonly Scores[] = [home.scores, [89, 88, 80], [-1000, -1001, -1002], [3, 2, 1]];

interface Way {
  exponents: number[];
  exponentials: number[];
  sum: number;
  weights: number[];
}

/** Wrong on purpose: the textbook's formula, every result rounded to the format. */
function textbook({ library: { tensor, toNested } }: Page, { scores, format }: Shown): Way {
  const rounded = (numbers: readonly number[]) => toNested(tensor(numbers, format)) as number[];
  const one = (x: number) => rounded([x])[0]!;
  const exponents = rounded(scores);
  const exponentials = rounded(exponents.map(Math.exp));
  const sum = exponentials.reduce((total, x) => one(total + x));
  return { exponents, exponentials, sum, weights: rounded(exponentials.map((x) => x / sum)) };
}

/** One query whose products with the keys are the scores. */
const inputs = ({ scores }: Shown) => {
  const key = scores.map((x) => [x]);
  return { query: [[1]], key, value: key };
};

function subtracted(page: Page, shown: Shown): Way {
  const found = explain(page, inputs(shown), { scale: 1 }, shown.format);
  const { rowMax, exponentials, rowSum, weights } = found;
  return {
    exponents: found.scaled[0]!.map((x) => x - rowMax[0]!),
    exponentials: exponentials[0]!,
    sum: rowSum[0]!,
    weights: weights[0]!,
  };
}

/** What became of the textbook's formula. */
function verdict({ exponents, exponentials, sum }: Way, format: Format, own: typeof en): string {
  const values = {
    x: grouped(Math.max(...exponents)),
    format,
    limit: Math.log(largest[format]).toFixed(2),
  };
  if (exponentials.includes(Infinity)) return fill(own.overflow, values);
  if (sum === Infinity) return fill(own.sumOverflow, values);
  return fill(sum === 0 ? own.underflow : own.fits, values);
}

/** 0 and 1 without decimals, unlike what is rounded to them. */
const writtenPower = (x: number) => (x === 0 || x === 1 ? String(x) : exactNumber(x));
const power = (exponent: unknown) => html`<i>e</i><sup>${exponent}</sup>`;
const less = html`<var>x</var> − <var>m</var>`;

function boardView(page: Page, shown: Shown) {
  const own = { en, zh }[page.language];
  const naive = textbook(page, shown);
  const safe = subtracted(page, shown);
  const way = (title: string, { exponents, exponentials, sum, weights }: Way, of: unknown) => {
    const line = (name: unknown, numbers: readonly number[], write: (x: number) => string) =>
      html`<tr>
        <th scope="row">${name}</th>
        ${numbers.map((x) => html`<td ?data-lost=${!Number.isFinite(x)}>${write(x)}</td>`)}
        ${numbers.length === 1 ? html`<td colspan="2"></td>` : nothing}
      </tr>`;
    return html`<table class="lanes" aria-label=${title}>
      <tbody>
        ${line(of, exponents, grouped)} ${line(power(of), exponentials, writtenPower)}
        ${line(own.sum, [sum], writtenPower)} ${line(own.weights, weights, cellShare)}
      </tbody>
    </table>`;
  };
  const checks = (name: string, { weights }: Way) =>
    ownChecksView({ weights: [weights], dtype: shown.format }, page.words, name);
  const names = { format: shown.format, stored: naive.exponents.map(grouped).join(', ') };
  const isStored = naive.exponents.every((x, at) => grouped(x) === grouped(shown.scores[at]!));
  const isMerged = new Set(naive.exponents).size < new Set(shown.scores).size;
  return html`<div class="comparison" data-picture>
    <div>
      <p class="comparison-title">${own.textbook}</p>
      ${way(own.textbook, naive, html`<var>x</var>`)} ${checks(own.textbook, naive)}
      <p class="remark">${verdict(naive, shown.format, own)} ${own.byPage}</p>
    </div>
    <div>
      <p class="comparison-title">${own.subtracted}</p>
      ${way(own.subtracted, safe, less)} ${checks(own.subtracted, safe)}
      <p class="remark">
        ${safe.weights.some(Number.isNaN) ? fill(own.infinite, names) : own.safe}
      </p>
    </div>
    ${
      isStored
        ? nothing
        : html`<p class="stored remark">
            ${fill(own.stored, names)} ${isMerged ? own.merged : nothing}
          </p>`
    }
  </div>`;
}

function readScores(text: string): Scores | undefined {
  const found = text.split(',').map(Number);
  const isRow = found.length === 3 && found.every(Number.isFinite);
  return isRow ? (found as unknown as Scores) : undefined;
}

export class AttentionOverflow extends Figure {
  static override styles = sheets(comparisonSheet, precisionSheet);
  static override key = 'exp';

  static firstFrame = (page: Page) => boardView(page, home);

  get #shown(): Shown {
    const known = (text: string) => formats.find((format) => format === text);
    return {
      scores: this.setting('x', readScores, home.scores),
      format: this.setting('t', known, home.format),
    };
  }

  #change(scores: Scores): void {
    const text = scores.join();
    this.set('x', text === home.scores.join() ? undefined : text);
  }

  #scoreBox(index: number, own: typeof en) {
    const { scores } = this.#shown;
    const take = ({ target }: Event) => {
      const box = target as HTMLInputElement;
      const [value, round] = [scores[index]!, (x: number) => x];
      const x = enter(box, { min: -Infinity, max: Infinity, value, round }) ?? value;
      box.value = String(x);
      this.#change(scores.map((old, at) => (at === index ? x : old)) as unknown as Scores);
    };
    return html`<label
      ><var>x</var><sub>${index + 1}</sub>
      <input
        type="number"
        step="any"
        .value=${String(scores[index])}
        aria-label=${fill(own.score, { index: index + 1 })}
        @change=${take}
    /></label>`;
  }

  protected override exhibit(page: Page) {
    const shown = this.#shown;
    const naive = textbook(page, shown);
    const head = ['', 'x1', 'x2', 'x3'];
    const { exponents, exponentials, sum, weights } = naive;
    const table = {
      name: `textbook, ${shown.format}`,
      head,
      rows: [
        ['x', ...exponents],
        ['e^x', ...exponentials],
        ['sum', sum],
        ['weights', ...weights],
      ],
    };
    // Of the narrow formats the library makes float32 before anything else.
    const dtype = shown.format === 'float64' ? 'float64' : 'float32';
    const given = inputs({ ...shown, scores: exponents as unknown as Scores });
    return {
      calls: [{ frame: frameOf(page, { ...given, options: { scale: 1 }, dtype }) }],
      tables: [table],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const { format } = this.#shown;
    return html`<div class="tools" data-boxes>
        <span class="tools scores" role="group" aria-label=${own.scores}>
          ${[0, 1, 2].map((index) => this.#scoreBox(index, own))}
        </span>
        ${takenView}
        ${choiceView<Format>({
          label: own.format,
          name: 'format',
          options: formats.map((name) => [name, name] as const),
          value: format,
          change: (to) => this.set('t', to === home.format ? undefined : to),
        })}
      </div>
      <div class="tools tries">
        <span>${own.try}</span>
        ${tries.map(
          (scores) =>
            html`<button type="button" @click=${() => this.#change(scores)}>
              ${scores.map(grouped).join(', ')}
            </button>`,
        )}
      </div>
      <div aria-live="polite">${boardView(page, this.#shown)}</div>`;
  }
}
