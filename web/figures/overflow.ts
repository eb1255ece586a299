// <attention-overflow>: softmax of a row as in the textbook, which overflows, beside the library's,
// which subtracts the largest first.
import type { DType } from 'attention-wasm';
import { html } from 'lit';
import en from '../content/en/figures/overflow.json';
import zh from '../content/zh/figures/overflow.json';
import { choiceView, enter, takenView } from '../draw/controls.js';
import { footView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { type Lane, keptView, laneOf, lanesView } from '../draw/lanes.js';
import { type Lineage, shapesOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { cellShare, exactNumber, grouped, operand } from '../draw/number.js';
import { type Line, share, softmaxLines } from '../draw/provenance.js';
import type { Cell } from '../state/case.js';
import { explain } from '../state/explain.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import precisionSheet from '../styles/precision.css?inline';
import { sheets } from './figure.js';
import { TracedFigure, keepLast } from './traced-figure.js';

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

type Name = 'textbook' | 'subtracted';
interface Way {
  /** Subtracted from each score. */
  max?: number;
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
    max: rowMax[0]!,
    exponents: found.scaled[0]!.map((x) => x - rowMax[0]!),
    exponentials: exponentials[0]!,
    sum: rowSum[0]!,
    weights: weights[0]!,
  };
}

/** The scores as they stand in a link, and their format. */
const results = keepLast((page, text: string, format: Format) => {
  const shown = { scores: readScores(text)!, format };
  const ways: Record<Name, Way> = {
    textbook: textbook(page, shown),
    subtracted: subtracted(page, shown),
  };
  const lanes = ({ exponents, exponentials, sum, weights }: Way) => [
    exponents,
    exponentials,
    exponents.map(() => sum),
    weights,
  ];
  const matrices = { textbook: lanes(ways.textbook), subtracted: lanes(ways.subtracted) };
  const lineage: Lineage<Name> = {
    shapes: shapesOf(matrices),
    operandsOf: (cell) => {
      const { stage, row } = cell;
      if (row === 2) return laneOf(stage, 1);
      if (row > 0) return [...(row === 3 ? [{ ...cell, row: 1 }] : []), { ...cell, row: row - 1 }];
      // The largest of them all is subtracted.
      return stage === 'subtracted' ? laneOf('textbook', 0) : [];
    },
  };
  return { ways, matrices, lineage };
});
const resultsOf = (page: Page, { scores, format }: Shown) => results(page, scores.join(), format);

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
const variable = (index: number) => html`<var>x</var><sub>${index + 1}</sub>`;

function boardView(page: Page, shown: Shown, grid?: GridState<Name>) {
  const own = { en, zh }[page.language];
  const { ways, matrices } = resultsOf(page, shown);
  const { exponents } = ways.textbook;
  const names = { format: shown.format, stored: exponents.map(grouped).join(', ') };
  const { stages } = page.words;
  const way = (stage: Name, head: unknown, spoken: string, says: unknown) => {
    const lanes: Lane[] = [
      [head, spoken, grouped],
      [html`<i>e</i><sup>${head}</sup>`, fill(own.power, { x: spoken }), writtenPower],
      [own.sum, own.sum, writtenPower],
      [stages.weights, stages.weights, cellShare],
    ];
    const heads = exponents.map((_, at) => variable(at));
    const columns = heads.map((_, at) => fill(own.score, { index: at + 1 }));
    return lanesView(
      page.words,
      {
        ...{ stage, title: own[stage], values: matrices[stage], lanes, heads },
        ...{ spoken: columns, says },
      },
      grid,
    );
  };
  const isStored = exponents.every((x, at) => grouped(x) === grouped(shown.scores[at]!));
  const isMerged = new Set(exponents).size < new Set(shown.scores).size;
  const stored = isStored ? '' : `${fill(own.stored, names)} ${isMerged ? own.merged : ''}`;
  const isLost = ways.subtracted.weights.some(Number.isNaN);
  return html`<div class="comparison" data-picture>
      ${way('textbook', html`<var>x</var>`, 'x', `${verdict(ways.textbook, shown.format, own)} ${own.byPage}`)}
      ${way('subtracted', html`<var>x</var> − <var>m</var>`, own.less, isLost ? fill(own.infinite, names) : own.safe)}
    </div>
    <p class="stored remark" aria-live="polite" data-picture>${stored}</p>`;
}

function checks(page: Page, shown: Shown) {
  const own = { en, zh }[page.language];
  const { ways } = resultsOf(page, shown);
  const part = (name: Name) => ({
    of: { weights: [ways[name].weights], dtype: shown.format },
    name: own[name],
  });
  return checksView(page.words, part('textbook'), part('subtracted'));
}

function readScores(text: string): Scores | undefined {
  const found = text.split(',').map(Number);
  const isRow = found.length === 3 && found.every(Number.isFinite);
  return isRow ? (found as unknown as Scores) : undefined;
}

export class AttentionOverflow extends TracedFigure<Name> {
  static override styles = sheets(comparisonSheet, precisionSheet);
  static override key = 'exp';

  static firstFrame = (page: Page) =>
    html`${boardView(page, home)} ${footView(checks(page, home))}`;

  get #shown(): Shown {
    const known = (text: string) => formats.find((format) => format === text);
    return {
      scores: this.setting('x', readScores, home.scores),
      format: this.setting('t', known, home.format),
    };
  }

  protected override lineage = (page: Page) => resultsOf(page, this.#shown).lineage;
  protected override example = (): Cell<Name> => ({ stage: 'textbook', row: 3, column: 0 });

  protected override linesOf(page: Page, { stage, row, column }: Cell<Name>): Line[] {
    const { ways } = resultsOf(page, this.#shown);
    const { max, exponents, exponentials, sum, weights } = ways[stage];
    const masked = ways.textbook.exponents;
    const softmax = { masked, exponentials, max, sum, write: grouped };
    const lines = softmaxLines(page.words, softmax);
    const stored = masked[column]!;
    const isLess = max !== undefined;
    const first = isLess
      ? html`= ${grouped(stored)} − ${operand(grouped(max))} =
          <b>${grouped(exponents[column]!)}</b>`
      : html`= ${keptView(this.#shown.scores[column]!, stored, grouped)}`;
    const x = {
      stage,
      name: html`${variable(column)}${isLess ? html` − <var>m</var>` : ''}`,
      text: first,
    };
    if (row === 0) return isLess ? [lines[0]!, x] : [x];
    const text = share(exponentials[column]!, sum, weights[column]!);
    const all = [...lines, { stage, name: html`${page.words.stages.weights}`, text }];
    const led = all.slice(0, row + (isLess ? 1 : 0));
    return led.map((line, at) => (at === led.length - 1 ? { ...line, stage } : line));
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
      >${variable(index)}
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
    const naive = resultsOf(page, shown).ways.textbook;
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
    const shown = this.#shown;
    return html`<div class="tools" data-boxes>
        <span class="tools scores" role="group" aria-label=${own.scores}>
          ${[0, 1, 2].map((index) => this.#scoreBox(index, own))}
        </span>
        ${takenView}
        ${choiceView<Format>({
          label: 'dtype',
          name: 'format',
          options: formats.map((name) => [name, name] as const),
          value: shown.format,
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
      ${this.traced(
        page,
        (grid) => boardView(page, shown, grid),
        () => checks(page, shown),
      )}`;
  }
}
