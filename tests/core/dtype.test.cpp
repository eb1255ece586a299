#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/pack.h"

namespace attention {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// The value that a sign, exponent and fraction mean, by definition.
double meaning(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction =
      std::ldexp(static_cast<double>(bits & ((1u << fraction_bits) - 1)), -fraction_bits);
  const double sign = bits >> (exponent_bits + fraction_bits) ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return fraction == 0 ? sign * infinity : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  return sign * std::ldexp(1 + fraction, exponent - bias);
}

/// All 65,536 values: widened they are what their bits mean, and come back the same; the midpoint
/// between neighbours rounds to the even one, its own neighbours to the nearer.
template <class Stored>
void check_every_value(int exponent_bits, int fraction_bits) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Stored stored{static_cast<std::uint16_t>(bits)};
    const float wide = widen(stored);
    const double right = meaning(bits, exponent_bits, fraction_bits);
    if (std::isnan(right)) {
      REQUIRE(std::isnan(wide));
      REQUIRE(std::isnan(widen(narrow<Stored>(wide))));
      continue;
    }
    REQUIRE(wide == right);
    REQUIRE(std::signbit(wide) == (bits >> 15 == 1));
    REQUIRE(narrow<Stored>(wide).bits == bits);

    const std::uint32_t next = bits + 1;  // the neighbour further from 0
    const double beyond = meaning(next, exponent_bits, fraction_bits);
    if (!std::isfinite(right) || !std::isfinite(beyond)) continue;
    const float middle = static_cast<float>((right + beyond) / 2);
    REQUIRE(narrow<Stored>(middle).bits == (bits % 2 == 0 ? bits : next));
    REQUIRE(narrow<Stored>(std::nextafter(middle, 0.f)).bits == bits);
    REQUIRE(narrow<Stored>(std::nextafter(middle, static_cast<float>(beyond) * 2)).bits == next);
  }
}

TEST_CASE("every float16 value") { check_every_value<Float16>(5, 10); }

TEST_CASE("every bfloat16 value") { check_every_value<BFloat16>(8, 7); }

TEST_CASE("what is too large becomes infinity") {
  CHECK(widen(narrow<Float16>(65504.f)) == 65504);
  CHECK(widen(narrow<Float16>(65519.99f)) == 65504);
  CHECK(widen(narrow<Float16>(65520.f)) == infinity);
  CHECK(widen(narrow<Float16>(-1e30f)) == -infinity);
  CHECK(widen(narrow<Float16>(infinity)) == infinity);
  CHECK(widen(narrow<BFloat16>(std::numeric_limits<float>::max())) == infinity);
  CHECK(widen(narrow<BFloat16>(-infinity)) == -infinity);
  CHECK(widen(narrow<Float16>(1e-8f)) == 0);
  CHECK(std::signbit(widen(narrow<Float16>(-1e-8f))));
}

TEST_CASE("NaN stays NaN, whatever its payload") {
  for (const std::uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fffffffu, 0x7fc00000u}) {
    const float nan = std::bit_cast<float>(bits);
    CHECK(std::isnan(widen(narrow<Float16>(nan))));
    CHECK(std::isnan(widen(narrow<BFloat16>(nan))));
  }
}

/// Every 251st float32, and all around the limits of float16.
template <class Stored>
void check_round_to() {
  const auto check = [](std::uint32_t bits) {
    const float value = std::bit_cast<float>(bits);
    const float right = widen(narrow<Stored>(value)), got = round_to<Stored>(value);
    if (std::isnan(right)) return std::isnan(got);
    return std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(right);
  };
  for (std::uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 251) {
    if (!check(static_cast<std::uint32_t>(bits))) FAIL("rounds bits ", bits, " as narrow() does");
  }
  for (const float limit : {0x1p-25f, 0x1p-24f, 0x1p-14f, 65504.f, 65520.f, 65536.f, infinity}) {
    const std::uint32_t at = std::bit_cast<std::uint32_t>(limit);
    for (std::uint32_t bits = at - 5000; bits < at + 5000; ++bits) {
      REQUIRE(check(bits));
      REQUIRE(check(bits | 0x80000000u));
    }
  }
}

TEST_CASE("round_to() is narrowing and widening") {
  check_round_to<Float16>();
  check_round_to<BFloat16>();
}

TEST_CASE("float32 and float64 pass through") {
  CHECK(widen(narrow<float>(0.1f)) == 0.1f);
  CHECK(widen(narrow<double>(0.1)) == 0.1);
}

template <class Stored>
void check_rows_of_every_value() {
  constexpr std::uint32_t count = 0x10000 - 1;  // no multiple of any number of lanes
  std::vector<Stored> stored;
  for (std::uint32_t bits = 1; bits <= count; ++bits) {
    stored.push_back({static_cast<std::uint16_t>(bits)});
  }
  std::vector<float> wide(count);
  widen_row(stored.data(), static_cast<Index>(count), wide.data());
  for (std::size_t n = 0; n < count; ++n) {
    if (std::bit_cast<std::uint32_t>(wide[n]) == std::bit_cast<std::uint32_t>(widen(stored[n]))) {
      continue;
    }
    FAIL_CHECK(stored[n].bits);
  }
}

TEST_CASE("rows of 16-bit numbers are widened as one number is") {
  check_rows_of_every_value<Float16>();
  check_rows_of_every_value<BFloat16>();
}

TEST_CASE("the table and dispatch agree on sizes") {
  for (const DTypeInfo& row : dtypes) {
    CHECK(info(row.dtype).name == row.name);
    if (!is_float(row.dtype)) continue;
    CHECK(dispatch(row.dtype, [](auto zero) { return sizeof(zero); }) == row.bytes);
  }
}

}  // namespace
}  // namespace attention
