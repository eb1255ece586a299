#include "wasm/value.h"

#include "core/error.h"

namespace attention {
namespace {

constexpr int deepest = 64;  // rules within rules; the stack is small

class Parser {
 public:
  explicit Parser(std::span<double>& message) : rest_(message) {}

  Value value(int depth) {
    Value value;
    const std::span<double> from = rest_;
    const double tag = word();
    if (depth > deepest || !(tag >= 0 && tag <= static_cast<double>(Tag::other))) return broken();
    value.tag = static_cast<Tag>(tag);
    switch (value.tag) {
      case Tag::nothing:
      case Tag::boolean:
      case Tag::number:
      case Tag::function:
        value.number = word();
        break;
      case Tag::bigint: {
        const std::uint64_t high = half();
        value.bigint = high << 32 | half();
        break;
      }
      case Tag::string:
      case Tag::other:
        value.text = string();
        break;
      case Tag::list:
        for (std::size_t left = count(); left > 0; --left) {
          value.items.push_back(this->value(depth + 1));
        }
        break;
      case Tag::object:
        for (std::size_t left = count(); left > 0; --left) {
          value.names.push_back(string());
          value.items.push_back(this->value(depth + 1));
        }
        break;
      case Tag::numbers:
        numbers(value);
        break;
      case Tag::tensor:
        take(tensor_words - 1);
        if (!ended_) value.words = from.first(tensor_words);
        break;
    }
    if (ended_) return broken();
    return value;
  }

 private:
  double word() {
    const std::span<double> one = take(1);
    return one.empty() ? 0 : one[0];
  }

  std::uint32_t half() {
    const double value = word();
    return value >= 0 && value < 0x1p32 ? static_cast<std::uint32_t>(value) : 0;
  }

  /// A number of things to come; each takes at least a word.
  std::size_t count() {
    const double value = word();
    const bool fits = value >= 0 && value <= static_cast<double>(rest_.size());
    ended_ |= !fits;
    return fits ? static_cast<std::size_t>(value) : 0;
  }

  std::span<double> take(std::size_t length) {
    if (length > rest_.size()) {
      ended_ = true;
      return {};
    }
    const std::span<double> taken = rest_.first(length);
    rest_ = rest_.subspan(length);
    return taken;
  }

  std::string string() {
    std::string text;
    for (const double word : take(count())) append(text, word);
    return text;
  }

  static void append(std::string& text, double unit) {
    unsigned code = unit >= 0 && unit < 0x10000 ? static_cast<unsigned>(unit) : 0xfffd;
    if (code >= 0xd800 && code < 0xe000) code = 0xfffd;  // half of a pair: names have none
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      text += static_cast<char>(0xe0 | code >> 12);
      text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
  }

  void numbers(Value& value) {
    std::size_t elements = 1;
    for (std::size_t axes = count(); axes > 0; --axes) {
      const std::size_t extent = count();
      value.shape.push_back(static_cast<std::int64_t>(extent));
      // The extents are at most the message's length each; their product must not wrap.
      if (extent > 0 && elements > rest_.size() / extent) ended_ = true;
      elements = ended_ ? 0 : elements * extent;
    }
    value.words = take(elements);
  }

  static Value broken() {
    Value value;
    value.tag = Tag::other;
    value.text = "nested too deeply";
    return value;
  }

  std::span<double>& rest_;
  bool ended_ = false;
};

/// The first of a list's items that is not like the numbers, or arrays of them, before it.
std::string oddity(const std::vector<Value>& items) {
  const auto is_number = [](const Value& item) {
    return item.tag == Tag::number || item.tag == Tag::boolean;
  };
  for (std::size_t at = 0; at < items.size(); ++at) {
    const Value& item = items[at];
    const Value& first = items[0];
    if (is_number(item) && is_number(first)) continue;
    const bool alike = item.tag == Tag::numbers && first.tag == Tag::numbers;
    if (alike && item.shape == first.shape) continue;
    std::string result = " whose element ";
    result += std::to_string(at);
    result += " is ";
    result += text(item);
    if (!alike) return result;
    result += " but element 0 is ";
    result += text(first);
    return result;
  }
  return "";
}

}  // namespace

const Value* Value::find(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &items[i];
  }
  return nullptr;
}

Value parse(std::span<double>& message) { return Parser(message).value(0); }

std::string text(const Value& value) {
  switch (value.tag) {
    case Tag::nothing:
      return value.number != 0 ? "null" : "undefined";
    case Tag::boolean:
      return value.number != 0 ? "true" : "false";
    case Tag::number:
      return "the number " + to_text(value.number);
    case Tag::bigint:
      return "a bigint";
    case Tag::string:
      return "the string '" + value.text + "'";
    case Tag::list:
      return "an array" + oddity(value.items);
    case Tag::object:
      return "an object";
    case Tag::numbers: {
      std::string shape;
      for (const std::int64_t extent : value.shape) {
        shape += (shape.empty() ? "" : "×") + std::to_string(extent);
      }
      return "an array of " + shape + " numbers";
    }
    case Tag::tensor:
      return "a tensor";
    case Tag::function:
      return "a function";
    case Tag::other:
      return value.text;
  }
  return "";
}

}  // namespace attention
