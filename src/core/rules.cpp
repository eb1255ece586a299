// The table of mask kinds, and those kinds whose arguments are numbers or other rules. Nothing but
// the files of the kinds knows of any kind by name: CONTRIBUTING.md shows how to add one.

#include "core/rules.h"

#include <algorithm>

namespace attention {
namespace {

std::vector<std::int64_t> distinct_sorted(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// -------------------------------------------------------------------------------------------------

constexpr RuleKind causal_kind = {
    .name = "causal",
    .doc = "j ≤ position",
    .uses_positions = true,
    .ranges = [](const Rule&, const MaskShape& shape, const Row& row,
                 KeyRanges& result) { append(result, shape.keys, 0, row.position + 1); },
};

// -------------------------------------------------------------------------------------------------

constexpr RuleField window_fields[] = {
    {"left", ArgumentType::numbers, "number", "unlimited",
     "How many keys before the query's own position it may read.", natural},
    {"right", ArgumentType::numbers, "number", "unlimited",
     "How many keys after the query's own position it may read.", natural},
};

constexpr RuleKind window_kind = {
    .name = "window",
    .doc = "position − left ≤ j ≤ position + right",
    .fields = window_fields,
    .uses_positions = true,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          append(result, shape.keys, row.position - number_or(rule, 0, unlimited),
                 row.position + number_or(rule, 1, unlimited) + 1);
        },
};

// -------------------------------------------------------------------------------------------------

constexpr NumbersForm key_lengths = {
    .min_rank = 1, .max_rank = 1, .per_batch = true, .most = &MaskShape::keys};
constexpr NumbersForm query_lengths = {
    .min_rank = 1, .max_rank = 1, .per_batch = true, .most = &MaskShape::queries};

constexpr RuleField lengths_fields[] = {
    {"keys", ArgumentType::numbers, "Numbers", "", "How many keys of each batch element are real.",
     key_lengths},
    {"queries", ArgumentType::numbers, "Numbers", "all",
     "How many queries of each batch element are real; the others may read nothing.",
     query_lengths},
};

constexpr RuleKind lengths_kind = {
    .name = "lengths",
    .doc = "j < keys[b] and i < queries[b]",
    .fields = lengths_fields,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          if (row.query >= (given(rule, 1) ? number(rule, 1, row.batch) : shape.queries)) return;
          append(result, shape.keys, 0, number(rule, 0, row.batch));
        },
};

// -------------------------------------------------------------------------------------------------

constexpr RuleField prefix_fields[] = {
    {"length", ArgumentType::numbers, "number | Numbers", "",
     "How many keys every query may read; one number, or one for each batch element.",
     number_or_per_batch},
};

constexpr RuleKind prefix_kind = {
    .name = "prefix",
    .doc = "j < length or j ≤ position",
    .fields = prefix_fields,
    .uses_positions = true,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          append(result, shape.keys, 0, std::max(number(rule, 0, row.batch), row.position + 1));
        },
};

// -------------------------------------------------------------------------------------------------

constexpr NumbersForm any_number_per_key = {.min_rank = 1,
                                            .max_rank = 2,
                                            .per_batch = true,
                                            .least = -unlimited,
                                            .length = &MaskShape::keys};

constexpr RuleField documents_fields[] = {
    {"starts", ArgumentType::numbers, "Numbers | readonly Numbers[]", "given by ids",
     "Where documents begin on the key axis, ascending; keys before the first are a document too, "
     "and the last has no end. One list, or one for each batch element.",
     list_or_per_batch},
    {"ids", ArgumentType::numbers, "Numbers | readonly Numbers[]", "given by starts",
     "The document of each key: any whole numbers in any order, [keys] or [batch][keys]. A query "
     "whose position is not on the key axis belongs to none.",
     any_number_per_key},
};

Error check_documents(const Rule& rule, const MaskShape&, const std::string& path) {
  if (!given(rule, 0)) return {};
  const std::string name = field_path(rule, 0, path);
  for (const auto& starts : argument<Numbers>(rule, 0).lists) {
    const auto descent = std::adjacent_find(starts.begin(), starts.end(), std::greater<>());
    if (descent == starts.end()) continue;
    return {"option", name,
            sentence(name, " must ascend, but ", descent[1], " comes after ", descent[0])};
  }
  return {};
}

/// Replaces ids by their rank among the distinct ones, which is their row in the table.
void compile_documents(Rule& rule, const MaskShape& shape) {
  if (!given(rule, 1)) return;
  Numbers ids = argument<Numbers>(rule, 1);
  std::vector<std::vector<KeyRanges>> documents;  // of each list: the keys of each rank
  std::size_t most = 0;
  for (std::vector<std::int64_t>& list : ids.lists) {
    const std::vector<std::int64_t> distinct = distinct_sorted(list);
    std::vector<KeyRanges>& keys = documents.emplace_back(distinct.size());
    most = std::max(most, distinct.size());
    for (Index j = 0; std::int64_t& id : list) {
      id = std::lower_bound(distinct.begin(), distinct.end(), id) - distinct.begin();
      append(keys[static_cast<std::size_t>(id)], shape.keys, j, j + 1);
      ++j;
    }
  }
  rule.arguments[1] = std::move(ids);
  rule.table = std::make_shared<const RangeTable>(
      std::ssize(documents), 1, static_cast<Index>(most),
      [&](Index b, Index, Index rank, KeyRanges& row) {
        const std::vector<KeyRanges>& keys = documents[static_cast<std::size_t>(b)];
        if (rank < std::ssize(keys)) row = keys[static_cast<std::size_t>(rank)];
      });
}

void documents_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  if (given(rule, 1)) {
    if (row.position < 0 || row.position >= shape.keys) return;
    const std::size_t own = static_cast<std::size_t>(row.position);
    const std::int64_t rank = numbers(rule, 1, row.batch)[own];
    append(result, rule.table->row(row.batch, 0, static_cast<Index>(rank)));
    return;
  }
  const std::vector<std::int64_t>& starts = numbers(rule, 0, row.batch);
  const auto next = std::upper_bound(starts.begin(), starts.end(), row.position);
  append(result, shape.keys, next == starts.begin() ? 0 : next[-1],
         next == starts.end() ? unlimited : *next);
}

constexpr RuleKind documents_kind = {
    .name = "documents",
    .doc = "the query's position and j are in the same document",
    .fields = documents_fields,
    .one_field = true,
    .uses_positions = true,
    .check = check_documents,
    .compile = compile_documents,
    .ranges = documents_row,
};

// -------------------------------------------------------------------------------------------------

constexpr RuleField global_fields[] = {
    {"tokens", ArgumentType::numbers, "Numbers", "",
     "Places on the key axis: every query reads these keys, and a query that stands there reads "
     "every key.",
     list},
};

void compile_global(Rule& rule, const MaskShape& shape) {
  std::vector<std::int64_t> tokens = distinct_sorted(numbers(rule, 0));
  rule.table =
      std::make_shared<const RangeTable>(1, 1, 1, [&](Index, Index, Index, KeyRanges& row) {
        for (const std::int64_t token : tokens) append(row, shape.keys, token, token + 1);
      });
  rule.arguments[0] = Numbers(std::move(tokens));
}

constexpr RuleKind global_kind = {
    .name = "global",
    .doc = "the query's position or j is one of the tokens",
    .fields = global_fields,
    .uses_positions = true,
    .compile = compile_global,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          const std::vector<std::int64_t>& tokens = numbers(rule, 0);
          if (std::binary_search(tokens.begin(), tokens.end(), row.position)) {
            append(result, shape.keys, 0, shape.keys);
          } else {
            append(result, rule.table->row(0, 0, 0));
          }
        },
};

// -------------------------------------------------------------------------------------------------

/// The keys from lowest to highest that are a whole number of steps away from the origin.
void append_steps(KeyRanges& result, Index keys, std::int64_t origin, std::int64_t step,
                  std::int64_t lowest, std::int64_t highest) {
  lowest = std::max<std::int64_t>(lowest, 0);
  highest = std::min<std::int64_t>(highest, keys - 1);
  if (step == 1) return append(result, keys, lowest, highest + 1);
  const std::int64_t past = (lowest - origin) % step;  // of the sign of lowest − origin
  std::int64_t key = lowest - past + (past > 0 ? step : 0);
  for (; key <= highest; key += step) append(result, keys, key, key + 1);
}

constexpr RuleField strided_fields[] = {
    {"stride", ArgumentType::numbers, "number", "", "Distance between the keys that are read.",
     positive},
};

constexpr RuleKind strided_kind = {
    .name = "strided",
    .doc = "position − j is a multiple of stride",
    .fields = strided_fields,
    .uses_positions = true,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          append_steps(result, shape.keys, row.position, number(rule, 0), 0, unlimited);
        },
};

constexpr RuleField dilated_fields[] = {
    {"left", ArgumentType::numbers, "number", "unlimited",
     "How many steps before the query's own position it may read.", natural},
    {"right", ArgumentType::numbers, "number", "unlimited",
     "How many steps after the query's own position it may read.", natural},
    {"dilation", ArgumentType::numbers, "number", "", "How many keys one step is.", positive},
};

constexpr RuleKind dilated_kind = {
    .name = "dilated",
    .doc = "j = position + k · dilation with −left ≤ k ≤ right",
    .fields = dilated_fields,
    .uses_positions = true,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          const std::int64_t dilation = number(rule, 2);
          const auto reach = [&](std::size_t field) {
            return dilation * std::min(number_or(rule, field, unlimited), unlimited / dilation);
          };
          append_steps(result, shape.keys, row.position, dilation, row.position - reach(0),
                       row.position + reach(1));
        },
};

// -------------------------------------------------------------------------------------------------

constexpr RuleField rules_fields[] = {
    {"of", ArgumentType::rules, "readonly MaskRule[]", "", "The rules."},
};

constexpr RuleKind all_kind = {
    .name = "all",
    .doc = "every rule allows it",
    .fields = rules_fields,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          if (rules(rule, 0).empty()) return append(result, shape.keys, 0, shape.keys);
          combine_rows(rules(rule, 0), intersect, shape, row, result);
        },
};

constexpr RuleKind any_kind = {
    .name = "any",
    .doc = "at least one of the rules allows it",
    .fields = rules_fields,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          if (!rules(rule, 0).empty()) combine_rows(rules(rule, 0), unite, shape, row, result);
        },
};

constexpr RuleField rule_fields[] = {
    {"of", ArgumentType::rule, "MaskRule", "", "The rule."},
};

constexpr RuleKind not_kind = {
    .name = "not",
    .doc = "the rule does not allow it; a row that the rule leaves empty becomes a full one",
    .fields = rule_fields,
    .ranges =
        [](const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
          combine_rows(rules(rule, 0), intersect, shape, row, result);
          complement(result, shape.keys);
        },
};

}  // namespace

// ---- The table ----------------------------------------------------------------------------------

std::span<const RuleKind> rule_kinds() {
  static const RuleKind kinds[] = {
      causal_kind, window_kind,  lengths_kind, padding_kind,  prefix_kind,  documents_kind,
      global_kind, strided_kind, dilated_kind, blocks_kind,   blocked_kind, allowed_kind,
      all_kind,    any_kind,     not_kind,     function_kind,
  };
  return kinds;
}

const RuleKind* find_rule_kind(std::string_view name) {
  for (const RuleKind& kind : rule_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

Rule make_rule(std::string_view kind,
               std::vector<std::pair<std::string_view, Argument>> arguments) {
  Rule rule = {find_rule_kind(kind), {}, nullptr};
  if (!rule.kind) return rule;
  const std::span<const RuleField> fields = rule.kind->fields;
  rule.arguments.resize(fields.size());
  for (auto& [name, argument] : arguments) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const RuleField& each) { return each.name == name; });
    if (field == fields.end()) return {};
    rule.arguments[static_cast<std::size_t>(field - fields.begin())] = std::move(argument);
  }
  return rule;
}

}  // namespace attention
