// A large matrix as a picture: a pixel for each cell, or a square of pixels where there are few.
import { type TemplateResult, html, nothing } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { Kind } from './hatches.js';
import type { Scale } from './scale.js';

export interface Picture {
  label: string;
  data: ArrayLike<number>;
  rows: number;
  columns: number;
  scale: Scale;
  domain: number;
  /** Why each cell is not allowed, by number, 0 where it is; null of a matrix without a mask. */
  causes: Uint8Array | null;
  kindOf: (cause: number) => Kind;
  /** The cell that is pointed out, with its row and its column. */
  mark: { row: number; column: number } | null;
  /** The colours of those two. */
  roles: readonly [row: string, column: string];
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

/** A canvas of few cells is about so many pixels wide, so that there is room for lines within a cell. */
const FINE = 1280;

/** Longer or broader than this a picture is not drawn; its cells are no squares then. */
const [TALL, BROAD] = [0.75, 4];
const shapeOf = ({ rows, columns }: Picture) => Math.min(Math.max(columns / rows, TALL), BROAD);

/**
 * So many lines of hatching go across a picture, each so broad a share of its space. They are laid over
 * the picture, not over its cells, so that they look alike whatever the number of cells. A picture is
 * 300 to 640 px wide: lines are 5 to 10 px apart and 1 to 2 px broad, which is so coarse that no
 * screen makes a moiré of it, also where many cells fall on one pixel and the browser takes their mean.
 */
const [LINES, BREADTH] = [64, 0.2];

/** Whether a place, in lines from the left and from the top, is on a line: the directions of matrix.css. */
type OnLine = (u: number, v: number) => boolean;
const on = (x: number) => x - Math.floor(x) < BREADTH;
const falling: OnLine = (u, v) => on((u - v) * Math.SQRT1_2);
const rising: OnLine = (u, v) => on((u + v) * Math.SQRT1_2);
const crossed: OnLine = (u, v) => falling(u, v) || rising(u, v);
const lines: Partial<Record<Kind, OnLine>> = {
  causal: falling,
  padding: rising,
  window: (_, v) => on(v),
  documents: (u) => on(u),
  prefix: (u, v) => on(u) || on(v),
};

/** So many cells are painted in one go; then the page has its turn. */
const AT_ONCE = 1 << 17;

/** Goes on while `isWanted`. */
async function paint(
  canvas: HTMLCanvasElement,
  picture: Picture,
  colors: Colors,
  isWanted: () => boolean,
): Promise<void> {
  const { data, rows, columns, scale, domain, causes, kindOf } = picture;
  const shape = shapeOf(picture);
  const across = Math.max(Math.floor(FINE / columns), 1);
  const down = Math.max(Math.floor(FINE / shape / rows), 1);
  const width = (canvas.width = columns * across);
  canvas.height = rows * down;
  const above = ramp(colors.surface, scale === 'weight' ? colors.weight : colors.positive);
  const below = ramp(colors.surface, colors.negative);
  // Not allowed: hatched as in a table, which no tint is. Not a number: black.
  const [plain, line] = [packed(colors.surface), packed(colors.hatch)];
  const onLine = Array.from({ length: 256 }, (_, cause) => lines[kindOf(cause)] ?? crossed);
  const [perColumn, perRow] = [LINES / width, LINES / shape / canvas.height];
  const black = packed([0, 0, 0]);
  const perCell = (LEVELS - 1) / domain;
  const context = canvas.getContext('2d')!;
  /** Of a cell that is allowed. */
  const tint = (x: number) => {
    const level = Math.min(Math.abs(x) * perCell, LEVELS - 1);
    return Number.isNaN(x) ? black : (x < 0 ? below : above)[Math.round(level)]!;
  };
  const strip = Math.max(Math.floor(AT_ONCE / width), 1);
  for (let top = 0; top < canvas.height && isWanted(); top += strip) {
    const height = Math.min(strip, canvas.height - top);
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let y = top; y < top + height; ++y) {
      const row = Math.floor(y / down) * columns;
      for (let x = 0; x < width; ++x) {
        const at = row + Math.floor(x / across);
        const cause = causes?.[at] ?? 0;
        const isLine = cause !== 0 && onLine[cause]!(x * perColumn, y * perRow);
        pixels[(y - top) * width + x] = cause === 0 ? tint(data[at]!) : isLine ? line : plain;
      }
    }
    context.putImageData(image, 0, top);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const tokens = ['surface', 'weight', 'positive', 'negative', 'hatch'] as const;
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
  const { mark, roles } = picture;
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
    <div class="picture" style="aspect-ratio:${shapeOf(picture)}">
      <canvas
        role="img"
        aria-label=${picture.label}
        ${ref(drawSoon)}
        @pointermove=${(event: MouseEvent) => picture.look(...cellUnder(event))}
        @pointerleave=${picture.leave}
        @click=${(event: MouseEvent) => picture.keep(...cellUnder(event))}
      ></canvas>
      ${
        mark
          ? html`<span
                data-axis="row"
                style="--at:${percent(mark.row, rows)};--size:${100 / rows}%;--role:var(--${roles[0]})"
              ></span>
              <span
                data-axis="column"
                style="--at:${percent(mark.column, columns)};--size:${100 / columns}%;--role:var(--${roles[1]})"
              ></span
              ><i style="left:${percent(mark.column, columns)};top:${percent(mark.row, rows)}"></i>`
          : nothing
      }
    </div>`;
}
