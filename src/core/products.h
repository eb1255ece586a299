#pragma once

// The two matrix products of a tile, by the kernels that suit the call: those of decode.h where
// each head of keys has few queries, else those of tile.h.

#include "core/decode.h"
#include "core/pack.h"

namespace attention {

template <class T>
class Products {
 public:
  /// `most_rows`: of a block in this call. It decides, not how many rows are at hand now, so that a
  /// row always has the same kernels.
  Products(Index head_dim, Index value_dim, T scale, Index most_rows)
      : head_dim_(head_dim), value_dim_(value_dim), scale_(scale), most_rows_(most_rows) {}

  /// Called before a tile is used: reads what would be waited for.
  void read_tile(const TileRows<T>& keys, const TileRows<T>& values, Index count) const {
    if (few()) {
      read_ahead(values.data, values.stride, count);
    } else if (one_panel()) {
      read_once(keys, count, head_dim_);
    }
  }

  /// scores [count][rows] = scale·K·Qᵀ and their maxima.
  template <int Vectors>
  void scores(const T* query, const TileRows<T>& keys, Index count, T* scores, T* tile_max) const {
    if (Vectors == 1 && few()) {
      score_few(query, keys.data, keys.stride, count, head_dim_, scale_, scores, tile_max);
    } else {
      score_tile<T, Vectors>(query, keys.data, keys.stride, count, head_dim_, scale_, scores,
                             tile_max);
    }
  }

  /// output = output·rescale + weights·V. The output is to be finished when all is added.
  template <int Vectors>
  void add_values(const T* weights, const TileRows<T>& values, Index count, const T* rescale,
                  T* output) const {
    const auto [value, stride] = values;
    if (Vectors == 1 && most_rows_ == 1) {
      value_few<T, 1>(weights, value, stride, count, value_dim_, rescale, output);
    } else if (Vectors == 1 && few()) {
      value_few<T, lanes<T>>(weights, value, stride, count, value_dim_, rescale, output);
    } else {
      if (one_panel()) read_once(values, count, value_dim_);
      value_tile<T, Vectors>(weights, value, stride, count, value_dim_, rescale, output);
    }
  }

  /// Where number c of a row stands in an output that is not finished.
  template <int Vectors>
  Index place(Index c, Index row) const {
    constexpr Index width = lanes<T>;
    const Index turned = few() ? value_dim_ / width * width : 0;
    return c < turned ? (c / width * width + row) * width + c % width : c * Vectors * width + row;
  }

  /// Leaves an output as [d_v][rows].
  void finish(T* output) const {
    if (few()) turn(output, value_dim_);
  }

 private:
  bool few() const { return most_rows_ <= lanes<T>; }
  bool one_panel() const { return most_rows_ <= panel_rows<T>; }

  /// Brings rows into the cache in the order in which they lie in memory, as processors expect: the
  /// kernels of tile.h read many side by side, which is slower where memory is the limit. Called
  /// just before, so that nothing pushes them out.
  static void read_once(const TileRows<T>& rows, Index count, Index width) {
    constexpr Index line = 64 / sizeof(T);
    for (Index j = 0; j < count; ++j) {
      for (Index c = 0; c < width; c += line) {
        (void)*static_cast<const volatile T*>(rows.data + j * rows.stride + c);
      }
    }
  }

  Index head_dim_, value_dim_;
  T scale_;
  Index most_rows_;
};

}  // namespace attention
