// <attention-bug-gallery>: what a faulty attention gives; the right result turns up with the diagnosis. A
// cell that is pointed at says its sum below, one that is kept everything that led to it.
import { html, nothing, render } from 'lit';
import en from '../content/en/figures/bug-gallery.json';
import zh from '../content/zh/figures/bug-gallery.json';
import { GridController } from '../draw/grid.js';
import { byPointer, inspectorView } from '../draw/inspector.js';
import { type Lineage, marksFor } from '../draw/lineage.js';
import type { GridState } from '../draw/matrix.js';
import { exactNumber } from '../draw/number.js';
import { paintedView } from '../draw/paint.js';
import { pairView } from '../draw/pair.js';
import { spell } from '../draw/provenance.js';
import { indexed, vector } from '../draw/symbols.js';
import { tableOf } from '../export/exhibit.js';
import { type Cell, sizeOf } from '../state/case.js';
import type { Frame } from '../state/frame.js';
import { readCell, writeCell } from '../state/link.js';
import type { Page } from '../state/page.js';
import { stepOf } from '../state/steps.js';
import { fill } from '../state/words.js';
import { type Weights, cross, evidence, inputs, paddings } from './bug-evidence.js';
import { Choices } from './choices.js';
import { ProseFigure } from './prose-figure.js';

/** Its tables: what a case gives, what is right of it, or its heads. */
interface Table {
  name: string;
  title: string;
  /** With the case it stands in. */
  spokenName: string;
  weights: Weights;
}

/** What only the live figure has. */
interface Live {
  grid: GridState<string>;
  /** Under the pointer, focused or kept. */
  looked: Cell<string> | null;
  letGo: () => void;
}

function weightsView({ words }: Page, { name, title, spokenName, weights }: Table, live?: Live) {
  const { values, cause, linesOf } = weights;
  const table = pairView<string>(
    words,
    {
      stage: name,
      title: html`<var>A</var>`,
      name: title,
      spokenName,
      values,
      kind: 'weights',
      ...(cause ? { cause } : {}),
    },
    live?.grid,
  );
  if (!live) return table;
  const { pin } = live.grid;
  const { looked } = live;
  const own = looked?.stage === name ? linesOf(looked.row, looked.column).at(-1) : undefined;
  // The same template with and without the sum: the cell keeps the focus.
  return html`${table}
  ${
    pin?.stage === name
      ? inspectorView({
          words,
          cell: { ...pin, stage: 'weights' },
          lines: linesOf(pin.row, pin.column),
          isKept: true,
          isEditable: false,
          hint: null,
          edit: () => undefined,
          letGo: live.letGo,
        })
      : html`<p class="looked">${own ? html`${own.name} ${own.text}` : nothing}</p>`
  }`;
}

/** The heads' weights, which differ, and below each its output, which does not. */
function headsView(page: Page, heads: readonly Table[], frames: readonly Frame[], live?: Live) {
  const headView = (table: Table, index: number) =>
    html`<div class="evidence">
      ${weightsView(page, table, live)}
      <p>
        ${indexed(html`<var>O</var>`, 0, 0)} =
        <b>${exactNumber(frames[index]!.matrices.output[0]![0]!)}</b>
      </p>
    </div>`;
  return html`<div class="heads">${heads.map(headView)}</div>`;
}

/** The padding mask as it was given: a row for each sequence. */
function paddingView(page: Page, padding: readonly (readonly boolean[])[]) {
  const own = { en, zh }[page.language];
  const [rows, columns] = [padding.length, padding[0]!.length];
  return html`<div class="given">
    <p class="matrix-title">${own.mask} <span class="shape">${rows}×${columns}</span></p>
    ${paintedView({
      ...{ label: own.mask, rows, columns },
      rowHeads: padding.map((_, b) => fill(own.sequence, { index: b + 1 })),
      columnHeads: padding[0]!.map((_, j) => vector('k', j)),
      text: (b, j) => (padding[b]![j] ? '1' : '0'),
      cause: (b, j) => (padding[b]![j] ? ['padding'] : []),
    })}
  </div>`;
}

/** How each of them comes to its output: the last line of what the inspector would say. */
function sumsView(page: Page, heads: readonly Table[], frames: readonly Frame[]) {
  const cell = { stage: 'output', row: 0, column: 0 } as const;
  const sumView = (frame: Frame, index: number) =>
    html`<div>
      <dt>${heads[index]!.title}</dt>
      <dd>${spell(cell, frame, stepOf('output'), page.words).at(-1)!.text}</dd>
    </div>`;
  return html`<dl class="evidence sums">${frames.map(sumView)}</dl>`;
}

interface Place {
  tables: readonly Table[];
  view: (live?: Live) => unknown;
}

/** What each case shows, and what turns up with its diagnosis, under the name of its place. */
function placesOf(page: Page): Record<string, Place> {
  const own = { en, zh }[page.language];
  const tableFor = (id: string, name: string, title: string, weights: Weights): Table => {
    const number = Object.keys(evidence).indexOf(id) + 1;
    return { name, title, spokenName: `${page.words.bug} ${number}, ${title}`, weights };
  };
  const single = (table: Table, above: unknown = nothing): Place => {
    const view = (live?: Live) =>
      html`<div class="evidence">${above} ${weightsView(page, table, live)}</div>`;
    return { tables: [table], view };
  };
  return Object.fromEntries(
    Object.entries(evidence).flatMap(([id, find]): [string, Place][] => {
      const found = find(page);
      if (!('heads' in found)) {
        return [
          [
            id,
            single(
              tableFor(id, id, own.faulty, found.faulty),
              found.padding && paddingView(page, found.padding),
            ),
          ],
          [`${id}.answer`, single(tableFor(id, `${id}-right`, own.right, found.right))],
        ];
      }
      const frames = found.heads.map(({ frame }) => frame);
      const tables = found.heads.map((weights, at) =>
        tableFor(id, `${id}-${at + 1}`, fill(own.head, { index: at + 1 }), weights),
      );
      return [
        [id, { tables, view: (live) => headsView(page, tables, frames, live) }],
        [`${id}.answer`, { tables: [], view: () => sumsView(page, tables, frames) }],
      ];
    }),
  );
}

export class AttentionBugGallery extends ProseFigure {
  static override key = 'bug';

  static places = (page: Page) =>
    Object.fromEntries(Object.entries(placesOf(page)).map(([name, { view }]) => [name, view()]));

  #places: readonly (readonly [HTMLElement, Place])[] = [];
  /** None of its cells is made of another that is shown. */
  #lineage: Lineage<string> = { shapes: new Map(), operandsOf: () => [] };

  readonly #grid = new GridController<string>(this, {
    shape: (name) => this.#lineage.shapes.get(name)!,
    isTransposed: () => false,
    pin: () => (this.page ? this.#pin : null),
    setPin: (cell) => this.set('pin', writeCell(cell)),
  });

  get #pin(): Cell<string> | null {
    const read = (text: string) => readCell(text, this.#lineage.shapes);
    return this.setting('pin', read, null, writeCell);
  }

  protected override exhibit(page: Page) {
    const found = Object.entries(evidence).flatMap(([id, find]) => {
      const of = find(page);
      return 'heads' in of ? [] : [[id, [of.faulty.values, of.right.values]] as const];
    });
    return {
      calls: [],
      programs: async () => {
        const { bugPrograms } = await import('../export/bug-program.js');
        const { query: few, key: many } = cross;
        return bugPrograms({
          inputs: { ...inputs, few, many },
          paddings,
          found: Object.fromEntries(found),
        });
      },
      tables: found.flatMap(([id, [wrong, right]]) => [
        tableOf(`${id}: wrong`, wrong),
        tableOf(`${id}: right`, right),
      ]),
    };
  }

  protected override enliven(page: Page, prose: ParentNode): void {
    const all = placesOf(page);
    const tables = Object.values(all).flatMap((place) => place.tables);
    const shapes = tables.map(({ name, weights }) => [name, sizeOf(weights.values)] as const);
    this.#lineage = { shapes: new Map(shapes), operandsOf: () => [] };
    this.#places = [...prose.querySelectorAll<HTMLElement>('[data-place]')].map((place) => {
      place.replaceChildren();
      return [place, all[place.dataset.place!]!] as const;
    });
    const hint = document.createElement('p');
    hint.className = 'hint';
    render(byPointer(page.words.traceHint), hint);
    prose.querySelector('.bugs')!.before(hint);
    const folds = (name: string) => [...prose.querySelectorAll<HTMLDetailsElement>(name)];
    const [bugs, answers] = [folds('.bug'), folds('.diagnosis')];
    this.keepFolds('rows', bugs, [1]);
    this.keepFolds('hint', folds('.hint-fold'));
    this.keepFolds('open', answers);
    const asked = bugs.map((bug, index) => {
      const choices: Choices = new Choices(
        bug.querySelector('.choices')!,
        bug.querySelector<HTMLElement>('.asked')!,
        () => {
          change(asked.map(({ chosen }) => chosen));
          // Whoever has found it may see the cure.
          if (choices.isRight) answers[index]!.open = true;
        },
      );
      return choices;
    });
    const change = this.keepChoices('chosen', asked);
    // What a link keeps is to be seen.
    const kept = this.#places.find(([, { tables }]) =>
      tables.some(({ name }) => name === this.#pin?.stage),
    );
    for (
      let fold = kept?.[0].closest('details');
      fold;
      fold = fold.parentElement!.closest('details')
    ) {
      fold.open = true;
    }
  }

  protected override remarks(page: Page): unknown {
    void this.#pin;
    return super.remarks(page);
  }

  protected override updated(): void {
    super.updated();
    const { looked, tabStop } = this.#grid;
    const marks = marksFor(looked, this.#lineage);
    const live: Live = {
      grid: { marks, pin: this.#pin, tabStop, editing: null },
      looked,
      letGo: () => this.set('pin', undefined),
    };
    for (const [place, { view }] of this.#places) render(this.#grid.around(view(live)), place);
  }
}
