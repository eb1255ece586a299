// How a number is written. Displayed text is for reading only: nothing is ever computed from it.

const MINUS = '\u2212';
/** Every minus sign is one; an exponent needs no plus. */
const typographic = (text: string) => text.replaceAll('-', MINUS).replace('e+', 'e');
/** As a program reads it. */
export const plain = (text: string) => text.replaceAll(MINUS, '-').replaceAll(',', '');

/** NaN and the infinities have one spelling everywhere; `undefined` for a finite number. */
function special(x: number): string | undefined {
  if (Number.isNaN(x)) return 'NaN';
  if (x === Infinity) return '∞';
  if (x === -Infinity) return MINUS + '∞';
  return undefined;
}

const inRange = (x: number, low: number, high: number) =>
  x === 0 || (Math.abs(x) >= low && Math.abs(x) < high);

function fixed(x: number, decimals: number): string {
  const text = x.toFixed(decimals);
  return typographic(Number(text) === 0 ? text.replace('-', '') : text);
}

/** In a matrix cell: two decimals; what would not fit is in powers of ten. */
export function cellNumber(x: number): string {
  return special(x) ?? (inRange(x, 0, 1000) ? fixed(x, 2) : typographic(x.toExponential(0)));
}

/** A weight in a cell: what is not 0 or 1 is never printed as if it were. */
export function cellWeight(x: number): string {
  if (x > 0 && x < 0.005) return '<0.005';
  if (x < 1 && x >= 0.995) return '>0.995';
  return cellNumber(x);
}

/** A weight in a table: what is exactly 0 or 1 stands without decimals, unlike what is rounded. */
export const cellShare = (x: number): string => (Number.isInteger(x) ? String(x) : cellWeight(x));

/** Made once: each is costlier than all it writes. */
const thousands = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });

/**
 * A score in a table of large ones: its thousands apart, and only the decimals that it has; what is too
 * long for that in powers of ten.
 */
export const grouped = (x: number): string =>
  special(x) ??
  (Math.abs(x) < 1e15
    ? typographic(thousands.format(x)).replace(/^−0$/, '0')
    : typographic(Number(x.toPrecision(4)).toExponential()));

/** In the inspector: four decimals. */
export function exactNumber(x: number): string {
  return special(x) ?? (inRange(x, 1e-4, 1e6) ? fixed(x, 4) : typographic(x.toExponential(3)));
}

/** A number the reader gave: as short as it can be written, two decimals at least; four at most. */
export function givenNumber(x: number): string {
  const text = String(x);
  const decimals = text.includes('e')
    ? Infinity
    : text.length - (text.indexOf('.') + 1 || text.length);
  return special(x) ?? (decimals > 4 ? exactNumber(x) : fixed(x, Math.max(2, decimals)));
}

const isExact = (x: number, write: (x: number) => string): boolean => {
  return !Number.isFinite(x) || Math.abs(Number(plain(write(x))) - x) <= 1e-12 * Math.abs(x);
};

/** "=" where these numbers are written out in full, "≈" where their last digit is a rounded one. */
export const equalsSign = (numbers: readonly number[], write = exactNumber): '=' | '≈' =>
  numbers.every((x) => isExact(x, write)) ? '=' : '≈';

/** As an operand inside a sum or product, where a bare minus sign would be misread. */
export const operand = (text: string) => (text.startsWith(MINUS) ? `(${text})` : text);

/** "a + b − c" from signed numbers, one string per term so that a line can break between them. */
export function sumTerms(numbers: number[]): string[] {
  return numbers.map((x, index) => {
    const text = exactNumber(x);
    if (index === 0) return text;
    return text.startsWith(MINUS) ? `${MINUS} ${text.slice(1)}` : `+ ${text}`;
  });
}
