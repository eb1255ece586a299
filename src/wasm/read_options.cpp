#include <array>
#include <string_view>
#include <type_traits>

#include "wasm/read.h"

namespace attention {
namespace {

template <class T>
Error read_list(const Value& value, const std::string& argument, std::vector<T>& result) {
  if (value.tag != Tag::numbers || value.shape.size() != 1) {
    return wrong_type(argument, "an array of numbers", value);
  }
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return read_wholes(value.words, argument, result);
  } else {
    result.assign(value.words.begin(), value.words.end());
    return {};
  }
}

/// A value is an object and has no fields but these.
Error check_object(const Value& value, const std::string& argument, const char* expected,
                   std::array<std::string_view, 2> fields) {
  if (value.tag != Tag::object) return wrong_type(argument, expected, value);
  for (const std::string& name : value.names) {
    if (name == fields[0] || name == fields[1]) continue;
    return {"option", argument + "." + name,
            argument + " has no field '" + name + "'; give " + expected};
  }
  return {};
}

const Value& field_of(const Value& object, std::string_view name) {
  static const Value nothing;
  const Value* value = object.find(name);
  return value ? *value : nothing;
}

/// Reads the members of Options: one overload for each of their types.
struct Reader {
  DType nested;
  const Host& host;

  Error read(const Value& value, const std::string& argument, double& result) const {
    if (value.tag != Tag::number) return wrong_type(argument, "a number", value);
    result = value.number;
    return {};
  }

  Error read(const Value& value, const std::string& argument, std::optional<double>& result) const {
    return read(value, argument, result.emplace());
  }

  Error read(const Value& value, const std::string& argument,
             std::optional<std::vector<double>>& result) const {
    return read_list(value, argument, result.emplace());
  }

  Error read(const Value& value, const std::string& argument, std::vector<Rule>& rules) const {
    return read_rules(value, argument, host, rules);
  }

  Error read(const Value& value, const std::string& argument, Start& start) const {
    if (value.tag == Tag::string && value.text == "top-left") {
      start.corner = Start::top_left;
      return {};
    }
    if (value.tag == Tag::string && value.text == "bottom-right") {
      start.corner = Start::bottom_right;
      return {};
    }
    start.corner = Start::numbers;
    if (value.tag == Tag::number) {
      return read_whole(value.number, argument, start.values.emplace_back());
    }
    if (value.tag == Tag::numbers) return read_list(value, argument, start.values);
    return wrong_type(argument, "'top-left', 'bottom-right', a number or an array of numbers",
                      value);
  }

  Error read(const Value& value, const std::string& argument, std::optional<Tensor>& result) const {
    if (value.tag != Tag::tensor && value.tag != Tag::numbers) {
      return wrong_type(argument, "a tensor or nested arrays of numbers", value);
    }
    return read_placed_tensor(value, argument, nested, host, result.emplace());
  }

  Error read(const Value& value, const std::string& argument, Alibi& alibi) const {
    if (value.tag == Tag::boolean) {
      alibi.kind = value.number != 0 ? Alibi::paper : Alibi::off;
      return {};
    }
    if (value.tag != Tag::numbers || value.shape.size() > 2) {
      return wrong_type(argument, "true, slopes [heads] or slopes [batch][heads]", value);
    }
    alibi.kind = Alibi::slopes;
    alibi.rank = static_cast<int>(value.shape.size());
    alibi.values.assign(value.words.begin(), value.words.end());
    return {};
  }

  Error read(const Value& value, const std::string& argument,
             std::optional<Dropout>& result) const {
    Error error = check_object(value, argument, "{ p, seed }", {"p", "seed"});
    Dropout& dropout = result.emplace();
    if (!error) error = read(field_of(value, "p"), argument + ".p", dropout.p);
    if (!error) error = read_seed(field_of(value, "seed"), argument + ".seed", dropout.seed);
    return error;
  }

  Error read_seed(const Value& value, const std::string& argument, std::uint64_t& seed) const {
    std::int64_t whole = -1;
    if (value.tag == Tag::bigint) {
      seed = value.bigint;
      return {};
    }
    if (value.tag != Tag::number || read_whole(value.number, argument, whole) || whole < 0) {
      return wrong_type(argument, "a whole number from 0 to 2⁵³, or a bigint below 2⁶⁴", value);
    }
    seed = static_cast<std::uint64_t>(whole);
    return {};
  }

  Error read(const Value& value, const std::string& argument, Returns& returns) const {
    const bool empty = value.tag == Tag::numbers && value.words.empty();
    if (value.tag != Tag::list && !empty) {
      return wrong_type(argument, "an array of 'lse' and 'weights'", value);
    }
    returns = {false, false};
    for (const Value& item : value.items) {
      const bool lse = item.tag == Tag::string && item.text == "lse";
      const bool weights = item.tag == Tag::string && item.text == "weights";
      if (!lse && !weights) {
        return {"option", argument, argument + " can hold 'lse' and 'weights', not " + text(item)};
      }
      returns.lse |= lse;
      returns.weights |= weights;
    }
    return {};
  }

  Error read(const Value& value, const std::string& argument, WeightsFor& result) const {
    Error error = check_object(value, argument, "{ heads, queries }", {"heads", "queries"});
    const auto choice = [&](const char* name, std::optional<std::vector<std::int64_t>>& chosen) {
      const Value& given = field_of(value, name);
      if (error || given.tag == Tag::nothing) return;
      error = read_list(given, argument + "." + name, chosen.emplace());
    };
    choice("heads", result.heads);
    choice("queries", result.queries);
    return error;
  }
};

const OptionField* find_option(std::string_view name) {
  for (const OptionField& field : option_fields) {
    if (name == field.name) return &field;
  }
  return nullptr;
}

}  // namespace

Error read_options(const Value& value, DType nested, const Host& host, Options& options) {
  if (value.tag == Tag::nothing) return {};
  if (value.tag != Tag::object) return wrong_type("options", "an object", value);
  const Reader reader{nested, host};
  for (std::size_t i = 0; i < value.names.size(); ++i) {
    const OptionField* field = find_option(value.names[i]);
    if (!field) {
      return {"option", value.names[i],
              "there is no option '" + value.names[i] + "'; the options are " +
                  names_of(option_fields)};
    }
    if (value.items[i].tag == Tag::nothing) continue;
    Error error = std::visit(
        [&](auto member) { return reader.read(value.items[i], field->name, options.*member); },
        field->member);
    if (error) return error;
  }
  return {};
}

}  // namespace attention
