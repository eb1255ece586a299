// Which way the cells are hatched that a rule forbids.
import { html, nothing } from 'lit';
import type { Frame } from '../state/frame.js';
import type { Words } from '../state/words.js';

const kinds = ['causal', 'padding', 'window', 'prefix', 'documents', 'blocked', 'several'] as const;
export type Kind = (typeof kinds)[number];

const kindsIn = (cause: Frame['cause']) =>
  new Set(cause.flat().map((rules) => (rules.length > 1 ? 'several' : rules[0])));

/**
 * A legend of the rules that forbid cells of a figure, or of those named; nothing where there are none.
 * `several` says what is crossed. For `others`, which may come, room is kept.
 */
export function hatchesView(
  words: Words,
  of: Frame['cause'] | readonly Kind[],
  several = words.severalRules,
  others: readonly Kind[] = [],
) {
  const isNamed = (given: typeof of): given is readonly Kind[] => typeof given[0] === 'string';
  const found = isNamed(of) ? new Set<string | undefined>(of) : kindsIn(of);
  const shown = kinds.filter((kind) => found.has(kind));
  const room = others.filter((kind) => !found.has(kind));
  if (shown.length + room.length === 0) return nothing;
  const one = (kind: Kind) =>
    html`<span ?data-room=${!found.has(kind)}
      ><span class="cell" data-cause=${kind}></span>
      ${kind === 'several' ? several : words.rules[kind]}</span
    >`;
  return html`<p class="hatches" ?data-room=${shown.length === 0}>
    ${words.hatched} ${[...shown, ...room].map(one)}
  </p>`;
}
