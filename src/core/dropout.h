#pragma once

// Dropout's random numbers: a function of the seed and the cell alone, so that the pattern is the
// same for any tile size, number of threads and order of work.

#include <array>
#include <cstdint>

#include "core/options.h"

namespace attention {

/// Philox-4×32-10: four random words from a counter and a key.
/// Source: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// The random words of the four cells (b, h, i, 4·quad … 4·quad + 3).
inline std::array<std::uint32_t, 4> dropout_words(const Dropout& dropout, Index b, Index h, Index i,
                                                  Index quad) {
  return philox(
      {static_cast<std::uint32_t>(quad), static_cast<std::uint32_t>(i),
       static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(b)},
      {static_cast<std::uint32_t>(dropout.seed), static_cast<std::uint32_t>(dropout.seed >> 32)});
}

/// Whether a cell with this random word is kept: the word times 2⁻³² reaches p.
inline bool dropout_keeps(const Dropout& dropout, std::uint32_t word) {
  return word * 0x1p-32 >= dropout.p;
}

/// Whether dropout keeps weight (b, h, i, j), whose word is number j mod 4 of its quad.
inline bool dropout_keeps(const Dropout& dropout, Index b, Index h, Index i, Index j) {
  const auto words = dropout_words(dropout, b, h, i, j / 4);
  return dropout_keeps(dropout, words[static_cast<std::size_t>(j % 4)]);
}

}  // namespace attention
