// Why a call is not made or is refused, in the reader's language wherever the page has words for it.
import {
  axes as axesEn,
  fieldNames as fieldsEn,
  problems as problemsEn,
  ruleFields as ruleFieldsEn,
  rules as rulesEn,
  settingNames as settingNamesEn,
} from '../content/en/figures/workbench.json';
import {
  axes as axesZh,
  fieldNames as fieldsZh,
  problems as problemsZh,
  ruleFields as ruleFieldsZh,
  rules as rulesZh,
  settingNames as settingNamesZh,
} from '../content/zh/figures/workbench.json';
import { CallProblem } from '../state/bench-problem.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';

const words = {
  en: {
    axes: axesEn,
    fields: fieldsEn,
    problems: problemsEn,
    ruleFields: ruleFieldsEn,
    rules: rulesEn,
    settingNames: settingNamesEn,
  },
  zh: {
    axes: axesZh,
    fields: fieldsZh,
    problems: problemsZh,
    ruleFields: ruleFieldsZh,
    rules: rulesZh,
    settingNames: settingNamesZh,
  },
};

/** In the reader's language, or as the library says it. */
export function reasonOf({ language }: Page, error: unknown): { text: string; isLibrary: boolean } {
  const own = words[language];
  if (!(error instanceof CallProblem)) {
    return { text: error instanceof Error ? error.message : String(error), isLibrary: true };
  }
  const { field, other, axis, option, rule, ruleField, ...values } = error.values;
  const named = {
    ...values,
    ...(field ? { field: own.fields[field] } : {}),
    ...(other ? { other: own.fields[other] } : {}),
    ...(axis ? { axis: own.axes[axis] } : {}),
    ...(option ? { option: own.settingNames[option] } : {}),
    ...(rule ? { rule: own.rules[rule] } : {}),
    ...(ruleField ? { ruleField: own.ruleFields[ruleField] } : {}),
  };
  return { text: fill(own.problems[error.word], named), isLibrary: false };
}
