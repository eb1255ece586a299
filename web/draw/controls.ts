// The controls figures share: native inputs, labelled, with their numbers beside them.
import { type TemplateResult, html } from 'lit';
import { seeds } from '../state/random.js';
import type { Words } from '../state/words.js';
import { grouped } from './number.js';
import { withWidths } from './symbols.js';

const target = (event: Event) => event.target as HTMLInputElement;

export const switchView = (
  label: unknown,
  isOn: boolean,
  change: (isOn: boolean) => void,
): TemplateResult =>
  html`<label class="switch">
    <input
      type="checkbox"
      role="switch"
      .checked=${isOn}
      @change=${(event: Event) => change(target(event).checked)}
    />
    <span>${label}</span>
  </label>`;

export interface Slider {
  /** In plain words; a `d_k` is set as mathematics. */
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  /** What the slider goes through, in order, where a step on it would be too far; the box takes all. */
  stops?: readonly number[];
  /** `isEntry`: a value for Back to return from, which those on the slider's way are not. */
  change: (value: number, isEntry: boolean) => void;
}

/** The index of the number nearest to `value`. */
const nearest = (numbers: readonly number[], value: number) =>
  numbers.reduce(
    (best, x, at) => (Math.abs(x - value) <= Math.abs(numbers[best]! - value) ? at : best),
    0,
  );

/** As a box can show it: what is too long for that with an exponent. */
const boxText = (x: number) => (Math.abs(x) < 1e15 ? String(x) : x.toExponential());

/** What became of the number that was entered into a box; nothing was `asked` where it is none. */
export interface Taken {
  asked?: number;
  used: number;
}

/**
 * Under a box, or under all in one `data-boxes`: what it takes instead of what was entered, as the figure
 * says it.
 */
export const takenView = html`<output class="taken remark"></output>`;

/** What a box takes. */
interface Reach extends Pick<Slider, 'min' | 'max' | 'step' | 'value'> {
  /** Instead of going to the nearest step. */
  round?: (x: number) => number;
}

/** Brings what was entered into reach and on a step, and tells the figure; undefined where it is no number. */
export function enter(
  box: HTMLInputElement,
  { min, max, step = 1, value, round }: Reach,
): number | undefined {
  const asked = box.valueAsNumber;
  const isNumber = Number.isFinite(asked);
  const nearest = Number.isInteger(step) ? min + Math.round((asked - min) / step) * step : asked;
  const used = isNumber ? Math.min(Math.max(round?.(asked) ?? nearest, min), max) : value;
  const detail: Taken = isNumber ? { asked, used } : { used };
  box.dispatchEvent(new CustomEvent('taken', { bubbles: true, detail }));
  return isNumber ? used : undefined;
}

/**
 * A slider with a number box: the same value twice, for the hand and for the keyboard. The box takes
 * any number in reach, on a step where the steps are whole, and says what was taken; what is no number
 * leaves the value as it is.
 */
export function sliderView({ label, value, min, max, step = 1, stops, change }: Slider) {
  const take = (event: Event, isEntry: boolean) => {
    const box = target(event);
    const taken = enter(box, { min, max, step, value });
    box.value = boxText(taken ?? value);
    if (taken !== undefined) change(taken, isEntry);
  };
  const slide = (event: Event) => {
    if (stops) change(stops[target(event).valueAsNumber]!, false);
    else take(event, false);
  };
  const [low, high, by, now] = [min, max, step, value].map(boxText);
  const range = stops
    ? ['0', String(stops.length - 1), '1', String(nearest(stops, value))]
    : [low, high, by, now];
  return html`<label class="slider">
      <span>${withWidths(label)}</span>
      <input
        type="range"
        aria-label=${label}
        aria-valuetext=${`${label}: ${grouped(value)}`}
        min=${range[0]!}
        max=${range[1]!}
        step=${range[2]!}
        .value=${range[3]!}
        @input=${slide}
      />
      <input
        type="number"
        aria-label=${label}
        min=${low!}
        max=${high!}
        step=${by!}
        .value=${now!}
        @change=${(event: Event) => take(event, true)}
      /> </label
    >${takenView}`;
}

export interface Seed {
  words: Words;
  /** Which gives just the numbers that are shown, if one does. */
  seed: number | undefined;
  /** The last one; New numbers takes the next. */
  last: number | undefined;
  change: (seed: number) => void;
}

/** New numbers, and the seed that they are made from: the same seed gives the same numbers. */
export function seedView({ words, seed, last = 0, change }: Seed): TemplateResult {
  const [low, high] = seeds;
  const text = seed === undefined ? '' : String(seed);
  const take = (event: Event) => {
    const box = target(event);
    const isEmptied = box.value === '' && text === '';
    const taken = isEmptied ? undefined : enter(box, { min: low, max: high, value: seed ?? last });
    box.value = taken === undefined ? text : String(taken);
    if (taken !== undefined) change(taken);
  };
  // Who types a seed and presses the button means that seed, which is taken as the box loses the focus.
  const press = ({ currentTarget }: Event) => {
    const button = currentTarget as HTMLButtonElement;
    const box = button.parentElement!.querySelector('input')!;
    const isTyped = box.value !== text && Number.isFinite(box.valueAsNumber);
    button.toggleAttribute('data-typed', isTyped);
  };
  const click = ({ currentTarget }: Event) => {
    const button = currentTarget as HTMLButtonElement;
    if (button.hasAttribute('data-typed')) button.removeAttribute('data-typed');
    else change((last % high) + 1);
  };
  return html`<span class="seed">
    <button type="button" @pointerdown=${press} @click=${click}>${words.random}</button>
    <label
      ><span>${words.seed}</span>
      <input
        type="number"
        min=${low}
        max=${high}
        placeholder="–"
        .value=${text}
        @change=${take}
      /> </label
    >${takenView}
  </span>`;
}

export interface Choice<Value extends string> {
  label: unknown;
  /** Of the radio buttons; unique in its figure. */
  name: string;
  options: readonly (readonly [Value, unknown])[];
  value: Value;
  change: (value: Value) => void;
}

/** A few options of which one holds. */
export function choiceView<Value extends string>({
  label,
  name,
  options,
  value,
  change,
}: Choice<Value>): TemplateResult {
  return html`<fieldset class="choice-of">
    <legend>${label}</legend>
    ${options.map(
      ([option, text]) =>
        html`<label
          ><input
            type="radio"
            name=${name}
            value=${option}
            .checked=${option === value}
            @change=${() => change(option)}
          /><span>${text}</span></label
        >`,
    )}
  </fieldset>`;
}
