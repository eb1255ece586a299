#pragma once

// The two matrix products of attention, on one tile: the queries of a panel and some tens of keys.
//
// A panel is 1 or 2 vectors of queries, side by side: its numbers are stored query-innermost, as
//
//   query [d_k][rows]   scores, weights [keys][rows]   output [d_v][rows]
//
// with rows = Vectors × lanes, so that every lane is a query of its own. Softmax then needs no sum
// or maximum across lanes, no length needs a remainder loop, and a query's result has the same bits
// whatever stands beside it. Keys and values stay where the caller has them; one number at a time
// is read into all lanes.
//
// Register blocking: 6 keys (or 6 columns of the values) × 2 vectors are 12 sums in registers. Each
// step loads 2 vectors and 6 single numbers for 12 multiply-adds; with 16 registers, more sums
// would spill and fewer would wait for the loads. With 1 vector 8 keys keep enough sums in flight.
// Calls that have no more queries than that for each head of keys use decode.h.
//
// The loops over a block are functions of their own, never inlined: WebAssembly engines replace
// slow first code by fast code only between calls, so a long call must make many short ones. They
// are not unrolled by hand either: the compiler then moves loads apart and spills the sums.

#include <type_traits>

#include "core/simd.h"

namespace attention {

/// The most queries a panel holds.
template <class T>
inline constexpr Index panel_rows = 2 * lanes<T>;

/// Calls f(first, size) for blocks that cover [0, count); size is a constant of at most `most`. The
/// blocks are of nearly equal size, so that none is left with one or two.
template <int most, class F>
void in_blocks(Index count, F&& f);

/// scores[j][row] = scale · Σ_c query[c][row]·key[j][c] for `keys` keys, key[j] at key +
/// j·key_stride, and tile_max[row], the largest of them that is not NaN.
template <class T, int Vectors>
void score_tile(const T* query, const T* key, Index key_stride, Index keys, Index head_dim, T scale,
                T* scores, T* tile_max);

/// output[c][row] = output[c][row]·rescale[row] + Σ_j weights[j][row]·value[j][c], value[j] at
/// value + j·value_stride.
template <class T, int Vectors>
void value_tile(const T* weights, const T* value, Index value_stride, Index keys, Index value_dim,
                const T* rescale, T* output);

// ---- How ----------------------------------------------------------------------------------------

template <int Vectors>
inline constexpr int block_keys = Vectors == 1 ? 8 : 6;
inline constexpr int block_columns = 6;

template <int most, class F>
void with_constant(Index size, F&& f) {
  if constexpr (most > 1) {
    if (size < most) return with_constant<most - 1>(size, f);
  }
  f(std::integral_constant<int, most>{});
}

template <int most, class F>
void in_blocks(Index count, F&& f) {
  Index first = 0;
  for (Index blocks = (count + most - 1) / most; blocks > 0; --blocks) {
    const Index size = (count - first) / blocks;
    with_constant<most>(size, [&](auto constant) { f(first, constant); });
    first += size;
  }
}

template <class T, int Vectors, int Keys>
[[gnu::noinline]] void score_block(const T* query, const T* key, Index key_stride, Index head_dim,
                                   T scale, T* scores, T* tile_max) {
  constexpr Index rows = Vectors * lanes<T>;
  Lanes<T> sum[Keys][Vectors];
  const T* k[Keys];
  for (int j = 0; j < Keys; ++j) {
    k[j] = key + j * key_stride;
    for (int v = 0; v < Vectors; ++v) sum[j][v] = Lanes<T>(T(0));
  }
  for (Index c = 0; c < head_dim; ++c) {
    Lanes<T> q[Vectors];
    for (int v = 0; v < Vectors; ++v) q[v] = load(query + v * lanes<T>);
    for (int j = 0; j < Keys; ++j) {
      const Lanes<T> number(*k[j]++);
      for (int v = 0; v < Vectors; ++v) sum[j][v] = multiply_add(q[v], number, sum[j][v]);
    }
    query += rows;
  }
  for (int v = 0; v < Vectors; ++v) {
    Lanes<T> largest = load(tile_max + v * lanes<T>);
    for (int j = 0; j < Keys; ++j) {
      const Lanes<T> scaled = sum[j][v] * Lanes<T>(scale);
      store(scores + j * rows + v * lanes<T>, scaled);
      largest = at_least(largest, scaled);
    }
    store(tile_max + v * lanes<T>, largest);
  }
}

template <class T, int Vectors>
void score_tile(const T* query, const T* key, Index key_stride, Index keys, Index head_dim, T scale,
                T* scores, T* tile_max) {
  constexpr Index rows = Vectors * lanes<T>;
  for (Index row = 0; row < rows; ++row) tile_max[row] = -std::numeric_limits<T>::infinity();
  in_blocks<block_keys<Vectors>>(keys, [&](Index first, auto size) {
    score_block<T, Vectors, size()>(query, key + first * key_stride, key_stride, head_dim, scale,
                                    scores + first * rows, tile_max);
  });
}

template <class T, int Vectors, int Columns>
[[gnu::noinline]] void value_block(const T* weights, const T* value, Index value_stride, Index keys,
                                   const T* rescale, T* output) {
  constexpr Index rows = Vectors * lanes<T>;
  Lanes<T> sum[Columns][Vectors];
  for (int v = 0; v < Vectors; ++v) {
    const Lanes<T> factor = load(rescale + v * lanes<T>);
    for (int c = 0; c < Columns; ++c) {
      sum[c][v] = load(output + c * rows + v * lanes<T>) * factor;
    }
  }
  for (Index j = 0; j < keys; ++j) {
    Lanes<T> p[Vectors];
    for (int v = 0; v < Vectors; ++v) p[v] = load(weights + v * lanes<T>);
    for (int c = 0; c < Columns; ++c) {
      const Lanes<T> number(value[c]);
      for (int v = 0; v < Vectors; ++v) sum[c][v] = multiply_add(p[v], number, sum[c][v]);
    }
    weights += rows;
    value += value_stride;
  }
  for (int c = 0; c < Columns; ++c) {
    for (int v = 0; v < Vectors; ++v) store(output + c * rows + v * lanes<T>, sum[c][v]);
  }
}

template <class T, int Vectors>
void value_tile(const T* weights, const T* value, Index value_stride, Index keys, Index value_dim,
                const T* rescale, T* output) {
  in_blocks<block_columns>(value_dim, [&](Index first, auto size) {
    value_block<T, Vectors, size()>(weights, value + first, value_stride, keys, rescale,
                                    output + first * Vectors * lanes<T>);
  });
}

}  // namespace attention
