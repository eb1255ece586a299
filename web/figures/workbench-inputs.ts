// What the workbench takes its tensors from: fields, files, and what is wrong with them.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { type Field, fields } from '../state/bench-call.js';
import type { BenchInputs } from '../state/bench-inputs.js';
import { caseWith } from '../state/bench-tensors.js';
import { sameCase } from '../state/case.js';
import type { Page } from '../state/page.js';
import { ReadError } from '../state/read-text.js';
import { choiceOf, isWithFirst } from '../state/shared-case.js';
import { fill } from '../state/words.js';
import { headerText } from './paste.js';

export const shapeText = (shape: readonly number[]) =>
  shape.length === 0 ? '[]' : shape.join('×');

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

/** What is wrong with a field's text, and which tensor stays in spite of it. */
function fieldProblem(page: Page, { problems, given }: BenchInputs, field: Field): string {
  if (!(field in problems)) return '';
  const problem = reasonOf(page, problems[field]);
  const shape = given[field]?.shape;
  return shape
    ? fill({ en, zh }[page.language].kept, { problem, shape: shapeText(shape) })
    : problem;
}

function fileProblems(page: Page, { fileProblems: all }: BenchInputs): string {
  const own = { en, zh }[page.language];
  return all
    .map(({ file, error }) => {
      const problem = reasonOf(page, error);
      return problem.includes(file) ? problem : fill(own.named, { name: file, problem });
    })
    .join(' ');
}

/** What would be missed after a reload, and why. */
function unkeptText({ language }: Page, { memory: { unkept }, isOwn, given }: BenchInputs): string {
  if (unkept === undefined || !isOwn) return '';
  const own = { en, zh }[language];
  const names = fields.flatMap((field) => {
    const shape = given[field]?.shape;
    return shape ? [`${own.fieldNames[field]} ${shapeText(shape)}`] : [];
  });
  const isFull = unkept instanceof DOMException && unkept.name === 'QuotaExceededError';
  const why = own.unkeptFor[isFull ? 'full' : 'forbidden'];
  return fill(own.unkept, { names: names.join(own.comma), why });
}

/** What went with what it belonged to. */
function leftText({ language }: Page, { left }: BenchInputs): string {
  if (!left) return '';
  const own = { en, zh }[language];
  const fieldTexts = left.fields.map(([field, file]) =>
    fill(own.left.field, { name: own.fieldNames[field], file }),
  );
  return [...(left.hasRules ? [own.left.rules] : []), ...fieldTexts, own.left.undo].join(own.space);
}

function fieldView(page: Page, inputs: BenchInputs, field: Field) {
  const own = { en, zh }[page.language];
  const { given, texts, chosen, loaded } = inputs;
  const tensor = given[field];
  const problem = fieldProblem(page, inputs, field);
  const typed = (event: Event) => {
    const { value } = event.target as HTMLTextAreaElement;
    inputs.type(field, value, event.type === 'change');
  };
  return html`<div class="bench-field" data-field=${field}>
    <label for="bench-${field}">${own.fields[field]}</label>
    <span class="remark" id="bench-${field}-is">
      ${tensor ? fill(own.shape, { shape: shapeText(tensor.shape), dtype: tensor.dtype }) : nothing}
    </span>
    <textarea
      id="bench-${field}"
      rows=${texts[field] ? 4 : 2}
      spellcheck="false"
      autocomplete="off"
      placeholder=${chosen[field] ?? own.placeholder}
      aria-describedby="bench-${field}-is"
      aria-invalid=${problem ? 'true' : 'false'}
      .value=${texts[field] ?? ''}
      @input=${typed}
      @change=${typed}
    ></textarea>
    ${
      loaded.size > 0
        ? html`<select
            aria-label=${fill(own.fromFile, { field: own.fields[field] })}
            @change=${(event: Event) =>
              inputs.choose(field, (event.target as HTMLSelectElement).value)}
          >
            <option value="" disabled ?selected=${!chosen[field]}>${own.noFile}</option>
            ${[...loaded].map(
              ([name, { shape }]) =>
                html`<option value=${name} ?selected=${chosen[field] === name}>
                  ${name} (${shapeText(shape)})
                </option>`,
            )}
          </select>`
        : nothing
    }
    ${tensor?.header ? html`<p class="remark" role="status">${headerText(page, tensor)}</p>` : nothing}
    ${problem ? html`<p class="bench-problem" role="alert">${problem}</p>` : nothing}
  </div>`;
}

/** Takes the files that are dropped anywhere on it. */
export function droppedView(inputs: BenchInputs, content: unknown) {
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    const over = (event.target as Element).closest<HTMLElement>('[data-field]');
    const files = [...(event.dataTransfer?.files ?? [])];
    void inputs.takeFiles(files, over?.dataset.field as Field | undefined);
  };
  return html`<div
    class="bench"
    @dragover=${(event: Event) => event.preventDefault()}
    @drop=${dropped}
  >
    ${content}
  </div>`;
}

export function inputsView(page: Page, inputs: BenchInputs) {
  const own = { en, zh }[page.language];
  const chosen = (event: Event) => {
    const input = event.target as HTMLInputElement;
    void inputs.takeFiles([...(input.files ?? [])]);
    input.value = '';
  };
  const button = (text: string, act: () => void) =>
    html`<button type="button" @click=${act}>${text}</button>`;
  const { store } = page;
  const mine = isWithFirst() ? choiceOf(store)?.mine : undefined;
  const forPage = caseWith(inputs.given, store.view.case);
  const isNew = isWithFirst() && forPage !== undefined && !sameCase(forPage, store.view.case);
  const problems = fileProblems(page, inputs);
  const unkept = unkeptText(page, inputs);
  const left = leftText(page, inputs);
  return html`<div class="bench-inputs">
    <div class="tools">
      <label class="bench-files"
        ><input type="file" multiple class="visually-hidden" @change=${chosen} /><span
          class="button"
          >${own.choose}</span
        ></label
      >
      ${button(own.example, () => inputs.startExample())}
      ${mine ? button(own.fromPage, () => inputs.startCase(mine)) : nothing}
      ${button(own.random, () => void inputs.startRandom())}
      ${button(own.clear, () => inputs.clear())}
      ${isNew ? button(own.toPage, () => store.update({ case: forPage })) : nothing}
      ${inputs.canUndo ? button(page.words.undo, () => inputs.undo()) : nothing}
    </div>
    <p class="remark">${own.drop}${inputs.memory.isKeeping ? own.keeps : nothing}</p>
    ${inputs.memory.isLost && !inputs.isOwn ? html`<p class="remark" role="status">${own.lost}</p>` : nothing}
    ${left ? html`<p class="remark" role="status">${left}</p>` : nothing}
    ${unkept ? html`<p class="remark" role="status">${unkept}</p>` : nothing}
    ${problems ? html`<p class="bench-problem" role="alert">${problems}</p>` : nothing}
    ${fields.map((field) => fieldView(page, inputs, field))}
  </div>`;
}
