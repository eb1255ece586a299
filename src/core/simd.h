#pragma once

// Vectors of numbers: the only file that names xsimd. Everything above it is written for any number
// of lanes.

#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "core/tensor.h"

#ifdef __wasm__
#include <wasm_simd128.h>
#endif

namespace attention {

/// As many numbers as a vector register holds.
template <class T>
using Lanes = xsimd::batch<T>;

template <class T>
inline constexpr Index lanes = Lanes<T>::size;

template <class T>
Lanes<T> load(const T* numbers) {
  return Lanes<T>::load_unaligned(numbers);
}

template <class T>
void store(T* numbers, Lanes<T> x) {
  x.store_unaligned(numbers);
}

/// Whether multiply_add() of float32 rounds once: with relaxed SIMD engines do where the machine
/// can, which is all but everywhere.
#ifdef __wasm_relaxed_simd__
inline constexpr bool rounds_once = true;
#else
inline constexpr bool rounds_once = false;
#endif

/// a·b + c, rounded once where the machine has a fused instruction, else twice. With relaxed SIMD
/// that is the engine's choice, the same one throughout a run.
template <class T>
Lanes<T> multiply_add(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
#ifdef __wasm_relaxed_simd__
  if constexpr (std::is_same_v<T, float>) {
    return Lanes<T>(wasm_f32x4_relaxed_madd(a, b, c));
  } else {
    return Lanes<T>(wasm_f64x2_relaxed_madd(a, b, c));
  }
#else
  return xsimd::fma(a, b, c);
#endif
}

/// Compilers may not move loads across: they would read ahead, and then find no registers.
inline void keep_order() { asm volatile("" ::: "memory"); }

/// The larger of x and y; x where one of them is NaN. One instruction, unlike a maximum that keeps
/// every NaN.
template <class T>
Lanes<T> at_least(Lanes<T> x, Lanes<T> y) {
#ifdef __wasm__
  if constexpr (std::is_same_v<T, float>) {
    return Lanes<T>(wasm_f32x4_pmax(x, y));
  } else {
    return Lanes<T>(wasm_f64x2_pmax(x, y));
  }
#else
  return xsimd::max(y, x);  // SSE and AVX give the second where one is NaN
#endif
}

/// The bits of x moved left, as one integer in each lane.
template <int bits, class T>
Lanes<T> shift_bits_left(Lanes<T> x) {
  using Integer = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  return xsimd::bitwise_cast<T>(xsimd::bitwise_cast<Integer>(x) << bits);
}

/// x moved left and then right, with zeros coming in: x without its highest bits, in lower places.
template <int left, int right>
Lanes<float> shift_bits(Lanes<float> x) {
  return xsimd::bitwise_cast<float>((xsimd::bitwise_cast<std::uint32_t>(x) << left) >> right);
}

/// Numbers of 16 bits, each the upper half of a lane whose lower half is 0.
inline Lanes<float> load_upper_halves(const std::uint16_t* numbers) {
#ifdef __wasm__
  const xsimd::batch<std::uint32_t> wide = wasm_u32x4_load16x4(numbers);
#else
  const auto wide = xsimd::batch<std::uint32_t>::load_unaligned(numbers);
#endif
  return xsimd::bitwise_cast<float>(wide << 16);
}

template <class T>
Lanes<T> select(xsimd::batch_bool<T> condition, Lanes<T> yes, Lanes<T> no) {
  return xsimd::select(condition, yes, no);
}

template <class T>
Lanes<T> abs(Lanes<T> x) {
  return xsimd::abs(x);
}

template <class T>
Lanes<T> tanh(Lanes<T> x) {
  return xsimd::tanh(x);
}

template <class T>
bool any(xsimd::batch_bool<T> condition) {
  return xsimd::any(condition);
}

/// Rows become columns, in place.
template <class T>
void transpose(Lanes<T> (&rows)[lanes<T>]) {
  xsimd::transpose(rows, rows + lanes<T>);
}

}  // namespace attention
