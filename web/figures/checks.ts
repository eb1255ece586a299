// <attention-checks>: two tests of an attention implementation, run on this page by the library.
import type { Tensor } from 'attention-wasm';
import { html } from 'lit';
import en from '../content/en/figures/checks.json';
import zh from '../content/zh/figures/checks.json';
import type { Page } from '../state/page.js';
import { draws } from '../state/random.js';
import { fill } from '../state/words.js';
import checksSheet from '../styles/checks.css?inline';
import { Figure, sheets } from './figure.js';

const [B, H, T, S, DK, DV] = [2, 4, 3, 5, 8, 6];

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
const numbers = (tensor: Tensor) => Array.from(tensor.data as Float32Array);
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
  const given = inputs(seed);
  const isPad = (at: number) => at >= S || at % S >= 3;
  const mask = (isTrue: (at: number) => boolean): Tensor => ({
    shape: [B, S],
    data: Uint8Array.from({ length: B * S }, (_, at) => +isTrue(at)),
  });
  const call = (rule: { blocked: Tensor } | { allowed: Tensor }) =>
    attention.scaledDotProductAttention(...given, {
      mask: { kind: 'padding', ...rule },
      returns: ['weights'],
    });
  const { output, weights } = call({ blocked: mask(isPad) });
  const other = call({ allowed: mask((at) => !isPad(at)) });
  const [outputs, shares, others] = [output, weights!, other.output].map(numbers) as [
    number[],
    number[],
    number[],
  ];
  const half = outputs.length / B;
  const infinite = [...outputs, ...shares].filter((x) => !Number.isFinite(x)).length;
  const notZero = outputs.slice(half).filter((x) => x !== 0).length;
  const hidden = shares.filter((x, at) => at < shares.length / B && at % S >= 3 && x !== 0).length;
  const differences = outputs.slice(0, half).map((x, at) => Math.abs(x - others[at]!));
  const allowed = 1e-6 + 1e-5 * Math.max(...others.map(Math.abs));
  return [
    { holds: infinite === 0, word: 'finite', values: { count: infinite } },
    { holds: notZero === 0, word: 'zero', values: { count: notZero } },
    { holds: hidden === 0, word: 'hidden', values: { count: hidden } },
    {
      holds: differences.every((x, at) => x <= 1e-6 + 1e-5 * Math.abs(others[at]!)),
      word: 'same',
      values: { value: small(Math.max(...differences)), allowed: small(allowed) },
    },
  ];
}

function testsView(page: Page, seed: number) {
  const own = { en, zh }[page.language];
  const list = (title: string, lines: Line[]) =>
    html`<div>
      <p class="comparison-title">${title}</p>
      <ul class="check-lines">
        ${lines.map(
          ({ holds, word, values }) =>
            html`<li data-holds=${holds ? 'yes' : 'no'}>
              <span class="sign">${holds ? '✓' : '✗'}</span> ${fill(own.lines[word], values)}
            </li>`,
        )}
      </ul>
    </div>`;
  return html`<div class="checks" aria-live="polite" data-picture>
    ${list(own.shapes, shapeTest(page, seed))} ${list(own.padding, paddingTest(page, seed))}
  </div>`;
}

export class AttentionChecks extends Figure {
  static override styles = sheets(checksSheet);

  static override key = 'test';

  static firstFrame = (page: Page) => testsView(page, 1);

  get #seed(): number {
    return this.whole('seed', [1, 9999], 1);
  }

  protected override readonly hasPrograms = false;

  protected override exhibit(page: Page) {
    const table = (name: string, lines: Line[]) => ({
      name,
      head: ['holds', 'says'],
      rows: lines.map(({ holds, word, values }) => [String(holds), fill(en.lines[word], values)]),
    });
    return {
      calls: [],
      tables: [
        table('shapes', shapeTest(page, this.#seed)),
        table('padding', paddingTest(page, this.#seed)),
      ],
    };
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
