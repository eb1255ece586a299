// A small line chart: lines, bands, a marker for where the reader is.
import { type SVGTemplateResult, html, nothing, svg } from 'lit';

export interface Series {
  /** Among the keys; '' is not. */
  name: string;
  /** The article's numbers stand for themselves: points, no line. */
  tone: 'raw' | 'scaled' | 'theory' | 'article';
  points: readonly (readonly [x: number, y: number])[];
  /** Low and high at each x: where most of the draws lie. */
  band?: readonly (readonly [x: number, low: number, high: number])[];
}

export interface Chart {
  title: string;
  series: readonly Series[];
  x: { label: unknown; from: number; to: number; ticks: readonly number[] };
  y: { from: number; to: number; ticks: readonly number[]; isLog?: boolean };
  marker?: number;
}

const [WIDTH, HEIGHT] = [420, 220];
const margin = { left: 40, right: 12, top: 10, bottom: 34 };

export function chartView({ title, series, x, y, marker }: Chart) {
  const across = (at: number) =>
    margin.left + ((at - x.from) / (x.to - x.from)) * (WIDTH - margin.left - margin.right);
  const share = (at: number) =>
    y.isLog
      ? Math.log(Math.max(at, y.from) / y.from) / Math.log(y.to / y.from)
      : (at - y.from) / (y.to - y.from);
  const up = (at: number) =>
    HEIGHT -
    margin.bottom -
    Math.min(Math.max(share(at), 0), 1) * (HEIGHT - margin.top - margin.bottom);
  const place = ([a, b]: readonly [number, number]) =>
    `${across(a).toFixed(1)} ${up(b).toFixed(1)}`;
  const path = (points: readonly (readonly [number, number])[]) =>
    points.map((point, index) => `${index ? 'L' : 'M'}${place(point)}`).join('');
  const bandPath = (band: NonNullable<Series['band']>) =>
    `${path(band.map(([a, , high]) => [a, high] as const))}L${path(
      [...band].reverse().map(([a, low]) => [a, low] as const),
    ).slice(1)}Z`;
  const lines: SVGTemplateResult[] = series.map(
    ({ tone, points, band }) => svg`<g data-series=${tone}>
      ${band ? svg`<path class="band" d=${bandPath(band)} />` : nothing}
      <path
        class="series"
        d=${tone === 'article' ? points.map((point) => `M${place(point)}h0`).join('') : path(points)}
      />
    </g>`,
  );
  return html`<figure class="chart">
    <figcaption>
      ${title}
      ${series
        .filter(({ name }) => name !== '')
        .map(
          ({ name, tone }) =>
            html`<span class="chart-key" data-series=${tone}><i class="swatch"></i>${name}</span>`,
        )}
    </figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${title}>
      ${y.ticks.map(
        (at) => svg`<path class="line" d="M${margin.left} ${up(at)}H${WIDTH - margin.right}" />
          <text x=${margin.left - 6} y=${up(at) + 4} text-anchor="end">${at}</text>`,
      )}
      ${x.ticks.map(
        (at) =>
          svg`<text x=${across(at)} y=${HEIGHT - margin.bottom + 16} text-anchor="middle">${at}</text>`,
      )}
      <text class="axis-label" x=${WIDTH - margin.right} y=${HEIGHT - 4} text-anchor="end">
        ${x.label}
      </text>
      ${lines}
      ${
        marker === undefined
          ? nothing
          : svg`<path class="marker" d="M${across(marker)} ${margin.top}V${HEIGHT - margin.bottom}" />`
      }
    </svg>
  </figure>`;
}
