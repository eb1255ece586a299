#include <doctest/doctest.h>

#include <limits>

#include "call.h"

namespace attention {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Plan checked(const Call& call, Purpose purpose = Purpose::explain) {
  Plan plan;
  const Error error = check(call, purpose, 0, plan);
  INFO(error.message);
  REQUIRE(!error);
  return plan;
}

Explanation explained(const Call& call) { return explain(call, checked(call)); }

std::vector<double> step(const Trace& trace, const char* name) {
  const Step* found = find_step(trace, name);
  REQUIRE_MESSAGE(found, "no step ", name);
  return numbers(found->tensor);
}

template <class Real>
void check_close(const std::vector<double>& got, const std::vector<Real>& right, double tolerance) {
  REQUIRE(got.size() == right.size());
  for (std::size_t n = 0; n < got.size(); ++n) {
    const double r = right[n];
    INFO("element ", n, ": ", got[n], " instead of ", r);
    if (std::isnan(r)) {
      CHECK(std::isnan(got[n]));
    } else if (std::isinf(r)) {
      CHECK(got[n] == r);
    } else {
      CHECK(std::abs(got[n] - r) <= tolerance * (1 + std::abs(r)));
    }
  }
}

/// Every step of explain() and every result of attend_plain() against the reference.
void compare(reference::Case& c, DType dtype, double tolerance,
             const std::function<void(Call&, Arrays&)>& set_options = nullptr) {
  Arrays arrays;
  Call call = make_call(c, dtype, arrays);
  if (set_options) set_options(call, arrays);
  const auto right = reference::attention<double>(c);
  const Explanation got = explained(call);
  check_close(step(got, "scores"), right.scores, tolerance);
  check_close(step(got, "scaled"), right.scaled, tolerance);
  if (c.softcap > 0) check_close(step(got, "capped"), right.capped, tolerance);
  if (c.bias) check_close(step(got, "biased"), right.biased, tolerance);
  check_close(step(got, "masked"), right.masked, tolerance);
  check_close(step(got, "rowMax"), right.row_max, tolerance);
  check_close(step(got, "exponentials"), right.exponentials, tolerance);
  check_close(step(got, "rowSum"), right.row_sum, tolerance);
  check_close(step(got, "weights"), right.weights, tolerance);
  if (c.dropout) check_close(step(got, "dropped"), right.dropped, tolerance);
  check_close(step(got, "output"), right.output, tolerance);
  check_close(numbers(got.lse.tensor), right.lse, tolerance);

  call.options.returns.weights = true;
  const Plan plan = checked(call, Purpose::attend);
  const Result result = make_result(call, plan, arrays);
  attend_plain(call, plan, result);
  const double stored = dtype == DType::float16 ? 0x1p-11 : dtype == DType::bfloat16 ? 0x1p-8 : 0;
  check_close(numbers(result.output), right.output, tolerance + stored);
  check_close(numbers(result.weights), right.dropped, tolerance + stored);
  check_close(numbers(result.lse), right.lse, tolerance);
}

reference::Case sized(int batch, int heads, int kv_heads, int queries, int keys, int head_dim,
                      int value_dim) {
  reference::Case c;
  c.batch = batch;
  c.heads = heads;
  c.kv_heads = kv_heads;
  c.queries = queries;
  c.keys = keys;
  c.head_dim = head_dim;
  c.value_dim = value_dim;
  reference::randomize(c, 7);
  return c;
}

TEST_CASE("every step equals the reference, in every dtype") {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    auto c = sized(2, 4, 2, 3, 5, 8, 6);
    compare(c, dtype, dtype == DType::float64 ? 1e-14 : 2e-6);
  }
}

TEST_CASE("a row whose bias is −∞ is empty; NaN behind −∞ is not read") {
  auto c = sized(1, 2, 1, 2, 3, 4, 2);
  c.bias = [](int, int, int i, int j) { return i == 0 || j == 1 ? -infinity : 0.5; };
  for (int d = 0; d < 4; ++d) c.key[4 + d] = nan;
  for (int d = 0; d < 2; ++d) c.value[2 + d] = nan;
  compare(c, DType::float32, 2e-6, [](Call& call, Arrays& arrays) {
    call.options.bias =
        arrays.make(DType::float32, {2, 3}, {-infinity, -infinity, -infinity, 0.5, -infinity, 0.5});
  });
}

}  // namespace
}  // namespace attention
