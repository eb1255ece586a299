#include "core/memory.h"

#include <algorithm>
#include <limits>

namespace attention {
namespace {

std::int64_t bytes_of(std::int64_t elements, std::size_t bytes) {
  return saturating_product(elements, static_cast<std::int64_t>(bytes));
}

std::int64_t bytes_of(const Tensor& tensor) {
  return bytes_of(tensor.length < 0 ? tensor.size() : tensor.length, info(tensor.dtype).bytes);
}

std::string mebibytes(std::int64_t bytes) {
  constexpr std::int64_t mebibyte = 1 << 20;
  return sentence(bytes / mebibyte + (bytes % mebibyte != 0), " MiB");
}

/// What one array can take: no more than all there is, nor than pointers can be apart. Less than
/// what products saturate to.
std::int64_t largest_array(std::int64_t memory_limit) {
  const std::int64_t most = std::numeric_limits<std::ptrdiff_t>::max() - 1;
  return memory_limit == 0 ? most : std::min(most, memory_limit);
}

/// Numbers that all stages and the lse of one query take.
std::int64_t numbers_per_row(const Call& call, const Sizes& sizes) {
  std::int64_t numbers = 1;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (has_stage(call.options, static_cast<Stage>(s))) {
      numbers = saturating_sum(numbers, width(stages[s].axis, sizes));
    }
  }
  return numbers;
}

struct Part {
  const char* name;
  std::int64_t bytes;
  const char* remedy;
};

/// What a call takes.
std::vector<Part> memory_parts(const Call& call, Purpose purpose, const Sizes& sizes, int workers) {
  constexpr const char* split = "pass fewer batch elements or heads at a time";
  const Options& options = call.options;
  const std::size_t stored = info(call.query.dtype).bytes;
  const std::size_t computed = std::max(stored, sizeof(float));
  const std::int64_t rows = count({1, sizes.batch, sizes.heads, sizes.queries});
  const std::int64_t stages_of_row = bytes_of(numbers_per_row(call, sizes), computed);

  std::vector<Part> parts;
  parts.reserve(8);  // all there can be, at once: this is done in every call
  parts = {{"query", bytes_of(call.query), split},
           {"key", bytes_of(call.key), split},
           {"value", bytes_of(call.value), split}};
  if (options.bias) parts.push_back({"bias", bytes_of(*options.bias), split});
  if (purpose == Purpose::explain) {
    const std::int64_t row = saturating_sum(
        stages_of_row, std::int64_t{sizeof(RowDiagnostics)} + std::int64_t{sizeof(EmptyRow)});
    std::int64_t steps = saturating_product(rows, row);
    if (stored < computed) {  // once more, unwidened, and each time from widened inputs
      steps = saturating_product(steps, 2);
      for (const Tensor& input : {call.query, call.key, call.value}) {
        steps = saturating_sum(steps, bytes_of(input.size(), computed));
      }
    }
    parts.push_back(
        {"steps", steps, "explain keeps every step; explain fewer heads or queries at a time"});
    return parts;
  }
  parts.push_back({"output", bytes_of(saturating_product(rows, sizes.value_dim), stored), split});
  parts.push_back({"lse", bytes_of(rows, computed), split});
  const auto number_bytes = static_cast<std::int64_t>(computed);
  parts.push_back({"scratch", scratch_bytes(call, sizes, workers, number_bytes), split});
  if (options.returns.weights) {
    const auto chosen = [](const auto& indices, std::int64_t all) {
      return indices ? static_cast<std::int64_t>(indices->size()) : all;
    };
    const std::int64_t heads = chosen(options.weights_for.heads, sizes.heads);
    const std::int64_t queries = chosen(options.weights_for.queries, sizes.queries);
    const std::int64_t weights = bytes_of(count({sizes.batch, heads, queries, sizes.keys}), stored);
    const std::int64_t indices = bytes_of(saturating_sum(heads, queries), sizeof(Index));
    parts.push_back({"weights", saturating_sum(weights, indices), "limit them with weightsFor"});
  }
  return parts;
}

}  // namespace

Error check_layout(const Tensor& tensor, const std::string& argument, std::int64_t memory_limit) {
  std::int64_t cells = 1;  // with empty axes counted as 1, so that no index along any axis wraps
  std::int64_t furthest = 0;
  for (const std::int64_t length : tensor.shape) {  // first: default strides are made from them
    if (length >= 0) continue;
    return {"shape", argument,
            sentence(argument, " has shape ", shape_text(tensor), "; lengths must be 0 or more")};
  }
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::int64_t length = tensor.shape[axis], stride = tensor.strides[axis];
    cells = saturating_product(cells, std::max<std::int64_t>(length, 1));
    if (length <= 1) continue;
    if (stride < 0) {
      return {"shape", argument,
              sentence(argument, " has the stride ", stride,
                       ", which leads out of its data; strides must be 0 or more")};
    }
    furthest = saturating_sum(furthest, saturating_product(length - 1, stride));
  }
  const std::int64_t size = tensor.size();
  if (tensor.length >= 0 && !tensor.strided && tensor.length != size) {
    return {
        "data", argument,
        sentence(argument, " has shape ", shape_text(tensor), ", which is ", size,
                 " elements, but its data has ", tensor.length, "; give one that fits the other")};
  }
  if (tensor.length >= 0 && tensor.strided && size > 0 && furthest >= tensor.length) {
    return {"data", argument,
            sentence(argument, " has shape ", shape_text(tensor),
                     " and strides that reach element ", furthest, ", but its data has ",
                     tensor.length, " elements; give longer data or smaller strides")};
  }
  const std::int64_t bytes = bytes_of(std::max(cells, furthest), info(tensor.dtype).bytes);
  const std::int64_t most = largest_array(memory_limit);
  if (bytes <= most) return {};
  if (size == 0) {
    return {"shape", argument,
            sentence(argument, " has shape ", shape_text(tensor),
                     ", too long to be indexed although it is empty; give shorter axes")};
  }
  return {
      "memory", argument,
      sentence(argument, " has shape ", shape_text(tensor), ", which takes ", mebibytes(bytes),
               " of memory, but ", mebibytes(most), " can be had; pass a part of it at a time")};
}

Error check_memory(const Call& call, Purpose purpose, std::int64_t limit, const Sizes& sizes,
                   int workers, std::int64_t& total) {
  const std::vector<Part> parts = memory_parts(call, purpose, sizes, workers);
  const Part& largest = *std::max_element(
      parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.bytes < b.bytes; });
  total = 0;
  for (const Part& part : parts) total = saturating_sum(total, part.bytes);
  if (limit != 0 && total > limit) {
    return {"memory", largest.name,
            sentence("the call needs ", mebibytes(total), " of memory but ", mebibytes(limit),
                     " can be had; ", largest.name, " takes ", mebibytes(largest.bytes),
                     " of it: ", largest.remedy)};
  }
  if (largest.bytes > largest_array(0)) {
    return {"memory", largest.name,
            sentence(largest.name, " takes ", mebibytes(largest.bytes),
                     " of memory but one array can have ", mebibytes(largest_array(0)), ": ",
                     largest.remedy)};
  }
  return {};
}

Error mask_too_large(std::int64_t most_bytes) {
  return {"memory", "mask",
          sentence("the mask allows so many separate ranges of keys that their table needs more "
                   "memory than the ",
                   mebibytes(most_bytes),
                   " that can be had; pass fewer batch elements, heads or queries at a time")};
}

}  // namespace attention
