// The matrices of the projection figure and the sums behind them, as a function of what is shown.
import { type TemplateResult, html } from 'lit';
import en from '../content/en/figures/projection.json';
import zh from '../content/zh/figures/projection.json';
import { type Follow, withTheRest } from '../draw/later.js';
import { type GridState, type MatrixModel, matrixView } from '../draw/matrix.js';
import { exactNumber, givenNumber } from '../draw/number.js';
import { type Line, rowText, spell, sumOfProducts } from '../draw/provenance.js';
import { cellName, rootDk, symbols, vector } from '../draw/symbols.js';
import { sizeOf } from '../state/case.js';
import type { Page } from '../state/page.js';
import { isPair, steps } from '../state/steps.js';
import { fill } from '../state/words.js';
import {
  type Name,
  type Place,
  type Projected,
  type Role,
  isInputName,
  isRole,
  roles,
  weightsOf,
} from './projection-data.js';

const letters: Record<Role, string> = { query: 'Q', key: 'K', value: 'V' };
const letter = (role: Role) => html`<var class=${role}>${letters[role]}</var>`;
const weights = (role: Role) => html`<var class=${role}>W<sup>${letters[role]}</sup></var>`;
const roleOf = (name: Name) => roles.find((role) => weightsOf[role] === name);

const titles: Record<Name, TemplateResult> = {
  x: html`<var>X</var>`,
  wq: weights('query'),
  wk: weights('key'),
  wv: weights('value'),
  query: html`${letter('query')} = <var>X</var>${weights('query')}`,
  key: html`${letter('key')} = <var>X</var>${weights('key')}`,
  value: html`${letter('value')} = <var>X</var>${weights('value')}`,
  scores: symbols.scores,
  scaled: html`÷ ${rootDk}`,
  weights: html`<var>A</var>`,
  output: symbols.output,
};

/**
 * X and the W of each role above their products; then what attention makes of those. X and the product
 * of `role` go first.
 */
export function boardView(
  page: Page,
  { matrices, domains }: Projected,
  role: Role,
  grid?: GridState<Name>,
  follow: Follow = withTheRest,
) {
  const own = { en, zh }[page.language];
  const { words } = page;
  const plain = (count: number) =>
    Array.from({ length: count }, (_, index) => html`<span class="quiet">${index + 1}</span>`);
  const spoken = (name: Name) => (row: number, column: number) => {
    const numbers = { token: row + 1, feature: column + 1, dimension: column + 1 };
    if (name === 'x') return fill(own.token, numbers);
    if (isInputName(name)) return fill(own.weight, { feature: row + 1, dimension: column + 1 });
    if (isPair(name)) return `${words.queryAxis} ${row + 1}, ${words.keyAxis} ${column + 1}`;
    return fill(own.result, numbers);
  };
  const block = (name: Name) => {
    const values = matrices[name];
    const [rows, columns] = sizeOf(values);
    const isWeights = roleOf(name) !== undefined;
    const model: MatrixModel<Name> = {
      stage: name,
      values,
      title: titles[name],
      name: '',
      spokenName: isInputName(name) ? own.matrices[name] : words.stages[name],
      isEditable: isInputName(name),
      rowHeads: isWeights
        ? plain(rows)
        : Array.from({ length: rows }, (_, i) =>
            name === 'x' || isRole(name) ? html`<var>x</var><sub>${i + 1}</sub>` : vector('q', i),
          ),
      columnHeads: isPair(name)
        ? Array.from({ length: columns }, (_, j) => vector('k', j))
        : plain(columns),
      spoken: spoken(name),
      scale: name === 'weights' ? 'weight' : 'signed',
      domain: domains[name],
      caption: isPair(name)
        ? words.axes
        : name === 'output'
          ? own.axes.output
          : isWeights
            ? own.axes.weights
            : own.axes.tokens,
      ghost: false,
    };
    return matrixView(model, words, grid);
  };
  const ofRole = (each: Role, name: Name) => follow(() => block(name), each === role);
  return html`<div class="projection-board" data-role=${role}>
      ${block('x')} ${roles.map((each) => ofRole(each, weightsOf[each]))}
      ${roles.map((each) => ofRole(each, each))}
    </div>
    <div class="chain" role="group" aria-label=${own.chain}>
      ${follow(() => (['scores', 'scaled', 'weights', 'output'] as const).map(block))}
    </div>`;
}

/** What led to a place, from X on. */
export function linesOf(page: Page, { matrices, frame }: Projected, place: Place): Line[] {
  const own = { en, zh }[page.language];
  const { words } = page;
  const { stage, row, column } = place;
  const numberLine = (name: TemplateResult, remark: string): Line[] => [
    {
      stage,
      name,
      text: html`= <b>${givenNumber(matrices[stage][row]?.[column] ?? NaN)}</b>
        <span class="remark">${remark}</span>`,
    },
  ];
  const index = html`<sub>${row + 1}${column + 1}</sub>`;
  if (stage === 'x') {
    return numberLine(html`${titles.x}${index}`, fill(own.feeds.x, { token: row + 1 }));
  }
  const role = roleOf(stage);
  if (role) {
    const matrix = letters[role];
    const remark = fill(own.feeds.w, { dimension: column + 1, matrix });
    return numberLine(html`${weights(role)}${index}`, remark);
  }
  if (isInputName(stage)) return [];
  if (isRole(stage)) {
    const by = matrices[weightsOf[stage]];
    const factors = (matrices.x[row] ?? []).map((a, l): [number, number] => [
      a,
      by[l]?.[column] ?? NaN,
    ]);
    const result = matrices[stage][row]?.[column] ?? NaN;
    const text = sumOfProducts(factors, [givenNumber, givenNumber], result);
    return [{ stage, name: cellName(stage, row, column), text }];
  }
  const rowLine = (of: 'query' | 'key', at: number): Line => ({
    stage: of,
    name: vector(of === 'query' ? 'q' : 'k', at),
    text: html`= <var>x</var><sub>${at + 1}</sub>${weights(of)} ${rowText(matrices[of][at])}`,
  });
  const rest = spell({ ...place, stage }, frame, steps.length, words, exactNumber);
  if (stage !== 'output') return [rowLine('query', row), rowLine('key', column), ...rest];
  const valueLine: Line = {
    stage: 'value',
    name: html`<var>V</var><sub>·${column + 1}</sub>`,
    text: html`= <var>X</var>${weights('value')}<sub>·${column + 1}</sub>
      ${rowText(matrices.value.map((cells) => cells[column] ?? NaN))}`,
  };
  return [rowLine('query', row), ...rest.slice(0, -1), valueLine, ...rest.slice(-1)];
}
