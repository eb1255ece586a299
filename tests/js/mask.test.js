// Compiled masks against the rules' own definitions, cell by cell: every length up to 8, both
// alignments and some starts beyond, every way of reading a mask.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowOfSize } from 'attention-wasm';
import { predicate } from '../reference/mask.js';
import { instances } from './builds.js';
import { fill, draws } from './inputs.js';
import * as table from './options.js';

// Masks do not depend on the build: one is enough here, the random tests cover the rest.
const [{ attention }] = instances;

let masks = 0;

/** Compares all that a compiled mask says with `size`'s predicate. */
function conforms(mask, size) {
  const { batch, heads, queries, keys } = size;
  const what = `${describe(mask)}, ${queries}×${keys}, start ${size.start}`;
  const compiled = attention.mask(mask, size);
  const list = [mask].flat();
  const parts = list.map((rule) => predicate(rule, size));
  const dense = compiled.toDense();
  assert.deepEqual(dense.shape, [batch, heads, queries, keys], what);
  let at = 0;
  let allowedCells = 0;
  let emptyRows = 0;
  const explained = masks++ % queries; // asking why is slow: one row of each mask
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++)
      for (let i = 0; i < queries; i++) {
        const ranges = [];
        for (let j = 0; j < keys; j++, at++) {
          const forbidding = list.filter((_, rule) => !parts[rule](b, h, i, j)).map(kindOf);
          const allowed = forbidding.length === 0;
          const cell = `${what}, cell (${b}, ${h}, ${i}, ${j})`;
          assert.equal(Boolean(dense.data[at]), allowed, cell);
          if (i === explained) assert.deepEqual(compiled.cause(b, h, i, j), forbidding, cell);
          if (!allowed) continue;
          allowedCells++;
          if (ranges.at(-1)?.[1] === j) ranges.at(-1)[1] = j + 1;
          else ranges.push([j, j + 1]);
        }
        if (!ranges.length) emptyRows++;
        assert.deepEqual(compiled.rowRanges(b, h, i), ranges, `${what}, row (${b}, ${h}, ${i})`);
      }
  assert.equal(compiled.allowedCells, allowedCells, `${what}, allowed cells`);
  assert.equal(compiled.emptyRows, emptyRows, `${what}, empty rows`);
}

const kindOf = (rule) => rule.kind ?? rule;
const describe = (mask) => JSON.stringify(mask, (_, v) => (ArrayBuffer.isView(v) ? [...v] : v));

/** Every size up to 8 × 8 with query 0 at either corner, before and after them. */
function* sizes({ batch = 1, heads = 1 } = {}) {
  for (let queries = 1; queries <= 8; queries++)
    for (let keys = 1; keys <= 8; keys++)
      for (const start of new Set(['top-left', 'bottom-right', -3, keys]))
        yield { batch, heads, queries, keys, start };
}

const upTo = (last) => Array.from({ length: last + 1 }, (_, index) => index);

test('causal', () => {
  for (const size of sizes()) conforms('causal', size);
});

test('windows of every width', () => {
  for (const size of sizes()) {
    for (const left of [undefined, ...upTo(3), 8]) {
      for (const right of [undefined, ...upTo(3), 8]) {
        conforms({ kind: 'window', ...given({ left, right }) }, size);
      }
    }
  }
});

test('lengths of keys and queries', () => {
  for (const size of sizes({ batch: 2 })) {
    for (const keys of upTo(size.keys)) {
      conforms({ kind: 'lengths', keys: [keys, size.keys - keys] }, size);
      const queries = [keys % (size.queries + 1), size.queries];
      conforms({ kind: 'lengths', keys: [size.keys, keys], queries }, size);
    }
  }
});

test('every pattern of padding over up to five keys', () => {
  for (const keys of upTo(5).slice(1)) {
    for (let pattern = 0; pattern < 2 ** keys; pattern++) {
      const size = { batch: 2, heads: 1, queries: 2, keys };
      const bit = (at) => (pattern >> (at % keys)) & 1;
      let at = 0;
      const cells = fill([2, keys], 'bool', () => bit(at++));
      conforms({ kind: 'padding', blocked: cells }, size);
      conforms({ kind: 'padding', allowed: cells }, size);
    }
  }
});

test('prefixes of every length', () => {
  for (const size of sizes()) {
    for (const length of upTo(size.keys)) conforms({ kind: 'prefix', length }, size);
  }
});

test('every division into documents', () => {
  for (const keys of upTo(7).slice(1)) {
    for (let cuts = 0; cuts < 2 ** (keys - 1); cuts++) {
      const starts = [0, ...upTo(keys - 1).filter((j) => j > 0 && (cuts >> (j - 1)) & 1)];
      const ids = upTo(keys - 1).map((j) => starts.filter((first) => first <= j).length);
      const size = { batch: 1, heads: 1, queries: keys, keys };
      conforms({ kind: 'documents', starts }, size);
      conforms({ kind: 'documents', ids }, size);
    }
  }
});

test('global tokens, strides, dilated windows', () => {
  for (const size of sizes()) {
    for (const token of upTo(size.keys - 1)) {
      conforms({ kind: 'global', tokens: [token] }, size);
      conforms({ kind: 'global', tokens: [0, token] }, size);
    }
    for (const stride of [1, 2, 3, 5, 9]) conforms({ kind: 'strided', stride }, size);
    for (const dilation of [1, 2, 3])
      for (const left of [0, 1, 2, 9])
        for (const right of [0, 1, 9]) conforms({ kind: 'dilated', left, right, dilation }, size);
  }
});

test('block layouts, dense masks and functions', () => {
  const draw = draws(3);
  for (const size of sizes({ batch: 2, heads: 2 })) {
    const { batch: B, heads: H, queries: T, keys: S } = size;
    for (const name of Object.keys(table.positionless)) {
      if (name.startsWith('lengths') || name.startsWith('padding')) continue;
      conforms(table.positionless[name](draw, { B, H, T, S }), size);
    }
  }
});

test('rules made of rules, and lists of rules', () => {
  const draw = draws(4);
  for (const size of sizes({ batch: 2, heads: 2 })) {
    const { batch: B, heads: H, queries: T, keys: S } = size;
    for (const make of Object.values(table.composed)) conforms(make(draw, { B, H, T, S }), size);
    conforms([table.rule(draw, { B, H, T, S }), table.rule(draw, { B, H, T, S })], size);
  }
});

test('numbers far beyond the lengths', () => {
  const far = 2 ** 40;
  for (const start of [0, 3, far, -far]) {
    const size = { batch: 1, heads: 1, queries: 3, keys: 5, start };
    for (const left of [0, 1, far]) {
      for (const right of [0, far, Infinity]) {
        conforms({ kind: 'window', left, right }, size);
        conforms({ kind: 'dilated', left, right, dilation: 3 }, size);
        conforms({ kind: 'dilated', left, right, dilation: far }, size);
      }
    }
    conforms({ kind: 'strided', stride: far }, size);
    conforms({ kind: 'prefix', length: far }, size);
    conforms({ kind: 'lengths', keys: [5], queries: [3] }, size);
    conforms({ kind: 'global', tokens: [far, 2] }, size);
    conforms({ kind: 'documents', starts: [0, 4, far] }, size);
    conforms({ kind: 'blocks', size: far, layout: [[1]] }, size);
  }
});

test('one start for each batch element', () => {
  const size = { batch: 3, heads: 2, queries: 4, keys: 6, start: [0, 2, -1] };
  for (const make of Object.values(table.positional)) {
    conforms(make(draws(5), { B: 3, H: 2, T: 4, S: 6 }), size);
  }
});

test('no rule allows everything; no query or no key leaves nothing', () => {
  for (const mask of [[], 'causal']) {
    for (const [queries, keys] of [
      [3, 0],
      [0, 3],
      [0, 0],
      [3, 3],
    ]) {
      conforms(mask, { batch: 2, heads: 1, queries, keys, start: 0 });
    }
  }
});

test('a mask over 16384 × 16384 compiles at once and says what it allows', () => {
  const length = 16384;
  const starts = upTo(15).map((document) => document * 1024);
  const rules = ['causal', { kind: 'window', left: 255 }, { kind: 'documents', starts }];
  const size = { batch: 1, heads: 8, queries: length, keys: length };
  const before = performance.now();
  const mask = attention.mask(rules, size);
  const milliseconds = performance.now() - before;
  const perDocument = 1024 * 256 - (256 * 255) / 2;
  assert.equal(mask.allowedCells, 8 * 16 * perDocument);
  assert.equal(mask.emptyRows, 0);
  assert.deepEqual(mask.rowRanges(0, 0, 1024 + 10), [[1024, 1035]]);
  assert.deepEqual(mask.rowRanges(0, 7, 1024 + 300), [[1069, 1325]]);
  assert.deepEqual(mask.cause(0, 0, 1030, 1000), ['documents']);
  assert.deepEqual(mask.cause(0, 0, 1030, 100), ['window', 'documents']);
  assert.ok(milliseconds < 250, `took ${milliseconds} ms`);
});

test('a window of size w is the query’s own key and the w − 1 before it', () => {
  assert.deepEqual(windowOfSize(3), { kind: 'window', left: 2, right: 0 });
  const size = { batch: 1, heads: 1, queries: 5, keys: 5 };
  conforms(windowOfSize(1), size);
  conforms(windowOfSize(3), size);
});

const given = (fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
