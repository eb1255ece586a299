// What the workbench's options are made of: lists of choices, and boxes whose text is checked where a
// link's would be.
import { html } from 'lit';
import type { Clamped, SettingName } from '../state/bench-settings.js';

export interface Asking {
  /** Takes a setting as a text, as a link would say it. */
  ask: (name: SettingName, text: string) => void;
  /** Says what cannot be used, and why. */
  refuse: (refused: Clamped) => void;
  /** The reader is at an option again: what was said of the last one has been read. */
  begin: () => void;
}

export const optionsOf = <Value extends string>(options: Record<Value, string>, now: Value) =>
  Object.entries<string>(options).map(
    ([name, text]) => html`<option value=${name} ?selected=${name === now}>${text}</option>`,
  );

export function selectView<Value extends string>(
  label: string,
  options: Record<Value, string>,
  now: Value,
  change: (to: Value) => void,
) {
  return html`<label class="bench-select"
    >${label}
    <select @change=${(event: Event) => change((event.target as HTMLSelectElement).value as Value)}>
      ${optionsOf(options, now)}
    </select></label
  >`;
}

export interface Box {
  label: string;
  now: string;
  /** What it means when it is empty. */
  hint: string;
  /** For several numbers. */
  isWide?: boolean;
  change: (text: string) => void;
}

export function boxView({ label, now, hint, isWide = false, change }: Box) {
  return html`<label class="bench-select"
    ><span>${label}</span>
    <input
      inputmode=${isWide ? 'text' : 'decimal'}
      autocomplete="off"
      spellcheck="false"
      placeholder=${hint}
      ?data-wide=${isWide}
      .value=${now}
      @change=${(event: Event) => {
        const input = event.target as HTMLInputElement;
        const text = input.value.trim();
        input.value = now;
        change(text);
      }}
  /></label>`;
}
