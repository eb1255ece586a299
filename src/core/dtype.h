#pragma once

// The element types: how each is stored, and how it is widened to compute and narrowed to store.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace attention {

enum class DType : std::uint8_t { float32, float64, float16, bfloat16, boolean };

struct DTypeInfo {
  DType dtype;
  const char* name;   ///< as callers spell it
  std::size_t bytes;  ///< of one element
  const char* doc;
};

inline constexpr std::array<DTypeInfo, 5> dtypes = {{
    {DType::float32, "float32", 4, "Float32Array; computed in float32"},
    {DType::float64, "float64", 8, "Float64Array; computed in float64"},
    {DType::float16, "float16", 2,
     "Float16Array, or Uint16Array with its dtype said; widened to float32 before the dot product, "
     "rounded back at the end"},
    {DType::bfloat16, "bfloat16", 2,
     "Uint16Array with its dtype said; widened to float32 before the dot product, rounded back at "
     "the end"},
    {DType::boolean, "bool", 1, "Uint8Array, any non-zero byte is true; for masks only"},
}};

inline constexpr const DTypeInfo& info(DType dtype) {
  return dtypes[static_cast<std::size_t>(dtype)];
}

inline constexpr bool is_float(DType dtype) { return dtype != DType::boolean; }

/// IEEE 754 binary16 as stored: 1 sign, 5 exponent, 10 fraction bits.
struct Float16 {
  std::uint16_t bits;
};

/// The upper half of a float32: 1 sign, 8 exponent, 7 fraction bits.
struct BFloat16 {
  std::uint16_t bits;
};

/// Exact: every float16 is a float32. Without a branch, so that compilers make vectors of a loop.
inline float widen(Float16 value) {
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = (value.bits & 0x7fffu) << 13;
  // Placed as a float32 the exponent is 112 too small; one multiplication repairs it and
  // normalises subnormals at the same time. Infinity and NaN have the largest one, NaN a payload.
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x7c00u << 13 ? 0x7f800000u | magnitude : 0;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

inline float widen(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

inline float widen(float value) { return value; }
inline double widen(double value) { return value; }

/// Narrowing rounds to nearest, ties to even; what is too large becomes infinity; NaN stays NaN.
template <class Stored>
Stored narrow(std::conditional_t<std::is_same_v<Stored, double>, double, float> value);

template <>
inline float narrow<float>(float value) {
  return value;
}

template <>
inline double narrow<double>(double value) {
  return value;
}

template <>
inline Float16 narrow<Float16>(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {static_cast<std::uint16_t>(sign | 0x7e00u)};
  if (magnitude >= 0x477ff000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};  // ≥ 65520
  if (magnitude < 0x38800000u) {  // below 2⁻¹⁴: adding 0.5 aligns the subnormal's last bit
    const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return {
        static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u))};
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t rounded = magnitude - 0x38000000u + 0xfffu + odd;
  return {static_cast<std::uint16_t>(sign | (rounded >> 13))};
}

template <>
inline BFloat16 narrow<BFloat16>(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

/// widen(narrow<Stored>(value)): the nearest number that the type has.
template <class Stored>
float round_to(float value) {
  return widen(narrow<Stored>(value));
}

/// Without leaving float32 and without a branch: arithmetic in float16 does it after every step.
template <>
inline float round_to<Float16>(float value) {
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) & 0x80000000u;
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) ^ sign;
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  std::uint32_t rounded = (magnitude + 0xfffu + odd) & ~0x1fffu;
  // Below 2⁻¹⁴: beside 0.5 the last bit of a float32 is that of a subnormal float16.
  const float subnormal = std::bit_cast<float>(magnitude) + 0.5f - 0.5f;
  rounded = magnitude < 0x38800000u ? std::bit_cast<std::uint32_t>(subnormal) : rounded;
  rounded = rounded >= 0x47800000u ? 0x7f800000u : rounded;  // 2¹⁶ and above
  rounded = magnitude > 0x7f800000u ? 0x7fc00000u : rounded;
  return std::bit_cast<float>(rounded | sign);
}

/// The type in which an element type is computed.
template <class Stored>
using Compute = std::conditional_t<std::is_same_v<Stored, double>, double, float>;

/// Calls f with a value of the C++ type that stores a float dtype: `dispatch(dtype, [](auto zero)
/// …)`.
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float64:
      return f(double{});
    case DType::float16:
      return f(Float16{});
    case DType::bfloat16:
      return f(BFloat16{});
    default:
      return f(float{});
  }
}

}  // namespace attention
