// The page's one case in the figures that can show its numbers under a mask of their own: theirs are
// the article's, until the reader has others and asks for them there.
import { type Case, sameCase, withCausal } from './case.js';
import type { Store } from './store.js';

/** The article's case and the reader's, where they differ in more than the mask. */
export function choiceOf({ view, home }: Store): { article: Case; mine: Case } | null {
  const isSame = sameCase(withCausal(view.case, true), withCausal(home.case, true));
  return isSame ? null : { article: home.case, mine: view.case };
}

/** Whether the first figure, whose case it is that figures share, stands in the same page. */
export const isWithFirst = (): boolean => document.querySelector('attention-stepper') !== null;
