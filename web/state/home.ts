// Where every reader starts: the article's own numbers, the first step.
import example from '../examples/six-step.json';
import { type View, caseOf } from './case.js';

export const home: View = { case: caseOf(example), step: 1, pin: null, settings: {} };
