// The tables of options, mask kinds, dtypes and steps as one JSON text. The TypeScript declarations
// and the page's controls are made from it:
//
//   { options: [{ name, typescript, default, doc }],
//     masks:   [{ kind, doc, usesPositions, fields: [{ name, type, typescript, default, doc }] }],
//     dtypes:  [{ name, bytes, doc }],
//     steps:   [{ name, shape, option, doc }] }

#include <cstdint>
#include <string>
#include <string_view>

#include "core/attention.h"

namespace attention {
namespace {

/// Writes JSON; commas come by themselves.
class JsonWriter {
 public:
  template <class F>
  void object(F&& members) {
    nested('{', '}', members);
  }

  /// f(row) for each row of a table writes one value.
  template <class Table, class F>
  void array(const Table& table, F&& f) {
    nested('[', ']', [&] {
      for (const auto& row : table) f(row);
    });
  }

  void key(std::string_view name) {
    value(name);
    text_ += ':';
    comma_ = false;
  }

  void value(std::string_view string) {
    separate();
    text_ += '"';
    for (const char c : string) escape(c);
    text_ += '"';
  }

  void value(bool truth) {
    separate();
    text_ += truth ? "true" : "false";
  }

  void value(std::int64_t number) {
    separate();
    text_ += std::to_string(number);
  }

  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      value(std::string_view(content));
    } else {
      value(content);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  template <class F>
  void nested(char open, char close, F&& content) {
    separate();
    text_ += open;
    comma_ = false;
    content();
    text_ += close;
    comma_ = true;
  }

  void separate() {
    if (comma_) text_ += ',';
    comma_ = true;
  }

  void escape(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += "\\u00";
      text_ += digits[static_cast<std::size_t>(c >> 4)];
      text_ += digits[static_cast<std::size_t>(c & 15)];
    } else {
      text_ += c;  // UTF-8 as it is
    }
  }

  std::string text_;
  bool comma_ = false;
};

const char* type_name(ArgumentType type) {
  switch (type) {
    case ArgumentType::flag:
      return "flag";
    case ArgumentType::numbers:
      return "numbers";
    case ArgumentType::bools:
      return "bools";
    case ArgumentType::rule:
      return "rule";
    case ArgumentType::rules:
      return "rules";
    case ArgumentType::predicate:
      return "predicate";
  }
  return "";
}

const char* shape_of(Axis axis) {
  switch (axis) {
    case Axis::keys:
      return "[B, H, T, S]";
    case Axis::value_dim:
      return "[B, H, T, d_v]";
    default:
      return "[B, H, T]";
  }
}

}  // namespace

std::string describe() {
  JsonWriter json;
  json.object([&] {
    json.key("options");
    json.array(option_fields, [&](const OptionField& option) {
      json.object([&] {
        json.member("name", option.name);
        json.member("typescript", option.typescript);
        json.member("default", option.fallback);
        json.member("doc", option.doc);
      });
    });
    json.key("masks");
    json.array(rule_kinds(), [&](const RuleKind& kind) {
      json.object([&] {
        json.member("kind", kind.name);
        json.member("doc", kind.doc);
        json.member("usesPositions", kind.uses_positions);
        json.key("fields");
        json.array(kind.fields, [&](const RuleField& field) {
          json.object([&] {
            json.member("name", field.name);
            json.member("type", type_name(field.type));
            json.member("typescript", field.typescript);
            json.member("default", field.fallback);
            json.member("doc", field.doc);
          });
        });
      });
    });
    json.key("dtypes");
    json.array(dtypes, [&](const DTypeInfo& dtype) {
      json.object([&] {
        json.member("name", dtype.name);
        json.member("bytes", static_cast<std::int64_t>(dtype.bytes));
        json.member("doc", dtype.doc);
      });
    });
    json.key("steps");
    json.array(stages, [&](const StageInfo& stage) {
      json.object([&] {
        json.member("name", stage.name);
        json.member("shape", shape_of(stage.axis));
        json.member("option", stage.option);
        json.member("doc", stage.doc);
      });
    });
  });
  return json.take();
}

}  // namespace attention
