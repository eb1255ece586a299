#pragma once

// The two matrix products of attention, on one tile, for the few queries of a step of decoding: a
// panel of one vector, or a single query. They give the bits of tile.h.
//
// Reading keys and values is most of the work then, and processors read ahead only where numbers
// are asked for in the order in which they lie, and only to the end of a page:
//
// - Keys are taken from 8 places of the tile at once, so that the waiting at the beginnings of
// pages
//   is for several together.
// - Values are taken row by row, with the lanes along the columns. For that the output is turned:
//   [⌊d_v / lanes⌋][row][lanes], and the rest of the width as in tile.h, [d_v mod lanes][row].

#include "core/tile.h"

namespace attention {

/// score_tile() for a panel of one vector.
template <class T>
void score_few(const T* query, const T* key, Index key_stride, Index keys, Index head_dim, T scale,
               T* scores, T* tile_max);

/// value_tile() for the first `Rows` rows of a panel of one vector, whose output is turned.
template <class T, int Rows>
void value_few(const T* weights, const T* value, Index value_stride, Index keys, Index value_dim,
               const T* rescale, T* output);

/// Turns the output of a panel of one vector, or turns it back.
template <class T>
void turn(T* output, Index value_dim);

/// Reads what lies at the beginnings of pages, and of their halves, so that the processor goes on.
template <class T>
void read_ahead(const T* rows, Index stride, Index count);

// ---- How ----------------------------------------------------------------------------------------

template <class T, int Keys>
[[gnu::noinline]] void score_apart(const T* query, const T* key, Index apart, Index head_dim,
                                   T scale, T* scores, Index scores_apart, T* tile_max) {
  Lanes<T> sum[Keys];
  const T* k[Keys];
  for (int j = 0; j < Keys; ++j) {
    sum[j] = Lanes<T>(T(0));
    k[j] = key + j * apart;
  }
  const auto add_column = [&](int c) {
    const Lanes<T> q = load(query + c * lanes<T>);
    for (int j = 0; j < Keys; ++j) sum[j] = multiply_add(q, Lanes<T>(k[j][c]), sum[j]);
  };
  for (Index c = 1; c < head_dim; c += 2) {
    add_column(0);
    keep_order();
    add_column(1);
    query += 2 * lanes<T>;
    for (int j = 0; j < Keys; ++j) k[j] += 2;
  }
  if (head_dim % 2) add_column(0);
  Lanes<T> largest = load(tile_max);
  for (int j = 0; j < Keys; ++j) {
    const Lanes<T> scaled = sum[j] * Lanes<T>(scale);
    store(scores + j * scores_apart, scaled);
    largest = at_least(largest, scaled);
  }
  store(tile_max, largest);
}

template <class T>
[[gnu::noinline]] void score_few(const T* query, const T* key, Index key_stride, Index keys,
                                 Index head_dim, T scale, T* scores, T* tile_max) {
  constexpr int places = 8;
  for (Index row = 0; row < lanes<T>; ++row) tile_max[row] = -std::numeric_limits<T>::infinity();
  const Index apart = keys / places, rest = places * apart;
  for (Index j = 0; j < apart; ++j) {
    score_apart<T, places>(query, key + j * key_stride, apart * key_stride, head_dim, scale,
                           scores + j * lanes<T>, apart * lanes<T>, tile_max);
  }
  for (Index j = rest; j < keys; ++j) {
    score_apart<T, 1>(query, key + j * key_stride, 0, head_dim, scale, scores + j * lanes<T>, 0,
                      tile_max);
  }
}

template <class T, int Rows, int Keys>
[[gnu::noinline]] void value_rows(const T* weights, const T* value, Index value_stride,
                                  Index value_dim, T* output) {
  constexpr Index width = lanes<T>;
  Lanes<T> weight[Keys][Rows];
  const T* v[Keys];
  for (int j = 0; j < Keys; ++j) {
    v[j] = value + j * value_stride;
    for (int row = 0; row < Rows; ++row) weight[j][row] = Lanes<T>(weights[j * width + row]);
  }
  Index c = 0;
  for (; c + width <= value_dim; c += width, output += width * width) {
    Lanes<T> numbers[Keys];
    for (int j = 0; j < Keys; ++j) {
      numbers[j] = load(v[j]);
      v[j] += width;
    }
    for (int row = 0; row < Rows; ++row) {
      Lanes<T> sum = load(output + row * width);
      for (int j = 0; j < Keys; ++j) sum = multiply_add(weight[j][row], numbers[j], sum);
      store(output + row * width, sum);
    }
  }
  for (; c < value_dim; ++c, output += width) {
    Lanes<T> sum = load(output);
    for (int j = 0; j < Keys; ++j) {
      sum = multiply_add(load(weights + j * width), Lanes<T>(*v[j]++), sum);
    }
    store(output, sum);
  }
}

/// output[c][row] *= rescale[row]
template <class T>
void rescale_rows(const T* rescale, Index value_dim, T* output) {
  constexpr Index width = lanes<T>;
  const Lanes<T> factors = load(rescale);
  if (!any<T>(factors != Lanes<T>(T(1)))) return;
  Index c = 0;
  for (; c + width <= value_dim; c += width) {
    for (Index row = 0; row < width; ++row, output += width) {
      store(output, load(output) * Lanes<T>(rescale[row]));
    }
  }
  for (; c < value_dim; ++c, output += width) store(output, load(output) * factors);
}

template <class T, int Rows>
[[gnu::noinline]] void value_few(const T* weights, const T* value, Index value_stride, Index keys,
                                 Index value_dim, const T* rescale, T* output) {
  constexpr int at_once = Rows == 1 ? 4 : 3;
  rescale_rows(rescale, value_dim, output);
  Index j = 0;
  for (; j + at_once <= keys; j += at_once) {
    value_rows<T, Rows, at_once>(weights + j * lanes<T>, value + j * value_stride, value_stride,
                                 value_dim, output);
  }
  for (; j < keys; ++j) {
    value_rows<T, Rows, 1>(weights + j * lanes<T>, value + j * value_stride, 0, value_dim, output);
  }
}

template <class T>
void turn(T* output, Index value_dim) {
  for (Index c = 0; c + lanes<T> <= value_dim; c += lanes<T>, output += lanes<T> * lanes<T>) {
    Lanes<T> square[lanes<T>];
    for (Index n = 0; n < lanes<T>; ++n) square[n] = load(output + n * lanes<T>);
    transpose<T>(square);
    for (Index n = 0; n < lanes<T>; ++n) store(output + n * lanes<T>, square[n]);
  }
}

template <class T>
void read_ahead(const T* rows, Index stride, Index count) {
  constexpr Index line = 64 / sizeof(T), half_page = 32 * line, lines = 4;
  const T* end = rows + (count - 1) * stride;
  for (; end - rows > lines * line; rows += half_page) {
    for (Index n = 0; n < lines; ++n) (void)*static_cast<const volatile T*>(rows + n * line);
  }
}

}  // namespace attention
