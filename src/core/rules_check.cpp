// What the table of mask kinds says about their fields, checked once for all kinds.

#include <algorithm>

#include "core/mask.h"
#include "core/memory.h"

namespace attention {
namespace {

/// Every whole number up to here is a double, and sums of a few stay far from overflow.
constexpr std::int64_t largest = std::int64_t{1} << 53;

const char* axis_name(Index MaskShape::* axis) {
  return axis == &MaskShape::keys ? "keys" : "queries";
}

std::string wanted(const NumbersForm& form, Index batch) {
  const std::string each = sentence("for each of the ", batch, " batch elements");
  if (form.max_rank == 0) return "one number";
  if (form.max_rank == 2) return "a list of numbers, or such a list " + each;
  if (!form.per_batch) return "a list of numbers";
  return (form.min_rank == 0 ? "one number, or a list with one " : "a list with one number ") +
         each;
}

std::string given(const Numbers& numbers) {
  if (numbers.rank == 0) return sentence("the number ", numbers.lists[0][0]);
  if (numbers.rank == 1) return sentence("a list of length ", numbers.lists[0].size());
  return sentence("a nested list of length ", numbers.lists.size());
}

Error check_numbers(const RuleField& field, const Numbers& numbers, const MaskShape& shape,
                    const std::string& path) {
  const NumbersForm& form = field.numbers;
  bool fits = form.min_rank <= numbers.rank && numbers.rank <= form.max_rank;
  if (fits && form.per_batch && numbers.rank == form.max_rank) {
    fits = shape.batch ==
           (numbers.rank == 1 ? std::ssize(numbers.lists[0]) : std::ssize(numbers.lists));
  }
  if (!fits) {
    return {"shape", path,
            sentence(path, " must be ", wanted(form, shape.batch), ", but it is ", given(numbers))};
  }
  for (std::size_t b = 0; b < numbers.lists.size(); ++b) {
    const std::vector<std::int64_t>& list = numbers.lists[b];
    const std::string name = numbers.rank == 2 ? sentence(path, "[", b, "]") : path;
    if (form.length && std::ssize(list) != shape.*form.length) {
      return {
          "shape", path,
          sentence(name, " has length ", list.size(), ", but must have one number for each of the ",
                   shape.*form.length, " ", axis_name(form.length))};
    }
    for (std::size_t at = 0; at < list.size(); ++at) {
      const std::int64_t least = std::max(form.least, -largest);
      const std::int64_t most = form.most ? shape.*form.most : largest;
      if (least <= list[at] && list[at] <= most) continue;
      std::string message = numbers.rank == 0 ? name : sentence(name, "[", at, "]");
      message += sentence(" is ", list[at], ", but must be ");
      if (list[at] < least) {
        message += sentence("at least ", least);
      } else if (form.most) {
        message += sentence("at most ", most, ", the number of ", axis_name(form.most));
      } else {
        message += "at most 2⁵³";
      }
      if (numbers.rank == 0 && *field.fallback) {
        message += sentence("; leave it out for ", field.fallback);
      }
      return {"option", path, message};
    }
  }
  return {};
}

Error check_bools(const Tensor& mask, const std::string& path) {
  if (mask.rank < 1 || mask.rank > 4) {
    return {"rank", path, sentence(path, " has ", mask.rank, " axes, but must have 1 to 4")};
  }
  if (mask.dtype != DType::boolean) {
    return {"dtype", path,
            sentence(path, " is ", info(mask.dtype).name,
                     ", but must be bool; numbers to be added to the scores are the option bias")};
  }
  return check_layout(mask, path);
}

Error check_rules(const std::vector<Rule>& rules, const MaskShape& shape, const std::string& path,
                  int depth);

/// An argument that was given.
Error check_argument(const RuleField& field, const Argument& argument, const MaskShape& shape,
                     const std::string& path, int depth) {
  switch (field.type) {
    case ArgumentType::flag:
      if (std::holds_alternative<bool>(argument)) return {};
      break;
    case ArgumentType::numbers:
      if (const auto* numbers = std::get_if<Numbers>(&argument)) {
        return check_numbers(field, *numbers, shape, path);
      }
      break;
    case ArgumentType::bools:
      if (const auto* mask = std::get_if<Tensor>(&argument)) return check_bools(*mask, path);
      break;
    case ArgumentType::rule:
    case ArgumentType::rules:
      if (const auto* rules = std::get_if<std::vector<Rule>>(&argument)) {
        if (field.type == ArgumentType::rules || rules->size() == 1) {
          return check_rules(*rules, shape, path, depth + 1);
        }
      }
      break;
    case ArgumentType::predicate:
      if (const auto* predicate = std::get_if<Predicate>(&argument); predicate && *predicate) {
        return {};
      }
      break;
  }
  return {"option", path, sentence(path, " must be of type ", field.typescript)};
}

Error check_given(const Rule& rule, const std::string& path) {
  const std::span<const RuleField> fields = rule.kind->fields;
  std::string names;
  std::ptrdiff_t given = 0;
  for (std::size_t at = 0; at < fields.size(); ++at) {
    const bool is = !std::holds_alternative<std::monostate>(rule.arguments[at]);
    given += is;
    names += (at > 0 ? ", " : "") + std::string(fields[at].name);
    if (is || *fields[at].fallback) continue;
    return {"option", path + "." + fields[at].name,
            sentence(path, ".", fields[at].name, " is missing: ", fields[at].doc)};
  }
  if (!rule.kind->one_field || given == 1) return {};
  return {"option", path,
          sentence(path, " needs exactly one of ", names, ", but has ", given, " of them")};
}

Error check_rule(const Rule& rule, const MaskShape& shape, const std::string& path, int depth) {
  if (Error error = check_given(rule, path)) return error;
  for (std::size_t at = 0; at < rule.arguments.size(); ++at) {
    const RuleField& field = rule.kind->fields[at];
    const Argument& argument = rule.arguments[at];
    if (std::holds_alternative<std::monostate>(argument)) continue;
    const std::string field_path = path + "." + field.name;
    if (Error error = check_argument(field, argument, shape, field_path, depth)) return error;
  }
  return rule.kind->check ? rule.kind->check(rule, shape, path) : Error();
}

Error check_rules(const std::vector<Rule>& rules, const MaskShape& shape, const std::string& path,
                  int depth) {
  if (depth > max_rule_depth) {
    return {"option", "mask", sentence("mask has rules more than ", max_rule_depth, " deep")};
  }
  for (const Rule& rule : rules) {
    if (!rule.kind || rule.arguments.size() != rule.kind->fields.size()) {
      return {"option", path, path + " has a rule with a kind or fields that do not exist"};
    }
    if (Error error = check_rule(rule, shape, path + "." + rule.kind->name, depth)) return error;
  }
  return {};
}

}  // namespace

Error check_mask(const std::vector<Rule>& rules, const MaskShape& shape) {
  return check_rules(rules, shape, "mask", 1);
}

}  // namespace attention
