// The six steps and the matrices they show: the page's only list of them.

/** Every matrix of the computation, under the library's own name for it. */
export const stages = [
  'query',
  'key',
  'value',
  'scores',
  'scaled',
  'masked',
  'weights',
  'output',
] as const;
export type Stage = (typeof stages)[number];

/** What each step brings, in order; step 1 shows the inputs. Steps are counted from 1. */
export const steps = ['inputs', 'scores', 'scaled', 'masked', 'weights', 'output'] as const;
export type Step = (typeof steps)[number];

/** Matrices with a row per query and a column per key. */
export const pairStages = ['scores', 'scaled', 'masked', 'weights'] as const;
export type PairStage = (typeof pairStages)[number];

export const isPair = (stage: string): stage is PairStage =>
  (pairStages as readonly string[]).includes(stage);

export const isInput = (stage: string): stage is 'query' | 'key' | 'value' =>
  stage === 'query' || stage === 'key' || stage === 'value';

/** The step from which a matrix has its numbers. */
export const stepOf = (stage: Stage): number => (isInput(stage) ? 1 : steps.indexOf(stage) + 1);
