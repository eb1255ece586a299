// <attention-scaling-lab>: what the width of the vectors does to scores and softmax, with and
// without the scaling: one draw, many draws, the theory, or the article's own data.
import { html, nothing } from 'lit';
import en from '../content/en/figures/scaling-lab.json';
import zh from '../content/zh/figures/scaling-lab.json';
import { barsView } from '../draw/bars.js';
import { type Series, chartView } from '../draw/chart.js';
import { choiceView, sliderView } from '../draw/controls.js';
import { footView } from '../draw/inspector.js';
import { checksView } from '../draw/invariants.js';
import { cellNumber, cellWeight, exactNumber, grouped } from '../draw/number.js';
import { drawnDk, norm, rootDk, symbols, vector, withWidths } from '../draw/symbols.js';
import type { Table } from '../export/exhibit.js';
import type { Page } from '../state/page.js';
import type { Distribution } from '../state/random.js';
import { jacobianNorm, variance } from '../state/statistics.js';
import { fill } from '../state/words.js';
import labSheet from '../styles/scaling-lab.css?inline';
import { Figure, sheets } from './figure.js';
import {
  type Sample,
  type Spread,
  type Survey,
  callsOf,
  drawCounts,
  drawn,
  homeCounts,
  keyCounts,
  published,
  survey,
  widths,
} from './scaling-data.js';
import { keepLast } from './traced-figure.js';

type Mode = Distribution | 'article';
const modes = ['normal', 'uniform', 'article'] as const;
const home: Shown = { mode: 'normal', width: 64, seed: 1, ...homeCounts };
const componentVariance: Record<Distribution, number> = { normal: 1, uniform: 1 / 3 };

interface Shown {
  mode: Mode;
  width: number;
  seed: number;
  keys: (typeof keyCounts)[number];
  /** At each width of the charts. */
  draws: (typeof drawCounts)[number];
}

/** The article draws from U(−1, 1). */
const distributionOf = (mode: Mode): Distribution => (mode === 'normal' ? 'normal' : 'uniform');
/** Var(q·k) = d_k · Var(q_l) · Var(k_l). */
const theory = (mode: Mode, width: number) => width * componentVariance[distributionOf(mode)] ** 2;

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
    <h4>
      ${own[kind]}
      <span class="symbol"
        >${kind === 'raw' ? symbols.scores : html`${symbols.scores} ÷ ${rootDk}`}</span
      >
    </h4>
    <p class="bars-title">${scores}</p>
    ${barsView({ label: `${own[kind]}, ${scores}`, values: sample.scores, heads, domain, tone: 'signed', write: cellNumber })}
    <p class="bars-title">${own.shares}</p>
    ${barsView({ label: `${own[kind]}, ${own.shares}`, values: sample.weights, heads, domain: 1, tone: 'weight', write: cellWeight })}
    <dl class="facts">
      ${facts.map(
        ([name, value, remark]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value} <span class="remark">${remark}</span></dd>
          </div>`,
      )}
    </dl>
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

function checks(page: Page, shown: Shown) {
  const { raw, scaled } = samples(page, shown);
  return checksView(page.words, { of: { weights: [raw[0]!.weights, scaled[0]!.weights] } });
}

function chartsView(page: Page, shown: Shown, chartWidth: number) {
  const own = { en, zh }[page.language];
  const { mode, width, keys, draws } = shown;
  const found: Survey = survey(page, distributionOf(mode), keys, draws);
  const line = (tone: 'raw' | 'scaled', spreads: Spread[]): Series => ({
    name: own[tone],
    tone,
    points: spreads.map((at) => [at.width, at.mean]),
    band: spreads.map((at) => [at.width, at.low, at.high]),
  });
  const articleLine = (measure: (sample: Sample) => number): Series => ({
    name: own.modes.article,
    tone: 'article',
    points: widths.map((at) => [at, measure(published(page, at).raw[0]!)]),
  });
  const theoryLine = (of: (width: number) => number): Series => ({
    name: own.theoryLine,
    tone: 'theory',
    points: widths.map((at) => [at, of(at)]),
  });
  const isArticle = mode === 'article';
  const most = Math.log2(keys);
  const x = { label: drawnDk, from: 8, to: 128, ticks: [8, 32, 64, 96, 128] };
  return html`<div class="lab-charts">
      ${chartView({
        title: own.chartVariance,
        width: chartWidth,
        series: [
          line('raw', found.rawVariance),
          line('scaled', found.scaledVariance),
          theoryLine((at) => theory(mode, at)),
          theoryLine((at) => theory(mode, at) / at),
          ...(isArticle ? [articleLine(({ scores }) => variance(scores))] : []),
        ],
        x,
        y: { from: 0.01, to: 300, ticks: [0.01, 0.1, 1, 10, 100], isLog: true },
        marker: width,
      })}
      ${chartView({
        title: own.chartEntropy,
        width: chartWidth,
        series: [
          line('raw', found.rawEntropy),
          line('scaled', found.scaledEntropy),
          ...(isArticle ? [articleLine(({ entropy }) => entropy)] : []),
        ],
        x,
        y: { from: 0, to: most, ticks: Array.from({ length: most + 1 }, (_, at) => at) },
        marker: width,
      })}
    </div>
    ${footView(
      checks(page, shown),
      html`<p class="remark">
        ${fill(own.band, { count: grouped(draws), keys, less: keys - 1 })}<br />${withWidths(isArticle ? own.bandArticle : mode === 'normal' ? own.bandNormal : own.bandUniform)}
      </p>`,
    )}`;
}

export class AttentionScalingLab extends Figure {
  static override styles = sheets(labSheet);
  static override key = 'lab';

  static firstFrame = (page: Page) =>
    html`<div class="lab">${panelsView(page, home)} ${footView(checks(page, home))}</div>`;

  /** As the last layout left it. */
  #chartWidth = 520;
  #sizes: ResizeObserver | undefined;

  protected override updated(): void {
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
    const among =
      <T>(values: readonly T[]) =>
      (text: string) =>
        values.find((value) => String(value) === text);
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
    const found = survey(page, distributionOf(mode), draw.keys, draws);
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
        ${panelsView(page, shown)} ${chartsView(page, shown, this.#chartWidth)}
      </div>
    </div>`;
  }
}
