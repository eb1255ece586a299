// The rules of the workbench's mask: a line for each, in groups of which each must allow a key.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import {
  type FieldName,
  type Rule,
  type RuleKind,
  type RuleSizes,
  type Rules,
  fieldsOf,
  firstNumbers,
  fits,
  groupsOf,
  plainRule,
  readLists,
  ruleKinds,
  withTensor,
  writeLists,
  writeRules,
} from '../state/bench-rules.js';
import type { Page } from '../state/page.js';
import { type Asking, boxView, optionsOf } from './workbench-boxes.js';

export interface RulesModel {
  rules: Rules;
  sizes: RuleSizes;
  /** Whether a tensor was brought that says which keys are read. */
  hasTensor: boolean;
}

/** A group of rules in words: `window or not prefix`. */
export function groupText({ language }: Page, group: readonly Rule[]): string {
  const own = { en, zh }[language];
  const text = ({ kind, isNot }: Rule) =>
    isNot ? `${own.not}${own.rules[kind]}` : own.rules[kind];
  return group.map(text).join(own.or);
}

const joins = ['and', 'andNot', 'or', 'orNot'] as const;
type Join = (typeof joins)[number];
const joinOf = ({ isOr, isNot }: Rule): Join => joins[(isOr ? 2 : 0) + (isNot ? 1 : 0)]!;

export function rulesView(
  page: Page,
  { rules, sizes, hasTensor }: RulesModel,
  { ask, refuse }: Asking,
) {
  const own = { en, zh }[page.language];
  const shown = hasTensor ? withTensor(rules) : rules;
  /** The tensor need not be named where it is the last rule, as it is by itself. */
  const take = (next: Rules) => {
    const last = next.at(-1);
    const isImplied = hasTensor && last?.kind === 'tensor' && !last.isOr && !last.isNot;
    ask('mask', writeRules(isImplied ? next.slice(0, -1) : next));
  };
  const replace = (at: number, change: Partial<Rule>) =>
    take(shown.map((rule, index) => (index === at ? { ...rule, ...change } : rule)));

  /** The focus goes where a rule can be added; the rest of a group stays one. */
  const remove = (at: number, event: Event) => {
    const root = (event.currentTarget as HTMLElement).getRootNode() as ShadowRoot;
    root.querySelector<HTMLElement>('.bench-add button')!.focus({ preventScroll: true });
    const { isOr } = shown[at]!;
    const after = shown
      .slice(at + 1)
      .map((rule, index) => (index === 0 ? { ...rule, isOr: rule.isOr && isOr } : rule));
    take([...shown.slice(0, at), ...after]);
  };

  const joinView = (rule: Rule, at: number) => {
    const { and, andNot, or, orNot, if: where, ifNot } = own.joins;
    const options = at === 0 ? { and: where, andNot: ifNot } : { and, andNot, or, orNot };
    const change = (to: Join) =>
      replace(at, {
        isOr: to === 'or' || to === 'orNot',
        isNot: to === 'andNot' || to === 'orNot',
      });
    return html`<select
      class="bench-join"
      aria-label=${own.joined}
      @change=${(event: Event) => change((event.target as HTMLSelectElement).value as Join)}
    >
      ${optionsOf<Join>(options as Record<Join, string>, joinOf(rule))}
    </select>`;
  };

  const boxOf = (rule: Rule, at: number, [name, field]: ReturnType<typeof fieldsOf>[number]) => {
    const { kind, numbers } = rule;
    const rival =
      field.insteadOf ?? fieldsOf(kind).find(([, { insteadOf }]) => insteadOf === name)?.[0];
    const isBlank = field.many === 'blank' || field.isOptional === true;
    const now = writeLists(numbers[name] ?? [], field);
    const change = (text: string) => {
      const lists = readLists(text, field);
      const isGiven = lists !== undefined && lists.length > 0;
      if (!lists || (isGiven && !fits(lists, field)))
        return refuse({ name: 'mask', ruleField: name, asked: text, used: now });
      const others = Object.entries(numbers).filter(([other]) => other !== name);
      const kept = others.filter(([other]) => other !== rival);
      const next = isGiven
        ? { ...Object.fromEntries(kept), [name]: lists }
        : Object.fromEntries(others);
      const isNeeded = !isGiven && !isBlank && !(rival && numbers[rival]);
      replace(at, { numbers: isNeeded ? { ...next, ...firstOf(kind, name) } : next });
    };
    return boxView({
      label: own.ruleFields[name],
      now,
      hint: isBlank ? own.noLimit : '',
      isWide: field.many !== undefined && field.many !== 'blank',
      change,
    });
  };
  const firstOf = (kind: RuleKind, name: FieldName) => {
    const first = firstNumbers(kind, sizes);
    return first[name] ? { [name]: first[name] } : first;
  };

  const lineView = (rule: Rule, at: number) => {
    const { kind } = rule;
    const name = own.rules[kind];
    const isTensor = kind === 'tensor';
    return html`<div class="bench-rule" role="group" aria-label=${name}>
      ${joinView(rule, at)} <b>${name}</b>
      ${fieldsOf(kind).map((field) => boxOf(rule, at, field))}
      ${isTensor && !hasTensor ? html`<span class="remark">${own.noTensor}</span>` : nothing}
      ${
        isTensor && hasTensor
          ? nothing
          : html`<button
              type="button"
              class="bench-remove"
              aria-label="${own.remove}${name}"
              @click=${(event: Event) => remove(at, event)}
            >
              ×
            </button>`
      }
    </div>`;
  };

  const kinds = ruleKinds.filter((kind) => kind !== 'tensor');
  let at = 0;
  return html`<div class="bench-add" role="group" aria-label=${own.add}>
      ${kinds.map(
        (kind) =>
          html`<button
            type="button"
            aria-label="${own.add}${own.rules[kind]}"
            @click=${() => take(withRule(shown, plainRule(kind, firstNumbers(kind, sizes))))}
          >
            <span aria-hidden="true">+ </span>${own.rules[kind]}
          </button>`,
      )}
    </div>
    ${groupsOf(shown).map(
      (group) =>
        html`<div class="bench-group" ?data-several=${group.length > 1}>
          ${group.map((rule) => lineView(rule, at++))}
        </div>`,
    )}`;
}

/** Before the tensor, where that is by itself at the end. */
function withRule(rules: Rules, rule: Rule): Rules {
  const last = rules.at(-1);
  const isEnd = last?.kind === 'tensor' && !last.isOr && !last.isNot;
  return isEnd ? [...rules.slice(0, -1), rule, last] : [...rules, rule];
}
