// The page's worked examples (web/examples) and the published numbers of the articles, at every
// step. `example_files` and `seed_values` are made from the JSON files when the build is
// configured.

#include <doctest/doctest.h>

#include <utility>

#include "call.h"
#include "core/parallel.h"
#include "example_files.h"
#include "json.h"

namespace attention {
namespace {

Tensor to_tensor(const Json& json, DType dtype, Arrays& arrays) {
  return arrays.make(dtype, json.shape(), json.numbers());
}

Rule to_rule(const Json& json, Arrays& arrays) {
  if (json.type == Json::string) return make_rule(json.text);
  const std::string kind = json["kind"].text;
  REQUIRE(kind == "padding");  // the only kind with fields that the examples use
  const std::vector<double> blocked = json["blocked"].numbers();
  return make_rule(
      kind,
      {{"blocked", make_bools(json["blocked"].shape(), {blocked.begin(), blocked.end()}, arrays)}});
}

Options to_options(const Json& json, Arrays& arrays) {
  Options options;
  for (std::size_t n = 0; n < json.names.size(); ++n) {
    const std::string& name = json.names[n];
    const Json& value = json.items[n];
    if (name == "scale") {
      options.scale = value.number_value;
    } else if (name == "mask") {
      options.mask = {to_rule(value, arrays)};
    } else if (name == "start" && value.type == Json::number) {
      options.start = {Start::numbers, {static_cast<std::int64_t>(value.number_value)}};
    } else if (name == "start" && value.text == "bottom-right") {
      options.start.corner = Start::bottom_right;
    } else {
      FAIL_CHECK("this test cannot read the option ", name);
    }
  }
  return options;
}

void check_near(const std::string& what, const std::vector<double>& got,
                const std::vector<double>& right, double tolerance) {
  CAPTURE(what);
  REQUIRE(got.size() == right.size());
  for (std::size_t n = 0; n < got.size(); ++n) {
    const bool same = got[n] == right[n] || std::abs(got[n] - right[n]) <= tolerance;
    if (!same) FAIL_CHECK(what, "[", n, "] is ", got[n], " instead of ", right[n]);
  }
}

/// Every step and the results of both paths. Numbers are first rounded to `held`, the type that the
/// example is about, then computed from in `dtype`.
void check_example(const Json& example, DType held, DType dtype, double tolerance) {
  Arrays arrays;
  const auto input = [&](const char* name) {
    const Tensor tensor = to_tensor(example["inputs"][name], held, arrays);
    return arrays.make(dtype, example["inputs"][name].shape(), numbers(tensor));
  };
  Call call{input("query"), input("key"), input("value"), to_options(example["options"], arrays)};
  Plan plan;
  const Error error = check(call, Purpose::explain, 0, plan);
  REQUIRE(error.message == "");

  const Explanation got = explain(call, plan);
  const Json& expected = example["expected"];
  CHECK(expected.names.size() == got.steps.size() + 1);
  for (const Step& step : got.steps) {
    check_near(step.name, numbers(step.tensor), expected[step.name].numbers(), tolerance);
  }
  check_near("lse", numbers(got.lse.tensor), expected["lse"].numbers(), tolerance);

  call.options.returns.weights = true;
  REQUIRE(!check(call, Purpose::attend, 0, plan));
  ThreadPool pool(1);
  for (const bool fast : {false, true}) {
    CAPTURE(fast);
    const Result result = make_result(call, plan, arrays);
    fast ? attend(call, plan, result, pool) : attend_plain(call, plan, result);
    check_near("output", numbers(result.output), expected["output"].numbers(), tolerance);
    check_near("weights", numbers(result.weights), expected["weights"].numbers(), tolerance);
    check_near("lse", numbers(result.lse), expected["lse"].numbers(), tolerance);
  }
}

TEST_CASE("the page's worked examples, at every step") {
  CHECK(std::size(example_files) >= 10);
  for (const auto& [name, text] : example_files) {
    CAPTURE(std::string(name));
    const Json example = JsonReader::read(text);
    const double tolerance = example["tolerance"].number_value;
    const std::string dtype = example["dtype"].text;
    CHECK((dtype == "" || dtype == "float16"));
    const DType held = dtype == "float16" ? DType::float16 : DType::float64;
    check_example(example, held, DType::float64, 1e-12);
    check_example(example, held, DType::float32, tolerance);
    if (held == DType::float16) check_example(example, held, held, tolerance);
  }
}

TEST_CASE("the articles' numbers") {
  const Json values = JsonReader::read(seed_values);
  const Json& six = values["six_step"];
  for (const DType dtype : {DType::float64, DType::float32}) {
    const double tolerance = dtype == DType::float64 ? 1e-14 : 1e-6;
    for (const bool causal : {true, false}) {
      Arrays arrays;
      Call call{to_tensor(six["Q"], dtype, arrays),
                to_tensor(six["K"], dtype, arrays),
                to_tensor(six["V"], dtype, arrays),
                {}};
      if (causal) call.options.mask = {make_rule("causal")};
      Plan plan;
      REQUIRE(!check(call, Purpose::explain, 0, plan));
      const Explanation got = explain(call, plan);
      const auto compare = [&](const char* step, const std::string& name) {
        check_near(name, numbers(find_step(got, step)->tensor), six[name].numbers(), tolerance);
      };
      compare("scores", "scores");
      compare("scaled", "scaled");
      compare("weights", causal ? "weights_causal" : "weights_nomask");
      compare("output", causal ? "output_causal" : "output_nomask");
    }
  }
}

}  // namespace
}  // namespace attention
