// A large stage of the workbench's as a picture, and what its views have in common.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { pictureView } from '../draw/canvas.js';
import { choiceView } from '../draw/controls.js';
import type { GridState } from '../draw/matrix.js';
import { grouped } from '../draw/number.js';
import type { Result } from '../state/bench-result.js';
import { type InputName, type Settings, type StageName, isInput } from '../state/bench-settings.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import type { Asking } from './workbench-boxes.js';
import { stageName } from './workbench-comparison.js';
import type { BenchCell } from './workbench-lineage.js';
import { isAfterMask, kindOfCause, legendView } from './workbench-hatches.js';
import type { Room } from './workbench-room.js';

export interface Looking {
  /** The stage that is shown where only one is. */
  stage: StageName;
  /** What the pointer or the focus is on, else what is kept, else an example; null where there is no cell. */
  looked: BenchCell | null;
  isExample: boolean;
  pinned: BenchCell | null;
  grid?: GridState<StageName>;
  /** Which of the stages there is room for. */
  room: Room;
  /** How far the colours of a picture go. */
  colors: Settings['colors'];
}

export interface Actions {
  stage: (stage: StageName) => void;
  hover: (cell: BenchCell | null) => void;
  pin: (cell: BenchCell | null) => void;
  show: () => void;
  ask: Asking['ask'];
  refuse: Asking['refuse'];
}

/** Among many keys a weight is small: the full colour is some times an even share. */
const EVEN_SHARES = 8;

/** What the colours stand for; `isCut`: beyond the end as well. */
function barView(scale: 'weight' | 'signed', domain: number, isCut: boolean) {
  const full = grouped(domain);
  const low = scale === 'weight' ? '0' : grouped(-domain);
  return html`<p class="bench-bar" data-scale=${scale}>
    <span>${low}</span> <i></i>
    <span>${isCut ? `≥ ${full}` : full}</span>
  </p>`;
}

/** What the row and the column of a cell belong to. */
function rolesOf(stage: StageName): readonly [row: InputName, column: InputName] {
  if (isInput(stage)) return [stage, stage];
  return ['query', stage === 'output' ? 'value' : 'key'];
}

/** A large stage, with the numbers of its rows and columns, its colours, and the cell that is looked at. */
export function pictureOfStage(
  page: Page,
  result: Result,
  { stage, looked, pinned, colors }: Looking,
  { hover, pin, ask, refuse }: Actions,
) {
  const own = { en, zh }[page.language];
  const { data, rows, columns, domain: reach } = result.stages.get(stage)!;
  const isWeights = stage === 'weights' || stage === 'dropped';
  const stretched = Math.min(EVEN_SHARES / columns, reach);
  const isStretched = isWeights && colors === 'stretched';
  const domain = isStretched ? stretched : reach;
  const isOfKeys = stage === 'key' || stage === 'value';
  const isOfWidth = isInput(stage) || stage === 'output';
  const { row, column } = looked ?? { row: 0, column: 0 };
  const at = (i: number, j: number) => ({ stage, row: i, column: j });
  const box = (label: string, now: number, count: number, change: (to: number) => void) =>
    html`<label
      >${label}
      <input
        type="number"
        min="1"
        max=${String(count)}
        .value=${String(now + 1)}
        @change=${(event: Event) => {
          const input = event.target as HTMLInputElement;
          const { value: asked, valueAsNumber: place } = input;
          input.value = String(now + 1);
          // What is beyond the last is brought in where the cell is shown, and that is said.
          if (Number.isInteger(place) && place >= 1) change(place - 1);
          else if (asked !== '') refuse({ name: 'cell', asked, used: String(now + 1) });
        }}
    /></label>`;
  return html`<div class="bench-picture">
    ${pictureView({
      label: fill(own.pictureLabel, { stage: stageName(page, stage), rows, columns }),
      data,
      rows,
      columns,
      scale: isWeights ? 'weight' : 'signed',
      domain,
      causes: isAfterMask(stage) ? result.causes.cells : null,
      kindOf: kindOfCause(result),
      mark: looked ?? pinned,
      roles: rolesOf(stage),
      look: (i, j) => hover(at(i, j)),
      leave: () => hover(null),
      keep: (i, j) => pin(at(i, j)),
    })}
    <p class="axes">
      ${isOfKeys ? page.words.axesOf.key : isOfWidth ? own.outputAxes : page.words.axes}
    </p>
    ${legendView(page, result, stage)}
    <div class="bench-colors">
      ${barView(isWeights ? 'weight' : 'signed', domain, isStretched)}
      ${
        isWeights
          ? choiceView<Settings['colors']>({
              label: own.settingNames.colors,
              name: 'colors',
              options: [
                ['fixed', fill(own.colors.fixed, { high: grouped(reach) })],
                ['stretched', fill(own.colors.stretched, { high: grouped(stretched) })],
              ],
              value: colors,
              change: (to) => ask('colors', to),
            })
          : nothing
      }
    </div>
    <p class="bench-place">
      ${box(isOfKeys ? own.keyIndex : own.queryIndex, row, rows, (i) => pin(at(i, column)))}
      ${box(isOfWidth ? own.dimensionIndex : own.keyIndex, column, columns, (j) => pin(at(row, j)))}
    </p>
  </div>`;
}
