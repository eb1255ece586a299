// What the descriptions of the mask kinds' fields imply, checked once for all kinds.

#include <cassert>

#include "core/mask.h"

namespace attention {
namespace {

/// Every whole number up to here is exact in JavaScript, and sums of a few stay far from overflow.
constexpr std::int64_t largest = std::int64_t{1} << 53;

std::string wanted(const NumbersForm& form, Index batch) {
  const std::string each = "each of the " + std::to_string(batch) + " batch elements";
  if (form.max_rank == 0) return "one number";
  if (form.max_rank == 1 && !form.per_batch) return "a list of numbers";
  if (form.max_rank == 1) {
    return form.min_rank == 0 ? "one number, or a list with one for " + each
                              : "a list with one number for " + each;
  }
  return "a list of numbers, or such a list for " + each;
}

std::string given(const Numbers& numbers) {
  if (numbers.rank == 0) return "the number " + std::to_string(numbers.lists[0][0]);
  if (numbers.rank == 1) return "a list of " + std::to_string(numbers.lists[0].size());
  return std::to_string(numbers.lists.size()) + " lists";
}

Error check_numbers(const RuleField& field, const Numbers& numbers, const MaskShape& shape,
                    const std::string& path) {
  const NumbersForm& form = field.numbers;
  bool fits = numbers.rank >= form.min_rank && numbers.rank <= form.max_rank;
  if (fits && form.per_batch && numbers.rank == form.max_rank) {
    fits = (numbers.rank == 1 ? std::ssize(numbers.lists[0]) : std::ssize(numbers.lists)) ==
           shape.batch;
  }
  if (!fits) {
    return {"shape", path,
            path + " must be " + wanted(form, shape.batch) + ", but it is " + given(numbers)};
  }
  for (std::size_t b = 0; b < numbers.lists.size(); ++b) {
    for (std::size_t at = 0; at < numbers.lists[b].size(); ++at) {
      const std::int64_t value = numbers.lists[b][at];
      const std::int64_t least = std::max(form.minimum, -largest);
      if (least <= value && value <= largest) continue;
      std::string entry = path;
      if (numbers.rank == 2) entry.append("[").append(std::to_string(b)).append("]");
      if (numbers.rank >= 1) entry.append("[").append(std::to_string(at)).append("]");
      std::string message = entry + " is " + std::to_string(value) + ", but must be ";
      message += value > largest ? "at most 2⁵³" : "at least " + std::to_string(least);
      if (*field.fallback) message += std::string("; leave it out for ") + field.fallback;
      return {"option", path, message};
    }
  }
  return {};
}

Error check_bools(const Tensor& mask, const std::string& path) {
  if (mask.rank < 1 || mask.rank > 4) {
    return {"rank", path,
            path + " has " + std::to_string(mask.rank) + " axes, but must have 1 to 4"};
  }
  if (mask.dtype != DType::boolean) {
    return {"dtype", path,
            path + " is " + info(mask.dtype).name +
                ", but must be bool; numbers that are added to the scores are the option bias"};
  }
  return check_layout(mask, path);
}

Error check_rules(const std::vector<Rule>& rules, const MaskShape& shape, const std::string& path,
                  int depth);

Error check_argument(const RuleField& field, const Argument& argument, const MaskShape& shape,
                     const std::string& path, const std::string& rule_path, int depth) {
  if (std::holds_alternative<std::monostate>(argument)) {
    if (*field.fallback) return {};
    return {"option", path, path + " is missing. It is " + field.typescript + ": " + field.doc};
  }
  const Error wrong_type = {"option", path, path + " must be " + field.typescript};
  switch (field.type) {
    case ArgumentType::flag:
      return std::holds_alternative<bool>(argument) ? Error() : wrong_type;
    case ArgumentType::predicate: {
      const Predicate* predicate = std::get_if<Predicate>(&argument);
      return predicate && *predicate ? Error() : wrong_type;
    }
    case ArgumentType::numbers:
      if (const Numbers* numbers = std::get_if<Numbers>(&argument)) {
        return check_numbers(field, *numbers, shape, path);
      }
      return wrong_type;
    case ArgumentType::bools:
      if (const Tensor* mask = std::get_if<Tensor>(&argument)) return check_bools(*mask, path);
      return wrong_type;
    case ArgumentType::rule:
    case ArgumentType::rules:
      if (const std::vector<Rule>* of = std::get_if<std::vector<Rule>>(&argument)) {
        if (field.type == ArgumentType::rule && of->size() != 1) {
          return {"option", path,
                  path + " must be one rule, but it is a list of " + std::to_string(of->size()) +
                      "; put them into { kind: 'all', of: […] } or { kind: 'any', of: […] }"};
        }
        return check_rules(*of, shape, rule_path, depth + 1);
      }
      return wrong_type;
  }
  return wrong_type;
}

Error check_rules(const std::vector<Rule>& rules, const MaskShape& shape, const std::string& path,
                  int depth) {
  if (depth > max_rule_depth) {
    return {"option", "mask",
            "mask has rules nested more than " + std::to_string(max_rule_depth) + " deep"};
  }
  for (const Rule& rule : rules) {
    if (!rule.kind || rule.arguments.size() != rule.kind->fields.size()) {
      return {"option", path, path + " has a rule that was not made by make_rule()"};
    }
    const std::string rule_path = path + "." + rule.kind->name;
    for (std::size_t at = 0; at < rule.arguments.size(); ++at) {
      const RuleField& field = rule.kind->fields[at];
      if (Error error = check_argument(field, rule.arguments[at], shape,
                                       rule_path + "." + field.name, rule_path, depth)) {
        return error;
      }
    }
    if (!rule.kind->check) continue;
    if (Error error = rule.kind->check(rule, shape, rule_path)) return error;
  }
  return {};
}

}  // namespace

Error check_mask(const std::vector<Rule>& rules, const MaskShape& shape) {
  return check_rules(rules, shape, "mask", 1);
}

Rule make_rule(std::string_view kind,
               std::vector<std::pair<std::string_view, Argument>> arguments) {
  Rule rule;
  rule.kind = find_rule_kind(kind);
  assert(rule.kind);
  rule.arguments.resize(rule.kind->fields.size());
  for (auto& [name, argument] : arguments) {
    [[maybe_unused]] bool known = false;
    for (std::size_t at = 0; at < rule.arguments.size(); ++at) {
      if (rule.kind->fields[at].name != name) continue;
      rule.arguments[at] = std::move(argument);
      known = true;
    }
    assert(known);
  }
  return rule;
}

}  // namespace attention
