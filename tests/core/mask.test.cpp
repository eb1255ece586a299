#include <doctest/doctest.h>

#include <random>
#include <thread>

#include "mask_cells.h"

namespace attention {
namespace {

KeyRanges of_bits(unsigned bits, Index keys) {
  return ranges_where(keys, [bits](Index j) { return bits >> j & 1; });
}

TEST_CASE("set operations on all pairs of sets of up to 7 keys") {
  KeyRanges result;
  for (Index keys = 0; keys <= 7; ++keys) {
    const unsigned all = (1u << keys) - 1;
    int wrong = 0;
    for (unsigned a = 0; a <= all; ++a) {
      const KeyRanges x = of_bits(a, keys);
      for (unsigned b = 0; b <= all; ++b) {
        const KeyRanges y = of_bits(b, keys);
        intersect(x, y, result);
        wrong += result != of_bits(a & b, keys);
        unite(x, y, result);
        wrong += result != of_bits(a | b, keys);
      }
      result = x;
      complement(result, keys);
      wrong += result != of_bits(~a & all, keys);
      for (Index j = 0; j < keys; ++j) wrong += contains(x, j) != (a >> j & 1);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("append clips to the keys there are and joins what touches") {
  KeyRanges ranges;
  append(ranges, 10, -5, 0);
  append(ranges, 10, 3, 3);
  CHECK(ranges.empty());
  append(ranges, 10, -5, 2);
  append(ranges, 10, 2, 4);
  append(ranges, 10, 5, 6);
  append(ranges, 10, 8, std::int64_t{1} << 60);
  append(ranges, 10, 12, 15);
  CHECK(text(ranges) == "[0,4)[5,6)[8,10)");
}

// ---- RangeTable ---------------------------------------------------------------------------------

TEST_CASE("RangeTable equals the dense tensor for any strides") {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    Bools mask({1 + std::int64_t(random() % 3), 1 + std::int64_t(random() % 3),
                1 + std::int64_t(random() % 4), std::int64_t(random() % 40)});
    const unsigned run = 1 + random() % 9;
    for (std::uint8_t& cell : mask.cells) cell = random() % run == 0 ? 1 << random() % 8 : 0;
    Tensor tensor = mask.tensor;
    switch (random() % 3) {
      case 0:  // every other key
        tensor.shape[3] /= 2;
        tensor.strides[3] = 2;
        break;
      case 1:  // heads and keys exchanged
        std::swap(tensor.shape[1], tensor.shape[3]);
        std::swap(tensor.strides[1], tensor.strides[3]);
        break;
    }
    if (random() % 3 == 0) tensor.strides[random() % 3] = 0;  // expanded
    const Index keys = tensor.shape[3];
    for (bool allowed : {false, true}) {
      const RangeTable table = RangeTable::encode(tensor, allowed, keys);
      const View<std::uint8_t> cells = view<std::uint8_t>(tensor);
      int wrong = 0;
      for (Index b = 0; b < tensor.shape[0]; ++b) {
        for (Index h = 0; h < tensor.shape[1]; ++h) {
          for (Index i = 0; i < tensor.shape[2]; ++i) {
            const auto row = table.row(b, h, i);
            wrong += KeyRanges(row.begin(), row.end()) != ranges_where(keys, [&](Index j) {
                       return (cells(b, h, i, j) != 0) == allowed;
                     });
          }
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("RangeTable finds every edge in long rows") {
  const Index keys = 67;
  Bools mask({keys, keys, 1, keys});  // every run begin … end
  for (Index begin = 0; begin < keys; ++begin) {
    for (Index end = begin; end < keys; ++end) {
      for (Index j = begin; j < end; ++j) mask.at(begin, end, 0, j) = 255;
    }
  }
  const RangeTable allowed = RangeTable::encode(mask.tensor, true, keys);
  const RangeTable blocked = RangeTable::encode(mask.tensor, false, keys);
  int wrong = 0;
  for (Index begin = 0; begin < keys; ++begin) {
    for (Index end = begin; end < keys; ++end) {
      KeyRanges run;
      append(run, keys, begin, end);
      const auto row = allowed.row(begin, end, 0), other = blocked.row(begin, end, 0);
      wrong += KeyRanges(row.begin(), row.end()) != run;
      complement(run, keys);
      wrong += KeyRanges(other.begin(), other.end()) != run;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a table that would not fit is not made") {
  const Index rows = 300, keys = 500;
  Bools noise({rows, keys});
  std::mt19937 random(3);
  for (std::uint8_t& cell : noise.cells) cell = random() % 2;
  const RangeTable whole = RangeTable::encode(noise.tensor, true, keys);
  REQUIRE(whole.complete());
  const auto needed = 6 * static_cast<std::int64_t>(whole.bytes());
  CHECK(RangeTable::encode(noise.tensor, true, keys, needed).complete());
  const RangeTable part = RangeTable::encode(noise.tensor, true, keys, needed / 2);
  CHECK(!part.complete());
  CHECK(6 * static_cast<std::int64_t>(part.bytes()) < needed / 2 + 6 * 8 * keys);

  // The same for several rules: what one has taken is not there for the next.
  const Rule rule = make_rule("allowed", {{"mask", noise.tensor}});
  MaskShape shape{.queries = rows, .keys = keys, .most_bytes = needed};
  CHECK(Mask({rule}, shape).complete());
  CHECK(!Mask({rule, rule}, shape).complete());
  shape.most_bytes = needed + needed / 6 + 1;
  CHECK(Mask({rule, rule}, shape).complete());
}

TEST_CASE("what does not differ is stored once, even when the caller repeated it") {
  const Index queries = 500, keys = 1000;
  Bools once({queries, keys}), repeated({4, 8, queries, keys});
  const auto allowed = [](Index i, Index j) { return j <= i || j % 100 == 0; };
  for (Index i = 0; i < queries; ++i) {
    for (Index j = 0; j < keys; ++j) {
      once.at(0, 0, i, j) = allowed(i, j);
      for (Index b = 0; b < 4; ++b) {
        for (Index h = 0; h < 8; ++h) repeated.at(b, h, i, j) = allowed(i, j);
      }
    }
  }
  const RangeTable small = RangeTable::encode(once.tensor, true, keys);
  const RangeTable large = RangeTable::encode(repeated.tensor, true, keys);
  CHECK(large.batch() == 1);
  CHECK(large.heads() == 1);
  CHECK(large.bytes() == small.bytes());

  for (Index i = 0; i < queries; ++i) {
    for (Index j = 0; j < keys; ++j) {
      for (Index b = 0; b < 4; ++b) {
        for (Index h = 0; h < 8; ++h) repeated.at(b, h, i, j) = j < 10 * (b + 1);
      }
    }
  }
  const RangeTable padding = RangeTable::encode(repeated.tensor, true, keys);
  CHECK(padding.batch() == 4);
  CHECK(padding.heads() == 1);
  CHECK(padding.bytes() < 300);
}

// ---- Mask ---------------------------------------------------------------------------------------

struct Tree {
  Rule rule;
  Allows allows;
};

/// A random rule over 3 batch elements and 2 heads, at most `depth` deep, and what it means.
Tree random_tree(std::mt19937& random, const MaskShape& shape, Bools& dense, int depth) {
  const auto position = [shape](Index b, Index i) { return shape.position(b, i); };
  const std::int64_t n = random() % 5, m = 1 + random() % 3;
  switch (random() % (depth > 1 ? 9 : 6)) {
    case 0:
      return {make_rule("causal"),
              [=](Index b, Index, Index i, Index j) { return j <= position(b, i); }};
    case 1:
      return {make_rule("window", {{"left", Numbers(n)}, {"right", Numbers(m)}}),
              [=](Index b, Index, Index i, Index j) {
                return j >= position(b, i) - n && j <= position(b, i) + m;
              }};
    case 2:
      return {make_rule("strided", {{"stride", Numbers(m)}}),
              [=](Index b, Index, Index i, Index j) { return (position(b, i) - j) % m == 0; }};
    case 3:
      return {make_rule("allowed", {{"mask", dense.tensor}}),
              [&dense](Index b, Index h, Index i, Index j) { return dense.at(b, h, i, j) != 0; }};
    case 4: {
      std::vector<std::int64_t> lengths;
      for (int b = 0; b < 3; ++b) lengths.push_back(random() % (shape.keys + 1));
      return {make_rule("lengths", {{"keys", lengths}}),
              [=](Index b, Index, Index, Index j) { return j < lengths[b]; }};
    }
    case 5:
      return {make_rule("documents", {{"starts", std::vector{n, n + m}}}),
              [=](Index b, Index, Index i, Index j) {
                const auto document = [&](std::int64_t at) { return (at >= n) + (at >= n + m); };
                return document(position(b, i)) == document(j);
              }};
    case 6: {
      const Tree inner = random_tree(random, shape, dense, depth - 1);
      return {make_rule("not", {{"of", std::vector{inner.rule}}}), std::not_fn(inner.allows)};
    }
    default: {
      const bool all = random() % 2;
      std::vector<Rule> rules;
      std::vector<Allows> parts;
      for (unsigned count = random() % 4; count > 0; --count) {
        Tree inner = random_tree(random, shape, dense, depth - 1);
        rules.push_back(inner.rule);
        parts.push_back(inner.allows);
      }
      return {make_rule(all ? "all" : "any", {{"of", rules}}),
              [=](Index b, Index h, Index i, Index j) {
                int allowing = 0;
                for (const Allows& part : parts) allowing += part(b, h, i, j);
                return all ? allowing == std::ssize(parts) : allowing > 0;
              }};
    }
  }
}

TEST_CASE("random trees of all, any and not") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    MaskShape shape = {3, 2, Index(random() % 9), Index(random() % 9), {}};
    for (int b = 0; b < 3; ++b) shape.start.push_back(std::int64_t(random() % 12) - 4);
    if (random() % 2) shape.start.resize(1);
    Bools dense({random() % 2 ? 3 : 1, random() % 2 ? 2 : 1, shape.queries, shape.keys});
    for (std::uint8_t& cell : dense.cells) cell = random() % 3 != 0;
    std::vector<Rule> rules;
    std::vector<Allows> parts;
    for (unsigned count = random() % 4; count > 0; --count) {
      const Tree tree = random_tree(random, shape, dense, 4);
      rules.push_back(tree.rule);
      parts.push_back(tree.allows);
    }
    CHECK(difference(rules, shape, [&](Index b, Index h, Index i, Index j) {
            bool allowed = true;
            for (const Allows& part : parts) allowed &= part(b, h, i, j);
            return allowed;
          }) == "");
  }
}

TEST_CASE("cause names exactly the top-level rules that forbid a cell") {
  const MaskShape shape = {1, 1, 4, 4, {0}};
  const Rule causal = make_rule("causal");
  const Mask mask({causal, make_rule("window", {{"left", Numbers(1)}}),
                   make_rule("not", {{"of", std::vector{causal}}})},
                  shape);
  const auto cause = [&](Index i, Index j) {
    std::string names;
    for (const char* name : mask.cause(0, 0, i, j)) names += std::string(name) + " ";
    return names;
  };
  CHECK(cause(1, 2) == "causal ");
  CHECK(cause(3, 1) == "window not ");
  CHECK(cause(3, 3) == "not ");
  CHECK(Mask({causal}, shape).cause(0, 0, 3, 1).empty());
}

TEST_CASE("what varies is known from the numbers, not from the kind") {
  const auto varies = [](std::vector<Rule> rules, std::vector<std::int64_t> start) {
    const Mask mask(std::move(rules), {2, 2, 3, 4, std::move(start)});
    return mask.varies_by_batch() + 2 * mask.varies_by_head();
  };
  using List = std::vector<std::int64_t>;
  CHECK(varies({make_rule("causal")}, {0}) == 0);
  CHECK(varies({make_rule("causal")}, {1, 1}) == 0);
  CHECK(varies({make_rule("causal")}, {0, 1}) == 1);
  CHECK(varies({make_rule("lengths", {{"keys", List{2, 2}}})}, {0, 1}) == 0);
  CHECK(varies({make_rule("lengths", {{"keys", List{2, 3}}})}, {0}) == 1);
  CHECK(varies({make_rule("global", {{"tokens", List{2, 3}}})}, {0}) == 0);
  CHECK(varies({make_rule("documents", {{"starts", std::vector<List>{{0, 2}, {0, 2}}}})}, {0}) ==
        0);
  CHECK(varies({make_rule("documents", {{"starts", std::vector<List>{{0}, {0, 2}}}})}, {0}) == 1);
  const auto function = [](bool h, bool b) {
    return make_rule(
        "function",
        {{"allows", Predicate([](Index b, Index h, Index, Index) { return b + h > 0; })},
         {"perHead", h},
         {"perBatch", b}});
  };
  CHECK(varies({function(true, false)}, {0}) == 2);
  CHECK(varies({make_rule("not", {{"of", std::vector{function(true, true)}}})}, {0}) == 3);
}

TEST_CASE("a mask over 16384 × 16384 takes kilobytes, and its counts are exact") {
  const Index n = 16384, window = 256;
  std::vector<std::int64_t> starts, ids;
  for (Index at = 0; at < n; at += 1000) starts.push_back(at);
  for (Index j = 0; j < n; ++j) ids.push_back(j / 1000);
  std::int64_t cells = 0;
  for (Index i = 0; i < n; ++i) cells += std::min(i % 1000, window) + 1;
  for (const auto& documents :
       {make_rule("documents", {{"starts", starts}}), make_rule("documents", {{"ids", ids}})}) {
    const Mask mask(
        {make_rule("causal"), make_rule("window", {{"left", Numbers(window)}}), documents},
        {4, 16, n, n, {0}});
    CHECK(mask.allowed_cells() == cells * 64);
    CHECK(mask.empty_rows() == 0);
    CHECK(mask.bytes() < 4096);
  }
  // Even scattered documents are stored once each, not once for each query.
  for (Index j = 0; j < n; ++j) ids[static_cast<std::size_t>(j)] = j % 3;
  const Mask scattered({make_rule("documents", {{"ids", ids}})}, {1, 1, 3, n, {0}});
  CHECK(scattered.bytes() < 512 * 1024);
  CHECK(scattered.allowed_cells() == n);
}

TEST_CASE("several threads read one mask") {
  const MaskShape shape = {1, 1, 64, 64, {0}};
  const Rule causal = make_rule("causal"), strided = make_rule("strided", {{"stride", Numbers(3)}});
  const Mask mask(
      {make_rule("any",
                 {{"of", std::vector{strided, make_rule("not", {{"of", std::vector{causal}}})}}}),
       causal},
      shape);
  int wrong[2] = {};
  const auto read = [&](int thread) {
    KeyRanges row;
    for (int round = 0; round < 200; ++round) {
      for (Index i = 0; i < 64; ++i) {
        mask.row(0, 0, i, row);
        wrong[thread] +=
            row != ranges_where(64, [&](Index j) { return j <= i && (i - j) % 3 == 0; });
      }
    }
  };
#if HAS_THREADS
  std::thread other(read, 1);
  read(0);
  other.join();
#else
  read(0);
#endif
  CHECK(wrong[0] + wrong[1] == 0);
}

}  // namespace
}  // namespace attention
