#pragma once

// Between numbers as callers store them and as the kernels want them.

#include "core/dtype.h"
#include "core/panel.h"
#include "core/softmax.h"

namespace attention {

/// Where the numbers of a panel's rows are, one pointer for each lane. Lanes beyond the last row
/// repeat it: they compute something harmless that nobody reads.
template <class Stored>
using RowPointers =
    std::array<Stored*, static_cast<std::size_t>(panel_rows<Compute<std::remove_const_t<Stored>>>)>;

/// Those of element `column` of a view's rows.
template <class T, class Stored>
RowPointers<Stored> pointers(const PanelRows<T>& rows, const View<Stored>& view, Index column) {
  RowPointers<Stored> result;
  for (std::size_t at = 0; at < result.size(); ++at) {
    const Row& row = rows[static_cast<Index>(at)];
    result[at] = view.row(row.batch, row.head, row.query) + column * view.strides[3];
  }
  return result;
}

/// What widening takes, as vectors in memory: see ExpConstants.
struct WidenConstants {
  Repeated<float> sign = -0.0f;      ///< the highest bit alone
  Repeated<float> scale = 0x1p112f;  ///< see widen(Float16)
  Repeated<float> beyond = 0x1p16f;  ///< larger than every finite float16
  Repeated<float> infinity = std::numeric_limits<float>::infinity();
};
inline WidenConstants widen_constants;

inline Lanes<float> load_widened(const float* numbers) { return load(numbers); }
inline Lanes<double> load_widened(const double* numbers) { return load(numbers); }

inline Lanes<float> load_widened(const BFloat16* numbers) {
  return load_upper_halves(&numbers->bits);
}

/// widen(Float16), bit for bit.
inline Lanes<float> load_widened(const Float16* numbers) {
  const WidenConstants& constants = widen_constants;
  const Lanes<float> bits = load_upper_halves(&numbers->bits);
  const Lanes<float> scaled = shift_bits<1, 4>(bits) * Lanes<float>(constants.scale);
  const Lanes<float> sign = bits & Lanes<float>(constants.sign);
  const auto special = scaled >= Lanes<float>(constants.beyond);
  const Lanes<float> exponent =
      select(special, Lanes<float>(constants.infinity), Lanes<float>(0.f));
  return scaled | exponent | sign;
}

/// to[c] = from[c], widened.
template <class Stored>
void widen_row(const Stored* from, Index width, Compute<Stored>* to) {
  constexpr Index at_once = lanes<Compute<Stored>>;
  Index c = 0;
  for (; c + at_once <= width; c += at_once) store(to + c, load_widened(from + c));
  for (; c < width; ++c) to[c] = widen(from[c]);
}

/// panel[c][row] = rows[row][c·stride], c < width, widened.
template <int Vectors, class Stored, std::size_t rows_of_panel>
void gather_rows(const std::array<const Stored*, rows_of_panel>& rows, Index stride, Index width,
                 Compute<Stored>* panel) {
  using T = Compute<Stored>;
  constexpr Index panel_width = Vectors * lanes<T>;
  Index c = 0;
  if constexpr (std::is_same_v<Stored, T>) {
    for (; stride == 1 && c + lanes<T> <= width; c += lanes<T>) {
      for (int v = 0; v < Vectors; ++v) {
        Lanes<T> square[lanes<T>];
        for (Index r = 0; r < lanes<T>; ++r) {
          square[r] = load(rows[static_cast<std::size_t>(v * lanes<T> + r)] + c);
        }
        transpose<T>(square);
        for (Index r = 0; r < lanes<T>; ++r) {
          store(panel + (c + r) * panel_width + v * lanes<T>, square[r]);
        }
      }
    }
  }
  for (; c < width; ++c) {
    for (Index row = 0; row < panel_width; ++row) {
      panel[c * panel_width + row] = widen(rows[static_cast<std::size_t>(row)][c * stride]);
    }
  }
}

/// rows[row][c·stride] = panel[c][row]·factor[row], narrowed, for the first `count` rows.
template <int Vectors, class Stored, std::size_t rows_of_panel>
void scatter_rows(const Compute<Stored>* panel, const Compute<Stored>* factor, Index count,
                  Index width, const std::array<Stored*, rows_of_panel>& rows, Index stride) {
  using T = Compute<Stored>;
  constexpr Index panel_width = Vectors * lanes<T>;
  Index c = 0;
  if constexpr (std::is_same_v<Stored, T>) {
    for (; stride == 1 && count == panel_width && c + lanes<T> <= width; c += lanes<T>) {
      for (int v = 0; v < Vectors; ++v) {
        Lanes<T> square[lanes<T>];
        for (Index r = 0; r < lanes<T>; ++r) {
          square[r] =
              load(panel + (c + r) * panel_width + v * lanes<T>) * load(factor + v * lanes<T>);
        }
        transpose<T>(square);
        for (Index r = 0; r < lanes<T>; ++r) {
          store(rows[static_cast<std::size_t>(v * lanes<T> + r)] + c, square[r]);
        }
      }
    }
  }
  for (; c < width; ++c) {
    for (Index row = 0; row < count; ++row) {
      rows[static_cast<std::size_t>(row)][c * stride] =
          narrow<Stored>(panel[c * panel_width + row] * factor[row]);
    }
  }
}

/// Keys or values `first` … `first + count` of one head as value_tile() and score_tile() read them.
template <class T>
struct TileRows {
  const T* data;
  Index stride;
};

/// They are used where they lie if they can be, else widened and copied to `copy` [count][width].
template <class Stored>
TileRows<Compute<Stored>> tile_rows(const View<const Stored>& view, Index b, Index h, Index first,
                                    Index count, Compute<Stored>* copy) {
  const Index width = view.shape[3];
  if constexpr (std::is_same_v<Stored, Compute<Stored>>) {
    if (width <= 1 || view.strides[3] == 1) return {view.row(b, h, first), view.strides[2]};
  }
  for (Index j = 0; j < count; ++j) {
    const Stored* row = view.row(b, h, first + j);
    if (view.strides[3] == 1) {
      widen_row(row, width, copy + j * width);
      continue;
    }
    for (Index c = 0; c < width; ++c) copy[j * width + c] = widen(row[c * view.strides[3]]);
  }
  return {copy, width};
}

}  // namespace attention
