#pragma once

// What the kinds of mask rules are written with. Only the files of the kinds, and Mask, need it.

#include <limits>

#include "core/mask.h"

namespace attention {

/// Beyond every key; sums of a few do not overflow.
inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

// ---- The numbers a field may take ---------------------------------------------------------------

inline constexpr NumbersForm natural = {};
inline constexpr NumbersForm positive = {.least = 1};
inline constexpr NumbersForm list = {.min_rank = 1, .max_rank = 1};
inline constexpr NumbersForm number_per_batch = {.min_rank = 1, .max_rank = 1, .per_batch = true};
inline constexpr NumbersForm number_or_per_batch = {.max_rank = 1, .per_batch = true};
inline constexpr NumbersForm list_or_per_batch = {.min_rank = 1, .max_rank = 2, .per_batch = true};

// ---- Reading the arguments of a checked rule, by the place of their field -----------------------

inline bool given(const Rule& rule, std::size_t field) {
  return !std::holds_alternative<std::monostate>(rule.arguments[field]);
}

/// The argument of type T; it must have been given.
template <class T>
const T& argument(const Rule& rule, std::size_t field) {
  return *std::get_if<T>(&rule.arguments[field]);
}

/// One number, or that of batch element b.
inline std::int64_t number(const Rule& rule, std::size_t field, Index b = 0) {
  const Numbers& numbers = argument<Numbers>(rule, field);
  return numbers.lists[0][numbers.rank == 0 ? 0 : static_cast<std::size_t>(b)];
}

inline std::int64_t number_or(const Rule& rule, std::size_t field, std::int64_t fallback) {
  return given(rule, field) ? number(rule, field) : fallback;
}

/// The list, or that of batch element b.
inline const std::vector<std::int64_t>& numbers(const Rule& rule, std::size_t field, Index b = 0) {
  const Numbers& numbers = argument<Numbers>(rule, field);
  return numbers.lists[numbers.rank == 2 ? static_cast<std::size_t>(b) : 0];
}

inline const std::vector<Rule>& rules(const Rule& rule, std::size_t field) {
  return argument<std::vector<Rule>>(rule, field);
}

/// "mask.lengths.keys" of "mask.lengths" and field 0.
inline std::string field_path(const Rule& rule, std::size_t field, const std::string& path) {
  return path + "." + rule.kind->fields[field].name;
}

// ---- Rows ---------------------------------------------------------------------------------------

inline void append(KeyRanges& result, std::span<const KeyRange> ranges) {
  result.insert(result.end(), ranges.begin(), ranges.end());
}

/// The ranges of a row that all rules allow (combine = intersect) or any of them (unite). There
/// must be a rule.
void combine_rows(std::span<const Rule> rules, decltype(intersect)* combine, const MaskShape& shape,
                  const Row& row, KeyRanges& result);

// ---- Kinds whose arguments are tensors or functions, in rules_dense.cpp -------------------------

extern const RuleKind padding_kind;
extern const RuleKind blocks_kind;
extern const RuleKind blocked_kind;
extern const RuleKind allowed_kind;
extern const RuleKind function_kind;

}  // namespace attention
