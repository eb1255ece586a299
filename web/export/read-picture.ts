// A figure as it stands on the page, as a list of what there is to draw.
import {
  type Box,
  type Direction,
  type Font,
  type Item,
  type Picture,
  context,
  cssFont,
} from './picture.js';

const MARGIN = 12;
/** What a figure shows: its matrices, and whatever else it says is part of its picture. */
const SHOWN = '.matrix, [data-picture]';
/** What is there to be used or read out, not to be seen. */
const CONTROLS = '.visually-hidden, .katex-mathml, .tools, button:not(.box)';

/** As the page hatches what a rule forbids; crossed where it says nothing else. */
const directionsOf: Record<string, readonly Direction[]> = {
  causal: ['falling'],
  padding: ['rising'],
  window: ['level'],
  documents: ['upright'],
  prefix: ['level', 'upright'],
};
const crossed: readonly Direction[] = ['rising', 'falling'];

/** "#rrggbb" of any colour CSS can write, on what lies below; undefined for what cannot be seen. */
function colorReader() {
  const pixel = context(1, 1);
  return (css: string, below = '#ffffff'): string | undefined => {
    if (css === 'none') return undefined;
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

const fontOf = (style: CSSStyleDeclaration, scale: number): Font => ({
  family: style.fontFamily,
  size: parseFloat(style.fontSize) * scale,
  weight: style.fontWeight,
  style: style.fontStyle,
});

/** A shape of an SVG as a path. */
function outlineOf(shape: SVGGeometryElement): string {
  const number = (name: string) => Number(shape.getAttribute(name));
  switch (shape.localName) {
    case 'line':
      return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`;
    case 'polygon':
      return `M${shape.getAttribute('points')!}Z`;
    case 'circle': {
      const [x, y, r] = [number('cx'), number('cy'), number('r')];
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    }
    default:
      return shape.getAttribute('d') ?? '';
  }
}

/** Where it ends, to the right and below. */
function endOf(item: Item): readonly [x: number, y: number] {
  if ('end' in item) return item.end;
  if (item.kind !== 'line') return [item.x + item.width, item.y + item.height];
  const [x1, y1, x2, y2] = item.line;
  return [Math.max(x1, x2), Math.max(y1, y2)];
}

/** The lines of a text as they are broken on the page. */
function linesIn(node: Text): { text: string; box: DOMRect }[] {
  const lines: { text: string; range: Range }[] = [];
  let top = NaN;
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const line = lines.at(-1);
    const box = range.getBoundingClientRect();
    if (line && Math.abs(box.top - top) < 1) {
      line.range.setEnd(node, index + word.length);
      line.text += ` ${word}`;
    } else lines.push({ text: word, range });
    top = box.top;
  }
  return lines.map(({ text, range }) => ({ text, box: range.getBoundingClientRect() }));
}

/** Reads what a figure shows off the page; the grid's focus is left out. */
export function pictureOf(root: ParentNode, paper: string): Picture {
  const parts = [...root.querySelectorAll(SHOWN)].filter(
    (part) =>
      !part.parentElement?.closest(SHOWN) &&
      part.checkVisibility() &&
      part.getBoundingClientRect().width > 0,
  );
  const boxes = parts.map((part) => part.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)) - MARGIN;
  const top = Math.min(...boxes.map((box) => box.top)) - MARGIN;
  const place = ({ x, y, width, height }: DOMRect): Box => ({
    x: x - left,
    y: y - top,
    width,
    height,
  });
  const color = colorReader();
  const background = color(paper) ?? '#ffffff';
  const measure = context(1, 1);

  /** Its four edges, where they have a width. */
  const edgeItems = (box: Box, style: CSSStyleDeclaration): Item[] => {
    const { x, y, width: w, height: h } = box;
    const ends = {
      Top: [x, y, x + w, y],
      Bottom: [x, y + h, x + w, y + h],
      Left: [x, y, x, y + h],
      Right: [x + w, y, x + w, y + h],
    } as const;
    return Object.entries(ends).flatMap(([side, line]): Item[] => {
      const size = parseFloat(style[`border${side}Width` as 'borderTopWidth']);
      const edge = color(style[`border${side}Color` as 'borderTopColor'], background);
      return size && edge ? [{ kind: 'line', color: edge, size, line }] : [];
    });
  };

  const hatchItems = ({ dataset }: HTMLElement, style: CSSStyleDeclaration, box: Box): Item[] => {
    const { cause } = dataset;
    if (cause === undefined || style.backgroundImage === 'none') return [];
    const hatch = color(style.color, background) ?? '#888888';
    return [{ kind: 'hatch', color: hatch, directions: directionsOf[cause] ?? crossed, ...box }];
  };

  /** A share drawn as a length: one colour over a part of the width. */
  const barItems = ({ backgroundImage, backgroundSize }: CSSStyleDeclaration, box: Box): Item[] => {
    const [, of] = /^linear-gradient\((.+), \1\)$/.exec(backgroundImage) ?? [];
    const [, percent] = /^([\d.]+)% 100%$/.exec(backgroundSize) ?? [];
    const fill = of && color(of, background);
    return fill && percent
      ? [{ kind: 'fill', color: fill, ...box, width: (box.width * Number(percent)) / 100 }]
      : [];
  };

  const cellItems = (cell: HTMLElement): Item[] => {
    const style = getComputedStyle(cell);
    const box = place(cell.getBoundingClientRect());
    const fill = color(style.backgroundColor, background);
    const items: Item[] = fill ? [{ kind: 'fill', color: fill, ...box }] : [];
    items.push(...barItems(style, box), ...hatchItems(cell, style, box));
    if (cell.dataset.tone === 'nan') {
      const { x, y, width, height } = box;
      const line = (from: number, to: number): Item => ({
        ...{ kind: 'line', color: '#767676', size: 1 },
        line: [x, from, x + width, to],
      });
      items.push(line(y, y + height), line(y + height, y));
    }
    items.push({ kind: 'frame', color: color(style.borderTopColor, background) ?? '#ddd', ...box });
    return items;
  };

  const shapeItem = (shape: SVGGeometryElement): Item => {
    const style = getComputedStyle(shape);
    const { a, b, c, d, e, f } = shape.getScreenCTM()!;
    const { x, y, width, height } = place(shape.getBoundingClientRect());
    return {
      kind: 'path',
      d: outlineOf(shape),
      matrix: [a, b, c, d, e - left, f - top],
      fill: color(style.fill, background),
      stroke: color(style.stroke, background),
      size: parseFloat(style.strokeWidth),
      dashes:
        style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(',').map(parseFloat),
      opacity: Number(style.opacity) * Number(style.fillOpacity),
      end: [x + width, y + height],
    };
  };

  const elementItems = (element: Element): Item[] => {
    if (element.closest(CONTROLS) || !element.checkVisibility()) return [];
    if (element instanceof SVGGeometryElement) return [shapeItem(element)];
    if (!(element instanceof HTMLElement) || element instanceof HTMLInputElement) return [];
    if (element.matches('td.cell')) return cellItems(element);
    const style = getComputedStyle(element);
    const box = place(element.getBoundingClientRect());
    const fill = color(style.backgroundColor, background);
    const items: Item[] = fill ? [{ kind: 'fill', color: fill, ...box }] : [];
    return [...items, ...hatchItems(element, style, box), ...edgeItems(box, style)];
  };

  const textItem = (text: string, on: DOMRect, parent: Element): Item => {
    const style = getComputedStyle(parent);
    const isDrawing = parent instanceof SVGGraphicsElement;
    const font = fontOf(style, isDrawing ? parent.getScreenCTM()!.a : 1);
    measure.font = cssFont(font);
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = measure.measureText(text);
    const box = place(on);
    const size = parseFloat(style.webkitTextStrokeWidth) || 0;
    const around = size > 0 ? color(style.webkitTextStrokeColor, background) : undefined;
    return {
      kind: 'text',
      color: color(isDrawing ? style.fill : style.color, background) ?? '#000000',
      font,
      text,
      x: box.x + box.width / 2,
      y: box.y + (box.height + up - down) / 2,
      halo: around === undefined ? undefined : { color: around, size },
      end: [box.x + box.width, box.y + box.height],
    };
  };

  const textItems = (part: Element): Item[] => {
    const items: Item[] = [];
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      const parent = node.parentElement!;
      if (parent.closest(CONTROLS) || !parent.checkVisibility()) continue;
      for (const { text, box } of linesIn(node)) {
        if (box.width > 0) items.push(textItem(text, box, parent));
      }
    }
    for (const input of part.querySelectorAll<HTMLInputElement>('input[type="number"]')) {
      items.push(textItem(input.value, input.getBoundingClientRect(), input));
    }
    return items;
  };

  const elements = parts.flatMap((part) => [part, ...part.querySelectorAll('*')]);
  const marked = parts.flatMap((part) => [...part.querySelectorAll('td.cell[data-mark]')]);
  const items = [
    ...elements.flatMap(elementItems),
    // The edges around what the reader points at.
    ...marked.flatMap((cell) =>
      edgeItems(place(cell.getBoundingClientRect()), getComputedStyle(cell, '::after')),
    ),
    ...parts.flatMap(textItems),
  ];
  // A part may be wider than what stands in it.
  const [width, height] = ([0, 1] as const).map((axis) =>
    Math.ceil(Math.max(...items.map((item) => endOf(item)[axis])) + MARGIN),
  ) as [number, number];
  const sheet = { kind: 'fill', color: background, x: 0, y: 0, width, height } as const;
  return { width, height, items: [sheet, ...items] };
}
