// <attention-precision>: a dot product too large for float16, computed in three ways.
import type { Tensor, Trace } from 'attention-wasm';
import { html } from 'lit';
import en from '../content/en/figures/precision.json';
import zh from '../content/zh/figures/precision.json';
import { sliderView } from '../draw/controls.js';
import { ownChecksView } from '../draw/invariants.js';
import { cellShare, exactNumber, grouped } from '../draw/number.js';
import { root, withWidths } from '../draw/symbols.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import comparisonSheet from '../styles/comparison.css?inline';
import precisionSheet from '../styles/precision.css?inline';
import { Figure, sheets } from './figure.js';

const WIDTH = 64;
const home = 40;
/** The slider goes through what float16 holds until it overflows, and on; the box goes further. */
const FAR = 1e20;
const stops = Array.from({ length: 300 }, (_, at) => at + 1);
const tries = [home, 31, 300, FAR];
const largest = { float16: 65504, float32: 2 ** 127 * (2 - 2 ** -23) };
type Way = 'float16' | 'first' | 'widened';
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

function boardView(page: Page, c: number) {
  const own = { en, zh }[page.language];
  const found = traces(page, c);
  const keys = stored(page, c);
  const query = html`<var>q</var> ÷ ${root(WIDTH)}`;
  const product = html`<var>q</var>·<var>k</var>`;
  const line = (name: unknown, found: readonly unknown[]) =>
    html`<tr>
      <th scope="row">${name}</th>
      ${found}
    </tr>`;
  const cell = (x: number, write = brief) =>
    html`<td ?data-lost=${!Number.isFinite(x)}>${write(x)}</td>`;
  const cells = (trace: Trace, name: (typeof rows)[number]) =>
    numbersOf(trace, name).map((x) => cell(x, name === 'weights' ? cellShare : brief));
  const way = (name: Way) => {
    const trace = found[name];
    const title = own.ways[name === 'widened' && !fits(page, c) ? 'float32' : name];
    const checked = { weights: [numbersOf(trace, 'weights')], dtype: formatOf(name) } as const;
    return html`<div>
      <p class="comparison-title">${title}</p>
      <table class="lanes" aria-label=${title}>
        <thead>
          <tr>
            <td></td>
            <th scope="col">c</th>
            <th scope="col">−c</th>
            <th scope="col">c − 1</th>
          </tr>
        </thead>
        <tbody>
          ${line(
            html`<var>k</var>`,
            keys[name].map((x) => cell(x)),
          )}
          ${
            name === 'first'
              ? html`${line(query, Array(3).fill(cell(keys.first[0]! / 8)))}
                ${line(html`(${query})·<var>k</var>`, cells(trace, 'scaled'))}`
              : html`${line(product, cells(trace, 'scores'))}
                ${line(html`÷ ${root(WIDTH)}`, cells(trace, 'scaled'))}`
          }
          ${line(own.weights, cells(trace, 'weights'))}
        </tbody>
      </table>
      ${ownChecksView(checked, page.words, title)}
      <p class="remark">${fate(page, name, trace, keys[name])}</p>
    </div>`;
  };
  return html`<p class="remark">${withWidths(own.table)}</p>
    <div class="comparison" data-picture>${way('float16')} ${way('first')} ${way('widened')}</div>`;
}

export class AttentionPrecision extends Figure {
  static override styles = sheets(comparisonSheet, precisionSheet);
  static override key = 'half';

  static firstFrame = (page: Page) => boardView(page, home);

  get #component(): number {
    return this.whole('c', [1, FAR], home);
  }

  protected override exhibit(page: Page) {
    const c = this.#component;
    const found = traces(page, c);
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
      <div aria-live="polite">${boardView(page, c)}</div>`;
  }
}
