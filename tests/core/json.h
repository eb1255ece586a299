// Just enough JSON to read the worked examples; what is not JSON ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace attention {

struct Json {
  enum Type { null, boolean, number, string, array, object };
  Type type = null;
  double number_value = 0;  // of a boolean: 0 or 1
  std::string text;
  std::vector<Json> items;         // of an array or an object
  std::vector<std::string> names;  // of an object: one for each item

  const Json* find(const std::string& name) const {
    for (std::size_t n = 0; n < names.size(); ++n) {
      if (names[n] == name) return &items[n];
    }
    return nullptr;
  }

  const Json& operator[](const std::string& name) const {
    static const Json none;
    const Json* found = find(name);
    return found ? *found : none;
  }

  /// The numbers of nested arrays, in order; "Infinity", "-Infinity" and "NaN" are numbers too.
  std::vector<double> numbers() const {
    std::vector<double> result;
    collect(result);
    return result;
  }

  /// The lengths of nested arrays.
  std::vector<std::int64_t> shape() const {
    std::vector<std::int64_t> result;
    for (const Json* at = this; at->type == array; at = &at->items.front()) {
      result.push_back(static_cast<std::int64_t>(at->items.size()));
    }
    return result;
  }

 private:
  void collect(std::vector<double>& result) const {
    for (const Json& item : items) item.collect(result);
    if (type == number || type == boolean) result.push_back(number_value);
    if (type == string) result.push_back(std::strtod(text.c_str(), nullptr));
  }
};

class JsonReader {
 public:
  static Json read(const char* text) {
    JsonReader reader(text);
    const Json value = reader.value();
    if (reader.next() != '\0') reader.fail();
    return value;
  }

 private:
  explicit JsonReader(const char* text) : at_(text) {}

  char next() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
    return *at_;
  }

  [[noreturn]] void fail() const {
    std::fprintf(stderr, "not JSON: %.40s\n", at_);
    std::abort();
  }

  void take(const char* word) {
    for (; *word; ++word, ++at_) {
      if (*at_ != *word) fail();
    }
  }

  Json value() {
    Json json;
    switch (next()) {
      case '{':
        json.type = Json::object;
        list('}', [&] {
          json.names.push_back(string());
          if (next() != ':') fail();
          ++at_;
          json.items.push_back(value());
        });
        return json;
      case '[':
        json.type = Json::array;
        list(']', [&] { json.items.push_back(value()); });
        return json;
      case '"':
        json.type = Json::string;
        json.text = string();
        return json;
      case 't':
      case 'f':
        json.type = Json::boolean;
        json.number_value = *at_ == 't';
        take(*at_ == 't' ? "true" : "false");
        return json;
      case 'n':
        take("null");
        return json;
      default:
        return number();
    }
  }

  template <class F>
  void list(char close, F&& item) {
    ++at_;
    if (next() == close) {
      ++at_;
      return;
    }
    for (;; ++at_) {
      item();
      if (next() == close) break;
      if (*at_ != ',') fail();
    }
    ++at_;
  }

  std::string string() {
    if (next() != '"') fail();
    std::string text;
    for (++at_; *at_ != '"'; ++at_) {
      if (*at_ == '\0') fail();
      if (*at_ == '\\') ++at_;  // \" and \\ are all that the texts here escape
      text += *at_;
    }
    ++at_;
    return text;
  }

  Json number() {
    Json json;
    json.type = Json::number;
    char* end = nullptr;
    json.number_value = std::strtod(at_, &end);
    if (end == at_) fail();
    at_ = end;
    return json;
  }

  const char* at_;
};

}  // namespace attention
