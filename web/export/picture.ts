// A picture as a list of what there is to draw, and two ways to draw it: SVG and PNG.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Font {
  family: string;
  size: number;
  weight: string;
  style: string;
}

export type Direction = 'rising' | 'falling' | 'level' | 'upright';
/** Where it ends, to the right and below. */
type End = readonly [x: number, y: number];
type Line = readonly [x1: number, y1: number, x2: number, y2: number];

export type Item =
  | (Box & { kind: 'fill' | 'frame'; color: string })
  | (Box & { kind: 'hatch'; color: string; directions: readonly Direction[] })
  | { kind: 'line'; color: string; size: number; line: Line }
  | {
      kind: 'path';
      d: string;
      /** What brings it to its place, as SVG writes it. */
      matrix: readonly number[];
      fill: string | undefined;
      stroke: string | undefined;
      size: number;
      dashes: readonly number[];
      opacity: number;
      end: End;
    }
  | {
      kind: 'text';
      color: string;
      font: Font;
      text: string;
      x: number;
      y: number;
      /** What keeps it clear of what it stands on. */
      halo: { color: string; size: number } | undefined;
      end: End;
    };

export interface Picture {
  width: number;
  height: number;
  items: Item[];
}

const HATCH = 6;

export function context(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  return canvas.getContext('2d', { willReadFrequently: true })!;
}

export const cssFont = ({ family, size, weight, style }: Font) =>
  `${style} ${weight} ${size}px ${family}`;

/** The lines of a hatch inside a box, `HATCH` px apart, measured across them. */
function hatchLines({
  x,
  y,
  width,
  height,
  directions,
}: Box & { directions: readonly Direction[] }) {
  const offsets = (end: number, gap = HATCH) =>
    Array.from({ length: Math.ceil(end / gap) - 1 }, (_, index) => (index + 1) * gap);
  const slanted = offsets(width + height, HATCH * Math.SQRT2).map((offset): Line => {
    const [x1, y1] = offset < height ? [0, offset] : [offset - height, height];
    const [x2, y2] = offset < width ? [offset, 0] : [width, offset - width];
    return [x1, y1, x2, y2];
  });
  const lines: Record<Direction, () => Line[]> = {
    rising: () => slanted,
    falling: () => slanted.map(([x1, y1, x2, y2]) => [width - x1, y1, width - x2, y2]),
    level: () => offsets(height).map((at) => [0, at, width, at]),
    upright: () => offsets(width).map((at) => [at, 0, at, height]),
  };
  return directions
    .flatMap((direction) => lines[direction]())
    .map(([x1, y1, x2, y2]): Line => [x + x1, y + y1, x + x2, y + y2]);
}

const escape = (text: string) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!,
  );
const round = (x: number) => String(Math.round(x * 100) / 100);
const pathOf = (lines: readonly Line[]) =>
  lines.map(([x1, y1, x2, y2]) => `M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}`).join('');

function svgItem(item: Item): string {
  switch (item.kind) {
    case 'fill':
    case 'frame': {
      const size = `width="${round(item.width)}" height="${round(item.height)}"`;
      const paint =
        item.kind === 'fill' ? `fill="${item.color}"` : `fill="none" stroke="${item.color}"`;
      return `<rect x="${round(item.x)}" y="${round(item.y)}" ${size} ${paint}/>`;
    }
    case 'hatch':
      return `<path d="${pathOf(hatchLines(item))}" stroke="${item.color}" stroke-opacity="0.5"/>`;
    case 'line':
      return `<path d="${pathOf([item.line])}" stroke="${item.color}" stroke-width="${item.size}"/>`;
    case 'path': {
      const { d, matrix, fill = 'none', stroke = 'none', size, dashes, opacity } = item;
      const dash = dashes.length > 0 ? ` stroke-dasharray="${dashes.join(' ')}"` : '';
      return `<path d="${escape(d)}" transform="matrix(${matrix.join(' ')})" fill="${fill}" stroke="${stroke}" stroke-width="${size}"${dash} opacity="${opacity}"/>`;
    }
    case 'text': {
      const { family, size, weight, style } = item.font;
      const font = `font-family="${escape(family)}" font-size="${round(size)}" font-weight="${weight}" font-style="${style}"`;
      const halo = item.halo
        ? ` stroke="${item.halo.color}" stroke-width="${round(item.halo.size)}" paint-order="stroke"`
        : '';
      return `<text x="${round(item.x)}" y="${round(item.y)}" text-anchor="middle" ${font} fill="${item.color}"${halo}>${escape(item.text)}</text>`;
    }
  }
}

export function toSVG({ width, height, items }: Picture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${items.map(svgItem).join('\n')}
</svg>
`;
}

function paintPath(canvas: CanvasRenderingContext2D, item: Item & { kind: 'path' }): void {
  const path = new Path2D(item.d);
  canvas.save();
  canvas.globalAlpha = item.opacity;
  canvas.transform(...(item.matrix as [number, number, number, number, number, number]));
  if (item.fill) {
    canvas.fillStyle = item.fill;
    canvas.fill(path);
  }
  if (item.stroke) {
    canvas.strokeStyle = item.stroke;
    canvas.lineWidth = item.size;
    canvas.setLineDash([...item.dashes]);
    canvas.stroke(path);
  }
  canvas.restore();
}

function paint(canvas: CanvasRenderingContext2D, item: Item): void {
  if (item.kind === 'path') return paintPath(canvas, item);
  canvas.fillStyle = canvas.strokeStyle = item.color;
  canvas.lineWidth = item.kind === 'line' ? item.size : 1;
  canvas.globalAlpha = item.kind === 'hatch' ? 0.5 : 1;
  const stroke = (lines: readonly Line[]) => {
    canvas.beginPath();
    for (const [x1, y1, x2, y2] of lines) {
      canvas.moveTo(x1, y1);
      canvas.lineTo(x2, y2);
    }
    canvas.stroke();
  };
  switch (item.kind) {
    case 'fill':
      return canvas.fillRect(item.x, item.y, item.width, item.height);
    case 'frame':
      return canvas.strokeRect(item.x, item.y, item.width, item.height);
    case 'hatch':
      return stroke(hatchLines(item));
    case 'line':
      return stroke([item.line]);
    case 'text':
      canvas.font = cssFont(item.font);
      if (item.halo) {
        canvas.strokeStyle = item.halo.color;
        canvas.lineWidth = item.halo.size;
        canvas.strokeText(item.text, item.x, item.y);
      }
      return canvas.fillText(item.text, item.x, item.y);
  }
}

/** At twice the size, for slides. */
export async function toPNG({ width, height, items }: Picture): Promise<Blob> {
  const canvas = context(2 * width, 2 * height);
  canvas.scale(2, 2);
  canvas.textAlign = 'center';
  for (const item of items) paint(canvas, item);
  return new Promise((resolve, reject) => {
    canvas.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('PNG'))), 'image/png');
  });
}
