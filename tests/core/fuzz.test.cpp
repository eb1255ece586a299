#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST_CASE("random calls are refused or answered, by both paths alike") {
  std::mt19937 random(1);
  for (int n = 0; n < 5000; ++n) {
    std::vector<std::uint8_t> bytes(random() % 200);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    CHECK(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()) == 0);  // aborts at a violation
  }
}
