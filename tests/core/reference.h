// Attention from its definition, for tests to compare with: dense, nested loops, a mask that is
// asked cell by cell. It shares nothing with src/. Computed in Real: `attention<double>` is the
// right answer, `attention<float>` the error that a plain float32 evaluation makes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace reference {

/// f(batch, head, query, key)
template <class Result>
using Cell = std::function<Result(int, int, int, int)>;

/// What goes in; arrays are row-major. What is left out is off.
struct Case {
  int batch = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0, head_dim = 0, value_dim = 0;
  std::vector<double> query;    // (batch, heads, queries, head_dim)
  std::vector<double> key;      // (batch, kv_heads, keys, head_dim)
  std::vector<double> value;    // (batch, kv_heads, keys, value_dim)
  std::optional<double> scale;  // 1/√head_dim
  double softcap = 0;
  Cell<double> bias;          // added after the softcap; −∞ means not allowed; ALiBi goes here too
  Cell<bool> allows;          // every cell
  std::vector<double> sinks;  // (heads)
  Cell<double> dropout;       // factor on each weight: 0 where dropped, 1/(1−p) where kept
};

/// Every stage, row-major: cells are (batch, heads, queries, keys), rows (batch, heads, queries),
/// output (batch, heads, queries, value_dim).
template <class Real>
struct Steps {
  std::vector<Real> scores, scaled, capped, biased, masked, exponentials, weights, dropped;
  std::vector<Real> row_max, row_sum, lse, output;
  std::vector<bool> allowed;
};

template <class Real>
Steps<Real> attention(const Case& c) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  const Real scale = static_cast<Real>(c.scale.value_or(1 / std::sqrt(double(c.head_dim))));
  const Real softcap = static_cast<Real>(c.softcap);
  Steps<Real> s;
  for (int b = 0; b < c.batch; ++b)
    for (int h = 0; h < c.heads; ++h)
      for (int i = 0; i < c.queries; ++i) {
        const std::size_t query_row = (std::size_t(b) * c.heads + h) * c.queries + i;
        const int kv_head = h / (c.heads / c.kv_heads);
        const auto key_row = [&](int j) {
          return (std::size_t(b) * c.kv_heads + kv_head) * c.keys + j;
        };
        const std::size_t first = s.masked.size();
        const Real sink = c.sinks.empty() ? -infinity : static_cast<Real>(c.sinks[h]);

        Real max = sink;
        for (int j = 0; j < c.keys; ++j) {
          Real score = 0;
          for (int d = 0; d < c.head_dim; ++d)
            score += static_cast<Real>(c.query[query_row * c.head_dim + d]) *
                     static_cast<Real>(c.key[key_row(j) * c.head_dim + d]);
          const Real scaled = score * scale;
          const Real capped = softcap > 0 ? softcap * std::tanh(scaled / softcap) : scaled;
          const Real bias = c.bias ? static_cast<Real>(c.bias(b, h, i, j)) : Real(0);
          const bool allowed = (!c.allows || c.allows(b, h, i, j)) && bias != -infinity;
          const Real masked = allowed ? capped + bias : -infinity;
          if (masked > max || std::isnan(masked)) max = masked;
          s.scores.push_back(score);
          s.scaled.push_back(scaled);
          s.capped.push_back(capped);
          s.biased.push_back(capped + bias);
          s.allowed.push_back(allowed);
          s.masked.push_back(masked);
        }

        Real sum = sink == -infinity ? Real(0) : std::exp(sink - max);
        for (int j = 0; j < c.keys; ++j) {
          const Real e = s.allowed[first + j] ? std::exp(s.masked[first + j] - max) : Real(0);
          s.exponentials.push_back(e);
          sum += e;
        }
        s.row_max.push_back(max);
        s.row_sum.push_back(sum);
        s.lse.push_back(max + std::log(sum));

        for (int j = 0; j < c.keys; ++j) {
          const Real weight = s.allowed[first + j] ? s.exponentials[first + j] / sum : Real(0);
          s.weights.push_back(weight);
          s.dropped.push_back(c.dropout ? weight * static_cast<Real>(c.dropout(b, h, i, j))
                                        : weight);
        }
        for (int d = 0; d < c.value_dim; ++d) {
          Real out = 0;
          for (int j = 0; j < c.keys; ++j)
            if (s.allowed[first + j])
              out +=
                  s.dropped[first + j] * static_cast<Real>(c.value[key_row(j) * c.value_dim + d]);
          s.output.push_back(out);
        }
      }
  return s;
}

/// Fills query, key and value of a sized case with normal numbers that float32 can hold.
inline void randomize(Case& c, std::uint32_t seed, double deviation = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0.f, static_cast<float>(deviation));
  const auto fill = [&](std::vector<double>& array, int heads, int rows, int columns) {
    array.resize(std::size_t(c.batch) * heads * rows * columns);
    for (double& number : array) number = normal(engine);
  };
  fill(c.query, c.heads, c.queries, c.head_dim);
  fill(c.key, c.kv_heads, c.keys, c.head_dim);
  fill(c.value, c.kv_heads, c.keys, c.value_dim);
}

/// ALiBi's slopes: 2^(−8/n), 2^(−16/n), … for n = 2^m heads; other counts take the rest from 2n.
inline std::vector<double> alibi_slopes(int heads) {
  int n = 1;
  while (2 * n <= heads) n *= 2;
  std::vector<double> slopes;
  for (int h = 0; h < n; ++h) slopes.push_back(std::exp2(-8.0 * (h + 1) / n));
  for (int h = 0; h < heads - n; ++h) slopes.push_back(std::exp2(-8.0 * (2 * h + 1) / (2 * n)));
  return slopes;
}

/// Whether dropout keeps weight (b, h, i, j): Philox4x32-10 (Salmon et al. 2011) with counter
/// (⌊j/4⌋, i, h, b) and the seed's two words as key; word j mod 4 times 2⁻³² must reach p.
inline bool keeps(double p, std::uint64_t seed, int b, int h, int i, int j) {
  std::uint32_t c[4] = {std::uint32_t(j / 4), std::uint32_t(i), std::uint32_t(h), std::uint32_t(b)};
  std::uint32_t key[2] = {std::uint32_t(seed), std::uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = 0xD2511F53ull * c[0], second = 0xCD9E8D57ull * c[2];
    const std::uint32_t next[4] = {
        std::uint32_t(second >> 32) ^ c[1] ^ key[0], std::uint32_t(second),
        std::uint32_t(first >> 32) ^ c[3] ^ key[1], std::uint32_t(first)};
    for (int lane = 0; lane < 4; ++lane) c[lane] = next[lane];
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return c[j % 4] * 0x1p-32 >= p;
}

}  // namespace reference
