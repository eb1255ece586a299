// The shapes of Q, K and V as the reader sets them: which axes must agree, what comes out, and the
// library's own answer where they do not.
import type { Tensor } from 'attention-wasm';
import { html, nothing } from 'lit';
import en from '../content/en/figures/shape-flow.json';
import zh from '../content/zh/figures/shape-flow.json';
import { withWidths } from '../draw/symbols.js';
import type { Page } from '../state/page.js';
import { parseNumber } from '../state/parse.js';
import { fill } from '../state/words.js';

export const inputNames = ['query', 'key', 'value'] as const;
export type InputName = (typeof inputNames)[number];
const axes = ['batch', 'heads', 'tokens', 'width'] as const;
type Axis = (typeof axes)[number];
export type Shape = readonly [batch: number, heads: number, tokens: number, width: number];
export type Shapes = Readonly<Record<InputName, Shape>>;

/** Another length for the keys, and another width for the values, than one might expect. */
export const homeShapes: Shapes = { query: [2, 4, 3, 8], key: [2, 4, 5, 8], value: [2, 4, 5, 6] };
const most: Shape = [8, 8, 16, 64];

export const writeShape = (shape: Shape): string => shape.join('.');

/** Four numbers, each brought into bounds; undefined where they are not four numbers. */
export function readShape(text: string): Shape | undefined {
  const numbers = text.split('.').map(parseNumber);
  if (numbers.length !== axes.length || numbers.includes(undefined)) return undefined;
  const bounded = numbers.map((x, axis) => Math.min(Math.max(Math.round(x!), 1), most[axis]!));
  return bounded as unknown as Shape;
}

interface Rule {
  name: keyof typeof en.check.rules;
  holds: boolean;
  /** What has to agree, as "input axis". */
  places: string[];
  values: Record<string, number>;
}

function rulesOf({ query, key, value }: Shapes): Rule[] {
  const [batch, heads, , width] = query;
  const [keyBatch, keyHeads, keys, keyWidth] = key;
  const [valueBatch, valueHeads, values] = value;
  const all = (axis: Axis, names: readonly InputName[] = inputNames) =>
    names.map((name) => `${name} ${axis}`);
  return [
    {
      name: 'width',
      holds: width === keyWidth,
      places: all('width', ['query', 'key']),
      values: { query: width, key: keyWidth },
    },
    {
      name: 'tokens',
      holds: keys === values,
      places: all('tokens', ['key', 'value']),
      values: { key: keys, value: values },
    },
    {
      name: 'batch',
      holds: batch === keyBatch && batch === valueBatch,
      places: all('batch'),
      values: { query: batch, key: keyBatch, value: valueBatch },
    },
    {
      name: 'heads',
      holds: keyHeads === valueHeads && heads % keyHeads === 0,
      places: all('heads'),
      values: { query: heads, key: keyHeads, value: valueHeads },
    },
  ];
}

/** The shapes that come out, or the library's refusal. */
function answer({ attention, library }: Page, shapes: Shapes) {
  const zeros = (shape: Shape): Tensor => ({
    shape: [...shape],
    data: new Float32Array(shape.reduce((a, b) => a * b)),
  });
  const { query, key, value } = shapes;
  try {
    const given = [zeros(query), zeros(key), zeros(value)] as const;
    const { output, weights } = attention.scaledDotProductAttention(...given, {
      returns: ['weights'],
    });
    return { weights: weights!.shape, output: output.shape };
  } catch (error) {
    if (error instanceof library.AttentionError) return error.message;
    throw error;
  }
}

const symbolOf = {
  query: html`<var class="query">Q</var>`,
  key: html`<var class="key">K</var>`,
  value: html`<var class="value">V</var>`,
};

export function shapeCheckView(
  page: Page,
  shapes: Shapes,
  change: (name: InputName, shape: Shape) => void,
) {
  const own = { en, zh }[page.language].check;
  const rules = rulesOf(shapes);
  const found = answer(page, shapes);
  const clashes = rules.filter(({ holds }) => !holds).flatMap(({ places }) => places);
  const box = (name: InputName, axis: number) => {
    const place = `${name} ${axes[axis]!}`;
    const take = ({ target }: Event) => {
      const field = target as HTMLInputElement;
      const numbers = shapes[name].map((size, at) => (at === axis ? field.value : size));
      const shape = readShape(numbers.join('.')) ?? shapes[name];
      field.value = String(shape[axis]);
      change(name, shape);
    };
    return html`<td ?data-clash=${clashes.includes(place)}>
      <input
        type="number"
        min="1"
        max=${most[axis]!}
        .value=${String(shapes[name][axis])}
        aria-label="${name[0]!.toUpperCase()}, ${own.axes[axes[axis]!]}"
        @change=${take}
      />
    </td>`;
  };
  const result = (name: 'weights' | 'output', shape: readonly number[]) =>
    html`<tr class="result">
      <th scope="row">${own[name]}</th>
      ${shape.map((size) => html`<td>${size}</td>`)}
    </tr>`;
  return html`<div class="shape-check" data-picture>
    <table>
      <thead>
        <tr>
          <td></td>
          ${axes.map((axis) => html`<th scope="col">${own.axes[axis]}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${inputNames.map(
          (name) =>
            html`<tr>
              <th scope="row" class="symbol">${symbolOf[name]}</th>
              ${axes.map((_, axis) => box(name, axis))}
            </tr>`,
        )}
        ${
          typeof found === 'string'
            ? nothing
            : html`${result('weights', found.weights)} ${result('output', found.output)}`
        }
      </tbody>
    </table>
    <div aria-live="polite">
      <ul>
        ${rules.map(
          ({ name, holds, values }) =>
            html`<li data-rule=${name} data-holds=${holds ? 'yes' : 'no'}>
              <span class="sign">${holds ? '✓' : '✗'}</span>
              <span>${withWidths(fill(own.rules[name], values))}</span>
            </li>`,
        )}
      </ul>
      <p class="remark">
        ${typeof found === 'string' ? html`${own.refused} <q lang="en">${found}</q>` : withWidths(own.free)}
      </p>
    </div>
  </div>`;
}
