#pragma once

// A call as JavaScript writes it into memory: one flat list of float64 words, so that no object
// crosses the border property by property. src/js/message.ts is the writer; it lists the same tags.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attention {

/// What the first word of a value says about the words that follow.
enum class Tag {
  nothing,   ///< 0: undefined, 1: null
  boolean,   ///< 0 or 1
  number,    ///< itself
  bigint,    ///< the high and the low 32 bits of 0 … 2⁶⁴ − 1
  string,    ///< length, then UTF-16 code units
  list,      ///< count, then values: an array of anything but numbers
  object,    ///< count, then for each field its name (as a string without tag) and its value
  numbers,   ///< rank, shape, elements: a rectangular array of numbers or booleans
  tensor,    ///< dtype, rank, shape [4], whether strides are given, strides [4], length of its
             ///< data, address (0: not yet)
  function,  ///< its place in the call's list of functions
  other,     ///< what it is, as a string: whatever no argument can be
};

/// Words of a tensor, its tag included, and where its address stands among them.
inline constexpr std::size_t tensor_words = 14;
inline constexpr std::size_t tensor_address = 13;

/// What a message says, before anybody asks what it means.
struct Value {
  Tag tag = Tag::nothing;
  double number = 0;                ///< of a number, boolean, function or nothing
  std::uint64_t bigint = 0;         ///< of a bigint
  std::string text;                 ///< of a string or other, in UTF-8
  std::vector<std::string> names;   ///< of an object's fields
  std::vector<Value> items;         ///< of a list or an object's fields
  std::vector<std::int64_t> shape;  ///< of numbers
  std::span<double> words;          ///< elements of numbers; all words of a tensor, with its tag

  /// An object's field, or null.
  const Value* find(std::string_view name) const;
};

/// Reads one value and moves the message past it. One that is cut short or nests without end reads
/// as `other`.
Value parse(std::span<double>& message);

/// For people: "the number 3", "an array of 2×4 numbers", "an object"; of a list what keeps it from
/// being an array of numbers: "an array whose element 3 is the string '4'".
std::string text(const Value& value);

}  // namespace attention
