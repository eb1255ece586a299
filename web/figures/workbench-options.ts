// The options of the workbench's call, and which batch element and head it shows.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { switchView } from '../draw/controls.js';
import type { Page } from '../state/page.js';
import type { Result, Settings } from '../state/workbench.js';

function selectView<Value extends string>(
  label: string,
  options: Record<Value, string>,
  now: Value,
  change: (to: Value) => void,
) {
  return html`<label class="bench-select"
    >${label}
    <select @change=${(event: Event) => change((event.target as HTMLSelectElement).value as Value)}>
      ${Object.entries<string>(options).map(
        ([name, text]) => html`<option value=${name} ?selected=${name === now}>${text}</option>`,
      )}
    </select></label
  >`;
}

function numberView(
  label: string,
  now: number | undefined,
  hint: string,
  change: (to: number) => void,
) {
  return html`<label class="bench-select"
    >${label}
    <input
      type="number"
      step="any"
      placeholder=${hint}
      .value=${now === undefined ? '' : String(now)}
      @change=${(event: Event) => change((event.target as HTMLInputElement).valueAsNumber)}
  /></label>`;
}

/** `result` knows how many batch elements and heads there are to choose from. */
export function optionsView(
  page: Page,
  settings: Settings,
  result: Result | null,
  hasMask: boolean,
  set: (to: Partial<Settings>) => void,
) {
  const own = { en, zh }[page.language];
  const { maskMeaning, isCausal, start, scale, dtype } = settings;
  const index = (label: string, name: 'batch' | 'head', count: number) =>
    count > 1
      ? numberView(label, settings[name] + 1, '1', (to) => {
          const whole = Number.isInteger(to) ? Math.min(Math.max(to, 1), count) : 1;
          set({ [name]: whole - 1 });
        })
      : nothing;
  return html`<div class="tools">
    ${switchView(own.causal, isCausal, (isOn) => set({ isCausal: isOn }))}
    ${isCausal ? selectView(own.start, own.starts, start, (to) => set({ start: to })) : nothing}
    ${
      hasMask
        ? selectView(own.maskMeaning, own.maskMeanings, maskMeaning, (to) =>
            set({ maskMeaning: to }),
          )
        : nothing
    }
    ${numberView(own.scale, scale, own.scaleHint, (to) =>
      set({ scale: Number.isNaN(to) ? undefined : to }),
    )}
    ${selectView(own.dtype, { float32: 'float32', float64: 'float64' }, dtype, (to) =>
      set({ dtype: to }),
    )}
    ${index(own.batch, 'batch', result?.batches ?? 1)}
    ${index(own.head, 'head', result?.heads ?? 1)}
  </div>`;
}
