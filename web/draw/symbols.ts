// The symbols of the computation, set as mathematics without a formula engine.
import { type TemplateResult, html, svg } from 'lit';
import type { Stage } from '../state/steps.js';

export const root = (of: unknown) =>
  html`<span class="root"><span class="upright">√</span><span class="radicand">${of}</span></span>`;
export const rootDk = root(html`<var>d</var><sub><var>k</var></sub>`);

const bar = html`<span class="upright">∥</span>`;
/** The length of what stands between its bars. */
export const norm = (of: unknown) => html`${bar}${of}${bar}`;

/** Plain words with their `d_k`, `d_v` and `d_model` set as mathematics. */
export const withWidths = (words: string): TemplateResult =>
  html`${words.split(/\b(?:d_(k|v|model)|W\^([QKVO]))(?![a-z])/).map((part, index) => {
    if (index % 3 === 0) return part;
    if (part === undefined) return '';
    if (index % 3 === 2) return html`<var>W</var><sup><var>${part}</var></sup>`;
    return html`<var>d</var><sub>${part === 'model' ? part : html`<var>${part}</var>`}</sub>`;
  })}`;
/** `d_k` in a drawing. */
export const drawnDk = svg`<tspan class="math">d</tspan><tspan class="math" dy="3" font-size="11">k</tspan>`;

const transposedKey = html`<var>K</var><sup>⊤</sup>`;

/** A matrix's symbol, as its title reads. */
export const symbols: Record<Stage, TemplateResult> = {
  query: html`<var class="query">Q</var>`,
  key: html`<var class="key">K</var><sup>⊤</sup>`,
  value: html`<var class="value">V</var>`,
  scores: html`<var>Q</var>${transposedKey}`,
  scaled: html`÷ ${rootDk}`,
  masked: html`+ <var>M</var>`,
  weights: html`<var>A</var> = softmax`,
  output: html`<var>A</var><var>V</var>`,
};

const pairIndex = (row: number, column: number) =>
  row < 9 && column < 9 ? `${row + 1}${column + 1}` : `${row + 1},${column + 1}`;

/** "A₁₂": with indices counted from 1. */
export const indexed = (name: unknown, row: number, column: number) =>
  html`${name}<sub>${pairIndex(row, column)}</sub>`;

const letters: Record<Stage, string> = {
  query: 'Q',
  key: 'K',
  value: 'V',
  scores: 's',
  scaled: 's',
  masked: 'Z',
  weights: 'A',
  output: 'O',
};

/** "s₁₂", "A₁₂": a cell's name by the letters of the article; a scaled score says what `scales` it. */
export function cellName(
  stage: Stage,
  row: number,
  column: number,
  scales: unknown = html`÷ ${rootDk}`,
): TemplateResult {
  const name = indexed(html`<var>${letters[stage]}</var>`, row, column);
  return stage === 'scaled' ? html`${name} ${scales}` : name;
}

/** A row of Q, K or V as a vector: "q₁". */
export const vector = (letter: 'q' | 'k' | 'v' | 'd', index: number) =>
  html`<var>${letter}</var><sub>${index + 1}</sub>`;

/** How the inspector calls what belongs to a query. */
export interface Notation {
  cell: typeof cellName;
  /** The query as a vector. */
  query: (row: number) => TemplateResult;
  /** Its weights, summed over `j`. */
  weights: (row: number) => TemplateResult;
}

export const manyQueries: Notation = {
  cell: cellName,
  query: (row) => vector('q', row),
  weights: (row) => html`<var>A</var><sub>${row + 1}<var>j</var></sub>`,
};

/** A single query's index is left out. */
export const singleQuery: Notation = {
  cell: (stage, row, column, scales = html`÷ ${rootDk}`) => {
    if (stage === 'key' || stage === 'value') return cellName(stage, row, column);
    const letter = { weights: 'α', output: 'o', query: 'q', scores: 's', scaled: 's', masked: 's' }[
      stage
    ];
    const name = html`<var>${letter}</var><sub>${column + 1}</sub>`;
    return stage === 'scaled' ? html`${name} ${scales}` : name;
  },
  query: () => html`<var>q</var>`,
  weights: () => html`<var>α</var><sub><var>j</var></sub>`,
};
