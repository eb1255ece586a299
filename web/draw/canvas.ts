// A large matrix as a picture: one pixel per cell.
import { type TemplateResult, html, nothing } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { Scale } from './scale.js';

export interface Picture {
  label: string;
  data: ArrayLike<number>;
  rows: number;
  columns: number;
  scale: Scale;
  domain: number;
  isBlocked: (at: number) => boolean;
  /** The cell that is pointed out. */
  mark: { row: number; column: number } | null;
  /** Called with the cell under the pointer, and with the one that is clicked. */
  look: (row: number, column: number) => void;
  keep: (row: number, column: number) => void;
  leave: () => void;
}

type Color = readonly [red: number, green: number, blue: number];

/** What a colour token comes to here and now, in this theme. */
function colorOf(host: Element, token: string): Color {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  host.append(probe);
  const [red, green, blue] = getComputedStyle(probe)
    .color.match(/[\d.]+/g)!
    .map(Number);
  probe.remove();
  return [red!, green!, blue!];
}

const LEVELS = 256;
const isLittle = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
/** As one number, the way a canvas stores it. */
const packed = ([red, green, blue]: Color) =>
  isLittle
    ? ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
    : ((red << 24) | (green << 16) | (blue << 8) | 255) >>> 0;
const ramp = (from: Color, to: Color) =>
  Uint32Array.from({ length: LEVELS }, (_, level) => {
    const share = level / (LEVELS - 1);
    const mixed = from.map((channel, at) => Math.round(channel + (to[at]! - channel) * share));
    return packed(mixed as unknown as Color);
  });

/** So many lines of hatching go over a picture. */
const HATCHES = 80;

/** So many cells are painted in one go; then the page has its turn. */
const AT_ONCE = 1 << 17;

/** Goes on while `isWanted`. */
async function paint(
  canvas: HTMLCanvasElement,
  { data, rows, columns, scale, domain, isBlocked }: Picture,
  colors: Colors,
  isWanted: () => boolean,
): Promise<void> {
  canvas.width = columns;
  canvas.height = rows;
  const above = ramp(colors.surface, scale === 'weight' ? colors.weight : colors.positive);
  const below = ramp(colors.surface, colors.negative);
  // Not allowed: hatched as in a table, which no tint is. Not a number: black.
  const [plain, line] = [packed(colors.surface), packed(colors.line)];
  const period = Math.max(Math.round(Math.max(rows, columns) / HATCHES), 3);
  const isLine = (row: number, column: number) => (row + column) % period < period / 3;
  const black = packed([0, 0, 0]);
  const perCell = (LEVELS - 1) / domain;
  const context = canvas.getContext('2d')!;
  const strip = Math.max(Math.floor(AT_ONCE / columns), 1);
  for (let top = 0; top < rows && isWanted(); top += strip) {
    const height = Math.min(strip, rows - top);
    const image = context.createImageData(columns, height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let at = 0; at < pixels.length; ++at) {
      const x = data[top * columns + at]!;
      const level = Math.min(Math.abs(x) * perCell, LEVELS - 1);
      pixels[at] = isBlocked(top * columns + at)
        ? isLine(top + Math.floor(at / columns), at % columns)
          ? line
          : plain
        : Number.isNaN(x)
          ? black
          : (x < 0 ? below : above)[Math.round(level)]!;
    }
    context.putImageData(image, 0, top);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const tokens = ['surface', 'weight', 'positive', 'negative', 'line'] as const;
type Colors = Record<(typeof tokens)[number], Color>;

/** What each canvas shows: nothing is painted twice, and a change of theme is. */
const painted = new WeakMap<Element, { data: ArrayLike<number>; domain: number; theme: string }>();

/** From this share of an axis on there may be no room for a number behind its tick. */
const LATE = 0.8;

/** How many numbers stand along an axis, at most and about. */
const TICKS = 5;

/** Places along an axis, from 0: the first, and from there on round numbers, counted from 1. */
export function ticksOf(count: number): number[] {
  const least = count / TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max([1, 2, 5, 10].find((factor) => factor * power >= least)! * power, 1);
  const round = Array.from(
    { length: Math.floor(count / step) },
    (_, index) => (index + 1) * step - 1,
  );
  return [0, ...round.filter((at) => at >= step / 2)];
}

/** From so many cells on there are more than pixels: what is shown is their mean. */
const FINE = 640;

export function pictureView(picture: Picture): TemplateResult {
  const { rows, columns, data, domain } = picture;
  const draw = (canvas: HTMLCanvasElement) => {
    if (!canvas.isConnected) return;
    // The ink tells the theme; to ask for the colours costs more, and a pointer that moves does not.
    const theme = getComputedStyle(canvas).color;
    const last = painted.get(canvas);
    if (last?.data === data && last.domain === domain && last.theme === theme) return;
    const now = { data, domain, theme };
    painted.set(canvas, now);
    const found = Object.fromEntries(
      tokens.map((token) => [token, colorOf(canvas.parentElement!, `--${token}`)]),
    ) as Colors;
    void paint(canvas, picture, found, () => painted.get(canvas) === now);
  };
  // A new canvas has its styles only once it is in the document.
  const drawSoon = (element?: Element) => {
    if (element instanceof HTMLCanvasElement) queueMicrotask(() => draw(element));
  };
  const cellUnder = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const at = (offset: number, length: number, count: number) =>
      Math.min(Math.max(Math.floor((offset / length) * count), 0), count - 1);
    return [
      at(event.clientY - box.top, box.height, rows),
      at(event.clientX - box.left, box.width, columns),
    ] as const;
  };
  const { mark } = picture;
  const percent = (index: number, count: number) => `${((index + 0.5) / count) * 100}%`;
  const axis = (name: 'across' | 'down', count: number) =>
    html`<div class="ticks" data-axis=${name} aria-hidden="true">
      ${ticksOf(count).map(
        (index) =>
          html`<span style="--at:${percent(index, count)}" ?data-late=${index > LATE * count}
            >${index + 1}</span
          >`,
      )}
    </div>`;
  return html`${axis('across', columns)} ${axis('down', rows)}
    <div class="picture" style="aspect-ratio:${columns} / ${rows}">
      <canvas
        role="img"
        aria-label=${picture.label}
        ?data-fine=${Math.max(rows, columns) > FINE}
        ${ref(drawSoon)}
        @pointermove=${(event: MouseEvent) => picture.look(...cellUnder(event))}
        @pointerleave=${picture.leave}
        @click=${(event: MouseEvent) => picture.keep(...cellUnder(event))}
      ></canvas>
      ${
        mark
          ? html`<i
              style="left:${percent(mark.column, columns)};top:${percent(mark.row, rows)}"
            ></i>`
          : nothing
      }
    </div>`;
}
