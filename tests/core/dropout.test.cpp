#include <doctest/doctest.h>

#include <cmath>

#include "core/dropout.h"
#include "reference.h"

namespace attention {
namespace {

TEST_CASE("Philox-4×32-10 gives the published known answers") {
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the pattern is the reference's") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    const Dropout dropout{0.3, seed};
    for (int b = 0; b < 2; ++b)
      for (int h = 0; h < 3; ++h)
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 11; ++j)
            CHECK(dropout_keeps(dropout, b, h, i, j) ==
                  reference::keeps(dropout.p, seed, b, h, i, j));
  }
}

TEST_CASE("p is the share that is dropped") {
  constexpr int cells = 100000;
  for (const double p : {0.1, 0.5, 0.9}) {
    int dropped = 0;
    for (int j = 0; j < cells; ++j) dropped += !dropout_keeps({p, 7}, 0, 0, 0, j);
    const double deviation = std::sqrt(p * (1 - p) / cells);
    CHECK(std::abs(dropped / double(cells) - p) < 5 * deviation);
  }
  for (int j = 0; j < 1000; ++j) {
    CHECK(dropout_keeps({0, 7}, 0, 0, 0, j));
    CHECK(!dropout_keeps({1, 7}, 0, 0, 0, j));
  }
}

}  // namespace
}  // namespace attention
