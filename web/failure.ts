// Why something cannot run here, in the reader's language; what the library or the browser says is
// quoted as it is.
import { type Words, fill } from './state/words.js';

/** `text` with the reason in place of {reason} and the message in place of {quoted}. */
export function failureNodes({ loadReasons }: Words, text: string, error: unknown): Node[] {
  const code = String((error as { code?: unknown } | null)?.code);
  const reason =
    code in loadReasons ? loadReasons[code as keyof typeof loadReasons] : loadReasons.other;
  const quoted = document.createElement('span');
  quoted.lang = 'en';
  quoted.textContent = error instanceof Error ? error.message : String(error);
  const [before, after] = fill(text, { reason }).split('{quoted}');
  return [new Text(before), quoted, new Text(after)];
}
