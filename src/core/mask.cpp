#include "core/mask.h"

#include <algorithm>

#include "core/rules.h"

namespace attention {
namespace {

/// A list for the duration of one row, kept by its thread so that later rows allocate nothing.
class Scratch {
 public:
  Scratch() {
    if (pool.empty()) return;
    ranges = std::move(pool.back());
    pool.pop_back();
  }
  ~Scratch() { pool.push_back(std::move(ranges)); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  KeyRanges ranges;

 private:
  static thread_local std::vector<KeyRanges> pool;
};

thread_local std::vector<KeyRanges> Scratch::pool;

void rule_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  result.clear();
  rule.kind->ranges(rule, shape, row, result);
}

/// Calls f with a rule and every rule inside it; a rule comes after those inside it.
template <class AnyRule, class F>
void visit(AnyRule& rule, const F& f) {
  for (auto& argument : rule.arguments) {
    if (auto* of = std::get_if<std::vector<Rule>>(&argument)) {
      for (auto& inner : *of) visit(inner, f);
    }
  }
  f(rule);
}

template <class List>
bool all_equal(const List& list) {
  return std::adjacent_find(list.begin(), list.end(), std::not_equal_to<>()) == list.end();
}

/// Whether batch elements have different numbers in a field.
bool differs_by_batch(const RuleField& field, const Argument& argument) {
  const Numbers* numbers = std::get_if<Numbers>(&argument);
  if (!numbers || !field.numbers.per_batch || numbers->rank < field.numbers.max_rank) return false;
  return numbers->rank == 1 ? !all_equal(numbers->lists[0]) : !all_equal(numbers->lists);
}

}  // namespace

void combine_rows(std::span<const Rule> rules, decltype(intersect)* combine, const MaskShape& shape,
                  const Row& row, KeyRanges& result) {
  rule_row(rules.front(), shape, row, result);
  if (rules.size() == 1) return;
  Scratch next, combined;
  for (const Rule& rule : rules.subspan(1)) {
    rule_row(rule, shape, row, next.ranges);
    combine(result, next.ranges, combined.ranges);
    result.swap(combined.ranges);
  }
}

bool uses_positions(const std::vector<Rule>& rules) {
  bool uses = false;
  for (const Rule& rule : rules) {
    visit(rule, [&](const Rule& each) { uses |= each.kind->uses_positions; });
  }
  return uses;
}

Mask::Mask(std::vector<Rule> rules, MaskShape shape)
    : rules_(std::move(rules)), shape_(std::move(shape)) {
  const bool starts_differ = !all_equal(shape_.start);
  for (Rule& rule : rules_) {
    visit(rule, [&](Rule& each) {
      if (!complete_) return;
      if (each.kind->compile) each.kind->compile(each, shape_);
      if (each.table) {
        complete_ = each.table->complete();
        if (shape_.most_bytes != 0) {  // for the tables to come
          shape_.most_bytes -= static_cast<std::int64_t>(each.table->bytes());
          shape_.most_bytes = std::max<std::int64_t>(shape_.most_bytes, 1);
        }
      }
      varies_by_batch_ |= each.kind->uses_positions && starts_differ;
      varies_by_batch_ |= each.table && each.table->batch() > 1;
      varies_by_head_ |= each.table && each.table->heads() > 1;
      for (std::size_t at = 0; at < each.arguments.size(); ++at) {
        varies_by_batch_ |= differs_by_batch(each.kind->fields[at], each.arguments[at]);
      }
    });
  }
  if (complete_) count();
}

void Mask::row(Index b, Index h, Index i, KeyRanges& result) const {
  if (rules_.empty()) {
    result.clear();
    append(result, shape_.keys, 0, shape_.keys);
    return;
  }
  combine_rows(rules_, intersect, shape_, {b, h, i, shape_.position(b, i)}, result);
}

std::vector<RuleRow> Mask::rule_rows(Index b, Index h, Index i) const {
  std::vector<RuleRow> rows;
  for (const Rule& rule : rules_) {
    RuleRow& row = rows.emplace_back(RuleRow{rule.kind->name, {}});
    rule_row(rule, shape_, {b, h, i, shape_.position(b, i)}, row.ranges);
  }
  return rows;
}

std::vector<const char*> Mask::cause(Index b, Index h, Index i, Index j) const {
  std::vector<const char*> kinds;
  for (const RuleRow& row : rule_rows(b, h, i)) {
    if (!contains(row.ranges, j)) kinds.push_back(row.kind);
  }
  return kinds;
}

void Mask::count() {
  const std::int64_t planes = static_cast<std::int64_t>(shape_.batch) * shape_.heads;
  if (allows_everything()) {
    allowed_cells_ = planes * shape_.queries * shape_.keys;
    empty_rows_ = shape_.keys == 0 ? planes * shape_.queries : 0;
    return;
  }
  // Over the planes that differ, then times how often each of them occurs.
  const Index batch = varies_by_batch_ ? shape_.batch : std::min<Index>(shape_.batch, 1);
  const Index heads = varies_by_head_ ? shape_.heads : std::min<Index>(shape_.heads, 1);
  reach_.assign(static_cast<std::size_t>(batch), {shape_.keys, 0});
  if (batch * heads == 0) return;
  Scratch scratch;
  for (Index b = 0; b < batch; ++b) {
    KeyRange& reach = reach_[static_cast<std::size_t>(b)];
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < shape_.queries; ++i) {
        row(b, h, i, scratch.ranges);
        if (scratch.ranges.empty()) {
          ++empty_rows_;
          continue;
        }
        reach.begin = std::min(reach.begin, scratch.ranges.front().begin);
        reach.end = std::max(reach.end, scratch.ranges.back().end);
        for (const KeyRange& range : scratch.ranges) allowed_cells_ += range.end - range.begin;
      }
    }
  }
  allowed_cells_ *= planes / (batch * heads);
  empty_rows_ *= planes / (batch * heads);
}

std::size_t Mask::bytes() const {
  std::size_t total = 0;
  for (const Rule& rule : rules_) {
    visit(rule, [&](const Rule& each) { total += each.table ? each.table->bytes() : 0; });
  }
  return total;
}

}  // namespace attention
