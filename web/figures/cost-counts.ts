// What attention costs, counted for any size, and how counts as large as these are written.
import { grouped } from '../draw/number.js';
import type { Language } from '../state/words.js';

export interface Sizes {
  batch: number;
  heads: number;
  tokens: number;
  width: number;
}

export const core = ({ batch, heads, tokens, width }: Sizes) =>
  2 * batch * heads * tokens ** 2 * 2 * width;
export const projections = ({ batch, heads, tokens, width }: Sizes) =>
  8 * batch * tokens * (heads * width) ** 2;
export const layer = (sizes: Sizes) => core(sizes) + projections(sizes);
const allowedShare = ({ tokens }: Sizes) => (tokens + 1) / (2 * tokens);
export const causal = (sizes: Sizes) => core(sizes) * allowedShare(sizes);
export const stored = ({ batch, heads, tokens }: Sizes) => 2 * batch * heads * tokens ** 2 * 4;
/** Inputs and output only: what a tiled run keeps. */
export const tiled = ({ batch, heads, tokens, width }: Sizes) =>
  4 * batch * heads * tokens * width * 4;

/** Three digits of it, and whether those are all. */
function threeDigits(x: number): string {
  const rounded = Number(x.toPrecision(3));
  return `${rounded === x ? '' : '≈ '}${rounded}`;
}

const compact: Record<Language, Intl.NumberFormat> = {
  en: new Intl.NumberFormat('en', {
    notation: 'compact',
    compactDisplay: 'long',
    maximumSignificantDigits: 3,
  }),
  zh: new Intl.NumberFormat('zh', { notation: 'compact', maximumSignificantDigits: 3 }),
};

/** 1.6e9 → "1.6 billion", "16 亿"; below a million in full; 2.1e18 → "2.1 × 10^18", for withPowers(). */
export function amount(x: number, language: Language): string {
  if (x < 1e6) return grouped(Math.round(x));
  const rounded = Number(x.toPrecision(3));
  const about = rounded === x ? '' : '≈ ';
  if (rounded < 1e15) {
    return `${about}${compact[language].format(x).replace(/(?<=\d)(?=[万亿])/, ' ')}`;
  }
  const [digits, power] = rounded.toExponential().split('e+');
  return `${about}${digits} × 10^${power}`;
}

const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
export function bytes(x: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(x, 1)) / 10), binary.length - 1);
  return `${threeDigits(x / 2 ** (10 * power))} ${binary[power]}`;
}
