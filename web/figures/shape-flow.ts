// <attention-shape-flow>: twelve boxes from X to the output and the shape in each, for one head or for
// a batch with several; or the reader's own shapes, checked. The shapes inside attention are those of a real call of these sizes.
import { type TemplateResult, html, nothing } from 'lit';
import en from '../content/en/figures/shape-flow.json';
import zh from '../content/zh/figures/shape-flow.json';
import { choiceView, sliderView } from '../draw/controls.js';
import { symbols, withWidths } from '../draw/symbols.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import shapeFlowSheet from '../styles/shape-flow.css?inline';
import { Figure, sheets } from './figure.js';
import {
  type Shape,
  type Shapes,
  homeShapes,
  inputNames,
  readMask,
  readShape,
  shapeCheckView,
  writeMask,
  writeShape,
} from './shape-check.js';

type Box = keyof typeof en.boxes;
const modes = ['single', 'full', 'check'] as const;
type Mode = (typeof modes)[number];

interface Sizes {
  batch: number;
  heads: number;
  tokens: number;
  model: number;
}

const home: Sizes = { batch: 2, heads: 2, tokens: 4, model: 8 };
const limits: Record<keyof Sizes, readonly [number, number]> = {
  batch: [1, 8],
  heads: [1, 8],
  tokens: [1, 16],
  model: [1, 64],
};
const boxes = Object.keys(en.boxes) as Box[];

const titles: Record<Box, TemplateResult> = {
  x: html`<var>X</var>`,
  query: html`<var class="query">Q</var> = <var>X</var><var>W</var><sup><var>Q</var></sup>`,
  key: html`<var class="key">K</var> = <var>X</var><var>W</var><sup><var>K</var></sup>`,
  value: html`<var class="value">V</var> = <var>X</var><var>W</var><sup><var>V</var></sup>`,
  split: html`⋮`,
  scores: symbols.scores,
  scaled: symbols.scaled,
  masked: symbols.masked,
  weights: html`softmax`,
  output: html`× <var>V</var>`,
  join: html`∥`,
  result: html`× <var>W</var><sup><var>O</var></sup>`,
};

/** The width of one head; only divisors of the model's width give whole ones. */
const widthOf = ({ model, heads }: Sizes, mode: Mode) =>
  mode === 'full' ? model / heads : model / 2;

/** What the library makes of tensors of these sizes; their numbers do not matter here. */
function attentionShapes(
  { attention }: Page,
  sizes: Sizes,
  mode: Mode,
): Partial<Record<Box, number[]>> {
  const width = widthOf(sizes, mode);
  const shape =
    mode === 'full' ? [sizes.batch, sizes.heads, sizes.tokens, width] : [sizes.tokens, width];
  const any = { shape, data: new Float32Array(shape.reduce((a, b) => a * b)) };
  const { steps } = attention.explain(any, any, any, { mask: 'causal' });
  const inside = (['scores', 'scaled', 'masked', 'weights', 'output'] as const).map((name) => [
    name,
    steps[name].shape,
  ]);
  return { ...Object.fromEntries(inside), split: shape } as Partial<Record<Box, number[]>>;
}

function shapesOf(page: Page, sizes: Sizes, mode: Mode): Record<Box, number[]> {
  const { batch, heads, tokens, model } = sizes;
  const lead = mode === 'full' ? [batch, tokens] : [tokens];
  const width = widthOf(sizes, mode) * (mode === 'full' ? heads : 1);
  const [outside, projected] = [
    [...lead, model],
    [...lead, width],
  ];
  const inside = attentionShapes(page, sizes, mode);
  return {
    x: outside,
    query: projected,
    key: projected,
    value: projected,
    join: projected,
    result: outside,
    ...inside,
  } as Record<Box, number[]>;
}

const shapeText = (shape: number[]) => `[${shape.join(', ')}]`;

/** To the box at its right, or below it where there is no room. */
const arrow = html`<span class="arrow" aria-hidden="true"
  ><span class="across">→</span><span class="down">↓</span></span
>`;

function flowView(page: Page, sizes: Sizes, mode: Mode, chosen: Box, choose?: (box: Box) => void) {
  const own = { en, zh }[page.language];
  const shapes = shapesOf(page, sizes, mode);
  const isIdle = (box: Box) => mode === 'single' && (box === 'split' || box === 'join');
  const box = (name: Box) => {
    const content = html`<span class="symbol">${titles[name]}</span>
      <span class="box-name">${own.names[name]}</span>
      <span class="box-shape">${isIdle(name) ? own.same : shapeText(shapes[name])}</span>`;
    return html`<li data-box=${name} ?data-idle=${isIdle(name)}>
      ${
        choose
          ? html`<button
              type="button"
              class="box"
              aria-pressed=${name === chosen ? 'true' : 'false'}
              @click=${() => choose(name)}
            >
              ${content}
            </button>`
          : html`<span class="box">${content}</span>`
      }
      ${name === boxes.at(-1) ? nothing : arrow}
    </li>`;
  };
  const count = shapes[chosen].reduce((a, b) => a * b);
  return html`<ol class="flow" data-picture>
      ${boxes.map(box)}
    </ol>
    <p class="flow-says" aria-live="polite">
      <b>${titles[chosen]}</b>
      <span class="box-shape">${isIdle(chosen) ? own.same : shapeText(shapes[chosen])}</span>
      ${withWidths(own.boxes[chosen])} <span class="remark">${fill(own.elements, { count })}</span>
    </p>`;
}

export class AttentionShapeFlow extends Figure {
  static override styles = sheets(shapeFlowSheet);
  static override key = 'shape';
  static override properties = { ...Figure.properties, chosen: { state: true } };

  declare chosen: Box;

  constructor() {
    super();
    this.chosen = 'scores';
  }

  /** Heads must share the model's width evenly: the nearest width that they do share. */
  #sizes(): Sizes {
    const [batch, heads, tokens] = (['batch', 'heads', 'tokens'] as const).map((name) =>
      this.whole(name, limits[name], home[name]),
    ) as [number, number, number];
    const unit = this.#mode === 'full' ? heads : 2;
    const shared = (model: number) => Math.max(unit, Math.round(model / unit) * unit);
    const model = shared(this.whole('model', limits.model, home.model));
    return { batch, heads, tokens, model };
  }

  get #mode(): Mode {
    const read = (text: string) => modes.find((name) => name === text);
    return this.setting<Mode>('mode', read, 'full');
  }

  get #shapes(): Shapes {
    const [query, key, value] = inputNames.map((name) =>
      this.setting(name[0]!, readShape, homeShapes[name], writeShape),
    ) as [Shape, Shape, Shape];
    return { query, key, value, mask: this.setting('m', readMask, homeShapes.mask, writeMask) };
  }

  #setShape<Name extends keyof Shapes>(name: Name, shape: Shapes[Name]): void {
    const text = writeMask(shape);
    this.set(name[0]!, text === writeMask(homeShapes[name]) ? undefined : text);
  }

  protected override exhibit(page: Page) {
    const mode = this.#mode;
    const shapes = mode === 'check' ? this.#shapes : shapesOf(page, this.#sizes(), mode);
    const rows = Object.entries<readonly number[]>(shapes).map(([name, shape]) => [
      name,
      shape.join(' × '),
    ]);
    return { calls: [], tables: [{ name: 'shapes', head: ['box', 'shape'], rows }] };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const shapes = this.#shapes;
    const [sizes, mode] = [this.#sizes(), this.#mode];
    return html`<div class="tools">
        ${choiceView({
          label: own.mode,
          name: 'mode',
          options: modes.map((name) => [name, own.modes[name]]),
          value: mode,
          change: (to) => this.set('mode', to === 'full' ? undefined : to),
        })}
      </div>
      ${
        mode === 'check'
          ? shapeCheckView(page, shapes, (name, shape) => this.#setShape(name, shape))
          : this.#flow(page, sizes, mode)
      }`;
  }

  #flow(page: Page, sizes: Sizes, mode: Mode) {
    const own = { en, zh }[page.language];
    const slider = (name: keyof Sizes, label: string) =>
      sliderView({
        label,
        value: sizes[name],
        min: limits[name][0],
        max: limits[name][1],
        change: (value, isEntry) =>
          this.set(name, value === home[name] ? undefined : String(value), isEntry),
      });
    return html`<div class="sizes">
        ${mode === 'full' ? html`${slider('batch', own.batch)} ${slider('heads', own.heads)}` : nothing}
        ${slider('tokens', own.tokens)} ${slider('model', own.model)}
      </div>
      ${flowView(page, sizes, mode, this.chosen, (box) => (this.chosen = box))}
      <p class="remark">
        ${
          mode === 'full'
            ? fill(own.widths, {
                width: widthOf(sizes, mode),
                model: sizes.model,
                heads: sizes.heads,
              })
            : own.note
        }
      </p>`;
  }
}
