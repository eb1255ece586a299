// <attention-dot-product>: two vectors to drag; their dot product is the library's score.
import { html, svg } from 'lit';
import en from '../content/en/figures/dot-product.json';
import zh from '../content/zh/figures/dot-product.json';
import { enter, takenView } from '../draw/controls.js';
import { equalsSign, exactNumber, givenNumber, operand } from '../draw/number.js';
import { norm } from '../draw/symbols.js';
import { frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { parseNumber } from '../state/parse.js';
import { fill } from '../state/words.js';
import dotSheet from '../styles/dot-product.css?inline';
import { Figure, sheets } from './figure.js';

type Name = 'q' | 'k';
type Vector = readonly [number, number];

/** The plane reaches this far from the origin in each direction. */
const REACH = 4;
const home: Record<Name, Vector> = { q: [1, 0], k: [3, 3] };
const round = (x: number) => Math.round(Math.min(Math.max(x, -REACH), REACH) * 10) / 10;
const read = (text: string): Vector | undefined => {
  const [x, y, ...more] = text.split(',').map(parseNumber);
  return x === undefined || y === undefined || more.length > 0 ? undefined : [round(x), round(y)];
};
const met = (page: Page, q: Vector, k: Vector) =>
  frameOf(page, { query: [q], key: [k], value: [[0]], options: {} });
const dot = (page: Page, q: Vector, k: Vector) => met(page, q, k).matrices.scores[0]![0]!;

/** Lengths, and the angle between them in degrees. */
function geometry(q: Vector, k: Vector, score: number) {
  const [long, wide] = [Math.hypot(...q), Math.hypot(...k)];
  const cosine = long * wide === 0 ? NaN : score / (long * wide);
  const degrees = (Math.acos(Math.min(Math.max(cosine, -1), 1)) * 180) / Math.PI;
  return { long, wide, cosine, degrees };
}

/** Its letter stands beside the middle of the shaft: to the right of it, or to the left. */
function arrow(name: Name, [x, y]: Vector, turn: 1 | -1) {
  const length = Math.hypot(x, y);
  if (length === 0) return svg``;
  // The head stops at the tip; its two sides lean back from there.
  const [ux, uy] = [x / length, y / length];
  const side = (lean: 1 | -1) =>
    `${x - 0.3 * ux - lean * 0.12 * uy},${-(y - 0.3 * uy + lean * 0.12 * ux)}`;
  return svg`<g class=${name === 'q' ? 'query' : 'key'}>
    <line x1="0" y1="0" x2=${x - 0.2 * ux} y2=${-(y - 0.2 * uy)} stroke="currentColor" stroke-width="0.06" />
    <polygon points="${x},${-y} ${side(1)} ${side(-1)}" fill="currentColor" />
    <text x=${x / 2 + turn * 0.34 * uy} y=${-(y / 2 - turn * 0.34 * ux) + 0.14} text-anchor="middle">${name}</text>
  </g>`;
}

const grid = Array.from({ length: 2 * REACH + 1 }, (_, index) => index - REACH).map(
  (at) =>
    svg`<path d="M${at} ${-REACH}V${REACH}M${-REACH} ${at}H${REACH}" class=${at === 0 ? 'axis' : 'line'} />`,
);

/** Every other unit along both axes. */
const ticks = [-REACH, -REACH / 2, REACH / 2, REACH].map((at) => {
  const text = String(at).replace('-', '−');
  return svg`<text class="tick" x=${at} y="0.42" text-anchor="middle">${text}</text>
    <text class="tick" x="-0.14" y=${-at + 0.12} text-anchor="end">${text}</text>`;
});

/** k's shadow on q: the part of it that counts. */
function shadow([qx, qy]: Vector, [kx, ky]: Vector, score: number) {
  const square = qx * qx + qy * qy;
  if (square === 0) return svg``;
  const [x, y] = [(score / square) * qx, (score / square) * qy];
  return svg`<path class="shadow" d="M${kx} ${-ky}L${x} ${-y}M0 0L${x} ${-y}" />`;
}

const viewBox = `${-REACH - 0.4} ${-REACH - 0.4} ${2 * REACH + 0.8} ${2 * REACH + 0.8}`;
/** The letters stand on the far sides of the two. */
function planeView(q: Vector, k: Vector, score: number) {
  const turn = q[0] * k[1] - q[1] * k[0] < 0 ? -1 : 1;
  return svg`${grid} ${ticks} ${shadow(q, k, score)} ${arrow('k', k, turn === 1 ? -1 : 1)} ${arrow('q', q, turn)}`;
}

function factsView(page: Page, q: Vector, k: Vector) {
  const own = { en, zh }[page.language];
  const score = dot(page, q, k);
  const { long, wide, cosine, degrees } = geometry(q, k, score);
  const given = (x: number) => operand(givenNumber(x));
  // Where the terms cancel, rounding leaves some 1e-17 of them.
  const settled = (x: number) => (Math.abs(x) < 1e-12 ? 0 : x);
  const is = (x: number) => html`${equalsSign([x])} ${exactNumber(x)}`;
  const whole = (x: number) => x.toFixed(0);
  return html`<dl aria-live="polite">
    <div>
      <dt>${own.dot}</dt>
      <dd>
        <var>q</var>·<var>k</var> = ${given(q[0])}×${given(k[0])} + ${given(q[1])}×${given(k[1])} =
        <b>${exactNumber(settled(score))}</b>
      </dd>
    </div>
    <div>
      <dt>${own.lengths}</dt>
      <dd>${norm(html`<var>q</var>`)} ${is(long)}, ${norm(html`<var>k</var>`)} ${is(wide)}</dd>
    </div>
    <div>
      <dt>${own.angle}</dt>
      <dd>
        ${
          Number.isNaN(cosine)
            ? own.none
            : html`cos <var>θ</var> ${is(settled(cosine))},
                <var>θ</var> ${equalsSign([degrees], whole)} ${whole(degrees)}°`
        }
      </dd>
    </div>
  </dl>`;
}

/** The vectors below one another, and the products that the score is the sum of. */
function tableView(q: Vector, k: Vector) {
  const line = (name: unknown, [x, y]: Vector) =>
    html`<tr>
      <th scope="row">${name}</th>
      <td class="cell">${givenNumber(x)}</td>
      <td class="cell">${givenNumber(y)}</td>
    </tr>`;
  const letters = [html`<var class="query">q</var>`, html`<var class="key">k</var>`] as const;
  return html`<div class="matrix">
    <table>
      <thead>
        <tr>
          <td></td>
          <th scope="col">x</th>
          <th scope="col">y</th>
        </tr>
      </thead>
      <tbody>
        ${line(letters[0], q)} ${line(letters[1], k)}
        ${line(html`${letters[0]} ⊙ ${letters[1]}`, [q[0] * k[0], q[1] * k[1]])}
      </tbody>
    </table>
  </div>`;
}

export class AttentionDotProduct extends Figure {
  static override styles = sheets(dotSheet);
  static override key = 'dot';

  static firstFrame = (page: Page) => {
    const { q, k } = home;
    const own = { en, zh }[page.language];
    return html`<div class="dot">
      <svg viewBox=${viewBox} role="img" aria-label=${own.plane}>
        ${planeView(q, k, dot(page, q, k))}
      </svg>
      <div class="dot-facts">${tableView(q, k)} ${factsView(page, q, k)}</div>
    </div>`;
  };

  #dragged: Name | null = null;

  #vector(name: Name): Vector {
    return this.setting(name, read, home[name]);
  }

  /** By hand there are many places on the way, which are no entries of the history. */
  #move(name: Name, [x, y]: Vector, isEntry = true): void {
    const to: Vector = [round(x), round(y)];
    const isHome = to[0] === home[name][0] && to[1] === home[name][1];
    this.set(name, isHome ? undefined : to.join(','), isEntry);
  }

  #drag(event: PointerEvent): void {
    if (!this.#dragged) return;
    const plane = (event.currentTarget as SVGSVGElement).getScreenCTM()!.inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(plane);
    this.#move(this.#dragged, [x, -y], false);
  }

  #key(event: KeyboardEvent, name: Name): void {
    const by: Record<string, Vector> = {
      ArrowLeft: [-0.1, 0],
      ArrowRight: [0.1, 0],
      ArrowUp: [0, 0.1],
      ArrowDown: [0, -0.1],
    };
    const step = by[event.key];
    if (!step) return;
    event.preventDefault();
    const size = event.shiftKey ? 10 : 1;
    const [x, y] = this.#vector(name);
    this.#move(name, [x + size * step[0], y + size * step[1]], false);
  }

  #tip(name: Name, own: typeof en) {
    const [x, y] = this.#vector(name);
    return svg`<circle
      class="tip"
      cx=${x}
      cy=${-y}
      r="0.32"
      tabindex="0"
      role="slider"
      aria-valuemin=${-REACH}
      aria-valuemax=${REACH}
      aria-valuenow=${x}
      aria-label=${fill(own.tip, { name, x, y })}
      aria-valuetext=${fill(own.tip, { name, x, y })}
      @pointerdown=${({ button }: PointerEvent) => (this.#dragged = button === 0 ? name : null)}
      @keydown=${(event: KeyboardEvent) => this.#key(event, name)}
    />`;
  }

  #coordinates(name: Name) {
    const vector = this.#vector(name);
    const box = (axis: 0 | 1) =>
      html`<input
        type="number"
        step="0.1"
        min=${-REACH}
        max=${REACH}
        .value=${String(vector[axis])}
        aria-label="${name}${axis === 0 ? 'x' : 'y'}"
        @change=${({ target }: Event) => {
          const field = target as HTMLInputElement;
          const taken = enter(field, { min: -REACH, max: REACH, value: vector[axis], round });
          if (taken !== undefined) {
            this.#move(name, axis === 0 ? [taken, vector[1]] : [vector[0], taken]);
          }
          field.value = String(this.#vector(name)[axis]);
        }}
      />`;
    return html`<span class="coordinates"
      ><var class=${name === 'q' ? 'query' : 'key'}>${name}</var> = (${box(0)}, ${box(1)})</span
    >`;
  }

  protected override exhibit(page: Page) {
    const [q, k] = [this.#vector('q'), this.#vector('k')];
    const { long, wide, cosine, degrees } = geometry(q, k, dot(page, q, k));
    const head = ['|q|', '|k|', 'cosine', 'degrees'];
    return {
      calls: [{ frame: met(page, q, k) }],
      tables: [{ name: 'geometry', head, rows: [[long, wide, cosine, degrees]] }],
    };
  }

  protected override view(page: Page) {
    const own = { en, zh }[page.language];
    const [q, k] = [this.#vector('q'), this.#vector('k')];
    return html`<div class="dot" data-picture>
      <svg
        viewBox=${viewBox}
        aria-label=${own.plane}
        role="group"
        @pointermove=${(event: PointerEvent) => this.#drag(event)}
        @pointerup=${() => (this.#dragged = null)}
        @pointerleave=${() => (this.#dragged = null)}
      >
        ${planeView(q, k, dot(page, q, k))} ${this.#tip('k', own)} ${this.#tip('q', own)}
      </svg>
      <div class="dot-facts">
        <div data-boxes>
          <p>${this.#coordinates('q')} ${this.#coordinates('k')}</p>
          ${takenView}
        </div>
        ${factsView(page, q, k)}
        <div class="tools">
          <span>${own.try}</span>
          <button type="button" @click=${() => this.#move('k', [1, 0])}>${own.aligned}</button>
          <button type="button" @click=${() => this.#move('k', [3, 3])}>${own.loud}</button>
        </div>
      </div>
    </div>`;
  }
}
