import { checkFields, checkNumbers, deepest, text } from './arguments.js';
import { AttentionError } from './errors.js';
import type { AttentionOptions, MaskRule } from './generated/options.js';
import { windowOfSize } from './mask.js';
import { isArray, isTensor, kindOf } from './tensor.js';
import type { Bools, Nested, Numbers, Tensor } from './tensor.js';

/** A mask of bool, or numbers that are added to the scores. */
export type MaskOrBias = Bools | Tensor | Nested<number>;

/**
 * Options that mean here what the same words mean to another library: which way round a mask is,
 * where the causal diagonal starts when T ≠ S, what a window counts. Spread them beside others:
 * `{ ...preset.flashAttention({ causal: true }), returns: ['weights'] }`.
 */
export const preset = {
  /** `F.scaled_dot_product_attention`: true takes part; causal from the upper left. */
  pytorch(settings: { attnMask?: MaskOrBias; isCausal?: boolean } = {}) {
    const { attnMask, isCausal } = read('pytorch', settings, { attnMask: cells, isCausal: flag });
    const masked = maskOrBias('pytorch.attnMask', attnMask, 'allowed');
    return options('top-left', [isCausal && 'causal', masked.rule], masked.bias);
  },

  /**
   * `nn.MultiheadAttention`: true may not be read. `attnMask` [T, S] is every head's;
   * `keyPaddingMask` [B, S] is true at padding.
   */
  multiheadAttention(settings: { attnMask?: MaskOrBias; keyPaddingMask?: Bools } = {}) {
    const kinds = { attnMask: cells, keyPaddingMask: cells };
    const { attnMask, keyPaddingMask } = read('multiheadAttention', settings, kinds);
    const whole = attnMask && withAxis(attnMask, 'multiheadAttention.attnMask', 2);
    const masked = maskOrBias('multiheadAttention.attnMask', whole, 'blocked');
    const padding = keyPaddingMask && ({ kind: 'padding', blocked: keyPaddingMask } as const);
    return options('top-left', [masked.rule, padding], masked.bias);
  },

  /**
   * `flash_attn_func` since 2.1: causal to the lower right. `windowSize` [left, right] counts keys
   * besides the query's own; −1 is no limit.
   */
  flashAttention(settings: { causal?: boolean; windowSize?: readonly [number, number] } = {}) {
    const kinds = { causal: flag, windowSize: sides };
    const { causal, windowSize = [-1, -1] } = read('flashAttention', settings, kinds);
    return options('bottom-right', [causal && 'causal', windowBeside(windowSize)]);
  },

  /** `jax.nn.dot_product_attention`: true takes part; causal and window from the upper left. */
  jax(
    settings: {
      mask?: Bools;
      isCausal?: boolean;
      localWindowSize?: number | readonly [number, number];
      querySeqLengths?: Numbers;
      keyValueSeqLengths?: Numbers;
    } = {},
  ) {
    const { mask, isCausal, localWindowSize, querySeqLengths, keyValueSeqLengths } = read(
      'jax',
      settings,
      {
        mask: cells,
        isCausal: flag,
        localWindowSize: oneOrTwoSides,
        querySeqLengths: lengths,
        keyValueSeqLengths: lengths,
      },
    );
    if (querySeqLengths && !keyValueSeqLengths) {
      throw new AttentionError(
        'option',
        'preset.jax',
        'preset.jax has querySeqLengths but no keyValueSeqLengths; give both, or [S, S, …] for keys without padding',
      );
    }
    const size =
      typeof localWindowSize === 'number'
        ? ([localWindowSize, localWindowSize] as const)
        : localWindowSize;
    return options('top-left', [
      isCausal && 'causal',
      mask && { kind: 'allowed', mask },
      size && windowBeside(size),
      keyValueSeqLengths && { kind: 'lengths', keys: keyValueSeqLengths, queries: querySeqLengths },
    ]);
  },

  /** `mx.fast.scaled_dot_product_attention`: true takes part; causal to the lower right. */
  mlx(settings: { mask?: 'causal' | MaskOrBias } = {}) {
    const { mask } = read('mlx', settings, { mask: causalOrCells });
    if (mask === 'causal') return options('bottom-right', [mask]);
    const masked = maskOrBias('mlx.mask', mask, 'allowed');
    return options('bottom-right', [masked.rule], masked.bias);
  },

  /** `keras.layers.MultiHeadAttention`: `attentionMask` [B, T, S], true takes part. */
  keras(settings: { attentionMask?: Bools; useCausalMask?: boolean } = {}) {
    const kinds = { attentionMask: cells, useCausalMask: flag };
    const { attentionMask, useCausalMask } = read('keras', settings, kinds);
    return options('top-left', [
      useCausalMask && 'causal',
      attentionMask && {
        kind: 'allowed',
        mask: withAxis(attentionMask, 'keras.attentionMask', 3) as Bools,
      },
    ]);
  },

  /** `Attention` of ONNX: true takes part; the queries come after `past` cached keys. */
  onnx(settings: { attnMask?: MaskOrBias; isCausal?: boolean; past?: number } = {}) {
    const kinds = { attnMask: cells, isCausal: flag, past: whole };
    const { attnMask, isCausal, past = 0 } = read('onnx', settings, kinds);
    const masked = maskOrBias('onnx.attnMask', attnMask, 'allowed');
    return options(past, [isCausal && 'causal', masked.rule], masked.bias);
  },

  /**
   * A decoder of Transformers: causal, the queries are the last of the keys. `slidingWindow` counts
   * the query's own key too; `attentionMask` [B, S] is 1 at real tokens.
   */
  transformers(settings: { slidingWindow?: number; attentionMask?: Bools } = {}) {
    const kinds = { slidingWindow: fromOne, attentionMask: cells };
    const { slidingWindow, attentionMask } = read('transformers', settings, kinds);
    return options('bottom-right', [
      slidingWindow === undefined ? 'causal' : windowOfSize(slidingWindow),
      attentionMask && { kind: 'padding', allowed: attentionMask },
    ]);
  },
};

/** What a setting can be, and the words with which an error asks for it. */
interface Kind {
  readonly fits: (value: unknown) => boolean;
  readonly wanted: string;
}

const areSides = (value: unknown) =>
  Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
const areCells = (value: unknown) => Array.isArray(value) || isTensor(value);

const flag: Kind = { fits: (value) => typeof value === 'boolean', wanted: 'true or false' };
const whole: Kind = { fits: Number.isSafeInteger, wanted: 'a whole number' };
const fromOne: Kind = {
  fits: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  wanted: 'a whole number from 1',
};
const sides: Kind = { fits: areSides, wanted: 'two whole numbers [left, right], −1 for no limit' };
const oneOrTwoSides: Kind = {
  fits: (value) => Number.isSafeInteger(value) || areSides(value),
  wanted: 'a whole number, or two [left, right]',
};
const lengths: Kind = {
  fits: isArray,
  wanted: 'an array of whole numbers, one for each batch element',
};
const cells: Kind = { fits: areCells, wanted: 'a tensor { shape, data } or nested arrays' };
const causalOrCells: Kind = {
  fits: (value) => value === 'causal' || areCells(value),
  wanted: `'causal', a tensor { shape, data } or nested arrays`,
};

/** The settings of a preset, if they are what it takes: a misspelt one would be a mask not there. */
function read<Settings extends object>(
  name: string,
  settings: Settings,
  kinds: { readonly [Field in keyof Required<Settings>]: Kind },
): Settings {
  const argument = `preset.${name}`;
  checkFields(settings, argument, Object.keys(kinds));
  const result: Record<string, unknown> = {};
  for (const field of Object.getOwnPropertyNames(settings) as (keyof Settings & string)[]) {
    const value = settings[field];
    // As among the options of a call, null is as if it were left out.
    if (value === undefined || value === null) continue;
    const { fits, wanted } = kinds[field];
    if (!fits(value)) {
      const message = `${argument}.${field} is ${text(value)}; give ${wanted}`;
      throw new AttentionError('type', `${argument}.${field}`, message);
    }
    result[field] = value;
  }
  return result as Settings;
}

/** Rules that were asked for, and where positions count from. */
function options(
  start: 'top-left' | 'bottom-right' | number,
  rules: readonly (MaskRule | false | undefined)[],
  bias?: AttentionOptions['bias'],
): AttentionOptions {
  const mask = rules.filter((rule) => rule !== undefined && rule !== false);
  return bias === undefined ? { mask, start } : { mask, start, bias };
}

function windowBeside([left, right]: readonly [number, number]): MaskRule | undefined {
  if (left === -1 && right === -1) return undefined;
  return {
    kind: 'window',
    ...(left !== -1 && { left }),
    ...(right !== -1 && { right }),
  };
}

function maskOrBias(
  name: string,
  mask: MaskOrBias | undefined,
  kind: 'allowed' | 'blocked',
): { rule?: MaskRule; bias?: Tensor | Nested<number> } {
  if (mask === undefined) return {};
  if (isBool(mask)) return { rule: { kind, mask } };
  if (typeof firstOf(mask).first === 'number' && areBits(mask, new Set())) {
    throw new AttentionError(
      'type',
      `preset.${name}`,
      `preset.${name} holds 0 and 1 alone, which can be a mask or be added; give true and false for a mask, a float tensor for numbers to be added`,
    );
  }
  return { bias: mask };
}

/** Whether nested arrays, which may hold one array several times, hold 0 and 1 alone. */
function areBits(part: unknown, seen: Set<unknown>): boolean {
  if (!Array.isArray(part)) return part === 0 || part === 1;
  return seen.has(part) || (seen.add(part), part.every((each) => areBits(each, seen)));
}

/** What stands first in nested arrays, and how deep. */
function firstOf(mask: MaskOrBias): { first: unknown; depth: number } {
  let first: unknown = mask;
  let depth = 0;
  for (; Array.isArray(first) && depth < deepest; depth++) first = first[0];
  return { first, depth };
}

function isBool(mask: MaskOrBias): mask is Bools {
  const { first } = firstOf(mask);
  if (typeof first === 'boolean') return true;
  if (!isTensor(first)) return kindOf(first) === 'Uint8Array';
  const { dtype, data } = first;
  return dtype === 'bool' || (dtype === undefined && kindOf(data) === 'Uint8Array');
}

/** A mask of this rank with an axis of 1 before its last two: what is there holds for every head. */
function withAxis(mask: MaskOrBias, name: string, rank: 2 | 3): MaskOrBias {
  if (!isTensor(mask)) {
    if (firstOf(mask).depth !== rank) return mask;
    const parts = mask as readonly Nested<number>[];
    return rank === 2 ? [parts] : parts.map((rows) => [rows]);
  }
  const { shape, strides, ...rest } = mask;
  const between = (lengths: readonly number[], what: string, length: number) => {
    checkNumbers(lengths, `preset.${name}`, what);
    return lengths.length === rank ? lengths.toSpliced(rank - 2, 0, length) : [...lengths];
  };
  return {
    ...rest,
    shape: between(shape, 'shape', 1),
    ...(strides && { strides: between(strides, 'strides', 0) }),
  };
}
