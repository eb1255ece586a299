// <attention-nan-repair>: a row of NaN replaced after softmax, beside a row that is taken out before it.
// The outputs are the same; the gradients are not.
import { html } from 'lit';
import en from '../content/en/figures/nan-repair.json';
import zh from '../content/zh/figures/nan-repair.json';
import { choiceView } from '../draw/controls.js';
import { hatchesView } from '../draw/hatches.js';
import { footView } from '../draw/inspector.js';
import { type Part as Checks, checksView, finite, invariantsOf } from '../draw/invariants.js';
import { type GridState, matrixView } from '../draw/matrix.js';
import { exactNumber, givenNumber, operand } from '../draw/number.js';
import { pairView } from '../draw/pair.js';
import {
  type Line,
  operation,
  share,
  softmaxLines,
  spellAs,
  sumOfProducts,
} from '../draw/provenance.js';
import { domainOf } from '../draw/scale.js';
import { indexed, rootDk, symbols, vector } from '../draw/symbols.js';
import { tableOf } from '../export/exhibit.js';
import type { Case, Cell } from '../state/case.js';
import type { Page } from '../state/page.js';
import comparisonSheet from '../styles/comparison.css?inline';
import { among, sheets } from './figure.js';
import {
  EMPTY,
  type Hidden,
  causeOf,
  hiddenView,
  isEmpty,
  isHidden,
  readHidden,
} from './hidden-row.js';
import {
  type Entry,
  type Name,
  type Part,
  type Way,
  nameOf,
  partOf,
  results,
  wayOf,
  ways,
} from './nan-repair-data.js';
import { TracedFigure } from './traced-figure.js';

const home = { hidden: 'all' as Hidden, entry: 'added' as Entry };
type Shown = typeof home & { of: Case };
const resultsOf = (page: Page, { of, hidden, entry }: Shown) => results(page, of, hidden, entry);

const gradient = (of: unknown) => html`∂<var>L</var>/∂${of}`;
/** How each is called where its title is. */
const titles: Record<Part, unknown> = {
  Softmax: symbols.weights,
  Weights: html`<var>A</var>′`,
  Output: html`<var>A</var>′<var>V</var>`,
  Scores: gradient(html`<var>Z</var>`),
  Key: gradient(html`<var class="key">K</var>`),
  Value: gradient(html`<var class="value">V</var>`),
};
const forward = ['Softmax', 'Weights', 'Output'] as const;
const backward = ['Scores', 'Key', 'Value'] as const;

function partView(page: Page, shown: Shown, way: Way, part: Part, grid?: GridState<Name>) {
  const { words } = page;
  const own = { en, zh }[page.language];
  const { matrices } = resultsOf(page, shown);
  const [stage, values] = [nameOf(way, part), matrices[nameOf(way, part)]];
  const name = part === 'Weights' ? own.weights[way] : '';
  const spokenName = `${own[way]}, ${part === 'Weights' ? name : own.names[part]}`;
  // One scale for what is to be compared.
  const domain = domainOf(...ways.map((each) => matrices[nameOf(each, part)]));
  if (part === 'Softmax' || part === 'Weights' || part === 'Scores') {
    const isTaken = (i: number) =>
      part === 'Softmax' && way === 'early' && isEmpty(shown.hidden, i);
    const cause = (i: number, j: number) =>
      isHidden(shown.hidden, i, j) && !isTaken(i) ? ['blocked'] : [];
    return pairView<Name>(
      words,
      {
        ...{ stage, name, spokenName, values, title: titles[part] },
        ...(part === 'Scores' ? { kind: 'scores', domain } : { kind: 'weights', cause }),
      },
      grid,
    );
  }
  const isOfQueries = part === 'Output';
  const axis = isOfQueries ? words.queryAxis : words.keyAxis;
  return matrixView<Name>(
    {
      ...{ stage, name, spokenName, values, title: titles[part], domain },
      rowHeads: values.map((_, i) =>
        vector(part === 'Value' ? 'v' : part === 'Key' ? 'k' : 'q', i),
      ),
      columnHeads: values[0]!.map((_, column) => column + 1),
      spoken: (row, column) => `${axis} ${row + 1}, ${words.dimension} ${column + 1}`,
      scale: 'signed',
      caption: words.axesOf[isOfQueries ? 'query' : 'key'],
      ghost: false,
    },
    words,
    grid,
  );
}

function boardView(page: Page, shown: Shown, grid?: GridState<Name>) {
  const own = { en, zh }[page.language];
  const { matrices } = resultsOf(page, shown);
  const half = (way: Way, title: string, of: readonly Part[]) =>
    html`<div>
      <p class="remark">${title}</p>
      <div class="comparison-pair">${of.map((part) => partView(page, shown, way, part, grid))}</div>
    </div>`;
  const isLost = matrices.lateKey.flat().some(Number.isNaN);
  const says =
    shown.hidden === 'causal' ? own.says.none : isLost ? own.says.lost : own.says.stopped;
  return html`<div class="comparison" data-picture>
      ${ways.map(
        (way) =>
          html`<div class="comparison-way">
            <p class="comparison-title">${own[way]}</p>
            ${half(way, own.forward, forward)} ${half(way, own.backward, backward)}
          </div>`,
      )}
    </div>
    <p class="comparison-says" aria-live="polite">${says}</p>
    ${hatchesView(page.words, causeOf(shown))}`;
}

function checks(page: Page, shown: Shown) {
  const own = { en, zh }[page.language];
  const { matrices } = resultsOf(page, shown);
  const cause = causeOf(shown);
  const part = (way: Way): Checks => ({
    of: [
      ...invariantsOf({ weights: matrices[nameOf(way, 'Weights')], cause }),
      finite(backward.flatMap((each) => matrices[nameOf(way, each)].flat())),
    ],
    name: own[way],
  });
  return checksView(page.words, part('late'), part('early'));
}

export class AttentionNanRepair extends TracedFigure<Name> {
  static override styles = sheets(comparisonSheet);
  static override key = 'nan';

  static firstFrame = (page: Page) => {
    const shown = { ...home, of: page.store.home.case };
    return html`${boardView(page, shown)} ${footView(checks(page, shown))}`;
  };

  protected override readonly sharesCase = true;

  get #shown(): Shown {
    return {
      of: this.given,
      hidden: this.setting('hide', readHidden, home.hidden),
      entry: this.setting('enter', among(['added', 'filled']), home.entry),
    };
  }

  protected override lineage = (page: Page) => resultsOf(page, this.#shown).lineage;
  protected override example = (): Cell<Name> => ({ stage: 'lateScores', row: EMPTY, column: 0 });

  protected override linesOf(page: Page, { stage, row, column }: Cell<Name>): Line[] {
    const { words } = page;
    const own = { en, zh }[page.language];
    const shown = this.#shown;
    const [way, part] = [wayOf(stage), partOf(stage)];
    const { frame, bare, arriving, sums, unscaled, matrices } = resultsOf(page, shown).paths[way];
    const result = matrices[part][row]![column]!;
    const isOut = isEmpty(shown.hidden, row);
    const line = (name: unknown, text: unknown, of: Part = part): Line => ({
      stage: nameOf(way, of),
      name: html`${name}`,
      text: html`${text}`,
    });
    const named = (name: unknown, i = row, j = column) => indexed(name, i, j);
    const remark = (text: string) => html`<span class="remark">${text}</span>`;
    const letter = html`<var>A</var>`;

    const softmax = (j: number): Line[] => {
      if (!isOut || !bare) {
        return spellAs(
          'weights',
          { stage: nameOf(way, 'Softmax'), row, column: j },
          frame,
          words,
        ).filter((each) => each.stage === nameOf(way, 'Softmax'));
      }
      const of = { masked: frame.matrices.key.map(() => -Infinity), max: bare.rowMax[0]! };
      const power = bare.exponentials[0]![0]!;
      const lines = softmaxLines(words, {
        ...{ ...of, sum: bare.rowSum[0]! },
        exponentials: of.masked.map(() => power),
      }).map((each) => ({ ...each, stage: nameOf(way, 'Softmax') }));
      const part = share(power, bare.rowSum[0]!, bare.weights[0]![j]!);
      return [...lines, line(named(letter, row, j), part, 'Softmax')];
    };
    const products = (factors: [number, number][]) =>
      sumOfProducts(factors, [exactNumber, givenNumber], result);

    switch (part) {
      case 'Softmax':
        return softmax(column);
      case 'Weights': {
        const before = matrices.Softmax[row]![column]!;
        const name = named(html`${letter}′`);
        if (!isOut) return [...softmax(column), line(name, html`= <b>${exactNumber(before)}</b>`)];
        const text =
          way === 'late'
            ? html`= <b>0</b> ${remark(own.replaced)}`
            : html`${operation(`${exactNumber(before)} × 0`, [], 0)} ${remark(own.takenOut)}`;
        return [...softmax(column), line(name, text)];
      }
      case 'Output': {
        const { value } = frame.matrices;
        const factors = matrices.Weights[row]!.map((a, j): [number, number] => [
          a,
          value[j]![column]!,
        ]);
        return [line(named(html`<var>O</var>`), products(factors))];
      }
      case 'Scores': {
        const [a, g, sum] = [matrices.Softmax[row]![column]!, arriving[row]![column]!, sums[row]!];
        const name = named(titles.Scores);
        if (way === 'late' && shown.entry === 'filled' && isHidden(shown.hidden, row, column)) {
          return [line(name, html`= <b>0</b> ${remark(own.stopped)}`)];
        }
        const text = `${operand(exactNumber(a))} × (${exactNumber(g)} − ${operand(exactNumber(sum))})`;
        return [
          line(named(letter), html`= ${exactNumber(a)}`, 'Softmax'),
          line(
            named(html`<var>g</var>`),
            html`= ${exactNumber(g)} ${remark(isOut ? own.nothingArrives : own.arrives)}`,
          ),
          line(
            html`Σ<sub><var>j</var></sub> <var>A</var><sub>${row + 1}<var>j</var></sub
              ><var>g</var><sub>${row + 1}<var>j</var></sub>`,
            html`= ${exactNumber(sum)}`,
          ),
          line(name, operation(text, [a, g, sum], result)),
        ];
      }
      case 'Key': {
        const factors = shown.of.query.map((q, i): [number, number] => [
          matrices.Scores[i]![row]!,
          q[column]!,
        ]);
        const sum = unscaled[row]![column]!;
        const { scale } = shown.of.options;
        const by = scale === undefined ? html`÷ ${rootDk}` : `× ${givenNumber(scale)}`;
        return [
          line(
            html`Σ<sub><var>i</var></sub> ${gradient(html`<var>Z</var>`)}<sub
                ><var>i</var>${row + 1}</sub
              >
              <var>Q</var><sub><var>i</var>${column + 1}</sub>`,
            sumOfProducts(factors, [exactNumber, givenNumber], sum),
          ),
          line(named(titles.Key), operation(html`${exactNumber(sum)} ${by}`, [sum], result)),
        ];
      }
      case 'Value': {
        const factors = matrices.Weights.map((each): [number, number] => [each[row]!, 1]);
        return [line(named(titles.Value), products(factors))];
      }
    }
  }

  protected override exhibit(page: Page) {
    const { paths, matrices } = resultsOf(page, this.#shown);
    return {
      calls: [{ name: 'the row taken out before softmax', frame: paths.early.frame }],
      tables: Object.entries(matrices).map(([name, rows]) => tableOf(name, rows)),
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const shown = this.#shown;
    return html`<div class="tools">
        ${hiddenView(page, shown.hidden, (key, to) => this.set(key, to))}
        ${choiceView<Entry>({
          label: own.entry,
          name: 'entry',
          options: (['added', 'filled'] as const).map((name) => [name, own.entries[name]]),
          value: shown.entry,
          change: (to) => this.set('enter', to === home.entry ? undefined : to),
        })}
      </div>
      ${this.traced(
        page,
        (grid) => boardView(page, shown, grid),
        () => checks(page, shown),
      )}`;
  }
}
