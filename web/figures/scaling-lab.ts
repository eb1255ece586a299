// <attention-scaling-lab>: what the width of the vectors does to scores and softmax, with and
// without the scaling: one draw, many draws, the theory, or the article's own data.
import { html, nothing } from 'lit';
import en from '../content/en/figures/scaling-lab.json';
import zh from '../content/zh/figures/scaling-lab.json';
import { barsView } from '../draw/bars.js';
import { choiceView, sliderView } from '../draw/controls.js';
import { footView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { cellNumber, cellWeight, exactNumber, grouped } from '../draw/number.js';
import { norm, rootDk, symbols, vector, withWidths } from '../draw/symbols.js';
import type { Table } from '../export/exhibit.js';
import type { Page } from '../state/page.js';
import { jacobianNorm, variance } from '../state/statistics.js';
import { inTurns } from '../state/turns.js';
import { fill } from '../state/words.js';
import labSheet from '../styles/scaling-lab.css?inline';
import { Figure, among, sheets } from './figure.js';
import {
  type Charted,
  type Mode,
  askedBy,
  captionView,
  chartsView,
  modes,
  theory,
} from './scaling-charts.js';
import {
  type Asked,
  type Sample,
  type Spread,
  callsOf,
  drawCounts,
  drawn,
  homeCounts,
  keyCounts,
  nameOf,
  published,
  survey,
  surveyed,
  surveying,
  widths,
} from './scaling-data.js';
import { keepLast } from './traced-figure.js';

const home: Shown = { mode: 'normal', width: 64, seed: 1, ...homeCounts };

interface Shown extends Charted {
  width: number;
  seed: number;
}

function panelView(
  page: Page,
  kind: 'raw' | 'scaled',
  sample: Sample,
  domain: number,
  expected: number,
) {
  const own = { en, zh }[page.language];
  const facts: [unknown, unknown, string][] = [
    [
      own.variance,
      exactNumber(variance(sample.scores)),
      fill(own.theory, { value: grouped(expected) }),
    ],
    [own.entropy, fill(own.bits, { value: sample.entropy.toFixed(3) }), ''],
    [own.largest, cellWeight(Math.max(...sample.weights)), ''],
    [norm(html`∂<var>p</var>/∂<var>x</var>`), exactNumber(jacobianNorm(sample.weights)), ''],
  ];
  const heads = sample.scores.map((_, j) => vector('k', j));
  const scores = fill(own.scores, { count: sample.scores.length });
  return html`<section class="lab-panel">
    <p class="lab-title">
      ${own[kind]}
      <span class="symbol"
        >${kind === 'raw' ? symbols.scores : html`${symbols.scores} ÷ ${rootDk}`}</span
      >
    </p>
    <p class="bars-title">${scores}</p>
    ${barsView({ label: `${own[kind]}, ${scores}`, values: sample.scores, heads, domain, tone: 'signed', write: cellNumber })}
    <p class="bars-title">${own.shares}</p>
    ${barsView({ label: `${own[kind]}, ${own.shares}`, values: sample.weights, heads, domain: 1, tone: 'weight', write: cellWeight })}
    <table class="facts" role="table" aria-label=${own[kind]}>
      <tbody role="rowgroup">
        ${facts.map(
          ([name, value, remark]) =>
            html`<tr role="row">
              <th role="rowheader">${name}</th>
              <td role="cell">${value} <span class="remark">${remark}</span></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

/** The panels and the checks below them are of the same draw. */
const sampled = keepLast((page, mode: Mode, width: number, seed: number, keys: number) =>
  mode === 'article' ? published(page, width) : drawn(page, { of: mode, width, seed, keys }),
);
const samples = (page: Page, { mode, width, seed, keys }: Shown) =>
  sampled(page, mode, width, seed, keys);

function panelsView(page: Page, shown: Shown) {
  const { mode, width } = shown;
  const { raw, scaled } = samples(page, shown);
  const domain = Math.max(...raw[0]!.scores.map(Math.abs));
  return html`<div class="lab-panels">
    ${panelView(page, 'raw', raw[0]!, domain, theory(mode, width))}
    ${panelView(page, 'scaled', scaled[0]!, domain, theory(mode, width) / width)}
  </div>`;
}

/** What this draw shows, and where chance has made it unlike the theory. */
function sayView(page: Page, shown: Shown) {
  const own = { en, zh }[page.language];
  const { mode, width, keys } = shown;
  const { raw, scaled } = samples(page, shown);
  const spread = (sample: Sample) => variance(sample.scores);
  const largest = (sample: Sample) => cellWeight(Math.max(...sample.weights));
  const [before, after] = [raw[0]!, scaled[0]!];
  const says = fill(own.says, {
    width,
    raw: cellNumber(spread(before)),
    scaled: cellNumber(spread(after)),
    before: largest(before),
    after: largest(after),
  });
  const value = cellNumber((theory(mode, width) * (keys - 1)) / keys);
  const less = widths[widths.indexOf(width) - 1];
  const there = mode === 'article' && less ? spread(published(page, less).raw[0]!) : 0;
  const isLess = there > spread(before);
  return html`<p aria-live="polite">
    ${withWidths(says)} ${fill(own.expected, { keys, value })}
    ${isLess ? withWidths(fill(own.fell, { less: less!, there: cellNumber(there) })) : nothing}
  </p>`;
}

function checks(page: Page, shown: Shown) {
  const { raw, scaled } = samples(page, shown);
  return checksView(page.words, { of: { weights: [raw[0]!.weights, scaled[0]!.weights] } });
}

export class AttentionScalingLab extends Figure {
  static override styles = sheets(labSheet);
  static override key = 'lab';

  static firstFrame = (page: Page) =>
    html`<div class="lab">
      ${panelsView(page, home)} ${sayView(page, home)} ${footView(checks(page, home))}
    </div>`;

  /** As the last layout left it. */
  #chartWidth = 520;
  #sizes: ResizeObserver | undefined;

  /** What the charts are of: what was last asked for, or until that is computed what was before it. */
  #charted: Charted | undefined;
  #asked = '';
  #abort = new AbortController();
  /** Ends with what was last asked for, or when something else is. */
  #computing: Promise<void> | undefined;

  /** Computes what is asked for in turns, unless it is known; only the last that is asked for counts. */
  #ask(page: Page, asked: Asked): void {
    if (nameOf(asked) === this.#asked) return;
    this.#asked = nameOf(asked);
    this.#abort.abort();
    if (surveyed(asked)) return;
    const { signal } = (this.#abort = new AbortController());
    this.#computing = inTurns(surveying(page, asked), signal).then(
      () => this.requestUpdate(),
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
  }

  get #isBusy(): boolean {
    return !surveyed(askedBy(this.#shown));
  }

  /** Until the charts are of what was last asked for. */
  async #charts(): Promise<void> {
    while (this.#isBusy) {
      await this.#computing;
      await this.updateComplete;
    }
  }

  protected override shared() {
    return { ...super.shared(), ready: () => (this.#isBusy ? this.#charts() : undefined) };
  }

  protected override updated(): void {
    if (this.page) this.#ask(this.page, askedBy(this.#shown));
    const chart = this.renderRoot.querySelector('.chart');
    if (!chart || this.#sizes) return;
    this.#sizes = new ResizeObserver(([entry]) => {
      const width = Math.round(entry!.contentRect.width);
      if (width === 0 || width === this.#chartWidth) return;
      this.#chartWidth = width;
      this.requestUpdate();
    });
    this.#sizes.observe(chart);
  }

  get #shown(): Shown {
    const mode = this.setting('mode', among(modes), home.mode);
    // The article's numbers are of eight.
    const keys = this.setting('keys', among(keyCounts), home.keys);
    return {
      mode,
      keys: mode === 'article' ? home.keys : keys,
      draws: this.setting('n', among(drawCounts), home.draws),
      width: this.setting('d', among(widths), home.width),
      seed: this.setting(
        'seed',
        (text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
        home.seed,
      ),
    };
  }

  protected override exhibit(page: Page) {
    const { mode, draws, ...draw } = this.#shown;
    const found = survey(page, askedBy({ mode, keys: draw.keys, draws }));
    const table = (name: string, spreads: readonly Spread[]): Table => ({
      name,
      head: ['d_k', 'mean', '5 %', '95 %'],
      rows: spreads.map((at) => [at.width, at.mean, at.low, at.high]),
    });
    return {
      calls: callsOf(page, { of: mode, ...draw }),
      tables: [
        table('variance of the scores', found.rawVariance),
        table('variance of the scaled scores', found.scaledVariance),
        table('entropy of the weights in bits', found.rawEntropy),
        table('entropy of the weights in bits, scaled', found.scaledEntropy),
      ],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const shown = this.#shown;
    const isBusy = this.#isBusy;
    if (!isBusy) this.#charted = shown;
    const charted = this.#charted ?? shown;
    const count = (
      label: string,
      name: string,
      of: readonly number[],
      now: number,
      first: number,
    ) =>
      choiceView({
        label,
        name,
        options: of.map((each) => [String(each), grouped(each)] as const),
        value: String(now),
        change: (to) => this.set(name, to === String(first) ? undefined : to),
      });
    return html`<div class="lab">
      <div class="tools">
        ${choiceView<Mode>({
          label: own.mode,
          name: 'mode',
          options: modes.map((mode) => [mode, own.modes[mode]]),
          value: shown.mode,
          change: (mode) => this.set('mode', mode === home.mode ? undefined : mode),
        })}
        ${sliderView({
          label: own.width,
          value: shown.width,
          min: 8,
          max: 128,
          step: 8,
          change: (width, isEntry) =>
            this.set('d', width === home.width ? undefined : String(width), isEntry),
        })}
        ${shown.mode === 'article' ? nothing : count(own.keys, 'keys', keyCounts, shown.keys, home.keys)}
        ${count(own.draws, 'n', drawCounts, shown.draws, home.draws)}
        <button
          type="button"
          ?disabled=${shown.mode === 'article'}
          @click=${() => this.set('seed', String(shown.seed + 1))}
        >
          ${own.again}
        </button>
      </div>
      <div data-picture>
        ${panelsView(page, shown)} ${sayView(page, shown)}
        <div class="lab-charts" aria-busy=${isBusy ? 'true' : 'false'}>
          ${chartsView(page, charted, surveyed(askedBy(charted)), shown.width, this.#chartWidth)}
          <p class="computing remark" role="status">${isBusy ? own.computing : nothing}</p>
        </div>
        ${footView(checks(page, shown), captionView(page, charted))}
      </div>
    </div>`;
  }
}
