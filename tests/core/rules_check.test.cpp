#include <doctest/doctest.h>

#include "mask_cells.h"

namespace attention {
namespace {

using List = std::vector<std::int64_t>;
using Lists = std::vector<List>;

/// 2 batch elements, 3 heads, 4 queries, 5 keys.
const MaskShape shape = {2, 3, 4, 5, {0}};

/// "argument (code): message", or "" when the rule is right.
std::string complaint(const Rule& rule, const MaskShape& of = shape) {
  const Error error = check_mask({rule}, of);
  return error ? error.argument + " (" + error.code + "): " + error.message : "";
}

std::string complaint(const char* kind, const char* field, Argument argument) {
  return complaint(make_rule(kind, {{field, std::move(argument)}}));
}

TEST_CASE("numbers: how many, and how large") {
  CHECK(complaint("lengths", "keys", List{5, 0}) == "");
  CHECK(complaint("lengths", "keys", List{5, 0, 1}) ==
        "mask.lengths.keys (shape): mask.lengths.keys must be a list with one number for each of "
        "the 2 batch elements, but it is a list of length 3");
  CHECK(complaint("lengths", "keys", Numbers(5)) ==
        "mask.lengths.keys (shape): mask.lengths.keys must be a list with one number for each of "
        "the 2 batch elements, but it is the number 5");
  CHECK(complaint("lengths", "keys", List{5, 6}) ==
        "mask.lengths.keys (option): mask.lengths.keys[1] is 6, but must be at most 5, the number "
        "of keys");
  CHECK(complaint(make_rule("lengths", {{"keys", List{5, 5}}, {"queries", List{9, 1}}})) ==
        "mask.lengths.queries (option): mask.lengths.queries[0] is 9, but must be at most 4, the "
        "number of queries");
  CHECK(complaint("lengths", "keys", List{-1, 5}) ==
        "mask.lengths.keys (option): mask.lengths.keys[0] is -1, but must be at least 0");

  CHECK(complaint("window", "left", Numbers(-1)) ==
        "mask.window.left (option): mask.window.left is -1, but must be at least 0; leave it out "
        "for unlimited");
  CHECK(complaint("window", "right", List{1, 2}) ==
        "mask.window.right (shape): mask.window.right must be one number, but it is a list of "
        "length 2");
  CHECK(complaint("window", "right", Numbers((std::int64_t{1} << 53) + 1)) ==
        "mask.window.right (option): mask.window.right is 9007199254740993, but must be at most "
        "2⁵³; leave it out for unlimited");

  CHECK(complaint("prefix", "length", Numbers(3)) == "");
  CHECK(complaint("prefix", "length", List{3, 4}) == "");
  CHECK(complaint("prefix", "length", List{3}) ==
        "mask.prefix.length (shape): mask.prefix.length must be one number, or a list with one for "
        "each of the 2 batch elements, but it is a list of length 1");
  CHECK(complaint("prefix", "length", Numbers(-3)) ==
        "mask.prefix.length (option): mask.prefix.length is -3, but must be at least 0");

  CHECK(complaint("strided", "stride", Numbers(0)) ==
        "mask.strided.stride (option): mask.strided.stride is 0, but must be at least 1");
  CHECK(complaint("dilated", "dilation", Numbers(0)) ==
        "mask.dilated.dilation (option): mask.dilated.dilation is 0, but must be at least 1");
  CHECK(complaint("global", "tokens", List{0, 9}) == "");
  CHECK(complaint("global", "tokens", List{0, -1}) ==
        "mask.global.tokens (option): mask.global.tokens[1] is -1, but must be at least 0");
  CHECK(complaint("global", "tokens", Numbers(1)) ==
        "mask.global.tokens (shape): mask.global.tokens must be a list of numbers, but it is the "
        "number 1");
}

TEST_CASE("documents") {
  CHECK(complaint("documents", "starts", List{0, 3, 3, 5, 8}) == "");
  CHECK(complaint("documents", "starts", Lists{{0, 3}, {}}) == "");
  CHECK(complaint("documents", "starts", List{0, 3, 2}) ==
        "mask.documents.starts (option): mask.documents.starts must ascend, but 2 comes after 3");
  CHECK(complaint("documents", "starts", List{-2, 3}) ==
        "mask.documents.starts (option): mask.documents.starts[0] is -2, but must be at least 0");
  CHECK(complaint("documents", "starts", Lists{{0, 3}}) ==
        "mask.documents.starts (shape): mask.documents.starts must be a list of numbers, or such a "
        "list for each of the 2 batch elements, but it is a nested list of length 1");
  CHECK(complaint("documents", "ids", List{7, -7, 7, 0, 0}) == "");
  CHECK(complaint("documents", "ids", List{0, 0, 0, 0}) ==
        "mask.documents.ids (shape): mask.documents.ids has length 4, but must have one number "
        "for each of the 5 keys");
  CHECK(complaint("documents", "ids", Lists{{0, 0, 0, 0, 0}, {1}}) ==
        "mask.documents.ids (shape): mask.documents.ids[1] has length 1, but must have one "
        "number for each of the 5 keys");
  CHECK(complaint(make_rule("documents")) ==
        "mask.documents (option): mask.documents needs exactly one of starts, ids, but has 0 of "
        "them");
  CHECK(complaint(make_rule("documents", {{"starts", List{0}}, {"ids", List{0, 0, 0, 0, 0}}})) ==
        "mask.documents (option): mask.documents needs exactly one of starts, ids, but has 2 of "
        "them");
}

TEST_CASE("a missing field is named and described") {
  CHECK(complaint(make_rule("strided")) ==
        "mask.strided.stride (option): mask.strided.stride is missing: Distance between "
        "the keys that are read.");
  CHECK(complaint(make_rule("lengths", {{"queries", List{1, 1}}})) ==
        "mask.lengths.keys (option): mask.lengths.keys is missing: How many "
        "keys of each batch element are real.");
  // Every field without a default, of every kind.
  for (const RuleKind& kind : rule_kinds()) {
    for (const RuleField& field : kind.fields) {
      const std::string argument = check_mask({make_rule(kind.name)}, shape).argument;
      CAPTURE(kind.name);
      CAPTURE(field.name);
      if (!*field.fallback) CHECK(argument.starts_with(std::string("mask.") + kind.name + "."));
    }
  }
}

TEST_CASE("padding") {
  CHECK(complaint("padding", "blocked", Bools({2, 5}).tensor) == "");
  CHECK(complaint("padding", "allowed", Bools({2, 4}).tensor) ==
        "mask.padding.allowed (shape): mask.padding.allowed is 2×4, but must be [batch, keys] = "
        "2×5");
  CHECK(complaint("padding", "allowed", Bools({2, 1, 1, 5}).tensor) ==
        "mask.padding.allowed (shape): mask.padding.allowed is 2×1×1×5, but must be [batch, keys] "
        "= 2×5");
  CHECK(complaint(make_rule("padding")) ==
        "mask.padding (option): mask.padding needs exactly one of blocked, allowed, but has 0 of "
        "them");
  Tensor numbers = Bools({2, 5}).tensor;
  numbers.dtype = DType::float32;
  CHECK(complaint("padding", "blocked", numbers) ==
        "mask.padding.blocked (dtype): mask.padding.blocked is float32, but must be bool; numbers "
        "to be added to the scores are the option bias");
  const MaskShape one = {1, 3, 4, 5, {0}};
  CHECK(complaint(make_rule("padding", {{"blocked", Bools({5}).tensor}}), one) == "");
}

TEST_CASE("blocked and allowed: what does not broadcast") {
  for (const char* kind : {"blocked", "allowed"}) {
    CHECK(complaint(kind, "mask", Bools({4, 5}).tensor) == "");
    CHECK(complaint(kind, "mask", Bools({2, 3, 4, 5}).tensor) == "");
    CHECK(complaint(kind, "mask", Bools({2, 1, 1, 5}).tensor) == "");
  }
  CHECK(complaint("blocked", "mask", Bools({5, 4}).tensor) ==
        "mask.blocked.mask (shape): mask.blocked.mask is 5×4, which does not broadcast to [batch, "
        "heads, queries, keys] = 2×3×4×5: queries must be 4 or 1 but is 5");
  CHECK(complaint("allowed", "mask", Bools({2, 4, 5}).tensor) ==
        "mask.allowed.mask (shape): mask.allowed.mask is 2×4×5, which does not broadcast to "
        "[batch, heads, queries, keys] = 2×3×4×5: heads must be 3 or 1 but is 2; a mask for each "
        "batch element has the shape [batch, 1, queries, keys]");
  CHECK(complaint("allowed", "mask", Bools({0, 5}).tensor) ==
        "mask.allowed.mask (shape): mask.allowed.mask is 0×5, which does not broadcast to [batch, "
        "heads, queries, keys] = 2×3×4×5: queries must be 4 or 1 but is 0");
}

TEST_CASE("a mask that could be a padding mask is refused, above all when it would broadcast") {
  CHECK(complaint("blocked", "mask", Bools({2, 5}).tensor) ==
        "mask.blocked.mask (ambiguous): mask.blocked.mask is 2×5, which is what a padding mask "
        "[batch, keys] looks like: for one, use { kind: 'padding', blocked: … }");
  const MaskShape equal = {3, 1, 3, 3, {0}};
  CHECK(complaint(make_rule("allowed", {{"mask", Bools({3, 3}).tensor}}), equal) ==
        "mask.allowed.mask (ambiguous): mask.allowed.mask is 3×3, which is what a padding mask "
        "[batch, keys] looks like: for one, use { kind: 'padding', allowed: … }; for a mask "
        "[queries, keys], give it the shape 1×3×3");
  CHECK(complaint(make_rule("allowed", {{"mask", Bools({1, 3, 3}).tensor}}), equal) == "");
  const MaskShape one = {1, 1, 1, 3, {0}};
  CHECK(complaint(make_rule("allowed", {{"mask", Bools({1, 3}).tensor}}), one) == "");
}

TEST_CASE("blocks") {
  const auto blocks = [](std::vector<std::int64_t> layout) {
    return complaint(make_rule("blocks", {{"size", Numbers(2)}, {"layout", Bools(layout).tensor}}));
  };
  CHECK(blocks({2, 3}) == "");
  CHECK(blocks({3, 2, 3}) == "");
  CHECK(blocks({2, 2}) ==
        "mask.blocks.layout (shape): mask.blocks.layout is 2×2, but 4 queries and 5 keys in blocks "
        "of 2 need 2×3 or, with heads in front, 3×2×3");
  CHECK(blocks({2, 2, 3}) != "");
  CHECK(complaint(make_rule("blocks", {{"size", Numbers(0)}, {"layout", Bools({2, 3}).tensor}})) ==
        "mask.blocks.size (option): mask.blocks.size is 0, but must be at least 1");
}

TEST_CASE("rules inside rules: the path leads to the fault, and depth is limited") {
  const Rule wrong = make_rule("window", {{"left", Numbers(-1)}});
  const Rule inner = make_rule("not", {{"of", std::vector{wrong}}});
  CHECK(check_mask({make_rule("causal"), make_rule("any", {{"of", std::vector{inner}}})}, shape)
            .argument == "mask.any.of.not.of.window.left");
  CHECK(complaint(make_rule("not", {{"of", std::vector<Rule>{}}})) ==
        "mask.not.of (option): mask.not.of must be of type MaskRule");

  Rule deep = make_rule("causal");
  for (int depth = 1; depth < max_rule_depth; ++depth) {
    deep = make_rule("not", {{"of", std::vector{deep}}});
  }
  CHECK(complaint(deep) == "");
  CHECK(complaint(make_rule("not", {{"of", std::vector{deep}}})) ==
        "mask (option): mask has rules more than 32 deep");
}

TEST_CASE("arguments of the wrong type, unknown kinds and fields") {
  CHECK(complaint("window", "left", true) ==
        "mask.window.left (option): mask.window.left must be of type number");
  CHECK(complaint("function", "allows", Predicate()) ==
        "mask.function.allows (option): mask.function.allows must be of type (b: number, h: "
        "number, i: number, j: number) => boolean");
  CHECK(complaint(make_rule("casual")) != "");
  CHECK(complaint("window", "size", Numbers(3)) != "");
}

}  // namespace
}  // namespace attention
