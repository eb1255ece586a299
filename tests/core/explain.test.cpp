// explain() and attend_plain() against the reference, and what explain() says beside the numbers.

#include <doctest/doctest.h>

#include <limits>

#include "call.h"

namespace attention {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr DType float_dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};

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

/// How far numbers may be from the right ones: twice as far as a plain evaluation in float32 is,
/// and a rounding in the type they are stored in.
class Tolerance {
 public:
  Tolerance(DType computed, DType stored)
      : float32_(computed != DType::float64),
        rounding_(stored == DType::float64    ? 1e-14
                  : stored == DType::float32  ? 2.5e-7
                  : stored == DType::bfloat16 ? 0x1p-8
                                              : 0x1p-11) {}

  void check(const std::string& what, const std::vector<double>& got,
             const std::vector<double>& right, const std::vector<float>& plain) const {
    REQUIRE(got.size() == right.size());
    double allowed = 0;
    for (std::size_t n = 0; float32_ && n < right.size(); ++n) {
      if (std::isfinite(right[n])) allowed = std::max(allowed, 2 * std::abs(plain[n] - right[n]));
    }
    for (std::size_t n = 0; n < got.size(); ++n) {
      const bool close =
          std::isfinite(right[n])
              ? std::abs(got[n] - right[n]) <= allowed + rounding_ * (1 + std::abs(right[n]))
          : std::isnan(right[n]) ? std::isnan(got[n])
                                 : got[n] == right[n];
      if (!close) FAIL_CHECK(what, "[", n, "] is ", got[n], " instead of ", right[n]);
    }
    CHECK(got.size() == right.size());
  }

 private:
  bool float32_;
  double rounding_;
};

using SetOptions = std::function<void(Call&, Arrays&)>;

/// Every step of explain() and every result of attend_plain() against the reference; the options
/// that a case holds as functions are set by `set_options`.
void compare(reference::Case c, DType dtype, const SetOptions& set_options = nullptr) {
  Arrays arrays;
  Call call = make_call(c, dtype, arrays);
  if (set_options) set_options(call, arrays);
  const auto right = reference::attention<double>(c);
  const auto plain = reference::attention<float>(c);
  const Explanation got = explained(call);

  const DType computed = dtype == DType::float64 ? DType::float64 : DType::float32;
  const Tolerance tolerance(computed, computed);
  std::string names;
  for (const Step& s : got.steps) names += std::string(s.name) + " ";
  CHECK(names == std::string("scores scaled ") + (c.softcap > 0 ? "capped " : "") +
                     (c.bias ? "biased " : "") + "masked rowMax exponentials rowSum weights " +
                     (c.dropout ? "dropped " : "") + "output ");
  tolerance.check("scores", step(got, "scores"), right.scores, plain.scores);
  tolerance.check("scaled", step(got, "scaled"), right.scaled, plain.scaled);
  if (c.softcap > 0) tolerance.check("capped", step(got, "capped"), right.capped, plain.capped);
  if (c.bias) tolerance.check("biased", step(got, "biased"), right.biased, plain.biased);
  tolerance.check("masked", step(got, "masked"), right.masked, plain.masked);
  tolerance.check("rowMax", step(got, "rowMax"), right.row_max, plain.row_max);
  tolerance.check("exponentials", step(got, "exponentials"), right.exponentials,
                  plain.exponentials);
  tolerance.check("rowSum", step(got, "rowSum"), right.row_sum, plain.row_sum);
  tolerance.check("weights", step(got, "weights"), right.weights, plain.weights);
  if (c.dropout) tolerance.check("dropped", step(got, "dropped"), right.dropped, plain.dropped);
  tolerance.check("output", step(got, "output"), right.output, plain.output);
  tolerance.check("lse", numbers(got.lse.tensor), right.lse, plain.lse);

  call.options.returns.weights = true;
  const Plan plan = checked(call, Purpose::attend);
  const Result result = make_result(call, plan, arrays);
  const Info info = attend_plain(call, plan, result);
  const Tolerance stored(computed, dtype);
  stored.check("output", numbers(result.output), right.output, plain.output);
  stored.check("weights", numbers(result.weights), right.dropped, plain.dropped);
  tolerance.check("lse", numbers(result.lse), right.lse, plain.lse);

  std::int64_t empty_rows = 0;
  for (int row = 0; row < c.batch * c.heads * c.queries; ++row) {
    const auto first = right.allowed.begin() + row * c.keys;
    empty_rows += std::find(first, first + c.keys, true) == first + c.keys;
  }
  CHECK(info.empty_rows == empty_rows);
  CHECK(static_cast<std::int64_t>(got.diagnostics.empty_rows.size()) == empty_rows);
  CHECK(info.total_cells == static_cast<std::int64_t>(right.scores.size()));
}

void compare_all_dtypes(const reference::Case& c, const SetOptions& set_options = nullptr) {
  for (const DType dtype : float_dtypes) {
    CAPTURE(std::string(info(dtype).name));
    compare(c, dtype, set_options);
  }
}

reference::Case sized(int batch, int heads, int kv_heads, int queries, int keys, int head_dim,
                      int value_dim, double deviation = 1) {
  reference::Case c;
  c.batch = batch;
  c.heads = heads;
  c.kv_heads = kv_heads;
  c.queries = queries;
  c.keys = keys;
  c.head_dim = head_dim;
  c.value_dim = value_dim;
  reference::randomize(c, 7, deviation);
  return c;
}

TEST_CASE("awkward sizes") {
  compare_all_dtypes(sized(1, 1, 1, 1, 1, 1, 1));
  compare_all_dtypes(sized(2, 4, 2, 3, 5, 8, 6));
  compare_all_dtypes(sized(1, 6, 2, 7, 16, 3, 17));
  compare_all_dtypes(sized(2, 3, 1, 17, 7, 16, 1));
  compare_all_dtypes(sized(1, 1, 1, 63, 65, 64, 63));
  compare_all_dtypes(sized(1, 2, 2, 64, 1, 65, 64));
  compare_all_dtypes(sized(1, 1, 1, 1, 127, 129, 65));
  compare_all_dtypes(sized(1, 1, 1, 129, 128, 127, 7));
}

TEST_CASE("empty axes") {
  compare_all_dtypes(sized(0, 2, 1, 3, 3, 4, 4));
  compare_all_dtypes(sized(1, 0, 1, 3, 3, 4, 4));
  compare_all_dtypes(sized(1, 2, 1, 0, 3, 4, 4));
  compare_all_dtypes(sized(1, 2, 1, 3, 0, 4, 4));
  compare_all_dtypes(sized(1, 2, 1, 3, 3, 4, 0));
  auto c = sized(1, 2, 1, 3, 3, 0, 4);
  c.scale = 1;  // all scores are the empty sum, 0
  compare_all_dtypes(c);
}

TEST_CASE("large and tiny scores") {
  compare_all_dtypes(sized(1, 2, 1, 9, 33, 16, 5, 12));   // scores to ±1e3
  compare_all_dtypes(sized(1, 2, 1, 9, 33, 16, 5, 100));  // to ±1e5
  compare_all_dtypes(sized(1, 2, 1, 9, 33, 16, 5, 1e-4));
  auto c = sized(1, 1, 1, 4, 9, 8, 3);
  for (double& number : c.key) number = 100 + number / 8;  // all near 100·Σq: needs the row's max
  compare_all_dtypes(c);
}

TEST_CASE("scale and softcap") {
  auto c = sized(1, 2, 2, 5, 6, 8, 4);
  for (const double scale : {0.0, 1.0, -0.7, 25.0}) {
    c.scale = scale;
    compare_all_dtypes(c);
    c.softcap = 2.5;
    compare_all_dtypes(c);
    c.softcap = 0;
  }
}

TEST_CASE("a bias broadcasts in every dimension") {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{5},
                                                 {1},
                                                 {4, 1},
                                                 {1, 5},
                                                 {4, 5},
                                                 {3, 1, 1},
                                                 {3, 4, 5},
                                                 {2, 1, 1, 5},
                                                 {2, 3, 1, 5},
                                                 {2, 3, 4, 1},
                                                 {2, 3, 4, 5},
                                                 {1, 1, 1, 1}}) {
    auto c = sized(2, 3, 1, 4, 5, 8, 4);
    Shape axes = {1, 1, 1, 1};
    std::copy(shape.begin(), shape.end(), axes.end() - static_cast<std::ptrdiff_t>(shape.size()));
    std::vector<double> bias(static_cast<std::size_t>(count(axes)));
    for (std::size_t n = 0; n < bias.size(); ++n) bias[n] = n % 7 * 0.5 - 1.25;
    c.bias = [=](int b, int h, int i, int j) {
      const int at[] = {b, h, i, j};
      std::int64_t place = 0;
      for (std::size_t axis = 0; axis < 4; ++axis) {
        place = place * axes[axis] + (axes[axis] == 1 ? 0 : at[axis]);
      }
      return bias[static_cast<std::size_t>(place)];
    };
    compare_all_dtypes(c, [&](Call& call, Arrays& arrays) {
      call.options.bias = arrays.make(call.query.dtype, shape, bias);
    });
    compare(c, DType::float16, [&](Call& call, Arrays& arrays) {
      call.options.bias = arrays.make(DType::float32, shape, bias);
    });
  }
}

TEST_CASE("a finite bias is not a mask, however large") {
  auto c = sized(1, 1, 1, 2, 4, 4, 3);
  c.bias = [](int, int, int i, int) { return i == 0 ? -1e9 : -3.4e38; };
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    compare(c, dtype, [](Call& call, Arrays& arrays) {
      const DType type = call.query.dtype == DType::bfloat16 ? DType::float32 : call.query.dtype;
      call.options.bias = arrays.make(type, {2, 1}, {-1e9, -3.4e38});
    });
  }
  Arrays arrays;
  Call call = make_call(c, DType::float32, arrays);
  call.options.bias = arrays.make(DType::float32, {2, 1}, {-1e9, -3.4e38});
  for (const double weight : step(explained(call), "weights")) CHECK(weight == 0.25);
}

TEST_CASE("ALiBi: published slopes, own slopes, slopes for each batch element, any start") {
  for (const std::int64_t start : {0, 3, -2}) {
    auto c = sized(2, 6, 3, 4, 7, 8, 4);
    auto slopes = reference::alibi_slopes(6);
    c.bias = [&](int, int h, int i, int j) { return -slopes[h] * std::abs(i + start - j); };
    compare_all_dtypes(c, [&](Call& call, Arrays&) {
      call.options.alibi.kind = Alibi::paper;
      call.options.start = {Start::numbers, {start}};
    });
    slopes = {1, 0.5, 0.25, 0, -1, 2};
    compare_all_dtypes(c, [&](Call& call, Arrays&) {
      call.options.alibi = {Alibi::slopes, 1, slopes};
      call.options.start = {Start::numbers, {start}};
    });
    slopes = {1, 0.5, 0.25, 0, -1, 2, 0.125, 3, 0.75, 0.5, 0, 1};
    c.bias = [&](int b, int h, int i, int j) {
      return -slopes[b * 6 + h] * std::abs(i + (b == 0 ? start : 1) - j);
    };
    compare_all_dtypes(c, [&](Call& call, Arrays&) {
      call.options.alibi = {Alibi::slopes, 2, slopes};
      call.options.start = {Start::numbers, {start, 1}};
    });
  }
}

TEST_CASE("sinks join the denominator; −∞ is no sink") {
  auto c = sized(1, 4, 2, 3, 5, 8, 4);
  c.sinks = {0.5, -3, 40, -infinity};
  compare_all_dtypes(c);
  c.allows = [](int, int, int i, int j) { return j <= i - 1; };  // row 0 is empty
  compare_all_dtypes(c, [](Call& call, Arrays&) {
    call.options.mask = {make_rule("causal")};
    call.options.start = {Start::numbers, {-1}};
  });
  Arrays arrays;
  Call call = make_call(c, DType::float64, arrays);
  call.options.mask = {make_rule("causal")};
  call.options.start = {Start::numbers, {-1}};
  const auto lse = numbers(explained(call).lse.tensor);
  CHECK(lse[0] == 0.5);
  CHECK(lse[9] == -infinity);
}

TEST_CASE("dropout") {
  for (const double p : {0.0, 0.3, 1.0}) {
    auto c = sized(2, 2, 1, 4, 9, 8, 4);
    c.dropout = [&](int b, int h, int i, int j) {
      return p < 1 && reference::keeps(p, 99, b, h, i, j) ? 1 / (1 - p) : 0;
    };
    compare_all_dtypes(c, [&](Call& call, Arrays&) { call.options.dropout = Dropout{p, 99}; });
  }
}

TEST_CASE("masks, with rows left empty") {
  auto c = sized(2, 2, 1, 6, 8, 8, 4);
  c.allows = [](int, int, int i, int j) { return j <= i + 2; };
  compare_all_dtypes(c, [](Call& call, Arrays&) {
    call.options.mask = {make_rule("causal")};
    call.options.start.corner = Start::bottom_right;
  });
  c.allows = [](int b, int, int i, int j) { return j <= i && j >= i - 1 && j < (b == 0 ? 3 : 8); };
  compare_all_dtypes(c, [](Call& call, Arrays&) {
    call.options.mask = {make_rule("window", {{"left", Numbers(1)}, {"right", Numbers(0)}}),
                         make_rule("lengths", {{"keys", Numbers({3, 8})}})};
    call.options.start.corner = Start::top_left;
  });
  const std::vector<int> padding = {1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  c.allows = [&](int b, int, int, int j) { return !padding[b * 8 + j]; };
  compare_all_dtypes(c, [&](Call& call, Arrays& arrays) {
    call.options.mask = {make_rule("padding", {{"blocked", make_bools({2, 8}, padding, arrays)}})};
  });
}

TEST_CASE("all options at once") {
  auto c = sized(2, 4, 2, 5, 7, 8, 6);
  c.scale = 0.9;
  c.softcap = 3;
  c.sinks = {0.25, -1, 0, 2};
  const auto slopes = reference::alibi_slopes(4);
  c.bias = [&](int, int h, int i, int j) {
    return (i == 2 || j == 4 ? -infinity : 0.25 * j) - slopes[h] * std::abs(i + 2 - j);
  };
  c.allows = [](int, int, int i, int j) { return j <= i + 2; };
  c.dropout = [](int b, int h, int i, int j) {
    return reference::keeps(0.25, 5, b, h, i, j) ? 1 / 0.75 : 0;
  };
  compare_all_dtypes(c, [](Call& call, Arrays& arrays) {
    std::vector<double> bias;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 7; ++j) bias.push_back(i == 2 || j == 4 ? -infinity : 0.25 * j);
    call.options.bias = arrays.make(call.query.dtype, {5, 7}, bias);
    call.options.alibi.kind = Alibi::paper;
    call.options.start.corner = Start::bottom_right;
    call.options.mask = {make_rule("causal")};
    call.options.dropout = Dropout{0.25, 5};
  });
}

TEST_CASE("what stands behind the mask is not read into the result, but shows in the scores") {
  for (const double poison : {nan, infinity, -infinity}) {
    auto c = sized(1, 1, 1, 3, 4, 4, 2);
    for (int d = 0; d < 4; ++d) c.key[12 + d] = poison;
    for (int d = 0; d < 2; ++d) c.value[6 + d] = poison;
    c.allows = [](int, int, int i, int j) { return j <= i; };
    const SetOptions causal = [](Call& call, Arrays&) {
      call.options.mask = {make_rule("causal")};
      call.options.start.corner = Start::top_left;
    };
    compare_all_dtypes(c, causal);
    Arrays arrays;
    Call call = make_call(c, DType::float32, arrays);
    causal(call, arrays);
    const Explanation got = explained(call);
    CHECK(!std::isfinite(step(got, "scores")[3]));
    for (const double number : step(got, "output")) CHECK(std::isfinite(number));
    CHECK(got.diagnostics.first_non_finite.step == nullptr);
    CHECK(got.diagnostics.non_finite_scores == 0);

    c.allows = nullptr;
    c.bias = [](int, int, int, int j) { return j == 3 ? -infinity : 0; };
    compare_all_dtypes(c, [](Call& call, Arrays& arrays) {
      call.options.bias = arrays.make(call.query.dtype, {4}, {0, 0, 0, -infinity});
    });
  }
}

TEST_CASE("NaN in an allowed position gives NaN in its rows and no other") {
  auto c = sized(1, 2, 1, 3, 4, 4, 2);
  c.query[4 * 1 + 2] = nan;  // head 0, query 1
  compare_all_dtypes(c);
  c = sized(1, 1, 1, 3, 4, 4, 2);
  c.value[2 * 2 + 1] = nan;  // column 1 of every row
  compare_all_dtypes(c);
}

TEST_CASE("scores of ±∞ follow IEEE") {
  auto c = sized(1, 1, 1, 2, 3, 1, 2);
  c.query = {1, -1};
  c.key = {0.5, infinity, 0.25};
  compare_all_dtypes(c);  // row 0 has +∞ and is NaN, row 1 has −∞ and gives that key no weight
  Arrays arrays;
  const Call call = make_call(c, DType::float32, arrays);
  const Explanation got = explained(call);
  CHECK(std::isnan(step(got, "output")[0]));
  CHECK(step(got, "weights")[4] == 0);
  CHECK(std::isfinite(step(got, "output")[2]));
  const Cell& first = got.diagnostics.first_non_finite;
  CHECK(std::string(first.step) == "scores");
  CHECK(first.query == 0);
  CHECK(first.column == 1);
  CHECK(got.diagnostics.non_finite_scores == 2);
  CHECK(got.diagnostics.overflows == 0);  // the ∞ was given, it did not come about

  c.key = {-infinity, -infinity, -infinity};
  compare_all_dtypes(c);  // row 0 is all −∞ but every key is allowed: NaN, not an empty row
}

TEST_CASE("strides are read in place") {
  auto c = sized(2, 2, 2, 3, 4, 5, 6);
  Arrays arrays;
  const Call dense = make_call(c, DType::float32, arrays);
  Call strided = dense;
  // query as [B, T, H, d], key transposed to [B, H, d, S], value with rows 2 elements too long
  const auto relaid = [&](const Tensor& from, const Shape& strides, std::int64_t length) {
    Tensor to = arrays.make(DType::float32, {length}, std::vector<double>(length, nan));
    to.rank = 4;
    to.shape = from.shape;
    to.strides = strides;
    to.strided = true;
    const auto source = view<float>(from), target = view<float>(to);
    for (Index b = 0; b < from.shape[0]; ++b)
      for (Index h = 0; h < from.shape[1]; ++h)
        for (Index i = 0; i < from.shape[2]; ++i)
          for (Index j = 0; j < from.shape[3]; ++j) target(b, h, i, j) = source(b, h, i, j);
    return to;
  };
  strided.query = relaid(dense.query, {30, 5, 10, 1}, 60);
  strided.key = relaid(dense.key, {40, 20, 1, 4}, 80);
  strided.value = relaid(dense.value, {64, 32, 8, 1}, 128);
  const Explanation a = explained(dense), b = explained(strided);
  CHECK(step(a, "output") == step(b, "output"));
  CHECK(step(a, "scores") == step(b, "scores"));
}

TEST_CASE("ranks 2 and 3 give steps of their rank") {
  auto c = sized(1, 1, 1, 3, 4, 5, 6);
  Arrays arrays;
  Call call = make_call(c, DType::float32, arrays);
  call.query.rank = call.key.rank = call.value.rank = 2;
  const Explanation got = explained(call);
  CHECK(shape_text(find_step(got, "weights")->tensor) == "3×4");
  CHECK(shape_text(find_step(got, "rowMax")->tensor) == "3");
  CHECK(shape_text(find_step(got, "output")->tensor) == "3×6");
  CHECK(shape_text(got.lse.tensor) == "3");
  call.query.rank = call.key.rank = call.value.rank = 3;
  CHECK(shape_text(find_step(explained(call), "weights")->tensor) == "1×3×4");
  CHECK(shape_text(explained(call).lse.tensor) == "1×3");
}

TEST_CASE("weights of chosen heads and queries, in the caller's order") {
  auto c = sized(2, 4, 2, 5, 3, 4, 2);
  Arrays arrays;
  Call call = make_call(c, DType::float32, arrays);
  call.options.returns.weights = true;
  const Plan all_plan = checked(call);
  const Result all = make_result(call, all_plan, arrays);
  attend_plain(call, all_plan, all);
  call.options.weights_for = {std::vector<std::int64_t>{3, 0}, std::vector<std::int64_t>{4, 1, 4}};
  const Plan plan = checked(call);
  const Result some = make_result(call, plan, arrays);
  attend_plain(call, plan, some);
  CHECK(shape_text(some.weights) == "2×2×3×3");
  const auto from = view<float>(all.weights), to = view<float>(some.weights);
  for (Index b = 0; b < 2; ++b)
    for (Index h = 0; h < 2; ++h)
      for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j)
          CHECK(to(b, h, i, j) == from(b, h == 0 ? 3 : 0, i == 1 ? 1 : 4, j));
}

TEST_CASE("diagnostics: entropy, largest weight, saturation, empty rows and their causes") {
  reference::Case c;
  c.queries = 4;
  c.keys = 4;
  c.head_dim = c.value_dim = 1;
  c.scale = 1;
  c.query = {0, 1, 1000, 1};
  c.key = {0, 1, 0, 3};
  c.value = {1, 2, 3, 4};
  Arrays arrays;
  Call call = make_call(c, DType::float32, arrays);
  const auto rows = explained(call).diagnostics.rows;
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].entropy_bits == doctest::Approx(2));
  CHECK(rows[0].largest_weight == 0.25);
  const double e = std::exp(1), sum = 2 + e + e * e * e;
  double entropy = 0;
  for (const double w : {1 / sum, e / sum, 1 / sum, e * e * e / sum}) entropy -= w * std::log2(w);
  CHECK(rows[1].entropy_bits == doctest::Approx(entropy).epsilon(1e-6));
  CHECK(rows[1].largest_weight == doctest::Approx(e * e * e / sum).epsilon(1e-6));
  CHECK(!rows[1].saturated);
  CHECK(rows[2].saturated);
  CHECK(rows[2].entropy_bits == 0);

  call.options.mask = {make_rule("causal"),
                       make_rule("lengths", {{"keys", Numbers(std::vector<std::int64_t>{1})}}),
                       make_rule("window", {{"left", Numbers(1)}})};
  call.options.bias = arrays.make(DType::float32, {4, 1}, {0, -infinity, 0, 0});
  const Diagnostics masked = explained(call).diagnostics;
  CHECK(!masked.rows[0].empty);
  CHECK(!masked.rows[0].saturated);  // its only key has all the weight as a matter of course
  REQUIRE(masked.empty_rows.size() == 3);
  using Causes = std::vector<std::string>;
  const auto causes = [&](std::size_t n) {
    return Causes(masked.empty_rows[n].causes.begin(), masked.empty_rows[n].causes.end());
  };
  CHECK(masked.empty_rows[0].query == 1);
  CHECK(causes(0) == Causes{"bias"});
  CHECK(masked.empty_rows[1].query == 2);
  CHECK(causes(1) == Causes{"causal", "lengths", "window"});
  CHECK(causes(2) == Causes{"lengths", "window"});

  auto no_keys = sized(1, 1, 1, 1, 0, 1, 1);
  const auto empty = explained(make_call(no_keys, DType::float32, arrays)).diagnostics.empty_rows;
  REQUIRE(empty.size() == 1);
  CHECK(empty[0].causes.empty());
}

TEST_CASE("overflow: float16 arithmetic against float32's") {
  // 64 components of 40: each dot product is 64·1600 = 102400, beyond float16's 65504.
  reference::Case c;
  c.queries = c.keys = 2;
  c.head_dim = 64;
  c.value_dim = 1;
  c.query.assign(128, 40);
  c.key.assign(128, 40);
  c.value = {1, 3};
  Arrays arrays;
  const Call call = make_call(c, DType::float16, arrays);
  const Explanation got = explained(call);
  CHECK(step(got, "scores")[0] == 102400);
  CHECK(step(got, "output")[0] == 2);
  CHECK(got.diagnostics.overflows == 0);
  REQUIRE(got.unwidened);
  CHECK(step(*got.unwidened, "scores")[0] == infinity);
  CHECK(std::isnan(step(*got.unwidened, "output")[0]));
  CHECK(got.unwidened->diagnostics.overflows == 4);
  CHECK(std::string(got.unwidened->diagnostics.first_overflow.step) == "scores");
  CHECK(got.unwidened->diagnostics.first_overflow.query == 0);

  c.query.assign(128, 5);  // scaled first: 12800 fits
  c.scale = 1;
  const Explanation fits = explained(make_call(c, DType::float16, arrays));
  CHECK(step(*fits.unwidened, "scores")[0] == 12800);
  CHECK(fits.unwidened->diagnostics.first_non_finite.step == nullptr);

  const Explanation wide = explained(make_call(c, DType::float32, arrays));
  CHECK(!wide.unwidened);

  c.query.assign(128, 1e20);  // float32 overflows too
  c.key.assign(128, 1e20);
  const Explanation too_large = explained(make_call(c, DType::float32, arrays));
  CHECK(too_large.diagnostics.overflows == 4);
  c.softcap = 2;  // hides the infinity from the result, not from the diagnostics
  const Explanation capped = explained(make_call(c, DType::float32, arrays));
  CHECK(capped.diagnostics.overflows == 4);
  CHECK(std::isfinite(step(capped, "output")[0]));
}

TEST_CASE("a bias that only float16 makes infinite is still no mask") {
  auto c = sized(1, 1, 1, 1, 3, 4, 2);
  Arrays arrays;
  Call call = make_call(c, DType::float16, arrays);
  call.options.bias = arrays.make(DType::float32, {1}, {-1e9});
  const Explanation got = explained(call);
  CHECK(std::isfinite(step(got, "output")[0]));
  CHECK(got.unwidened->diagnostics.empty_rows.empty());
  CHECK(std::isnan(step(*got.unwidened, "output")[0]));
}

TEST_CASE("float16 arithmetic rounds every intermediate number") {
  reference::Case c;
  c.queries = c.keys = 1;
  c.head_dim = 3;
  c.value_dim = 1;
  c.scale = 1;
  c.query = {1, 1, 1};
  c.key = {2048, 1, 1};  // 2048 + 1 rounds back to 2048, twice
  c.value = {1};
  Arrays arrays;
  const Explanation got = explained(make_call(c, DType::float16, arrays));
  CHECK(step(got, "scores")[0] == 2050);
  CHECK(step(*got.unwidened, "scores")[0] == 2048);
}

TEST_CASE("explanations can be copied and outlive their inputs") {
  Explanation copy;
  std::vector<double> output;
  {
    auto c = sized(1, 1, 1, 2, 2, 2, 2);
    Arrays arrays;
    const Explanation got = explained(make_call(c, DType::float32, arrays));
    output = step(got, "output");
    copy = got;
  }
  CHECK(step(copy, "output") == output);
}

}  // namespace
}  // namespace attention
