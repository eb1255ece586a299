#pragma once

// Masks. A mask is, for every query row, a sorted list of half-open ranges of the keys it may read.
// Everything reads the same lists: the kernels, the dense form, the counts, the explanations.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/key_ranges.h"
#include "core/tensor.h"

namespace attention {

// ---- Rules as callers write them --------------------------------------------------------------

/// The call that a mask is for.
struct MaskShape {
  Index batch = 1;
  Index heads = 1;
  Index queries = 0;
  Index keys = 0;
  /// Position of query 0 on the key axis: one value, or one for each batch element.
  std::vector<std::int64_t> start = {0};
  /// Memory for run-length tables (0 = no limit).
  std::int64_t most_bytes = 0;

  /// Where query i stands on the key axis; it may lie before the first key or behind the last.
  std::int64_t position(Index b, Index i) const {
    return start[start.size() == 1 ? 0 : static_cast<std::size_t>(b)] + i;
  }
};

/// One row of the mask. Positions are 64-bit everywhere: start may be any whole number up to 2⁵³.
struct Row {
  Index batch;
  Index head;
  Index query;
  std::int64_t position;
};

/// A whole number (rank 0: one list of one), a list of them (rank 1: one list), or a list for each
/// batch element (rank 2; their lengths may differ).
struct Numbers {
  int rank = 0;
  std::vector<std::vector<std::int64_t>> lists = {{0}};

  Numbers() = default;
  Numbers(std::int64_t value) : lists{{value}} {}
  Numbers(std::vector<std::int64_t> values) : rank(1), lists{std::move(values)} {}
  Numbers(std::vector<std::vector<std::int64_t>> values) : rank(2), lists(std::move(values)) {}
};

/// Calls back to the caller: may query i of head h read key j? Nothing when the caller failed: then
/// the mask will not be used, and nothing more need be asked.
using Predicate = std::function<std::optional<bool>(Index b, Index h, Index i, Index j)>;

struct Rule;
/// An argument not given is std::monostate.
using Argument = std::variant<std::monostate, bool, Numbers, Tensor, std::vector<Rule>, Predicate>;

/// The alternatives of Argument; a `rule` is a list of one.
enum class ArgumentType { flag, numbers, bools, rule, rules, predicate };

/// Which numbers a field takes. One check for all kinds follows from it.
struct NumbersForm {
  int min_rank = 0;
  int max_rank = 0;
  bool per_batch = false;  ///< at max_rank there is one entry for each batch element
  std::int64_t least = 0;
  Index MaskShape::* most = nullptr;    ///< the length that no number may exceed
  Index MaskShape::* length = nullptr;  ///< what each list has one number for
};

struct RuleField {
  const char* name;
  ArgumentType type;
  const char* typescript;  ///< its type in the generated declarations
  const char* fallback;    ///< the default as documented; "" = it must be given
  const char* doc;
  NumbersForm numbers = {};
};

/// A row of the table of mask kinds: all there is to know about one kind.
struct RuleKind {
  const char* name;
  const char* doc;  ///< ends the sentence "allows key j for query i when …"
  std::span<const RuleField> fields = {};
  bool one_field = false;       ///< exactly one of the fields must be given
  bool uses_positions = false;  ///< an unsaid `start` is then an error when T ≠ S
  /// What the fields' own descriptions cannot say; null: nothing. `path` is "mask.<kind>".
  Error (*check)(const Rule&, const MaskShape&, const std::string& path) = nullptr;
  /// Prepares a checked rule for many rows (sorts, fills in `table`); null: nothing to prepare.
  void (*compile)(Rule&, const MaskShape&) = nullptr;
  /// Writes the ranges of one row into an empty list, with append().
  void (*ranges)(const Rule&, const MaskShape&, const Row&, KeyRanges&) = nullptr;
};

/// The table, in rules.cpp.
std::span<const RuleKind> rule_kinds();
/// Null when there is no such kind.
const RuleKind* find_rule_kind(std::string_view name);

/// A rule: its kind and one argument for each of the kind's fields, in their order.
struct Rule {
  const RuleKind* kind = nullptr;
  std::vector<Argument> arguments;
  std::shared_ptr<const RangeTable> table;  ///< run-length form of dense arguments, by compile()
};

/// make_rule("window", {{"left", Numbers(2)}, {"right", Numbers(0)}}). A kind or field that is not
/// in the table makes a rule that check_mask() refuses.
Rule make_rule(std::string_view kind,
               std::vector<std::pair<std::string_view, Argument>> arguments = {});

/// How deep `all`, `any` and `not` may be nested.
inline constexpr int max_rule_depth = 32;

/// Checks every argument of every rule; the cells of tensors are not read, `shape.start` is not
/// looked at. The argument named by an error is a path through the kinds:
/// "mask.any.of.lengths.keys".
Error check_mask(const std::vector<Rule>& rules, const MaskShape& shape);

/// Whether one of the checked rules, at any depth, depends on positions: then `start` must be
/// known.
bool uses_positions(const std::vector<Rule>& rules);

// ---- Compiled masks ---------------------------------------------------------------------------

/// What one of the rules by itself allows in a row.
struct RuleRow {
  const char* kind;
  KeyRanges ranges;
};

/// What all rules together allow. Dense arguments are run-length coded once; everything else is
/// evaluated row by row, so a mask over T = S = 16384 costs no more memory than its rules. Any
/// number of threads may read one mask.
class Mask {
 public:
  Mask() = default;
  /// The rules must have passed check_mask(). What their tensors point to is not needed afterwards.
  Mask(std::vector<Rule> rules, MaskShape shape);

  /// False: the tables would take more memory than shape.most_bytes, and nothing else may be asked.
  bool complete() const { return complete_; }

  const MaskShape& shape() const { return shape_; }
  bool allows_everything() const { return rules_.empty(); }

  /// False: every batch element (every head) has the same rows.
  bool varies_by_batch() const { return varies_by_batch_; }
  bool varies_by_head() const { return varies_by_head_; }

  /// The keys that query i of head h in batch element b may read. Linear in the ranges involved;
  /// allocates nothing once `result` and the calling thread have been used for as long a row.
  void row(Index b, Index h, Index i, KeyRanges& result) const;

  /// What each top-level rule by itself allows in a row, in their order.
  std::vector<RuleRow> rule_rows(Index b, Index h, Index i) const;

  /// Kinds of the top-level rules that forbid a cell; empty when it is allowed.
  std::vector<const char*> cause(Index b, Index h, Index i, Index j) const;

  /// From the first to the last key that any row of a batch element may read; the end lies
  /// before the beginning where there is none.
  KeyRange reach(Index b) const {
    return rules_.empty() ? KeyRange{0, shape_.keys}
                          : reach_[static_cast<std::size_t>(varies_by_batch_ ? b : 0)];
  }

  /// Cells and rows over all of [B, H, T].
  std::int64_t allowed_cells() const { return allowed_cells_; }
  std::int64_t empty_rows() const { return empty_rows_; }

  /// Bytes held by run-length tables.
  std::size_t bytes() const;

 private:
  void count();

  std::vector<Rule> rules_;
  MaskShape shape_;
  bool complete_ = true;
  bool varies_by_batch_ = false;
  bool varies_by_head_ = false;
  std::vector<KeyRange> reach_;  ///< of each batch element, or of all
  std::int64_t allowed_cells_ = 0;
  std::int64_t empty_rows_ = 0;
};

}  // namespace attention
