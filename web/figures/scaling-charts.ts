// The charts of the scaling lab: what many draws of every width come to, beside the theory.
import { html } from 'lit';
import en from '../content/en/figures/scaling-lab.json';
import zh from '../content/zh/figures/scaling-lab.json';
import { type Series, chartView } from '../draw/chart.js';
import { grouped } from '../draw/number.js';
import { drawnDk, withWidths } from '../draw/symbols.js';
import type { Page } from '../state/page.js';
import type { Distribution } from '../state/random.js';
import { variance } from '../state/statistics.js';
import { fill } from '../state/words.js';
import {
  type Asked,
  type Sample,
  type Spread,
  type Survey,
  drawCounts,
  keyCounts,
  published,
  widths,
} from './scaling-data.js';

export type Mode = Distribution | 'article';
export const modes = ['normal', 'uniform', 'article'] as const;
const componentVariance: Record<Distribution, number> = { normal: 1, uniform: 1 / 3 };

/** The article draws from U(−1, 1). */
const distributionOf = (mode: Mode): Distribution => (mode === 'normal' ? 'normal' : 'uniform');
/** Var(q·k) = d_k · Var(q_l) · Var(k_l). */
export const theory = (mode: Mode, width: number) =>
  width * componentVariance[distributionOf(mode)] ** 2;

/** What the charts are of. */
export interface Charted {
  mode: Mode;
  keys: (typeof keyCounts)[number];
  /** At each width. */
  draws: (typeof drawCounts)[number];
}
export const askedBy = ({ mode, keys, draws }: Charted): Asked => ({
  of: distributionOf(mode),
  keys,
  count: draws,
});

/** Without lines of their own until there is something `found`. */
export function chartsView(
  page: Page,
  { mode, keys }: Charted,
  found: Survey | undefined,
  width: number,
  chartWidth: number,
) {
  const own = { en, zh }[page.language];
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
  return html`
    ${chartView({
      title: own.chartVariance,
      width: chartWidth,
      series: [
        ...(found ? [line('raw', found.rawVariance), line('scaled', found.scaledVariance)] : []),
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
        ...(found ? [line('raw', found.rawEntropy), line('scaled', found.scaledEntropy)] : []),
        ...(isArticle ? [articleLine(({ entropy }) => entropy)] : []),
      ],
      x,
      y: { from: 0, to: most, ticks: Array.from({ length: most + 1 }, (_, at) => at) },
      marker: width,
    })}
  `;
}

export function captionView(page: Page, { mode, keys, draws }: Charted) {
  const own = { en, zh }[page.language];
  const components = { normal: own.bandNormal, uniform: own.bandUniform, article: own.bandArticle };
  return html`<p class="remark">
    ${fill(own.band, { count: grouped(draws), keys, less: keys - 1 })}<br />${withWidths(components[mode])}
  </p>`;
}
