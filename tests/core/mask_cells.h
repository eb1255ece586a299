#pragma once

// Compares masks with predicates over single cells, which share nothing with ranges.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/mask.h"

namespace attention {

using Allows = std::function<bool(Index b, Index h, Index i, Index j)>;

inline std::string text(const KeyRanges& ranges) {
  std::string result;
  for (const KeyRange& range : ranges) {
    result += "[" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")";
  }
  return result.empty() ? "none" : result;
}

/// The ranges of the keys for which f(j).
template <class F>
KeyRanges ranges_where(Index keys, F f) {
  KeyRanges ranges;
  for (Index j = 0; j < keys; ++j) {
    if (!f(j)) continue;
    if (j > 0 && f(j - 1)) {
      ++ranges.back().end;
    } else {
      ranges.push_back({j, j + 1});
    }
  }
  return ranges;
}

/// The first thing in which a mask differs from a predicate, or "". Looks at every row, the counts,
/// what varies, and the rules' own errors.
inline std::string difference(const std::vector<Rule>& rules, const MaskShape& shape,
                              const Allows& allows) {
  if (Error error = check_mask(rules, shape)) return error.message;
  const Mask mask(rules, shape);
  std::int64_t allowed = 0, empty = 0;
  KeyRanges row, first;
  for (Index b = 0; b < shape.batch; ++b) {
    KeyRange reach = {shape.keys, 0};
    for (Index h = 0; h < shape.heads; ++h) {
      for (Index i = 0; i < shape.queries; ++i) {
        const std::string cell = "row " + std::to_string(b) + " " + std::to_string(h) + " " +
                                 std::to_string(i) + " of " + std::to_string(shape.queries) + "×" +
                                 std::to_string(shape.keys) + " from " +
                                 std::to_string(shape.position(b, 0)) + ": ";
        const KeyRanges wanted =
            ranges_where(shape.keys, [&](Index j) { return allows(b, h, i, j); });
        mask.row(b, h, i, row);
        if (row != wanted) return cell + text(row) + " is not " + text(wanted);
        for (const KeyRange& range : wanted) {
          allowed += range.end - range.begin;
          reach = {std::min(reach.begin, range.begin), std::max(reach.end, range.end)};
        }
        empty += wanted.empty();
        mask.row(mask.varies_by_batch() ? b : 0, mask.varies_by_head() ? h : 0, i, first);
        if (row != first) return cell + "differs, but is said not to";
        for (Index j = 0; j < shape.keys; ++j) {
          if (mask.cause(b, h, i, j).empty() != allows(b, h, i, j)) return cell + "wrong cause";
        }
      }
    }
    if (!mask.allows_everything() && mask.reach(b) != reach) {
      return "batch element " + std::to_string(b) + " reaches " + text({mask.reach(b)}) + ", not " +
             text({reach});
    }
  }
  if (mask.allowed_cells() != allowed) {
    return std::to_string(mask.allowed_cells()) + " cells are not " + std::to_string(allowed);
  }
  if (mask.empty_rows() != empty) {
    return std::to_string(mask.empty_rows()) + " empty rows are not " + std::to_string(empty);
  }
  return "";
}

/// A bool tensor that owns its cells, row-major.
struct Bools {
  std::vector<std::uint8_t> cells;
  Tensor tensor;

  explicit Bools(std::vector<std::int64_t> shape) {
    tensor.dtype = DType::boolean;
    tensor.rank = static_cast<int>(shape.size());
    std::copy(shape.begin(), shape.end(), tensor.shape.end() - tensor.rank);
    tensor.strides = row_major(tensor.shape);
    cells.resize(static_cast<std::size_t>(tensor.size()) + 1);  // never a null pointer
    tensor.data = cells.data();
  }
  Bools(const Bools&) = delete;

  std::uint8_t& at(Index b, Index h, Index i, Index j) const {
    return broadcast<std::uint8_t>(tensor)(b, h, i, j);
  }
};

}  // namespace attention
