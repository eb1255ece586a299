#pragma once

// Strided views of memory that somebody else owns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "core/dtype.h"

namespace attention {

/// Indexes what is in memory. Sizes that have not been checked yet are std::int64_t instead, so
/// that a product of them does not wrap in a 32-bit address space.
using Index = std::ptrdiff_t;

/// a·b, or the largest number there is where that is too large. a, b ≥ 0; of others, some number.
inline std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  // WebAssembly has no multiply with overflow.
  if (static_cast<std::uint64_t>(a | b) < std::uint64_t{1} << 31) return a * b;
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                : product;
}

/// a + b, or the largest number there is where that is too large. a, b ≥ 0.
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

using Shape = std::array<std::int64_t, 4>;

/// The elements of a shape, or the largest number there is where they are more.
inline std::int64_t count(const Shape& shape) {
  for (const std::int64_t length : shape) {
    if (length == 0) return 0;
  }
  return saturating_product(saturating_product(shape[0], shape[1]),
                            saturating_product(shape[2], shape[3]));
}

/// Row-major strides of a shape.
inline Shape row_major(const Shape& shape) {
  return {count({1, shape[1], shape[2], shape[3]}), count({1, 1, shape[2], shape[3]}), shape[3], 1};
}

/// A tensor as it comes from the caller: type-erased, not checked.
/// A rank below 4 is aligned right: shape [T, d] is stored as 1×1×T×d with rank 2.
struct Tensor {
  void* data = nullptr;
  DType dtype = DType::float32;
  int rank = 4;
  Shape shape = {1, 1, 1, 1};
  Shape strides = {0, 0, 0, 0};  ///< in elements; an axis of length 1 may have any
  std::int64_t length = -1;  ///< elements that can be read from `data` on; −1: the caller vouches
  bool strided = false;  ///< strides were given; else `data` holds the shape's elements, no more

  std::int64_t size() const { return count(shape); }
};

/// "1×8×128×64", only the axes the caller gave.
inline std::string shape_text(const Tensor& tensor) {
  std::string text;
  for (int axis = tensor.rank < 4 ? 4 - tensor.rank : 0; axis < 4; ++axis) {
    if (!text.empty()) text += "×";
    text += std::to_string(tensor.shape[static_cast<std::size_t>(axis)]);
  }
  return text;
}

/// A typed view [batch, heads, length, dim] of a checked tensor. A stride of 0 repeats an axis.
template <class T>
struct View {
  T* data = nullptr;
  std::array<Index, 4> shape = {};
  std::array<Index, 4> strides = {};

  T* row(Index b, Index h, Index i) const {
    return data + b * strides[0] + h * strides[1] + i * strides[2];
  }
  T& operator()(Index b, Index h, Index i, Index j) const { return row(b, h, i)[j * strides[3]]; }
};

template <class T>
View<T> view(const Tensor& tensor) {
  View<T> result;
  result.data = static_cast<T*>(tensor.data);
  for (std::size_t axis = 0; axis < 4; ++axis) {
    result.shape[axis] = static_cast<Index>(tensor.shape[axis]);
    result.strides[axis] = static_cast<Index>(tensor.strides[axis]);
  }
  return result;
}

/// The view with every axis of length 1 repeated (stride 0), to be indexed as [B, H, T, S].
template <class T>
View<T> broadcast(const Tensor& tensor) {
  View<T> result = view<T>(tensor);
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (result.shape[axis] == 1) result.strides[axis] = 0;
  }
  return result;
}

/// The sizes of one call, after check().
struct Sizes {
  Index batch = 1;
  Index heads = 1;
  Index kv_heads = 1;   ///< at least 1, so that it can divide
  Index queries = 0;    ///< T
  Index keys = 0;       ///< S
  Index head_dim = 0;   ///< d_k
  Index value_dim = 0;  ///< d_v

  /// The key/value head that query head h reads.
  Index kv_head(Index h) const { return h / (heads / kv_heads); }
};

}  // namespace attention
