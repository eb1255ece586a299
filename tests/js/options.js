// A table of every mask rule and every option, as makers of random arguments that fit a size.
import { windowOfSize } from 'attention-wasm';
import { fill } from './inputs.js';

const list = (length, f) => Array.from({ length }, (_, index) => f(index));
const bools = (draw, shape, probability = 0.5) =>
  fill(shape, 'bool', () => draw.chance(probability));

/** name → (draw, size) → rule. Those of `positional` need `start` when T ≠ S. */
export const positional = {
  causal: () => 'causal',
  'causal, as an object': () => ({ kind: 'causal' }),
  'window, left only': (draw) => ({ kind: 'window', left: draw.integer(0, 5) }),
  'window, right only': (draw) => ({ kind: 'window', right: draw.integer(0, 5) }),
  'window, both': (draw) => ({
    kind: 'window',
    left: draw.integer(0, 9),
    right: draw.integer(0, 9),
  }),
  'window, unlimited': () => ({ kind: 'window' }),
  windowOfSize: (draw) => windowOfSize(draw.integer(1, 6)),
  prefix: (draw, { S }) => ({ kind: 'prefix', length: draw.integer(0, S) }),
  'prefix per batch': (draw, { B, S }) => ({
    kind: 'prefix',
    length: list(B, () => draw.integer(0, S)),
  }),
  'documents by starts': (draw, { S }) => ({ kind: 'documents', starts: boundaries(draw, S) }),
  'documents by ids': (draw, { S }) => ({ kind: 'documents', ids: ids(draw, S) }),
  'documents by ids per batch': (draw, { B, S }) => ({
    kind: 'documents',
    ids: list(B, () => ids(draw, S)),
  }),
  global: (draw, { S }) => ({
    kind: 'global',
    tokens: list(3, () => draw.integer(0, Math.max(0, S - 1))),
  }),
  strided: (draw) => ({ kind: 'strided', stride: draw.integer(1, 5) }),
  dilated: (draw) => ({
    kind: 'dilated',
    left: draw.integer(0, 4),
    right: draw.integer(0, 4),
    dilation: draw.integer(1, 4),
  }),
};

export const positionless = {
  lengths: (draw, { B, S }) => ({ kind: 'lengths', keys: list(B, () => draw.integer(0, S)) }),
  'lengths of keys and queries': (draw, { B, T, S }) => ({
    kind: 'lengths',
    keys: list(B, () => draw.integer(0, S)),
    queries: list(B, () => draw.integer(0, T)),
  }),
  'padding, blocked': (draw, { B, S }) => ({
    kind: 'padding',
    blocked: bools(draw, [B, S]),
  }),
  'padding, allowed': (draw, { B, S }) => ({
    kind: 'padding',
    allowed: bools(draw, [B, S]),
  }),
  blocks: (draw, { T, S }) => {
    const size = draw.integer(1, 9);
    const layout = bools(draw, [Math.ceil(T / size), Math.ceil(S / size)]);
    return { kind: 'blocks', size, layout };
  },
  'blocks per head': (draw, { H, T, S }) => {
    const size = draw.integer(1, 9);
    const layout = bools(draw, [H, Math.ceil(T / size), Math.ceil(S / size)]);
    return { kind: 'blocks', size, layout };
  },
  'blocked [1,1,T,S]': (draw, { T, S }) => ({
    kind: 'blocked',
    mask: bools(draw, [1, 1, T, S]),
  }),
  'allowed [B,H,T,S]': (draw, { B, H, T, S }) => ({
    kind: 'allowed',
    mask: bools(draw, [B, H, T, S]),
  }),
  'allowed [H,T,S]': (draw, { H, T, S }) => ({ kind: 'allowed', mask: bools(draw, [H, T, S]) }),
  'allowed [B,1,1,S]': (draw, { B, S }) => ({ kind: 'allowed', mask: bools(draw, [B, 1, 1, S]) }),
  'blocked [T,1]': (draw, { T }) => ({ kind: 'blocked', mask: bools(draw, [1, 1, T, 1]) }),
  function: (draw) => {
    const [a, b] = [draw.integer(1, 5), draw.integer(2, 4)];
    return { kind: 'function', allows: (_b, _h, i, j) => (a * i + j) % b !== 0 };
  },
  'function per batch and head': (draw) => {
    const a = draw.integer(2, 4);
    const allows = (b, h, i, j) => (b + 2 * h + i + j) % a !== 0;
    return { kind: 'function', allows, perBatch: true, perHead: true };
  },
};

/** Rules made of rules. */
export const composed = {
  all: (draw, size) => ({ kind: 'all', of: some(draw, size) }),
  any: (draw, size) => ({ kind: 'any', of: some(draw, size) }),
  not: (draw, size) => ({ kind: 'not', of: rule(draw, size) }),
  nested: (draw, size) => ({
    kind: 'any',
    of: [{ kind: 'not', of: { kind: 'all', of: some(draw, size) } }, rule(draw, size)],
  }),
};

export const rules = { ...positional, ...positionless, ...composed };

/** A random rule that is not made of others. */
export const rule = (draw, size) =>
  draw.pick(Object.values({ ...positional, ...positionless }))(draw, size);

const some = (draw, size) => list(draw.integer(1, 3), () => rule(draw, size));

/** Sorted document starts, the first at 0. */
const boundaries = (draw, S) => {
  const cuts = list(draw.integer(0, 4), () => draw.integer(1, Math.max(1, S - 1)));
  return [...new Set([0, ...cuts])].sort((a, b) => a - b);
};
const ids = (draw, S) => list(S, () => draw.integer(0, 3));

/** name → (draw, size) → options, without mask and start. */
export const options = {
  none: () => ({}),
  'scale 0': () => ({ scale: 0 }),
  'scale negative': () => ({ scale: -0.3 }),
  'scale fractional': () => ({ scale: 0.5 }),
  softcap: () => ({ softcap: 1.5 }),
  'bias [S]': (draw, { S }) => ({ bias: numbers(draw, [S]) }),
  'bias [T,1]': (draw, { T }) => ({ bias: numbers(draw, [T, 1]) }),
  'bias [H,1,S]': (draw, { H, S }) => ({ bias: numbers(draw, [H, 1, S]) }),
  'bias [H,T,S]': (draw, { H, T, S }) => ({ bias: numbers(draw, [H, T, S]) }),
  'bias [B,1,T,1]': (draw, { B, T }) => ({ bias: numbers(draw, [B, 1, T, 1]) }),
  'bias [1,1,1,1]': (draw) => ({ bias: numbers(draw, [1, 1, 1, 1]) }),
  'bias [B,H,T,S] with −∞': (draw, { B, H, T, S }) => ({
    bias: numbers(draw, [B, H, T, S], () => draw.chance(0.3)),
  }),
  sinks: (draw, { H }) => ({ sinks: list(H, () => 2 * draw.normal()) }),
  dropout: (draw) => ({ dropout: { p: 0.3, seed: draw.integer(0, 2 ** 31) } }),
  'dropout of everything': () => ({ dropout: { p: 1, seed: 1 } }),
  'dropout of nothing': () => ({ dropout: { p: 0, seed: 1 } }),
  'dropout, 64-bit seed': () => ({ dropout: { p: 0.5, seed: 0xfedcba9876543210n } }),
};

/** Options that use positions. */
export const positionalOptions = {
  'ALiBi of the paper': () => ({ alibi: true }),
  'ALiBi [H]': (draw, { H }) => ({ alibi: list(H, () => draw.uniform()) }),
  'ALiBi [B][H]': (draw, { B, H }) => ({ alibi: list(B, () => list(H, () => draw.uniform())) }),
};

const numbers = (draw, shape, missing = () => false) =>
  fill(shape, 'float32', () => (missing() ? -Infinity : draw.normal()));

/** name → (draw, size) → start. */
export const starts = {
  'top-left': () => 'top-left',
  'bottom-right': () => 'bottom-right',
  number: (draw, { S }) => draw.integer(0, S),
  'negative number': (draw, { T }) => -draw.integer(1, T),
  'per batch': (draw, { B, T, S }) => list(B, () => draw.integer(-T, S)),
};
