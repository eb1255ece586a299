// Every mask rule as the question it answers: may query i use key j? One cell at a time, never
// ranges, so that it cannot share a mistake with an implementation that works on ranges.
import { dense, tensorOf } from './tensor.js';

/** (b, h, i, j) => boolean for `mask`: a rule, an array of rules (all must allow), or nothing. */
export function predicate(mask, size) {
  const rules = [mask ?? []].flat().map((rule) => predicateOf(rule, size));
  return (b, h, i, j) => rules.every((allows) => allows(b, h, i, j));
}

/** The position of query 0 on the key axis for batch b. */
export function startOf({ start = 0, queries, keys }, b) {
  if (start === 'top-left') return 0;
  if (start === 'bottom-right') return keys - queries;
  return Array.isArray(start) ? start[b] : start;
}

/** size: { batch, heads, queries, keys, start } */
function predicateOf(rule, size) {
  const { kind, ...fields } = typeof rule === 'string' ? { kind: rule } : rule;
  const position = (b, i) => i + startOf(size, b);
  return rules[kind](fields, position, size);
}

const rules = {
  causal: (_, position) => (b, h, i, j) => j <= position(b, i),

  window:
    ({ left = Infinity, right = Infinity }, position) =>
    (b, h, i, j) =>
      position(b, i) - left <= j && j <= position(b, i) + right,

  lengths:
    ({ keys, queries }) =>
    (b, h, i, j) =>
      j < keys[b] && (queries === undefined || i < queries[b]),

  padding: ({ blocked, allowed }, _, { batch, keys }) => {
    const cells = dense(tensorOf(blocked ?? allowed), [batch, keys]);
    return (b, h, i, j) => Boolean(cells[b * keys + j]) === (blocked === undefined);
  },

  prefix:
    ({ length }, position) =>
    (b, h, i, j) =>
      j < perBatch(length, b) || j <= position(b, i),

  documents: ({ starts, ids }, position, { keys }) => {
    const document = (b, at) => {
      if (ids === undefined) return perBatch(starts, b, 1).filter((first) => first <= at).length;
      return 0 <= at && at < keys ? perBatch(ids, b, 1)[at] : undefined;
    };
    return (b, h, i, j) => document(b, position(b, i)) === document(b, j);
  },

  global:
    ({ tokens }, position) =>
    (b, h, i, j) =>
      tokens.includes(position(b, i)) || tokens.includes(j),

  strided:
    ({ stride }, position) =>
    (b, h, i, j) =>
      (position(b, i) - j) % stride === 0,

  dilated:
    ({ left = Infinity, right = Infinity, dilation }, position) =>
    (b, h, i, j) => {
      const steps = (j - position(b, i)) / dilation;
      return Number.isInteger(steps) && -left <= steps && steps <= right;
    },

  blocks: ({ size: edge, layout }, _, { heads, queries, keys }) => {
    const rows = Math.ceil(queries / edge);
    const columns = Math.ceil(keys / edge);
    const on = dense(tensorOf(layout), [heads, rows, columns]);
    return (b, h, i, j) =>
      on[(h * rows + Math.floor(i / edge)) * columns + Math.floor(j / edge)] !== 0;
  },

  blocked: ({ mask }, _, size) => not(cellsOf(mask, size)),
  allowed: ({ mask }, _, size) => cellsOf(mask, size),

  all: ({ of }, _, size) => predicate(of, size),
  any: ({ of }, _, size) => {
    const parts = of.map((rule) => predicateOf(rule, size));
    return (b, h, i, j) => parts.some((allows) => allows(b, h, i, j));
  },
  not: ({ of }, _, size) => not(predicateOf(of, size)),

  function:
    ({ allows, perHead, perBatch }) =>
    (b, h, i, j) =>
      allows(perBatch ? b : 0, perHead ? h : 0, i, j),
};

const not = (allows) => (b, h, i, j) => !allows(b, h, i, j);

function cellsOf(mask, { batch, heads, queries, keys }) {
  const cells = dense(tensorOf(mask), [batch, heads, queries, keys]);
  return (b, h, i, j) => cells[((b * heads + h) * queries + i) * keys + j] !== 0;
}

/** A field that is one value for all batches or an array with a value for each. */
function perBatch(field, b, rank = 0) {
  const nested = Array.isArray(field) ? 1 + Array.isArray(field[0]) : 0;
  return nested > rank ? field[b] : field;
}
