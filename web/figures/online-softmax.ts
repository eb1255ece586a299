// <attention-online-softmax>: one row, a tile of keys at a time, as the tiled kernel did it: what it
// read, the largest so far, the sum so far and the output so far.
import type { TileStep, TracedResult } from 'attention-wasm';
import { html, nothing } from 'lit';
import en from '../content/en/figures/online-softmax.json';
import zh from '../content/zh/figures/online-softmax.json';
import { choiceView, switchView } from '../draw/controls.js';
import { footView } from '../draw/inspector.js';
import { checksView, invariantsOf, likeWhole } from '../draw/invariants.js';
import { exactNumber } from '../draw/number.js';
import { railView } from '../draw/rail.js';
import { vector } from '../draw/symbols.js';
import type { Table } from '../export/exhibit.js';
import example from '../examples/six-step.json';
import { type Case, withCausal } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { parseNumber } from '../state/parse.js';
import { fill } from '../state/words.js';
import onlineSheet from '../styles/online-softmax.css?inline';
import { Figure, sheets } from './figure.js';

const rows = example.inputs.query.length;
const keys = example.inputs.key.length;
const home = { row: 4, tile: 1, causal: true };
const tileSizes = [1, 2, 4];
/** The largest that is not above what a link asks for. */
function tileOf(text: string): number | undefined {
  const asked = parseNumber(text);
  return asked === undefined
    ? undefined
    : (tileSizes.findLast((size) => size <= asked) ?? tileSizes[0]);
}
type Shown = typeof home;

interface Run {
  tiles: TileStep[];
  output: number[];
  lse: number;
}

function run(
  { attention, library: { tensor, toNested } }: Page,
  of: Case,
  { row, tile, causal }: Shown,
): Run {
  const { options, ...inputs } = withCausal(of, causal);
  const given = (name: 'query' | 'key' | 'value') => tensor(inputs[name], 'float64');
  const { tiles, output, lse }: TracedResult = attention.trace(
    given('query'),
    given('key'),
    given('value'),
    { ...options, returns: ['lse'] },
    { tileKeys: tile },
  );
  return {
    tiles: tiles.filter(({ query }) => query === row - 1),
    output: (toNested(output) as number[][])[row - 1]!,
    lse: (toNested(lse!) as number[])[row - 1]!,
  };
}

const keyNames = ({ begin, end }: TileStep) =>
  Array.from({ length: end - begin }, (_, at) => vector('k', begin + at));
const list = (numbers: readonly number[]) => numbers.map(exactNumber).join(', ');
const vectorText = (numbers: readonly number[]) => `(${list(numbers)})`;

/** The lines up to `step`; those to come show their keys only. */
function tableView(page: Page, { tiles }: Run, step: number) {
  const own = { en, zh }[page.language];
  const { keys: keysHead, ...heads } = own.head;
  const line = (tile: TileStep, index: number) => {
    const values: Record<keyof typeof heads, string> = {
      scores: list(tile.scores),
      max: exactNumber(tile.rowMax),
      // Before the first tile there is nothing to rescale.
      rescale: index === 0 ? '' : exactNumber(tile.rescale),
      weights: list(tile.weights),
      sum: exactNumber(tile.rowSum),
      output: vectorText(tile.output),
    };
    return html`<tr ?data-current=${index + 1 === step} ?data-ghost=${index >= step}>
      <th scope="row">${keyNames(tile).map((name, at) => html`${at ? ', ' : ''}${name}`)}</th>
      ${Object.entries(heads).map(
        ([name, head]) =>
          html`<td data-head=${head} data-step=${name}>
            ${index < step ? values[name as keyof typeof heads] : nothing}
          </td>`,
      )}
    </tr>`;
  };
  return html`<table class="online-table" aria-label=${own.table} data-picture>
    <thead>
      <tr>
        ${[keysHead, ...Object.values(heads)].map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${tiles.map(line)}
    </tbody>
  </table>`;
}

/** What each key weighs in the end: its exponential, rescaled as often as it was, over ℓ. */
function weightsOf(tiles: readonly TileStep[]): number[] {
  const { rowSum } = tiles.at(-1)!;
  const exponentials = Array.from({ length: keys }, () => 0);
  tiles.forEach(({ begin, end, rescale, weights }) => {
    for (let at = 0; at < begin; ++at) exponentials[at]! *= rescale;
    exponentials.splice(begin, end - begin, ...weights);
  });
  // A row that may read nothing has no sum.
  return exponentials.map((x) => (rowSum === 0 ? x : x / rowSum));
}

/** What the tile did, and beside it what is checked of all of them. */
function footOf(page: Page, of: Case, shown: Shown, run: Run, step: number) {
  const { tiles, output } = run;
  const own = { en, zh }[page.language];
  const at = shown.row - 1;
  const { matrices, cause } = frameOf(page, withCausal(of, shown.causal));
  const weights = [weightsOf(tiles)];
  const checks = checksView(page.words, {
    of: [
      ...invariantsOf({ weights, cause: [cause[at]!], value: matrices.value, output: [output] }),
      likeWhole(output, matrices.output[at]!),
    ],
    name: own.checked,
  });
  const says = html`<p class="online-says" aria-live="polite">${saysView(page, run, step)}</p>`;
  return footView(checks, says);
}

function saysView(page: Page, { tiles, output, lse }: Run, step: number) {
  const own = { en, zh }[page.language];
  const now = tiles[step - 1]!;
  const before = tiles[step - 2];
  if (step === tiles.length) {
    const values = {
      lse: exactNumber(lse),
      sum: exactNumber(now.rowSum),
      output: vectorText(output),
    };
    return fill(own.done, values);
  }
  const said = now.weights.every((x) => x === 0)
    ? own.hidden
    : before && now.rowMax > before.rowMax
      ? fill(own.larger, { rescale: exactNumber(now.rescale) })
      : before
        ? own.kept
        : own.first;
  return `${said} ${fill(own.more, { left: keys - now.end })}`;
}

export class AttentionOnlineSoftmax extends Figure {
  static override styles = sheets(onlineSheet);
  static override key = 'online';

  static firstFrame = (page: Page) => {
    const all = run(page, page.store.home.case, home);
    return html`${tableView(page, all, all.tiles.length)}
    ${footOf(page, page.store.home.case, home, all, all.tiles.length)}`;
  };

  protected override readonly sharesCase = true;

  #choice(name: 'row' | 'tile', label: string, options: [string, unknown][], value: number) {
    return choiceView({
      label,
      name,
      options,
      value: String(value),
      change: (to) => this.set(name, Number(to) === home[name] ? undefined : to),
    });
  }

  get #shown(): Shown {
    return {
      row: this.whole('row', [1, rows], home.row),
      tile: this.setting('tile', tileOf, home.tile),
      causal: this.setting(
        'mask',
        (text) => (text === 'none' ? false : text === 'causal' ? true : undefined),
        home.causal,
        (isOn) => (isOn ? 'causal' : 'none'),
      ),
    };
  }

  protected override exhibit(page: Page) {
    const shown = this.#shown;
    const { tiles, output } = run(page, this.given, shown);
    const outputs = output.map((_, column) => `output ${column + 1}`);
    const table: Table = {
      name: `query ${shown.row} in tiles of ${shown.tile}`,
      head: ['keys', 'scores', 'largest', 'rescale', 'weights', 'sum', ...outputs],
      rows: tiles.map((tile) => [
        `${tile.begin + 1}-${tile.end}`,
        tile.scores.join(' '),
        tile.rowMax,
        tile.rescale,
        tile.weights.join(' '),
        tile.rowSum,
        ...tile.output,
      ]),
    };
    return {
      calls: [{ frame: frameOf(page, withCausal(this.given, shown.causal)) }],
      tables: [table],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const shown = this.#shown;
    const all = run(page, this.given, shown);
    const step = Math.min(this.whole('step', [1, keys], 1), all.tiles.length);
    const rowNames = Array.from({ length: rows }, (_, i): [string, unknown] => [
      String(i + 1),
      vector('q', i),
    ]);
    return html`<div class="online">
      ${railView({
        words: page.words,
        steps: all.tiles.map((tile, index) => ({
          label: html`${vector('k', tile.begin)}${tile.end - tile.begin > 1 ? html`–${vector('k', tile.end - 1)}` : nothing}`,
          name: fill(own.stepName, { index: index + 1 }),
        })),
        current: step,
        go: (to) => this.set('step', to === 1 ? undefined : String(to)),
      })}
      <div class="tools">
        ${this.#choice('row', own.row, rowNames, shown.row)}
        ${this.#choice(
          'tile',
          own.tile,
          tileSizes.map((size) => [String(size), size]),
          shown.tile,
        )}
        ${switchView(own.causal, shown.causal, (isOn) => this.set('mask', isOn ? undefined : 'none'))}
      </div>
      ${tableView(page, all, step)} ${footOf(page, this.given, shown, all, step)}
    </div>`;
  }
}
