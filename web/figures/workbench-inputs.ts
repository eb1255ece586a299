// The tensors of the workbench: typed, pasted, dropped or chosen, and what is wrong with them.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { type Field, type Given, fields } from '../state/bench-call.js';
import {
  caseWith,
  exampleGiven,
  exampleTexts,
  fieldOf,
  ofCase,
  randomGiven,
} from '../state/bench-tensors.js';
import { type Case, isCausal, sameCase } from '../state/case.js';
import type { Page } from '../state/page.js';
import { ReadError } from '../state/read-text.js';
import type { Found } from '../state/read-tensor.js';
import { read } from '../state/read.js';
import { choiceOf } from '../state/shared-case.js';
import { inTurns } from '../state/turns.js';
import { fill } from '../state/words.js';

/** A text is read when the reader pauses for so many milliseconds. */
const PAUSE = 300;

type Texts = Partial<Record<Field, string>>;

export const shapeText = (shape: readonly number[]) => (shape.length === 0 ? '1' : shape.join('×'));

function reasonOf({ language }: Page, error: unknown): string {
  const { errors, named } = { en, zh }[language];
  if (!(error instanceof ReadError)) return fill(errors.other, { reason: String(error) });
  const { word, values } = error;
  const problem = fill(errors[word], values);
  // Of one among several; sentences about a file name it themselves.
  return values.name && !errors[word].includes('{name}')
    ? fill(named, { name: values.name, problem })
    : problem;
}

export class BenchInputs {
  given: Given = exampleGiven;
  #texts: Texts = exampleTexts;
  /** Everything that files have brought, by name, for the reader to choose from. */
  #loaded: Found['tensors'] = new Map();
  #chosen: Texts = {};
  #problems: Partial<Record<Field | 'files', string>> = {};
  #pauses: Partial<Record<Field, number>> = {};

  /**
   * `changed` after the tensors have, `said` after what is said of them has, `opened` with the
   * settings of a file that has them.
   */
  constructor(
    readonly changed: () => void,
    readonly said: () => void,
    readonly opened: (settings: string) => void,
  ) {}

  /** What is not readable leaves the field's last tensor in place. */
  async #take(page: Page, field: Field, text: string): Promise<void> {
    this.#texts = { ...this.#texts, [field]: text };
    delete this.#problems[field];
    if (text.trim() === '') {
      this.given = { ...this.given };
      delete this.given[field];
      return this.changed();
    }
    try {
      const found = await read({ source: text, name: field });
      if (this.#texts[field] !== text) return;
      const { tensors } = found;
      if (tensors.has(field) && tensors.size === 1) {
        this.given = { ...this.given, [field]: tensors.get(field) };
        delete this.#chosen[field];
      } else this.#place(found, field);
      this.changed();
    } catch (error) {
      if (this.#texts[field] !== text) return;
      this.#problems[field] = this.#keeping(page, field, reasonOf(page, error));
      this.said();
    }
  }

  /** A problem, and which tensor stays in spite of it. */
  #keeping({ language }: Page, field: Field, problem: string): string {
    const own = { en, zh }[language];
    const shape = this.given[field]?.shape;
    return shape ? fill(own.kept, { problem, shape: shapeText(shape) }) : problem;
  }

  async #takeFiles(page: Page, files: readonly File[], field?: Field): Promise<void> {
    const own = { en, zh }[page.language];
    const problems: string[] = [];
    let placed = 0;
    const say = ({ name }: File, problem: string) =>
      problems.push(problem.includes(name) ? problem : fill(own.named, { name, problem }));
    // Read all at once, placed one after the other.
    const all = files.map((file) => read({ source: file, name: file.name }));
    const outcomes = await Promise.allSettled(all);
    for (const [at, outcome] of outcomes.entries()) {
      const file = files[at]!;
      try {
        if (outcome.status === 'rejected') throw outcome.reason;
        const { value: found } = outcome;
        if (found.skipped.length > 0) {
          const names = found.skipped.join(own.comma);
          say(file, fill(own.skipped, { names }));
        }
        this.#place(found, field);
        placed += 1;
      } catch (error) {
        say(file, reasonOf(page, error));
      }
    }
    if (problems.length > 0) this.#problems.files = problems.join(' ');
    else delete this.#problems.files;
    if (placed > 0) this.changed();
    else this.said();
  }

  /**
   * Puts each tensor where its name says; a single one where it was dropped. What the workbench
   * saved is opened as a whole.
   */
  #place({ tensors, settings }: Found, field?: Field): void {
    this.#keep();
    if (settings !== undefined) {
      [this.given, this.#texts, this.#chosen, this.#problems] = [{}, {}, {}, {}];
    }
    const lost: string[] = [];
    for (const [name, tensor] of tensors) {
      this.#loaded.set(name, tensor);
      const to = tensors.size === 1 && field ? field : fieldOf(name);
      if (to) this.#choose(to, name);
      else lost.push(name);
    }
    if (settings !== undefined) this.opened(settings);
    if (lost.length === tensors.size) {
      this.#past.pop();
      throw new ReadError('unplaced', { names: lost.join(', ') });
    }
  }

  #choose(field: Field, name: string): void {
    this.given = { ...this.given, [field]: this.#loaded.get(name) };
    this.#chosen = { ...this.#chosen, [field]: name };
    this.#texts = { ...this.#texts, [field]: '' };
    delete this.#problems[field];
  }

  /** What all fields held before they were all replaced. */
  #past: { given: Given; texts: Texts; chosen: Texts }[] = [];

  #keep(): void {
    this.#past.push({ given: this.given, texts: this.#texts, chosen: this.#chosen });
  }

  #start(given: Given, texts: Texts): void {
    for (const pause of Object.values(this.#pauses)) clearTimeout(pause);
    this.#keep();
    [this.given, this.#texts] = [given, texts];
    [this.#chosen, this.#problems] = [{}, {}];
    this.changed();
  }

  #undo(): void {
    const last = this.#past.pop();
    if (!last) return;
    [this.given, this.#texts, this.#chosen] = [last.given, last.texts, last.chosen];
    this.#problems = {};
    this.changed();
  }

  /** The reader's numbers in the other figures, with their mask. */
  #takeCase(of: Case): void {
    const { given, texts } = ofCase(of);
    this.#start(given, texts);
    this.opened(isCausal(of) ? '' : 'mask=none');
  }

  async #random(): Promise<void> {
    this.#start(await inTurns(randomGiven()), {});
  }

  #fieldView(page: Page, field: Field) {
    const own = { en, zh }[page.language];
    const tensor = this.given[field];
    const problem = this.#problems[field];
    const typed = (event: Event) => {
      const text = (event.target as HTMLTextAreaElement).value;
      clearTimeout(this.#pauses[field]);
      this.#pauses[field] = window.setTimeout(() => void this.#take(page, field, text), PAUSE);
    };
    const chosen = (event: Event) => {
      this.#choose(field, (event.target as HTMLSelectElement).value);
      this.changed();
    };
    return html`<div class="bench-field" data-field=${field}>
      <label for="bench-${field}">${own.fields[field]}</label>
      <span class="remark" id="bench-${field}-is">
        ${
          tensor
            ? fill(own.shape, { shape: shapeText(tensor.shape), dtype: tensor.dtype })
            : nothing
        }
      </span>
      <textarea
        id="bench-${field}"
        rows=${this.#texts[field] ? 4 : 2}
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
              @change=${chosen}
            >
              <option value="" disabled ?selected=${!this.#chosen[field]}>${own.noFile}</option>
              ${[...this.#loaded].map(
                ([name, { shape }]) =>
                  html`<option value=${name} ?selected=${this.#chosen[field] === name}>
                    ${name} (${shapeText(shape)})
                  </option>`,
              )}
            </select>`
          : nothing
      }
      ${problem ? html`<p class="bench-problem" role="alert">${problem}</p>` : nothing}
    </div>`;
  }

  /** Takes the files that are dropped anywhere on it. */
  around(page: Page, content: unknown) {
    const dropped = (event: DragEvent) => {
      event.preventDefault();
      const over = (event.target as Element).closest<HTMLElement>('[data-field]');
      const files = [...(event.dataTransfer?.files ?? [])];
      void this.#takeFiles(page, files, over?.dataset.field as Field | undefined);
    };
    return html`<div
      class="bench"
      @dragover=${(event: Event) => event.preventDefault()}
      @drop=${dropped}
    >
      ${content}
    </div>`;
  }

  view(page: Page) {
    const own = { en, zh }[page.language];
    const chosen = (event: Event) => {
      const input = event.target as HTMLInputElement;
      void this.#takeFiles(page, [...(input.files ?? [])]);
      input.value = '';
    };
    const button = (text: string, act: () => void) =>
      html`<button type="button" @click=${act}>${text}</button>`;
    const { files } = this.#problems;
    const { store } = page;
    const mine = choiceOf(store)?.mine;
    const forPage = caseWith(this.given, store.view.case);
    const isNew = forPage !== undefined && !sameCase(forPage, store.view.case);
    return html`<div class="bench-inputs">
      <div class="tools">
        <label class="bench-files"
          ><input type="file" multiple class="visually-hidden" @change=${chosen} /><span
            class="button"
            >${own.choose}</span
          ></label
        >
        ${button(own.example, () => this.#start(exampleGiven, exampleTexts))}
        ${mine ? button(own.fromPage, () => this.#takeCase(mine)) : nothing}
        ${button(own.random, () => void this.#random())}
        ${button(own.clear, () => this.#start({}, {}))}
        ${isNew ? button(own.toPage, () => store.update({ case: forPage })) : nothing}
        ${this.#past.length > 0 ? button(page.words.undo, () => this.#undo()) : nothing}
      </div>
      <p class="remark">${own.drop}</p>
      ${files ? html`<p class="bench-problem" role="alert">${files}</p>` : nothing}
      ${fields.map((field) => this.#fieldView(page, field))}
    </div>`;
  }
}
