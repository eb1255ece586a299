// A small line chart: lines with their names at their ends, bands, a marker for where the reader is.
import { type SVGTemplateResult, html, nothing, svg } from 'lit';

export interface Series {
  name: string;
  /** The article's numbers stand for themselves: points, no line. */
  tone: 'raw' | 'scaled' | 'theory' | 'article';
  points: readonly (readonly [x: number, y: number])[];
  /** Low and high at each x: where most of the draws lie. */
  band?: readonly (readonly [x: number, low: number, high: number])[];
}

export interface Chart {
  title: string;
  /** In pixels, as it stands on the page, so that its lettering is as large as all other. */
  width: number;
  series: readonly Series[];
  x: { label: unknown; from: number; to: number; ticks: readonly number[] };
  y: { from: number; to: number; ticks: readonly number[]; isLog?: boolean };
  marker?: number;
}

const HEIGHT = 232;
/** From one name at the end of a line to the next. */
const LINE = 16;

/** About as many pixels as a name takes. */
const lengthOf = (name: string) =>
  [...name].reduce((length, sign) => length + (sign > '\u2e80' ? 13 : 7), 0);

/** Moves heights down as far as it takes for none to be upon another. */
function apart(heights: readonly number[]): number[] {
  const moved = [...heights];
  const order = heights.map((_, index) => index).sort((a, b) => heights[a]! - heights[b]!);
  order.forEach((index, place) => {
    const above = moved[order[place - 1]!];
    if (above !== undefined) moved[index] = Math.max(moved[index]!, above + LINE);
  });
  return moved;
}

export function chartView({ title, width, series, x, y, marker }: Chart) {
  const names = Math.max(...series.map(({ name }) => lengthOf(name)));
  const margin = { left: 40, right: Math.max(names + 12, 40), top: 10, bottom: 24 };
  const end = width - margin.right;
  const across = (at: number) =>
    margin.left + ((at - x.from) / (x.to - x.from)) * (end - margin.left);
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
  const heights = apart(series.map(({ points }) => up(points.at(-1)![1])));
  const lines: SVGTemplateResult[] = series.map(
    ({ name, tone, points, band }, index) => svg`<g data-series=${tone}>
      ${band ? svg`<path class="band" d=${bandPath(band)} />` : nothing}
      <path
        class="series"
        d=${tone === 'article' ? points.map((point) => `M${place(point)}h0`).join('') : path(points)}
      />
      <text x=${end + 8} y=${heights[index]! + 4}>${name}</text>
    </g>`,
  );
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label=${title}>
      ${y.ticks.map(
        (at) => svg`<path class="line" d="M${margin.left} ${up(at)}H${end}" />
          <text x=${margin.left - 6} y=${up(at) + 4} text-anchor="end">${at}</text>`,
      )}
      ${x.ticks.map(
        (at) =>
          svg`<text x=${across(at)} y=${HEIGHT - margin.bottom + 16} text-anchor="middle">${at}</text>`,
      )}
      <text x=${end + 20} y=${HEIGHT - margin.bottom + 16}>${x.label}</text>
      ${lines}
      ${
        marker === undefined
          ? nothing
          : svg`<path class="marker" d="M${across(marker)} ${margin.top}V${HEIGHT - margin.bottom}" />`
      }
    </svg>
  </figure>`;
}
