// Numbers as people type and paste them.

/** Digits, letters and signs as Chinese and Japanese keyboards type them, in their usual form. */
export const halfWidth = (text: string): string =>
  text
    .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll('\u3000', ' ');

/** As it is written; infinite where it is larger than numbers go. */
function numeral(text: string): number | undefined {
  const plain = halfWidth(text)
    .trim()
    .replaceAll('\u2212', '-')
    .replace(/^([-+]?\d*),(\d+)$/, '$1.$2');
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return undefined;
  return Number(plain);
}

/** One number, or undefined where the text is not one. Accepts −, full-width digits, a decimal comma. */
export function parseNumber(text: string): number | undefined {
  const value = numeral(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Whether it is written as a number, but beyond the largest of float64. */
export const isTooLarge = (text: string) => Math.abs(numeral(text) ?? 0) === Infinity;

/** Numbers as a reader lists them; undefined for anything else. */
export function readNumbers(text: string): number[] | undefined {
  const parts = halfWidth(text).split(/[\s,;、]+/);
  const numbers = parts.filter((part) => part !== '').map(parseNumber);
  return numbers.every((x) => x !== undefined) ? numbers : undefined;
}

export const readWholes = (text: string): number[] | undefined => {
  const numbers = readNumbers(text);
  return numbers?.every(Number.isSafeInteger) ? numbers : undefined;
};
