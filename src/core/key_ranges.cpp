#include "core/key_ranges.h"

#include <algorithm>
#include <cstring>
#include <utility>

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

/// The first range that ends behind a key; those before it cannot hold it.
static auto first_ending_after(std::span<const KeyRange> ranges, Index key) {
  return std::partition_point(ranges.begin(), ranges.end(),
                              [key](const KeyRange& range) { return range.end <= key; });
}

bool contains(std::span<const KeyRange> ranges, Index key) {
  const auto range = first_ending_after(ranges, key);
  return range != ranges.end() && range->begin <= key;
}

TileKind classify(std::span<const KeyRanges> rows, Index begin, Index end) {
  bool full = true, empty = true;
  for (const KeyRanges& ranges : rows) {
    const auto range = first_ending_after(ranges, begin);
    const bool touches = range != std::span(ranges).end() && range->begin < end;
    empty &= !touches;
    full &= touches && range->begin <= begin && range->end >= end;
  }
  return empty ? TileKind::empty : full ? TileKind::full : TileKind::partial;
}

// ---- Tables -------------------------------------------------------------------------------------

RangeTable::RangeTable(Index batch, Index heads, Index rows, const WriteRow& write_row)
    : batch_(batch), heads_(heads), rows_(rows), offsets_{0} {
  numbers_.reserve(static_cast<std::size_t>(batch * heads * rows));
  KeyRanges written;
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < rows; ++i) {
        written.clear();
        write_row(b, h, i, written);
        // A row is looked for in the plane of the batch element before, in that of the head before,
        // and above it: then equal planes consist of the same row numbers.
        const std::size_t at = numbers_.size();
        const std::size_t plane = static_cast<std::size_t>(rows);
        std::uint32_t number = static_cast<std::uint32_t>(offsets_.size() - 1);
        for (const auto& [exists, back] :
             {std::pair(b > 0, plane * static_cast<std::size_t>(heads)),
              {h > 0, plane},
              {i > 0, 1}}) {
          if (!exists) continue;
          const std::uint32_t other = numbers_[at - back];
          const auto begin = ranges_.begin() + offsets_[other];
          const auto end = ranges_.begin() + offsets_[other + 1];
          if (std::equal(begin, end, written.begin(), written.end())) {
            number = other;
            break;
          }
        }
        numbers_.push_back(number);
        if (number + 1 < offsets_.size()) continue;
        ranges_.insert(ranges_.end(), written.begin(), written.end());
        offsets_.push_back(static_cast<std::uint32_t>(ranges_.size()));
      }
    }
  }
  merge_equal_planes();
}

void RangeTable::merge_equal_planes() {
  // Along an axis nothing differs when every entry equals the one `distance` before it.
  const auto differs = [this](Index length, Index distance) {
    for (Index at = 0; at < std::ssize(numbers_); ++at) {
      const bool first = at / distance % length == 0;
      if (!first && numbers_[static_cast<std::size_t>(at)] !=
                        numbers_[static_cast<std::size_t>(at - distance)]) {
        return true;
      }
    }
    return false;
  };
  // Keeps the first entry along the axis.
  const auto keep_first = [this](Index length, Index distance) {
    std::size_t kept = 0;
    for (Index at = 0; at < std::ssize(numbers_); ++at) {
      if (at / distance % length == 0) numbers_[kept++] = numbers_[static_cast<std::size_t>(at)];
    }
    numbers_.resize(kept);
  };
  if (rows_ > 1 && !differs(rows_, 1)) {
    keep_first(rows_, 1);
    rows_ = 1;
  }
  if (heads_ > 1 && !differs(heads_, rows_)) {
    keep_first(heads_, rows_);
    heads_ = 1;
  }
  if (batch_ > 1 && !differs(batch_, heads_ * rows_)) {
    keep_first(batch_, heads_ * rows_);
    batch_ = 1;
  }
  // Copies take no more than they need; shrink_to_fit() does nothing where exceptions are off.
  numbers_ = std::vector(numbers_);
  offsets_ = std::vector(offsets_);
  ranges_ = std::vector(ranges_);
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

RangeTable RangeTable::encode(const Tensor& mask, bool allowed, Index keys) {
  const View<const std::uint8_t> cells = broadcast<const std::uint8_t>(mask);
  // An axis that only repeats (length 1, or stride 0 as expanded tensors have) is one entry here.
  const auto length = [&](std::size_t axis) {
    return cells.strides[axis] == 0 ? std::min<Index>(cells.shape[axis], 1) : cells.shape[axis];
  };
  const Index stride = cells.strides[3];
  std::vector<std::uint8_t> gathered(static_cast<std::size_t>(stride > 1 || stride < 0 ? keys : 0));
  return RangeTable(length(0), length(1), length(2),
                    [&](Index b, Index h, Index i, KeyRanges& row) {
                      const std::uint8_t* values = cells.row(b, h, i);
                      if (stride == 0) {
                        if (keys > 0 && (*values != 0) == allowed) row.push_back({0, keys});
                        return;
                      }
                      if (!gathered.empty()) {
                        for (Index j = 0; j < keys; ++j)
                          gathered[static_cast<std::size_t>(j)] = values[j * stride];
                        values = gathered.data();
                      }
                      for (Index end = 0; end < keys;) {
                        const Index begin = find_cell(values, end, keys, allowed);
                        if (begin == keys) break;
                        end = find_cell(values, begin, keys, !allowed);
                        row.push_back({begin, end});
                      }
                    });
}

std::size_t RangeTable::bytes() const {
  return sizeof(RangeTable) + numbers_.capacity() * sizeof(std::uint32_t) +
         offsets_.capacity() * sizeof(std::uint32_t) + ranges_.capacity() * sizeof(KeyRange);
}

}  // namespace attention
