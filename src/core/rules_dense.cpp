// The mask kinds whose arguments are bool tensors or functions. They become tables of ranges once,
// and rows are read from there.

#include <algorithm>
#include <array>

#include "core/rules.h"

namespace attention {
namespace {

void encode(Rule& rule, const Tensor& mask, bool allowed, Index keys, const MaskShape& shape) {
  rule.table =
      std::make_shared<const RangeTable>(RangeTable::encode(mask, allowed, keys, shape.most_bytes));
}

void table_row(const Rule& rule, const MaskShape&, const Row& row, KeyRanges& result) {
  append(result, rule.table->row(row.batch, row.head, row.query));
}

// -------------------------------------------------------------------------------------------------

constexpr RuleField padding_fields[] = {
    {"blocked", ArgumentType::bools, "Bools", "given by allowed",
     "[batch, keys]: true where the key is padding."},
    {"allowed", ArgumentType::bools, "Bools", "given by blocked",
     "[batch, keys]: true where the key is real."},
};

Error check_padding(const Rule& rule, const MaskShape& shape, const std::string& path) {
  const std::size_t field = given(rule, 0) ? 0 : 1;
  const Tensor& mask = argument<Tensor>(rule, field);
  if (mask.rank <= 2 && mask.shape[2] == shape.batch && mask.shape[3] == shape.keys) return {};
  const std::string name = field_path(rule, field, path);
  return {"shape", name,
          sentence(name, " is ", shape_text(mask), ", but must be [batch, keys] = ", shape.batch,
                   "×", shape.keys)};
}

void compile_padding(Rule& rule, const MaskShape& shape) {
  const bool allowed = given(rule, 1);
  Tensor mask = argument<Tensor>(rule, allowed ? 1 : 0);
  std::swap(mask.shape[0], mask.shape[2]);  // [1, 1, B, S] → [B, 1, 1, S]
  std::swap(mask.strides[0], mask.strides[2]);
  encode(rule, mask, allowed, shape.keys, shape);
}

// -------------------------------------------------------------------------------------------------

constexpr RuleField blocks_fields[] = {
    {"size", ArgumentType::numbers, "number", "", "Queries and keys in one block.", positive},
    {"layout", ArgumentType::bools, "Bools", "",
     "[⌈queries/size⌉, ⌈keys/size⌉], or with heads in front: true where the block is read."},
};

std::int64_t blocks_in(Index length, std::int64_t size) {
  return length / size + (length % size != 0);
}

Error check_blocks(const Rule& rule, const MaskShape& shape, const std::string& path) {
  const std::int64_t size = number(rule, 0);
  const Tensor& layout = argument<Tensor>(rule, 1);
  const std::int64_t rows = blocks_in(shape.queries, size), columns = blocks_in(shape.keys, size);
  const bool heads_fit = layout.shape[1] == 1 || layout.shape[1] == shape.heads;
  if (layout.rank >= 2 && layout.shape[0] == 1 && heads_fit && layout.shape[2] == rows &&
      layout.shape[3] == columns) {
    return {};
  }
  const std::string name = field_path(rule, 1, path);
  return {"shape", name,
          sentence(name, " is ", shape_text(layout), ", but ", shape.queries, " queries and ",
                   shape.keys, " keys in blocks of ", size, " need ", rows, "×", columns,
                   " or, with heads in front, ", shape.heads, "×", rows, "×", columns)};
}

void compile_blocks(Rule& rule, const MaskShape& shape) {
  const std::int64_t columns = blocks_in(shape.keys, number(rule, 0));
  encode(rule, argument<Tensor>(rule, 1), true, static_cast<Index>(columns), shape);
}

void blocks_row(const Rule& rule, const MaskShape& shape, const Row& row, KeyRanges& result) {
  const std::int64_t size = number(rule, 0);
  const Index block = static_cast<Index>(row.query / size);
  for (const KeyRange& columns : rule.table->row(row.batch, row.head, block)) {
    append(result, shape.keys, columns.begin * size, columns.end * size);
  }
}

// -------------------------------------------------------------------------------------------------

constexpr RuleField cells_fields[] = {
    {"mask", ArgumentType::bools, "Bools", "",
     "Broadcasts to [batch, heads, queries, keys], aligned right."},
};

Error check_cells(const Rule& rule, const MaskShape& shape, const std::string& path) {
  const Tensor& mask = argument<Tensor>(rule, 0);
  const std::string name = field_path(rule, 0, path);
  // Aligned right, a padding mask [B, S] would be taken for [T, S]: an error at best, and silently
  // wrong when B = T.
  if (mask.rank == 2 && shape.batch > 1 && mask.shape[2] == shape.batch &&
      mask.shape[3] == shape.keys) {
    std::string message =
        sentence(name, " is ", shape_text(mask), ", which is what a padding mask [batch, keys] ",
                 "looks like: for one, use { kind: 'padding', ", rule.kind->name, ": … }");
    if (shape.batch == shape.queries) {
      message += "; for a mask [queries, keys], give it the shape 1×" + shape_text(mask);
    }
    return {"ambiguous", name, message};
  }
  const std::array<std::int64_t, 4> full = {shape.batch, shape.heads, shape.queries, shape.keys};
  constexpr std::array<const char*, 4> axes = {"batch", "heads", "queries", "keys"};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (mask.shape[axis] == 1 || mask.shape[axis] == full[axis]) continue;
    Tensor whole;
    whole.shape = full;
    std::string message =
        sentence(name, " is ", shape_text(mask), ", which does not broadcast to ",
                 "[batch, heads, queries, keys] = ", shape_text(whole), ": ", axes[axis],
                 " must be ", full[axis], " or 1 but is ", mask.shape[axis]);
    if (mask.rank == 3 && axis == 1 && mask.shape[1] == shape.batch) {
      message += "; a mask for each batch element has the shape [batch, 1, queries, keys]";
    }
    return {"shape", name, message};
  }
  return {};
}

// -------------------------------------------------------------------------------------------------

constexpr RuleField function_fields[] = {
    {"allows", ArgumentType::predicate, "(b: number, h: number, i: number, j: number) => boolean",
     "",
     "Whether query i may read key j. Asked once for each distinct cell, before anything else."},
    {"perHead", ArgumentType::flag, "boolean", "false",
     "Whether heads differ; if not, only head 0 is asked about."},
    {"perBatch", ArgumentType::flag, "boolean", "false",
     "Whether batch elements differ; if not, only batch element 0 is asked about."},
};

void compile_function(Rule& rule, const MaskShape& shape) {
  const Predicate& allows = argument<Predicate>(rule, 0);
  const auto distinct = [&](std::size_t field, Index length) {
    return given(rule, field) && argument<bool>(rule, field) ? length : std::min<Index>(length, 1);
  };
  bool failed = false;
  const auto write_row = [&](Index b, Index h, Index i, KeyRanges& row) {
    for (Index j = 0; j < shape.keys && !failed; ++j) {
      const std::optional<bool> allowed = allows(b, h, i, j);
      failed = !allowed;
      if (allowed.value_or(false)) append(row, shape.keys, j, j + 1);
    }
  };
  rule.table =
      std::make_shared<const RangeTable>(distinct(2, shape.batch), distinct(1, shape.heads),
                                         shape.queries, write_row, shape.most_bytes);
}

}  // namespace

// -------------------------------------------------------------------------------------------------

const RuleKind padding_kind = {
    .name = "padding",
    .doc = "the key is not padding; padding may be anywhere",
    .fields = padding_fields,
    .one_field = true,
    .check = check_padding,
    .compile = compile_padding,
    .ranges = table_row,
};

const RuleKind blocks_kind = {
    .name = "blocks",
    .doc = "layout[⌊i/size⌋][⌊j/size⌋] is true",
    .fields = blocks_fields,
    .check = check_blocks,
    .compile = compile_blocks,
    .ranges = blocks_row,
};

const RuleKind blocked_kind = {
    .name = "blocked",
    .doc = "the mask is false there (what a mask means to nn.MultiheadAttention)",
    .fields = cells_fields,
    .check = check_cells,
    .compile =
        [](Rule& rule, const MaskShape& shape) {
          encode(rule, argument<Tensor>(rule, 0), false, shape.keys, shape);
        },
    .ranges = table_row,
};

const RuleKind allowed_kind = {
    .name = "allowed",
    .doc = "the mask is true there (what a mask means to F.scaled_dot_product_attention)",
    .fields = cells_fields,
    .check = check_cells,
    .compile =
        [](Rule& rule, const MaskShape& shape) {
          encode(rule, argument<Tensor>(rule, 0), true, shape.keys, shape);
        },
    .ranges = table_row,
};

const RuleKind function_kind = {
    .name = "function",
    .doc = "allows(b, h, i, j) returns true",
    .fields = function_fields,
    .compile = compile_function,
    .ranges = table_row,
};

}  // namespace attention
