#include <algorithm>
#include <cmath>

#include "wasm/read.h"

namespace attention {
namespace {

bool is_list(const Value& value) { return value.tag == Tag::numbers && value.shape.size() == 1; }

const char* wanted(const NumbersForm& form) {
  if (form.max_rank == 0) return "a number";
  if (form.max_rank == 2) return "an array of numbers, or such an array for each batch element";
  return form.min_rank == 0 ? "a number or an array of numbers" : "an array of numbers";
}

Error read_numbers(const Value& value, const std::string& argument, const RuleField& field,
                   Argument& result) {
  Numbers numbers;
  numbers.lists.clear();
  const auto add = [&](std::span<const double> words) -> Error {
    return read_wholes(words, argument, numbers.lists.emplace_back());
  };

  Error error;
  if (value.tag == Tag::number) {
    // Infinity is how callers spell "without a limit", which is what leaving the field out means.
    if (value.number == INFINITY && *field.fallback) return {};
    error = read_whole(value.number, argument, numbers.lists.emplace_back().emplace_back());
  } else if (is_list(value)) {
    numbers.rank = 1;
    error = add(value.words);
  } else if (value.tag == Tag::numbers && value.shape.size() == 2) {
    numbers.rank = 2;
    const auto width = static_cast<std::size_t>(value.shape[1]);
    for (std::int64_t i = 0; i < value.shape[0] && !error; ++i) {
      error = add(value.words.subspan(static_cast<std::size_t>(i) * width, width));
    }
  } else if (value.tag == Tag::list && std::ranges::all_of(value.items, is_list)) {
    numbers.rank = 2;  // lists that differ in length
    for (const Value& item : value.items) {
      if ((error = add(item.words))) break;
    }
  } else {
    return wrong_type(argument, wanted(field.numbers), value);
  }
  if (error) return error;
  result = std::move(numbers);
  return {};
}

Error read_rule(const Value& value, const std::string& argument, const Host& host, Rule& rule);

Error read_argument(const Value& value, const std::string& argument, const RuleField& field,
                    const Host& host, Argument& result) {
  switch (field.type) {
    case ArgumentType::flag:
      if (value.tag != Tag::boolean) return wrong_type(argument, "true or false", value);
      result = value.number != 0;
      return {};
    case ArgumentType::numbers:
      return read_numbers(value, argument, field, result);
    case ArgumentType::bools: {
      if (value.tag != Tag::tensor && value.tag != Tag::numbers) {
        return wrong_type(argument, "a bool tensor or nested arrays of true and false", value);
      }
      Tensor& tensor = result.emplace<Tensor>();
      return read_placed_tensor(value, argument, DType::boolean, host, tensor);
    }
    case ArgumentType::rule:
      return read_rule(value, argument, host, result.emplace<std::vector<Rule>>().emplace_back());
    case ArgumentType::rules:
      return read_rules(value, argument, host, result.emplace<std::vector<Rule>>());
    case ArgumentType::predicate:
      if (value.tag != Tag::function) return wrong_type(argument, field.typescript, value);
      result = host.function(static_cast<std::size_t>(value.number));
      return {};
  }
  return {};
}

Error read_rule(const Value& value, const std::string& argument, const Host& host, Rule& rule) {
  const Value* kind = value.tag == Tag::string ? &value : value.find("kind");
  if (!kind || kind->tag != Tag::string) {
    const bool bare = value.tag == Tag::numbers || value.tag == Tag::tensor;
    return {"type", argument,
            argument + " must be a rule, not " + text(value) +
                (bare ? "; say what true means: { kind: 'allowed', mask } or "
                        "{ kind: 'blocked', mask }"
                      : "; give a kind or { kind, … }; the kinds are " + names_of(rule_kinds()))};
  }
  rule.kind = find_rule_kind(kind->text);
  if (!rule.kind) {
    return {
        "option", argument,
        argument + " has no kind '" + kind->text + "'; the kinds are " + names_of(rule_kinds())};
  }
  const std::string path = argument + "." + rule.kind->name;
  const std::span<const RuleField> fields = rule.kind->fields;
  for (const std::string& name : value.names) {
    bool known = name == "kind";
    for (const RuleField& field : fields) known |= name == field.name;
    if (!known) {
      return {"option", path + "." + name,
              path + " has no field '" + name + "'; its fields are " + names_of(fields)};
    }
  }
  rule.arguments.resize(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Value* given = value.find(fields[i].name);
    if (!given || given->tag == Tag::nothing) continue;
    Error error =
        read_argument(*given, path + "." + fields[i].name, fields[i], host, rule.arguments[i]);
    if (error) return error;
  }
  return {};
}

}  // namespace

Error read_rules(const Value& value, const std::string& argument, const Host& host,
                 std::vector<Rule>& rules) {
  if (value.tag == Tag::numbers && value.shape == std::vector<std::int64_t>{0}) return {};  // []
  if (value.tag != Tag::list) return read_rule(value, argument, host, rules.emplace_back());
  for (const Value& item : value.items) {
    if (Error error = read_rule(item, argument, host, rules.emplace_back())) return error;
  }
  return {};
}

}  // namespace attention
