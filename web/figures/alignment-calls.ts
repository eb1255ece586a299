// The three calls of the alignment figure: alike but for where query 1 stands, and what follows from them.
import { type Lineage, lineageOf } from '../draw/lineage.js';
import { type Case, type Cell, sizeOf } from '../state/case.js';
import { type Frame, frameOf } from '../state/frame.js';
import type { Page } from '../state/page.js';
import { type Input, randomMatrix } from '../state/random.js';
import { isInput } from '../state/steps.js';
import { keepLast } from './traced-figure.js';

export interface Setting {
  queries: number;
  keys: number;
  /** The key at which query 1 stands where the call says so itself, from 1. */
  first: number;
  /** All scores equal: then the output tells who was averaged. */
  isEqual: boolean;
  /** Of whose rows as many are taken. */
  from: Pick<Case, Input>;
}
const most = 7;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The values double. */
export const article: Setting['from'] = {
  query: randomMatrix([most, 3], 21),
  key: randomMatrix([most, 3], 22),
  value: range(most).map((j) => [2 ** j]),
};
/** Query 1 can be said to stand at any key there can be. */
export const firsts = [1, most] as const;
export const home: Setting = { queries: 3, keys: 5, first: 2, isEqual: false, from: article };

const inputs = ({ queries, keys, isEqual, from }: Setting) => ({
  query: from.query.slice(0, queries).map((row) => (isEqual ? row.map(() => 0) : row)),
  key: from.key.slice(0, keys),
  value: from.value.slice(0, keys),
});

export const starts = ['top-left', 'bottom-right', 'own'] as const;
export type Start = (typeof starts)[number];
const shownStages = ['value', 'weights', 'output'] as const;
/** What the calls have in common. */
const commonStages = ['query', 'key', 'scores'] as const;
export type Name = `${Start}-${(typeof shownStages)[number]}` | (typeof commonStages)[number];
export const startOf = (name: Name) => starts.find((start) => name.startsWith(start)) ?? 'top-left';
export const stageOf = (name: Name) =>
  commonStages.find((stage) => stage === name) ??
  shownStages.find((stage) => name.endsWith(stage))!;

/** Q and K are there once, V in each call. */
export function inputOf(name: Name): Input | undefined {
  const stage = stageOf(name);
  return isInput(stage) ? stage : undefined;
}

/** Where query 1 stands, from 1. */
export const firstKey = {
  'top-left': () => 1,
  'bottom-right': last,
  own: ({ first }: Setting) => first,
};
export function last({ queries, keys }: Setting): number {
  return keys - queries + 1;
}

type Fields = readonly [
  queries: number,
  keys: number,
  first: number,
  isEqual: boolean,
  from: Setting['from'],
];
/** So that a slider that goes back finds what it showed. */
const kept = 16;
const aligned = keepLast((page, ...[queries, keys, first, isEqual, from]: Fields) => {
  const given = inputs({ queries, keys, first, isEqual, from });
  const frameFrom = (start: Start) =>
    frameOf(page, {
      ...given,
      options: { mask: 'causal', start: start === 'own' ? first - 1 : start },
    });
  const frames = Object.fromEntries(starts.map((start) => [start, frameFrom(start)])) as Record<
    Start,
    Frame
  >;
  const width = sizeOf(given.value)[1];
  const sizes = {
    value: [keys, width],
    weights: [queries, keys],
    output: [queries, width],
  } as const;
  const common = isEqual
    ? []
    : ([
        ['query', sizeOf(given.query)],
        ['key', sizeOf(given.key)],
        ['scores', [queries, keys]],
      ] as const);
  const lineage: Lineage<Name> = {
    shapes: new Map<Name, readonly [number, number]>([
      ...common,
      ...starts.flatMap((start) =>
        shownStages.map((stage) => [`${start}-${stage}`, sizes[stage]] as const),
      ),
    ]),
    operandsOf: (cell) => {
      const [start, stage] = [startOf(cell.stage), stageOf(cell.stage)];
      if (stage === 'scores')
        return lineageOf(frames[start]).operandsOf({ ...cell, stage }) as Cell<Name>[];
      // Scores that are all alike are not shown: then the way back ends at the weights.
      if (stage === 'weights' && !isEqual) {
        const rules = frames[start].cause[cell.row]!;
        if (rules[cell.column]!.length > 0) return [];
        const visible = range(keys).filter((column) => rules[column]!.length === 0);
        return visible.map((column) => ({ stage: 'scores', row: cell.row, column }));
      }
      if (stage !== 'output') return [];
      return lineageOf(frames[start])
        .operandsOf({ ...cell, stage })
        .map((operand) => ({ ...operand, stage: `${start}-${operand.stage}` as Name }));
    },
  };
  return { frames, lineage };
}, kept);
export const alignedBy = (page: Page, { queries, keys, first, isEqual, from }: Setting) =>
  aligned(page, queries, keys, first, isEqual, from);
