#pragma once

// What the values of a message mean: the tensors, rules and options of a call. Whatever JavaScript
// can get wrong about the type or the name of an argument is an error here; whether the values fit
// together is for check().

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/options.h"
#include "core/tensor.h"
#include "wasm/value.h"

namespace attention {

/// What reading needs from its surroundings.
struct Host {
  /// Room for a tensor among the options, or null when there is none left.
  std::function<void*(std::int64_t bytes)> allocate;
  /// The caller's function at this place of the call's list.
  std::function<Predicate(std::size_t index)> function;
};

/// A tensor; where its data will be is not looked at.
Error read_tensor(const Value& value, const std::string& argument, Tensor& tensor);

/// Elements of a checked tensor's data up to the last one that its shape and strides reach.
std::int64_t reach(const Tensor& tensor);

/// A tensor among the options: room from the host, its address into the message, so that it can be
/// filled before anything looks at it. Nested arrays become a tensor of `nested`, filled here.
Error read_placed_tensor(const Value& value, const std::string& argument, DType nested,
                         const Host& host, Tensor& tensor);

/// A rule or an array of rules. Kinds and fields are those of rule_kinds(); an unknown one is an
/// error that lists them. A field that is not given, or undefined, is std::monostate.
Error read_rules(const Value& value, const std::string& argument, const Host& host,
                 std::vector<Rule>& rules);

/// An options object with the names of option_fields; an unknown one is an error that lists them.
/// `nested` is the dtype of a bias given as nested arrays.
Error read_options(const Value& value, DType nested, const Host& host, Options& options);

// ---- What the readers share ---------------------------------------------------------------------

Error wrong_type(const std::string& argument, const char* expected, const Value& value);

/// A whole number that float64 holds exactly, as those beyond 2⁵³ are not.
Error read_whole(double number, const std::string& argument, std::int64_t& result);

/// Some of them; an error says which is at fault.
Error read_wholes(std::span<const double> numbers, const std::string& argument,
                  std::vector<std::int64_t>& result);

/// "a, b, c": the names in a table.
template <class Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& entry : table) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names.empty() ? "none" : names;
}

}  // namespace attention
