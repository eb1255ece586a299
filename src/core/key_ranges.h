#pragma once

// Sets of keys as sorted lists of half-open ranges, and tables of such lists.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/tensor.h"

namespace attention {

/// Keys begin ≤ j < end.
struct KeyRange {
  Index begin;
  Index end;
  bool operator==(const KeyRange&) const = default;
};

/// Sorted, disjoint, not touching, none empty: two lists are equal exactly when they allow the same
/// keys. Everything below keeps it so.
using KeyRanges = std::vector<KeyRange>;

/// Set operations, linear in the number of ranges. `result` is overwritten and must not be an
/// operand.
void intersect(std::span<const KeyRange> a, std::span<const KeyRange> b, KeyRanges& result);
void unite(std::span<const KeyRange> a, std::span<const KeyRange> b, KeyRanges& result);
/// In place: all keys of 0 ≤ j < keys that were not allowed.
void complement(KeyRanges& ranges, Index keys);

/// Adds begin ≤ j < end, as far as those keys exist. `begin` lies at or past every key in the list.
void append(KeyRanges& ranges, Index keys, std::int64_t begin, std::int64_t end);

/// The first range that ends behind a key, or ranges.end(): no range before it holds that key.
inline auto first_ending_after(std::span<const KeyRange> ranges, Index key) {
  return std::partition_point(ranges.begin(), ranges.end(),
                              [key](const KeyRange& range) { return range.end <= key; });
}

inline bool contains(std::span<const KeyRange> ranges, Index key) {
  const auto range = first_ending_after(ranges, key);
  return range != ranges.end() && range->begin <= key;
}

/// Ranges of many rows [batch, heads, rows]. Neighbours that do not differ are stored once, and an
/// axis along which nothing differs has length 1.
class RangeTable {
 public:
  using WriteRow = std::function<void(Index b, Index h, Index i, KeyRanges&)>;

  /// Asks for every row once, in order, but ends early, incomplete, where to go on might take more
  /// than `most_bytes` (0 = no limit).
  RangeTable(Index batch, Index heads, Index rows, const WriteRow& write_row,
             std::int64_t most_bytes = 0);

  /// Run-length codes a bool tensor whose axes are those of [batch, heads, rows, keys] or 1, with
  /// any strides from 0 up; `allowed` is the value that lets a key through.
  static RangeTable encode(const Tensor& mask, bool allowed, Index keys,
                           std::int64_t most_bytes = 0);

  std::span<const KeyRange> row(Index b, Index h, Index i) const {
    const Index plane = (batch_ == 1 ? 0 : b) * heads_ + (heads_ == 1 ? 0 : h);
    return distinct_row(numbers_[static_cast<std::size_t>(plane * rows_ + (rows_ == 1 ? 0 : i))]);
  }

  /// Whether all rows are there. If not, none may be read.
  bool complete() const { return complete_; }

  Index batch() const { return batch_; }
  Index heads() const { return heads_; }
  std::size_t bytes() const;

 private:
  /// Adds a row: the number of one that many rows back that is equal (0 = none), or else a new one.
  void add(std::span<const KeyRange> row, std::array<Index, 3> distances);
  /// Keeps only the first entry along an axis on which nothing differs.
  void merge_axis(Index& length, Index distance);

  std::span<const KeyRange> distinct_row(std::uint32_t number) const {
    return std::span(ranges_).subspan(offsets_[number], offsets_[number + 1] - offsets_[number]);
  }

  Index batch_, heads_, rows_;
  bool complete_ = true;
  std::vector<std::uint32_t> numbers_;  ///< [batch, heads, rows]: which of the distinct rows
  std::vector<std::size_t> offsets_;    ///< of each distinct row in ranges_, and the end
  KeyRanges ranges_;
};

}  // namespace attention
