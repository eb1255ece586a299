#pragma once

// Sets of keys as sorted lists of half-open ranges, and tables of such lists.

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

bool contains(std::span<const KeyRange> ranges, Index key);

enum class TileKind { empty, partial, full };

/// How the rows of a tile see its keys begin ≤ j < end. `rows` are their ranges.
TileKind classify(std::span<const KeyRanges> rows, Index begin, Index end);

/// Ranges of many rows [batch, heads, rows]. Neighbours that do not differ are stored once, and an
/// axis along which nothing differs has length 1.
class RangeTable {
 public:
  using WriteRow = std::function<void(Index b, Index h, Index i, KeyRanges&)>;

  /// Asks for every row once, in order.
  RangeTable(Index batch, Index heads, Index rows, const WriteRow& write_row);

  /// Run-length codes a bool tensor whose axes are those of [batch, heads, rows, keys] or 1, with
  /// any strides; `allowed` is the value that lets a key through.
  static RangeTable encode(const Tensor& mask, bool allowed, Index keys);

  std::span<const KeyRange> row(Index b, Index h, Index i) const {
    const Index plane = (batch_ == 1 ? 0 : b) * heads_ + (heads_ == 1 ? 0 : h);
    const std::size_t at = static_cast<std::size_t>(plane * rows_ + (rows_ == 1 ? 0 : i));
    const std::uint32_t begin = offsets_[numbers_[at]], end = offsets_[numbers_[at] + 1];
    return {ranges_.data() + begin, end - begin};
  }

  Index batch() const { return batch_; }
  Index heads() const { return heads_; }
  std::size_t bytes() const;

 private:
  void merge_equal_planes();

  Index batch_, heads_, rows_;
  std::vector<std::uint32_t> numbers_;  ///< [batch, heads, rows]: which of the distinct rows
  std::vector<std::uint32_t> offsets_;  ///< of each distinct row in ranges_, and the end
  KeyRanges ranges_;
};

}  // namespace attention
