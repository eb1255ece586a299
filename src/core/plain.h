#pragma once

// The plain path: the formula as the paper has it, for one query at a time. explain() keeps every
// stage, attend_plain() only what is asked for.
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
#include <memory>

#include "core/attention.h"

namespace attention {

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
  static float rounded(float x) { return round_to<Stored>(x); }
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
      width_[s] = width(stages[s].axis, sizes);
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

/// An input in the type that is computed in: as it lies in memory, or else widened, row-major.
template <class Number>
class Widened : public View<const Number> {
 public:
  explicit Widened(const Tensor& tensor) {
    dispatch(tensor.dtype, [&](auto zero) {
      using Stored = decltype(zero);
      const auto stored = view<const Stored>(tensor);
      if constexpr (std::is_same_v<Stored, Number>) {
        View<const Number>::operator=(stored);
      } else {
        widen_all(stored, tensor.shape);
      }
    });
  }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;

 private:
  template <class Stored>
  void widen_all(const View<const Stored>& stored, const Shape& shape) {
    numbers_.reserve(static_cast<std::size_t>(count(shape)));
    for (Index b = 0; b < stored.shape[0]; ++b) {
      for (Index h = 0; h < stored.shape[1]; ++h) {
        for (Index i = 0; i < stored.shape[2]; ++i) {
          for (Index c = 0; c < stored.shape[3]; ++c) {
            numbers_.push_back(static_cast<Number>(widen(stored(b, h, i, c))));
          }
        }
      }
    }
    const Shape strides = row_major(shape);
    this->data = numbers_.data();
    this->shape = stored.shape;
    std::copy(strides.begin(), strides.end(), this->strides.begin());
  }

  std::vector<Number> numbers_;
};

/// Takes queries through the stages. What the inputs are stored in does not matter here: there is
/// one path for each arithmetic.
template <class Arithmetic>
class PlainPath {
 public:
  using Number = typename Arithmetic::Number;
  static constexpr Number infinity = std::numeric_limits<Number>::infinity();

  PlainPath(const Call& call, const Plan& plan)
      : options_(call.options),
        plan_(plan),
        query_(call.query),
        key_(call.key),
        value_(call.value),
        bias_(options_.bias ? static_cast<std::size_t>(plan.sizes.keys) : 0) {}

  /// Writes the stages of one query and returns its lse.
  Number run(const Row& row, const RowStages<Number>& stage) {
    find_allowed(row);
    score(row, stage);
    mask(stage);
    const Number lse = softmax(row, stage);
    drop(row, stage);
    mix_values(row, stage);
    return lse;
  }

  /// The keys that the query of the last run() may read, and those that the bias lets it read.
  const KeyRanges& allowed() const { return allowed_; }
  const KeyRanges& bias_ranges() const { return bias_ranges_; }

  template <class F>
  void for_allowed(F&& f) const {
    for (const KeyRange& range : allowed_) {
      for (Index j = range.begin; j < range.end; ++j) f(j);
    }
  }

  /// Whether what the last run()'s score of key j was made from is finite.
  bool inputs_finite(const Row& row, Index j) const {
    const Index head = plan_.sizes.kv_head(row.head);
    for (Index c = 0; c < plan_.sizes.head_dim; ++c) {
      if (!std::isfinite(query_(row.batch, row.head, row.query, c))) return false;
      if (!std::isfinite(key_(row.batch, head, j, c))) return false;
    }
    return bias_.empty() || std::isfinite(bias_[static_cast<std::size_t>(j)]);
  }

 private:
  static Number rounded(Number x) { return Arithmetic::rounded(x); }
  static Number rounded_option(double x) { return rounded(static_cast<Number>(x)); }

  /// The keys that both the mask and the bias allow.
  void find_allowed(const Row& row) {
    plan_.mask.row(row.batch, row.head, row.query, mask_ranges_);
    if (!options_.bias) {
      allowed_ = mask_ranges_;
      return;
    }
    bias_ranges_.clear();
    dispatch(options_.bias->dtype, [&](auto zero) {
      const auto bias = broadcast<const decltype(zero)>(*options_.bias);
      for (Index j = 0; j < plan_.sizes.keys; ++j) {
        const Number number = static_cast<Number>(widen(bias(row.batch, row.head, row.query, j)));
        bias_[static_cast<std::size_t>(j)] = rounded(number);
        if (number == -infinity) continue;
        if (bias_ranges_.empty() || bias_ranges_.back().end < j) bias_ranges_.push_back({j, j});
        bias_ranges_.back().end = j + 1;
      }
    });
    intersect(mask_ranges_, bias_ranges_, allowed_);
  }

  // 1. scores = Q·Kᵀ · scale, capped, + bias, + ALiBi
  void score(const Row& row, const RowStages<Number>& stage) const {
    const Index keys = plan_.sizes.keys;
    const Index head = plan_.sizes.kv_head(row.head);
    const Number* q = query_.row(row.batch, row.head, row.query);
    const Index q_step = query_.strides[3], k_step = key_.strides[3];
    Number* s = stage[Stage::scores];
    for (Index j = 0; j < keys; ++j) {
      const Number* k = key_.row(row.batch, head, j);
      Number sum = 0;
      for (Index c = 0; c < plan_.sizes.head_dim; ++c) {
        sum = rounded(sum + rounded(q[c * q_step] * k[c * k_step]));
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
        const Number slope = rounded_option(plan_.slope(row.batch, row.head));
        for (Index j = 0; j < keys; ++j) {
          const Number distance = rounded(static_cast<Number>(std::abs(row.position - j)));
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
  Number softmax(const Row& row, const RowStages<Number>& stage) const {
    const Index keys = plan_.sizes.keys;
    const Number sink = rounded_option(options_.sink(row.head));
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
  void drop(const Row& row, const RowStages<Number>& stage) const {
    Number* dropped = stage[Stage::dropped];
    if (!dropped) return;
    const Number* weights = stage[Stage::weights];
    const Number kept = rounded_option(1 - options_.dropout->p);
    for (Index j = 0; j < plan_.sizes.keys; ++j) {
      const bool keeps = dropout_keeps(*options_.dropout, row.batch, row.head, row.query, j);
      dropped[j] = keeps ? rounded(weights[j] / kept) : Number(0);
    }
  }

  // 5. output = weights · V
  void mix_values(const Row& row, const RowStages<Number>& stage) const {
    const Index head = plan_.sizes.kv_head(row.head);
    const Number* weights = stage[stage[Stage::dropped] ? Stage::dropped : Stage::weights];
    Number* output = stage[Stage::output];
    std::fill(output, output + plan_.sizes.value_dim, Number(0));
    for_allowed([&](Index j) {
      const Number weight = weights[j];
      const Number* v = value_.row(row.batch, head, j);
      const Index step = value_.strides[3];
      for (Index c = 0; c < plan_.sizes.value_dim; ++c) {
        output[c] = rounded(output[c] + rounded(weight * v[c * step]));
      }
    });
  }

  const Options& options_;
  const Plan& plan_;
  const Widened<Number> query_, key_, value_;
  KeyRanges mask_ranges_, bias_ranges_, allowed_;  ///< what the mask, the bias and both allow
  std::vector<Number> bias_;                       ///< the row's, if there is one
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

}  // namespace attention
