// What the workbench says of what it was asked: what is wrong, what was brought into bounds, and of
// which call the stages below are.
import { html, nothing } from 'lit';
import en from '../content/en/figures/workbench.json';
import zh from '../content/zh/figures/workbench.json';
import type { Call, Field, Given } from '../state/bench-call.js';
import { grouped } from '../draw/number.js';
import { CallProblem } from '../state/bench-problem.js';
import type { Result } from '../state/bench-result.js';
import {
  type Clamped,
  type SettingName,
  type Settings,
  type StageName,
  settings,
} from '../state/bench-settings.js';
import type { Page } from '../state/page.js';
import { fill } from '../state/words.js';
import { reasonOf } from './reason.js';
import { stageName } from './workbench-comparison.js';
import { shapeText } from './workbench-inputs.js';
import type { BenchCell } from './workbench-lineage.js';

export interface Messages {
  /** What the link or the reader asked for, where it was not in bounds. */
  clamped: readonly Clamped[];
  /** Why the last call failed; null when it did not. */
  refusal: unknown;
  isWorking: boolean;
  /** The files that are being read. */
  reading: readonly string[];
  given: Given;
  /** Takes the tensor of a field away. */
  remove: (field: Field) => void;
  shown: {
    result: Result;
    settings: Settings;
    stage: StageName;
    pinned: BenchCell | null;
  } | null;
}

/** Options whose 0 says that there is none; their boxes are empty then. */
const isOff = (name: SettingName, used: string) =>
  (name === 'softcap' || name === 'dropout') && used === '0';

/** Numbers of the tensors that their type has none for. */
const beyondText = (
  { language }: Page,
  [field, { count, dtype, ...one }]: Call['beyond'][number],
) => {
  const own = { en, zh }[language];
  const text = fill(own.beyond, {
    name: own.fieldNames[field],
    asked: grouped(one.asked),
    used: grouped(one.used),
    place: `[${one.place.join(', ')}]`,
    dtype,
  });
  return count > 1 ? text + own.space + fill(own.beyondCount, { count: grouped(count) }) : text;
};

/** Everything that was asked for and could not be had. */
function remarksOf(page: Page, { clamped, refusal, shown }: Messages): string[] {
  const own = { en, zh }[page.language];
  const say = (text: string, name: SettingName, asked: string, used: string) =>
    fill(text, {
      name: own.settingNames[name],
      asked,
      used: isOff(name, used) ? own.off : used || (name === 'scale' ? own.scaleHome : own.nothing),
    });
  const said = clamped.map(({ name, ruleField, asked, used }) => {
    if (ruleField) {
      const values = { name: own.ruleFields[ruleField], asked, used: used || own.nothing };
      return `${fill(own.unusable, values)} ${own.wantedOfRules[ruleField]}`;
    }
    const isUnusable = settings[name].read(asked) === undefined;
    if (!isUnusable) return say(own.clamped, name, asked, used);
    return `${say(own.unusable, name, asked, used)} ${own.wanted[name]}`;
  });
  if (!shown || refusal !== null) return said;
  // What the tensors have no room for.
  const { result, settings: asked, stage, pinned } = shown;
  const { batch, head } = result.call;
  const pairs: [SettingName, string, string][] = [
    ['batch', `${asked.batch + 1}`, `${batch + 1}`],
    ['head', `${asked.head + 1}`, `${head + 1}`],
    ['stage', stageName(page, asked.stage), stageName(page, stage)],
  ];
  if (asked.cell && pinned) {
    const used = `${pinned.row + 1}, ${pinned.column + 1}`;
    pairs.push(['cell', asked.cell.map((x) => x + 1).join(', '), used]);
  }
  const missed = pairs.filter(([, wanted, used]) => wanted !== used);
  return [
    ...said,
    ...result.call.beyond.map((each) => beyondText(page, each)),
    ...missed.map(([name, ...values]) => say(own.clamped, name, ...values)),
  ];
}

/** What a problem is about, where the call can do without it. */
const removable: Partial<Record<CallProblem['word'], 'mask' | 'bias'>> = {
  meaning: 'mask',
  maskNumbers: 'mask',
  ambiguous: 'mask',
  isPadding: 'mask',
  maskRank: 'mask',
  maskShape: 'mask',
  paddingShape: 'mask',
  biasShape: 'bias',
};

/** From which file that came, and a press that takes it away. */
function removeView({ language }: Page, refusal: unknown, { given, remove }: Messages) {
  const own = { en, zh }[language];
  const field = refusal instanceof CallProblem ? removable[refusal.word] : undefined;
  if (!field || !given[field]) return nothing;
  const { came } = given[field];
  return html`<p class="remark">
    ${came ? fill(own.cameFrom[field], came) : nothing}
    <button type="button" @click=${() => remove(field)}>${own.removeField[field]}</button>
  </p>`;
}

const isNeeded = (refusal: unknown) => refusal instanceof CallProblem && refusal.word === 'needed';

export function messagesView(page: Page, messages: Messages) {
  const own = { en, zh }[page.language];
  const { isWorking, reading, shown } = messages;
  // What is missing may be in what is being read.
  const isComing = reading.length > 0 && isNeeded(messages.refusal);
  const refusal = isComing ? null : messages.refusal;
  const [query, key, value] = shown?.result.call.whole.map(({ shape }) => shapeText(shape)) ?? [];
  const busy =
    reading.length > 0
      ? fill(own.reading, { names: reading.join(own.comma) })
      : isWorking
        ? own.working
        : '';
  const reason = refusal === null ? null : reasonOf(page, refusal);
  return html`${remarksOf(page, messages).map(
      (text) => html`<p class="remark" role="status">${text}</p>`,
    )}
    ${
      reason
        ? html`<p class="bench-problem" role="alert" lang=${reason.isLibrary ? 'en' : nothing}>
            ${reason.text}
          </p>`
        : nothing
    }
    ${removeView(page, refusal, messages)}
    ${
      reason && query && key && value
        ? html`<p class="remark">${fill(own.stale, { query, key, value })}</p>`
        : nothing
    }
    <p role="status" ?hidden=${!busy}>${busy || nothing}</p>`;
}
