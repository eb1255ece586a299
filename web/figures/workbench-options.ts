// The options of the workbench's call, and which batch element and head it shows.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { switchView } from '../draw/controls.js';
import type { Given } from '../state/bench-call.js';
import {
  type FieldName,
  type RuleKind,
  type Rules,
  type SettingName,
  type Settings,
  fieldsOf,
  firstNumbers,
  readWholes,
  ruleKinds,
  settings,
  writeRules,
} from '../state/bench-settings.js';
import type { Page } from '../state/page.js';

/** Takes a setting as a text, as a link would say it. */
export type Ask = (name: SettingName, text: string) => void;

export function selectView<Value extends string>(
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

/** A box for numbers; what is typed is checked where a link's would be. */
function boxView(label: string, now: string, hint: string, change: (text: string) => void) {
  return html`<label class="bench-select"
    >${label}
    <input
      inputmode="decimal"
      autocomplete="off"
      spellcheck="false"
      placeholder=${hint}
      .value=${now}
      @change=${(event: Event) => {
        const input = event.target as HTMLInputElement;
        const text = input.value.trim();
        input.value = now;
        change(text);
      }}
  /></label>`;
}

/** The rules, and below them a line of numbers for each that is on and has some. */
function rulesView(page: Page, { mask: rules }: Settings, given: Given, ask: Ask) {
  const own = { en, zh }[page.language];
  const [batches, keys] = [given.query?.shape.at(-4) ?? 1, given.key?.shape.at(-2) ?? 1];
  const set = (kind: RuleKind, to: Rules[RuleKind]) =>
    ask('mask', writeRules({ ...rules, [kind]: to }));
  const first = (kind: RuleKind) => firstNumbers(kind, batches, keys);
  const switches = ruleKinds.map((kind) =>
    switchView(own.rules[kind], rules[kind] !== undefined, (isOn) =>
      set(kind, isOn ? first(kind) : undefined),
    ),
  );
  const lines = ruleKinds.map((kind) => {
    const numbers = rules[kind];
    if (!numbers || fieldsOf(kind).length === 0) return nothing;
    const change = (name: FieldName, isNeeded: boolean, text: string) => {
      const list = isNeeded && text === '' ? first(kind)?.[name] : readWholes(text);
      if (list) set(kind, { ...numbers, [name]: list });
      else ask('mask', text);
    };
    const box = ([name, { many, isOptional }]: ReturnType<typeof fieldsOf>[number]) => {
      const isBlank = many === 'blank' || isOptional === true;
      return boxView(
        own.ruleFields[name],
        (numbers[name] ?? []).join(', '),
        isBlank ? own.noLimit : '',
        (text) => change(name, !isBlank, text),
      );
    };
    return html`<div class="bench-rule" role="group" aria-label=${own.rules[kind]}>
      <b>${own.rules[kind]}</b> ${fieldsOf(kind).map(box)}
    </div>`;
  });
  return html`<div class="bench-rule">${switches}</div>
    ${lines}`;
}

/** ALiBi and the sinks: a number for each head. */
function perHeadView(page: Page, { alibi, sinks }: Settings, ask: Ask) {
  const own = { en, zh }[page.language];
  const isOwn = typeof alibi !== 'string';
  return html`<div class="bench-rule">
    ${selectView(own.settingNames.alibi, own.alibis, isOwn ? 'own' : alibi, (to) =>
      ask('alibi', to === 'own' ? '0.5' : to),
    )}
    ${
      isOwn
        ? boxView(own.slopes, alibi.join(', '), own.perHead, (asked) => ask('alibi', asked))
        : nothing
    }
    ${boxView(own.settingNames.sinks, (sinks ?? []).join(', '), own.off, (asked) => ask('sinks', asked))}
  </div>`;
}

/** `batches` and `heads` are what there is to choose from. */
export function optionsView(
  page: Page,
  now: Settings,
  given: Given,
  { batches, heads }: { batches: number; heads: number },
  ask: Ask,
) {
  const own = { en, zh }[page.language];
  const box = (name: 'scale' | 'softcap' | 'dropout' | 'seed', hint: string) => {
    const text = String(now[name] ?? '');
    const isHome = now[name] === settings[name].home && name !== 'seed';
    return boxView(own[name], isHome ? '' : text, hint, (asked) => ask(name, asked));
  };
  const index = (name: 'batch' | 'head', count: number) =>
    count > 1
      ? boxView(
          `${own[name]} (1–${count})`,
          String(Math.min(now[name], count - 1) + 1),
          '1',
          (asked) => ask(name, Number(asked) > count ? String(count) : asked),
        )
      : nothing;
  const { start } = now;
  const isPlaced = typeof start !== 'string';
  return html`<div class="bench-options">
    <fieldset>
      <legend>${own.groups.mask}</legend>
      <div>
        ${rulesView(page, now, given, ask)}
        ${
          Object.keys(now.mask).length > 0 || now.alibi !== 'off'
            ? html`<div class="bench-rule">
                ${selectView(own.start, own.starts, isPlaced ? 'at' : start, (to) =>
                  ask('start', to === 'at' ? '1' : to),
                )}
                ${isPlaced ? boxView(own.startAt, start.join(', '), '1', (asked) => ask('start', asked)) : nothing}
              </div>`
            : nothing
        }
        ${
          given.mask
            ? selectView(own.maskMeaning, own.maskMeanings, now.meaning, (to) => ask('meaning', to))
            : nothing
        }
      </div>
    </fieldset>
    <fieldset>
      <legend>${own.groups.call}</legend>
      <div>
        ${box('scale', own.scaleHint)} ${box('softcap', own.off)} ${box('dropout', own.off)}
        ${now.dropout > 0 ? box('seed', '1') : nothing}
        ${selectView(own.dtype, { float32: 'float32', float64: 'float64' }, now.dtype, (to) =>
          ask('dtype', to),
        )}
        ${perHeadView(page, now, ask)}
      </div>
    </fieldset>
    ${
      batches > 1 || heads > 1
        ? html`<fieldset>
            <legend>${own.groups.shown}</legend>
            <div>${index('batch', batches)} ${index('head', heads)}</div>
          </fieldset>`
        : nothing
    }
  </div>`;
}
