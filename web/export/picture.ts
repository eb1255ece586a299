// The matrices of a figure as they stand on the page, as SVG and as PNG: one list of what there is
// to draw, and two ways to draw it.

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

type Item =
  | (Box & { kind: 'fill' | 'frame'; color: string })
  | (Box & { kind: 'hatch'; color: string; rising: boolean })
  | { kind: 'line'; color: string; size: number; from: [number, number]; to: [number, number] }
  | { kind: 'text'; color: string; font: Font; text: string; x: number; y: number };

interface Font {
  family: string;
  size: number;
  weight: string;
  style: string;
}

export interface Picture {
  width: number;
  height: number;
  items: Item[];
}

const MARGIN = 12;
const HATCH = 6;

const context = (width: number, height: number) => {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  return canvas.getContext('2d', { willReadFrequently: true })!;
};

/** "#rrggbb" of any colour CSS can write, on what lies below; undefined for what cannot be seen. */
function colorReader() {
  const pixel = context(1, 1);
  return (css: string, below = '#ffffff'): string | undefined => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = css;
    pixel.fillRect(0, 0, 1, 1);
    if (pixel.getImageData(0, 0, 1, 1).data[3] === 0) return undefined;
    pixel.globalCompositeOperation = 'destination-over';
    pixel.fillStyle = below;
    pixel.fillRect(0, 0, 1, 1);
    pixel.globalCompositeOperation = 'source-over';
    const [r, g, b] = pixel.getImageData(0, 0, 1, 1).data;
    return `#${[r, g, b].map((part) => part!.toString(16).padStart(2, '0')).join('')}`;
  };
}

const fontOf = (style: CSSStyleDeclaration): Font => ({
  family: style.fontFamily,
  size: parseFloat(style.fontSize),
  weight: style.fontWeight,
  style: style.fontStyle,
});
const cssFont = ({ family, size, weight, style }: Font) => `${style} ${weight} ${size}px ${family}`;

/** Reads every matrix below `root` off the page; NaN's cross and the grid's focus are left out. */
export function pictureOf(root: ParentNode, paper: string): Picture {
  const matrices = [...root.querySelectorAll('.matrix')].filter(
    (matrix) => matrix.getBoundingClientRect().width > 0,
  );
  const boxes = matrices.map((matrix) => matrix.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)) - MARGIN;
  const top = Math.min(...boxes.map((box) => box.top)) - MARGIN;
  const width = Math.ceil(Math.max(...boxes.map((box) => box.right)) - left + MARGIN);
  const height = Math.ceil(Math.max(...boxes.map((box) => box.bottom)) - top + MARGIN);
  const place = (box: DOMRect): Box => ({
    x: box.left - left,
    y: box.top - top,
    width: box.width,
    height: box.height,
  });
  const color = colorReader();
  const background = color(paper) ?? '#ffffff';
  const measure = context(1, 1);

  const cellItems = (cell: HTMLElement): Item[] => {
    const style = getComputedStyle(cell);
    const box = place(cell.getBoundingClientRect());
    const fill = color(style.backgroundColor, background);
    const items: Item[] = fill ? [{ kind: 'fill', color: fill, ...box }] : [];
    const { cause } = cell.dataset;
    if (cause !== undefined && style.backgroundImage !== 'none') {
      const hatch = color(style.color, background) ?? '#888888';
      items.push({ kind: 'hatch', color: hatch, rising: cause !== 'padding', ...box });
    }
    items.push({ kind: 'frame', color: color(style.borderTopColor, background) ?? '#ddd', ...box });
    return items;
  };

  /** The edges around what the reader points at. */
  const edgeItems = (cell: HTMLElement): Item[] => {
    const style = getComputedStyle(cell, '::after');
    const { x, y, width: w, height: h } = place(cell.getBoundingClientRect());
    const corners = { Top: [x, y, x + w, y], Bottom: [x, y + h, x + w, y + h] };
    const sides = { Left: [x, y, x, y + h], Right: [x + w, y, x + w, y + h] };
    return Object.entries({ ...corners, ...sides }).flatMap(([side, [x1, y1, x2, y2]]): Item[] => {
      const size = parseFloat(style[`border${side}Width` as 'borderTopWidth']);
      const edge = color(style[`border${side}Color` as 'borderTopColor'], background);
      if (!size || !edge) return [];
      return [{ kind: 'line', color: edge, size, from: [x1!, y1!], to: [x2!, y2!] }];
    });
  };

  const textItems = (matrix: Element): Item[] => {
    const items: Item[] = [];
    const walker = document.createTreeWalker(matrix, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      const text = node.data.trim().replace(/\s+/g, ' ');
      const parent = node.parentElement!;
      if (text === '' || parent.closest('.visually-hidden')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = place(range.getBoundingClientRect());
      const style = getComputedStyle(parent);
      const font = fontOf(style);
      measure.font = cssFont(font);
      const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = measure.measureText(text);
      items.push({
        kind: 'text',
        color: color(style.color, background) ?? '#000000',
        font,
        text,
        x: box.x + box.width / 2,
        y: box.y + (box.height + up - down) / 2,
      });
    }
    for (const bar of matrix.querySelectorAll('.radicand')) {
      const { x, y, width: w } = place(bar.getBoundingClientRect());
      const ink = color(getComputedStyle(bar).color, background) ?? '#000000';
      items.push({ kind: 'line', color: ink, size: 1, from: [x, y], to: [x + w, y] });
    }
    return items;
  };

  const cells = matrices.flatMap((matrix) => [...matrix.querySelectorAll<HTMLElement>('td.cell')]);
  return {
    width,
    height,
    items: [
      { kind: 'fill', color: background, x: 0, y: 0, width, height },
      ...cells.flatMap(cellItems),
      ...cells.filter((cell) => cell.dataset.mark !== undefined).flatMap(edgeItems),
      ...matrices.flatMap(textItems),
    ],
  };
}

/** The lines of a hatch inside a box: at 45°, `HATCH` px apart. */
function hatchLines({ x, y, width, height, rising }: Box & { rising: boolean }) {
  const lines: [number, number, number, number][] = [];
  for (let offset = HATCH; offset < width + height; offset += HATCH) {
    const [x1, y1] = offset < height ? [0, offset] : [offset - height, height];
    const [x2, y2] = offset < width ? [offset, 0] : [width, offset - width];
    if (rising) lines.push([x + x1, y + y1, x + x2, y + y2]);
    else lines.push([x + width - x1, y + y1, x + width - x2, y + y2]);
  }
  return lines;
}

const escape = (text: string) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!,
  );
const round = (x: number) => String(Math.round(x * 100) / 100);

function svgItem(item: Item): string {
  switch (item.kind) {
    case 'fill':
    case 'frame': {
      const size = `width="${round(item.width)}" height="${round(item.height)}"`;
      const paint =
        item.kind === 'fill' ? `fill="${item.color}"` : `fill="none" stroke="${item.color}"`;
      return `<rect x="${round(item.x)}" y="${round(item.y)}" ${size} ${paint}/>`;
    }
    case 'hatch': {
      const path = hatchLines(item).map(
        ([x1, y1, x2, y2]) => `M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}`,
      );
      return `<path d="${path.join('')}" stroke="${item.color}" stroke-opacity="0.4"/>`;
    }
    case 'line': {
      const [[x1, y1], [x2, y2]] = [item.from, item.to];
      return `<path d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}" stroke="${item.color}" stroke-width="${item.size}"/>`;
    }
    case 'text': {
      const { family, size, weight, style } = item.font;
      const font = `font-family="${escape(family)}" font-size="${round(size)}" font-weight="${weight}" font-style="${style}"`;
      return `<text x="${round(item.x)}" y="${round(item.y)}" text-anchor="middle" ${font} fill="${item.color}">${escape(item.text)}</text>`;
    }
  }
}

export function toSVG({ width, height, items }: Picture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${items.map(svgItem).join('\n')}
</svg>
`;
}

function paint(canvas: CanvasRenderingContext2D, item: Item): void {
  canvas.fillStyle = canvas.strokeStyle = item.color;
  canvas.lineWidth = item.kind === 'line' ? item.size : 1;
  canvas.globalAlpha = item.kind === 'hatch' ? 0.4 : 1;
  const stroke = (lines: [number, number, number, number][]) => {
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
      return stroke([[...item.from, ...item.to]]);
    case 'text':
      canvas.font = cssFont(item.font);
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
