// The options of the workbench's call, and which batch element and head it shows.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { exactNumber } from '../draw/number.js';
import type { Given } from '../state/bench-call.js';
import { fourAxes } from '../state/bench-head.js';
import { type Settings, settings } from '../state/bench-settings.js';
import type { Page } from '../state/page.js';
import { type Asking, boxView, selectView } from './workbench-boxes.js';
import { rulesView } from './workbench-rules.js';

/** ALiBi and the sinks: a number for each head. */
function perHeadView(page: Page, { alibi, sinks }: Settings, { ask }: Asking) {
  const own = { en, zh }[page.language];
  const isOwn = typeof alibi !== 'string';
  return html`<div class="bench-rule">
    ${selectView(own.settingNames.alibi, own.alibis, isOwn ? 'own' : alibi, (to) =>
      ask('alibi', to === 'own' ? '0.5' : to),
    )}
    ${
      isOwn
        ? boxView({
            label: own.slopes,
            now: alibi.map((list) => list.join(', ')).join('; '),
            hint: own.perHead,
            isWide: true,
            change: (asked) => ask('alibi', asked),
          })
        : nothing
    }
    ${boxView({
      label: own.settingNames.sinks,
      now: (sinks ?? []).join(', '),
      hint: own.off,
      isWide: sinks !== undefined,
      change: (asked) => ask('sinks', asked),
    })}
  </div>`;
}

const types = { float32: 'float32', float64: 'float64', float16: 'float16', bfloat16: 'bfloat16' };

/** What the rules are for: of the tensors that were brought, however they fit together. */
function sizesOf({ query, key }: Given) {
  const [batches, heads, queries] = fourAxes(query?.shape.slice(-4) ?? [1, 1]);
  return { batches, heads, queries, keys: fourAxes(key?.shape.slice(-4) ?? [1, 1])[2] };
}

/** What the scale is where none is given: 1/√d_k as a number. */
const scaleOf = ({ query }: Given) =>
  query ? exactNumber(1 / Math.sqrt(query.shape.at(-1) ?? 1)) : '';

/** `batches` and `heads` are what there is to choose from. */
export function optionsView(
  page: Page,
  now: Settings,
  given: Given,
  { batches, heads }: { batches: number; heads: number },
  asking: Asking,
) {
  const own = { en, zh }[page.language];
  const { ask, refuse } = asking;
  const box = (name: 'scale' | 'softcap' | 'dropout' | 'seed', hint: string) => {
    const text = String(now[name] ?? '');
    const isHome = now[name] === settings[name].home && name !== 'seed';
    const change = (asked: string) => ask(name, asked);
    return boxView({ label: own[name], now: isHome ? '' : text, hint, change });
  };
  const index = (name: 'batch' | 'head', count: number) =>
    count > 1
      ? boxView({
          label: `${own[name]} (1–${count})`,
          now: String(Math.min(now[name], count - 1) + 1),
          hint: '1',
          change: (asked) => {
            if (!(Number(asked) > count)) return ask(name, asked);
            const used = String(count);
            ask(name, used);
            refuse({ name, asked, used });
          },
        })
      : nothing;
  const { start } = now;
  const isPlaced = typeof start !== 'string';
  const placeView = (places: readonly number[]) =>
    boxView({
      label: own.startAt,
      now: places.join(', '),
      hint: '1',
      isWide: batches > 1,
      change: (asked) => ask('start', asked),
    });
  return html`<div class="bench-options" @input=${asking.begin}>
    <fieldset>
      <legend>${own.groups.mask}</legend>
      <div>
        ${rulesView(
          page,
          {
            rules: now.mask,
            sizes: sizesOf(given),
            hasTensor:
              given.mask !== undefined && now.meaning !== 'unsaid' && now.meaning !== 'bias',
          },
          asking,
        )}
        ${
          now.mask.length > 0 || now.alibi !== 'off'
            ? html`<div class="bench-rule">
                ${selectView(own.start, own.starts, isPlaced ? 'at' : start, (to) =>
                  ask('start', to === 'at' ? '1' : to),
                )}
                ${isPlaced ? placeView(start) : nothing}
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
        ${box('scale', scaleOf(given))} ${box('softcap', own.off)} ${box('dropout', own.off)}
        ${now.dropout > 0 ? box('seed', '1') : nothing}
        ${selectView(own.dtype, types, now.dtype, (to) => ask('dtype', to))}
        ${perHeadView(page, now, asking)}
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
