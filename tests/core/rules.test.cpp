#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "mask_cells.h"

namespace attention {
namespace {

constexpr Index longest = 8;

/// Calls f for all lengths up to 8.
template <class F>
void for_all_lengths(const F& f) {
  for (Index queries = 0; queries <= longest; ++queries) {
    for (Index keys = 0; keys <= longest; ++keys) f(MaskShape{2, 2, queries, keys, {0}});
  }
}

/// The same with many starts: both corners, before and past the key axis, and a different one for
/// each batch element.
template <class F>
void for_all_shapes(const F& f) {
  for (Index queries = 0; queries <= longest; ++queries) {
    for (Index keys = 0; keys <= longest; ++keys) {
      MaskShape shape = {2, 2, queries, keys, {0}};
      for (const std::vector<std::int64_t>& start : std::vector<std::vector<std::int64_t>>{
               {0}, {keys - queries}, {-20}, {-3}, {2}, {20}, {0, keys - queries}, {5, -2}}) {
        shape.start = start;
        f(shape);
      }
    }
  }
}

/// Every kind once with several arguments: the rule and what it means for one cell. p = position.
#define CHECK_RULE(rule, cell)                                                       \
  for_all_shapes([&](const MaskShape& shape) {                                       \
    CHECK(difference({rule}, shape, [&](Index b, Index h, Index i, Index j) {        \
            const std::int64_t p = i + shape.start[shape.start.size() == 1 ? 0 : b]; \
            (void)b, (void)h, (void)j, (void)p;                                      \
            return (cell);                                                           \
          }) == "");                                                                 \
  })

TEST_CASE("causal") { CHECK_RULE(make_rule("causal"), j <= p); }

TEST_CASE("window") {
  CHECK_RULE(make_rule("window"), true);
  for (std::int64_t left : {0, 1, 3, 100}) {
    CHECK_RULE(make_rule("window", {{"left", Numbers(left)}}), p - left <= j);
    CHECK_RULE(make_rule("window", {{"right", Numbers(left)}}), j <= p + left);
    for (std::int64_t right : {0, 2, 100}) {
      CHECK_RULE(make_rule("window", {{"left", Numbers(left)}, {"right", Numbers(right)}}),
                 p - left <= j && j <= p + right);
    }
  }
}

TEST_CASE("a window unlimited to the left and 0 to the right is causal") {
  CHECK_RULE(make_rule("window", {{"right", Numbers(0)}}), j <= p);
}

TEST_CASE("lengths") {
  for_all_lengths([](const MaskShape& shape) {
    const std::vector<std::int64_t> keys = {shape.keys, shape.keys / 2};
    const std::vector<std::int64_t> queries = {shape.queries / 3, shape.queries};
    CHECK(difference({make_rule("lengths", {{"keys", keys}})}, shape,
                     [&](Index b, Index, Index, Index j) { return j < keys[b]; }) == "");
    CHECK(difference({make_rule("lengths", {{"keys", keys}, {"queries", queries}})}, shape,
                     [&](Index b, Index, Index i, Index j) {
                       return j < keys[b] && i < queries[b];
                     }) == "");
  });
}

TEST_CASE("padding") {
  std::mt19937 random(1);
  for_all_lengths([&](const MaskShape& shape) {
    Bools mask({shape.batch, shape.keys});
    for (std::uint8_t& cell : mask.cells) cell = random() % 3 == 0 ? 2 : 0;
    CHECK(difference({make_rule("padding", {{"blocked", mask.tensor}})}, shape,
                     [&](Index b, Index, Index, Index j) { return !mask.at(0, 0, b, j); }) == "");
    CHECK(difference({make_rule("padding", {{"allowed", mask.tensor}})}, shape,
                     [&](Index b, Index, Index, Index j) { return mask.at(0, 0, b, j) != 0; }) ==
          "");
  });
}

TEST_CASE("prefix") {
  for (std::int64_t length : {0, 1, 4, 100}) {
    CHECK_RULE(make_rule("prefix", {{"length", Numbers(length)}}), j < length || j <= p);
    const std::vector<std::int64_t> lengths = {length, 2};
    CHECK_RULE(make_rule("prefix", {{"length", lengths}}), j < lengths[b] || j <= p);
  }
}

std::int64_t document_at(const std::vector<std::int64_t>& starts, std::int64_t position) {
  return std::count_if(starts.begin(), starts.end(), [&](auto start) { return start <= position; });
}

TEST_CASE("documents by starts") {
  for (const std::vector<std::int64_t>& starts : std::vector<std::vector<std::int64_t>>{
           {}, {0}, {0, 3}, {2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 3, 3, 6}, {0, 4, 30}}) {
    CHECK_RULE(make_rule("documents", {{"starts", starts}}),
               document_at(starts, p) == document_at(starts, j));
    const std::vector<std::vector<std::int64_t>> lists = {starts, {0, 2}};
    CHECK_RULE(make_rule("documents", {{"starts", lists}}),
               document_at(lists[b], p) == document_at(lists[b], j));
  }
}

TEST_CASE("documents by ids: in any order, with gaps, negative; off the key axis is none") {
  std::mt19937 random(2);
  for_all_shapes([&](const MaskShape& shape) {
    std::vector<std::vector<std::int64_t>> ids(2);
    for (auto& each : ids) {
      for (Index j = 0; j < shape.keys; ++j)
        each.push_back(std::int64_t(random() % 4) * 1000 - 2000);
    }
    const auto same = [&](const std::vector<std::int64_t>& of, Index b, Index i, Index j) {
      const std::int64_t p = shape.position(b, i);
      return p >= 0 && p < shape.keys && of[p] == of[j];
    };
    CHECK(difference({make_rule("documents", {{"ids", ids[0]}})}, shape,
                     [&](Index b, Index, Index i, Index j) { return same(ids[0], b, i, j); }) ==
          "");
    CHECK(difference({make_rule("documents", {{"ids", ids}})}, shape,
                     [&](Index b, Index, Index i, Index j) { return same(ids[b], b, i, j); }) ==
          "");
  });
}

TEST_CASE("global") {
  for (const std::vector<std::int64_t>& tokens :
       std::vector<std::vector<std::int64_t>>{{}, {0}, {5, 2, 3, 2}, {7, 100}}) {
    const auto is = [&](std::int64_t at) {
      return std::find(tokens.begin(), tokens.end(), at) != tokens.end();
    };
    CHECK_RULE(make_rule("global", {{"tokens", tokens}}), is(p) || is(j));
  }
}

TEST_CASE("strided") {
  for (std::int64_t stride : {1, 2, 3, 7, 100}) {
    CHECK_RULE(make_rule("strided", {{"stride", Numbers(stride)}}), (p - j) % stride == 0);
  }
}

TEST_CASE("dilated") {
  for (std::int64_t dilation : {1, 2, 3, 100}) {
    CHECK_RULE(make_rule("dilated", {{"dilation", Numbers(dilation)}}), (p - j) % dilation == 0);
    for (std::int64_t left : {0, 1, 2}) {
      for (std::int64_t right : {0, 1, 100}) {
        CHECK_RULE(
            make_rule("dilated", {{"left", Numbers(left)},
                                  {"right", Numbers(right)},
                                  {"dilation", Numbers(dilation)}}),
            (p - j) % dilation == 0 && p - left * dilation <= j && j <= p + right * dilation);
      }
    }
  }
}

TEST_CASE("numbers as large as they may be do not wrap") {
  const std::int64_t largest = std::int64_t{1} << 53;
  MaskShape shape = {1, 1, 3, 5, {largest}};
  const Allows all = [](Index, Index, Index, Index) { return true; };
  const Allows none = [](Index, Index, Index, Index) { return false; };
  const Numbers n(largest);
  CHECK(difference({make_rule("causal")}, shape, all) == "");
  CHECK(difference({make_rule("window", {{"left", Numbers(3)}, {"right", n}})}, shape, none) == "");
  CHECK(difference({make_rule("dilated", {{"left", n}, {"right", n}, {"dilation", n}})}, shape,
                   [](Index, Index, Index i, Index j) { return i == j; }) == "");
  shape.start = {-largest};
  CHECK(difference({make_rule("causal")}, shape, none) == "");
  CHECK(difference({make_rule("window", {{"left", n}, {"right", n}})}, shape,
                   [](Index, Index, Index i, Index j) { return j <= i; }) == "");
  CHECK(difference({make_rule("prefix", {{"length", n}})}, shape, all) == "");
  CHECK(difference({make_rule("global", {{"tokens", std::vector{largest}}})}, shape, none) == "");
}

TEST_CASE("blocks") {
  std::mt19937 random(3);
  for_all_lengths([&](const MaskShape& shape) {
    for (Index size : {1, 2, 3, 8, 100}) {
      const Index rows = (shape.queries + size - 1) / size,
                  columns = (shape.keys + size - 1) / size;
      for (bool per_head : {false, true}) {
        Bools layout(per_head ? std::vector<std::int64_t>{2, rows, columns}
                              : std::vector<std::int64_t>{rows, columns});
        for (std::uint8_t& cell : layout.cells) cell = random() % 2;
        CHECK(
            difference({make_rule("blocks", {{"size", Numbers(size)}, {"layout", layout.tensor}})},
                       shape, [&](Index, Index h, Index i, Index j) {
                         return layout.at(0, h, i / size, j / size) != 0;
                       }) == "");
      }
    }
  });
}

TEST_CASE("blocked and allowed broadcast in every axis, at every rank") {
  std::mt19937 random(4);
  for_all_lengths([&](const MaskShape& shape) {
    for (int axes = 0; axes < 16; ++axes) {
      for (int rank = 1; rank <= 4; ++rank) {
        std::vector<std::int64_t> full = {shape.batch, shape.heads, shape.queries, shape.keys};
        for (int axis = 0; axis < 4; ++axis) {
          if (axes >> axis & 1) full[axis] = 1;
        }
        full.erase(full.begin(), full.end() - rank);
        if (rank == 2 && full[0] == shape.batch && full[1] == shape.keys) continue;  // see below
        Bools mask(full);
        for (std::uint8_t& cell : mask.cells) cell = random() % 2;
        const auto cell = [&](Index b, Index h, Index i, Index j) {
          return mask.at(b, h, i, j) != 0;
        };
        CHECK(difference({make_rule("allowed", {{"mask", mask.tensor}})}, shape, cell) == "");
        CHECK(difference({make_rule("blocked", {{"mask", mask.tensor}})}, shape,
                         std::not_fn(cell)) == "");
      }
    }
  });
}

TEST_CASE("function is asked once for each distinct cell") {
  for_all_lengths([](const MaskShape& shape) {
    for (bool per_head : {false, true}) {
      for (bool per_batch : {false, true}) {
        std::multiset<std::array<Index, 4>> asked;
        const Predicate allows = [&](Index b, Index h, Index i, Index j) {
          asked.insert({b, h, i, j});
          return (i + 2 * j + b + 3 * h) % 3 == 0;
        };
        const Rule rule = make_rule(
            "function", {{"allows", allows}, {"perHead", per_head}, {"perBatch", per_batch}});
        CHECK(difference({rule}, shape, [&](Index b, Index h, Index i, Index j) {
                return (i + 2 * j + (per_batch ? b : 0) + 3 * (per_head ? h : 0)) % 3 == 0;
              }) == "");
        CHECK(std::ssize(asked) ==
              (per_head ? 2 : 1) * (per_batch ? 2 : 1) * shape.queries * shape.keys);
        CHECK(std::set(asked.begin(), asked.end()).size() == asked.size());
      }
    }
  });
}

TEST_CASE("function is not asked again once it has failed") {
  int asked = 0;
  const Predicate allows = [&](Index, Index, Index, Index) -> std::optional<bool> {
    if (++asked == 5) return std::nullopt;
    return true;
  };
  const MaskShape shape = {.batch = 2, .heads = 2, .queries = 4, .keys = 4};
  const Mask mask({make_rule("function", {{"allows", allows}, {"perHead", true}})}, shape);
  CHECK(asked == 5);
}

TEST_CASE("all, any, not") {
  const Rule causal = make_rule("causal");
  const Rule near = make_rule("window", {{"left", Numbers(1)}, {"right", Numbers(2)}});
  const Rule strided = make_rule("strided", {{"stride", Numbers(3)}});
  using Rules = std::vector<Rule>;
  CHECK_RULE(make_rule("all", {{"of", Rules{}}}), true);
  CHECK_RULE(make_rule("any", {{"of", Rules{}}}), false);
  CHECK_RULE(make_rule("all", {{"of", Rules{causal, near}}}), j <= p && p - 1 <= j && j <= p + 2);
  CHECK_RULE(make_rule("any", {{"of", Rules{strided, near}}}),
             (p - j) % 3 == 0 || (p - 1 <= j && j <= p + 2));
  CHECK_RULE(make_rule("not", {{"of", Rules{strided}}}), (p - j) % 3 != 0);
}

TEST_CASE("not makes a row that lengths had emptied full") {
  const MaskShape shape = {1, 1, 3, 4, {0}};
  const Rule lengths = make_rule("lengths", {{"keys", std::vector<std::int64_t>{2}},
                                             {"queries", std::vector<std::int64_t>{1}}});
  CHECK(difference({make_rule("not", {{"of", std::vector{lengths}}})}, shape,
                   [](Index, Index, Index i, Index j) { return i >= 1 || j >= 2; }) == "");
}

TEST_CASE("every kind is found by its name and described in full") {
  for (const RuleKind& kind : rule_kinds()) {
    CAPTURE(kind.name);
    CHECK(find_rule_kind(kind.name) == &kind);
    CHECK(std::string(kind.doc).size() > 0);
    for (const RuleField& field : kind.fields) {
      CHECK(std::string(field.doc).size() > 0);
      CHECK(std::string(field.typescript).size() > 0);
    }
  }
  CHECK(find_rule_kind("casual") == nullptr);
  CHECK(uses_positions({make_rule("not", {{"of", std::vector{make_rule("causal")}}})}));
  CHECK_FALSE(uses_positions({make_rule("all", {{"of", std::vector<Rule>{}}})}));
}

}  // namespace
}  // namespace attention
