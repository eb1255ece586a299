// The shapes of Q, K, V and the mask as the reader sets them: which axes must agree, what comes out, and the
// library's own answer where they do not.
import type { AttentionError, Tensor } from 'attention-wasm';
import { html, nothing } from 'lit';
import en from '../content/en/figures/shape-flow.json';
import zh from '../content/zh/figures/shape-flow.json';
import { enter, takenView } from '../draw/controls.js';
import { withWidths } from '../draw/symbols.js';
import { refusalOf } from '../state/bench-refusal.js';
import type { Page } from '../state/page.js';
import { parseNumber } from '../state/parse.js';
import { fill } from '../state/words.js';
import { reasonOf } from './reason.js';

export const inputNames = ['query', 'key', 'value'] as const;
export type InputName = (typeof inputNames)[number];
const axes = ['batch', 'heads', 'tokens', 'width'] as const;
type Axis = (typeof axes)[number];
export type Shape = readonly [batch: number, heads: number, tokens: number, width: number];
/** One to four axes, aligned right with those of the scores; none where there is no mask. */
export type MaskShape = readonly number[];
export type Shapes = Readonly<Record<InputName, Shape> & { mask: MaskShape }>;

/** Another length for the keys, and another width for the values, than one might expect. */
export const homeShapes: Shapes = {
  query: [2, 4, 3, 8],
  key: [2, 4, 5, 8],
  value: [2, 4, 5, 6],
  mask: [3, 5],
};
const most: Shape = [8, 8, 16, 64];
/** Of the scores, the weights and the mask. */
const pairAxes = ['batch', 'heads', 'queries', 'keys'] as const;
const mostPairs: Shape = [8, 8, 16, 16];

export const writeShape = (shape: Shape): string => shape.join('.');
export const writeMask = (shape: MaskShape): string => shape.join('.') || 'none';

/** Four numbers, each brought into bounds; undefined where they are not four numbers. */
export function readShape(text: string): Shape | undefined {
  const numbers = text.split('.').map(parseNumber);
  if (numbers.length !== axes.length || numbers.includes(undefined)) return undefined;
  const bounded = numbers.map((x, axis) => Math.min(Math.max(Math.round(x!), 1), most[axis]!));
  return bounded as unknown as Shape;
}

/** Up to four numbers, each brought into bounds; an axis that is left empty ends it. */
export function readMask(text: string): MaskShape | undefined {
  if (text === 'none') return [];
  const parts = text.split('.');
  if (parts.length > pairAxes.length) return undefined;
  const numbers = parts.map(parseNumber);
  const begin = numbers.lastIndexOf(undefined) + 1;
  const axis = pairAxes.length - parts.length;
  return numbers
    .map((x, at) => Math.min(Math.max(Math.round(x ?? 1), 1), mostPairs[axis + at]!))
    .slice(begin);
}

interface Rule {
  name: keyof typeof en.check.rules;
  holds: boolean;
  /** What has to agree, as "input axis". */
  places: string[];
  values: Record<string, number | string>;
}

const bracketed = (shape: readonly number[]) => `[${shape.join(', ')}]`;

/** Each axis of the mask is 1 or what it is spread over; of two axes, it must not look like padding. */
function maskRule({ query, key, mask }: Shapes): Rule {
  const full = [query[0], query[1], query[2], key[2]];
  const skipped = full.length - mask.length;
  const wrong = mask.flatMap((size, at) => (size === 1 || size === full[skipped + at] ? [] : [at]));
  const isPadding = mask.length === 2 && query[0] > 1 && mask[0] === query[0] && mask[1] === key[2];
  const places = isPadding ? [0, 1] : wrong;
  return {
    // Only where there are as many queries as sequences can it be meant for them.
    name: !isPadding ? 'mask' : query[2] === query[0] ? 'either' : 'padding',
    holds: places.length === 0,
    places: places.map((at) => `mask ${pairAxes[skipped + at]!}`),
    values: {
      mask: bracketed(mask),
      full: bracketed(full),
      own: bracketed([query[0], 1, 1, key[2]]),
      whole: bracketed([1, ...full.slice(2)]),
    },
  };
}

function rulesOf(shapes: Shapes): Rule[] {
  const { query, key, value, mask } = shapes;
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
    ...(mask.length > 0 ? [maskRule(shapes)] : []),
  ];
}

/** Tensors of these shapes; their numbers do not matter here. */
function tensorsOf({ query, key, value, mask: shape }: Shapes) {
  const zeros = (of: Shape): Tensor => ({
    shape: [...of],
    data: new Float32Array(of.reduce((a, b) => a * b)),
  });
  const cells = { shape: [...shape], data: new Uint8Array(shape.reduce((a, b) => a * b, 1)) };
  const mask = shape.length > 0 ? cells : undefined;
  return { query: zeros(query), key: zeros(key), value: zeros(value), mask };
}

/** The shapes that come out, or the library's error. */
export function answer({ attention, library }: Page, shapes: Shapes) {
  const { query, key, value, mask } = tensorsOf(shapes);
  try {
    const { output, weights } = attention.scaledDotProductAttention(query, key, value, {
      returns: ['weights'],
      mask: mask && { kind: 'blocked', mask },
    });
    return { weights: weights!.shape, output: output.shape };
  } catch (error) {
    if (error instanceof library.AttentionError) return error;
    throw error;
  }
}

/** Why these shapes are refused, and the library's code of it. */
function refusedView(page: Page, shapes: Shapes, error: AttentionError) {
  const { text, isLibrary } = reasonOf(page, refusalOf(error, tensorsOf(shapes)));
  return html`<span class="refusal" lang=${isLibrary ? 'en' : nothing}>${text}</span>
    <code>AttentionError, ${error.code}</code>`;
}

const symbolOf = {
  query: html`<var class="query">Q</var>`,
  key: html`<var class="key">K</var>`,
  value: html`<var class="value">V</var>`,
};

export function shapeCheckView(
  page: Page,
  shapes: Shapes,
  change: <Name extends keyof Shapes>(name: Name, shape: Shapes[Name]) => void,
) {
  const own = { en, zh }[page.language].check;
  const rules = rulesOf(shapes);
  const found = answer(page, shapes);
  const clashes = rules.filter(({ holds }) => !holds).flatMap(({ places }) => places);
  const box = (name: InputName, axis: number) => {
    const place = `${name} ${axes[axis]!}`;
    const take = ({ target }: Event) => {
      const field = target as HTMLInputElement;
      const value = shapes[name][axis]!;
      const size = enter(field, { min: 1, max: most[axis]!, value }) ?? value;
      field.value = String(size);
      change(name, shapes[name].with(axis, size) as unknown as Shape);
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
  /** An axis may be left out, and those before it with it. */
  const maskBox = (axis: number) => {
    const skipped = pairAxes.length - shapes.mask.length;
    const texts = pairAxes.map((_, at) => String(shapes.mask[at - skipped] ?? ''));
    const take = ({ target }: Event) => {
      const field = target as HTMLInputElement;
      const isEmptied = field.value === '' && !field.validity.badInput;
      const value = Number(texts[axis]);
      const size = isEmptied ? undefined : enter(field, { min: 1, max: mostPairs[axis]!, value });
      const asked = texts.with(axis, isEmptied ? '' : String(size ?? texts[axis]));
      const shape = asked.every((text) => text === '') ? [] : readMask(asked.join('.'))!;
      field.value = String(shape[axis - pairAxes.length + shape.length] ?? '');
      change('mask', shape);
    };
    return html`<td ?data-clash=${clashes.includes(`mask ${pairAxes[axis]!}`)}>
      <input
        type="number"
        min="1"
        max=${mostPairs[axis]!}
        placeholder="–"
        .value=${texts[axis]!}
        aria-label="M, ${own.axes[pairAxes[axis]!]}"
        @change=${take}
      />
    </td>`;
  };
  const [batch, , queries] = shapes.query;
  const [, , keys] = shapes.key;
  const masks: readonly (readonly [string, MaskShape])[] = [
    ['[T, S]', [queries, keys]],
    ['[B, 1, T, S]', [batch, 1, queries, keys]],
    ['[B, S]', [batch, keys]],
    [own.none, []],
  ];
  const headsOf = (...names: (keyof typeof own.axes)[]) =>
    html`<tr class="heads">
      <td></td>
      ${names.map((axis) => html`<th scope="col">${own.axes[axis]}</th>`)}
    </tr>`;
  const result = (name: 'weights' | 'output', shape: readonly number[]) =>
    html`<tr class="result">
      <th scope="row">${own[name]}</th>
      ${shape.map((size) => html`<td>${size}</td>`)}
    </tr>`;
  return html`<div class="shape-check" data-picture>
    <div data-boxes>
      <table>
        <tbody>
          ${headsOf(...axes)}
          ${inputNames.map(
            (name) =>
              html`<tr>
                <th scope="row" class="symbol">${symbolOf[name]}</th>
                ${axes.map((_, axis) => box(name, axis))}
              </tr>`,
          )}
        </tbody>
        <tbody>
          ${headsOf(...pairAxes)}
          <tr>
            <th scope="row" class="symbol"><var>M</var></th>
            ${pairAxes.map((_, axis) => maskBox(axis))}
          </tr>
          ${found instanceof Error ? nothing : result('weights', found.weights)}
        </tbody>
        ${
          found instanceof Error
            ? nothing
            : html`<tbody>
                ${headsOf('batch', 'heads', 'queries', 'width')} ${result('output', found.output)}
              </tbody>`
        }
      </table>
      ${takenView}
      <p class="tools" role="group" aria-label=${own.maskAs}>
        <span><var>M</var></span>
        ${masks.map(
          ([label, shape]) =>
            html`<button type="button" @click=${() => change('mask', shape)}>${label}</button>`,
        )}
      </p>
    </div>
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
        ${
          found instanceof Error
            ? html`${own.refused}${page.language === 'zh' ? nothing : ' '}${refusedView(page, shapes, found)}`
            : withWidths(own.free)
        }
      </p>
    </div>
  </div>`;
}
