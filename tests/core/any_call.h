// Calls made from bytes: every dtype, option and kind of mask rule, most of them sensible, some
// not. Kinds come from the table of rules, so that a new one is tried as soon as it is there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention.h"

namespace attention {

/// A number of common size, or one of those that go wrong.
inline double number_from(unsigned byte, bool odd) {
  constexpr double numbers[] = {NAN,  INFINITY, -INFINITY, 3.4e38, -3.4e38, 1e-45,
                                -1e9, 65504,    1e300,     1e4,    95,      -0.0};
  return odd ? numbers[byte % std::size(numbers)] : (static_cast<int>(byte) - 128) / 32.0;
}

/// Draws from the input; zeros when it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  unsigned next() { return at_ < size_ ? data_[at_++] : 0; }
  unsigned below(unsigned count) { return next() % count; }
  /// True for 1 of `odds` values, never for a byte of 0.
  bool rarely(unsigned odds) { return next() % odds == odds - 1; }

  /// A whole number, mostly small, now and then near a limit of some type.
  std::int64_t whole() {
    constexpr std::int64_t odd[] = {-1,
                                    1 << 15,
                                    1 << 16,
                                    INT32_MAX,
                                    INT64_C(1) << 32,
                                    -(INT64_C(1) << 31),
                                    INT64_MAX,
                                    INT64_MIN,
                                    INT64_C(1) << 53,
                                    -100,
                                    (INT64_C(1) << 53) + 1};
    return rarely(16) ? odd[below(std::size(odd))] : static_cast<std::int64_t>(below(9));
  }

  /// A number, mostly of common size.
  double number() { return number_from(next(), rarely(16)); }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// Owns what the tensors of one call point to: allocations of exactly the elements that may be
/// read.
class Maker {
 public:
  explicit Maker(Bytes& bytes) : bytes_(bytes) {}

  DType dtype() {
    return bytes_.rarely(32) ? DType::boolean : dtypes[bytes_.below(4)].dtype;  // the floats
  }

  /// A tensor of some shape, with its own strides now and then.
  Tensor tensor(DType dtype, Shape shape, int rank) {
    Tensor result;
    result.dtype = dtype;
    result.rank = bytes_.rarely(32) ? static_cast<int>(bytes_.below(7)) : rank;
    result.shape = shape;
    if (bytes_.rarely(16)) result.shape[bytes_.below(4)] = bytes_.whole();
    result.strides = row_major(result.shape);
    result.strided = bytes_.rarely(4);
    if (result.strided) {
      for (std::int64_t& stride : result.strides) {
        if (bytes_.rarely(3)) stride = bytes_.whole();
      }
    }
    result.length = std::clamp<std::int64_t>(result.size(), 0, 4096);
    if (bytes_.rarely(16)) result.length = bytes_.below(64);
    fill(result);
    return result;
  }

  std::vector<Rule> rules(const MaskShape& shape, int depth) {
    std::vector<Rule> result(bytes_.below(depth == 0 ? 4 : 3));
    for (Rule& each : result) each = rule(shape, depth);
    return result;
  }

  /// Any kind of the table with arguments of its fields' types: a new kind is tried as it appears.
  Rule rule(const MaskShape& shape, int depth) {
    const auto kinds = rule_kinds();
    const RuleKind& kind = kinds[bytes_.below(static_cast<unsigned>(kinds.size()))];
    Rule result;
    result.kind = &kind;
    for (const RuleField& field : kind.fields) {
      const bool left_out = bytes_.rarely(*field.fallback ? 2 : 32);
      result.arguments.push_back(left_out ? Argument() : argument(field, shape, depth));
    }
    return result;
  }

 private:
  /// Elements made from one drawn byte, so that most of the input is left for the structure.
  void fill(Tensor& tensor) {
    const std::size_t bytes = info(tensor.dtype).bytes;
    arrays_.emplace_back(new std::uint8_t[static_cast<std::size_t>(tensor.length) * bytes]);
    tensor.data = arrays_.back().get();
    std::uint32_t state = bytes_.next();
    const bool with_odd = state % 4 == 3;
    for (std::int64_t at = 0; at < tensor.length; ++at) {
      state = state * 1664525 + 1013904223;
      const unsigned byte = state >> 24;
      if (tensor.dtype == DType::boolean) {
        static_cast<std::uint8_t*>(tensor.data)[at] = static_cast<std::uint8_t>(byte % 3);
        continue;
      }
      dispatch(tensor.dtype, [&](auto zero) {
        using Stored = decltype(zero);
        const double number = number_from(byte, with_odd && state >> 16 & 1);
        static_cast<Stored*>(tensor.data)[at] =
            narrow<Stored>(static_cast<Compute<Stored>>(number));
      });
    }
  }

  std::vector<std::int64_t> list(std::int64_t length) {
    if (bytes_.rarely(16)) length = bytes_.below(5);
    std::vector<std::int64_t> result(static_cast<std::size_t>(length < 64 ? length : 64));
    for (std::int64_t& value : result) value = bytes_.whole();
    return result;
  }

  Argument argument(const RuleField& field, const MaskShape& shape, int depth) {
    switch (field.type) {
      case ArgumentType::flag:
        return bytes_.rarely(2);
      case ArgumentType::numbers: {
        const NumbersForm& form = field.numbers;
        const int ranks = form.max_rank - form.min_rank + 1;
        const int rank =
            bytes_.rarely(32)
                ? static_cast<int>(bytes_.below(3))
                : form.min_rank + static_cast<int>(bytes_.below(static_cast<unsigned>(ranks)));
        if (rank == 0) return Numbers(bytes_.whole());
        const bool for_batch = form.per_batch && rank == form.max_rank;
        if (rank == 1) return Numbers(list(for_batch ? shape.batch : shape.keys));
        std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(shape.batch));
        for (auto& each : lists) each = list(shape.keys);
        return Numbers(std::move(lists));
      }
      case ArgumentType::bools: {
        const int rank = 1 + static_cast<int>(bytes_.below(4));
        Shape of = {shape.batch, shape.heads, shape.queries, shape.keys};
        for (int axis = 0; axis < 4; ++axis) {
          if (axis < 4 - rank || bytes_.rarely(3)) of[static_cast<std::size_t>(axis)] = 1;
        }
        if (bytes_.rarely(3)) of = {1, 1, shape.batch, shape.keys};
        return tensor(bytes_.rarely(32) ? dtype() : DType::boolean, of, rank);
      }
      case ArgumentType::rule:
        return depth < 3 ? Argument(std::vector<Rule>{rule(shape, depth + 1)}) : Argument();
      case ArgumentType::rules:
        return depth < 3 ? Argument(rules(shape, depth + 1)) : Argument();
      case ArgumentType::predicate: {
        const Index modulus = 1 + static_cast<Index>(bytes_.below(4));
        return Predicate([modulus](Index b, Index h, Index i, Index j) {
          return (b + 2 * h + 3 * i + j) % modulus == 0;
        });
      }
    }
    return {};
  }

  Bytes& bytes_;
  std::vector<std::unique_ptr<std::uint8_t[]>> arrays_;
};

inline std::vector<double> some_numbers(Bytes& bytes, std::int64_t count) {
  std::vector<double> result(static_cast<std::size_t>(bytes.rarely(16) ? 1 : count));
  for (double& number : result) number = bytes.number();
  return result;
}

/// The call that the bytes stand for.
inline Call make_call(Bytes& bytes, Maker& maker) {
  Call call;
  const DType dtype = maker.dtype();
  const std::int64_t batch = bytes.below(4), kv_heads = bytes.below(3);
  const std::int64_t heads = kv_heads * (1 + bytes.below(3));
  const std::int64_t queries = bytes.below(20), keys = bytes.below(40);
  const std::int64_t head_dim = bytes.below(10), value_dim = bytes.below(10);
  const int rank = batch == 1 ? (heads == 1 ? 2 + static_cast<int>(bytes.below(3)) : 3) : 4;
  call.query = maker.tensor(dtype, {batch, heads, queries, head_dim}, rank);
  call.key = maker.tensor(dtype, {batch, kv_heads, keys, head_dim}, rank);
  call.value = maker.tensor(dtype, {batch, kv_heads, keys, value_dim}, rank);

  Options& options = call.options;
  if (bytes.rarely(3)) options.scale = bytes.number();
  if (bytes.rarely(4)) options.softcap = bytes.number();
  if (bytes.rarely(2)) {
    options.start.corner = static_cast<Start::Corner>(bytes.below(4));
    const std::int64_t starts = bytes.rarely(2) ? batch : 1;
    for (std::int64_t b = 0; b < starts; ++b) options.start.values.push_back(bytes.whole());
  }
  if (bytes.rarely(4)) {
    Shape shape = {batch, heads, queries, keys};
    for (std::int64_t& length : shape) {
      if (bytes.rarely(3)) length = 1;
    }
    options.bias = maker.tensor(bytes.rarely(16) ? maker.dtype() : dtype, shape, 4);
  }
  if (bytes.rarely(4)) {
    options.alibi.kind = static_cast<Alibi::Kind>(bytes.below(3));
    options.alibi.rank = 1 + static_cast<int>(bytes.below(2));
    if (options.alibi.kind == Alibi::slopes)
      options.alibi.values = some_numbers(bytes, options.alibi.rank == 1 ? heads : batch * heads);
  }
  if (bytes.rarely(4)) options.sinks = some_numbers(bytes, heads);
  if (bytes.rarely(4)) options.dropout = Dropout{bytes.next() / 240.0, bytes.next()};
  options.returns.weights = bytes.rarely(2);
  if (bytes.rarely(8)) options.weights_for.heads = {{bytes.whole(), bytes.whole()}};
  if (bytes.rarely(8)) options.weights_for.queries = {{bytes.whole()}};
  const auto index = [](std::int64_t size) { return static_cast<Index>(size); };
  options.mask = maker.rules({.batch = index(batch),
                              .heads = index(heads),
                              .queries = index(queries),
                              .keys = index(keys)},
                             0);
  return call;
}

}  // namespace attention
