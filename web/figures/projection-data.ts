// What the projection figure shows: X and the three W, the products, and the attention of those.
import { type Lineage, factorsOf, lineageOf } from '../draw/lineage.js';
import { domainOf } from '../draw/scale.js';
import example from '../examples/shape-walk.json';
import { type Cell, type Matrix, sizeOf } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { product } from '../state/product.js';
import { randomMatrix } from '../state/random.js';
import type { Stage } from '../state/steps.js';
import type { Inputs } from './inputs-figure.js';

export const roles = ['query', 'key', 'value'] as const;
export type Role = (typeof roles)[number];
/** By what X is multiplied for each role. */
export const weightsOf = { query: 'wq', key: 'wk', value: 'wv' } as const;

export const inputNames = ['x', 'wq', 'wk', 'wv'] as const;
export type InputName = (typeof inputNames)[number];
export type Name = InputName | Exclude<Stage, 'masked'>;
export type Place = Cell<Name>;
export type Given = Inputs<InputName>;

const { x, query, key, value } = example.projections;
/** Two tokens more than the article has, so that N and d_k can be told apart. */
export const home: Given = {
  x: [...x, ...randomMatrix([2, 8], 5)],
  wq: query,
  wk: key,
  wv: value,
};

export const tokensMost = home.x.length;
export const tokensHome = x.length;

export const isInputName = (name: string): name is InputName =>
  (inputNames as readonly string[]).includes(name);
export const isRole = (name: string): name is Role => (roles as readonly string[]).includes(name);

export interface Projected {
  matrices: Readonly<Record<Name, Matrix>>;
  frame: Frame;
  lineage: Lineage<Name>;
  /** Of each matrix with every token there is, so that a tint means the same at any number of them. */
  domains: Readonly<Record<Name, number>>;
}

/** The inputs share one domain, and so do the two matrices of scores. */
function domainsOf(matrices: Projected['matrices']): Projected['domains'] {
  const given = domainOf(...inputNames.map((name) => matrices[name]));
  const scores = domainOf(matrices.scores, matrices.scaled);
  const [q, k, v] = roles.map((role) => domainOf(matrices[role]));
  return {
    ...{ x: given, wq: given, wk: given, wv: given },
    ...{ query: q!, key: k!, value: v! },
    // The output is made of the rows of V, and is not beyond them.
    ...{ scores, scaled: scores, weights: 1, output: v! },
  };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** There is no mask, so that softmax reads the scaled scores themselves. */
function operandsIn(features: number, frame: Frame, cell: Place): Place[] {
  const { stage } = cell;
  if (isInputName(stage)) return [];
  if (isRole(stage)) return factorsOf<Name>(cell, ['x', weightsOf[stage]], range(features));
  return lineageOf(frame)
    .operandsOf({ ...cell, stage })
    .map((operand) => ({
      ...operand,
      stage: operand.stage === 'masked' ? 'scaled' : operand.stage,
    }));
}

const known = new WeakMap<Given, Map<number, Projected>>();

/** Everything that follows from the inputs, for the first so many tokens. */
export function projected(page: Page, inputs: Given, tokens: number): Projected {
  const made = known.get(inputs) ?? new Map<number, Projected>();
  known.set(inputs, made);
  let one = made.get(tokens);
  if (one) return one;
  const given = { ...inputs, x: inputs.x.slice(0, tokens) };
  const all = tokens === tokensMost ? undefined : projected(page, inputs, tokensMost);
  // A token's row of a product is its own, however many there are.
  const [q, k, v] = roles.map(
    (role) =>
      all?.matrices[role].slice(0, tokens) ?? product(page, given.x, given[weightsOf[role]]),
  );
  const frame = frameOf(page, { query: q!, key: k!, value: v!, options: {} });
  const matrices = { ...frame.matrices, ...given };
  const names = [...inputNames, ...roles, 'scores', 'scaled', 'weights', 'output'] as const;
  const lineage = {
    shapes: new Map(names.map((name) => [name, sizeOf(matrices[name])])),
    operandsOf: (cell: Place) => operandsIn(given.wq.length, frame, cell),
  };
  one = { matrices, frame, lineage, domains: all?.domains ?? domainsOf(matrices) };
  made.set(tokens, one);
  return one;
}
