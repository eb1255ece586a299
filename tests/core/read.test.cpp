// The reader of messages: values, tensors, options, and that no message can lead it astray.

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string_view>

#include "wasm/read.h"

using namespace attention;

namespace {

/// Writes values as src/js/message.ts does.
struct Writer {
  std::vector<double> words;

  Writer& tag(Tag tag) { return word(static_cast<double>(tag)); }
  Writer& word(double word) {
    words.push_back(word);
    return *this;
  }
  Writer& text(std::string_view text) {
    word(static_cast<double>(text.size()));
    for (const char c : text) word(c);
    return *this;
  }
  Writer& string(std::string_view value) { return tag(Tag::string).text(value); }
  Writer& number(double value) { return tag(Tag::number).word(value); }
  Writer& object(int fields) { return tag(Tag::object).word(fields); }
  Writer& list(int items) { return tag(Tag::list).word(items); }
  Writer& numbers(std::vector<double> shape, std::vector<double> elements) {
    tag(Tag::numbers).word(static_cast<double>(shape.size()));
    for (const double extent : shape) word(extent);
    for (const double element : elements) word(element);
    return *this;
  }
  Writer& tensor(DType dtype, int rank, std::vector<double> shape, double length) {
    tag(Tag::tensor).word(static_cast<double>(dtype)).word(rank);
    for (const double extent : shape) word(extent);
    for (int i = 0; i < 5; ++i) word(0);
    return word(length).word(0);
  }

  Value parse() {
    std::span<double> message = words;
    return attention::parse(message);
  }
};

/// A host with some room and a function that allows everything.
struct Room {
  std::vector<std::vector<std::byte>> blocks;
  std::int64_t left = 1 << 20;
  Host host = {
      [this](std::int64_t bytes) -> void* {
        if (bytes > left) return nullptr;
        left -= bytes;
        return blocks.emplace_back(static_cast<std::size_t>(bytes) + 1).data();
      },
      [](std::size_t) -> Predicate { return [](Index, Index, Index, Index) { return true; }; }};
};

Error read(Writer& writer, Options& options) {
  Room room;
  return read_options(writer.parse(), DType::float32, room.host, options);
}

}  // namespace

TEST_CASE("values come back as they were written") {
  CHECK(Writer().number(-2.5).parse().number == -2.5);
  CHECK(Writer().string("causal").parse().text == "causal");
  const Value big = Writer().tag(Tag::bigint).word(0xffffffff).word(1).parse();
  CHECK(big.bigint == 0xffffffff00000001u);
  const Value object = Writer().object(2).text("a").number(1).text("b").list(1).string("x").parse();
  REQUIRE(object.find("b") != nullptr);
  CHECK(object.find("b")->items[0].text == "x");
  CHECK(object.find("c") == nullptr);
  const Value numbers = Writer().numbers({2, 3}, {1, 2, 3, 4, 5, 6}).parse();
  CHECK(numbers.shape == std::vector<std::int64_t>{2, 3});
  CHECK(numbers.words.size() == 6);
  CHECK(text(numbers) == "an array of 2×3 numbers");
}

TEST_CASE("names in other scripts are told as they were written") {
  // "größe" in UTF-16.
  const Value value =
      Writer().tag(Tag::string).word(5).word('g').word('r').word(0xf6).word(0xdf).word('e').parse();
  CHECK(value.text == "größe");
}

TEST_CASE("options go to the members that the table names") {
  Writer writer;
  writer.object(5).text("scale").number(0.5).text("softcap").number(30).text("start").string(
      "bottom-right");
  writer.text("mask").list(2).string("causal").object(2).text("kind").string("window").text("left");
  writer.number(3).text("dropout").object(2).text("p").number(0.1).text("seed").number(7);
  Options options;
  REQUIRE_FALSE(read(writer, options));
  CHECK(*options.scale == 0.5);
  CHECK(options.softcap == 30);
  CHECK(options.start.corner == Start::bottom_right);
  REQUIRE(options.mask.size() == 2);
  CHECK(std::string_view(options.mask[1].kind->name) == "window");
  CHECK(std::get<Numbers>(options.mask[1].arguments[0]).lists[0][0] == 3);
  CHECK(options.mask[1].arguments[1].index() == 0);
  CHECK(options.dropout->p == 0.1);
  CHECK(options.dropout->seed == 7);
}

TEST_CASE("an unlimited window is one whose side is left out") {
  Writer writer;
  writer.object(1).text("mask").object(2).text("kind").string("window").text("left");
  writer.number(INFINITY);
  Options options;
  REQUIRE_FALSE(read(writer, options));
  CHECK(options.mask[0].arguments[0].index() == 0);
}

TEST_CASE("a tensor among the options gets its room and its address") {
  Writer writer;
  writer.object(1).text("bias").tensor(DType::float32, 2, {1, 1, 2, 3}, 6);
  Room room;
  Options options;
  REQUIRE_FALSE(read_options(writer.parse(), DType::float32, room.host, options));
  CHECK(options.bias->data == room.blocks[0].data());
  CHECK(writer.words.back() ==
        static_cast<double>(reinterpret_cast<std::uintptr_t>(options.bias->data)));

  room.left = 23;
  const Error error = read_options(writer.parse(), DType::float32, room.host, options);
  CHECK(error.code == "memory");
  CHECK(error.argument == "bias");
}

TEST_CASE("the errors name the argument and what was given") {
  Options options;
  Writer unknown;
  unknown.object(1).text("isCausal").tag(Tag::boolean).word(1);
  CHECK(read(unknown, options).message ==
        "there is no option 'isCausal'; the options are scale, softcap, mask, start, bias, alibi, "
        "sinks, dropout, returns, weightsFor");
  Writer wrong;
  wrong.object(1).text("scale").string("1");
  CHECK(read(wrong, options).message == "scale must be a number, not the string '1'");
  Writer additive;
  additive.object(1).text("mask").object(2).text("kind").string("allowed").text("mask");
  additive.numbers({1, 2}, {0, -INFINITY});
  CHECK(read(additive, options).argument == "mask.allowed.mask");
}

TEST_CASE("text says which of two nothings, and what keeps a list from being numbers") {
  CHECK(text(Writer().tag(Tag::nothing).word(0).parse()) == "undefined");
  CHECK(text(Writer().tag(Tag::nothing).word(1).parse()) == "null");
  CHECK(text(Writer().list(3).number(1).number(2).string("3").parse()) ==
        "an array whose element 2 is the string '3'");
  CHECK(text(Writer().list(2).numbers({2}, {1, 2}).numbers({1}, {3}).parse()) ==
        "an array whose element 1 is an array of 1 numbers but element 0 is an array of 2 numbers");
  Options options;
  Writer queries;
  queries.object(1).text("weightsFor").object(1).text("queries").numbers({2}, {1, 0.5});
  CHECK(read(queries, options).message ==
        "weightsFor.queries[1] must be whole numbers up to 2⁵³, not 0.5");
  Writer length;
  length.object(1).text("mask").object(2).text("kind").string("prefix").text("length").string("2");
  CHECK(read(length, options).message ==
        "mask.prefix.length must be a number or an array of numbers, not the string '2'");
}

TEST_CASE("a message that is cut short anywhere is an error and nothing else") {
  Writer writer;
  writer.object(3).text("mask").list(1).object(2).text("kind").string("lengths").text("keys");
  writer.numbers({2}, {3, 4}).text("bias").tensor(DType::float64, 1, {1, 1, 1, 4}, 4);
  writer.text("sinks").numbers({1}, {0.5});
  Options whole;
  REQUIRE_FALSE(read(writer, whole));
  for (std::size_t length = 0; length < writer.words.size(); ++length) {
    Writer cut;
    cut.words.assign(writer.words.begin(), writer.words.begin() + static_cast<Index>(length));
    Options options;
    CHECK(read(cut, options));
  }
}

TEST_CASE("words that are anything at all are read or refused") {
  std::mt19937 generator(5);
  const double odd[] = {-1, 0.5, NAN, INFINITY, -INFINITY, 0x1p31, 0x1p53, 0x1p64, 1e300};
  for (int round = 0; round < 20000; ++round) {
    Writer writer;
    writer.object(1).text(option_fields[generator() % option_fields.size()].name);
    const int words = static_cast<int>(generator() % 40);
    for (int i = 0; i < words; ++i) {
      const bool is_odd = generator() % 8 == 0;
      writer.word(is_odd ? odd[generator() % std::size(odd)] : generator() % 12);
    }
    Options options;
    const Error error = read(writer, options);
    CHECK((!error || !error.argument.empty()));
  }
}

TEST_CASE("values within values end somewhere") {
  Writer writer;
  for (int depth = 0; depth < 100000; ++depth) writer.list(1);
  CHECK(writer.parse().tag != Tag::nothing);
  Writer tensor;
  tensor.object(1).text("mask").list(1);
  for (int depth = 0; depth < 1000; ++depth) {
    tensor.object(2).text("kind").string("not").text("of");
  }
  tensor.string("causal");
  Options options;
  CHECK(read(tensor, options));
}

TEST_CASE("reach is the last element that shape and strides lead to") {
  Tensor tensor;
  tensor.shape = {2, 3, 4, 5};
  tensor.strides = {100, 0, 5, 1};
  CHECK(reach(tensor) == 100 + 3 * 5 + 4 + 1);
  tensor.shape[1] = 0;
  CHECK(reach(tensor) == 0);
}
