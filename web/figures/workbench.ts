// <attention-workbench>: the reader's own tensors, every stage of any head, and what was expected.
import { type PropertyValues, html, nothing } from 'lit';
import { GridController } from '../draw/grid.js';
import { marksFor } from '../draw/lineage.js';
import { callOf } from '../state/bench-call.js';
import { BenchInputs } from '../state/bench-inputs.js';
import { type Result, runHere } from '../state/bench-result.js';
import { BenchRun } from '../state/bench-run.js';
import {
  type Clamped,
  type SettingName,
  type SettingTexts,
  type Settings,
  type StageName,
  home,
  readSettings,
  settingNames,
  settings,
  writeSettings,
} from '../state/bench-settings.js';
import { exampleGiven } from '../state/bench-tensors.js';
import { sameCell } from '../state/case.js';
import type { Page } from '../state/page.js';
import { atOnce } from '../state/turns.js';
import pictureSheet from '../styles/workbench-picture.css?inline';
import benchSheet from '../styles/workbench.css?inline';
import { Figure, sheets } from './figure.js';
import { placeOf } from './workbench-comparison.js';
import type { Asking } from './workbench-boxes.js';
import { BenchExport } from './workbench-export.js';
import { droppedView, inputsView } from './workbench-inputs.js';
import { messagesView } from './workbench-messages.js';
import { optionsView } from './workbench-options.js';
import { type BenchCell, exampleOf, lineageOf } from './workbench-lineage.js';
import { RoomController } from './workbench-room.js';
import type { Looking } from './workbench-picture.js';
import { resultView } from './workbench-view.js';

/** What of the settings concerns only what of the result is looked at. */
const looks: readonly SettingName[] = ['stage', 'cell', 'colors'];

export class AttentionWorkbench extends Figure {
  static override styles = sheets(benchSheet, pictureSheet);
  static override key = 'bench';

  static firstFrame = (page: Page) => {
    const result = runHere(page.attention, atOnce(callOf(exampleGiven, home)));
    const { stage, colors } = home;
    const looked = exampleOf(result, 'all', stage);
    const looking: Looking = { stage, looked, isExample: true, pinned: null, room: 'all', colors };
    const ignore = () => {};
    const actions = {
      ...{ stage: ignore, hover: ignore, pin: ignore },
      ...{ show: ignore, ask: ignore, refuse: ignore },
    };
    return resultView(page, result, looking, actions);
  };

  readonly #inputs = new BenchInputs({
    changed: () => void this.#run(),
    said: () => this.requestUpdate(),
    set: (texts) => this.#open(texts),
    settings: () => this.#textsIn(this.page!),
  });
  readonly #call = new BenchRun(() => {
    this.#hover = null;
    this.requestUpdate();
  });
  readonly #asking: Asking = {
    ask: (name, text) => this.#ask(name, text),
    refuse: (refused) => this.#refuse(refused),
    begin: () => {
      if (this.#clamped.length === 0) return;
      this.#clamped = [];
      this.requestUpdate();
    },
  };
  readonly #room: RoomController = new RoomController(this);
  readonly #export: BenchExport = new BenchExport(this);
  #settings = home;
  /** The settings as the link had them when they were last read. */
  #linked = '';
  #clamped: readonly Clamped[] = [];
  #hover: BenchCell | null = null;
  /** While what this tab keeps is being read. */
  #recalling: Promise<void> | undefined;

  readonly #grid: GridController<StageName> = new GridController<StageName>(this, {
    shape: (stage) => {
      const { rows, columns } = this.#call.result!.stages.get(stage)!;
      return [rows, columns];
    },
    isTransposed: (stage) => stage === 'key' && this.#room.for(this.#call.result!) === 'products',
    pin: () => this.#pinned(),
    setPin: (cell) => this.#pin(cell),
  });

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    if (!this.page) return;
    // A page that is someone else's, or a frame in one, is not ours to keep things in.
    if (changed.has('page') && this.page.store.isInAddress && parent === window) {
      this.#recalling = this.#inputs.recall()?.then(() => (this.#recalling = undefined));
    }
    const texts = this.#textsIn(this.page);
    const linked = JSON.stringify(texts);
    if (linked === this.#linked && !changed.has('page')) return;
    this.#linked = linked;
    const { found, clamped } = readSettings(texts);
    this.#clamped = clamped;
    this.#settle(found);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#call.stop();
  }

  protected override knows(name: string): boolean {
    return name in settings;
  }

  /** What the link says of this figure. */
  #textsIn({ store }: Page): SettingTexts {
    const all = store.view.settings;
    const said = settingNames.flatMap((name) => {
      const text = all[`bench.${name}`];
      return text === undefined ? [] : [[name, text]];
    });
    return Object.fromEntries(said) as SettingTexts;
  }

  /** Makes the call anew where the settings concern it. */
  #settle(next: Settings): void {
    const last = this.#settings;
    this.#settings = next;
    const isSame = settingNames.every((name) => looks.includes(name) || last[name] === next[name]);
    if (isSame && this.#call.result) this.requestUpdate();
    else void this.#run();
  }

  /**
   * Takes settings over, and the link with them. A kept cell is no step for Back. Rules that the reader
   * asked for stand in the link even if they are the example's.
   */
  #set(change: Partial<Settings>, isAsked = false): void {
    const { store } = this.page!;
    const next = { ...this.#settings, ...change };
    const texts = writeSettings(next);
    const said = isAsked ? settings.mask.write(next.mask) : this.#textsIn(this.page!).mask;
    if (said !== undefined && (isAsked || !('mask' in change))) texts.mask = said;
    const all = { ...store.view.settings };
    for (const name of settingNames) delete all[`bench.${name}`];
    for (const [name, text] of Object.entries(texts)) all[`bench.${name}`] = text;
    const isStep = Object.keys(change).some((name) => name !== 'cell');
    store.update({ settings: all }, isStep);
    this.#linked = JSON.stringify(this.#textsIn(this.page!));
    this.#settle(next);
  }

  /** Takes a setting as the reader typed it; what cannot be had is said. */
  #ask(name: SettingName, text: string): void {
    const texts = { ...writeSettings(this.#settings), [name]: text };
    const { found, clamped } = readSettings(texts);
    this.#clamped = clamped;
    const isUnusable = text !== '' && settings[name].read(text) === undefined;
    if (isUnusable) {
      const used = (settings[name].write as (value: unknown) => string)(this.#settings[name]);
      this.#refuse({ name, asked: text, used });
    } else this.#set({ [name]: found[name] }, name === 'mask');
  }

  #refuse(refused: Clamped): void {
    this.#clamped = [refused];
    this.requestUpdate();
  }

  /** Takes settings over that change with the tensors. */
  #open(texts: SettingTexts): void {
    const { found, clamped } = readSettings({ ...writeSettings(this.#settings), ...texts });
    this.#clamped = clamped;
    this.#set(found);
  }

  async #run(): Promise<void> {
    if (this.#recalling) await this.#recalling;
    await this.#call.run(this.page!, this.#inputs.given, this.#settings);
  }

  /** The kept cell, inside the stage that is shown. */
  #pinned(): BenchCell | null {
    const { cell } = this.#settings;
    if (!cell || !this.#call.result) return null;
    const stage = this.#stage(this.#call.result);
    const { rows, columns } = this.#call.result.stages.get(stage)!;
    return {
      stage,
      row: Math.min(cell[0], rows - 1),
      column: Math.min(cell[1], columns - 1),
    };
  }

  #pin(cell: BenchCell | null): void {
    this.#hover = null;
    this.#clamped = [];
    this.#set(
      cell && cell.stage !== this.#settings.stage
        ? { stage: cell.stage, cell: [cell.row, cell.column] }
        : { cell: cell && [cell.row, cell.column] },
    );
  }

  #stage({ stages }: Result): StageName {
    const { stage } = this.#settings;
    return stages.has(stage) ? stage : home.stage;
  }

  /** Looks at the first difference, in whichever head it is. */
  #showDifference(): void {
    const place = placeOf(this.#call.result!);
    if (!place) return;
    const { batch, head, stage, row, column } = place;
    this.#set({ batch, head, stage, cell: [row, column] });
  }

  #looking(result: Result): Looking {
    const pinned = this.#pinned();
    const place = placeOf(result);
    const isHere = place?.batch === result.call.batch && place.head === result.call.head;
    const under = this.#hover ?? this.#grid.looked;
    const { rows, columns } = (under && result.stages.get(under.stage)) ?? { rows: 0, columns: 0 };
    // What was under the pointer may be gone.
    const isThere = under !== null && under.row < rows && under.column < columns;
    const [room, stage] = [this.#room.for(result), this.#stage(result)];
    const own = isThere ? under : isHere ? place : null;
    const looked = own ?? exampleOf(result, room, stage);
    const marks = room === 'picture' ? () => undefined : marksFor(looked, lineageOf(result));
    const grid = { marks, pin: pinned, tabStop: this.#grid.tabStop, editing: null };
    const { colors } = this.#settings;
    return { stage, looked, isExample: own === null, pinned, grid, room, colors };
  }

  #resultView(page: Page) {
    const result = this.#call.result;
    const actions = {
      stage: (stage: StageName) => this.#set({ stage }),
      hover: (cell: BenchCell | null) => {
        if (sameCell(cell, this.#hover)) return;
        this.#hover = cell;
        this.requestUpdate();
      },
      pin: (cell: BenchCell | null) => this.#pin(cell),
      show: () => this.#showDifference(),
      ask: this.#asking.ask,
      refuse: this.#asking.refuse,
    };
    const shown = result && {
      result,
      settings: this.#settings,
      stage: this.#stage(result),
      pinned: this.#pinned(),
    };
    return html`${messagesView(page, {
      clamped: this.#clamped,
      refusal: this.#call.refusal,
      isWorking: this.#call.isWorking,
      reading: this.#inputs.reading,
      given: this.#inputs.given,
      remove: (field) => this.#inputs.remove(field),
      shown,
    })}
    ${
      result
        ? html`<div
            class="bench-shown"
            ?data-stale=${this.#call.refusal !== null || this.#call.isWorking}
          >
            ${this.#grid.around(resultView(page, result, this.#looking(result), actions))}
            ${this.#export.view(page, { result, stage: this.#stage(result), room: this.#room.for(result) })}
          </div>`
        : nothing
    }`;
  }

  /** Its own stands with the result. */
  protected override menu(): unknown {
    return nothing;
  }

  protected override view(page: Page) {
    const counts = this.#call.result ?? { batches: 1, heads: 1 };
    const { given } = this.#inputs;
    const content = html`${inputsView(page, this.#inputs)}
      <div class="bench-result">
        ${optionsView(page, this.#settings, given, counts, this.#asking)} ${this.#resultView(page)}
      </div>`;
    return droppedView(this.#inputs, content);
  }
}
