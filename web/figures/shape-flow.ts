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
  answer,
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
  /** Of a query and a key, and of a value, where there is one head. */
  dk: number;
  dv: number;
}

const home: Sizes = { batch: 2, heads: 2, tokens: 4, model: 8, dk: 4, dv: 4 };
const limits: Record<keyof Sizes, readonly [number, number]> = {
  batch: [1, 8],
  heads: [1, 8],
  tokens: [1, 16],
  model: [1, 64],
  dk: [1, 64],
  dv: [1, 64],
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

/** Of a query or a key, and of a value of one head; several heads share the model's width evenly. */
const widthsOf = ({ model, heads, dk, dv }: Sizes, mode: Mode) =>
  mode === 'full' ? ([model / heads, model / heads] as const) : ([dk, dv] as const);

/** What the library makes of tensors of these sizes; their numbers do not matter here. */
function attentionShapes(
  { attention }: Page,
  sizes: Sizes,
  mode: Mode,
): Partial<Record<Box, number[]>> {
  const { batch, heads, tokens } = sizes;
  const [key, value] = widthsOf(sizes, mode).map((width) => {
    const shape = mode === 'full' ? [batch, heads, tokens, width] : [tokens, width];
    return { shape, data: new Float32Array(shape.reduce((a, b) => a * b)) };
  });
  const { steps } = attention.explain(key!, key!, value!, { mask: 'causal' });
  const inside = (['scores', 'scaled', 'masked', 'weights', 'output'] as const).map((name) => [
    name,
    steps[name].shape,
  ]);
  return { ...Object.fromEntries(inside), split: key!.shape } as Partial<Record<Box, number[]>>;
}

function shapesOf(page: Page, sizes: Sizes, mode: Mode): Record<Box, number[]> {
  const { batch, heads, tokens, model } = sizes;
  const lead = mode === 'full' ? [batch, tokens] : [tokens];
  const [keys, values] = widthsOf(sizes, mode).map((width) => [
    ...lead,
    width * (mode === 'full' ? heads : 1),
  ]);
  const outside = [...lead, model];
  const inside = attentionShapes(page, sizes, mode);
  return {
    x: outside,
    query: keys,
    key: keys,
    value: values,
    join: values,
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

  /** As they are asked for. */
  #asked(): Sizes {
    const names = Object.keys(home) as (keyof Sizes)[];
    const read = names.map((name) => [name, this.whole(name, limits[name], home[name])]);
    return Object.fromEntries(read) as Sizes;
  }

  /** Heads must share the model's width evenly: the nearest width that they do share. */
  #sizes(): Sizes {
    const asked = this.#asked();
    if (this.#mode !== 'full') return asked;
    const { heads, model } = asked;
    return { ...asked, model: Math.max(1, Math.round(model / heads)) * heads };
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
    const tables = [{ name: 'shapes', head: ['box', 'shape'], rows }];
    return { calls: [], programs: () => this.#programs(page), tables };
  }

  async #programs(page: Page) {
    const mode = this.#mode;
    if (mode === 'check') {
      const { shapeCheckPrograms } = await import('../export/shape-check-program.js');
      const found = answer(page, this.#shapes);
      return shapeCheckPrograms({
        ...this.#shapes,
        answer: found instanceof Error ? found.code : found,
      });
    }
    const { shapePrograms } = await import('../export/shape-program.js');
    const sizes = this.#sizes();
    const { batch, heads, tokens, model } = sizes;
    const [dk, dv] = widthsOf(sizes, mode);
    const shapes = shapesOf(page, sizes, mode);
    const split = mode === 'full' ? { batch, heads } : undefined;
    return shapePrograms({ split, tokens, model, dk, dv, shapes });
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
    const { model, heads } = sizes;
    const { model: asked } = this.#asked();
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
        ${mode === 'full' ? nothing : html`${slider('dk', 'd_k')} ${slider('dv', 'd_v')}`}
      </div>
      ${flowView(page, sizes, mode, this.chosen, (box) => (this.chosen = box))}
      <p class="remark">
        ${
          mode === 'full'
            ? html`${fill(own.widths, { width: model / heads, model, heads })}
              ${asked === model ? nothing : fill(own.uneven, { asked, model, heads })}`
            : own.note
        }
      </p>`;
  }
}
