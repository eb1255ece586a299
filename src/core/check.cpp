// Every shape, option and memory rule of a call, before any work. Nothing here trusts a number:
// products saturate, and a size is an Index only after it has been compared with what one can hold.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include "core/attention.h"
#include "core/memory.h"

namespace attention {
namespace {

struct Named {
  const char* name;
  const Tensor& tensor;
};

std::string shapes_text(const Named& a, const Named& b) {
  return sentence(" (", a.name, " ", shape_text(a.tensor), ", ", b.name, " ", shape_text(b.tensor),
                  ")");
}

// ---- query, key and value -----------------------------------------------------------------------

Error check_input(const Named& input, std::int64_t memory_limit) {
  const auto& [name, tensor] = input;
  if (tensor.rank < 2 || tensor.rank > 4) {
    return {"rank", name,
            sentence(name, " has rank ", tensor.rank,
                     "; give rank 4 [batch, heads, length, dim], 3 [heads, length, dim] or 2 "
                     "[length, dim]")};
  }
  if (!is_float(tensor.dtype)) {
    return {"dtype", name,
            sentence(name, " is ", info(tensor.dtype).name,
                     "; give float32, float64, float16 or bfloat16")};
  }
  return check_layout(tensor, name, memory_limit);
}

/// Two inputs are of one kind: rank and dtype.
Error check_alike(const Named& query, const Named& other) {
  if (other.tensor.rank != query.tensor.rank) {
    return {"rank", other.name,
            sentence(other.name, " has rank ", other.tensor.rank, " but ", query.name, " has rank ",
                     query.tensor.rank, shapes_text(query, other),
                     "; give query, key and value the same rank")};
  }
  if (other.tensor.dtype != query.tensor.dtype) {
    return {"dtype", other.name,
            sentence(other.name, " is ", info(other.tensor.dtype).name, " but ", query.name, " is ",
                     info(query.tensor.dtype).name,
                     "; convert one of them: query, key and value have one dtype")};
  }
  return {};
}

Error check_axis(const Named& first, const Named& second, std::size_t axis, const char* axis_name) {
  const std::int64_t a = first.tensor.shape[axis], b = second.tensor.shape[axis];
  if (a == b) return {};
  return {"shape", second.name,
          sentence(second.name, " has ", axis_name, " ", b, " but ", first.name, " has ", axis_name,
                   " ", a, shapes_text(first, second))};
}

Error check_inputs(const Call& call, std::int64_t memory_limit) {
  const Named query{"query", call.query}, key{"key", call.key}, value{"value", call.value};
  for (const Named& input : {query, key, value}) {
    if (Error error = check_input(input, memory_limit)) return error;
  }
  for (const Named& other : {key, value}) {
    if (Error error = check_alike(query, other)) return error;
  }
  if (Error error = check_axis(query, key, 3, "head_dim")) return error;
  if (Error error = check_axis(query, key, 0, "batch")) return error;
  if (Error error = check_axis(query, value, 0, "batch")) return error;
  if (Error error = check_axis(key, value, 1, "heads")) return error;
  if (Error error = check_axis(key, value, 2, "length")) return error;
  const std::int64_t heads = call.query.shape[1], kv_heads = call.key.shape[1];
  if (kv_heads == 0 ? heads != 0 : heads % kv_heads != 0) {
    return {
        "shape", "query",
        sentence("query has heads ", heads, " but key has heads ", kv_heads,
                 shapes_text(query, key), "; the query's heads must be a multiple of the key's")};
  }
  return {};
}

Sizes sizes_of(const Call& call) {
  const auto length = [](const Tensor& tensor, std::size_t axis) {
    return static_cast<Index>(tensor.shape[axis]);
  };
  return {.batch = length(call.query, 0),
          .heads = length(call.query, 1),
          .kv_heads = std::max<Index>(length(call.key, 1), 1),
          .queries = length(call.query, 2),
          .keys = length(call.key, 2),
          .head_dim = length(call.query, 3),
          .value_dim = length(call.value, 3)};
}

// ---- options ------------------------------------------------------------------------------------

/// A number that is finite in the type the call computes in.
Error check_finite(double number, const char* argument, const Call& call) {
  if (!std::isfinite(number)) {
    return {"option", argument,
            sentence(argument, " is ", to_text(number), "; give a finite number")};
  }
  if (call.query.dtype != DType::float64 && std::isinf(static_cast<float>(number))) {
    return {"option", argument,
            sentence(argument, " is ", to_text(number),
                     ", which is infinite in float32; give a smaller number or float64 inputs")};
  }
  return {};
}

Error check_scale(const Call& call, const Sizes& sizes) {
  if (call.options.scale) return check_finite(*call.options.scale, "scale", call);
  if (sizes.head_dim > 0) return {};
  return {"option", "scale",
          "query and key have head_dim 0, for which the default scale 1/√head_dim is infinite; "
          "give scale"};
}

Error check_softcap(const Call& call) {
  const double softcap = call.options.softcap;
  if (Error error = check_finite(softcap, "softcap", call)) return error;
  const bool vanishes =
      softcap > 0 && call.query.dtype != DType::float64 && static_cast<float>(softcap) == 0;
  if (softcap >= 0 && !vanishes) return {};
  return {"option", "softcap",
          sentence("softcap is ", to_text(softcap),
                   (vanishes ? ", which is 0 in float32; give a larger number or float64 inputs"
                             : "; give a number above 0, or 0 for none"))};
}

Error check_bias(const Call& call, const Sizes& sizes, std::int64_t memory_limit) {
  if (!call.options.bias) return {};
  const Tensor& bias = *call.options.bias;
  if (bias.rank < 1 || bias.rank > 4) {
    return {"rank", "bias",
            sentence("bias has rank ", bias.rank,
                     "; give rank 1 to 4, aligned right with [batch, heads, queries, keys]")};
  }
  const DType dtype = call.query.dtype;
  const bool half = dtype == DType::float16 || dtype == DType::bfloat16;
  if (bias.dtype != dtype && !(half && bias.dtype == DType::float32)) {
    return {
        "dtype", "bias",
        sentence("bias is ", info(bias.dtype).name, " but query is ", info(dtype).name,
                 "; give a bias of dtype ", info(dtype).name, (half ? " or float32" : ""),
                 (bias.dtype == DType::boolean ? ", or a mask rule 'allowed' or 'blocked'" : ""))};
  }
  if (Error error = check_layout(bias, "bias", memory_limit)) return error;
  const Shape full = {sizes.batch, sizes.heads, sizes.queries, sizes.keys};
  constexpr std::array<const char*, 4> axes = {"batch", "heads", "queries", "keys"};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (bias.shape[axis] == full[axis] || bias.shape[axis] == 1) continue;
    Tensor whole;
    whole.shape = full;
    return {"shape", "bias",
            sentence("bias ", shape_text(bias),
                     " does not broadcast to [batch, heads, queries, keys] = ", shape_text(whole),
                     ": ", axes[axis], " must be ", full[axis], " or 1 but is ", bias.shape[axis])};
  }
  return {};
}

/// Of numbers in a list; the error says at which place.
Error check_finite_at(std::size_t place, double number, const char* argument, const Call& call) {
  Error error = check_finite(number, argument, call);
  if (error) error.message.insert(error.argument.size(), sentence("[", place, "]"));
  return error;
}

Error check_alibi(const Call& call, const Sizes& sizes) {
  const Alibi& alibi = call.options.alibi;
  if (alibi.kind != Alibi::slopes) return {};
  const std::int64_t given = static_cast<std::int64_t>(alibi.values.size());
  const std::int64_t wanted = alibi.rank == 2 ? sizes.batch * sizes.heads : sizes.heads;
  if (given != wanted) {
    return {"shape", "alibi",
            sentence("alibi has ", given, " slopes but query has ",
                     (alibi.rank == 2 ? sentence("batch ", sizes.batch, " and ") : ""), "heads ",
                     sizes.heads, "; give ", wanted, " slopes, or true for the published ones")};
  }
  for (std::size_t at = 0; at < alibi.values.size(); ++at) {
    if (Error error = check_finite_at(at, alibi.values[at], "alibi", call)) return error;
  }
  return {};
}

Error check_sinks(const Call& call, const Sizes& sizes) {
  if (!call.options.sinks) return {};
  const std::vector<double>& sinks = *call.options.sinks;
  if (static_cast<std::int64_t>(sinks.size()) != sizes.heads) {
    return {"shape", "sinks",
            sentence("sinks has ", sinks.size(), " numbers but query has heads ", sizes.heads,
                     "; give one for each head")};
  }
  for (std::size_t head = 0; head < sinks.size(); ++head) {
    if (std::isinf(sinks[head]) && sinks[head] < 0) continue;  // e^−∞ = 0: this head has none
    if (Error error = check_finite_at(head, sinks[head], "sinks", call)) return error;
  }
  return {};
}

Error check_dropout(const Options& options) {
  if (!options.dropout || (options.dropout->p >= 0 && options.dropout->p <= 1)) return {};
  return {
      "option", "dropout.p",
      sentence("dropout.p is ", to_text(options.dropout->p), "; give a probability from 0 to 1")};
}

/// Fills in the position of query 0.
Error check_start(const Call& call, const Sizes& sizes, std::vector<std::int64_t>& start) {
  const Start& given = call.options.start;
  const std::int64_t last = std::int64_t{sizes.keys} - sizes.queries;
  start = {given.corner == Start::bottom_right ? last : 0};
  if (given.corner == Start::numbers) {
    if (given.values.size() != 1 && static_cast<std::int64_t>(given.values.size()) != sizes.batch) {
      return {"shape", "start",
              sentence("start has ", given.values.size(), " numbers but query has batch ",
                       sizes.batch, "; give one, or one for each batch element")};
    }
    constexpr std::int64_t most = std::int64_t{1} << 53;  // whole numbers a double can hold
    for (const std::int64_t value : given.values) {
      if (value >= -most && value <= most) continue;
      return {"option", "start",
              sentence("start is ", value, "; give a whole number from −2⁵³ to 2⁵³")};
    }
    start = given.values;
  }
  if (given.corner != Start::unsaid || last == 0) return {};

  std::string user;
  for (const Rule& rule : call.options.mask) {
    if (user.empty() && uses_positions({rule})) user = std::string("mask rule ") + rule.kind->name;
  }
  if (user.empty() && call.options.alibi.kind != Alibi::off) user = "alibi";
  if (user.empty()) return {};
  return {"option", "start",
          sentence(
              "start must be said when query and key differ in length (", sizes.queries, " and ",
              sizes.keys, ") and ", user,
              " uses positions: give 'top-left' (query 0 stands at key 0), 'bottom-right' (at key ",
              last, ") or a number")};
}

/// Whether the indices chosen are among `count`.
Error check_chosen(const std::optional<std::vector<std::int64_t>>& chosen, Index count,
                   const char* argument, const char* axis) {
  if (!chosen) return {};
  for (const std::int64_t index : *chosen) {
    if (index >= 0 && index < count) continue;
    return {"option", argument,
            sentence(argument, " asks for ", index, " but query has ", axis, " ", count,
                     "; give whole numbers from 0 to ", count - 1)};
  }
  return {};
}

/// The indices chosen of `count`, all of them if there is no choice.
std::vector<Index> indices_of(const std::optional<std::vector<std::int64_t>>& chosen, Index count) {
  if (chosen) return {chosen->begin(), chosen->end()};
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// ALiBi's published slopes: for a power of two n the series 2^(−8/n), 2^(−16/n), …; for other
/// counts the series of the power of two below, then every other slope of that of twice it.
/// Source: Press et al. 2022, "Train short, test long".
std::vector<double> paper_slopes(Index heads) {
  const std::size_t count = static_cast<std::size_t>(heads);
  const std::size_t power = std::bit_floor(count);
  std::vector<double> slopes;
  for (std::size_t h = 0; h < count; ++h) {
    const double place =
        h < power ? static_cast<double>(h + 1) : static_cast<double>(h - power) + 0.5;
    slopes.push_back(std::exp2(-8 * place / static_cast<double>(power)));
  }
  return slopes;
}

}  // namespace

Error check(const Call& call, Purpose purpose, std::int64_t memory_limit, Plan& plan, int workers) {
  const Options& options = call.options;
  const std::int64_t tensor_limit = purpose == Purpose::mask ? 0 : memory_limit;
  if (Error error = check_inputs(call, tensor_limit)) return error;
  const Sizes sizes = sizes_of(call);
  if (Error error = check_scale(call, sizes)) return error;
  if (Error error = check_softcap(call)) return error;
  if (Error error = check_bias(call, sizes, tensor_limit)) return error;
  if (Error error = check_alibi(call, sizes)) return error;
  if (Error error = check_sinks(call, sizes)) return error;
  if (Error error = check_dropout(options)) return error;

  MaskShape shape;
  shape.batch = sizes.batch;
  shape.heads = sizes.heads;
  shape.queries = sizes.queries;
  shape.keys = sizes.keys;
  if (Error error = check_mask(options.mask, shape)) return error;
  if (Error error = check_start(call, sizes, shape.start)) return error;
  const WeightsFor& chosen = options.weights_for;
  if (Error error = check_chosen(chosen.heads, sizes.heads, "weightsFor.heads", "heads")) {
    return error;
  }
  if (Error error = check_chosen(chosen.queries, sizes.queries, "weightsFor.queries", "length")) {
    return error;
  }
  plan.bytes = 0;
  if (purpose != Purpose::mask) {
    if (Error error = check_memory(call, purpose, memory_limit, sizes, workers, plan.bytes)) {
      return error;
    }
  }

  plan.sizes = sizes;
  plan.scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(sizes.head_dim)));
  const std::int64_t left = std::max<std::int64_t>(memory_limit - plan.bytes, 1);
  shape.most_bytes = memory_limit == 0 ? 0 : left;
  plan.mask = Mask(options.mask, shape);
  if (!plan.mask.complete()) return mask_too_large(left);
  plan.bytes = saturating_sum(plan.bytes, static_cast<std::int64_t>(plan.mask.bytes()));
  plan.weight_heads.clear();
  plan.weight_queries.clear();
  if (options.returns.weights) {
    plan.weight_heads = indices_of(chosen.heads, sizes.heads);
    plan.weight_queries = indices_of(chosen.queries, sizes.queries);
  }
  plan.slopes =
      options.alibi.kind == Alibi::paper ? paper_slopes(sizes.heads) : options.alibi.values;
  return {};
}

}  // namespace attention
