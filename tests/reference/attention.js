// Scaled dot-product attention in float64, written from its definition for people to check by eye:
//
//   softmax(Q·Kᵀ × scale → softcap → + bias + ALiBi → −∞ where not allowed) → dropout → · V
//
// Shapes: query [B,H,T,d_k], key [B,H_kv,S,d_k], value [B,H_kv,S,d_v] → output [B,H,T,d_v].
// Every stage is kept whole. Nothing here is shared with the package it checks.
import { keeps } from './dropout.js';
import { round } from './dtypes.js';
import { predicate, startOf } from './mask.js';
import { count, dense, tensorOf } from './tensor.js';

/**
 * { steps, output, lse, weights, allowed, emptyRows, allowedCells }: tensors { shape, data:
 * Float64Array }; allowed by mask and bias, and how many cells by the mask alone.
 * `arithmetic` is the dtype to which every single operation is rounded: with 'float32' this shows
 * the error that a plain evaluation in that type makes.
 */
export function attention(query, key, value, options = {}, arithmetic = 'float64') {
  const fl = arithmetic === 'float32' ? Math.fround : (number) => round(arithmetic, number);
  const [B, H, T, dk] = rank4(query.shape);
  const [, kvHeads, S, dv] = rank4(value.shape);
  const q = dense(query, query.shape);
  const k = dense(key, key.shape);
  const v = dense(value, value.shape);
  const size = { batch: B, heads: H, queries: T, keys: S, start: options.start };
  const kvHead = (h) => Math.floor(h / (H / kvHeads));
  const row = (b, h, i) => (b * H + h) * T + i;
  const cell = (b, h, i, j) => row(b, h, i) * S + j;
  const keyRow = (b, h, j) => (b * kvHeads + kvHead(h)) * S + j;

  const cells = (f) => fill([B, H, T, S], f);
  const rows = (f) => fill([B, H, T, 1], f);

  const scores = cells((b, h, i, j) => {
    const qi = row(b, h, i) * dk;
    const kj = keyRow(b, h, j) * dk;
    let sum = 0;
    for (let c = 0; c < dk; c++) sum = fl(sum + fl(q[qi + c] * k[kj + c]));
    return sum;
  });

  const { scale = 1 / Math.sqrt(dk), softcap = 0 } = options;
  const scaled = scores.map((s) => fl(s * fl(scale)));
  const cap = (s) => fl(softcap * fl(Math.tanh(fl(s / softcap))));
  const capped = softcap > 0 ? scaled.map(cap) : scaled;

  const bias = options.bias && dense(tensorOf(options.bias), [B, H, T, S]);
  const slope = options.alibi && slopesOf(options.alibi, H);
  const biased = cells((b, h, i, j, at) => {
    const withBias = bias ? fl(capped[at] + bias[at]) : capped[at];
    const distance = Math.abs(i + startOf(size, b) - j);
    return slope ? fl(withBias - fl(slope(b, h) * distance)) : withBias;
  });

  const unmasked = cells(predicate(options.mask, size));
  const allowed = unmasked.map((free, at) => free && bias?.[at] !== -Infinity);
  const masked = biased.map((s, at) => (allowed[at] ? s : -Infinity));

  const sinks = options.sinks ?? Array(H).fill(-Infinity);
  const rowMax = rows((b, h, i) => {
    let max = sinks[h];
    for (let j = 0; j < S; j++) max = Math.max(max, masked[cell(b, h, i, j)]);
    return max;
  });
  const exp = (difference) => fl(Math.exp(fl(difference)));
  const exponentials = cells((b, h, i, j, at) =>
    allowed[at] ? exp(masked[at] - rowMax[row(b, h, i)]) : 0,
  );
  const rowSum = rows((b, h, i, _, at) => {
    let sum = options.sinks ? exp(sinks[h] - rowMax[at]) : 0;
    for (let j = 0; j < S; j++) sum = fl(sum + exponentials[cell(b, h, i, j)]);
    return sum;
  });
  const weights = cells((b, h, i, j, at) =>
    allowed[at] ? fl(exponentials[at] / rowSum[row(b, h, i)]) : 0,
  );
  const lse = rowSum.map((sum, at) => fl(rowMax[at] + fl(Math.log(sum))));

  const { dropout } = options;
  const dropped = cells((b, h, i, j, at) => {
    if (!dropout) return weights[at];
    return keeps(dropout, b, h, i, j) ? fl(weights[at] / fl(1 - dropout.p)) : 0;
  });

  const output = fill([B, H, T, dv], (b, h, i, c) => {
    let sum = 0;
    for (let j = 0; j < S; j++) {
      const at = cell(b, h, i, j);
      if (allowed[at]) sum = fl(sum + fl(dropped[at] * v[keyRow(b, h, j) * dv + c]));
    }
    return sum;
  });

  const leading = query.shape.slice(0, -2);
  const tensor = (data, ...trailing) => ({ shape: [...leading, ...trailing], data });
  const steps = {
    scores: tensor(scores, T, S),
    scaled: tensor(scaled, T, S),
    ...(softcap > 0 && { capped: tensor(capped, T, S) }),
    ...((bias || slope) && { biased: tensor(biased, T, S) }),
    masked: tensor(masked, T, S),
    rowMax: tensor(rowMax, T),
    exponentials: tensor(exponentials, T, S),
    rowSum: tensor(rowSum, T),
    weights: tensor(weights, T, S),
    ...(dropout && { dropped: tensor(dropped, T, S) }),
    output: tensor(output, T, dv),
  };
  const { heads = range(H), queries = range(T) } = options.weightsFor ?? {};
  return {
    steps,
    output: steps.output,
    lse: tensor(lse, T),
    weights: pick(dropped, { B, H, T, S, heads, queries, rank: query.shape.length }),
    allowed: tensor(allowed, T, S),
    allowedCells: unmasked.filter(Boolean).length,
    emptyRows: range(B * H * T).filter((r) => !allowed.subarray(r * S, r * S + S).some(Boolean))
      .length,
  };
}

/** ALiBi's slopes: 2^(−8/n), 2^(−16/n), … for n = 2^m heads; other counts take the rest from 2n. */
export function alibiSlopes(heads) {
  const n = 2 ** Math.floor(Math.log2(heads));
  const series = (length) => range(length).map((h) => 2 ** ((-8 * (h + 1)) / length));
  const between = series(2 * n).filter((_, h) => h % 2 === 0);
  return [...series(n), ...between.slice(0, heads - n)];
}

function slopesOf(alibi, heads) {
  if (alibi === true) alibi = alibiSlopes(heads);
  return (b, h) => (typeof alibi[0] === 'number' ? alibi[h] : alibi[b][h]);
}

/** Weights [B, heads, queries, S] of the chosen heads and queries only. */
function pick(weights, { B, H, T, S, heads, queries, rank }) {
  const data = fill(
    [B, heads.length, queries.length, S],
    (b, h, i, j) => weights[((b * H + heads[h]) * T + queries[i]) * S + j],
  );
  return { shape: [B, heads.length, queries.length, S].slice(-rank), data };
}

/** A Float64Array of `shape` whose cell (b, h, i, j), the `at`-th, is f(b, h, i, j, at). */
function fill(shape, f) {
  const [B, H, T, S] = shape;
  const data = new Float64Array(count(shape));
  let at = 0;
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++)
      for (let i = 0; i < T; i++) for (let j = 0; j < S; j++, at++) data[at] = f(b, h, i, j, at);
  return data;
}

const range = (length) => Array.from({ length }, (_, index) => index);
const rank4 = (shape) => [...Array(4 - shape.length).fill(1), ...shape];
