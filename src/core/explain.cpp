// The plain path: the formula as the paper has it, for one query at a time.
//
//   query q [d_k]   keys k [S, d_k]   values v [S, d_v]
//
//   scores[j]       = Σ_c q[c]·k[j][c]
//   scaled[j]       = scores[j] · scale
//   capped[j]       = softcap · tanh(scaled[j] / softcap)
//   biased[j]       = capped[j] + bias[j] − slope·|position − j|
//   masked[j]       = biased[j] where key j is allowed, else −∞
//   rowMax          = max_j masked[j], and the sink
//   exponentials[j] = e^(masked[j] − rowMax) where allowed, else 0
//   rowSum          = Σ_j exponentials[j] + e^(sink − rowMax)
//   weights[j]      = exponentials[j] / rowSum where allowed, else 0
//   dropped[j]      = weights[j] / (1 − p) where kept, else 0
//   output[c]       = Σ_j dropped[j]·v[j][c] over the allowed keys
//   lse             = rowMax + ln rowSum

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/attention.h"

namespace attention {
namespace {

/// Arithmetic in float32 or float64, as the machine does it.
template <class T>
struct Native {
  using Number = T;
  static T rounded(T x) { return x; }
};

/// Arithmetic in a type that is narrower than float32: every result is rounded to it.
template <class Stored>
struct Narrow {
  using Number = float;
  static float rounded(float x) { return widen(narrow<Stored>(x)); }
};

/// Where one query's stages are written; those the call does not have are null.
template <class Number>
struct RowStages {
  std::array<Number*, stages.size()> at = {};
  Number* operator[](Stage stage) const { return at[static_cast<std::size_t>(stage)]; }
};

/// The stages of `rows` queries.
template <class Number>
class Storage {
 public:
  Storage(const Call& call, const Sizes& sizes, Index rows) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (!has_stage(call.options, static_cast<Stage>(s))) continue;
      width_[s] = stages[s].axis == Axis::keys        ? sizes.keys
                  : stages[s].axis == Axis::value_dim ? sizes.value_dim
                                                      : 1;
      data_[s] = std::make_shared<std::vector<Number>>(static_cast<std::size_t>(rows * width_[s]));
    }
  }

  RowStages<Number> row(Index row) const {
    RowStages<Number> result;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (data_[s]) result.at[s] = data_[s]->data() + row * width_[s];
    }
    return result;
  }

  std::shared_ptr<std::vector<Number>> operator[](std::size_t stage) const { return data_[stage]; }

 private:
  std::array<std::shared_ptr<std::vector<Number>>, stages.size()> data_;
  std::array<Index, stages.size()> width_ = {};
};

/// Takes queries through the stages.
template <class Stored, class Arithmetic>
class PlainPath {
 public:
  using Number = typename Arithmetic::Number;
  static constexpr Number infinity = std::numeric_limits<Number>::infinity();

  PlainPath(const Call& call, const Plan& plan)
      : options_(call.options),
        plan_(plan),
        query_(view<const Stored>(call.query)),
        key_(view<const Stored>(call.key)),
        value_(view<const Stored>(call.value)),
        bias_(options_.bias ? static_cast<std::size_t>(plan.sizes.keys) : 0) {}

  /// Writes the stages of one query and returns its lse.
  Number run(const Row& at, const RowStages<Number>& stage) {
    find_allowed(at);
    score(at, stage);
    mask(stage);
    const Number lse = softmax(at, stage);
    drop(at, stage);
    mix_values(at, stage);
    return lse;
  }

  /// The keys that the query of the last run() may read.
  const KeyRanges& allowed() const { return allowed_; }

  /// Whether what the last run()'s score of key j was made from is finite.
  bool inputs_finite(const Row& at, Index j) const {
    const Index head = plan_.sizes.kv_head(at.head);
    for (Index c = 0; c < plan_.sizes.head_dim; ++c) {
      if (!std::isfinite(widen(query_(at.batch, at.head, at.query, c)))) return false;
      if (!std::isfinite(widen(key_(at.batch, head, j, c)))) return false;
    }
    return bias_.empty() || std::isfinite(bias_[static_cast<std::size_t>(j)]);
  }

 private:
  static Number rounded(Number x) { return Arithmetic::rounded(x); }
  static Number rounded_option(double x) { return rounded(static_cast<Number>(x)); }

  template <class F>
  void for_allowed(F&& f) const {
    for (const KeyRange& range : allowed_) {
      for (Index j = range.begin; j < range.end; ++j) f(j);
    }
  }

  /// The mask's ranges, cut where the bias is −∞.
  void find_allowed(const Row& at) {
    plan_.mask.row(at.batch, at.head, at.query, ranges_);
    if (!options_.bias) {
      allowed_ = ranges_;
      return;
    }
    dispatch(options_.bias->dtype, [&](auto zero) {
      const auto bias = broadcast<const decltype(zero)>(*options_.bias);
      for (Index j = 0; j < plan_.sizes.keys; ++j) {
        bias_[static_cast<std::size_t>(j)] =
            rounded(static_cast<Number>(widen(bias(at.batch, at.head, at.query, j))));
      }
    });
    allowed_.clear();
    for (const KeyRange& range : ranges_) {
      Index begin = range.begin;
      for (Index j = range.begin; j <= range.end; ++j) {
        if (j < range.end && bias_[static_cast<std::size_t>(j)] != -infinity) continue;
        if (begin < j) allowed_.push_back({begin, j});
        begin = j + 1;
      }
    }
  }

  // 1. scores = Q·Kᵀ · scale, capped, + bias, + ALiBi
  void score(const Row& at, const RowStages<Number>& stage) const {
    const Index keys = plan_.sizes.keys;
    const Index head = plan_.sizes.kv_head(at.head);
    Number* s = stage[Stage::scores];
    for (Index j = 0; j < keys; ++j) {
      Number sum = 0;
      for (Index c = 0; c < plan_.sizes.head_dim; ++c) {
        sum = rounded(sum + rounded(widen(query_(at.batch, at.head, at.query, c)) *
                                    widen(key_(at.batch, head, j, c))));
      }
      s[j] = sum;
    }

    const Number scale = rounded_option(plan_.scale);
    Number* scaled = stage[Stage::scaled];
    for (Index j = 0; j < keys; ++j) scaled[j] = rounded(s[j] * scale);
    s = scaled;

    if (Number* capped = stage[Stage::capped]) {
      const Number cap = rounded_option(options_.softcap);
      for (Index j = 0; j < keys; ++j) {
        capped[j] = rounded(cap * rounded(std::tanh(rounded(s[j] / cap))));
      }
      s = capped;
    }

    if (Number* biased = stage[Stage::biased]) {
      std::copy(s, s + keys, biased);
      if (options_.bias) {
        for (Index j = 0; j < keys; ++j) {
          biased[j] = rounded(biased[j] + bias_[static_cast<std::size_t>(j)]);
        }
      }
      if (!plan_.slopes.empty()) {
        const Number slope = rounded_option(plan_.slope(at.batch, at.head));
        for (Index j = 0; j < keys; ++j) {
          const Number distance = rounded(static_cast<Number>(std::abs(at.position - j)));
          biased[j] = rounded(biased[j] - rounded(slope * distance));
        }
      }
    }
  }

  // 2. −∞ where the mask does not allow; chosen, not added, so that NaN cannot pass
  void mask(const RowStages<Number>& stage) const {
    const Number* s = stage[Stage::scaled];
    for (const Stage later : {Stage::capped, Stage::biased}) {
      if (stage[later]) s = stage[later];
    }
    Number* masked = stage[Stage::masked];
    std::fill(masked, masked + plan_.sizes.keys, -infinity);
    for_allowed([&](Index j) { masked[j] = s[j]; });
  }

  // 3. softmax, with the sink in its denominator
  Number softmax(const Row& at, const RowStages<Number>& stage) const {
    const Index keys = plan_.sizes.keys;
    const Number sink = options_.sinks.empty()
                            ? -infinity
                            : rounded_option(options_.sinks[static_cast<std::size_t>(at.head)]);
    const Number* masked = stage[Stage::masked];
    Number& row_max = *stage[Stage::row_max];
    row_max = sink;
    for_allowed([&](Index j) {
      if (masked[j] > row_max || std::isnan(masked[j])) row_max = masked[j];
    });

    Number* exponentials = stage[Stage::exponentials];
    std::fill(exponentials, exponentials + keys, Number(0));
    for_allowed(
        [&](Index j) { exponentials[j] = rounded(std::exp(rounded(masked[j] - row_max))); });

    Number& row_sum = *stage[Stage::row_sum];
    row_sum = sink == -infinity ? Number(0) : rounded(std::exp(rounded(sink - row_max)));
    for_allowed([&](Index j) { row_sum = rounded(row_sum + exponentials[j]); });

    Number* weights = stage[Stage::weights];
    std::fill(weights, weights + keys, Number(0));
    for_allowed([&](Index j) { weights[j] = rounded(exponentials[j] / row_sum); });
    return rounded(row_max + rounded(std::log(row_sum)));
  }

  // 4. dropout
  void drop(const Row& at, const RowStages<Number>& stage) const {
    Number* dropped = stage[Stage::dropped];
    if (!dropped) return;
    const Number* weights = stage[Stage::weights];
    const Number kept = rounded_option(1 - options_.dropout->p);
    for (Index j = 0; j < plan_.sizes.keys; ++j) {
      const bool keeps = dropout_keeps(*options_.dropout, at.batch, at.head, at.query, j);
      dropped[j] = keeps ? rounded(weights[j] / kept) : Number(0);
    }
  }

  // 5. output = weights · V
  void mix_values(const Row& at, const RowStages<Number>& stage) const {
    const Index head = plan_.sizes.kv_head(at.head);
    const Number* weights = stage[stage[Stage::dropped] ? Stage::dropped : Stage::weights];
    Number* output = stage[Stage::output];
    std::fill(output, output + plan_.sizes.value_dim, Number(0));
    for_allowed([&](Index j) {
      for (Index c = 0; c < plan_.sizes.value_dim; ++c) {
        output[c] = rounded(output[c] + rounded(weights[j] * widen(value_(at.batch, head, j, c))));
      }
    });
  }

  const Options& options_;
  const Plan& plan_;
  View<const Stored> query_, key_, value_;
  KeyRanges ranges_;          ///< what the mask allows
  KeyRanges allowed_;         ///< what mask and bias allow
  std::vector<Number> bias_;  ///< the row's, if there is one
};

/// f(row, number): every query, numbered in the order of [B, H, T].
template <class F>
void for_rows(const Plan& plan, F&& f) {
  const Sizes& sizes = plan.sizes;
  Index number = 0;
  for (Index b = 0; b < sizes.batch; ++b) {
    for (Index h = 0; h < sizes.heads; ++h) {
      for (Index i = 0; i < sizes.queries; ++i, ++number) {
        f(Row{b, h, i, plan.mask.shape().position(b, i)}, number);
      }
    }
  }
}

template <class Number>
Step make_step(const char* name, Shape shape, int rank, std::shared_ptr<std::vector<Number>> data) {
  Tensor tensor;
  tensor.data = data->data();
  tensor.dtype = std::is_same_v<Number, double> ? DType::float64 : DType::float32;
  tensor.rank = rank;
  tensor.shape = shape;
  tensor.strides = row_major(shape);
  tensor.length = static_cast<std::int64_t>(data->size());
  return {name, tensor, std::move(data)};
}

template <class Stored, class Arithmetic>
Trace trace(const Call& call, const Plan& plan) {
  using Number = typename Arithmetic::Number;
  const Sizes& sizes = plan.sizes;
  const Index rows = sizes.batch * sizes.heads * sizes.queries;
  const Storage<Number> storage(call, sizes, rows);
  const auto lse = std::make_shared<std::vector<Number>>(static_cast<std::size_t>(rows));
  PlainPath<Stored, Arithmetic> path(call, plan);
  Trace result;
  for_rows(plan, [&](const Row& row, Index number) {
    (*lse)[static_cast<std::size_t>(number)] = path.run(row, storage.row(number));
  });

  const int rank = call.query.rank;
  const Shape per_row = {1, sizes.batch, sizes.heads, sizes.queries};
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (!storage[s]) continue;
    const Axis axis = stages[s].axis;
    const Shape shape = {sizes.batch, sizes.heads, sizes.queries,
                         axis == Axis::keys ? sizes.keys : sizes.value_dim};
    result.steps.push_back(axis == Axis::none
                               ? make_step(stages[s].name, per_row, rank - 1, storage[s])
                               : make_step(stages[s].name, shape, rank, storage[s]));
  }
  result.lse = make_step("lse", per_row, rank - 1, lse);
  return result;
}

/// Where in `chosen` each of `count` indices stands; an index may be chosen twice.
std::vector<std::vector<Index>> places(const std::vector<Index>& chosen, Index count) {
  std::vector<std::vector<Index>> result(static_cast<std::size_t>(count));
  for (std::size_t place = 0; place < chosen.size(); ++place) {
    result[static_cast<std::size_t>(chosen[place])].push_back(static_cast<Index>(place));
  }
  return result;
}

template <class Number, class Stored>
void store_row(const Number* from, Index width, const View<Stored>& to, Index b, Index h, Index i) {
  for (Index j = 0; j < width; ++j) to(b, h, i, j) = narrow<Stored>(from[j]);
}

}  // namespace

Explanation explain(const Call& call, const Plan& plan) {
  return dispatch(call.query.dtype, [&](auto zero) {
    using Stored = decltype(zero);
    Explanation result{trace<Stored, Native<Compute<Stored>>>(call, plan), {}};
    if constexpr (sizeof(Stored) < sizeof(float)) {
      result.unwidened = trace<Stored, Narrow<Stored>>(call, plan);
    }
    return result;
  });
}

Info attend_plain(const Call& call, const Plan& plan, const Result& result) {
  const Sizes& sizes = plan.sizes;
  Info info;
  info.path = "plain";
  info.allowed_cells = plan.mask.allowed_cells();
  info.total_cells = count({sizes.batch, sizes.heads, sizes.queries, sizes.keys});
  const auto head_places = places(plan.weight_heads, sizes.heads);
  const auto query_places = places(plan.weight_queries, sizes.queries);

  dispatch(call.query.dtype, [&](auto zero) {
    using Stored = decltype(zero);
    using Number = Compute<Stored>;
    const auto output = view<Stored>(result.output);
    const auto lse = view<Number>(result.lse);
    const auto weights = view<Stored>(result.weights);
    const Storage<Number> storage(call, sizes, 1);
    const RowStages<Number> stage = storage.row(0);
    const Number* returned = stage[stage[Stage::dropped] ? Stage::dropped : Stage::weights];

    PlainPath<Stored, Native<Number>> path(call, plan);
    for_rows(plan, [&](const Row& row, Index) {
      const auto [b, h, i, position] = row;
      const Number row_lse = path.run(row, stage);
      if (path.allowed().empty()) ++info.empty_rows;
      if (output.data) store_row(stage[Stage::output], sizes.value_dim, output, b, h, i);
      if (lse.data) lse(0, b, h, i) = row_lse;
      if (!weights.data) return;
      for (const Index head : head_places[static_cast<std::size_t>(h)]) {
        for (const Index query : query_places[static_cast<std::size_t>(i)]) {
          store_row(returned, sizes.keys, weights, b, head, query);
        }
      }
    });
  });
  return info;
}

}  // namespace attention
