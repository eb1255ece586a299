#pragma once

// What becomes of a panel's scores scale · K·Qᵀ for some keys: softcap, bias, ALiBi, mask.

#include "core/attention.h"
#include "core/pack.h"
#include "core/panel.h"
#include "core/softmax.h"

namespace attention {

/// softcap · tanh(scores / softcap). Not inlined: tanh is long, and rare.
template <class T>
[[gnu::noinline]] void cap(T* scores, Index count, T softcap) {
  for (Index at = 0; at < count; at += lanes<T>) {
    store(scores + at, Lanes<T>(softcap) * tanh(load(scores + at) / Lanes<T>(softcap)));
  }
}

template <class Stored>
class Scores {
  using T = Compute<Stored>;
  static constexpr T infinity = std::numeric_limits<T>::infinity();

 public:
  Scores(const Call& call, const Plan& plan)
      : plan_(plan),
        query_(view<const Stored>(call.query)),
        bias_(call.options.bias),
        softcap_(static_cast<T>(call.options.softcap)) {}

  /// Numbers of `scratch` that complete() wants for so many keys.
  Index scratch(Index keys) const { return bias_ ? keys * panel_rows<T> : 0; }

  /// The panel's queries as score_tile() reads them.
  template <int Vectors>
  void gather_query(const PanelRows<T>& rows, T* query) const {
    gather_rows<Vectors>(pointers(rows, query_, 0), query_.strides[3], plan_.sizes.head_dim, query);
  }

  /// Takes scores [keys of the span][rows] and their maxima, and leaves what softmax is to see.
  /// Returns whether every row may read every key.
  template <int Vectors>
  bool complete(const PanelRows<T>& rows, const Span& span, T* scores, T* tile_max,
                T* scratch) const {
    const Index keys = span.end - span.begin;
    bool all_allowed = span.full;
    if (softcap_ > 0) cap(scores, keys * Vectors * lanes<T>, softcap_);
    if (bias_) all_allowed &= add_bias<Vectors>(rows, span, scores, scratch);
    if (!plan_.slopes.empty()) add_alibi<Vectors>(rows, span, scores);
    if (!span.full) {
      constexpr Index width = Vectors * lanes<T>;
      for (Index row = 0; row < width; ++row) {
        rows.for_blocked(row, span, [&](Index begin, Index end) {
          for (; begin < end; ++begin) scores[(begin - span.begin) * width + row] = -infinity;
        });
      }
    }
    if (!all_allowed || softcap_ > 0 || bias_ || !plan_.slopes.empty()) {
      max_of_rows<T, Vectors>(scores, keys, tile_max);
    }
    return all_allowed;
  }

  /// What mask and bias say of one cell.
  bool allows(const PanelRows<T>& rows, Index row, Index key) const {
    return rows.allows(row, key) && bias_at(rows[row], key) != -infinity;
  }

  bool allows_any(const PanelRows<T>& rows, Index row) const {
    if (!bias_) return rows.allows_any(row);
    for (const KeyRange& range : rows.ranges(row)) {
      for (Index key = range.begin; key < range.end; ++key) {
        if (bias_at(rows[row], key) != -infinity) return true;
      }
    }
    return false;
  }

 private:
  /// Chosen, not added, where the bias is −∞: what the score is does not matter there. Returns
  /// whether it is so nowhere.
  template <int Vectors>
  bool add_bias(const PanelRows<T>& rows, const Span& span, T* scores, T* scratch) const {
    const Index keys = span.end - span.begin;
    with_bias([&](const auto& bias) {
      gather_rows<Vectors>(pointers(rows, bias, span.begin), bias.strides[3], keys, scratch);
    });
    const Lanes<T> blocks(-infinity);
    auto blocked = load(scratch) == blocks;
    for (Index at = 0; at < keys * Vectors * lanes<T>; at += lanes<T>) {
      const Lanes<T> bias = load(scratch + at);
      store(scores + at, select(bias == blocks, blocks, load(scores + at) + bias));
      blocked = blocked || bias == blocks;
    }
    return !any<T>(blocked);
  }

  /// − slope·|position − key|
  template <int Vectors>
  void add_alibi(const PanelRows<T>& rows, const Span& span, T* scores) const {
    T slope[panel_rows<T>], ahead[panel_rows<T>];
    for (Index row = 0; row < panel_rows<T>; ++row) {
      slope[row] = static_cast<T>(plan_.slope(rows[row].batch, rows[row].head));
      ahead[row] = static_cast<T>(rows[row].position - span.begin);
    }
    for (Index j = 0; j < span.end - span.begin; ++j) {
      for (int v = 0; v < Vectors; ++v) {
        const Lanes<T> distance = abs(load(ahead + v * lanes<T>) - Lanes<T>(static_cast<T>(j)));
        store(scores + v * lanes<T>,
              load(scores + v * lanes<T>) - load(slope + v * lanes<T>) * distance);
      }
      scores += Vectors * lanes<T>;
    }
  }

  T bias_at(const Row& row, Index key) const {
    T result = 0;
    if (bias_) {
      with_bias([&](const auto& bias) {
        result = static_cast<T>(widen(bias(row.batch, row.head, row.query, key)));
      });
    }
    return result;
  }

  /// f(the bias as [B, H, T, S]): it has the inputs' dtype, or float32 beside narrower ones.
  template <class F>
  void with_bias(F&& f) const {
    if constexpr (!std::is_same_v<Stored, T>) {
      if (bias_->dtype != DType::float32) return f(broadcast<const Stored>(*bias_));
    }
    f(broadcast<const T>(*bias_));
  }

  const Plan& plan_;
  View<const Stored> query_;
  const std::optional<Tensor>& bias_;
  T softcap_;
};

}  // namespace attention
