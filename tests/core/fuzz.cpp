// Any call at all is refused with a sentence, or runs, stays inside its tensors and gives what the
// plain path gives. libFuzzer drives it through the preset native-asan, where sanitizers watch it,
// from corpus/, the inputs that once reached new code; fuzz.test.cpp drives it in every build.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "any_call.h"
#include "call.h"
#include "core/attention.h"
#include "core/parallel.h"

namespace attention {
namespace {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what.c_str());
  std::abort();
}

/// The rows are in normal form, and the counts and causes are those of the rows.
void check_mask_rows(const Mask& mask) {
  const MaskShape& shape = mask.shape();
  std::int64_t cells = 0, empty = 0;
  KeyRanges ranges;
  for (Index b = 0; b < shape.batch; ++b)
    for (Index h = 0; h < shape.heads; ++h)
      for (Index i = 0; i < shape.queries; ++i) {
        mask.row(b, h, i, ranges);
        Index end = -1;
        for (const KeyRange& range : ranges) {
          require(range.begin > end && range.begin < range.end && range.end <= shape.keys,
                  "ranges are sorted, apart, not empty and within the keys");
          end = range.end;
          cells += range.end - range.begin;
        }
        empty += ranges.empty();
        for (const Index j : {Index(0), shape.keys / 2, shape.keys - 1}) {
          if (j < 0 || j >= shape.keys) continue;
          require(contains(ranges, j) == mask.cause(b, h, i, j).empty(),
                  "a cell is forbidden exactly when some rule is the cause");
        }
      }
  require(cells == mask.allowed_cells(), "allowed cells are counted");
  require(empty == mask.empty_rows(), "empty rows are counted");
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The plain path gives the same whether or not it keeps its steps, and the fast path gives what
/// the plain path gives, where rounding does not decide.
void check_answers(const Call& call, const Plan& plan) {
  static ThreadPool pool(2);
  Arrays arrays;
  const Result plain = make_result(call, plan, arrays), fast = make_result(call, plan, arrays);
  const Info plain_info = attend_plain(call, plan, plain);
  const Info fast_info = attend(call, plan, fast, pool);
  require(plain_info.empty_rows == fast_info.empty_rows, "both paths find the same empty rows");
  require(plain_info.allowed_cells == fast_info.allowed_cells, "both paths count the same cells");

  const Explanation explanation = explain(call, plan);
  const std::vector<double> lse = numbers(plain.lse), kept = numbers(explanation.lse.tensor);
  for (std::size_t row = 0; row < lse.size(); ++row) {
    require(same(lse[row], kept[row]), "explain() has the lse of attend_plain()");
  }
  double largest = 0;
  bool finite = true;
  for (const double score : numbers(find_step(explanation, "masked")->tensor)) {
    if (std::isfinite(score)) largest = std::fmax(largest, std::fabs(score));
  }
  for (const Tensor& input : {call.query, call.key, call.value}) {
    for (const double number : numbers(input)) finite = finite && std::fabs(number) < 1e4;
  }
  if (!finite || largest > 100 || explanation.diagnostics.non_finite_scores > 0) return;
  const std::vector<double> a = numbers(plain.output), b = numbers(fast.output);
  double greatest = 1;
  for (const double number : a) greatest = std::fmax(greatest, std::fabs(number));
  const double unit = call.query.dtype == DType::bfloat16  ? 0x1p-7
                      : call.query.dtype == DType::float16 ? 0x1p-10
                                                           : 0x1p-13;
  for (std::size_t at = 0; at < a.size(); ++at) {
    require(same(a[at], b[at]) || std::fabs(a[at] - b[at]) <= unit * greatest,
            "the fast path gives the output of the plain path");
  }
}

}  // namespace
}  // namespace attention

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attention;
  Bytes bytes(data, size);
  Maker maker(bytes);
  const Call call = make_call(bytes, maker);
  // explain() keeps every step, so that what fits in its memory is quick under sanitizers too.
  Plan plan;
  if (const Error error = check(call, Purpose::explain, 1 << 20, plan)) {
    require(!error.code.empty() && !error.argument.empty(), "an error says what is at fault");
    return 0;
  }
  check_mask_rows(plan.mask);
  check_answers(call, plan);
  return 0;
}
