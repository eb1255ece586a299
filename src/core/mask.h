#pragma once

// Masks. A mask is, for every query row, a sorted list of half-open ranges of the keys it may read.
// Everything reads the same lists: the kernels, the dense form, the counts, the explanations.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"

namespace attention {

/// Keys begin ≤ j < end.
struct KeyRange {
  Index begin;
  Index end;
  bool operator==(const KeyRange&) const = default;
};

/// Sorted, disjoint, not touching, none empty. The set operations keep it so.
using KeyRanges = std::vector<KeyRange>;

void intersect(const KeyRanges& a, const KeyRanges& b, KeyRanges& result);
void unite(const KeyRanges& a, const KeyRanges& b, KeyRanges& result);
void complement(const KeyRanges& a, Index keys, KeyRanges& result);
bool contains(const KeyRanges& ranges, Index key);

/// One row of the mask.
struct Row {
  Index batch;
  Index head;
  Index query;
  Index position;  ///< of the query on the key axis: query + start
};

// ---- Rules as callers write them --------------------------------------------------------------

/// A whole number, a list of them, or a list for each batch element.
struct Numbers {
  int rank = 0;
  Index width = 1;  ///< length of one list when rank is 2
  std::vector<std::int64_t> values;
};

/// Calls back to the caller: may query i of head h read key j?
using Predicate = std::function<bool(Index b, Index h, Index i, Index j)>;

struct Rule;
using Argument = std::variant<std::monostate, bool, Numbers, Tensor, std::vector<Rule>, Predicate>;

enum class ArgumentType { flag, number, numbers, ids, bools, rules, predicate };

struct RuleField {
  const char* name;
  ArgumentType type;
  const char* typescript;  ///< its type in the generated declarations
  const char* fallback;    ///< the default as documented; "" = it must be given
  const char* doc;
};

class RangeTable;
struct MaskShape;

/// A row of the table of mask kinds: all there is to know about one kind.
struct RuleKind {
  const char* name;
  const char* doc;  ///< ends the sentence "allows key j for query i when …"
  std::span<const RuleField> fields;
  bool uses_positions;  ///< an unsaid `start` is then an error when T ≠ S
  Error (*check)(const Rule&, const MaskShape&);
  /// Writes the ranges of one row.
  void (*ranges)(const Rule&, const MaskShape&, const Row&, KeyRanges&);
  /// Whether rows differ by batch element, by head.
  bool (*varies_by_batch)(const Rule&);
  bool (*varies_by_head)(const Rule&);
};

/// The table, in rules.cpp. A new kind is a row there.
std::span<const RuleKind> rule_kinds();
const RuleKind* find_rule_kind(std::string_view name);

/// A rule: its kind and one argument for each of the kind's fields, in their order.
struct Rule {
  const RuleKind* kind = nullptr;
  std::vector<Argument> arguments;
  std::shared_ptr<const RangeTable> table;  ///< run-length form of dense arguments, made by Mask
};

// ---- Compiled masks -----------------------------------------------------------------------------

struct MaskShape {
  Index batch = 1;
  Index heads = 1;
  Index queries = 0;
  Index keys = 0;
  std::vector<std::int64_t>
      start;  ///< position of query 0: one value, or one for each batch element

  Index position(Index b, Index i) const {
    return static_cast<Index>(start[start.size() == 1 ? 0 : static_cast<std::size_t>(b)]) + i;
  }
};

/// Ranges of many rows; planes that do not differ by batch or head, and rows that do not differ at
/// all, are stored once.
class RangeTable {
 public:
  /// Run-length codes a bool tensor that broadcasts to [B, H, T, S]; `allowed` is the value that
  /// lets a key through.
  static RangeTable encode(const Tensor& mask, bool allowed, Index keys);
  static RangeTable encode(const Predicate& allows, bool per_batch, bool per_head,
                           const MaskShape& shape);

  std::span<const KeyRange> row(Index b, Index h, Index i) const;
  std::size_t bytes() const;

 private:
  Index batch_ = 1, heads_ = 1, rows_ = 1;
  std::vector<std::uint32_t> offsets_;
  std::vector<KeyRange> ranges_;
};

enum class TileKind { empty, partial, full };

/// What all rules together allow. Compiling run-length codes dense arguments; everything else is
/// evaluated row by row, so a mask over T = S = 16384 costs no more memory than its rules.
class Mask {
 public:
  Mask() = default;
  /// The rules must have passed check_mask().
  Mask(std::vector<Rule> rules, MaskShape shape);

  const MaskShape& shape() const { return shape_; }
  bool allows_everything() const { return rules_.empty(); }
  bool varies_by_batch() const { return varies_by_batch_; }
  bool varies_by_head() const { return varies_by_head_; }

  /// The keys that query i of head h in batch element b may read.
  void row(Index b, Index h, Index i, KeyRanges& result) const;

  /// Kinds of the top-level rules that forbid a cell; empty when it is allowed.
  std::vector<const char*> cause(Index b, Index h, Index i, Index j) const;

  /// Cells and rows over all of [B, H, T].
  std::int64_t allowed_cells() const;
  std::int64_t empty_rows() const;

  /// Bytes held by run-length tables.
  std::size_t bytes() const;

 private:
  std::vector<Rule> rules_;
  MaskShape shape_;
  bool varies_by_batch_ = false;
  bool varies_by_head_ = false;
};

Error check_mask(const std::vector<Rule>& rules, const MaskShape& shape);
bool uses_positions(const std::vector<Rule>& rules);

/// How the rows of a tile see its keys [begin, end). `rows` are their ranges.
TileKind classify(std::span<const KeyRanges> rows, Index begin, Index end);

}  // namespace attention
