// <attention-precision>: a dot product too large for float16, computed in three ways.
import type { Tensor, Trace } from 'attention-wasm';
import { html } from 'lit';
import en from '../content/en/figures/precision.json';
import zh from '../content/zh/figures/precision.json';
import { sliderView } from '../draw/controls.js';
import { footView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { type Lane, keptView, laneOf, lanesView } from '../draw/lanes.js';
import { type Lineage, shapesOf } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { cellShare, equalsSign, exactNumber, grouped, operand, plain } from '../draw/number.js';
import { type Line, share, softmaxLines } from '../draw/provenance.js';
import { root, withWidths } from '../draw/symbols.js';
import type { Cell } from '../state/case.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import precisionSheet from '../styles/precision.css?inline';
import { sheets } from './figure.js';
import { TracedFigure, keepLast } from './traced-figure.js';

const WIDTH = 64;
const home = 40;
/** The slider goes through what float16 holds until it overflows, and on; the box goes further. */
const FAR = 1e20;
const stops = Array.from({ length: 300 }, (_, at) => at + 1);
const tries = [home, 31, 300, FAR];
const largest = { float16: 65504, float32: 2 ** 127 * (2 - 2 ** -23) };
const ways = ['float16', 'first', 'widened'] as const;
type Way = (typeof ways)[number];
const rows = ['scores', 'scaled', 'weights'] as const;

const filled = (x: number) => Array.from({ length: WIDTH }, () => x);

/** Whether float16 has a number for c that is not infinity. */
const fits = ({ library: { tensor, toNested } }: Page, c: number) =>
  (toNested(tensor([c], 'float16')) as number[]).every(Number.isFinite);

/** The components of the keys, of which the first is the query's too, as each way begins with them. */
function stored(page: Page, c: number): Record<Way, number[]> {
  const { tensor, toNested } = page.library;
  const as = (dtype: 'float16' | 'float32') => toNested(tensor([c, -c, c - 1], dtype)) as number[];
  const half = as('float16');
  // What float16 cannot hold could not have been converted from it.
  return { float16: half, first: half, widened: fits(page, c) ? half : as('float32') };
}

function traces(page: Page, c: number): Record<Way, Trace> {
  const { attention, library } = page;
  const { float16: half, widened: wide } = stored(page, c);
  const rows = (values: readonly number[], dtype: 'float16' | 'float32'): Tensor =>
    library.tensor(values.map(filled), dtype);
  const [halfKeys, wideKeys] = [rows(half, 'float16'), rows(wide, 'float32')];
  const whole = attention.explain(rows([half[0]!], 'float16'), halfKeys, halfKeys);
  // √64 = 8 divides a float16 exactly, so that only the order differs.
  const eighth = rows([half[0]! / 8], 'float16');
  const first = attention.explain(eighth, halfKeys, halfKeys, { scale: 1 });
  const widened = attention.explain(rows([wide[0]!], 'float32'), wideKeys, wideKeys);
  return { float16: whole.unwidened!, first: first.unwidened!, widened };
}

/** In powers of ten where three of them would not fit on a phone. */
const brief = (x: number) => (Math.abs(x) < 1e8 ? grouped : exactNumber)(x);

/** What the scores are where nothing is rounded, or only in float64. */
function exactScores({ attention, library: { tensor } }: Page, keys: number[]): number[] {
  const key = tensor(keys.map(filled), 'float64');
  const { scaled } = attention.explain(tensor([filled(keys[0]!)], 'float64'), key, key).steps;
  return [0, 1, 2].map((at) => Number(scaled.data[at]));
}

/** What became of the scores on the way to softmax: the first that overflows, or the rounding. */
function fate(page: Page, way: Way, { steps, diagnostics }: Trace, keys: number[]): string {
  const { words, language } = page;
  const own = { en, zh }[language];
  const format = formatOf(way);
  if (!keys.every(Number.isFinite))
    return fill(own.inputLost, { format, largest: grouped(largest[format]) });
  const fault = diagnostics.firstNonFinite;
  if (fault) {
    const step = words.stages[fault.step as 'scores'] ?? fault.step;
    return fill(own.firstFault, { step, format, largest: grouped(largest[format]) });
  }
  const exact = exactScores(page, keys);
  const lost = exact.map((x, at) => Math.abs(x - Number(steps.scaled.data[at])));
  if (lost.every((x) => x === 0)) return own.exact;
  const wanted = exact.map(grouped).join(', ');
  return fill(own.rounded, { format, wanted, lost: lost.map(grouped).join(', ') });
}

const formatOf = (way: Way) => (way === 'widened' ? 'float32' : 'float16');
const numbersOf = ({ steps }: Trace, name: (typeof rows)[number]) =>
  [0, 1, 2].map((at) => Number(steps[name].data[at]));

/** Of each way what is shown of it, from the components of the keys to the weights. */
const results = keepLast((page, c: number) => {
  const [found, keys] = [traces(page, c), stored(page, c)];
  const lanes = (way: Way) => [
    keys[way],
    way === 'first' ? keys.first.map(() => keys.first[0]! / 8) : numbersOf(found[way], 'scores'),
    numbersOf(found[way], 'scaled'),
    numbersOf(found[way], 'weights'),
  ];
  const matrices = { float16: lanes('float16'), first: lanes('first'), widened: lanes('widened') };
  const lineage: Lineage<Way> = {
    shapes: shapesOf(matrices),
    operandsOf: (cell) => {
      const { stage, row } = cell;
      if (row === 3) return laneOf(stage, 2);
      const above = { ...cell, row: row - 1 };
      if (stage !== 'first') return row > 0 ? [above] : [];
      return row === 2 ? [{ ...cell, row: 0 }, above] : [];
    },
  };
  return { found, keys, matrices, lineage };
});

const titleOf = (page: Page, c: number, way: Way) => {
  const own = { en, zh }[page.language];
  return own.ways[way === 'widened' && !fits(page, c) ? 'float32' : way];
};

const query = html`<var>q</var> ÷ ${root(WIDTH)}`;
function lanesOf({ words: { stages } }: Page, way: Way): Lane[] {
  const [key, weights]: Lane[] = [
    [html`<var>k</var>`, 'k', brief],
    [stages.weights, stages.weights, cellShare],
  ];
  const between: Lane[] =
    way === 'first'
      ? [
          [query, `q ÷ √${WIDTH}`, brief],
          [html`(${query})·<var>k</var>`, stages.scaled, brief],
        ]
      : [
          [html`<var>q</var>·<var>k</var>`, stages.scores, brief],
          [html`÷ ${root(WIDTH)}`, stages.scaled, brief],
        ];
  return [key!, ...between, weights!];
}

const heads = ['c', '−c', 'c − 1'];

function boardView(page: Page, c: number, grid?: GridState<Way>) {
  const own = { en, zh }[page.language];
  const { found, keys, matrices } = results(page, c);
  const way = (stage: Way) =>
    lanesView(
      page.words,
      {
        ...{ stage, title: titleOf(page, c, stage), values: matrices[stage], heads },
        lanes: lanesOf(page, stage),
        spoken: heads.map((head) => `${page.words.keyAxis} ${plain(head)}`),
        says: fate(page, stage, found[stage], keys[stage]),
      },
      grid,
    );
  return html`<p class="remark">${withWidths(own.table)}</p>
    <div class="comparison" data-picture>${ways.map(way)}</div>`;
}

function checks(page: Page, c: number) {
  const { matrices } = results(page, c);
  const part = (way: Way) => ({
    of: { weights: [matrices[way][3]!], dtype: formatOf(way) } as const,
    name: titleOf(page, c, way),
  });
  return checksView(page.words, ...ways.map(part));
}

export class AttentionPrecision extends TracedFigure<Way> {
  static override styles = sheets(comparisonSheet, precisionSheet);
  static override key = 'half';

  static firstFrame = (page: Page) =>
    html`${boardView(page, home)} ${footView(checks(page, home))}`;

  get #component(): number {
    return this.whole('c', [1, FAR], home);
  }

  protected override lineage = (page: Page) => results(page, this.#component).lineage;
  protected override example = (): Cell<Way> => ({ stage: 'first', row: 3, column: 0 });

  protected override linesOf(page: Page, { stage, row, column }: Cell<Way>): Line[] {
    const { found, matrices } = results(page, this.#component);
    const [keys, before, scaled, weights] = matrices[stage] as [number[], ...number[][]];
    const isFirst = stage === 'first';
    const c = this.#component;
    const q = isFirst ? before![0]! : keys[0]!;
    const k = keys[column]!;
    const sum = WIDTH * q * k;
    const product = html`${equalsSign([q], brief)} ${WIDTH} × ${brief(q)} × ${operand(brief(k))}
    ${equalsSign([sum], brief)} ${keptView(sum, (isFirst ? scaled : before)![column]!, brief)}`;
    const eighth = html`= ${brief(isFirst ? keys[0]! : before![column]!)} ÷ ${root(WIDTH)} =
      <b>${brief((isFirst ? before : scaled)![column]!)}</b>`;
    const lanes = lanesOf(page, stage);
    const line = (at: number, text: unknown): Line => ({
      stage: at === row ? stage : '',
      name: html`${lanes[at]![0]}`,
      text: html`${text}`,
    });
    if (row === 3) {
      const { rowMax, exponentials, rowSum } = found[stage].steps;
      const [max, total] = [rowMax, rowSum].map(({ data }) => Number(data[0])) as [number, number];
      const powers = Array.from(exponentials.data, Number);
      const of = { masked: scaled!, exponentials: powers, max, sum: total, write: brief };
      return [
        ...softmaxLines(page.words, of),
        line(3, share(powers[column]!, total, weights![column]!)),
      ];
    }
    const given = [c, -c, c - 1][column]!;
    const all = [
      line(0, html`= ${keptView(given, k, brief)}`),
      line(1, isFirst ? eighth : product),
      line(2, isFirst ? product : eighth),
    ];
    return all.slice(0, row + 1);
  }

  protected override exhibit(page: Page) {
    const c = this.#component;
    const { found } = results(page, c);
    const tables = Object.entries(found).map(([name, trace]) => ({
      name: { float16: 'float16', first: 'float16, scaled first', widened: 'float32' }[name]!,
      head: ['', `k = ${c}`, `k = ${-c}`, `k = ${c - 1}`],
      rows: rows.map((row) => [row, ...numbersOf(trace, row)]),
    }));
    const steps = ({ steps: { scores, scaled, weights } }: Trace) => {
      const numbers = [scores, scaled, weights].map(({ data }) => Array.from(data, Number));
      const [first, second, third] = numbers as [number[], number[], number[]];
      return { scores: first, scaled: second, weights: third };
    };
    const programs = async () => {
      const { precisionPrograms } = await import('../export/precision-program.js');
      const { float16, first, widened } = found;
      return precisionPrograms({
        component: c,
        width: WIDTH,
        given: fits(page, c) ? 'float16' : 'float32',
        expected: { float16: steps(float16), first: steps(first), float32: steps(widened) },
      });
    };
    return { calls: [], programs, tables };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const c = this.#component;
    const take = (value: number, isEntry: boolean) =>
      this.set('c', value === home ? undefined : String(value), isEntry);
    return html`<div class="tools">
        ${sliderView({
          label: own.component,
          value: c,
          min: 1,
          max: FAR,
          stops,
          change: take,
        })}
        <span>${own.try}</span>
        ${tries.map(
          (to) =>
            html`<button type="button" @click=${() => take(to, true)}>${grouped(to)}</button>`,
        )}
      </div>
      ${this.traced(
        page,
        (grid) => boardView(page, c, grid),
        () => checks(page, c),
      )}`;
  }
}
