import { AttentionError } from './errors.js';
import type { AttentionOptions, MaskRule } from './generated/options.js';
import { windowOfSize } from './mask.js';
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
  pytorch({ attnMask, isCausal, ...others }: { attnMask?: MaskOrBias; isCausal?: boolean } = {}) {
    refuse('pytorch', others, 'attnMask, isCausal');
    const masked = attnMask === undefined ? {} : maskOrBias(attnMask, 'allowed');
    return options('top-left', [isCausal && 'causal', masked.rule], masked.bias);
  },

  /** `nn.MultiheadAttention`: true may not be read; `keyPaddingMask` [B, S] is true at padding. */
  multiheadAttention({
    attnMask,
    keyPaddingMask,
    ...others
  }: {
    attnMask?: MaskOrBias;
    keyPaddingMask?: Bools;
  } = {}) {
    refuse('multiheadAttention', others, 'attnMask, keyPaddingMask');
    const masked = attnMask === undefined ? {} : maskOrBias(attnMask, 'blocked');
    const padding = keyPaddingMask && ({ kind: 'padding', blocked: keyPaddingMask } as const);
    return options('top-left', [masked.rule, padding], masked.bias);
  },

  /**
   * `flash_attn_func` since 2.1: causal to the lower right. `windowSize` [left, right] counts keys
   * besides the query's own; −1 is no limit.
   */
  flashAttention({
    causal,
    windowSize = [-1, -1],
    ...others
  }: {
    causal?: boolean;
    windowSize?: readonly [number, number];
  } = {}) {
    refuse('flashAttention', others, 'causal, windowSize');
    return options('bottom-right', [causal && 'causal', windowBeside(windowSize)]);
  },

  /** `jax.nn.dot_product_attention`: true takes part; causal and window from the upper left. */
  jax({
    mask,
    isCausal,
    localWindowSize,
    querySeqLengths,
    keyValueSeqLengths,
    ...others
  }: {
    mask?: Bools;
    isCausal?: boolean;
    localWindowSize?: number | readonly [number, number];
    querySeqLengths?: Numbers;
    keyValueSeqLengths?: Numbers;
  } = {}) {
    const names = 'mask, isCausal, localWindowSize, querySeqLengths, keyValueSeqLengths';
    refuse('jax', others, names);
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
  mlx({ mask, ...others }: { mask?: 'causal' | MaskOrBias } = {}) {
    refuse('mlx', others, 'mask');
    if (mask === undefined || mask === 'causal') return options('bottom-right', [mask]);
    const masked = maskOrBias(mask, 'allowed');
    return options('bottom-right', [masked.rule], masked.bias);
  },

  /** `keras.layers.MultiHeadAttention`: `attentionMask` [B, T, S], true takes part. */
  keras({
    attentionMask,
    useCausalMask,
    ...others
  }: {
    attentionMask?: Bools;
    useCausalMask?: boolean;
  } = {}) {
    refuse('keras', others, 'attentionMask, useCausalMask');
    return options('top-left', [
      useCausalMask && 'causal',
      attentionMask && { kind: 'allowed', mask: withHeads(attentionMask) },
    ]);
  },

  /** `Attention` of ONNX: true takes part; the queries stand behind `past` cached keys. */
  onnx({
    attnMask,
    isCausal,
    past = 0,
    ...others
  }: {
    attnMask?: MaskOrBias;
    isCausal?: boolean;
    past?: number;
  } = {}) {
    refuse('onnx', others, 'attnMask, isCausal, past');
    const masked = attnMask === undefined ? {} : maskOrBias(attnMask, 'allowed');
    return options(past, [isCausal && 'causal', masked.rule], masked.bias);
  },

  /**
   * A decoder of Transformers: causal, the queries are the last of the keys. `slidingWindow` counts
   * the query's own key too; `attentionMask` [B, S] is 1 at real tokens.
   */
  transformers({
    slidingWindow,
    attentionMask,
    ...others
  }: {
    slidingWindow?: number;
    attentionMask?: Bools;
  } = {}) {
    refuse('transformers', others, 'slidingWindow, attentionMask');
    return options('bottom-right', [
      slidingWindow === undefined ? 'causal' : windowOfSize(slidingWindow),
      attentionMask && { kind: 'padding', allowed: attentionMask },
    ]);
  },
};

/** Rules that were asked for, and where positions count from. */
function options(
  start: 'top-left' | 'bottom-right' | number,
  rules: readonly (MaskRule | false | undefined)[],
  bias?: AttentionOptions['bias'],
): AttentionOptions {
  const mask = rules.filter((rule) => rule !== undefined && rule !== false);
  return bias === undefined ? { mask, start } : { mask, start, bias };
}

/** A misspelt setting would be a mask that is not there. */
function refuse(name: string, others: object, names: string): void {
  const [unknown] = Object.keys(others);
  if (unknown === undefined) return;
  const argument = `preset.${name}`;
  throw new AttentionError('option', argument, `${argument} has no ${unknown}; there is ${names}`);
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
  mask: MaskOrBias,
  kind: 'allowed' | 'blocked',
): { rule?: MaskRule; bias?: Tensor | Nested<number> } {
  return isBool(mask) ? { rule: { kind, mask } } : { bias: mask };
}

function isBool(mask: MaskOrBias): mask is Bools {
  let first: unknown = mask;
  while (Array.isArray(first)) first = first[0];
  if (typeof first !== 'object' || first === null) return typeof first === 'boolean';
  const { dtype, data } = first as Tensor;
  return dtype === 'bool' || (dtype === undefined && data instanceof Uint8Array);
}

/** [B, T, S] as [B, 1, T, S]. */
function withHeads(mask: Bools): Bools {
  if (Array.isArray(mask)) return (mask as readonly Nested<boolean>[]).map((rows) => [rows]);
  const { shape, strides, ...rest } = mask as Tensor;
  const between = (lengths: readonly number[], length: number) =>
    lengths.length === 3 ? [lengths[0]!, length, ...lengths.slice(1)] : [...lengths];
  return {
    ...rest,
    shape: between(shape, 1),
    ...(strides && { strides: between(strides, 0) }),
  };
}
