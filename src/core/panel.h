#pragma once

// A panel's rows and the keys that they may read.

#include <algorithm>

#include "core/mask.h"
#include "core/tile.h"

namespace attention {

/// The part of a tile that some row of the panel may read: begin ≤ j < end, empty if begin = end.
struct Span {
  Index begin = 0;
  Index end = 0;
  bool full = false;  ///< every row may read all of it

  bool empty() const { return begin >= end; }
};

/// Up to panel_rows<T> queries that read the same head of keys.
template <class T>
class PanelRows {
 public:
  static constexpr std::size_t most = static_cast<std::size_t>(panel_rows<T>);

  /// Starts anew with no row.
  void clear() { count_ = 0; }

  void add(const Row& row) { rows_[static_cast<std::size_t>(count_++)] = row; }

  /// Fills the lanes left over with the last row.
  void close() {
    std::fill(rows_.begin() + count_, rows_.end(), rows_[static_cast<std::size_t>(count_ - 1)]);
  }

  /// Asks the mask for the rows' keys and finds what they have in common.
  void find_keys(const Mask& mask) {
    lists_ = mask.allows_everything() ? 1 : static_cast<std::size_t>(count_);
    reach_ = {std::numeric_limits<Index>::max(), 0};
    common_ = {0, std::numeric_limits<Index>::max()};
    for (std::size_t at = 0; at < lists_; ++at) {
      KeyRanges& ranges = ranges_[at];
      mask.row(rows_[at].batch, rows_[at].head, rows_[at].query, ranges);
      if (ranges.size() != 1) common_.end = 0;
      if (ranges.empty()) continue;
      reach_.begin = std::min(reach_.begin, ranges.front().begin);
      reach_.end = std::max(reach_.end, ranges.back().end);
      common_.begin = std::max(common_.begin, ranges.front().begin);
      common_.end = std::min(common_.end, ranges.front().end);
    }
  }

  Index count() const { return count_; }
  int vectors() const { return count_ <= lanes<T> ? 1 : 2; }

  /// f(1) or f(2) with the number of vectors as a constant.
  template <class F>
  void with_vectors(F&& f) const {
    vectors() == 1 ? f(std::integral_constant<int, 1>{}) : f(std::integral_constant<int, 2>{});
  }

  const Row& operator[](Index row) const { return rows_[static_cast<std::size_t>(row)]; }
  const KeyRanges& ranges(Index row) const {
    return ranges_[std::min(static_cast<std::size_t>(row), lists_ - 1)];
  }
  bool allows(Index row, Index key) const { return contains(ranges(row), key); }
  bool allows_any(Index row) const { return !ranges(row).empty(); }

  /// From the first to the last key that some row may read.
  KeyRange reach() const { return reach_; }

  /// What of the keys [begin, end) must be computed.
  Span span(Index begin, Index end) const {
    begin = std::max(begin, reach_.begin);
    end = std::min(end, reach_.end);
    if (begin >= end) return {};
    if (begin >= common_.begin && end <= common_.end) return {begin, end, true};

    Span span{end, begin, true};
    for (const std::span<const KeyRange> ranges : std::span(ranges_).first(lists_)) {
      const auto first = first_ending_after(ranges, begin);
      if (first == ranges.end() || first->begin >= end) continue;
      const auto last = std::prev(
          std::lower_bound(first, ranges.end(), end,
                           [](const KeyRange& range, Index key) { return range.begin < key; }));
      span.begin = std::min(span.begin, std::max(begin, first->begin));
      span.end = std::max(span.end, std::min(end, last->end));
    }
    if (span.empty()) return {};
    for (const std::span<const KeyRange> ranges : std::span(ranges_).first(lists_)) {
      const auto first = first_ending_after(ranges, span.begin);
      span.full &= first != ranges.end() && first->begin <= span.begin && first->end >= span.end;
    }
    return span;
  }

  /// f(begin, end) for what a row may read of the span.
  template <class F>
  void for_allowed(Index row, const Span& span, F&& f) const {
    const std::span<const KeyRange> ranges = this->ranges(row);
    for (auto range = first_ending_after(ranges, span.begin);
         range != ranges.end() && range->begin < span.end; ++range) {
      f(std::max(range->begin, span.begin), std::min(range->end, span.end));
    }
  }

  /// f(begin, end) for what it may not read.
  template <class F>
  void for_blocked(Index row, const Span& span, F&& f) const {
    Index done = span.begin;
    for_allowed(row, span, [&](Index begin, Index end) {
      if (done < begin) f(done, begin);
      done = end;
    });
    if (done < span.end) f(done, span.end);
  }

 private:
  Index count_ = 0;
  std::array<Row, most> rows_;
  std::size_t lists_ = 1;  ///< of those below: one for each row, or one that is every row's
  std::array<KeyRanges, most> ranges_;
  KeyRange reach_ = {0, 0};
  KeyRange common_ = {0, 0};
};

}  // namespace attention
