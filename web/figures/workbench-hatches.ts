// How the workbench hatches what its rules forbid, as tables and pictures have it, and their legend.
import type { MaskRule } from 'attention-wasm';
import { nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import { type Kind, hatchesView } from '../draw/hatches.js';
import { OTHER, causesAt } from '../state/bench-causes.js';
import type { Result } from '../state/bench-result.js';
import { groupsOf } from '../state/bench-rules.js';
import { type StageName, stageNames } from '../state/bench-settings.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { groupText } from './workbench-rules.js';

/** From the mask on, a key that is not allowed shows as such. */
export const isAfterMask = (stage: StageName) =>
  stageNames.indexOf(stage) >= stageNames.indexOf('masked') && stage !== 'output';

/** −∞ after the mask: by a rule, or by a bias. */
export const isHidden = ({ causes: { cells } }: Result, stage: StageName) =>
  isAfterMask(stage) ? (at: number) => cells[at] !== 0 : () => false;

/** Rules with lines of their own. */
const own: readonly Kind[] = ['causal', 'padding', 'window', 'prefix', 'documents'];

/** For each group of rules its kind, where that has lines of its own; several joined by “or” have not. */
function kindsOf({ call }: Result): (Kind | undefined)[] {
  const rules = call.options.mask as readonly MaskRule[];
  return rules.map((rule) => {
    const kind = typeof rule === 'string' ? rule : rule.kind;
    return own.find((each) => each === kind);
  });
}

/** How a cause is drawn, by its number. */
export function kindOfCause(result: Result): (cause: number) => Kind {
  const kinds = kindsOf(result);
  return (cause) => kinds[cause - 1] ?? 'several';
}

const namesOf = (page: Page, { call }: Result) =>
  groupsOf(call.rules).map((group) => groupText(page, group));

/** What forbids a cell, in words. */
export function causeText(page: Page, result: Result, at: number): string {
  const { biasCause, comma, forbidden } = { en, zh }[page.language];
  const names = namesOf(page, result);
  const said = causesAt(result.allowed, at).map((group) => names[group]!);
  return fill(forbidden, { rules: (said.length > 0 ? said : [biasCause]).join(comma) });
}

/** What forbids a cell of a table: kinds that have lines of their own, and other rules by name. */
export function causesIn(page: Page, result: Result): (at: number) => string[] {
  const [kinds, names] = [kindsOf(result), namesOf(page, result)];
  const bias = { en, zh }[page.language].biasCause;
  return (at) => {
    const said = causesAt(result.allowed, at).map((group) => kinds[group] ?? names[group]!);
    return said.length > 0 ? said : [bias];
  };
}

/** What the lines mean, of a stage that has some. */
export function legendView(page: Page, result: Result, stage: StageName) {
  const { found } = result.causes;
  if (!isAfterMask(stage) || found.size === 0) return nothing;
  const { biasCause, comma, several } = { en, zh }[page.language];
  const [kinds, names] = [kindsOf(result), namesOf(page, result)];
  const crossed = names.filter((_, at) => kinds[at] === undefined && found.has(at + 1));
  if (found.has(OTHER) && names.length > 1) crossed.push(several);
  if (found.has(OTHER) && result.call.options.bias) crossed.push(biasCause);
  const shown = own.filter((kind) => kinds.some((each, at) => each === kind && found.has(at + 1)));
  const all = crossed.length > 0 ? [...shown, 'several' as const] : shown;
  return hatchesView(page.words, all, crossed.join(comma));
}
