// The table of mask kinds. Nothing outside this file knows of any kind by name; a new kind is a row
// in it (see "Add a mask kind" in CONTRIBUTING.md).
//
// Of every kind there are its fields, what it allows in one row, and only where needed: a check
// that the fields' own descriptions cannot express, and a preparation that makes rows cheap.

#include <algorithm>
#include <array>
#include <limits>

#include "core/mask.h"

namespace attention {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

constexpr NumbersForm one = {};
constexpr NumbersForm positive = {.minimum = 1};
constexpr NumbersForm list = {.min_rank = 1, .max_rank = 1};
constexpr NumbersForm one_per_batch = {.min_rank = 1, .max_rank = 1, .per_batch = true};
constexpr NumbersForm one_or_per_batch = {.min_rank = 0, .max_rank = 1, .per_batch = true};
constexpr NumbersForm list_or_per_batch = {.min_rank = 1, .max_rank = 2, .per_batch = true};
constexpr NumbersForm any_list_or_per_batch = {
    .min_rank = 1, .max_rank = 2, .per_batch = true, .minimum = -unlimited};

// ---- Reading a checked rule ---------------------------------------------------------------------

bool given(const Rule& rule, std::size_t field) { return rule.arguments[field].index() != 0; }

const Numbers& numbers(const Rule& rule, std::size_t field) {
  return *std::get_if<Numbers>(&rule.arguments[field]);
}

std::int64_t number(const Rule& rule, std::size_t field, Index b = 0) {
  const Numbers& value = numbers(rule, field);
  return value.lists[0][value.rank == 0 ? 0 : static_cast<std::size_t>(b)];
}

std::int64_t number_or(const Rule& rule, std::size_t field, std::int64_t fallback) {
  return given(rule, field) ? number(rule, field) : fallback;
}

const std::vector<std::int64_t>& numbers_of(const Rule& rule, std::size_t field, Index b) {
  const Numbers& value = numbers(rule, field);
  return value.lists[value.rank == 2 ? static_cast<std::size_t>(b) : 0];
}

const Tensor& tensor(const Rule& rule, std::size_t field) {
  return *std::get_if<Tensor>(&rule.arguments[field]);
}

bool flag(const Rule& rule, std::size_t field) {
  return given(rule, field) && *std::get_if<bool>(&rule.arguments[field]);
}

const std::vector<Rule>& rules(const Rule& rule, std::size_t field) {
  return *std::get_if<std::vector<Rule>>(&rule.arguments[field]);
}

// ---- Checks that more than one kind needs -------------------------------------------------------

std::string path_of(const Rule& rule, std::size_t field, const std::string& path) {
  return path + "." + rule.kind->fields[field].name;
}

/// One of the first two fields must be given, and not both.
Error check_either(const Rule& rule, const MaskShape&, const std::string& path) {
  if (given(rule, 0) != given(rule, 1)) return {};
  const std::string names = std::string(rule.kind->fields[0].name) +
                            (given(rule, 0) ? " and " : " or ") + rule.kind->fields[1].name;
  return {"option", path,
          given(rule, 0) ? path + " has both " + names + "; give one of them"
                         : path + " needs " + names};
}

Error check_at_most(const Rule& rule, std::size_t field, Index most, const char* what,
                    const std::string& path) {
  if (!given(rule, field)) return {};
  const std::vector<std::int64_t>& values = numbers(rule, field).lists[0];
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (values[at] <= most) continue;
    const std::string entry = path_of(rule, field, path) + "[" + std::to_string(at) + "]";
    return {"option", path_of(rule, field, path),
            entry + " is " + std::to_string(values[at]) + ", but there are only " +
                std::to_string(most) + " " + what};
  }
  return {};
}

/// A mask over single cells must broadcast to [B, H, T, S], and must not be what looks like
/// padding.
Error check_cells(const Rule& rule, const MaskShape& shape, const std::string& path) {
  const Tensor& mask = tensor(rule, 0);
  const std::string name = path_of(rule, 0, path);
  const std::string is = name + " is " + shape_text(mask);
  if (mask.rank == 2 && shape.batch > 1 && mask.shape[2] == shape.batch &&
      mask.shape[3] == shape.keys) {
    std::string message = is +
                          ", the shape [batch, keys] of a padding mask: use { kind: 'padding', " +
                          rule.kind->name + ": … } for that";
    if (shape.batch == shape.queries) {
      message += "; if it is over [queries, keys], give it as 1×" + shape_text(mask);
    }
    return {"ambiguous", name, message};
  }
  const std::array<Index, 4> axes = {shape.batch, shape.heads, shape.queries, shape.keys};
  constexpr const char* names[] = {"batch", "heads", "queries", "keys"};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::int64_t length = mask.shape[axis];
    if (length == 1 || length == axes[axis]) continue;
    const std::string wanted = std::to_string(axes[axis]);
    std::string message = is + ", which does not broadcast to [batch, heads, queries, keys] = " +
                          std::to_string(axes[0]) + "×" + std::to_string(axes[1]) + "×" +
                          std::to_string(axes[2]) + "×" + std::to_string(axes[3]) + ": its " +
                          names[axis] + " axis has length " + std::to_string(length) +
                          ", but must have " + (axes[axis] == 1 ? "1" : "1 or " + wanted);
    if (mask.rank == 3 && axis == 1 && length == shape.batch) {
      message += "; a mask for each batch element has the shape [batch, 1, queries, keys]";
    }
    return {"shape", name, message};
  }
  return {};
}

// ---- Tables that more than one kind needs -------------------------------------------------------

void keep(Rule& rule, RangeTable table) {
  rule.table = std::make_shared<const RangeTable>(std::move(table));
}

void append_all(KeyRanges& ranges, std::span<const KeyRange> more) {
  ranges.insert(ranges.end(), more.begin(), more.end());
}

void table_row(const Rule& rule, const MaskShape&, const Row& row, KeyRanges& result) {
  append_all(result, rule.table->row(row.batch, row.head, row.query));
}

/// Every `step`-th key from the first at or past `lowest` that is a multiple of steps away from
/// `origin`, up to and including `highest`.
void append_steps(KeyRanges& ranges, Index keys, std::int64_t origin, std::int64_t step,
                  std::int64_t lowest, std::int64_t highest) {
  lowest = std::max<std::int64_t>(lowest, 0);
  highest = std::min<std::int64_t>(highest, keys - 1);
  const std::int64_t beyond = (lowest - origin) % step;  // of the sign of lowest − origin
  std::int64_t key = beyond == 0 ? lowest : lowest - beyond + (beyond > 0 ? step : 0);
  for (; key <= highest; key += step) append(ranges, keys, key, key + 1);
}

// ---- The kinds ----------------------------------------------------------------------------------

void causal_row(const Rule&, const MaskShape& shape, const Row& row, KeyRanges& result) {
  append(result, shape.keys, 0, row.position + 1);
}

constexpr RuleField window_fields[] = {
    {"left", ArgumentType::numbers, "number", "unlimited",
     "How many keys before the query's own position it may read.", one},
    {"right", ArgumentType::numbers, "number", "unlimited",
     "How many keys behind the query's own position it may read.", one},
};

void window_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  append(result, shape.keys, row.position - number_or(rule, 0, unlimited),
         row.position + number_or(rule, 1, unlimited) + 1);
}

constexpr RuleField lengths_fields[] = {
    {"keys", ArgumentType::numbers, "readonly number[]", "",
     "How many keys of each batch element are real.", one_per_batch},
    {"queries", ArgumentType::numbers, "readonly number[]", "all",
     "How many queries of each batch element are real; the others may read nothing.",
     one_per_batch},
};

Error check_lengths(const Rule& rule, const MaskShape& shape, const std::string& path) {
  if (Error error = check_at_most(rule, 0, shape.keys, "keys", path)) return error;
  return check_at_most(rule, 1, shape.queries, "queries", path);
}

void lengths_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  if (given(rule, 1) && row.query >= number(rule, 1, row.batch)) return;
  append(result, shape.keys, 0, number(rule, 0, row.batch));
}

constexpr RuleField padding_fields[] = {
    {"blocked", ArgumentType::bools, "Tensor", "not allowed",
     "[batch, keys]: true where the key is padding. Either this or allowed."},
    {"allowed", ArgumentType::bools, "Tensor", "not blocked",
     "[batch, keys]: true where the key is real. Either this or blocked."},
};

Error check_padding(const Rule& rule, const MaskShape& shape, const std::string& path) {
  if (Error error = check_either(rule, shape, path)) return error;
  const std::size_t field = given(rule, 0) ? 0 : 1;
  const Tensor& mask = tensor(rule, field);
  if (mask.rank <= 2 && mask.shape[2] == shape.batch && mask.shape[3] == shape.keys) return {};
  const std::string name = path_of(rule, field, path);
  return {"shape", name,
          name + " is " + shape_text(mask) + ", but must be [batch, keys] = " +
              std::to_string(shape.batch) + "×" + std::to_string(shape.keys)};
}

void compile_padding(Rule& rule, const MaskShape& shape) {
  const bool allowed = given(rule, 1);
  Tensor mask = tensor(rule, allowed ? 1 : 0);  // [1, 1, B, S] → [B, 1, 1, S]
  std::swap(mask.shape[0], mask.shape[2]);
  std::swap(mask.strides[0], mask.strides[2]);
  keep(rule, RangeTable::encode(mask, allowed, shape.keys));
}

constexpr RuleField prefix_fields[] = {
    {"length", ArgumentType::numbers, "number | readonly number[]", "",
     "How many keys every query may read; one number, or one for each batch element.",
     one_or_per_batch},
};

void prefix_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  append(result, shape.keys, 0, std::max(number(rule, 0, row.batch), row.position + 1));
}

constexpr RuleField documents_fields[] = {
    {"starts", ArgumentType::numbers, "readonly number[] | readonly (readonly number[])[]",
     "from ids",
     "Where documents begin on the key axis, ascending; what is before the first is a document "
     "too, and the last one goes on for ever. Either this or ids.",
     list_or_per_batch},
    {"ids", ArgumentType::numbers, "readonly number[] | readonly (readonly number[])[]",
     "from starts",
     "The document of each key, any whole numbers in any order, [keys] or [batch][keys]; a query "
     "whose position is not on the key axis belongs to none. Either this or starts.",
     any_list_or_per_batch},
};

Error check_documents(const Rule& rule, const MaskShape& shape, const std::string& path) {
  if (Error error = check_either(rule, shape, path)) return error;
  const std::size_t field = given(rule, 0) ? 0 : 1;
  const std::string name = path_of(rule, field, path);
  for (std::size_t b = 0; b < numbers(rule, field).lists.size(); ++b) {
    const std::vector<std::int64_t>& values = numbers(rule, field).lists[b];
    const std::string list_name =
        numbers(rule, field).rank == 2 ? name + "[" + std::to_string(b) + "]" : name;
    if (field == 1 && std::ssize(values) != shape.keys) {
      return {"shape", name,
              list_name + " has " + std::to_string(values.size()) + " ids, but there are " +
                  std::to_string(shape.keys) + " keys; each needs one"};
    }
    const auto descent = std::adjacent_find(values.begin(), values.end(), std::greater<>());
    if (field == 0 && descent != values.end()) {
      return {"option", name,
              list_name + " must be ascending, but " + std::to_string(descent[1]) + " follows " +
                  std::to_string(descent[0])};
    }
  }
  return {};
}

/// Replaces ids by their rank among the distinct ones, which is their row in the table.
void compile_documents(Rule& rule, const MaskShape& shape) {
  if (!given(rule, 1)) return;
  Numbers ids = numbers(rule, 1);
  std::vector<std::vector<KeyRanges>> documents(ids.lists.size());
  std::size_t most = 0;
  for (std::size_t b = 0; b < ids.lists.size(); ++b) {
    std::vector<std::int64_t> distinct = ids.lists[b];
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    most = std::max(most, distinct.size());
    documents[b].resize(distinct.size());
    for (Index j = 0; j < shape.keys; ++j) {
      std::int64_t& id = ids.lists[b][static_cast<std::size_t>(j)];
      id = std::lower_bound(distinct.begin(), distinct.end(), id) - distinct.begin();
      append(documents[b][static_cast<std::size_t>(id)], shape.keys, j, j + 1);
    }
  }
  rule.arguments[1] = std::move(ids);
  keep(rule, RangeTable(std::ssize(documents), 1, static_cast<Index>(most),
                        [&](Index b, Index, Index document, KeyRanges& row) {
                          const auto& of = documents[static_cast<std::size_t>(b)];
                          if (document < std::ssize(of))
                            row = of[static_cast<std::size_t>(document)];
                        }));
}

void documents_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  if (given(rule, 1)) {
    if (row.position < 0 || row.position >= shape.keys) return;
    const std::int64_t document =
        numbers_of(rule, 1, row.batch)[static_cast<std::size_t>(row.position)];
    append_all(result, rule.table->row(row.batch, 0, static_cast<Index>(document)));
    return;
  }
  const std::vector<std::int64_t>& starts = numbers_of(rule, 0, row.batch);
  const auto next = std::upper_bound(starts.begin(), starts.end(), row.position);
  append(result, shape.keys, next == starts.begin() ? 0 : next[-1],
         next == starts.end() ? unlimited : *next);
}

constexpr RuleField global_fields[] = {
    {"tokens", ArgumentType::numbers, "readonly number[]", "",
     "Positions on the key axis: these keys are read by every query, and queries that stand there "
     "read every key.",
     list},
};

void compile_global(Rule& rule, const MaskShape& shape) {
  std::vector<std::int64_t> tokens = numbers(rule, 0).lists[0];
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  keep(rule, RangeTable(1, 1, 1, [&](Index, Index, Index, KeyRanges& row) {
         for (const std::int64_t token : tokens) append(row, shape.keys, token, token + 1);
       }));
  rule.arguments[0] = Numbers(std::move(tokens));
}

void global_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  const std::vector<std::int64_t>& tokens = numbers(rule, 0).lists[0];
  if (std::binary_search(tokens.begin(), tokens.end(), row.position)) {
    append(result, shape.keys, 0, shape.keys);
  } else {
    append_all(result, rule.table->row(0, 0, 0));
  }
}

constexpr RuleField strided_fields[] = {
    {"stride", ArgumentType::numbers, "number", "", "Distance between the keys that are read.",
     positive},
};

void strided_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  append_steps(result, shape.keys, row.position, number(rule, 0), 0, unlimited);
}

constexpr RuleField dilated_fields[] = {
    {"left", ArgumentType::numbers, "number", "unlimited",
     "How many steps before the query's own position it may read.", one},
    {"right", ArgumentType::numbers, "number", "unlimited",
     "How many steps behind the query's own position it may read.", one},
    {"dilation", ArgumentType::numbers, "number", "", "How many keys one step is.", positive},
};

void dilated_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  const std::int64_t dilation = number(rule, 2);
  const std::int64_t most = unlimited / dilation;
  append_steps(result, shape.keys, row.position, dilation,
               row.position - dilation * std::min(number_or(rule, 0, unlimited), most),
               row.position + dilation * std::min(number_or(rule, 1, unlimited), most));
}

constexpr RuleField blocks_fields[] = {
    {"size", ArgumentType::numbers, "number", "", "Queries and keys of one block.", positive},
    {"layout", ArgumentType::bools, "Tensor", "",
     "[⌈queries/size⌉, ⌈keys/size⌉], or with heads in front: true where the block is read."},
};

std::int64_t blocks_in(Index length, std::int64_t size) {
  return length / size + (length % size != 0);
}

Error check_blocks(const Rule& rule, const MaskShape& shape, const std::string& path) {
  const Tensor& layout = tensor(rule, 1);
  const std::int64_t size = number(rule, 0);
  const std::int64_t rows = blocks_in(shape.queries, size), columns = blocks_in(shape.keys, size);
  const bool heads_fit = layout.shape[1] == 1 || layout.shape[1] == shape.heads;
  if (layout.rank >= 2 && layout.shape[0] == 1 && heads_fit && layout.shape[2] == rows &&
      layout.shape[3] == columns) {
    return {};
  }
  const std::string name = path_of(rule, 1, path);
  const std::string blocks = std::to_string(rows) + "×" + std::to_string(columns);
  return {"shape", name,
          name + " is " + shape_text(layout) + ", but " + std::to_string(shape.queries) +
              " queries and " + std::to_string(shape.keys) + " keys in blocks of " +
              std::to_string(size) + " need " + blocks + " or, for each head, " +
              std::to_string(shape.heads) + "×" + blocks};
}

void compile_blocks(Rule& rule, const MaskShape& shape) {
  const Index columns = static_cast<Index>(blocks_in(shape.keys, number(rule, 0)));
  keep(rule, RangeTable::encode(tensor(rule, 1), true, columns));
}

void blocks_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  const std::int64_t size = number(rule, 0);
  const Index block = static_cast<Index>(row.query / size);
  for (const KeyRange& on : rule.table->row(row.batch, row.head, block)) {
    append(result, shape.keys, on.begin * size, on.end * size);
  }
}

constexpr RuleField cells_fields[] = {
    {"mask", ArgumentType::bools, "Tensor", "",
     "Broadcasts to [batch, heads, queries, keys], aligned right."},
};

void compile_blocked(Rule& rule, const MaskShape& shape) {
  keep(rule, RangeTable::encode(tensor(rule, 0), false, shape.keys));
}

void compile_allowed(Rule& rule, const MaskShape& shape) {
  keep(rule, RangeTable::encode(tensor(rule, 0), true, shape.keys));
}

constexpr RuleField rules_fields[] = {
    {"of", ArgumentType::rules, "readonly MaskRule[]", "", "The rules."},
};

void all_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  if (rules(rule, 0).empty()) {
    append(result, shape.keys, 0, shape.keys);
  } else {
    combine_rows(rules(rule, 0), intersect, shape, row, result);
  }
}

void any_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  if (!rules(rule, 0).empty()) combine_rows(rules(rule, 0), unite, shape, row, result);
}

constexpr RuleField not_fields[] = {
    {"of", ArgumentType::rule, "MaskRule", "", "The rule."},
};

void not_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  combine_rows(rules(rule, 0), intersect, shape, row, result);
  complement(result, shape.keys);
}

constexpr RuleField function_fields[] = {
    {"allows", ArgumentType::predicate, "(b: number, h: number, i: number, j: number) => boolean",
     "", "Whether query i may read key j. Asked once for each cell, not once for each call of it."},
    {"perHead", ArgumentType::flag, "boolean", "false",
     "Whether heads differ; if not, it is asked for head 0 only."},
    {"perBatch", ArgumentType::flag, "boolean", "false",
     "Whether batch elements differ; if not, it is asked for batch element 0 only."},
};

void compile_function(Rule& rule, const MaskShape& shape) {
  const Predicate& allows = *std::get_if<Predicate>(&rule.arguments[0]);
  keep(rule, RangeTable::encode(allows, flag(rule, 2), flag(rule, 1), shape));
}

constexpr RuleKind kinds[] = {
    {.name = "causal", .doc = "j ≤ position", .uses_positions = true, .ranges = causal_row},
    {.name = "window",
     .doc = "position − left ≤ j ≤ position + right",
     .fields = window_fields,
     .uses_positions = true,
     .ranges = window_row},
    {.name = "lengths",
     .doc = "j < keys[b] and i < queries[b]",
     .fields = lengths_fields,
     .check = check_lengths,
     .ranges = lengths_row},
    {.name = "padding",
     .doc = "the key is not padding; padding may be anywhere",
     .fields = padding_fields,
     .check = check_padding,
     .compile = compile_padding,
     .ranges = table_row},
    {.name = "prefix",
     .doc = "j < length or j ≤ position",
     .fields = prefix_fields,
     .uses_positions = true,
     .ranges = prefix_row},
    {.name = "documents",
     .doc = "the query's position and j are in the same document",
     .fields = documents_fields,
     .uses_positions = true,
     .check = check_documents,
     .compile = compile_documents,
     .ranges = documents_row},
    {.name = "global",
     .doc = "the query's position or j is one of the tokens",
     .fields = global_fields,
     .uses_positions = true,
     .compile = compile_global,
     .ranges = global_row},
    {.name = "strided",
     .doc = "position − j is a multiple of stride",
     .fields = strided_fields,
     .uses_positions = true,
     .ranges = strided_row},
    {.name = "dilated",
     .doc = "j = position + k · dilation with −left ≤ k ≤ right",
     .fields = dilated_fields,
     .uses_positions = true,
     .ranges = dilated_row},
    {.name = "blocks",
     .doc = "layout[⌊i/size⌋][⌊j/size⌋] is true",
     .fields = blocks_fields,
     .check = check_blocks,
     .compile = compile_blocks,
     .ranges = blocks_row},
    {.name = "blocked",
     .doc = "mask is false there, as nn.MultiheadAttention means it",
     .fields = cells_fields,
     .check = check_cells,
     .compile = compile_blocked,
     .ranges = table_row},
    {.name = "allowed",
     .doc = "mask is true there, as F.scaled_dot_product_attention means it",
     .fields = cells_fields,
     .check = check_cells,
     .compile = compile_allowed,
     .ranges = table_row},
    {.name = "all", .doc = "every rule allows it", .fields = rules_fields, .ranges = all_row},
    {.name = "any", .doc = "some rule allows it", .fields = rules_fields, .ranges = any_row},
    {.name = "not",
     .doc = "the rule does not allow it; a row that was empty becomes full",
     .fields = not_fields,
     .ranges = not_row},
    {.name = "function",
     .doc = "allows(b, h, i, j) returns true",
     .fields = function_fields,
     .compile = compile_function,
     .ranges = table_row},
};

}  // namespace

std::span<const RuleKind> rule_kinds() { return kinds; }

const RuleKind* find_rule_kind(std::string_view name) {
  const auto found = std::find_if(std::begin(kinds), std::end(kinds),
                                  [name](const RuleKind& kind) { return kind.name == name; });
  return found == std::end(kinds) ? nullptr : found;
}

}  // namespace attention
