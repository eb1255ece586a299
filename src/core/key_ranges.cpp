#include "core/key_ranges.h"

#include <algorithm>
#include <cstring>

namespace attention {

// ---- Sets of keys -------------------------------------------------------------------------------

void intersect(std::span<const KeyRange> a, std::span<const KeyRange> b, KeyRanges& result) {
  result.clear();
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const Index begin = std::max(x->begin, y->begin);
    const Index end = std::min(x->end, y->end);
    if (begin < end) result.push_back({begin, end});
    if (x->end < y->end) {
      ++x;
    } else {
      ++y;
    }
  }
}

void unite(std::span<const KeyRange> a, std::span<const KeyRange> b, KeyRanges& result) {
  result.clear();
  for (auto x = a.begin(), y = b.begin(); x != a.end() || y != b.end();) {
    const bool from_a = y == b.end() || (x != a.end() && x->begin < y->begin);
    const KeyRange next = from_a ? *x++ : *y++;
    if (!result.empty() && next.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, next.end);
    } else {
      result.push_back(next);
    }
  }
}

void complement(KeyRanges& ranges, Index keys) {
  // Each range leaves at most one gap before it, so gaps never overtake the ranges they replace.
  std::size_t gaps = 0;
  Index begin = 0;
  for (const KeyRange range : ranges) {
    if (begin < range.begin) ranges[gaps++] = {begin, range.begin};
    begin = range.end;
  }
  ranges.resize(gaps);
  if (begin < keys) ranges.push_back({begin, keys});
}

void append(KeyRanges& ranges, Index keys, std::int64_t begin, std::int64_t end) {
  const Index first = static_cast<Index>(std::clamp<std::int64_t>(begin, 0, keys));
  const Index last = static_cast<Index>(std::clamp<std::int64_t>(end, 0, keys));
  if (first >= last) return;
  if (!ranges.empty() && ranges.back().end == first) {
    ranges.back().end = last;
  } else {
    ranges.push_back({first, last});
  }
}

// ---- Tables -------------------------------------------------------------------------------------

RangeTable::RangeTable(Index batch, Index heads, Index rows, const WriteRow& write_row,
                       std::int64_t most_bytes)
    : batch_(batch), heads_(heads), rows_(rows), offsets_{0} {
  // A vector that grows takes three times what it holds, and in a heap that cannot shrink the
  // pieces it grew out of are too small for it.
  const auto fits = [&] {
    return most_bytes == 0 || static_cast<std::int64_t>(bytes()) <= most_bytes / 6;
  };
  KeyRanges row;
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < rows; ++i) {
        row.clear();
        write_row(b, h, i, row);
        // First where equal planes would have it, so that these get the same numbers throughout.
        add(row, {b > 0 ? heads * rows : 0, h > 0 ? rows : 0, i > 0 ? 1 : 0});
        complete_ = fits();
        if (!complete_) return;
      }
    }
  }
  merge_axis(rows_, 1);
  merge_axis(heads_, rows_);
  merge_axis(batch_, heads_ * rows_);
  // Copies take no more than they need; shrink_to_fit() does nothing where exceptions are off.
  numbers_ = std::vector(numbers_);
  offsets_ = std::vector(offsets_);
  ranges_ = std::vector(ranges_);
}

void RangeTable::add(std::span<const KeyRange> row, std::array<Index, 3> distances) {
  for (const Index distance : distances) {
    if (distance == 0) continue;
    const std::uint32_t number = numbers_[numbers_.size() - static_cast<std::size_t>(distance)];
    if (!std::ranges::equal(distinct_row(number), row)) continue;
    numbers_.push_back(number);
    return;
  }
  numbers_.push_back(static_cast<std::uint32_t>(offsets_.size() - 1));
  ranges_.insert(ranges_.end(), row.begin(), row.end());
  offsets_.push_back(ranges_.size());
}

void RangeTable::merge_axis(Index& length, Index distance) {
  const std::size_t step = static_cast<std::size_t>(distance);
  const auto is_first = [&](std::size_t at) {
    return at / step % static_cast<std::size_t>(length) == 0;
  };
  for (std::size_t at = 0; at < numbers_.size(); ++at) {
    if (!is_first(at) && numbers_[at] != numbers_[at - step]) return;
  }
  std::size_t kept = 0;
  for (std::size_t at = 0; at < numbers_.size(); ++at) {
    if (is_first(at)) numbers_[kept++] = numbers_[at];
  }
  numbers_.resize(kept);
  length = std::min<Index>(length, 1);
}

/// The first of the cells from … keys whose truth is `truth`; keys when there is none.
static Index find_cell(const std::uint8_t* cells, Index from, Index keys, bool truth) {
  if (!truth) {
    const void* found = std::memchr(cells + from, 0, static_cast<std::size_t>(keys - from));
    return found ? static_cast<const std::uint8_t*>(found) - cells : keys;
  }
  for (std::uint64_t word; from + 8 <= keys; from += 8) {
    std::memcpy(&word, cells + from, 8);
    if (word != 0) break;
  }
  while (from < keys && cells[from] == 0) ++from;
  return from;
}

RangeTable RangeTable::encode(const Tensor& mask, bool allowed, Index keys,
                              std::int64_t most_bytes) {
  const View<const std::uint8_t> cells = broadcast<const std::uint8_t>(mask);
  const Index stride = cells.strides[3];
  std::vector<std::uint8_t> gathered(static_cast<std::size_t>(stride > 1 ? keys : 0));
  const auto write_row = [&](Index b, Index h, Index i, KeyRanges& row) {
    const std::uint8_t* values = cells.row(b, h, i);
    if (keys == 0) return;
    if (stride == 0) {
      if ((*values != 0) == allowed) row.push_back({0, keys});
      return;
    }
    if (stride > 1) {
      for (Index j = 0; j < keys; ++j) gathered[static_cast<std::size_t>(j)] = values[j * stride];
      values = gathered.data();
    }
    for (Index begin = find_cell(values, 0, keys, allowed); begin < keys;) {
      const Index end = find_cell(values, begin, keys, !allowed);
      row.push_back({begin, end});
      begin = find_cell(values, end, keys, allowed);
    }
  };
  // An axis that only repeats (length 1, or stride 0 as expanded tensors have) is read once.
  const auto length = [&](std::size_t axis) {
    return cells.strides[axis] == 0 ? std::min<Index>(cells.shape[axis], 1) : cells.shape[axis];
  };
  return RangeTable(length(0), length(1), length(2), write_row, most_bytes);
}

std::size_t RangeTable::bytes() const {
  return sizeof(RangeTable) + numbers_.size() * sizeof(numbers_[0]) +
         offsets_.size() * sizeof(offsets_[0]) + ranges_.size() * sizeof(ranges_[0]);
}

}  // namespace attention
