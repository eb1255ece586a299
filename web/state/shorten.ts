// A long state in a shorter form, z=…: the same text, deflated, in letters that an address can have.
// Its Adler-32 goes with it, so that a damaged link is found out and never shows other numbers.

/** Up to here a link is left as people can read it. */
const LONG = 500;
/** No state is longer than this when it is shortened, so what is was not made here. */
const LONGEST = 20_000;

function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream) {
  const pair = stream as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;
  return new Response(new Blob([bytes]).stream().pipeThrough(pair)).arrayBuffer();
}

export const isLong = (state: string) => state.length > LONG;

/** Shorter, if it is long and this browser can do so; else as it is. */
export async function shorten(state: string): Promise<string> {
  if (!isLong(state) || typeof CompressionStream === 'undefined') return state;
  const bytes = await through(new TextEncoder().encode(state), new CompressionStream('deflate'));
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  const short = `z=${text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_')}`;
  return short.length < state.length ? short : state;
}

const shortened = /(^#?|&)z=([^&]*)/;
export const isShortened = (fragment: string) => shortened.test(fragment);

/** A fragment with its state in full; undefined where that is damaged, or this browser cannot undo it. */
export async function lengthen(fragment: string): Promise<string | undefined> {
  const [part = '', before = '', letters = ''] = shortened.exec(fragment) ?? [];
  if (letters.length > LONGEST || typeof DecompressionStream === 'undefined') return undefined;
  try {
    const text = atob(letters.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const whole = await through(bytes, new DecompressionStream('deflate'));
    const state = new TextDecoder('utf-8', { fatal: true }).decode(whole);
    return fragment.replace(part, () => before + state);
  } catch {
    return undefined;
  }
}
