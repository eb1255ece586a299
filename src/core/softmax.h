#pragma once

// Softmax of rows whose scores come a tile at a time.
// Source: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax"; Dao et al.
// 2022, "FlashAttention", Algorithm 1.

#include <array>
#include <cmath>
#include <limits>

#include "core/tile.h"

namespace attention {

/// A number repeated for every lane.
template <class T>
struct Repeated {
  std::array<T, static_cast<std::size_t>(lanes<T>)> numbers;

  constexpr Repeated(T number) { numbers.fill(number); }
  operator Lanes<T>() const { return load(numbers.data()); }
};

/// e^x = 2ⁿ·e^r with x = n·ln 2 + r, |r| ≤ ln 2 / 2, and e^r ≈ 1 + r·q(r). Whole vectors and not
/// const, so that each is one load from memory: engines build a vector constant that is written in
/// the code anew at each use, from two shuffles.
template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr int fraction_bits = 23;
  Repeated<float> lowest = -88.0f;  ///< about ln 2⁻¹²⁷
  /// Added to a small number it leaves the nearest integer, plus the exponent's bias, in the last
  /// bits.
  Repeated<float> round = 0x1.8p23f + 127;
  Repeated<float> log2e = 0x1.715476p0f;
  /// Its product with n loses nothing: all of ln 2 where that is rounded once, else 17 bits of it.
  static constexpr bool one_step = rounds_once;
  Repeated<float> minus_ln2_high = one_step ? -0x1.62e430p-1f : -0x1.62e4p-1f;
  Repeated<float> minus_ln2_low = -0x1.7f7d1cp-20f;
  /// Highest power first: the smallest relative error of e^r, 9.2·10⁻⁸.
  std::array<Repeated<float>, 5> q = {0x1.0fa82p-7f, 0x1.573a6cp-5f, 0x1.555a6cp-3f, 0x1.fffdc6p-2f,
                                      0x1.fffff6p-1f};
};

template <>
struct ExpConstants<double> {
  static constexpr int fraction_bits = 52;
  Repeated<double> lowest = -709.0;  ///< about ln 2⁻¹⁰²³
  Repeated<double> round = 0x1.8p52 + 1023;
  Repeated<double> log2e = 0x1.71547652b82fep0;
  static constexpr bool one_step = false;
  Repeated<double> minus_ln2_high = -0x1.62e42feep-1;
  Repeated<double> minus_ln2_low = -0x1.a39ef35793c76p-33;
  /// Taylor's, whose rest is below 4·10⁻¹⁸.
  std::array<Repeated<double>, 13> q = {1. / 6227020800,
                                        1. / 479001600,
                                        1. / 39916800,
                                        1. / 3628800,
                                        1. / 362880,
                                        1. / 40320,
                                        1. / 5040,
                                        1. / 720,
                                        1. / 120,
                                        1. / 24,
                                        1. / 6,
                                        1. / 2,
                                        1.};
};

template <class T>
inline ExpConstants<T> exp_constants;

/// e^x for x ≤ 0, NaN for NaN; an object has the constants in registers. Relative error at most 2
/// units in the last place, and 4 for very negative x where one step subtracts n·ln 2 (tested).
/// Exactly 0 below about −87 (float32) or −708 (float64): results that are denormal make every
/// later product many times slower, and WebAssembly cannot flush them.
template <class T>
class Exp {
  using Constants = ExpConstants<T>;

 public:
  Exp() {
    for (std::size_t k = 0; k < terms; ++k) q_[k] = exp_constants<T>.q[k];
  }

  Lanes<T> operator()(Lanes<T> x) const {
    // At the lowest x the exponent field of 2ⁿ is 0, and so is 2ⁿ.
    x = at_least(x, lowest_);
    const Lanes<T> shifted = multiply_add(x, log2e_, round_);
    const Lanes<T> n = shifted - round_;
    Lanes<T> r = multiply_add(n, minus_ln2_high_, x);
    if constexpr (!Constants::one_step) r = multiply_add(n, minus_ln2_low_, r);
    const Lanes<T> power = shift_bits_left<Constants::fraction_bits>(shifted);
    Lanes<T> q = q_[0];
    for (std::size_t k = 1; k < terms; ++k) q = multiply_add(q, r, q_[k]);
    return multiply_add(power * r, q, power);
  }

 private:
  static constexpr std::size_t terms = std::tuple_size_v<decltype(Constants::q)>;
  Lanes<T> lowest_ = exp_constants<T>.lowest, round_ = exp_constants<T>.round;
  Lanes<T> log2e_ = exp_constants<T>.log2e;
  Lanes<T> minus_ln2_high_ = exp_constants<T>.minus_ln2_high;
  Lanes<T> minus_ln2_low_ = exp_constants<T>.minus_ln2_low;
  Lanes<T> q_[terms];
};

/// The largest score of each row, NaN aside.
template <class T, int Vectors>
void max_of_rows(const T* scores, Index keys, T* tile_max) {
  constexpr Index rows = Vectors * lanes<T>;
  for (int v = 0; v < Vectors; ++v) {
    Lanes<T> largest(-std::numeric_limits<T>::infinity());
    for (Index j = 0; j < keys; ++j) {
      largest = at_least(largest, load(scores + j * rows + v * lanes<T>));
    }
    store(tile_max + v * lanes<T>, largest);
  }
}

/// The state of a panel's rows after some of their keys:
///
///   row_max = max_j score[j]   row_sum = Σ_j e^(score[j] − row_max)
///
/// A row that has seen no key, or only scores of −∞, has row_max −∞ and row_sum 0.
template <class T>
struct OnlineSoftmax {
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr Index rows = panel_rows<T>;

  std::array<T, rows> row_max;
  std::array<T, rows> row_sum;

  void reset() {
    row_max.fill(-infinity);
    row_sum.fill(0);
  }

  /// Takes in a tile of scores [keys][rows] whose maxima are tile_max and leaves in their place
  /// e^(score − row_max). What was made with the old maximum must be multiplied by rescale[row].
  template <int Vectors>
  [[gnu::noinline]] void update(T* scores, Index keys, const T* tile_max, T* rescale);

  /// Takes in the state of the same rows after other keys. What was made with either maximum must
  /// be multiplied by its factor.
  template <int Vectors>
  [[gnu::noinline]] void merge(const OnlineSoftmax& other, T* factor, T* other_factor);

  /// Leaves in the place of scores e^(score − row_max) / row_sum.
  template <int Vectors>
  [[gnu::noinline]] void weights(T* scores, Index keys) const;

 private:
  /// What to subtract from scores: the maximum; 0 while it is −∞, since −∞ − −∞ would be NaN.
  static Lanes<T> subtrahend(Lanes<T> max) {
    return select(max == Lanes<T>(-infinity), Lanes<T>(T(0)), max);
  }
};

template <class T>
template <int Vectors>
void OnlineSoftmax<T>::update(T* scores, Index keys, const T* tile_max, T* rescale) {
  const Exp<T> exp;
  Lanes<T> max[Vectors], sum[Vectors], tile_sum[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    const Index at = v * lanes<T>;
    const Lanes<T> old_max = load(row_max.data() + at);
    const Lanes<T> new_max = at_least(old_max, load(tile_max + at));
    max[v] = subtrahend(new_max);
    const Lanes<T> factor = exp(old_max - max[v]);
    sum[v] = load(row_sum.data() + at) * factor;
    tile_sum[v] = Lanes<T>(T(0));  // apart: small numbers added to a large one lose their digits
    store(row_max.data() + at, new_max);
    store(rescale + at, factor);
  }
  for (Index j = 0; j < keys; ++j) {
    for (int v = 0; v < Vectors; ++v) {
      const Lanes<T> e = exp(load(scores + v * lanes<T>) - max[v]);
      store(scores + v * lanes<T>, e);
      tile_sum[v] += e;
    }
    scores += Vectors * lanes<T>;
  }
  for (int v = 0; v < Vectors; ++v) store(row_sum.data() + v * lanes<T>, sum[v] + tile_sum[v]);
}

template <class T>
template <int Vectors>
void OnlineSoftmax<T>::merge(const OnlineSoftmax& other, T* factor, T* other_factor) {
  const Exp<T> exp;
  for (int v = 0; v < Vectors; ++v) {
    const Index at = v * lanes<T>;
    const Lanes<T> mine = load(row_max.data() + at), theirs = load(other.row_max.data() + at);
    const Lanes<T> max = at_least(mine, theirs);
    const Lanes<T> f = exp(mine - subtrahend(max));
    const Lanes<T> g = exp(theirs - subtrahend(max));
    store(row_sum.data() + at, load(row_sum.data() + at) * f + load(other.row_sum.data() + at) * g);
    store(row_max.data() + at, max);
    store(factor + at, f);
    store(other_factor + at, g);
  }
}

template <class T>
template <int Vectors>
void OnlineSoftmax<T>::weights(T* scores, Index keys) const {
  const Exp<T> exp;
  for (int v = 0; v < Vectors; ++v) {
    const Lanes<T> max = subtrahend(load(row_max.data() + v * lanes<T>));
    const Lanes<T> sum = load(row_sum.data() + v * lanes<T>);
    T* score = scores + v * lanes<T>;
    for (Index j = 0; j < keys; ++j, score += Vectors * lanes<T>) {
      store(score, exp(load(score) - max) / sum);
    }
  }
}

}  // namespace attention
