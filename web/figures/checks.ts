// <attention-checks>: tests of an attention implementation, run on this page by the library: two on
// random numbers, and a fixed case beside what PyTorch once made of it.
import type { MaskRule, Tensor } from 'attention-wasm';
import { html, nothing } from 'lit';
import en from '../content/en/figures/checks.json';
import zh from '../content/zh/figures/checks.json';
import { exactNumber } from '../draw/number.js';
import cross from '../examples/cross-attention.json';
import { tableOf } from '../export/exhibit.js';
import type { Matrix } from '../state/case.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { draws } from '../state/random.js';
import { fill } from '../state/words.js';
import checksSheet from '../styles/checks.css?inline';
import { Figure, sheets } from './figure.js';
import recorded from './torch-padding.json';

const [B, H, T, S, DK, DV] = [2, 4, 3, 5, 8, 6];
/** Keys of the first sequence that are no padding. */
const REAL = 3;

interface Line {
  holds: boolean;
  word: keyof typeof en.lines;
  values: Record<string, string | number>;
}

function inputs(seed: number): [Tensor, Tensor, Tensor] {
  const next = draws('normal', seed);
  const tensor = (length: number, width: number): Tensor => ({
    shape: [B, H, length, width],
    data: Float32Array.from({ length: B * H * length * width }, next),
  });
  return [tensor(T, DK), tensor(S, DK), tensor(S, DV)];
}

const shapeText = (shape: readonly number[]) => `[${shape.join(', ')}]`;
/** Of the first sequence the last two keys are padding, of the second all. */
const blocked: Tensor = {
  shape: [B, S],
  data: Uint8Array.from({ length: B * S }, (_, at) => +(at >= S || at % S >= REAL)),
};

/** All rows, of whatever head, with as many digits as tell float32 numbers apart. */
function rowsOf({ shape, data }: Tensor): number[][] {
  const width = shape.at(-1)!;
  const digits = Array.from(data, (x) => Number(Number(x).toPrecision(9)));
  return Array.from({ length: digits.length / width }, (_, row) =>
    digits.slice(row * width, (row + 1) * width),
  );
}

const numbers = ({ data }: Tensor) => Array.from(data, Number);
const small = (x: number) => (x === 0 ? '0' : x.toExponential(1).replace('-', '−'));

function shapeTest({ attention }: Page, seed: number): Line[] {
  const { output, weights } = attention.scaledDotProductAttention(...inputs(seed), {
    returns: ['weights'],
  });
  const all = numbers(weights!);
  const sums = Array.from({ length: B * H * T }, (_, row) =>
    all.slice(row * S, (row + 1) * S).reduce((sum, x) => sum + x, 0),
  );
  const furthest = Math.max(...sums.map((sum) => Math.abs(sum - 1)));
  const shapes = [
    ['outputShape', output.shape, [B, H, T, DV]],
    ['weightsShape', weights!.shape, [B, H, T, S]],
  ] as const;
  return [
    ...shapes.map(([word, shape, expected]): Line => ({
      holds: shapeText(shape) === shapeText(expected),
      word,
      values: { value: shapeText(shape), expected: shapeText(expected) },
    })),
    { holds: furthest <= 1e-5, word: 'sums', values: { value: small(furthest) } },
  ];
}

function paddingTest({ attention }: Page, seed: number): Line[] {
  const { output, weights } = attention.scaledDotProductAttention(...inputs(seed), {
    mask: { kind: 'padding', blocked },
    returns: ['weights'],
  });
  const [outputs, shares] = [output, weights!].map(numbers) as [number[], number[]];
  const half = outputs.length / B;
  const infinite = [...outputs, ...shares].filter((x) => !Number.isFinite(x)).length;
  const notZero = outputs.slice(half).filter((x) => x !== 0).length;
  const hidden = shares.filter(
    (x, at) => at < shares.length / B && at % S >= REAL && x !== 0,
  ).length;
  return [
    { holds: infinite === 0, word: 'finite', values: { count: infinite } },
    { holds: notZero === 0, word: 'zero', values: { count: notZero } },
    { holds: hidden === 0, word: 'hidden', values: { count: hidden } },
  ];
}

/** The fixed case: the same three queries and five keys in both sequences, padded as above. */
function fixedCase({ attention, library: { tensor, toNested } }: Page) {
  const twice = (rows: Matrix) => tensor([[rows], [rows]], 'float64');
  const { query, key, value } = cross.inputs;
  const { output, weights } = attention.scaledDotProductAttention(
    twice(query),
    twice(key),
    twice(value),
    { mask: { kind: 'padding', blocked }, returns: ['weights'] },
  );
  const first = (all: Tensor) => (toNested(all) as number[][][][])[0]![0]!;
  const second = (all: Tensor) => numbers(all).slice(all.data.length / 2);
  return {
    output: first(output),
    weights: first(weights!),
    /** Where PyTorch has nothing but NaN. */
    second: [...second(output), ...second(weights!)],
  };
}

function recordedTest(page: Page): Line[] {
  const found = fixedCase(page);
  const against = (word: 'sameOutput' | 'sameWeights', ours: Matrix, theirs: Matrix): Line => {
    const pairs = ours.flatMap((row, i) => row.map((x, j) => [x, theirs[i]![j]!] as const));
    return {
      holds: pairs.every(([x, y]) => Math.abs(x - y) <= 1e-6 + 1e-5 * Math.abs(y)),
      word,
      values: { value: small(Math.max(...pairs.map(([x, y]) => Math.abs(x - y)))) },
    };
  };
  const notZero = found.second.filter((x) => x !== 0).length;
  return [
    against('sameOutput', found.output, recorded.output),
    against('sameWeights', found.weights, recorded.weights),
    { holds: notZero === 0, word: 'zeroNotNaN', values: { count: notZero } },
  ];
}

function recordedView(page: Page) {
  const own = { en, zh }[page.language];
  const outputView = (title: string, rows: Matrix) =>
    html`<table class="recorded">
      <caption>
        ${title}
      </caption>
      <tbody>
        ${rows.map(
          (row, i) =>
            html`<tr>
              <th scope="row"><var>O</var><sub>${i + 1}</sub></th>
              ${row.map((x) => html`<td>${exactNumber(x)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`;
  return html`<p>${fill(own.from, { program: recorded.program })}</p>
    <div class="recordings">
      ${outputView(fill(own.theirs, { program: recorded.program }), recorded.output)}
      ${outputView(own.ours, fixedCase(page).output)}
    </div>`;
}

function testsView(page: Page, seed: number) {
  const own = { en, zh }[page.language];
  const list = (title: string, lines: Line[], given: unknown = nothing) =>
    html`<div>
      <p class="comparison-title">${title}</p>
      ${given}
      <ul class="check-lines">
        ${lines.map(
          ({ holds, word, values }) =>
            html`<li data-holds=${holds ? 'yes' : 'no'}>
              <span class="sign">${holds ? '✓' : '✗'}</span>
              <span>${fill(own.lines[word], values)}</span>
            </li>`,
        )}
      </ul>
    </div>`;
  return html`<div class="checks" aria-live="polite" data-picture>
    ${list(own.shapes, shapeTest(page, seed))} ${list(own.padding, paddingTest(page, seed))}
    ${list(own.recorded, recordedTest(page), recordedView(page))}
  </div>`;
}

export class AttentionChecks extends Figure {
  static override styles = sheets(checksSheet);

  static override key = 'test';

  static firstFrame = (page: Page) => testsView(page, 1);

  get #seed(): number {
    return this.whole('seed', [1, 9999], 1);
  }

  protected override exhibit(page: Page) {
    const table = (name: string, lines: Line[]) => ({
      name,
      head: ['holds', 'says'],
      rows: lines.map(({ holds, word, values }) => [String(holds), fill(en.lines[word], values)]),
    });
    const options = { mask: { kind: 'lengths', keys: [REAL] } } as const;
    return {
      calls: [{ frame: frameOf(page, { ...cross.inputs, options, dtype: 'float64' }) }],
      programs: () => this.#programs(page),
      tables: [
        table('shapes', shapeTest(page, this.#seed)),
        table('padding', paddingTest(page, this.#seed)),
        table('recorded', recordedTest(page)),
        tableOf(`output of ${recorded.program}`, recorded.output),
      ],
    };
  }

  async #programs(page: Page) {
    const { checksPrograms } = await import('../export/checks-program.js');
    const given = inputs(this.#seed);
    const outputOf = (mask?: MaskRule) =>
      rowsOf(page.attention.scaledDotProductAttention(...given, { mask }).output);
    const [query, key, value] = given;
    return checksPrograms({
      sizes: [B, H, T, S, DK, DV],
      inputs: { query: rowsOf(query), key: rowsOf(key), value: rowsOf(value) },
      blocked: rowsOf(blocked).map((row) => row.map(Boolean)),
      outputs: { plain: outputOf(), padded: outputOf({ kind: 'padding', blocked }) },
      recorded: { ...cross.inputs, ...recorded, real: REAL },
    });
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    return html`${testsView(page, this.#seed)}
      <div class="tools">
        <button type="button" @click=${() => this.set('seed', String((this.#seed % 9999) + 1))}>
          ${own.run}
        </button>
      </div>`;
  }
}
