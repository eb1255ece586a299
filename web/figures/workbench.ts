// <attention-workbench>: the reader's own tensors, every stage of any head, and what was expected.
import type { AttentionWorker } from 'attention-wasm';
import { type PropertyValues, html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { exampleGiven, exampleTexts, fieldOf, randomGiven } from '../state/bench-tensors.js';
import type { Page } from '../state/page.js';
import { type Found, ReadError } from '../state/read-tensor.js';
import { read } from '../state/read.js';
import { fill } from '../state/words.js';
import {
  CallProblem,
  type Field,
  type Given,
  type Result,
  type Settings,
  callOf,
  cellsOf,
  fields,
  runAway,
  runHere,
} from '../state/workbench.js';
import benchSheet from '../styles/workbench.css?inline';
import { Figure, sheets } from './figure.js';
import { optionsView } from './workbench-options.js';
import { type Looking, resultView } from './workbench-view.js';

/** Calls with at most so many scores are done at once, larger ones in a worker. */
const AT_ONCE = 64 * 64;
/** A text is read when the reader pauses for so many milliseconds. */
const PAUSE = 300;

const initial: Settings = {
  maskMeaning: 'blocked',
  isCausal: true,
  start: 'unsaid',
  scale: undefined,
  dtype: 'float32',
  batch: 0,
  head: 0,
};
const firstLook: Looking = { stage: 'weights', row: 0, column: 0 };
const ignore = () => {};

type Outcome =
  | { kind: 'working' }
  | { kind: 'result'; result: Result }
  /** In the reader's language, or as the library says it. */
  | { kind: 'refused'; message: string; isLibrary: boolean };

export class AttentionWorkbench extends Figure {
  static override styles = sheets(benchSheet);

  static firstFrame = (page: Page) =>
    resultView(
      page,
      runHere(page.attention, callOf(exampleGiven, initial)),
      firstLook,
      ignore,
      ignore,
    );

  #given: Given = exampleGiven;
  #texts: Partial<Record<Field, string>> = exampleTexts;
  /** Everything that files have brought, by name, for the reader to choose from. */
  #loaded: Found = new Map();
  #chosen: Partial<Record<Field, string>> = {};
  #problems: Partial<Record<Field | 'files', string>> = {};
  #settings = initial;
  #looking = firstLook;
  #outcome: Outcome | null = null;
  #abort: AbortController | null = null;
  #worker: Promise<AttentionWorker> | null = null;
  #pauses: Partial<Record<Field, number>> = {};

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    if (changed.has('page') && this.page) void this.#run(this.page);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#abort?.abort();
    void this.#worker?.then((worker) => worker.dispose());
    this.#worker = null;
  }

  async #run(page: Page): Promise<void> {
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    try {
      const call = callOf(this.#given, this.#settings);
      let result: Result;
      if (cellsOf(call) <= AT_ONCE) result = runHere(page.attention, call);
      else {
        this.#show({ kind: 'working' });
        this.#worker ??= import('attention-wasm').then(({ loadWorker }) => loadWorker());
        result = await runAway(await this.#worker, call, abort.signal);
      }
      if (!abort.signal.aborted) this.#show({ kind: 'result', result });
    } catch (error) {
      if (!abort.signal.aborted) this.#show(this.#refusal(page, error));
    }
  }

  #show(outcome: Outcome): void {
    this.#outcome = outcome;
    this.requestUpdate();
  }

  #refusal(page: Page, error: unknown): Outcome {
    const own = { en, zh }[page.language];
    if (error instanceof CallProblem) {
      const { field, ...values } = error.values;
      const message = fill(own.problems[error.word], {
        ...values,
        ...(field ? { field: own.fields[field] } : {}),
      });
      return { kind: 'refused', message, isLibrary: false };
    }
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'refused', message, isLibrary: true };
  }

  #reason(page: Page, error: unknown): string {
    const { errors } = { en, zh }[page.language];
    return error instanceof ReadError
      ? fill(errors[error.word], error.values)
      : fill(errors.other, { reason: String(error) });
  }

  /** What is not readable leaves the field's last tensor in place. */
  async #take(page: Page, field: Field, text: string): Promise<void> {
    this.#texts = { ...this.#texts, [field]: text };
    delete this.#problems[field];
    if (text.trim() === '') {
      this.#given = { ...this.#given };
      delete this.#given[field];
    } else {
      try {
        const found = await read({ source: text, name: field });
        if (this.#texts[field] !== text) return;
        if (found.has(field) && found.size === 1) {
          this.#given = { ...this.#given, [field]: found.get(field) };
          delete this.#chosen[field];
        } else this.#place(found, field);
      } catch (error) {
        this.#problems[field] = this.#reason(page, error);
        this.requestUpdate();
        return;
      }
    }
    await this.#run(page);
  }

  async #takeFiles(page: Page, files: readonly File[], field?: Field): Promise<void> {
    const problems: string[] = [];
    for (const file of files) {
      try {
        this.#place(await read({ source: file, name: file.name }), field);
      } catch (error) {
        problems.push(`${file.name}: ${this.#reason(page, error)}`);
      }
    }
    this.#problems = problems.length ? { ...this.#problems, files: problems.join(' ') } : {};
    await this.#run(page);
  }

  /** Puts each tensor where its name says; a single one where it was dropped. */
  #place(found: Found, field?: Field): void {
    const lost: string[] = [];
    for (const [name, tensor] of found) {
      this.#loaded.set(name, tensor);
      const to = found.size === 1 && field ? field : fieldOf(name);
      if (to) this.#choose(to, name);
      else lost.push(name);
    }
    if (lost.length === found.size) {
      throw new ReadError('unplaced', { names: lost.join(', ') });
    }
  }

  #choose(field: Field, name: string): void {
    this.#given = { ...this.#given, [field]: this.#loaded.get(name) };
    this.#chosen = { ...this.#chosen, [field]: name };
    this.#texts = { ...this.#texts, [field]: '' };
    delete this.#problems[field];
  }

  #start(page: Page, given: Given, texts: Partial<Record<Field, string>>): void {
    [this.#given, this.#texts] = [given, texts];
    [this.#chosen, this.#problems] = [{}, {}];
    void this.#run(page);
  }

  #set(page: Page, settings: Partial<Settings>): void {
    this.#settings = { ...this.#settings, ...settings };
    void this.#run(page);
  }

  #fieldView(page: Page, field: Field) {
    const own = { en, zh }[page.language];
    const tensor = this.#given[field];
    const problem = this.#problems[field];
    const typed = (event: Event) => {
      const text = (event.target as HTMLTextAreaElement).value;
      clearTimeout(this.#pauses[field]);
      this.#pauses[field] = window.setTimeout(() => void this.#take(page, field, text), PAUSE);
    };
    return html`<div class="bench-field" data-field=${field}>
      <label for="bench-${field}">${own.fields[field]}</label>
      <span class="remark" id="bench-${field}-is">
        ${
          tensor ? fill(own.shape, { shape: tensor.shape.join('×'), dtype: tensor.dtype }) : nothing
        }
      </span>
      <textarea
        id="bench-${field}"
        rows="4"
        spellcheck="false"
        autocomplete="off"
        placeholder=${this.#chosen[field] ?? own.placeholder}
        aria-describedby="bench-${field}-is"
        aria-invalid=${problem ? 'true' : 'false'}
        .value=${this.#texts[field] ?? ''}
        @input=${typed}
      ></textarea>
      ${
        this.#loaded.size > 0
          ? html`<select
              aria-label=${fill(own.fromFile, { field: own.fields[field] })}
              @change=${(event: Event) => {
                this.#choose(field, (event.target as HTMLSelectElement).value);
                void this.#run(page);
              }}
            >
              <option value="" disabled ?selected=${!this.#chosen[field]}>${own.noFile}</option>
              ${[...this.#loaded].map(
                ([name, { shape }]) =>
                  html`<option value=${name} ?selected=${this.#chosen[field] === name}>
                    ${name} (${shape.join('×')})
                  </option>`,
              )}
            </select>`
          : nothing
      }
      ${problem ? html`<p class="bench-problem" role="alert">${problem}</p>` : nothing}
    </div>`;
  }

  #outcomeView(page: Page) {
    const own = { en, zh }[page.language];
    const outcome = this.#outcome;
    if (!outcome || outcome.kind === 'working') return html`<p role="status">${own.working}</p>`;
    if (outcome.kind === 'refused') {
      return html`<p class="bench-problem" role="alert" lang=${outcome.isLibrary ? 'en' : nothing}>
        ${outcome.message}
      </p>`;
    }
    const look = (at: Looking) => {
      this.#looking = at;
      this.requestUpdate();
    };
    return resultView(page, outcome.result, this.#looking, look, ({ batch, head, ...at }) => {
      this.#looking = at;
      this.#set(page, { batch, head });
    });
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const dropped = (event: DragEvent) => {
      event.preventDefault();
      const over = (event.target as Element).closest<HTMLElement>('[data-field]');
      const files = [...(event.dataTransfer?.files ?? [])];
      void this.#takeFiles(page, files, over?.dataset.field as Field | undefined);
    };
    const chosen = (event: Event) => {
      const input = event.target as HTMLInputElement;
      void this.#takeFiles(page, [...(input.files ?? [])]);
      input.value = '';
    };
    const button = (text: string, act: () => void) =>
      html`<button type="button" @click=${act}>${text}</button>`;
    return html`<div
      class="bench"
      @dragover=${(event: Event) => event.preventDefault()}
      @drop=${dropped}
    >
      <div class="bench-inputs">
        <div class="tools">
          <label class="bench-files"
            ><input type="file" multiple class="visually-hidden" @change=${chosen} /><span
              >${own.choose}</span
            ></label
          >
          ${button(own.example, () => this.#start(page, exampleGiven, exampleTexts))}
          ${button(own.random, () => this.#start(page, randomGiven(), {}))}
          ${button(own.clear, () => this.#start(page, {}, {}))}
        </div>
        <p class="remark">${own.drop}</p>
        ${
          this.#problems.files
            ? html`<p class="bench-problem" role="alert">${this.#problems.files}</p>`
            : nothing
        }
        ${fields.map((field) => this.#fieldView(page, field))}
      </div>
      <div class="bench-result">
        ${optionsView(page, this.#settings, this.#outcome?.kind === 'result' ? this.#outcome.result : null, this.#given.mask !== undefined, (to) => this.#set(page, to))}
        ${this.#outcomeView(page)}
      </div>
    </div>`;
  }
}
